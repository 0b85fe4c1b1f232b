import { OfProject } from '../projects/with-project.tsx'
import { Page } from '../../ui/page.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { ProjectHistory } from './project-history.tsx'

export function HistoryPage() {
  return (
    <OfProject>
      {(project) => (
        <Page
          title={`History of ${project.name}`}
          lead={
            <TextLink from="/o/$orgSlug" to="./p/$projectSlug" params={{ projectSlug: project.projectSlug }}>
              Back to the variables
            </TextLink>
          }
        >
          <ProjectHistory project={project} />
        </Page>
      )}
    </OfProject>
  )
}
