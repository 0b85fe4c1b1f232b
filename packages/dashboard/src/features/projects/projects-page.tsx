import { Group, Switch } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/error-notice.tsx'
import { SearchInput } from '../../ui/search-input.tsx'
import { useScope } from '../../session/use-scope.ts'
import { projectsQuery, type Project } from './queries.ts'
import { FirstStep } from './first-step.tsx'
import { NewProjectButton } from './new-project-button.tsx'
import { ProjectsTable } from './projects-table.tsx'
import { SearchResults } from './search-results.tsx'

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
      <ProblemNotice error={error} />
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
