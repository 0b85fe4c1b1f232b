import { useQuery } from '@tanstack/react-query'
import { Outlet, useParams } from '@tanstack/react-router'
import { Fragment } from 'react'
import { Loading } from '../../ui/loading.tsx'
import { ProjectChanges } from '../changes/unsaved-changes.tsx'
import { useScope } from '../../session/scope.ts'
import { projectsQuery } from '../projects/queries.ts'
import { LiveStatus } from './live-status.tsx'

/** A project's pages, which show what others change. They ask for nothing before it is known from where on that is told. */
export function ProjectRoute() {
  const { projectSlug } = useParams({ from: '/signed-in/o/$orgSlug/p/$projectSlug' })
  const scope = useScope()
  const { data, isPending } = useQuery(projectsQuery(scope))
  const project = data?.find((each) => each.projectSlug === projectSlug)
  return (
    <Fragment key={`${scope.orgSlug}/${projectSlug}`}>
      {isPending && <Loading />}
      {!isPending && !project && <Outlet />}
      {project && (
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
