import { Badge } from '@mantine/core'
import { WithProject } from '../../projects/with-project.tsx'
import { Page } from '../../../ui/page.tsx'
import { useScope } from '../../../session/use-scope.ts'
import { ProjectTable } from './project-table.tsx'

export function ProjectPage() {
  const { orgSlug } = useScope()
  return (
    <WithProject>
      {(project) => (
        <Page title={project.name} lead={project.archivedAtMs !== undefined && <Badge color="gray">Archived</Badge>}>
          <ProjectTable key={`${orgSlug}/${project.projectSlug}`} project={project} />
        </Page>
      )}
    </WithProject>
  )
}
