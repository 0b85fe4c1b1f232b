import { Button, Menu, UnstyledButton, VisuallyHidden } from '@mantine/core'
import type { Place } from '@rollkey/contract/rules'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { relativeTime } from '../../lib/time.ts'
import { useCommands } from '../../ui/commands.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FilterBar, SearchInput } from '../../ui/filter-bar.tsx'
import { IconAdd, IconDown, IconPeople, IconSearch, IconTime } from '../../ui/icons.ts'
import { RowsSkeleton } from '../../ui/loading.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { StatusDot } from '../../ui/status.tsx'
import { useNow } from '../../ui/time.tsx'
import { useMay } from '../../session/permissions.ts'
import { ProtectedMark } from '../projects/protected-mark.tsx'
import { currentStages, type Project, type Stage } from '../projects/queries.ts'
import { labels as tableLabels } from '../variables/table/labels.ts'
import { WithProject } from '../projects/with-project.tsx'
import classes from './access.module.css'
import { GrantDrawer, type GrantTarget } from './grant-drawer.tsx'
import { labels } from './labels.ts'
import { type Cell, cellOf, hasAccess, keyOf, moreThanDirect, type Named, roleWithin, type Source } from './matrix.ts'
import { PrincipalName } from './principal-name.tsx'
import { ProtectionDialog } from './protect-dialog.tsx'
import { RequireVerb } from './require-verb.tsx'
import { sourceText } from './source-text.ts'
import { type ProjectAccess, useProjectAccess } from './use-project-access.ts'

const words = labels.access

/** Shows who may do what in a project, and lets those who manage it change that. */
export function AccessPage() {
  return <WithProject>{(project) => <AccessOf key={project.projectSlug} project={project} />}</WithProject>
}

interface AccessOfProps {
  readonly project: Project
}

function AccessOf({ project }: AccessOfProps) {
  const may = useMay()
  const { projectSlug } = project
  const stage = currentStages(project).find(({ stageSlug }) => may('manage', { projectSlug, stageSlug }))
  const [target, setTarget] = useState<GrantTarget>()
  const managed =
    may('manage', { projectSlug }) || !stage ? { projectSlug } : { projectSlug, stageSlug: stage.stageSlug }
  return (
    <Page
      title={words.title}
      width="full"
      lead={words.lead(project.name)}
      actions={may('manage', managed) && <GrantButton onOpen={() => setTarget({ place: managed })} />}
    >
      <RequireVerb verb="manage" at={managed} what={words.manage}>
        <Access project={project} target={target} onOpen={setTarget} />
      </RequireVerb>
    </Page>
  )
}

function GrantButton({ onOpen }: { readonly onOpen: () => void }) {
  useCommands([{ id: 'grant', label: labels.grant.button, keys: 'n', icon: IconAdd, run: onOpen }])
  return (
    <Button leftSection={<IconAdd />} onClick={onOpen}>
      {labels.grant.button}
    </Button>
  )
}

interface AccessProps extends AccessOfProps {
  readonly target: GrantTarget | undefined
  readonly onOpen: (target: GrantTarget | undefined) => void
}

function Access({ project, target, onOpen }: AccessProps) {
  const { access, error } = useProjectAccess(project)
  return (
    <>
      <ErrorNotice error={error} />
      {!access && !error && <RowsSkeleton rows={6} />}
      {access && <Principals access={access} onOpen={onOpen} />}
      {access && <GrantDrawer access={access} target={target} onClose={() => onOpen(undefined)} />}
    </>
  )
}

/** How many rows are drawn at first, and with each click on more. */
const rowsAtOnce = 100

interface PrincipalsProps {
  readonly access: ProjectAccess
  readonly onOpen: (target: GrantTarget) => void
}

function Principals({ access, onOpen }: PrincipalsProps) {
  const { search = '' } = useSearch({ from: '/signed-in/o/$orgSlug/p/$projectSlug/access' })
  const navigate = useNavigate({ from: '/o/$orgSlug/p/$projectSlug/access' })
  const [maxRows, setMaxRows] = useState(rowsAtOnce)
  const nowMs = useNow()
  const rows = useRows(access, nowMs)
  const found = useMemo(() => rows.filter(({ named }) => matches(named, search)), [rows, search])
  const shown = found.slice(0, maxRows)
  const filter = (text: string): void =>
    void navigate({ search: text === '' ? {} : { search: text }, replace: true, resetScroll: false })
  return (
    <>
      <FilterBar count={words.count(found.length, rows.length)}>
        <SearchInput label={words.filter} value={search} onChange={filter} />
      </FilterBar>
      {rows.length === 0 && (
        <EmptyState icon={IconPeople} title={words.none}>
          {words.noneText}
        </EmptyState>
      )}
      {rows.length > 0 && found.length === 0 && (
        <EmptyState
          icon={IconSearch}
          title={words.noMatch}
          action={
            <Button variant="default" onClick={() => filter('')}>
              {words.clear}
            </Button>
          }
        />
      )}
      {shown.length > 0 && <Matrix access={access} rows={shown} nowMs={nowMs} onOpen={onOpen} />}
      {shown.length < found.length && (
        <div>
          <Button variant="default" onClick={() => setMaxRows(maxRows + rowsAtOnce)}>
            {words.showMore(Math.min(rowsAtOnce, found.length - shown.length))}
          </Button>
        </div>
      )}
    </>
  )
}

function matches({ name, detail = '' }: Named, search: string): boolean {
  return `${name}\n${detail}`.toLowerCase().includes(search.trim().toLowerCase())
}

interface Row {
  readonly named: Named
  readonly sources: readonly Source[]
}

const kinds = ['group', 'user', 'email', 'token']

/** Returns everyone who sees something of the project: groups, people, then service tokens. */
function useRows({ project, named, sourcesOf }: ProjectAccess, nowMs: number): readonly Row[] {
  return useMemo(
    () =>
      named
        .map((each) => ({ named: each, sources: sourcesOf(each) }))
        .filter(({ sources }) => hasAccess(sources, { projectSlug: project.projectSlug }, nowMs))
        .toSorted((a, b) => kinds.indexOf(a.named.principal.kind) - kinds.indexOf(b.named.principal.kind)),
    [project.projectSlug, named, sourcesOf, nowMs],
  )
}

/** How many stages fit beside each other in most windows. */
const narrowStages = 5

interface MatrixProps extends PrincipalsProps {
  readonly rows: readonly Row[]
  readonly nowMs: number
}

function Matrix({ access, rows, nowMs, onOpen }: MatrixProps) {
  const { project, stages } = access
  const { projectSlug } = project
  const columnOf = (place: Place & { readonly isProtected?: boolean }, header: string): Column<Row> => ({
    key: place.stageSlug ?? '',
    header,
    cell: ({ named, sources }) => (
      <AccessCell
        named={named}
        placeName={header}
        cell={cellOf(sources, place, nowMs)}
        nowMs={nowMs}
        onOpen={() => onOpen({ named, place })}
      />
    ),
  })
  return (
    <div className={classes['matrix']} data-wide={stages.length > narrowStages || undefined}>
      <DataTable
        label={words.table}
        rows={rows}
        keyOf={({ named }) => keyOf(named.principal)}
        columns={[
          {
            key: 'who',
            header: words.who,
            cell: ({ named }) => (
              <UnstyledButton
                className={classes['who']}
                onClick={() => onOpen({ named, place: access.places[0] ?? {} })}
              >
                <PrincipalName named={named} groups={access.groups} />
              </UnstyledButton>
            ),
          },
          columnOf({ projectSlug }, words.project),
          ...stages.map((stage) => ({
            ...columnOf(
              { projectSlug, stageSlug: stage.stageSlug, isProtected: stage.isProtected === true },
              stage.name,
            ),
            headerContent: <StageHead projectSlug={projectSlug} stage={stage} />,
          })),
        ]}
      />
    </div>
  )
}

interface AccessCellProps {
  readonly named: Named
  readonly placeName: string
  readonly cell: Cell
  readonly nowMs: number
  readonly onOpen: () => void
}

/** Shows what is granted at the very place in strong letters, and what comes from elsewhere in quiet ones. */
function AccessCell({ named, placeName, cell, nowMs, onOpen }: AccessCellProps) {
  const { direct, inherited, verbs } = cell
  const { role, more } = direct ? { role: direct.role, more: moreThanDirect(cell) } : roleWithin(verbs)
  return (
    <button
      type="button"
      className={classes['cell']}
      data-direct={direct !== undefined || undefined}
      title={[...(direct ? [direct] : []), ...inherited].map((source) => sourceText(source)).join('\n') || undefined}
      onClick={onOpen}
    >
      <VisuallyHidden>{words.cell(named.name, placeName, direct !== undefined)}</VisuallyHidden>
      <span className={classes[role === undefined ? 'none' : 'role']}>{role ?? words.nothing}</span>
      {direct?.expiresAtMs !== undefined && (
        <span className={classes['until']}>
          <IconTime size={14} />
          {relativeTime(direct.expiresAtMs, nowMs)}
        </span>
      )}
      {more.length > 0 && <span className={classes['more']}>{words.more(more)}</span>}
    </button>
  )
}

interface StageHeadProps {
  readonly projectSlug: string
  readonly stage: Stage
}

/** Shows the name of a stage, whether it is protected, and what can be done about that. */
function StageHead({ projectSlug, stage }: StageHeadProps) {
  const { stageSlug, name, isProduction, isProtected = false } = stage
  const [isAsking, setAsking] = useState(false)
  const navigate = useNavigate({ from: '/o/$orgSlug' })
  return (
    <>
      <Menu withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <UnstyledButton className={classes['stage']} aria-label={words.stageMenu(name, isProtected)}>
            {name}
            <ProtectedMark isProtected={isProtected} />
            {isProduction && <StatusDot status="production">{words.production}</StatusDot>}
            <IconDown size={14} />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setAsking(true)}>
            {isProtected ? tableLabels.unprotect : tableLabels.protect(name)}
          </Menu.Item>
          <Menu.Item
            onClick={() =>
              void navigate({
                to: './p/$projectSlug/access/holders',
                params: { projectSlug },
                search: { stage: stageSlug },
              })
            }
          >
            {words.holders}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ProtectionDialog
        key={String(isProtected)}
        projectSlug={projectSlug}
        stage={stage}
        opened={isAsking}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
