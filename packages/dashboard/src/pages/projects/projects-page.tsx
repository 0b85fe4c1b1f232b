import { Group, Switch } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Loading } from '../../components/loading.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { useScope } from '../../hooks/use-scope.ts'
import { projectsQuery, type Project } from '../../variables/projects.ts'
import { FirstStep } from './first-step.tsx'
import { NewProjectButton } from './new-project-button.tsx'
import { ProjectsTable } from './projects-table.tsx'

function isArchived({ archivedAtMs }: Project): boolean {
  return archivedAtMs !== undefined
}

export function ProjectsPage() {
  const { data, error } = useQuery(projectsQuery(useScope()))
  const [showsArchived, setShowsArchived] = useState(false)
  const archived = data?.filter(isArchived) ?? []
  const shown = data?.filter((project) => showsArchived || !isArchived(project)) ?? []
  return (
    <Page title="Projects" lead="Secrets and feature variables, by project and stage.">
      <ProblemNotice error={error} />
      {!data && !error && <Loading />}
      {data && (
        <Group justify="space-between">
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
      {shown.length > 0 && <ProjectsTable projects={shown} />}
    </Page>
  )
}
