import type { Project, Stage } from '@rollkey/sdk/core'
import { Badge, Button, Group, Text } from '@mantine/core'
import type { Declaration } from '@rollkey/contract/rules'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { memo, type Ref, useCallback, useDeferredValue, useMemo, useRef, useState } from 'react'
import { useDebouncedCallback } from '@mantine/hooks'
import { Page } from '../../../ui/page.tsx'
import { focusHeading } from '../../../ui/focus.ts'
import { hasCode } from '../../../service/errors.ts'
import { useMay } from '../../../session/permissions.ts'
import { useScope } from '../../../session/scope.ts'
import { ProductionNotice } from '../../../parts/projects/production-notice.tsx'
import { WithProject } from '../../../parts/projects/with-project.tsx'
import { LeaveDialog } from '../../../ui/form.tsx'
import { ErrorNotice } from '../../../ui/notice.tsx'
import { RowsSkeleton } from '../../../ui/loading.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { IconCopy, IconFilter, IconSecret, IconStage, IconSwitch } from '../../../ui/icons.ts'
import { useSettings } from '../../../session/settings.ts'
import { useChanges } from '../../../data/unsaved-changes/changes-context.ts'
import { withNewRows } from '../../../data/unsaved-changes/change-set.ts'
import { currentStages } from '../../../data/projects/queries.ts'
import { useWaitingProposals, type WaitingProposals } from '../../../data/proposals/queries.ts'
import { useOpenCopy } from '../copy/promotions.ts'
import { type OpenTarget, useOpenVariable, VariableDrawer } from '../editor/variable-drawer.tsx'
import { declarationsQuery } from '../../../data/declarations.ts'
import { useComparison, useUnused } from '../../../data/variables/queries.ts'
import {
  type Filling,
  fillingsOf,
  missingInProduction,
  needsVariable,
  type Row,
  withDeclaredRows,
} from '../../../data/variables/comparison.ts'
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx'
import { projectSearch, type ProjectSearch } from '../project-search.ts'
import { labels } from './labels.ts'
import { NewStageButton, NewVariableButton, PasteButton, ProjectActions, useWritable } from './project-actions.tsx'
import { CellHints, useCellHint } from './cell-hints.tsx'
import { LockedStages } from './locked-stages.tsx'
import { usePlainValues } from '../plain-values.ts'
import { CellActionsContext, type CopyPlace, type PlainQuestion, useCells } from './use-cell-actions.ts'
import { filtered, noFilters, sorted, type View } from './table-view.ts'
import { SelectionBar, useSelection } from './selection-bar.tsx'
import { type Counts, Toolbar, useTablePreferences } from './toolbar.tsx'
import { type GridHandle, VariablesGrid } from './variables-grid.tsx'
import { commandLines } from '../../../ui/copy.tsx'
import { Modal } from '../../../ui/dialog.tsx'
import { StopDialog } from '../../../parts/rolls/stop-dialog.tsx'

export function ProjectPage() {
  const { orgSlug } = useScope()
  return (
    <WithProject>
      {(project) => (
        <Page
          title={project.name}
          width="full"
          lead={project.archivedAtMs === undefined ? undefined : <Badge>{labels.archived}</Badge>}
          actions={<ProjectActions project={project} />}
        >
          <ProjectTable key={`${orgSlug}/${project.projectSlug}`} project={project} />
        </Page>
      )}
    </WithProject>
  )
}

interface ProjectTableProps {
  readonly project: Project
}

/** How long a pause is before typed text becomes part of the address. */
const typingMs = 300

/** Shows the variables of a project by stage, with their actions. */
function ProjectTable({ project }: ProjectTableProps) {
  const { rows, error } = useRows(project)
  const onSearch = useChangeAddress()
  const stages = useMemo(() => currentStages(project), [project])
  const { open, close } = useOpenVariable()
  const grid = useRef<GridHandle>(null)
  return (
    <>
      {/* The banner tells that the server is lost. */}
      <ErrorNotice error={rows && hasCode(error, 'UNREACHABLE') ? null : error} />
      {!rows && !error && <RowsSkeleton rows={12} />}
      {rows?.length === 0 && <NoVariables project={project} stageSlug={stages[0]?.stageSlug} />}
      {rows && rows.length > 0 && (
        <Table
          project={project}
          stages={stages}
          rows={rows}
          onSearch={onSearch}
          onOpen={open}
          onClose={close}
          grid={grid}
        />
      )}
      <VariableDrawer
        project={project}
        onClosed={(target) => (grid.current ? grid.current.focusCell(target) : focusHeading())}
      />
    </>
  )
}

/** Returns the variables of a project, including those that are not saved yet, or that it only declares. */
function useRows(project: Project) {
  const { pending } = useChanges()
  const { rows: stored, error } = useComparison(project)
  const stages = currentStages(project).length
  // The first rows do not wait for it, unless they may be the only ones.
  const declared = useQuery({ ...declarationsQuery(useScope(), project.projectSlug), enabled: stored !== undefined })
  const declarations = declared.data ?? (stored?.length === 0 && declared.isPending ? undefined : none)
  const rows = useMemo(
    () => stored && declarations && withDeclaredRows(withNewRows(stored, pending, stages), declarations, stages),
    [stored, pending, declarations, stages],
  )
  return { rows, error }
}

const none: readonly Declaration[] = []

interface TableProps {
  readonly project: Project
  readonly stages: readonly Stage[]
  readonly rows: readonly Row[]
  readonly onSearch: (more: ProjectSearch) => void
  readonly onOpen: OpenTarget
  readonly onClose: () => void
  readonly grid: Ref<GridHandle>
}

/** Renders only when the table changes, and not when a variable is opened. */
const Table = memo(function Table({ project, stages, rows, onSearch, onOpen, onClose, grid }: TableProps) {
  const { projectSlug } = project
  const view = useView()
  const [text, setText] = useText(onSearch)
  const waiting = useWaitingProposals(projectSlug)
  const fillings = useMemo(() => fillingsOf(stages.length, rows), [stages, rows])
  const found = useFound({ rows, view, text, project, stages, fillings, waiting })
  const [preferences, setPreferences] = useTablePreferences(projectSlug)
  const shownStages = useShownStages({ project, stages, rows, fillings, waiting }, preferences.hiddenStages)
  const selection = useSelection(found)
  const plain = usePlainValues(projectSlug, stages, rows)
  const cells = useCells({ project, stages, rows, plain, onOpen, onClose })
  const factsOf = useCellHint(stages, rows, cells.visibleIn, projectSlug, waiting)
  const missing = useMemo(() => missingInProduction(stages, rows, waiting), [stages, rows, waiting])
  const clear = (): void => {
    setText('')
    onSearch({ ...noFilters, search: undefined })
  }
  return (
    <div>
      {selection.selected.size > 0 && project.archivedAtMs === undefined ? (
        <SelectionBar project={project} selected={selection.selected} onClear={selection.clear} />
      ) : (
        <Toolbar
          {...{ project, stages, text, view, preferences, missing }}
          counts={countsOf(found, rows)}
          selection={project.archivedAtMs === undefined ? selection : undefined}
          onText={setText}
          onView={onSearch}
          onPreferences={setPreferences}
        >
          <NewProduction {...{ project, stages, fillings }} />
        </Toolbar>
      )}
      <LockedStages projectSlug={projectSlug} stages={stages.filter((_, at) => plain[at]?.isLocked)} />
      <CellHints factsOf={factsOf}>
        <CellActionsContext value={cells.actions}>
          <VariablesGrid
            ref={grid}
            project={project}
            stages={shownStages}
            rows={found}
            sort={view.sort ?? 'name'}
            onSort={(sort) => onSearch({ sort })}
            preferences={preferences}
            selection={selection}
            plain={plain}
            waiting={waiting}
            cells={cells}
          />
        </CellActionsContext>
      </CellHints>
      {found.length === 0 && <NoMatches onClear={clear} />}
      <CellDialogs cells={cells} />
    </div>
  )
})

function countsOf(found: readonly Row[], rows: readonly Row[]): Counts {
  const shown = storedCount(found)
  return { shown, all: storedCount(rows), declared: found.length - shown }
}

/** Returns how many of the rows some stage has, or will have once a change is saved. */
function storedCount(rows: readonly Row[]): number {
  return rows.filter(({ declared }) => !declared).length
}

type Fillings = ReturnType<typeof fillingsOf>

interface NewProductionProps {
  readonly project: Project
  readonly stages: readonly Stage[]
  readonly fillings: Fillings
}

/** Offers to fill the production stages that are still new, instead of an alarm in each cell. */
function NewProduction({ project, stages, fillings }: NewProductionProps) {
  const may = useMay()
  const { projectSlug } = project
  const openCopy = useOpenCopy(projectSlug)
  const source = stages.find(({ stageSlug }, at) => !fillings[at] && may('read', { projectSlug, stageSlug }))
  const mayFill = ({ stageSlug }: Stage): boolean =>
    project.archivedAtMs === undefined && may('write', { projectSlug, stageSlug })
  return (
    <>
      {stages.map((stage, at) => {
        if (!stage.isProduction || !fillings[at] || !source || !mayFill(stage)) return null
        return (
          <Button
            key={stage.stageSlug}
            variant="default"
            leftSection={<IconSwitch />}
            onClick={() => openCopy(source.stageSlug, stage.stageSlug, 'missing')}
          >
            {labels.fillFrom(source.name, stage.name)}
          </Button>
        )
      })}
    </>
  )
}

/** Shows the questions of the actions of cells. */
function CellDialogs({ cells }: { readonly cells: ReturnType<typeof useCells> }) {
  return (
    <>
      <PlainDialog question={cells.question} onAnswer={cells.answer} />
      <LeaveDialog
        opened={cells.isDiscarding}
        onDiscard={() => cells.discard(true)}
        onStay={() => cells.discard(false)}
      />
      <CopySideDialog place={cells.copying} onChoose={cells.copySide} />
      <StopDialog roll={cells.stopping} onClose={cells.endStopping} />
    </>
  )
}

/** Returns the stages that have a column, with what the viewer may do there. */
function useShownStages(
  { project, stages, rows, fillings, waiting }: Pick<Found, 'project' | 'stages' | 'rows' | 'fillings' | 'waiting'>,
  hiddenSlugs: readonly string[],
) {
  const may = useMay()
  const { projectSlug, archivedAtMs } = project
  const isCurrent = archivedAtMs === undefined
  return useMemo(
    () =>
      stages
        .map((stage, at) => {
          const place = { projectSlug, stageSlug: stage.stageSlug }
          return {
            stage,
            at,
            filling: withProposed(fillings[at], rows, at, waiting.get(stage.stageSlug)),
            mayRead: may('read', place),
            mayWrite: isCurrent && may('write', place),
          }
        })
        .filter(({ stage }) => !hiddenSlugs.includes(stage.stageSlug)),
    [stages, rows, fillings, waiting, hiddenSlugs, may, projectSlug, isCurrent],
  )
}

/** Returns how far a stage is filled, with how many of the names that it lacks are proposed. */
function withProposed(
  filling: Filling | undefined,
  rows: readonly Row[],
  at: number,
  proposed?: { has(name: string): boolean },
): Filling | undefined {
  if (!filling || !proposed) return filling
  const lacks = ({ name, cells }: Row): boolean => cells[at]?.state === 'missing' && proposed.has(name)
  return { ...filling, proposed: rows.filter(lacks).length }
}

/** Returns the typed text, which becomes part of the address a moment later. */
function useText(onSearch: TableProps['onSearch']) {
  const initial = useSearch({ from: page, select: ({ search }) => search })
  const [text, setText] = useState(initial ?? '')
  const remember = useDebouncedCallback((next: string) => onSearch({ search: next || undefined }), typingMs)
  const change = (next: string): void => {
    setText(next)
    remember(next)
  }
  return [text, change] as const
}

/** Returns the shown rows, in their order. */
interface Found extends Pick<TableProps, 'rows' | 'project' | 'stages'> {
  readonly view: View
  readonly text: string
  readonly fillings: Fillings
  readonly waiting: WaitingProposals
}

function useFound({ rows, view, text, project, stages, fillings, waiting }: Found): readonly Row[] {
  const unused = useUnused(project, view.status === 'unused')
  const wanted = useDeferredValue(text)
  const { pending } = useChanges()
  return useMemo(() => {
    const drafts = new Set(pending.map(({ name }) => name))
    const proposed = new Set([...waiting.values()].flatMap((proposals) => [...proposals.keys()]))
    const isNeeded = ({ declared }: Row, at: number): boolean => {
      const stage = stages[at]
      return stage !== undefined && needsVariable(stage, fillings[at], declared)
    }
    const found = filtered(rows, { filters: view, text: wanted, stages, drafts, proposed, unused })
    return sorted(found, view.sort, isNeeded)
  }, [rows, view, wanted, stages, fillings, pending, waiting, unused])
}

const page = '/signed-in/o/$orgSlug/p/$projectSlug/'

/** Returns the filters and the order that the address names, as the same object while they stay the same. */
function useView(): View {
  return useSearch({
    from: page,
    select: ({ kind, type, status, missing, sort }) => ({ kind, type, status, missing, sort }),
    structuralSharing: true,
  })
}

/** Returns a function that changes some of the search parameters of the page. */
function useChangeAddress(): (more: ProjectSearch) => void {
  const navigate = useNavigate({ from: '/o/$orgSlug/p/$projectSlug/' })
  return useCallback(
    (more: ProjectSearch) =>
      void navigate({ search: (now) => projectSearch({ ...now, ...more }), replace: true, resetScroll: false }),
    [navigate],
  )
}

interface NoVariablesProps {
  readonly project: Project
  readonly stageSlug: string | undefined
}

/** Explains how to fill an empty project. */
function NoVariables({ project, stageSlug }: NoVariablesProps) {
  const { publicUrl } = useSettings()
  const { projectSlug, archivedAtMs } = project
  const may = useMay()
  const writable = currentStages(useWritable(project))[0]
  const command = `import .env --create \\\n  --url ${publicUrl} --project ${projectSlug} --stage ${writable?.stageSlug ?? 'dev'}`
  return (
    <EmptyState
      icon={stageSlug === undefined ? IconStage : IconSecret}
      title={stageSlug === undefined ? labels.noStages : labels.noVariables}
      action={
        stageSlug === undefined
          ? archivedAtMs === undefined && may('write', { projectSlug }) && <NewStageButton projectSlug={projectSlug} />
          : writable && (
              <Group gap="xs">
                <PasteButton projectSlug={projectSlug} />
                <NewVariableButton stageSlug={writable.stageSlug} variant="default" />
              </Group>
            )
      }
      {...(writable && { command: { what: labels.importCommand, text: commandLines([command]) } })}
    >
      {stageSlug === undefined ? labels.noStagesText : labels.noVariablesText}
    </EmptyState>
  )
}

interface NoMatchesProps {
  readonly onClear: () => void
}

function NoMatches({ onClear }: NoMatchesProps) {
  return (
    <EmptyState
      icon={IconFilter}
      title={labels.noMatch}
      action={
        <Button variant="default" onClick={onClear}>
          {labels.clearFilters}
        </Button>
      }
    >
      {labels.noMatchText}
    </EmptyState>
  )
}

interface CopySideDialogProps {
  /** The roll whose value is to be copied. */
  readonly place: CopyPlace | undefined
  /** Ends the choice. Without a side, nothing is copied. */
  readonly onChoose: (side?: 'A' | 'B') => void
}

/** Asks which of the two values of a roll to copy. */
function CopySideDialog({ place, onChoose }: CopySideDialogProps) {
  return (
    <Modal
      opened={place !== undefined}
      onClose={() => onChoose()}
      title={labels.copySideTitle(place?.target.name ?? '', place?.stageName ?? '')}
    >
      <Group grow>
        <Button variant="default" leftSection={<IconCopy />} onClick={() => onChoose('A')} data-autofocus>
          {labels.copySide('A')}
        </Button>
        <Button variant="default" leftSection={<IconCopy />} onClick={() => onChoose('B')}>
          {labels.copySide('B')}
        </Button>
      </Group>
    </Modal>
  )
}

interface PlainDialogProps {
  readonly question: PlainQuestion | undefined
  readonly onAnswer: (isConfirmed: boolean) => void
}

/** Asks before a plain value is changed in a cell of production. */
function PlainDialog({ question, onAnswer }: PlainDialogProps) {
  const { target, stage, before, value = '' } = question ?? {}
  const stageName = stage?.name ?? ''
  const isSwitch = before?.declaredType === 'boolean'
  const name = target?.name ?? ''
  return (
    <ConfirmDialog
      title={isSwitch ? labels.switchTitle(name, stageName, value === 'true') : labels.changeTitle(name, stageName)}
      label={isSwitch ? labels.switchButton(stageName, value === 'true') : labels.changeButton(stageName)}
      isDangerous={false}
      mutation={{ mutate: () => onAnswer(true), error: null, isPending: false }}
      opened={question !== undefined}
      onClose={() => onAnswer(false)}
    >
      {!isSwitch && (
        <Text className="mono wrapping" mb="xs">
          {labels.transition(before?.value ?? '', value)}
        </Text>
      )}
      <ProductionNotice stage={stageName} />
    </ConfirmDialog>
  )
}
