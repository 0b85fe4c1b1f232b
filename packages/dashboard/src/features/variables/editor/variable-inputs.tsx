import type { Stage } from '@rollkey/sdk/core'
import {
  Anchor,
  Chip,
  Group,
  Input,
  NativeSelect,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Switch,
  Textarea,
  TextInput,
} from '@mantine/core'
import type { GetInputPropsReturnType, UseFormReturnType } from '@mantine/form'
import { declaredTypes, type Exposure, exposures, type Kind, kindNames, limits } from '@rollkey/contract/rules'
import { type ChangeEvent, type FocusEvent, type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { ProtectedMark } from '../../../parts/projects/protected-mark.tsx'
import { MoreFields } from '../../../ui/more-fields.tsx'
import { StatusDot } from '../../../ui/status.tsx'
import { kindName, typeChoices } from '../../../data/variables/labels.ts'
import { isIn } from '../../../data/variables/use-save.ts'
import type { Saved } from '../../../data/variables/write.ts'
import { type Draft, nameProblem, retyped } from './draft.ts'
import { labels } from './labels.ts'
import { labels as uiLabels } from '../../../ui/labels.ts'
import { labels as partLabels } from '../../../parts/variables/labels.ts'

export type Form = UseFormReturnType<Draft>

interface NameInputProps {
  readonly form: Form
  readonly allowsAnyName: boolean
  readonly onAllow: (allows: boolean) => void
  /** Opens the variable that has the name already. Absent: none has. */
  readonly onOpenTaken?: (() => void) | undefined
}

export function NameInput({ form, allowsAnyName, onAllow, onOpenTaken }: NameInputProps) {
  const isUnusual = nameProblem(form.values.name, false) === labels.unusualName
  return (
    <Stack gap="xs">
      <TextInput
        {...form.getInputProps('name')}
        label={labels.name}
        description={labels.nameHint}
        placeholder={labels.nameExample}
        classNames={{ input: 'mono' }}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        maxLength={256}
        enterKeyHint="next"
        onKeyDown={focusValue}
        data-autofocus
        required
      />
      {onOpenTaken && form.errors['name'] !== undefined && (
        <Anchor component="button" type="button" size="sm" ta="start" onClick={onOpenTaken}>
          {labels.openTaken(form.values.name)}
        </Anchor>
      )}
      {isUnusual && (
        <Switch
          label={labels.anyName}
          description={labels.anyNameHint}
          checked={allowsAnyName}
          onChange={(event) => {
            onAllow(event.currentTarget.checked)
            form.clearFieldError('name')
          }}
        />
      )}
    </Stack>
  )
}

/** Continues with the first value, because the rest has usual settings. With Control, the form is saved. */
function focusValue(event: KeyboardEvent<HTMLInputElement>): void {
  if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  event.currentTarget.form?.querySelector<HTMLElement>('[data-path^="shared."], [data-path^="byStage."]')?.focus()
}

interface FactsProps {
  readonly form: Form
  /** The form as it was when it opened. */
  readonly initial: Draft
  /**
   * Whether the variable is a new one.
   * @default false
   */
  readonly isNew?: boolean
}

/** Shows inputs in one line. On a phone, they are below one another: three choices need the width. */
export function SideBySide({ children }: { readonly children: ReactNode }) {
  return (
    <SimpleGrid spacing="sm" style={{ gridTemplateColumns: 'repeat(auto-fit, minmax(200px, 1fr))' }}>
      {children}
    </SimpleGrid>
  )
}

/** Shows what is the same in all stages: the kind, which a new variable has above, the exposure and the declared type. */
export function Facts({ form, initial, isNew = false }: FactsProps) {
  // A declared type can only be replaced.
  const mayBeUntyped = isNew || initial.declaredType === ''
  return (
    <SideBySide>
      {!isNew && <KindInput form={form} onChange={(kind) => form.setFieldValue('kind', kind)} />}
      <ExposureInput value={form.values.exposure} onChange={(next) => form.setFieldValue('exposure', next)} />
      <TypeSelect
        {...form.getInputProps('declaredType', { withFocus: false })}
        mayBeUntyped={mayBeUntyped}
        onChange={({ currentTarget }: ChangeEvent<HTMLSelectElement>) => {
          const declaredType = declaredTypes.find((type) => type === currentTarget.value) ?? ''
          const before = form.getValues()
          // Then a person has chosen it.
          form.setFieldValue('declaredType', declaredType)
          if (isNew) form.setValues(retyped(before, { declaredType }, { exposure: form.isTouched('exposure') }))
        }}
      />
    </SideBySide>
  )
}

interface StageChoiceProps {
  readonly projectSlug: string
  readonly stages: readonly { readonly stage: Stage }[]
  /** Slugs of the stages. */
  readonly chosen: readonly string[]
  /** Saves that are done, whose stages are not saved again. */
  readonly saved: readonly Saved[]
  readonly error?: unknown
  readonly onChange: (chosen: string[]) => void
}

export function StageChoice({ projectSlug, stages, chosen, saved, error, onChange }: StageChoiceProps) {
  const id = useId()
  return (
    <Input.Wrapper label={labels.stages} labelElement="div" labelProps={{ id }} error={error as string | undefined}>
      <Chip.Group multiple value={[...chosen]} onChange={onChange}>
        <Group gap="xs" mt={4} role="group" aria-labelledby={id}>
          {stages.map(({ stage }) => (
            <Chip
              key={stage.stageSlug}
              value={stage.stageSlug}
              radius="md"
              disabled={isIn(saved, { projectSlug, stageSlug: stage.stageSlug })}
            >
              <StageName stage={stage} />
            </Chip>
          ))}
        </Group>
      </Chip.Group>
    </Input.Wrapper>
  )
}

export function StageName({ stage }: { readonly stage: Stage }) {
  return (
    <Group component="span" display="inline-flex" gap={4} wrap="nowrap">
      {stage.name}
      <ProtectedMark isProtected={stage.isProtected} />
      {stage.isProduction && <StatusDot status="production">{labels.production}</StatusDot>}
    </Group>
  )
}

const kindChoices = kindNames.map((kind) => ({ value: kind, label: kindName(kind) }))

interface KindInputProps {
  readonly form: Form
  readonly onChange: (kind: Kind) => void
}

export function KindInput({ form, onChange }: KindInputProps) {
  const id = useId()
  return (
    <Input.Wrapper label={labels.kind} labelElement="div" labelProps={{ id }}>
      <SegmentedControl
        fullWidth
        aria-labelledby={id}
        data={kindChoices}
        value={form.values.kind}
        onChange={onChange}
      />
    </Input.Wrapper>
  )
}

const types = declaredTypes.map((type) => ({ value: type, label: typeChoices[type] }))

/** A hint below its input lets inputs side by side stand in one line. */
const hintBelow: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error']

interface TypeSelectProps extends GetInputPropsReturnType {
  readonly mayBeUntyped: boolean
}

function TypeSelect({ mayBeUntyped, ...input }: TypeSelectProps) {
  return (
    <NativeSelect
      {...input}
      label={labels.type}
      description={labels.typeHint}
      inputWrapperOrder={hintBelow}
      data={mayBeUntyped ? [{ value: '', label: labels.untyped }, ...types] : types}
    />
  )
}

interface ExposureInputProps {
  readonly value: Exposure
  readonly onChange: (exposure: Exposure) => void
}

function ExposureInput({ value, onChange }: ExposureInputProps) {
  const id = useId()
  const hint = useId()
  return (
    <Input.Wrapper
      label={labels.exposure}
      labelElement="div"
      labelProps={{ id }}
      description={partLabels.exposureHints[value]}
      descriptionProps={{ id: hint }}
      inputWrapperOrder={hintBelow}
    >
      <SegmentedControl
        fullWidth
        aria-labelledby={id}
        aria-describedby={hint}
        data={exposures.map((exposure) => ({ value: exposure, label: labels.exposures[exposure] }))}
        value={value}
        onChange={onChange}
      />
    </Input.Wrapper>
  )
}

interface DescriptionInputProps extends GetInputPropsReturnType {
  readonly isFolded: boolean
}

export function DescriptionInput({ isFolded, ...input }: DescriptionInputProps) {
  const field = (
    <Textarea
      {...input}
      label={labels.description}
      description={labels.descriptionHint}
      inputWrapperOrder={hintBelow}
      minRows={1}
      maxLength={limits.descriptionCharacters}
    />
  )
  if (!isFolded) return field
  return (
    <MoreFields label={labels.noDescription} isOpen={false}>
      {field}
    </MoreFields>
  )
}

interface ValueInputProps extends GetInputPropsReturnType {
  readonly label: string
  readonly type: Draft['declaredType']
  /** Whether the hidden value may stay. An empty input keeps it. */
  readonly mayKeep: boolean
  /** Whether the input takes the focus when the form opens. */
  readonly autofocus?: boolean
  /** Whether the value is saved with a line break at its end, which the input does not show. @default false */
  readonly endsWithBreak?: boolean
}

/** Shows the input that suits the type. The browser does not remember what people type. */
export function ValueInput({
  label,
  type,
  mayKeep,
  autofocus = false,
  endsWithBreak = false,
  ...input
}: ValueInputProps) {
  const focus = autofocus && { 'data-autofocus': true }
  const plain = {
    ...input,
    ...focus,
    label,
    ...(mayKeep && { placeholder: labels.unchanged }),
    ...(endsWithBreak && { description: uiLabels.endsWithBreak, inputWrapperOrder: hintBelow }),
    onFocus: ({ currentTarget }: FocusEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      input.onFocus?.()
      // Browsers begin at the start of a text area, where people seldom continue a value.
      if (currentTarget.selectionEnd === 0) currentTarget.setSelectionRange(input.value.length, input.value.length)
    },
    autoComplete: 'off',
    spellCheck: false,
    classNames: { input: 'mono' },
  }
  switch (type) {
    case 'boolean':
      return <BooleanInput {...input} {...focus} label={label} mayKeep={mayKeep} />
    case 'int64':
      return <TextInput {...plain} inputMode="numeric" />
    case 'float':
      return <TextInput {...plain} inputMode="decimal" />
    case 'date':
      return <DateInput {...input} {...focus} label={label} />
    case 'json':
      return <Textarea {...plain} minRows={6} />
    default:
      return <Textarea {...plain} minRows={1} maxRows={12} />
  }
}

interface DateInputProps extends GetInputPropsReturnType {
  readonly label: string
}

/** Shows a picker for a day, and a text field for a time with a zone, which browsers' pickers do not keep. */
function DateInput({ label, ...input }: DateInputProps) {
  const [hasTime, setHasTime] = useState(/T/i.test(String(input.value)))
  return (
    <Stack gap="xs">
      {hasTime ? (
        <TextInput {...input} label={label} placeholder={labels.timeExample} autoComplete="off" spellCheck={false} />
      ) : (
        <TextInput {...input} label={label} type="date" />
      )}
      <Switch
        label={labels.withTime}
        checked={hasTime}
        onChange={(event) => {
          setHasTime(event.currentTarget.checked)
          input.onChange('')
        }}
      />
    </Stack>
  )
}

interface BooleanInputProps extends GetInputPropsReturnType {
  readonly label: string
  /** The path by which the form focuses an invalid input. */
  readonly 'data-path'?: string
  readonly 'data-autofocus'?: boolean
  /** Whether the hidden value may stay. An empty input keeps it. */
  readonly mayKeep: boolean
}

const both = ['true', 'false']

/** Offers true and false, of which neither is preselected. */
function BooleanInput({ label, mayKeep, value, error, onChange, ...props }: BooleanInputProps) {
  const id = useId()
  return (
    <Input.Wrapper label={label} labelElement="div" labelProps={{ id }} error={error}>
      <SegmentedControl
        className="focused-part"
        tabIndex={-1}
        data-path={props['data-path']}
        data-autofocus={props['data-autofocus']}
        fullWidth
        aria-labelledby={id}
        aria-invalid={error ? true : undefined}
        data={mayKeep ? [{ value: '', label: labels.keep }, ...both] : both}
        value={String(value)}
        onChange={onChange}
      />
    </Input.Wrapper>
  )
}
