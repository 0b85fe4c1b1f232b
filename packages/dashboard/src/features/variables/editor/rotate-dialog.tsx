import type { Stage, StageSlugs } from '@rollkey/sdk/core'
import type { Digested } from '@rollkey/contract'
import { Group, NativeSelect, NumberInput, Radio, Stack, Text, Textarea } from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { type Declaration, msPerDay, msPerMinute, rotationSteps } from '@rollkey/contract/rules'
import { useState } from 'react'
import { readerZone } from '../../../lib/time.ts'
import { ask, useScope } from '../../../session/scope.ts'
import { Modal } from '../../../ui/dialog.tsx'
import { SubmitForm } from '../../../ui/form.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { toast } from '../../../ui/toast.tsx'
import { useChangeLink, useProposedToast } from '../../../data/proposals/proposed.ts'
import { requiredApprovals, useProposalChange } from '../../../data/proposals/queries.ts'
import { useRefresh } from '../../../data/stages.ts'
import { useSave } from '../../../data/variables/use-save.ts'
import { useProposing } from '../../../parts/proposing/use-proposing.tsx'
import { GenerateValue } from '../../../parts/variables/generate-value.tsx'
import { SaveProblem } from '../../../parts/variables/save-problem.tsx'
import { declaredProblem, valueProblem, withoutFinalBreak } from './draft.ts'
import { useDependents } from './use-dependents.ts'
import { labels } from './labels.ts'

const { rotate: words } = labels

interface RotateFormProps {
  readonly place: StageSlugs
  readonly stage: Stage
  /** A secret with its own value. */
  readonly variable: Digested
  /** What the project expects of it. Undefined: nothing, or it is not known yet. */
  readonly declared: Declaration | undefined
  /** The revision of the stage at which it was read. */
  readonly revision: number
  readonly onClose: () => void
}

export interface RotateDialogProps extends RotateFormProps {
  readonly opened: boolean
}

/** Gives a secret another value in a stage: at once, or step by step. */
export function RotateDialog({ opened, ...props }: RotateDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={props.onClose}
      title={words.title(props.variable.name, props.stage.name)}
      // The dialog would also handle the Escape of the drawer below.
      closeOnEscape={false}
      onKeyDown={({ key }) => key === 'Escape' && props.onClose()}
    >
      <RotateForm {...props} />
    </Modal>
  )
}

interface FormValues extends Record<string, unknown> {
  readonly value: string
  readonly pace: 'once' | 'steps'
  readonly count: number | string
  readonly unit: keyof typeof unitsMs
}

const unitsMs = { m: msPerMinute, h: 60 * msPerMinute, d: msPerDay, w: 7 * msPerDay }
const units = ['m', 'h', 'd', 'w'] as const

function RotateForm(props: RotateFormProps) {
  const { place, stage, variable, declared, onClose } = props
  const { name, declaredType = '' } = variable
  const form = useForm<FormValues>({
    initialValues: { value: '', pace: 'once', count: 1, unit: 'h' },
    validate: {
      value: (entered) => {
        const value = withoutFinalBreak(entered)
        return valueProblem(declaredType, value, false) ?? declaredProblem(declared, { declaredType }, value)
      },
      count: (count, { pace }) =>
        pace === 'once' || (Number.isInteger(count) && Number(count) > 0 && Number(count) < 100_000)
          ? null
          : words.wrongCount,
    },
  })
  const followers = useDependents(place.projectSlug, name, [stage])?.templates ?? []
  const proposing = useProposing(place.projectSlug, [stage])
  const { save, begin, rotate } = useRotation(props, proposing.reasonIn(place.stageSlug))
  const isGradual = form.values.pace === 'steps' && followers.length === 0
  const mutate = (values: FormValues): void => {
    if (proposing.check()) rotate({ ...values, value: withoutFinalBreak(values.value) }, isGradual)
  }
  return (
    <SubmitForm
      form={form}
      mutation={{ mutate, error: begin.error, isPending: save.isPending || begin.isPending }}
      label={proposing.label([stage], () => (isGradual ? words.begin : words.rotate))}
      onCancel={onClose}
    >
      <Textarea
        {...form.getInputProps('value')}
        label={words.value}
        description={words.valueUse}
        autosize
        maxRows={6}
        autoComplete="off"
        spellCheck={false}
        classNames={{ input: 'mono' }}
        data-autofocus
      />
      <GenerateValue onGenerate={(value) => form.setFieldValue('value', value)} />
      <PaceFields form={form} followers={followers} />
      {proposing.notice}
      {proposing.reasonField}
      {save.failures.map(({ error }) => (
        <SaveProblem key={place.stageSlug} error={error} />
      ))}
    </SubmitForm>
  )
}

interface PaceFieldsProps {
  readonly form: UseFormReturnType<FormValues>
  /** The templates that name the secret, which cannot have two values. */
  readonly followers: readonly string[]
}

/** Asks whether everyone gets the new value at once, and names the templates that follow. */
function PaceFields({ form, followers }: PaceFieldsProps) {
  const isSource = followers.length > 0
  return (
    <>
      <Radio.Group {...form.getInputProps('pace')} label={words.pace}>
        <Stack gap="xs" mt={4}>
          <Radio value="once" label={words.once} description={words.onceUse} />
          <Radio value="steps" label={words.steps} description={words.stepsUse} disabled={isSource} />
        </Stack>
      </Radio.Group>
      {isSource && (
        <>
          <Text size="sm">{words.follow(followers)}</Text>
          <Notice kind="info">{words.notGradual(followers)}</Notice>
        </>
      )}
      {form.values.pace === 'steps' && !isSource && (
        <Group align="flex-start" gap="xs">
          <NumberInput {...form.getInputProps('count')} label={words.during} w={96} min={1} allowDecimal={false} />
          <NativeSelect
            {...form.getInputProps('unit')}
            label={words.unit}
            data={units.map((value) => ({ value, label: words.units[value] }))}
          />
        </Group>
      )}
    </>
  )
}

/** Returns how to write the new value, and how to begin a rotation with it. `reason`: undefined if a write is saved at once. */
function useRotation({ place, stage, variable, revision, onClose }: RotateFormProps, reason: string | undefined) {
  const { name } = variable
  // A later change by others is a conflict.
  const [seen] = useState(revision)
  const save = useSave({ textOf: () => words.rotated(name, stage.name), onSaved: onClose })
  const begin = useBeginning({ place, stage, name, onClose }, reason)
  return {
    save,
    begin,
    rotate: ({ value, count, unit }: FormValues, isGradual: boolean): void => {
      if (isGradual) return begin.mutate({ value, totalMs: Number(count) * unitsMs[unit] })
      const entries = [{ kind: 'secret', name, value }] as const
      save.mutate([{ place, content: { entries }, seen: save.seenNow(place, seen), reason }])
    },
  }
}

interface Beginning extends Pick<RotateFormProps, 'place' | 'stage' | 'onClose'> {
  readonly name: string
}

interface Rotated {
  readonly value: string
  readonly totalMs: number
}

/** Returns the mutation that proposes the steps of a rotation, which an undo takes back to the old value. */
function useBeginning({ place, stage, name, onClose }: Beginning, reason = words.reason(name)) {
  const scope = useScope()
  const refresh = useRefresh()
  const linkTo = useChangeLink()
  const confirmProposed = useProposedToast()
  return useProposalChange(place, async ({ value, totalMs }: Rotated) => {
    const ramp = { name, value, steps: rotationSteps(Date.now(), totalMs) }
    const { id } = await ask(scope, 'changePropose', { ...place, reason, zone: readerZone(), ramp })
    onClose()
    if (requiredApprovals(stage) > 0) return confirmProposed([{ place, id, names: [name] }])
    const undo = async (): Promise<string> => {
      await ask(scope, 'changeAbort', { ...place, id, chance: 0 })
      await refresh(place)
      return words.undone(name, stage.name)
    }
    toast.success(words.began(name, stage.name), { link: linkTo({ place, id }), undo, redo: undefined })
  })
}
