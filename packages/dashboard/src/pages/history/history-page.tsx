import { OfProject } from '../../components/of-project.tsx'
import { Page } from '../../components/page.tsx'
import { TextLink } from '../../components/text-link.tsx'
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
