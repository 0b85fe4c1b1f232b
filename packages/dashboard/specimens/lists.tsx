import { ActionIcon, Badge, Button, Group } from '@mantine/core'
import { useState } from 'react'
import { ByLine } from '../src/ui/time.tsx'
import { DataTable } from '../src/ui/data-table.tsx'
import { EmptyState } from '../src/ui/empty-state.tsx'
import { Filter, FilterBar, SearchInput } from '../src/ui/filter-bar.tsx'
import { IconAdd, IconMore, IconProject } from '../src/ui/icons.ts'
import { Name } from '../src/ui/name.tsx'
import { RowsSkeleton } from '../src/ui/loading.tsx'
import { StatusBadge } from '../src/ui/status.tsx'
import { TabLink, TabLinks } from '../src/ui/page.tsx'
import { Specimen } from './specimen.tsx'

const dayMs = 24 * 60 * 60 * 1000
const projects = ['web-shop', 'mobile-app', 'billing', 'search'].map((slug, at) => ({
  slug,
  variables: 12 * (at + 1),
  changedAtMs: Date.now() - at * dayMs,
}))
type Project = (typeof projects)[number]

const columns = [
  {
    key: 'name',
    header: 'Name',
    isSortable: true,
    cell: ({ slug }: Project) => (
      <a href={`#${slug}`}>
        <Name>{slug}</Name>
      </a>
    ),
  },
  {
    key: 'stages',
    header: 'Stages',
    cell: () => (
      <Group gap={6}>
        <Badge>dev</Badge>
        <Badge>staging</Badge>
        <StatusBadge status="production">prod</StatusBadge>
      </Group>
    ),
  },
  {
    key: 'variables',
    header: 'Variables',
    align: 'end',
    isSortable: true,
    cell: ({ variables }: Project) => variables,
  },
  {
    key: 'change',
    header: 'Last change',
    isSortable: true,
    cell: ({ changedAtMs }: Project) => <ByLine name="Ada Lovelace" ms={changedAtMs} />,
  },
  {
    key: 'actions',
    header: 'Actions',
    isHeaderHidden: true,
    align: 'end',
    cell: ({ slug }: Project) => (
      <ActionIcon aria-label={`Actions of ${slug}`}>
        <IconMore />
      </ActionIcon>
    ),
  },
] as const

const kinds = [
  { value: 'secret', label: 'Secret' },
  { value: 'plain', label: 'Plain' },
  { value: 'ab_roll', label: 'A/B roll' },
]
const stages = [
  { value: 'dev', label: 'dev' },
  { value: 'prod', label: 'prod' },
]

/** Tables, filters and what stands in their place. */
export function Lists() {
  const [search, setSearch] = useState('')
  const [chosen, setChosen] = useState<readonly string[]>(['secret', 'plain'])
  const [missing, setMissing] = useState<readonly string[]>([])
  const [sort, setSort] = useState<{ key: string; direction: 'ascending' | 'descending' }>()
  return (
    <>
      <Specimen title="Tabs that are pages">
        <TabLinks label="Settings">
          <TabLink to=".">General</TabLink>
          <TabLink to="/organizations">Service tokens</TabLink>
        </TabLinks>
      </Specimen>
      <Specimen title="Filters and a table">
        <FilterBar count="4 of 300" onClear={() => setChosen([])}>
          <SearchInput label="Find a project" value={search} onChange={setSearch} />
          <Filter label="Kind" options={kinds} chosen={chosen} onChange={setChosen} isMultiple />
          <Filter label="Missing in" options={stages} chosen={missing} onChange={setMissing} />
        </FilterBar>
        <DataTable
          label="Projects"
          columns={columns}
          rows={projects}
          keyOf={({ slug }) => slug}
          sort={sort}
          onSort={setSort}
        />
      </Specimen>
      <Specimen title="Loading">
        <RowsSkeleton rows={3} />
      </Specimen>
      <Specimen title="Empty">
        <EmptyState
          icon={IconProject}
          title="No projects yet"
          action={<Button leftSection={<IconAdd />}>New project</Button>}
          command={{
            what: 'Create a project',
            text: 'rollkey set DATABASE_URL --project web-shop --stage dev --create',
          }}
        >
          A project holds the variables of one application, for each of its stages.
        </EmptyState>
      </Specimen>
    </>
  )
}
