import type { Connection } from './connection.ts'
import { managed, type Management } from './management.ts'
import type { StageRef } from './types.ts'

/** Creates the management of the organization, project and stage of a client. */
export function createManagement(connection: Connection, { org, project, stage }: StageRef): Management {
  const organization = { orgSlug: org }
  const inProject = { ...organization, projectSlug: project }
  const slugs = { organization, project: inProject, stage: { ...inProject, stageSlug: stage } }
  const methods: Record<string, unknown> = {}
  for (const [path, { operation, at }] of Object.entries(managed)) {
    const call = (request?: object) => connection.call(operation, { ...request, ...slugs[at] })
    const [group = '', method] = path.split('.')
    if (method === undefined) methods[group] = call
    else methods[group] = { ...(methods[group] as object | undefined), [method]: call }
  }
  return methods as unknown as Management
}
