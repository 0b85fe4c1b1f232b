import { Badge } from '@mantine/core'
import { OfProject } from '../../components/of-project.tsx'
import { Page } from '../../components/page.tsx'
import { ProjectStages } from './project-stages.tsx'

export function ProjectPage() {
  return (
    <OfProject>
      {(project) => (
        <Page title={project.name} lead={project.archivedAtMs !== undefined && <Badge color="gray">Archived</Badge>}>
          <ProjectStages project={project} />
        </Page>
      )}
    </OfProject>
  )
}
