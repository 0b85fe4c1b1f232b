import { Badge, Button, Group, Modal, Switch, Text } from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from '@tanstack/react-router'
import { useCommands } from '../../ui/commands.ts'
import { IconAdd } from '../../ui/icons.ts'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { SearchInput } from '../../ui/search-input.tsx'
import { useScope } from '../../session/use-scope.ts'
import { RecordTable } from '../../ui/record-table.tsx'
import { RollkeyDownload } from '../../ui/rollkey-command.tsx'
import { Section } from '../../ui/section.tsx'
import { useSettings } from '../../session/use-settings.ts'
import { RecordCell } from '../../ui/record-cell.tsx'
import { RecordRow } from '../../ui/record-row.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import {
  createProject,
  currentStages,
  type PlaceChange,
  type Project,
  projectsQuery,
  updateProject,
} from './queries.ts'
import { SearchResults } from './search-results.tsx'
import { labels } from './labels.ts'
import { useProjectChange } from './use-project-change.ts'
import { type NewPlace, CreateForm } from './create-form.tsx'
import { PlaceMenu } from './place-menu.tsx'

/** Somebody who types faster than this is not done yet. */
const typingMs = 150

function isArchived({ archivedAtMs }: Project): boolean {
  return archivedAtMs !== undefined
}

export function ProjectsPage() {
  const { data, error } = useQuery(projectsQuery(useScope()))
  const [showsArchived, setShowsArchived] = useState(false)
  const [search, setSearch] = useState('')
  const [part] = useDebouncedValue(search.trim(), typingMs)
  const archived = data?.filter(isArchived) ?? []
  const shown = data?.filter((project) => showsArchived || !isArchived(project)) ?? []
  return (
    <Page title="Projects" lead="Secrets and feature variables, by project and stage.">
      <ErrorNotice error={error} />
      {!data && !error && <Loading />}
      {data && (
        <Group>
          {data.length > 0 && (
            <SearchInput label="Find a variable in all projects" value={search} onChange={setSearch} />
          )}
          <NewProjectButton />
          {archived.length > 0 && (
            <Switch
              label={`Show archived (${archived.length})`}
              checked={showsArchived}
              onChange={(event) => setShowsArchived(event.currentTarget.checked)}
            />
          )}
        </Group>
      )}
      {data?.length === 0 && <FirstStep />}
      {data && part !== '' && <SearchResults projects={data} part={part} />}
      {part === '' && shown.length > 0 && <ProjectsTable projects={shown} />}
    </Page>
  )
}

interface ProjectsTableProps {
  readonly projects: readonly Project[]
}

function ProjectsTable({ projects }: ProjectsTableProps) {
  return (
    <RecordTable label="Projects" columns={['Name', 'Stages', 'Variables', 'Last change', 'Actions']}>
      {projects.map((project) => (
        <ProjectRow key={project.projectSlug} project={project} />
      ))}
    </RecordTable>
  )
}

/** What to do where there is no project yet. */
function FirstStep() {
  const { publicUrl } = useSettings()
  const commands = [
    `login --url ${publicUrl}`,
    `init --url ${publicUrl} --project shop --stage dev`,
    'set DATABASE_URL --create',
  ]
  return (
    <Section title="There is no project yet">
      <Text>
        Create one above. Or set a variable from a terminal: its project and stage come into being with it. The value is
        asked for without being shown.
      </Text>
      <RollkeyDownload what="the commands that set the first variable" lines={commands} />
    </Section>
  )
}

function NewProjectButton() {
  const [isOpen, { open, close }] = useDisclosure()
  const scope = useScope()
  const navigate = useNavigate({ from: '/o/$orgSlug' })
  const create = useProjectChange(async ({ name, slug }: NewPlace) => {
    await createProject(scope, slug, name.trim())
    await navigate({ to: './p/$projectSlug', params: { projectSlug: slug } })
  })
  useCommands([{ id: 'new-project', label: 'New project', keys: 'n', icon: IconAdd, run: open }])
  return (
    <>
      <Button onClick={open}>New project</Button>
      <Modal opened={isOpen} onClose={close} title="New project">
        <CreateForm what="Project" mutation={create} />
      </Modal>
    </>
  )
}

interface ProjectRowProps {
  readonly project: Project
}

function ProjectRow({ project }: ProjectRowProps) {
  const scope = useScope()
  const { projectSlug, name, createdAtMs, archivedAtMs } = project
  const stages = currentStages(project)
  const variables = stages.reduce((sum, stage) => sum + stage.variables, 0)
  const changedAtMs = Math.max(createdAtMs, ...stages.map(({ updatedAtMs }) => updatedAtMs))
  return (
    <RecordRow>
      <RecordCell>
        <Group gap="xs">
          <TextLink from="/o/$orgSlug" to="./p/$projectSlug" params={{ projectSlug }} fw={600}>
            {name}
          </TextLink>
          {archivedAtMs !== undefined && <Badge color="gray">Archived</Badge>}
        </Group>
        {name !== projectSlug && (
          <Text size="sm" c="dimmed">
            {projectSlug}
          </Text>
        )}
      </RecordCell>
      <RecordCell label="Stages">{stages.map((stage) => stage.name).join(', ') || 'None yet'}</RecordCell>
      <RecordCell label="Variables">{variables.toLocaleString('en')}</RecordCell>
      <RecordCell label="Last change">
        <TimeText ms={changedAtMs} />
      </RecordCell>
      <RecordCell>
        <PlaceMenu
          what="project"
          name={name}
          isArchived={archivedAtMs !== undefined}
          change={(change: PlaceChange) => updateProject(scope, projectSlug, change)}
          target={
            <Button size="sm" variant="default" aria-label={labels.menu(name)}>
              {labels.more}
            </Button>
          }
        />
      </RecordCell>
    </RecordRow>
  )
}
