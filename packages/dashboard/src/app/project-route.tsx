import { useQuery } from '@tanstack/react-query'
import { Outlet, useParams } from '@tanstack/react-router'
import { Fragment } from 'react'
import { PageSkeleton } from '../ui/loading.tsx'
import { ProjectChanges } from '../features/changes/unsaved-changes.tsx'
import { useScope, whoamiQuery } from '../session/scope.ts'
import { projectsQuery } from '../data/projects/queries.ts'
import { LiveStatus } from '../features/variables/live-status.tsx'

/** Shows a project's pages with live updates. They load nothing before the cursor of the events is known. */
export function ProjectRoute() {
  const { projectSlug } = useParams({ from: '/signed-in/o/$orgSlug/p/$projectSlug' })
  const scope = useScope()
  const projects = useQuery(projectsQuery(scope))
  const { data } = projects
  // What the viewer may do decides what the pages offer at first.
  const isPending = useQuery(whoamiQuery(scope)).isPending || projects.isPending
  const project = data?.find((each) => each.projectSlug === projectSlug)
  return (
    <Fragment key={`${scope.orgSlug}/${projectSlug}`}>
      {isPending && <PageSkeleton />}
      {!isPending && !project && <Outlet />}
      {!isPending && project && (
        <>
          <ProjectChanges project={project}>
            <Outlet />
          </ProjectChanges>
          <LiveStatus project={project} />
        </>
      )}
    </Fragment>
  )
}
