import type { Project } from '@rollkey/sdk/core'
import { ActionIcon, Badge, Group, Stack, Switch, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { countText } from '../../lib/numbers.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FilterBar, SearchInput } from '../../ui/filter-bar.tsx'
import { IconMore, IconProduction, IconProject } from '../../ui/icons.ts'
import { LoadError, RowsSkeleton } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { RollkeyDownload } from '../../ui/copy.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { TextLink } from '../../ui/buttons.tsx'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { useSettings } from '../../session/settings.ts'
import { fillingOf } from '../../data/variables/comparison.ts'
import { kindName, typeNames } from '../../data/variables/labels.ts'
import { labels } from './labels.ts'
import { NewProjectButton } from './new-project.tsx'
import { PlaceMenu } from '../../parts/projects/place-menu.tsx'
import {
  currentStages,
  deleteProject,
  attentionQuery,
  projectsQuery,
  searchQuery,
  updateProject,
} from '../../data/projects/queries.ts'
import { type Found, foundIn } from './found.ts'

/** How long a pause shows that a person finished typing. */
const typingMs = 150

function isArchived({ archivedAtMs }: Project): boolean {
  return archivedAtMs !== undefined
}

export function ProjectsPage() {
  const { data, error } = useQuery(projectsQuery(useScope()))
  const [showsArchived, setShowsArchived] = useState(false)
  const [search, setSearch] = useState('')
  const mayCreate = useMay()('write')
  const [part] = useDebouncedValue(search.trim(), typingMs)
  const archived = data?.filter(isArchived) ?? []
  const shown = data?.filter((project) => showsArchived || !isArchived(project)) ?? []
  const named = shown.filter(({ name, projectSlug }) =>
    `${name}\n${projectSlug}`.toLowerCase().includes(part.toLowerCase()),
  )
  return (
    <Page
      title={labels.title}
      lead={labels.lead}
      actions={mayCreate && data && data.length > 0 && <NewProjectButton />}
    >
      <LoadError error={error} />
      {!data && !error && <RowsSkeleton />}
      {data?.length === 0 && <FirstStep />}
      {data && data.length > 0 && (
        <FilterBar
          tools={
            archived.length > 0 && (
              <Switch
                label={labels.showArchived(archived.length)}
                checked={showsArchived}
                onChange={(event) => setShowsArchived(event.currentTarget.checked)}
              />
            )
          }
        >
          <SearchInput label={labels.search} value={search} onChange={setSearch} />
        </FilterBar>
      )}
      {named.length > 0 && <ProjectsTable projects={named} />}
      {data && part !== '' && <SearchResults projects={data} part={part} />}
    </Page>
  )
}

interface ProjectsTableProps {
  readonly projects: readonly Project[]
}

function ProjectsTable({ projects }: ProjectsTableProps) {
  const { data: { missing } = { missing: [] } } = useQuery(attentionQuery(useScope()))
  return (
    <DataTable
      label={labels.title}
      rows={projects}
      keyOf={({ projectSlug }) => projectSlug}
      columns={[
        { key: 'name', header: labels.name, cell: (project) => <ProjectName project={project} /> },
        {
          key: 'stages',
          header: labels.stages,
          isSelfEvident: true,
          cell: (project) => <Stages project={project} />,
        },
        {
          key: 'variables',
          header: labels.variables,
          align: 'end',
          cell: ({ variables }) => countText(variables),
        },
        {
          key: 'missing',
          header: labels.missing,
          cell: (project) => (
            <Missing
              project={project}
              missing={missing.filter(({ projectSlug }) => projectSlug === project.projectSlug)}
            />
          ),
        },
        { key: 'changed', header: labels.lastChange, cell: (project) => <RelativeTime ms={changedAtMs(project)} /> },
        {
          key: 'more',
          header: labels.more,
          isHeaderHidden: true,
          align: 'end',
          cell: (project) => <Menu project={project} />,
        },
      ]}
    />
  )
}

function changedAtMs(project: Project): number {
  return Math.max(project.createdAtMs, ...currentStages(project).map(({ updatedAtMs }) => updatedAtMs))
}

interface ProjectProps {
  readonly project: Project
}

function ProjectName({ project: { projectSlug, name, archivedAtMs } }: ProjectProps) {
  return (
    <Group gap="xs">
      <TextLink from="/o/$orgSlug" to="./p/$projectSlug" params={{ projectSlug }} fw={500} underline="hover">
        {name}
      </TextLink>
      {name !== projectSlug && (
        <Text component="span" size="sm" c="dimmed" ff="monospace">
          {projectSlug}
        </Text>
      )}
      {archivedAtMs !== undefined && <Badge>{labels.archived}</Badge>}
    </Group>
  )
}

function Stages({ project }: ProjectProps) {
  const stages = currentStages(project)
  if (stages.length === 0) return <Text c="dimmed">{labels.noStages}</Text>
  return (
    <Group gap={4}>
      {stages.map(({ stageSlug, name, isProduction }) => (
        <Badge
          key={stageSlug}
          variant={isProduction ? 'default' : 'light'}
          leftSection={isProduction && <IconProduction size={12} />}
        >
          {name}
        </Badge>
      ))}
    </Group>
  )
}

interface MissingProps extends ProjectProps {
  readonly missing: readonly { readonly stageSlug: string; readonly count: number }[]
}

/** Links to the variables that production lacks. */
function Missing({ project: { projectSlug, stages }, missing }: MissingProps) {
  if (missing.length === 0) return null
  return (
    <Group gap={4}>
      {missing.map(({ stageSlug, count }) => {
        const stage = stages.find((each) => each.stageSlug === stageSlug)
        const filling = stage && fillingOf(stage.variables, stage.variables + count)
        return (
          <TextLink
            key={stageSlug}
            from="/o/$orgSlug"
            to="./p/$projectSlug"
            params={{ projectSlug }}
            search={{ missing: stageSlug }}
            underline="never"
            aria-label={labels.missingIn(count, stage?.name ?? stageSlug)}
          >
            <StatusBadge status={filling ? 'missing' : 'missing-in-production'}>{countText(count)}</StatusBadge>
          </TextLink>
        )
      })}
    </Group>
  )
}

function Menu({ project: { projectSlug, name, archivedAtMs } }: ProjectProps) {
  const scope = useScope()
  const may = useMay()
  return (
    <PlaceMenu
      what="project"
      name={name}
      slug={projectSlug}
      isArchived={archivedAtMs !== undefined}
      mayChange={may('write', { projectSlug })}
      mayDelete={may('manage')}
      change={(change) => updateProject(scope, projectSlug, change)}
      remove={() => deleteProject(scope, projectSlug)}
      target={
        <ActionIcon aria-label={labels.menu(name)}>
          <IconMore />
        </ActionIcon>
      }
    />
  )
}

/** Explains how to create the first project. */
function FirstStep() {
  const { publicUrl } = useSettings()
  const mayCreate = useMay()('write')
  const commands = [
    `login --url ${publicUrl}`,
    `init --url ${publicUrl} --project shop --stage dev`,
    'set DATABASE_URL --create',
  ]
  if (!mayCreate)
    return (
      <EmptyState icon={IconProject} title={labels.none}>
        {labels.noneForYou}
      </EmptyState>
    )
  return (
    <Stack>
      <EmptyState icon={IconProject} title={labels.none} action={<NewProjectButton />}>
        {labels.noneText}
      </EmptyState>
      <RollkeyDownload what={labels.commands} lines={commands} />
    </Stack>
  )
}

interface SearchResultsProps {
  readonly projects: readonly Project[]
  /** Part of the names to find. */
  readonly part: string
}

function SearchResults({ projects, part }: SearchResultsProps) {
  const { data, error } = useQuery(searchQuery(useScope(), part))
  const found = data && foundIn(data.variables)
  return (
    <>
      <LoadError error={error} />
      {!found && !error && <RowsSkeleton rows={3} />}
      <Text role="status" c="dimmed">
        {found && labels.found(found.length, data.more)}
      </Text>
      {found && found.length > 0 && <FoundTable found={found} projects={projects} />}
    </>
  )
}

interface FoundTableProps {
  readonly found: readonly Found[]
  readonly projects: readonly Project[]
}

function FoundTable({ found, projects }: FoundTableProps) {
  const projectOf = ({ projectSlug }: Found) => projects.find((project) => project.projectSlug === projectSlug)
  // A stage or project that is too new to be in the list has its slug as its name.
  const stagesOf = (each: Found) =>
    each.stageSlugs
      .map((slug) => projectOf(each)?.stages.find(({ stageSlug }) => stageSlug === slug)?.name ?? slug)
      .join(', ')
  return (
    <DataTable
      label={labels.foundVariables}
      rows={found}
      keyOf={(each) => JSON.stringify(each)}
      columns={[
        { key: 'name', header: labels.variable, cell: (each) => <FoundName found={each} /> },
        { key: 'project', header: labels.project, cell: (each) => projectOf(each)?.name ?? each.projectSlug },
        { key: 'stages', header: labels.stages, cell: stagesOf },
        { key: 'kind', header: labels.kind, cell: kindAndType },
      ]}
    />
  )
}

interface FoundNameProps {
  readonly found: Found
}

function FoundName({ found: { projectSlug, name } }: FoundNameProps) {
  return (
    <TextLink from="/o/$orgSlug" to="./p/$projectSlug" params={{ projectSlug }} search={{ search: name }} fw={600}>
      <bdi>{name}</bdi>
    </TextLink>
  )
}

function kindAndType({ kind, declaredType }: Found): string {
  return declaredType === undefined ? kindName(kind) : `${kindName(kind)} · ${typeNames[declaredType]}`
}
