import type { Stage, StageSlugs } from '@rollkey/sdk/core'
import { Group, NativeSelect, NumberInput, SimpleGrid, Switch, TextInput } from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { freezeEndMs, type RampStep } from '@rollkey/contract/rules'
import { useState } from 'react'
import { chanceOf, percentOf, percentText } from '../../lib/numbers.ts'
import { absoluteTime, readerZone } from '../../lib/time.ts'
import { ask, useScope } from '../../session/scope.ts'
import { focusOn } from '../../ui/focus.ts'
import { FormDrawer, SubmitForm } from '../../ui/form.tsx'
import { useNow } from '../../ui/time.tsx'
import { type Reversible, toast } from '../../ui/toast.tsx'
import { ChanceInput } from '../rolls/chance-form.tsx'
import { requiredApprovals, useProposalChange } from '../../data/proposals/queries.ts'
import { newRampDraft, type RampDraft, stepsOf, usualSteps, weekend } from './ramp-draft.ts'
import { ReasonField } from '../proposing/reason-field.tsx'
import { PlannedNotice } from './planned-changes.tsx'
import { StepPreview } from './step-preview.tsx'
import { ZoneField } from '../../ui/zone-field.tsx'
import { useChangeLink, useProposedToast, useWithdrawal } from '../../data/proposals/proposed.ts'
import { labels as proposingLabels } from '../proposing/labels.ts'
import { labels } from './labels.ts'

const { rampForm: words } = labels

interface RampDrawerProps {
  readonly place: StageSlugs
  readonly stage: Stage
  /** Name of the roll. */
  readonly name: string
  /** Its chance now. */
  readonly chance: number
  /** Whether to change the chance in steps, or to set it once. Undefined: the drawer is closed. */
  readonly planned: 'steps' | 'once' | undefined
  readonly onClose: () => void
}

/** Plans how the chance of a roll changes by itself. The plan is a change. */
export function RampDrawer({ planned, ...props }: RampDrawerProps) {
  const { name, onClose } = props
  const title = planned === 'once' ? words.setTitle(name) : words.inStepsTitle(name)
  return (
    <FormDrawer opened={planned !== undefined} onClose={onClose} title={title}>
      {planned && <RampForm {...props} isOnce={planned === 'once'} />}
    </FormDrawer>
  )
}

type FormValues = Pick<RampDraft, keyof RampDraft> & { readonly reason: string }
type Form = UseFormReturnType<FormValues>

interface RampFormProps extends Omit<RampDrawerProps, 'planned'> {
  readonly isOnce: boolean
}

function RampForm({ place, stage, name, chance, isOnce, onClose }: RampFormProps) {
  const isReviewed = requiredApprovals(stage) > 0
  const [nowMs] = useState(Date.now)
  const planOf = (draft: RampDraft, atMs: number) => stepsOf(draft, { nowMs: atMs, isReviewed, isOnce })
  const form = useForm<FormValues>({
    initialValues: { ...newRampDraft(isOnce ? '' : usualSteps(chance), readerZone(), nowMs), reason: '' },
    validate: (values) => {
      const plan = planOf(values, Date.now())
      const isUnexplained = isReviewed && values.reason.trim() === ''
      return {
        ...('problems' in plan && plan.problems),
        ...(isUnexplained && { reason: proposingLabels.reasonMissing }),
      }
    },
  })
  const plan = planOf(form.values, useNow())
  const steps = 'steps' in plan ? plan.steps : undefined
  const save = usePlan({ place, stage, name, chance, isOnce, onClose })
  const submit = isReviewed ? words.propose : form.values.first === '' ? words.start : words.schedule
  return (
    <SubmitForm form={form} mutation={save} label={submit(stage.name)}>
      <PlannedNotice place={place} name={name} />
      {isOnce ? (
        <ChanceInput
          label={words.chance}
          value={form.values.steps === '' ? chance : chanceOf(Number(form.values.steps))}
          error={form.errors['steps']}
          path="steps"
          onChange={(next) => form.setFieldValue('steps', next === chance ? '' : String(percentOf(next)))}
        />
      ) : (
        <TextInput
          {...form.getInputProps('steps')}
          label={words.steps}
          description={words.stepsUse}
          autoComplete="off"
          data-autofocus
        />
      )}
      <TimeFields form={form} isOnce={isOnce} isReviewed={isReviewed} />
      {!isOnce && <StepFields form={form} />}
      {steps && <StepPreview steps={steps} chance={chance} zone={form.values.zone} stage={stage} />}
      <ReasonField
        value={form.values.reason}
        error={form.errors['reason']}
        isOptional={!isReviewed}
        onChange={(reason) => form.setFieldValue('reason', reason)}
      />
    </SubmitForm>
  )
}

/** How long before its first step a plan must be made, so that there is time to withdraw it. */
const minAheadMs = 60_000

/** Returns the mutation that proposes a plan, which an undo withdraws. */
function usePlan({ place, stage, name, chance, isOnce, onClose }: RampFormProps) {
  const isReviewed = requiredApprovals(stage) > 0
  const scope = useScope()
  const linkTo = useChangeLink()
  const withdraw = useWithdrawal()
  const confirmProposed = useProposedToast()
  return useProposalChange(place, async (values: FormValues) => {
    const plan = stepsOf(values, { nowMs: Date.now(), isReviewed, isOnce })
    if ('problems' in plan) return
    const { steps } = plan
    const [first] = steps
    const last = steps.at(-1)
    if (!first || !last) return
    const { onMisfit, zone, skipsWeekends } = values
    const reason = values.reason.trim() || words.defaultReason(name, chance, last.chance)
    const content =
      steps.length === 1
        ? { updates: [{ name, chance: first.chance }], applyAtMs: first.atMs }
        : {
            ramp: {
              name,
              steps: [...steps],
              ...(onMisfit !== 'continue' && { guard: { onMisfit } }),
              ...(skipsWeekends && { notOn: [...weekend] }),
            },
          }
    const { id } = await ask(scope, 'changePropose', { ...place, reason, zone, ...content })
    onClose()
    focusOn(id)
    const canUndo = first.atMs > Date.now() + minAheadMs
    const proposed = { place, id, names: [name] }
    if (isReviewed) return confirmProposed([proposed])
    const reversal: Reversible = canUndo ? { undo: () => withdraw([proposed]), redo: undefined } : {}
    toast.success(scheduledText(name, stage, steps), { link: linkTo(proposed), ...reversal })
  })
}

/** Says when the first step is, which in a freeze is its end, and how many follow. */
function scheduledText(name: string, stage: Stage, steps: readonly RampStep[]): string {
  const [{ atMs, chance } = { atMs: 0, chance: 0 }] = steps
  const dueAtMs = freezeEndMs(stage.protection?.freezes ?? [], atMs) ?? atMs
  const when = dueAtMs > Date.now() ? absoluteTime(dueAtMs) : undefined
  return words.scheduled(name, stage.name, percentText(chance), when, steps.length - 1)
}

interface FieldsProps {
  readonly form: Form
}

interface TimeFieldsProps extends FieldsProps {
  readonly isOnce: boolean
  readonly isReviewed: boolean
}

/** Asks when the first step is, by the clocks of a zone. */
function TimeFields({ form, isOnce, isReviewed }: TimeFieldsProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
      <TextInput
        {...form.getInputProps('first')}
        type="datetime-local"
        label={isOnce ? words.time : words.first}
        description={words.firstUse(isReviewed)}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
      />
      <ZoneField {...form.getInputProps('zone')} label={words.zone} />
    </SimpleGrid>
  )
}

const units = ['d', 'h', 'w', 'm'] as const
const guards = ['hold', 'abort', 'continue'] as const

/** Asks how far apart the steps are, and what holds them. */
function StepFields({ form }: FieldsProps) {
  return (
    <>
      <Group align="flex-start" gap="xs">
        <NumberInput {...form.getInputProps('count')} label={words.every} w={96} min={1} allowDecimal={false} />
        <NativeSelect
          {...form.getInputProps('unit')}
          label={words.unit}
          data={units.map((value) => ({ value, label: words.units[value] }))}
        />
      </Group>
      <Switch
        {...form.getInputProps('skipsWeekends', { type: 'checkbox' })}
        label={words.weekends}
        description={words.weekendsUse}
      />
      <NativeSelect
        {...form.getInputProps('onMisfit')}
        label={words.guard}
        description={words.guardUse}
        data={guards.map((value) => ({ value, label: words.guards[value] }))}
      />
    </>
  )
}
