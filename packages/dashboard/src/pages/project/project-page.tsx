import { Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { ButtonLink } from '../../components/button-link.tsx'
import { Loading } from '../../components/loading.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { useScope } from '../../hooks/use-scope.ts'
import { projectsQuery } from '../../variables/projects.ts'
import { ProjectStages } from './project-stages.tsx'

export function ProjectPage() {
  const { projectSlug } = useParams({ from: '/signed-in/shell/projects/$projectSlug' })
  const { data, error } = useQuery(projectsQuery(useScope()))
  if (!data) return <Page title={projectSlug}>{error ? <ProblemNotice error={error} /> : <Loading />}</Page>
  const project = data.find((each) => each.projectSlug === projectSlug)
  if (!project) {
    return (
      <Page title="There is no such project" lead={`This organization has no project with the slug ${projectSlug}.`}>
        <ButtonLink to="/projects">See the projects</ButtonLink>
      </Page>
    )
  }
  return (
    <Page title={project.name} lead={project.archivedAtMs !== undefined && <Badge color="gray">Archived</Badge>}>
      <ProjectStages key={projectSlug} project={project} />
    </Page>
  )
}
