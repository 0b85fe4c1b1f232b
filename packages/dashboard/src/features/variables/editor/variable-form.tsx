import type { Stage } from '@rollkey/sdk/core'
import { Button, Group, Input, SegmentedControl, SimpleGrid, Stack, Switch, Text } from '@mantine/core'
import type { RevealedEntry } from '@rollkey/contract'
import { type AttributeName, type Declaration, kinds, type ValueField } from '@rollkey/contract/rules'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useId, useRef } from 'react'
import { flushSync } from 'react-dom'
import { useScope } from '../../../session/scope.ts'
import { BusyButton } from '../../../ui/buttons.tsx'
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx'
import { ErrorNotice } from '../../../ui/notice.tsx'
import { IconAdd } from '../../../ui/icons.ts'
import { Keys } from '../../../ui/keys.tsx'
import { FormFooter, useLeave } from '../../../ui/form.tsx'
import { capitalized } from '../../../data/variables/labels.ts'
import { reveal, type VariableInStage } from '../../../data/variables/queries.ts'
import { MissingStages } from '../../../parts/access/missing-stages.tsx'
import { ChanceInput } from '../../../parts/rolls/chance-form.tsx'
import {
  canKeep,
  declaredProblem,
  type FormStage,
  settledByDeclaration,
  looksBoolean,
  valuesIn,
  withKind,
  withoutFinalBreaks,
  withValuePerStage,
} from './draft.ts'
import { labels } from './labels.ts'
import { GenerateValue } from '../../../parts/variables/generate-value.tsx'
import { ChangedNotice } from '../../../parts/variables/recent-changes.tsx'
import { SaveFailures } from './save-failures.tsx'
import { Dependents, SourceSuggestions } from './template-sources.tsx'
import { useVariableForm, type VariableFormOptions } from './use-variable-form.ts'
import {
  DescriptionInput,
  Facts,
  type Form,
  KindInput,
  NameInput,
  SideBySide,
  StageChoice,
  ValueInput,
} from './variable-inputs.tsx'
import { labels as partLabels } from '../../../parts/variables/labels.ts'
import { labels as rollLabels } from '../../../parts/rolls/labels.ts'

interface VariableFormProps extends VariableFormOptions {
  /** The stage whose stored values can be revealed here, as it was when the form opened. */
  readonly opened?: VariableInStage | undefined
  readonly onCancel: () => void
  /** Opens another variable. Absent: the form of a new one leads to none that has its name. */
  readonly onOpen?: ((stored: { readonly stageSlug: string; readonly name: string }) => void) | undefined
}

/** Creates a variable or changes it, in one or several stages. */
export function VariableForm({ opened, onCancel, onOpen, ...options }: VariableFormProps) {
  const { projectSlug, initial } = options
  const editing = useVariableForm(options)
  const { form, save } = editing
  const draft = form.values
  return (
    <div>
      {opened && (
        <ChangedNotice
          place={{ projectSlug, stageSlug: opened.stage.stageSlug }}
          name={initial.name}
          seen={opened.revision}
          // A failed save says more about it.
          isSilent={save.isPending || save.failures.length > 0}
        >
          {partLabels.changedNotice}
        </ChangedNotice>
      )}
      <form ref={useAutofocus()} noValidate onSubmit={editing.submit}>
        <Fields {...options} editing={editing} opened={opened} onCancel={onCancel} onOpen={onOpen} />
        <FormButtons editing={editing} onCancel={onCancel} />
      </form>
      <ConfirmDialog
        title={labels.exposeTitle(draft.name, draft.exposure)}
        label={labels.expose(draft.exposure)}
        mutation={{ mutate: editing.saveNow, error: null, isPending: false }}
        opened={editing.isAsking}
        onClose={editing.endAsking}
      >
        {labels.exposeText(draft.exposure, editing.chosenStages)}
      </ConfirmDialog>
    </div>
  )
}

interface FieldsProps extends VariableFormOptions, Pick<VariableFormProps, 'opened' | 'onCancel' | 'onOpen'> {
  readonly editing: ReturnType<typeof useVariableForm>
}

/** Shows the fields of a new variable, or of one whose values are replaced. Both begin with what everyone enters. */
function Fields(props: FieldsProps) {
  const { editing, projectSlug, stages, isNew = false } = props
  const { form, save, chosenStages, proposing } = editing
  const isFolded = isNew && props.initial.description === ''
  return (
    <Stack gap="md">
      {proposing.notice}
      {isNew ? <NewValues {...props} /> : <OtherValues {...props} />}
      {!isNew && (
        <Dependents
          projectSlug={projectSlug}
          name={form.values.name}
          stages={chosenStages}
          text={labels.writesTemplates}
        />
      )}
      <Facts form={form} initial={props.initial} isNew={isNew} />
      {/* Of true and false, nothing is inserted. */}
      {(form.values.declaredType !== 'boolean' || form.values.template) && (
        <Switch
          {...form.getInputProps('template', { type: 'checkbox' })}
          label={labels.template}
          description={labels.templateHint}
        />
      )}
      <DescriptionInput {...form.getInputProps('description')} isFolded={isFolded} />
      {isNew && <SaveFailures save={save} stages={stages} />}
      {proposing.reasonField}
    </Stack>
  )
}

/** Shows the fields that a new variable needs: its name and kind, its values and its stages. */
function NewValues({ editing, projectSlug, stages, onOpen }: FieldsProps) {
  const { form, areKnown, chosen, declared } = editing
  const { name } = form.values
  const taken = chosen.find(({ storedNames }) => storedNames?.has(name))
  return (
    <>
      <NameInput
        form={form}
        allowsAnyName={editing.allowsAnyName}
        onAllow={editing.setAllowsAnyName}
        onOpenTaken={taken && onOpen && (() => onOpen({ stageSlug: taken.stage.stageSlug, name }))}
      />
      <SideBySide>
        <KindInput
          form={form}
          onChange={(kind) => {
            const { declaredType, exposure } = settledByDeclaration(declared)
            const settled = {
              declaredType: declaredType || form.isTouched('declaredType'),
              exposure: exposure || form.isTouched('exposure'),
            }
            form.setValues(withKind(form.getValues(), kind, settled))
          }}
        />
        <ValueMode form={form} stages={chosen} all={stages} />
      </SideBySide>
      <ValueSection {...{ projectSlug, form, areKnown }} stages={chosen} all={stages} isNew />
      <DeclaredHint form={form} declared={declared} />
      <BooleanHint form={form} />
      <Stages {...{ editing, projectSlug, stages }} />
      <MissingStages projectSlug={projectSlug} />
    </>
  )
}

/** Shows the stages of a variable, and the fields of other values. */
function OtherValues({ editing, opened, onCancel, projectSlug, stages, initial }: FieldsProps) {
  const { form, areKnown, chosen, declared, save } = editing
  return (
    <>
      <Stages {...{ editing, projectSlug, stages }} />
      {opened && !areKnown && (
        <RevealButton
          projectSlug={projectSlug}
          stage={opened.stage}
          name={initial.name}
          onRevealed={editing.setKnownValues}
        />
      )}
      <SaveFailures save={save} stages={stages} edited={{ draft: form.values, onKeep: onCancel }} />
      <ValueMode form={form} stages={chosen} all={stages} />
      <ValueSection {...{ projectSlug, form, areKnown }} stages={chosen} all={stages} isNew={false} />
      <DeclaredHint form={form} declared={declared} />
    </>
  )
}

/** Chooses the stages, if there are several. */
function Stages({
  editing: { form, save },
  projectSlug,
  stages,
}: Pick<FieldsProps, 'editing' | 'projectSlug' | 'stages'>) {
  const draft = form.values
  if (stages.length < 2) return null
  return (
    <StageChoice
      stages={stages}
      saved={save.saved}
      projectSlug={projectSlug}
      chosen={draft.stages}
      error={form.errors['stages']}
      onChange={(next) => form.setValues(withValuePerStage({ ...draft, stages: next }, draft.hasValuePerStage))}
    />
  )
}

/** Offers the type boolean for values that look so. Without it, programs get the text "false", which counts as true. */
function BooleanHint({ form }: { readonly form: Form }) {
  if (!looksBoolean(form.values)) return null
  return (
    <Group gap="xs" role="status">
      <Text size="sm">{labels.looksBoolean}</Text>
      <Button size="compact-sm" variant="default" onClick={() => form.setFieldValue('declaredType', 'boolean')}>
        {labels.makeBoolean}
      </Button>
    </Group>
  )
}

interface DeclaredHintProps {
  readonly form: Form
  readonly declared: Declaration | undefined
}

/** Says what the project expects of the values, and as soon as one is entered whether it is that. */
function DeclaredHint({ form, declared }: DeclaredHintProps) {
  const draft = form.values
  const entered = (draft.hasValuePerStage ? Object.values(draft.byStage) : [draft.shared])
    .flatMap((values) => kinds[draft.kind].values.map(({ field }) => values[field]))
    .filter((value) => value !== '')
  const problem = entered.map((value) => declaredProblem(declared, draft, value)).find((each) => each !== null)
  const hint = problem ?? (declared && labels.declared(declared))
  if (!hint) return null
  return (
    <Text size="sm" c={problem ? 'var(--danger-text)' : 'dimmed'} aria-live="polite">
      {hint}
    </Text>
  )
}

/** Focuses the first field that asks for it, which an open drawer does not do; of several radio buttons, the one that is chosen. */
function useAutofocus() {
  const element = useRef<HTMLFormElement>(null)
  useEffect(() => {
    const field = element.current?.querySelector<HTMLElement>('[data-autofocus]')
    const radio = field?.querySelector<HTMLElement>(':checked') ?? field?.querySelector('input')
    const target = radio ?? field
    target?.focus()
  }, [])
  return element
}

interface FormButtonsProps {
  readonly editing: ReturnType<typeof useVariableForm>
  readonly onCancel: () => void
}

function FormButtons({ editing, onCancel }: FormButtonsProps) {
  const { form, isUnchanged, canCollect, save, chosenStages, proposing } = editing
  const leave = useLeave()
  return (
    <FormFooter>
      {!canCollect && form.isDirty() && (
        <Text size="sm" c="dimmed" w="100%">
          {labels.addNeedsValue}
        </Text>
      )}
      <Button variant="default" visibleFrom="sm" onClick={() => leave(onCancel)}>
        {labels.cancel}
      </Button>
      <Button
        variant="subtle"
        color="gray"
        disabled={isUnchanged || !canCollect}
        title={labels.addHint}
        onClick={() => editing.collect()}
      >
        {labels.addToDraft}
      </Button>
      <BusyButton type="submit" disabled={isUnchanged} isBusy={save.isPending}>
        {proposing.label(chosenStages, labels.save)}
      </BusyButton>
      {/* Enter begins a new line in a value. */}
      <Group visibleFrom="sm" aria-hidden>
        <Keys>{labels.saveKeys}</Keys>
      </Group>
    </FormFooter>
  )
}

interface ValueModeProps {
  readonly form: Form
  /** The stages that receive the values. */
  readonly stages: readonly FormStage[]
  /** All that could. */
  readonly all: readonly FormStage[]
}

/** Chooses whether several stages get the same values. */
function ValueMode({ form, stages, all }: ValueModeProps) {
  const { hasValuePerStage } = form.values
  const chosen = stages.map(({ stage }) => stage)
  const others = all.filter((each) => !stages.includes(each)).map(({ stage }) => stage.name)
  const id = useId()
  if (stages.length < 2 && !hasValuePerStage) return null
  return (
    <Input.Wrapper
      label={labels.valueMode}
      labelElement="div"
      labelProps={{ id }}
      description={chosen.length > 0 && others.length > 0 ? labels.valuesFor(chosen, others) : undefined}
      inputWrapperOrder={['label', 'input', 'description']}
    >
      <SegmentedControl
        fullWidth
        aria-labelledby={id}
        data={[
          { value: 'shared', label: labels.sameValue },
          { value: 'byStage', label: labels.valuePerStage },
        ]}
        value={hasValuePerStage ? 'byStage' : 'shared'}
        onChange={(mode) => form.setValues(withValuePerStage(form.values, mode === 'byStage'))}
      />
    </Input.Wrapper>
  )
}

interface ValueSectionProps extends ValueModeProps {
  readonly projectSlug: string
  readonly areKnown: boolean
  /** Whether the name comes first. */
  readonly isNew: boolean
}

/** Shows the inputs of the values, for each stage where these differ. */
function ValueSection({ projectSlug, form, stages, all, areKnown, isNew }: ValueSectionProps) {
  const { hasValuePerStage } = form.values
  const inputs = { projectSlug, form, areKnown, isNew }
  if (!hasValuePerStage)
    return (
      <Stack gap="sm">
        <ValueInputs {...inputs} path="shared" of={stages} />
      </Stack>
    )
  return (
    <Stack gap="sm">
      {stages.map((each) => (
        <ValueInputs
          key={each.stage.stageSlug}
          {...inputs}
          path={`byStage.${each.stage.stageSlug}`}
          of={[each]}
          stage={each.stage}
        />
      ))}
      <AddStages form={form} all={all} />
    </Stack>
  )
}

interface AddStagesProps {
  readonly form: Form
  readonly all: readonly FormStage[]
}

/** Offers a value for each stage that is not chosen, such as production, which no form chooses by itself. */
function AddStages({ form, all }: AddStagesProps) {
  const others = all.map(({ stage }) => stage).filter(({ stageSlug }) => !form.values.stages.includes(stageSlug))
  const add = (stageSlug: string): void => {
    const stages = [...form.values.stages, stageSlug]
    flushSync(() => form.setValues(withValuePerStage({ ...form.values, stages }, true)))
    const [first] = kinds[form.values.kind].values
    if (first) form.getInputNode(`byStage.${stageSlug}.${first.field}`)?.focus()
  }
  if (others.length === 0) return null
  return (
    <Group gap="xs">
      {others.map(({ stageSlug, name }) => (
        <Button
          key={stageSlug}
          size="compact-sm"
          variant="default"
          leftSection={<IconAdd size={14} />}
          onClick={() => add(stageSlug)}
        >
          {labels.addValueFor(name)}
        </Button>
      ))}
    </Group>
  )
}

interface ValueInputsProps {
  readonly projectSlug: string
  readonly form: Form
  /** Path of the values in the draft. */
  readonly path: string
  readonly of: readonly FormStage[]
  readonly areKnown: boolean
  readonly isNew: boolean
  /** The only stage that receives the values. */
  readonly stage?: Stage
}

/** Shows the inputs of the values, and of the chance of a roll, in one stage or in all. */
function ValueInputs({ projectSlug, form, path, of, areKnown, isNew, stage }: ValueInputsProps) {
  const { kind, template, exposure } = form.values
  // The text of a template is of no type: its result is.
  const declaredType = template ? '' : form.values.declaredType
  const isGenerated =
    kind === 'secret' && exposure === 'secret' && !template && (declaredType === '' || declaredType === 'string')
  const mayKeep = !areKnown && of.length > 0 && of.every(({ variable }) => canKeep(form.values, variable))
  const saved = valuesIn(withoutFinalBreaks(form.values, form.getInitialValues()), of[0]?.stage.stageSlug ?? '')
  const inStage = (label: string): string => (stage ? labels.inStage(label, stage.name) : label)
  const attributes: readonly AttributeName[] = kinds[kind].attributes
  const values: readonly { readonly field: ValueField; readonly label: string }[] = kinds[kind].values
  const isFlag = isNew && values.length > 1 && declaredType === 'boolean'
  /** Chooses one side of a new boolean roll. The other side follows, since a roll of two equal values does nothing. */
  const choose = (field: ValueField, value: string): void => {
    form.setFieldValue(`${path}.${field}`, value)
    const other = values.find((each) => each.field !== field)
    if (other && value !== '') form.setFieldValue(`${path}.${other.field}`, value === 'true' ? 'false' : 'true')
  }
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: values.length > 1 && declaredType !== 'json' ? 2 : 1 }}>
        {values.map(({ field, label }, at) => (
          <ValueInput
            key={field}
            {...form.getInputProps(`${path}.${field}`)}
            {...(isFlag && { onChange: (value: string) => choose(field, value) })}
            label={inStage(capitalized(label))}
            type={declaredType}
            mayKeep={mayKeep}
            autofocus={at === 0 && !isNew}
            endsWithBreak={saved[field].endsWith('\n')}
          />
        ))}
      </SimpleGrid>
      {isGenerated && <GenerateValue onGenerate={(value) => form.setFieldValue(`${path}.value`, value)} />}
      {template &&
        values.map(({ field }) => (
          <SourceSuggestions
            key={field}
            projectSlug={projectSlug}
            name={form.values.name}
            stages={of.map((each) => each.stage)}
            text={String(form.getInputProps(`${path}.${field}`).value)}
            onChange={(text) => {
              form.setFieldValue(`${path}.${field}`, text)
              form.getInputNode(`${path}.${field}`)?.focus()
            }}
          />
        ))}
      {attributes.includes('chance') && (
        <ChanceInput
          label={inStage(rollLabels.chance)}
          value={form.getInputProps(`${path}.chance`).value as number}
          onChange={(chance) => form.setFieldValue(`${path}.chance`, chance)}
        />
      )}
    </>
  )
}

interface RevealButtonProps {
  readonly projectSlug: string
  readonly stage: Stage
  readonly name: string
  readonly onRevealed: (entry: RevealedEntry) => void
}

/** Reveals the current value, so that people can change a part of it. */
function RevealButton({ projectSlug, stage: { stageSlug }, name, onRevealed }: RevealButtonProps) {
  const scope = useScope()
  // A result would stay in the query client's memory, so the mutation has none.
  const request = useMutation({
    mutationFn: async () => onRevealed(await reveal(scope, { projectSlug, stageSlug }, name)),
  })
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Text size="sm" c="dimmed">
          {labels.replaceHint}
        </Text>
        <BusyButton size="compact-sm" variant="default" isBusy={request.isPending} onClick={() => request.mutate()}>
          {labels.revealCurrent}
        </BusyButton>
      </Group>
      <ErrorNotice error={request.error} />
    </Stack>
  )
}
