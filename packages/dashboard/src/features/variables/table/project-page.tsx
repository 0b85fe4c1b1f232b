import { Badge } from '@mantine/core'
import { WithProject } from '../../projects/with-project.tsx'
import { Page } from '../../../ui/page.tsx'
import { useScope } from '../../../session/use-scope.ts'
import { ProjectChanges } from '../../changes/project-changes.tsx'
import { ProjectStages } from './project-stages.tsx'

export function ProjectPage() {
  const { orgSlug } = useScope()
  return (
    <WithProject>
      {(project) => (
        <Page title={project.name} lead={project.archivedAtMs !== undefined && <Badge color="gray">Archived</Badge>}>
          {/* What is collected must not reach another project, nor one of the same slug in another organization. */}
          <ProjectChanges key={`${orgSlug}/${project.projectSlug}`} project={project}>
            <ProjectStages project={project} />
          </ProjectChanges>
        </Page>
      )}
    </WithProject>
  )
}
