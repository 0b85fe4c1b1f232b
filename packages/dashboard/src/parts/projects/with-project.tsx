import type { Project } from '@rollkey/sdk/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useScope } from '../../session/scope.ts'
import { ButtonLink } from '../../ui/buttons.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconProject } from '../../ui/icons.ts'
import { LoadError, RowsSkeleton } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { projectsQuery } from '../../data/projects/queries.ts'
import { labels } from './labels.ts'

interface WithProjectProps {
  /** Returns the page of the project. */
  readonly children: (project: Project) => ReactNode
}

/** Shows the page of the project that the address names, or that the project does not exist. */
export function WithProject({ children }: WithProjectProps) {
  const { projectSlug } = useParams({ from: '/signed-in/o/$orgSlug/p/$projectSlug' })
  const { data, error } = useQuery(projectsQuery(useScope()))
  if (!data) return <Page title={projectSlug}>{error ? <LoadError error={error} /> : <RowsSkeleton rows={12} />}</Page>
  const project = data.find((each) => each.projectSlug === projectSlug)
  if (project) return children(project)
  return (
    <Page title={labels.notFound}>
      <EmptyState
        icon={IconProject}
        title={projectSlug}
        action={
          <ButtonLink from="/o/$orgSlug" to="./projects">
            {labels.seeProjects}
          </ButtonLink>
        }
      >
        {labels.notFoundText(projectSlug)}
      </EmptyState>
    </Page>
  )
}
