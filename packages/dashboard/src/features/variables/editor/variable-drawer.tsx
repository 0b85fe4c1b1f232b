import type { Project } from '@rollkey/sdk/core'
import { ActionIcon, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Digested } from '@rollkey/contract'
import { type Declaration, limits } from '@rollkey/contract/rules'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import { useLocation, useNavigate, useSearch } from '@tanstack/react-router'
import { useScope } from '../../../session/scope.ts'
import { hasCode } from '../../../service/errors.ts'
import { BusyButton } from '../../../ui/buttons.tsx'
import { ErrorNotice } from '../../../ui/notice.tsx'
import { FormDrawer, useUnsaved } from '../../../ui/form.tsx'
import { IconCopyButton } from '../../../ui/copy.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { IconEdit, IconMissing } from '../../../ui/icons.ts'
import { KindIcon } from '../../../ui/status.tsx'
import { RowsSkeleton } from '../../../ui/loading.tsx'
import { Name } from '../../../ui/name.tsx'
import { useChanges } from '../../../data/unsaved-changes/changes-context.ts'
import { useProjectWhere } from '../../../data/projects/queries.ts'
import { seenKindOf, typeNames } from '../../../data/variables/labels.ts'
import { useProposing } from '../../../parts/proposing/use-proposing.tsx'
import { isIn, useSave } from '../../../data/variables/use-save.ts'
import { declarationsQuery } from '../../../data/declarations.ts'
import { inStages, useStageContents, type VariableInStage } from '../../../data/variables/queries.ts'
import { projectSearch } from '../project-search.ts'
import { labels } from './labels.ts'
import { SaveFailures } from './save-failures.tsx'
import { DeclaredLine } from './declared-line.tsx'
import { StagePanel } from './stage-panel.tsx'
import { StageTabs } from './stage-tabs.tsx'
import { TemplateLinks } from './template-links.tsx'
import { newDraft, usualStages, withKind } from './draft.ts'
import { VariableForm } from './variable-form.tsx'

interface VariableDrawerProps {
  readonly project: Project
  /** Runs when it closed, with the variable that it showed or created. Absent: none, and the focus was nowhere before. */
  readonly onClosed: (target?: Required<Target>) => void
}

/** Shows the variable that the address names, or a new one. */
export function VariableDrawer({ project, onClosed }: VariableDrawerProps) {
  const { target, startsEditing, open, close } = useOpenVariable()
  const name = target?.name
  const setCreated = useFocusAfter(target, onClosed)
  return (
    <FormDrawer
      opened={target !== undefined}
      onClose={close}
      returnFocus={false}
      title={name === undefined ? labels.newTitle : <Name>{name}</Name>}
      titleAction={name !== undefined && <IconCopyButton value={name} label={labels.copyName} />}
    >
      {target && name === undefined && (
        <NewVariable project={project} onCreated={setCreated} onOpen={open} onClose={close} />
      )}
      {target && name !== undefined && (
        <OpenVariable
          key={name}
          project={project}
          name={name}
          target={target}
          startsEditing={startsEditing}
          onOpen={open}
          onClose={close}
        />
      )}
    </FormDrawer>
  )
}

/**
 * Moves the focus when the drawer closes: to its variable in the table, which may have another stage or even be a new one;
 * without one, back to where it was. Returns a function that takes the name of a created variable.
 */
function useFocusAfter(target: Target | undefined, onClosed: VariableDrawerProps['onClosed']): (name: string) => void {
  const { name, stageSlug } = target ?? {}
  const created = useRef('')
  const opener = useRef<Element>(null)
  const shown = useRef<Target>(undefined)
  const close = useEffectEvent(({ name: shownName = created.current, stageSlug: slug }: Target) => {
    if (shownName !== '') onClosed({ name: shownName, stageSlug: slug })
    else if (opener.current instanceof HTMLElement && opener.current !== document.body) opener.current.focus()
    else onClosed()
  })
  useLayoutEffect(() => {
    const before = shown.current
    shown.current = stageSlug === undefined ? undefined : { stageSlug, ...(name !== undefined && { name }) }
    if (shown.current && !before) {
      opener.current = document.activeElement
      created.current = ''
    }
    if (before && !shown.current) close(before)
  }, [name, stageSlug])
  return useCallback((createdName: string) => {
    created.current = createdName
  }, [])
}

interface OpenVariableProps {
  readonly project: Project
  readonly name: string
  readonly target: Target
  /** Whether it starts in its form. */
  readonly startsEditing: boolean
  readonly onOpen: ReturnType<typeof useOpenVariable>['open']
  readonly onClose: () => void
}

function OpenVariable(props: OpenVariableProps) {
  const { project, name, target, startsEditing } = props
  const { stages, error } = useStageContents(project)
  const read = stages && inStages(stages, name)
  const declarations = useQuery(declarationsQuery(useScope(), project.projectSlug))
  // Of what no stage has, only the declaration says whether it is one of the project.
  const inAll = read?.some(({ variable }) => variable) || !declarations.isPending ? read : undefined
  const declared = declarations.data?.find((each) => each.name === name)
  const shown = inAll?.find(({ stage }) => stage.stageSlug === target.stageSlug)
  // A form focuses its first field itself.
  const writable = useWritableSlugs(project)
  const isForm = shown !== undefined && (startsEditing || !shown.variable) && writable.has(shown.stage.stageSlug)
  return (
    <div
      className="focused-part"
      role="group"
      aria-label={labels.detailsOf(name)}
      tabIndex={-1}
      data-autofocus={!isForm || undefined}
    >
      {/* The banner tells that the server is lost, and a form why it did not save. */}
      <ErrorNotice error={inAll && hasCode(error, 'UNREACHABLE') ? null : error} />
      {!inAll && !error && <RowsSkeleton />}
      {inAll && <VariableContent {...props} stages={inAll} declared={declared} />}
    </div>
  )
}

interface VariableContentProps extends OpenVariableProps {
  readonly stages: readonly VariableInStage[]
  /** What the project expects of it. Undefined: nothing, or it is not known yet. */
  readonly declared: Declaration | undefined
}

function VariableContent(props: VariableContentProps) {
  const { project, name, target, startsEditing, stages, declared, onOpen, onClose } = props
  const { pending } = useChanges()
  const known = stages.filter(({ variable }) => variable)
  const [chosen, setChosen] = useState<string>()
  // The input stays, even if others delete the variable in the meantime.
  const [exists] = useState(
    declared !== undefined || known.length > 0 || pending.some((change) => change.name === name && change.entry),
  )
  const shown = stages.find(({ stage }) => stage.stageSlug === target.stageSlug) ?? stages[0]
  if (!shown || !exists) return <UnknownVariable name={name} onClose={onClose} />
  const { stageSlug } = shown.stage
  const show = (slug: string): void => {
    setChosen(slug)
    onOpen({ name, stageSlug: slug }, { replace: true })
  }
  return (
    <Stack gap="md" className="wrapping">
      <StagePanel
        key={stageSlug}
        project={project}
        name={name}
        shown={shown}
        stages={stages}
        declared={declared}
        startsEditing={startsEditing}
        onClose={onClose}
      >
        <Head project={project} variable={shown.variable ?? known[0]?.variable} stages={stages} name={name} />
        <DeclaredLine project={project} name={name} />
        <TemplateLinks
          project={project}
          name={name}
          stageSlug={stageSlug}
          onOpen={(next) => onOpen({ name: next, stageSlug })}
        />
        <StageTabs
          project={project}
          name={name}
          stages={stages}
          shown={stageSlug}
          takesFocus={chosen === stageSlug}
          onShow={show}
        />
      </StagePanel>
    </Stack>
  )
}

/** Returns the slugs of the stages that the viewer may change: none if the project is archived. */
function useWritableSlugs(project: Project): ReadonlySet<string> {
  const { stages } = useProjectWhere(project, 'write')
  return new Set(project.archivedAtMs === undefined ? stages.map(({ stageSlug }) => stageSlug) : [])
}

interface UnknownVariableProps {
  readonly name: string
  readonly onClose: () => void
}

function UnknownVariable({ name, onClose }: UnknownVariableProps) {
  return (
    <EmptyState
      icon={IconMissing}
      title={labels.unknown(name)}
      action={
        <Button variant="default" onClick={onClose}>
          {labels.backToTable}
        </Button>
      }
    >
      {labels.unknownText}
    </EmptyState>
  )
}

interface HeadProps {
  readonly project: Project
  readonly name: string
  /** The variable in the shown stage, or in the first that has it. Absent: it is not saved yet. */
  readonly variable: Digested | undefined
  readonly stages: readonly VariableInStage[]
}

/** Shows the name, kind, type and description of the variable. */
function Head({ project, name, variable, stages }: HeadProps) {
  const writable = useWritableSlugs(project)
  if (!variable) return null
  const { kind, declaredType, exposure = 'secret', rotating } = variable
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <KindIcon kind={seenKindOf(variable)} />
        <Text size="sm" c="dimmed">
          {rotating ? labels.rotating : labels.kinds[kind](exposure)} ·{' '}
          {declaredType === undefined ? labels.untyped : typeNames[declaredType]}
        </Text>
      </Group>
      <Description
        key={variable.description}
        projectSlug={project.projectSlug}
        name={name}
        text={variable.description ?? ''}
        stages={stages}
        isReadOnly={stages.some((each) => each.variable && !writable.has(each.stage.stageSlug))}
      />
    </Stack>
  )
}

interface DescriptionProps {
  readonly projectSlug: string
  readonly name: string
  readonly text: string
  readonly stages: readonly VariableInStage[]
  readonly isReadOnly: boolean
}

/** Edits the description in place, in all stages that have the variable. */
function Description({ projectSlug, name, text, stages, isReadOnly }: DescriptionProps) {
  const [isEditing, { open, close }] = useDisclosure()
  if (isEditing) {
    return <DescriptionForm projectSlug={projectSlug} name={name} text={text} stages={stages} onClose={close} />
  }
  if (isReadOnly) return text === '' ? null : <Text size="sm">{text}</Text>
  return text === '' ? (
    <Group>
      <Button size="compact-sm" variant="subtle" color="gray" ml={-8} onClick={open}>
        {labels.noDescription}
      </Button>
    </Group>
  ) : (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <Text size="sm" className="wrapping">
        {text}
      </Text>
      {/* Where the pointer is a finger, it is higher than the line, and beside the first one nevertheless. */}
      <ActionIcon
        size="sm"
        m="calc((1.25rem - var(--ai-size-sm)) / 2)"
        aria-label={labels.editDescription}
        onClick={open}
      >
        <IconEdit size={14} />
      </ActionIcon>
    </Group>
  )
}

interface DescriptionFormProps extends Omit<DescriptionProps, 'isReadOnly'> {
  readonly onClose: () => void
}

function DescriptionForm({ projectSlug, name, text, stages, onClose }: DescriptionFormProps) {
  const [typed, setTyped] = useState(text)
  const changed = stages
    .filter(({ variable }) => variable && (variable.description ?? '') !== typed)
    .map(({ stage }) => stage)
  const save = useSave({
    textOf: (saved) =>
      labels.descriptionSaved(
        name,
        changed.filter(({ stageSlug }) => isIn(saved, { projectSlug, stageSlug })),
      ),
    onSaved: onClose,
  })
  const proposing = useProposing(projectSlug, changed)
  useUnsaved(typed !== text)
  const saveAll = (): void =>
    save.mutate(
      stages.flatMap(({ stage: { stageSlug }, variable, revision }) => {
        const place = { projectSlug, stageSlug }
        const content = { updates: [{ name, description: typed }] }
        return variable && (variable.description ?? '') !== typed
          ? [{ place, content, seen: save.seenNow(place, revision), reason: proposing.reasonIn(stageSlug) }]
          : []
      }),
    )
  return (
    <Stack gap="xs">
      <Textarea
        label={labels.description}
        minRows={2}
        maxLength={limits.descriptionCharacters}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        ref={focusInput}
      />
      {proposing.notice}
      {proposing.reasonField}
      <SaveFailures save={save} stages={stages} />
      <Group gap="xs" justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {labels.cancel}
        </Button>
        <BusyButton disabled={typed === text} isBusy={save.isPending} onClick={() => proposing.check() && saveAll()}>
          {proposing.label(changed, labels.save)}
        </BusyButton>
      </Group>
    </Stack>
  )
}

/** The same function each time, so that React calls it only once. */
function focusInput(input: HTMLElement | null): void {
  input?.focus()
}

interface NewVariableProps {
  readonly project: Project
  readonly onCreated: (name: string) => void
  readonly onOpen: OpenTarget
  readonly onClose: () => void
}

/** Creates a variable. Production gets it only when the person says so. */
function NewVariable({ project, onCreated, onOpen, onClose }: NewVariableProps) {
  const { stages, error } = useStageContents(useProjectWhere(project, 'write'))
  const { pending } = useChanges()
  const isRoll = useLocation({ select: ({ state }) => state.isRoll ?? false })
  if (!stages) return error ? <ErrorNotice error={error} /> : <RowsSkeleton />
  const draft = newDraft('', usualStages(stages.map(({ stage }) => stage)))
  return (
    <VariableForm
      projectSlug={project.projectSlug}
      stages={stages.map(({ stage, contents: { variables, revision } }) => ({
        stage,
        variable: undefined,
        revision,
        takenNames: new Set(
          [...variables, ...pending.filter(({ stageSlug }) => stageSlug === stage.stageSlug)].map(({ name }) => name),
        ),
        storedNames: new Set(variables.map(({ name }) => name)),
      }))}
      initial={isRoll ? withKind(draft, 'ab_roll', { declaredType: false, exposure: false }) : draft}
      isNew
      onDone={(name) => {
        onCreated(name)
        onClose()
      }}
      onCancel={onClose}
      onOpen={onOpen}
    />
  )
}

/** The content of the drawer: a variable in a stage, or a new one. */
export interface Target {
  readonly stageSlug: string
  readonly name?: string
}

interface OpenOptions {
  /** Whether the address replaces the present one in the browser's history. @default false */
  readonly replace?: boolean
  /** Whether the variable starts in its form. @default false */
  readonly isEditing?: boolean
  /** Whether a new variable starts as an A/B roll. @default false */
  readonly isRoll?: boolean
}

export type OpenTarget = (target: Target, options?: OpenOptions) => void

const projectPage = '/signed-in/o/$orgSlug/p/$projectSlug/'

/** Returns the variable that the address names, and functions that open another one or close it. */
export function useOpenVariable() {
  const name = useSearch({ from: projectPage, select: ({ variable }) => variable })
  const stageSlug = useSearch({ from: projectPage, select: ({ stage }) => stage })
  const startsEditing = useLocation({ select: ({ state }) => state.isEditing ?? false })
  const navigate = useNavigate({ from: '/o/$orgSlug/p/$projectSlug/' })
  const open = useCallback(
    (
      { stageSlug: stage, name: variable }: Target,
      { replace = false, isEditing = false, isRoll = false }: OpenOptions = {},
    ) =>
      void navigate({
        replace,
        search: (search) => projectSearch({ ...search, stage, variable }),
        state: { isEditing, isRoll },
        resetScroll: false,
      }),
    [navigate],
  )
  /** Closes without a question, because the caller asked or saved. */
  const close = useCallback(
    () =>
      void navigate({
        search: (search) => projectSearch({ ...search, variable: undefined, stage: undefined }),
        replace: true,
        resetScroll: false,
        ignoreBlocker: true,
      }),
    [navigate],
  )
  const target: Target | undefined =
    stageSlug === undefined ? undefined : { stageSlug, ...(name !== undefined && { name }) }
  return { target, startsEditing, open, close }
}
