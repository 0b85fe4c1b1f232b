import type { Connection } from './connection.ts'
import type { Management } from './management.ts'
import type { StageRef } from './types.ts'

/** Creates the management of the organization, project and stage of a client. */
export function createManagement(connection: Connection, stageRef: StageRef): Management {
  const { org: orgSlug, project: projectSlug, stage: stageSlug } = stageRef
  const project = { orgSlug, projectSlug }
  const stage = { ...project, stageSlug }
  return {
    audit: (filter) => connection.call('audit', { ...filter, orgSlug }),
    search: (query, options) => connection.call('search', { ...options, orgSlug, query }),
    recentHistory: (options) => connection.call('recentHistory', { ...options, orgSlug }),
    attention: () => connection.call('attention', { orgSlug }),
    rolls: (options) => connection.call('rolls', { ...options, orgSlug }),
    usage: (options) => connection.call('usage', { ...options, orgSlug }),
    usageCallers: (days) => connection.call('usageCallers', { ...days, orgSlug }),
    organization: {
      show: () => connection.call('organization', { orgSlug }),
      update: (change) => connection.call('organizationUpdate', { ...change, orgSlug }),
      delete: (confirm) => connection.call('organizationDelete', { orgSlug, confirm }),
    },
    sessions: {
      list: (options) => connection.call('sessionList', { ...options, orgSlug }),
      revoke: (id) => connection.call('sessionRevoke', { orgSlug, id }),
    },
    project: {
      create: (options) => connection.call('projectCreate', { ...options, ...project }),
      update: (change) => connection.call('projectUpdate', { ...change, ...project }),
      delete: (confirm) => connection.call('projectDelete', { ...project, confirm }),
      orderStages: (stageSlugs) => connection.call('stageOrder', { ...project, stageSlugs }),
    },
    stage: {
      create: (options) => connection.call('stageCreate', { ...options, ...stage }),
      update: (change) => connection.call('stageUpdate', { ...change, ...stage }),
      delete: (confirm) => connection.call('stageDelete', { ...stage, confirm }),
    },
  }
}
