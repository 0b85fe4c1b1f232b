import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Place } from '@rollkey/contract/rules'
import type { StageSlugs } from '@rollkey/sdk/core'
import { useQuery, type UseQueryOptions } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useExampleStage } from '../../data/projects/queries.ts'
import { useMay, useMayAnywhere } from '../../session/permissions.ts'
import { useCommands } from '../../ui/commands.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Filter, FilterBar } from '../../ui/filter-bar.tsx'
import { IconAdd, IconFilter, IconToken } from '../../ui/icons.ts'
import { LoadError, RowsSkeleton } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { RequireVerb } from '../access/require-verb.tsx'
import { labels } from './labels.ts'
import { useListedProject } from './use-listed-project.ts'

interface Credential {
  readonly id: string
  /** Absent: it is about the whole organization. */
  readonly projectSlug?: string | undefined
  readonly lastUsedAtMs?: number | undefined
}

interface CredentialListProps<Each extends Credential> {
  readonly words: {
    readonly title: string
    readonly none: string
    /** What to do next where there is none yet, also as a command. */
    readonly noneNext: string
    readonly noneCommand: string
    readonly noneCommandText: (example: StageSlugs) => string
  }
  /** Reads those that the viewer manages. */
  readonly query: UseQueryOptions<readonly Each[], Error, readonly Each[], string[]>
  readonly columns: readonly Column<Each>[]
}

interface CredentialsPageProps<Each extends Credential> extends CredentialListProps<Each> {
  readonly words: CredentialListProps<Each>['words'] & {
    readonly lead: string
    /** What the page is for, such as "manage service tokens". */
    readonly manage: string
    readonly create: { readonly button: string }
  }
  /** Id of the command that opens the form. */
  readonly command: string
  /** Where one must manage to see the list. @default any place */
  readonly at?: Place | 'anywhere'
  /** Returns the form that creates one. */
  readonly form: (form: { readonly opened: boolean; readonly onClose: () => void }) => ReactNode
  /** What opens from the list. Absent: nothing. */
  readonly children?: ReactNode
}

/** Lists one kind of credential, with a form for a new one, to those who manage the place. */
export function CredentialsPage<Each extends Credential>(props: CredentialsPageProps<Each>) {
  const { words, query, columns, command, at = 'anywhere', form, children } = props
  const may = useMay()
  const managesSome = useMayAnywhere('manage')
  const mayManage = at === 'anywhere' ? managesSome : may('manage', at)
  const { data } = useQuery({ ...query, enabled: mayManage })
  const [opened, { open, close }] = useDisclosure()
  const create = mayManage && <CreateButton id={command} label={words.create.button} onClick={open} />
  return (
    <Page title={words.title} lead={words.lead} actions={data?.length !== 0 && create}>
      <RequireVerb verb="manage" at={at} what={words.manage}>
        <CredentialList words={words} query={query} columns={columns} create={create} />
      </RequireVerb>
      {form({ opened, onClose: close })}
      {children}
    </Page>
  )
}

interface CreateButtonProps {
  readonly id: string
  readonly label: string
  readonly onClick: () => void
}

function CreateButton({ id, label, onClick }: CreateButtonProps) {
  useCommands([{ id, label, keys: 'n', icon: IconToken, run: onClick }])
  return (
    <Button leftSection={<IconAdd size={16} />} onClick={onClick}>
      {label}
    </Button>
  )
}

/** `create`: the button that creates one. */
function CredentialList<Each extends Credential>(
  props: CredentialListProps<Each> & { readonly create: ReactNode },
): ReactNode {
  const { words, query, columns, create } = props
  const { data, error } = useQuery(query)
  const example = useExampleStage()
  if (!data) return error ? <LoadError error={error} /> : <RowsSkeleton />
  if (data.length === 0) {
    return (
      <EmptyState
        icon={IconToken}
        title={words.none}
        action={create}
        command={{ what: words.noneCommand, text: words.noneCommandText(example) }}
      >
        {words.noneNext}
      </EmptyState>
    )
  }
  return (
    <>
      <LoadError error={error} />
      <FilteredCredentials words={words} columns={columns} all={data} />
    </>
  )
}

/** Lists those that are valid in the chosen project, or all. */
function FilteredCredentials<Each extends Credential>(
  props: Pick<CredentialListProps<Each>, 'words' | 'columns'> & { readonly all: readonly Each[] },
): ReactNode {
  const { words, columns, all } = props
  const project = useListedProject()
  const navigate = useNavigate()
  const own = all.flatMap(({ projectSlug = [] }) => projectSlug)
  const projects = [...new Set(project === undefined ? own : [...own, project])].toSorted()
  const rows = all.filter(({ projectSlug = project }) => project === undefined || projectSlug === project)
  return (
    <>
      {(projects.length > 1 || project !== undefined) && (
        <FilterBar>
          <Filter
            label={labels.project}
            options={projects.map((slug) => ({ value: slug, label: slug }))}
            chosen={project === undefined ? [] : [project]}
            onChange={([chosen]) => void navigate({ to: '.', search: { project: chosen }, replace: true })}
          />
        </FilterBar>
      )}
      {rows.length === 0 ? (
        <EmptyState icon={IconFilter} title={labels.noMatch}>
          {labels.noMatchText}
        </EmptyState>
      ) : (
        <DataTable label={words.title} rows={rows} keyOf={({ id }) => id} columns={columns} />
      )}
    </>
  )
}

/** The column that says when a credential was last used. */
export const lastUsed: Column<Credential> = {
  key: 'used',
  header: labels.lastUsed,
  cell: ({ lastUsedAtMs }) => (lastUsedAtMs === undefined ? labels.never : <RelativeTime ms={lastUsedAtMs} />),
}

/** The column of the buttons of a credential, without its cells. */
export const actions = { key: 'actions', header: labels.actions, isHeaderHidden: true, align: 'end' } as const
