import type { Project, StageSlugs } from '@rollkey/sdk/core'
import type { Digested, RevealedEntry, WriteEntry } from '@rollkey/contract'
import type { Declaration } from '@rollkey/contract/rules'
import { Button, Stack, Text, Title } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { utcDayText } from '../../../lib/time.ts'
import { useMay } from '../../../session/permissions.ts'
import { useScope } from '../../../session/scope.ts'
import { useSettings } from '../../../session/settings.ts'
import { ButtonLink } from '../../../ui/buttons.tsx'
import { CodeSnippet } from '../../../ui/copy.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FormFooter } from '../../../ui/form.tsx'
import { IconMissing, IconSwitch } from '../../../ui/icons.ts'
import { Notice } from '../../../ui/notice.tsx'
import { SplitBar } from '../../../ui/split-bar.tsx'
import { changeAt, effectNames, effectOf, type PendingChange } from '../../../data/unsaved-changes/change-set.ts'
import { useChanges } from '../../../data/unsaved-changes/changes-context.ts'
import { PlannedNotice, usePlanned } from '../../../parts/plans/planned-changes.tsx'
import { RotationNotice } from '../../../parts/plans/rotation.tsx'
import { likeDeclared } from '../../../data/variables/comparison.ts'
import { usesQuery, type VariableInStage } from '../../../data/variables/queries.ts'
import { ChanceForm } from '../../../parts/rolls/chance-form.tsx'
import { isRotatable, RotateButton } from './rotate-button.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { draftOf, newDraft } from './draft.ts'
import { MissingVerb } from '../../../parts/access/require-verb.tsx'
import { labels } from './labels.ts'
import { RecentChanges } from '../../../parts/variables/recent-changes.tsx'
import { snippetsOf } from '../../../parts/variables/snippets.ts'
import { StoredValues, useKnownValues } from '../../../parts/variables/stored-values.tsx'
import { useOpenCopy } from '../copy/promotions.ts'
import { VariableForm } from './variable-form.tsx'
import { labels as partLabels } from '../../../parts/variables/labels.ts'
import { labels as rollLabels } from '../../../parts/rolls/labels.ts'

interface StagePanelProps {
  readonly project: Project
  readonly name: string
  /** The shown stage. */
  readonly shown: VariableInStage
  readonly stages: readonly VariableInStage[]
  /** What the project expects of the variable. Undefined: nothing, or it is not known yet. */
  readonly declared: Declaration | undefined
  readonly startsEditing: boolean
  readonly onClose: () => void
  /** What the variable is, and the choice of the stage. A form has its own. */
  readonly children: ReactNode
}

/** Shows a variable in one stage: its facts, its values on request, and its actions. */
export function StagePanel(props: StagePanelProps) {
  const { project, name, shown, stages, declared, startsEditing, onClose, children } = props
  const { stage, variable } = shown
  const writable = useWritableOf(project, stages)
  const isReadOnly = !writable.includes(shown)
  // The end of a rotation decides its value.
  const mayEdit = !isReadOnly && !variable?.rotating
  const { edited, edit, cancel, editButton } = useEditing(writable, mayEdit, startsEditing || !variable)
  const [isDeleting, { open: askToDelete, close: endDeleting }] = useDisclosure()
  const place = { projectSlug: project.projectSlug, stageSlug: stage.stageSlug }
  const values = useKnownValues(place, name, variable)
  const collected = changeAt(useChanges().pending, stage.stageSlug, name)
  if (edited) {
    return (
      <EditForm
        place={place}
        name={name}
        stages={edited}
        declared={declared}
        known={collected?.entry ?? values.entry}
        onDone={onClose}
        onCancel={cancel}
      />
    )
  }
  return (
    <Stack gap="lg">
      <Stack gap="md">{children}</Stack>
      {collected && <DraftNotice change={collected} />}
      {variable ? (
        <PresentVariable project={project} shown={shown} variable={variable} values={values} isReadOnly={isReadOnly} />
      ) : (
        <MissingVariable place={place} name={name} stage={stage.name} />
      )}
      <RecentPart place={place} name={name} />
      {variable && <Use place={place} variable={variable} />}
      <FormFooter>
        {isReadOnly && <ReadOnlyHint {...{ project, place }} isStored={variable !== undefined} />}
        {!isReadOnly && variable && <DeleteButton onClick={askToDelete} />}
        <StageActions {...{ place, shown, declared }} mayRotate={mayEdit} />
        {mayEdit && (
          <Button ref={editButton} onClick={edit}>
            {variable || collected ? labels.edit : labels.addTo(stage.name)}
          </Button>
        )}
      </FormFooter>
      <DeleteDialog
        projectSlug={place.projectSlug}
        name={name}
        stages={writable}
        initial={stage.stageSlug}
        opened={isDeleting}
        onClose={endDeleting}
        onDone={onClose}
      />
    </Stack>
  )
}

/** Returns the stages that are being edited, and the button that has the focus again after a cancel. */
function useEditing(writable: readonly VariableInStage[], mayEdit: boolean, startsEditing: boolean) {
  // A form keeps the stages as they were when it opened, because a later change by others is a conflict.
  const [edited, setEdited] = useState(startsEditing && mayEdit ? writable : undefined)
  const editButton = useRef<HTMLButtonElement>(null)
  const cancel = (): void => {
    // The form has the focus until it is gone.
    flushSync(() => setEdited(undefined))
    editButton.current?.focus()
  }
  const edit = (): void => setEdited(writable)
  useHotkeys([['e', () => mayEdit && edit()]])
  return { edited, edit, cancel, editButton }
}

function RecentPart(props: { readonly place: StageSlugs; readonly name: string }) {
  return (
    <Part title={partLabels.recentChanges}>
      <RecentChanges {...props} />
    </Part>
  )
}

interface ReadOnlyHintProps {
  readonly project: Project
  readonly place: StageSlugs
  readonly isStored: boolean
}

function ReadOnlyHint({ project, place, isStored }: ReadOnlyHintProps) {
  const may = useMay()
  const isArchived = project.archivedAtMs !== undefined
  // In place of the value stands what they need to read it, and whom to ask.
  if (isStored && !isArchived && !may('read', place)) return null
  return (
    <Text size="sm" c="dimmed" mr="auto">
      {isArchived ? labels.archived : <MissingVerb verb="write" at={place} />}
    </Text>
  )
}

/** Returns those of the stages that the viewer may change. */
function useWritableOf({ projectSlug, archivedAtMs }: Project, stages: readonly VariableInStage[]) {
  const may = useMay()
  if (archivedAtMs !== undefined) return []
  return stages.filter(({ stage: { stageSlug } }) => may('write', { projectSlug, stageSlug }))
}

interface DraftNoticeProps {
  readonly change: PendingChange
}

function DraftNotice({ change }: DraftNoticeProps) {
  return (
    <Notice kind="info" title={labels.draft(effectNames[effectOf(change)])}>
      {labels.draftText}
    </Notice>
  )
}

interface PresentVariableProps {
  readonly project: Project
  readonly shown: VariableInStage
  readonly variable: Digested
  readonly values: ReturnType<typeof useKnownValues>
  readonly isReadOnly: boolean
}

function PresentVariable({ project, shown, variable, values, isReadOnly }: PresentVariableProps) {
  const { stage, revision } = shown
  const { name, chance } = variable
  const place = { projectSlug: project.projectSlug, stageSlug: stage.stageSlug }
  const rotation = usePlanned(place, name).find(
    ({ steps, state }) => steps && (state === 'running' || state === 'paused'),
  )
  return (
    <>
      {variable.rotating ? (
        <RotationNotice {...{ place, stage, variable, revision, isReadOnly }} change={rotation} />
      ) : (
        <PlannedNotice place={place} name={name} isSecret={variable.kind === 'secret'} />
      )}
      {chance !== undefined &&
        !variable.rotating &&
        (isReadOnly ? (
          <SplitBar share={chance} label={rollLabels.chance} />
        ) : (
          <ChanceForm place={place} stage={stage} name={name} chance={chance} targets={variable} revision={revision} />
        ))}
      <StoredValues place={place} stage={stage.name} variable={variable} values={values} />
    </>
  )
}

interface MissingVariableProps {
  readonly place: StageSlugs
  readonly name: string
  readonly stage: string
}

function MissingVariable({ place, name, stage }: MissingVariableProps) {
  return (
    <>
      <PlannedNotice place={place} name={name} />
      <EmptyState icon={IconMissing} title={labels.missingTitle(name, stage)}>
        {labels.missingText(stage)}
      </EmptyState>
    </>
  )
}

interface PartProps {
  readonly title: string
  readonly children: ReactNode
}

function Part({ title, children }: PartProps) {
  const id = useId()
  return (
    <Stack component="section" gap="xs" aria-labelledby={id}>
      <Title id={id} order={3} size="h4">
        {title}
      </Title>
      {children}
    </Stack>
  )
}

interface UseProps {
  readonly place: StageSlugs
  readonly variable: Digested
}

/** Shows how programs read the variable. */
function Use({ place, variable }: UseProps) {
  const { publicUrl } = useSettings()
  const { orgSlug } = useScope()
  return (
    <Part title={labels.use}>
      <LastUse place={place} name={variable.name} />
      <CodeSnippet what={labels.useWhat(variable.name)} code={snippetsOf(variable, { ...place, publicUrl, orgSlug })} />
    </Part>
  )
}

interface LastUseProps {
  readonly place: StageSlugs
  readonly name: string
}

/** Says on which day the variable was last evaluated. */
function LastUse({ place, name }: LastUseProps) {
  const { data } = useQuery(usesQuery(useScope(), place))
  const use = data?.variables.find((each) => each.name === name)
  if (!use) return null
  const { lastEvaluatedDay: day } = use
  return (
    <Text size="sm" c="dimmed">
      {day === undefined ? labels.neverUsed : labels.lastUsed(utcDayText(Date.parse(day)))}
    </Text>
  )
}

interface DeleteButtonProps {
  readonly onClick: () => void
}

function DeleteButton({ onClick }: DeleteButtonProps) {
  return (
    <Button variant="default" c="var(--danger-text)" mr="auto" onClick={onClick}>
      {labels.delete}
    </Button>
  )
}

interface StageActionsProps extends Pick<StagePanelProps, 'shown' | 'declared'> {
  readonly place: StageSlugs
  readonly mayRotate: boolean
}

/** Offers what only a secret or only a roll has. */
function StageActions({ place, shown: { stage, variable, revision }, declared, mayRotate }: StageActionsProps) {
  if (mayRotate && isRotatable(variable)) return <RotateButton {...{ place, stage, variable, declared, revision }} />
  return variable?.kind === 'ab_roll' && !variable.rotating && <RollLink place={place} name={variable.name} />
}

interface RollLinkProps {
  readonly place: StageSlugs
  readonly name: string
}

function RollLink({ place: { projectSlug, stageSlug: stage }, name }: RollLinkProps) {
  return (
    <ButtonLink
      variant="default"
      from="/o/$orgSlug"
      to="./p/$projectSlug/roll"
      params={{ projectSlug }}
      search={{ stage, name }}
    >
      {labels.openRoll}
    </ButtonLink>
  )
}

interface EditFormProps {
  readonly place: StageSlugs
  readonly name: string
  /** The stages as they were when the form opened. */
  readonly stages: readonly VariableInStage[]
  readonly declared: Declaration | undefined
  /** The unsaved change of the stage, or its stored entry if the person sees its values. */
  readonly known: RevealedEntry | WriteEntry | undefined
  readonly onDone: () => void
  readonly onCancel: () => void
}

const noNames: ReadonlySet<string> = new Set()

/** Changes a variable, or adds it to a stage where it is missing. Hidden values stay hidden, and entered ones replace them. */
function EditForm({ place, name, stages, declared, known, onDone, onCancel }: EditFormProps) {
  const { stageSlug } = place
  const opened = stages.find(({ stage }) => stage.stageSlug === stageSlug)
  const like =
    opened?.variable ?? stages.find(({ variable }) => variable)?.variable ?? (declared && likeDeclared(declared))
  // An edited value is not masked again.
  const [initial] = useState(() =>
    known ? draftOf(known, [stageSlug], opened?.variable) : newDraft(name, [stageSlug], like),
  )
  const [areKnown] = useState(known !== undefined)
  return (
    <Stack gap="md">
      <PlannedNotice place={place} name={name} />
      {!opened?.variable && <CopyInstead place={place} name={name} stages={stages} />}
      <VariableForm
        projectSlug={place.projectSlug}
        stages={stages.map((each) => ({ ...each, takenNames: noNames }))}
        initial={initial}
        areKnown={areKnown}
        opened={opened?.variable && opened}
        onDone={onDone}
        onCancel={onCancel}
      />
    </Stack>
  )
}

interface CopyInsteadProps {
  readonly place: StageSlugs
  readonly name: string
  readonly stages: readonly VariableInStage[]
}

/** Leads from a variable that is missing to the copy of it from a stage that has it. */
function CopyInstead({ place: { projectSlug, stageSlug: to }, name, stages }: CopyInsteadProps) {
  const may = useMay()
  const openCopy = useOpenCopy(projectSlug)
  // What production has is for production.
  const source = stages.find(
    ({ variable, stage: { stageSlug, isProduction } }) =>
      variable && !isProduction && may('read', { projectSlug, stageSlug }),
  )?.stage
  if (!source) return undefined
  return (
    <Button
      variant="default"
      w="fit-content"
      leftSection={<IconSwitch />}
      onClick={() => openCopy(source.stageSlug, to, [name])}
    >
      {labels.copyFrom(source.name)}
    </Button>
  )
}
