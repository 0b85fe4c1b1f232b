import { Badge } from '@mantine/core'
import { Page } from '../../../ui/page.tsx'
import { useScope } from '../../../session/use-scope.ts'
import { WithProject } from '../../projects/with-project.tsx'
import { labels } from './labels.ts'
import { ProjectActions } from './project-actions.tsx'
import { ProjectTable } from './project-table.tsx'

export function ProjectPage() {
  const { orgSlug } = useScope()
  return (
    <WithProject>
      {(project) => (
        <Page
          title={project.name}
          width="full"
          lead={project.archivedAtMs !== undefined && <Badge>{labels.archived}</Badge>}
          actions={<ProjectActions project={project} />}
        >
          <ProjectTable key={`${orgSlug}/${project.projectSlug}`} project={project} />
        </Page>
      )}
    </WithProject>
  )
}
