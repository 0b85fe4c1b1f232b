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
    access: {
      list: (place) => connection.call('accessList', { ...place, orgSlug }),
      grant: (principal, role, place, options) =>
        connection.call('accessGrant', { ...place, ...options, orgSlug, principal, role }),
      revoke: (principal, place) => connection.call('accessRevoke', { ...place, orgSlug, principal }),
      explain: (place, principal) => connection.call('accessExplain', { ...place, orgSlug, principal }),
      holders: (options) => connection.call('accessHolders', { ...options, ...stage }),
    },
    groups: {
      list: () => connection.call('groups', { orgSlug }),
      create: (name, options) => connection.call('groupCreate', { ...options, orgSlug, name }),
      update: (id, changes) => connection.call('groupUpdate', { ...changes, orgSlug, id }),
      change: (id, members) => connection.call('groupMembers', { ...members, orgSlug, id }),
      delete: (id) => connection.call('groupDelete', { orgSlug, id }),
    },
    roles: {
      list: () => connection.call('roles', { orgSlug }),
      set: (name, verbs) => connection.call('roleSet', { orgSlug, name, verbs }),
      delete: (name) => connection.call('roleDelete', { orgSlug, name }),
    },
    sessions: {
      list: (options) => connection.call('sessionList', { ...options, orgSlug }),
      revoke: (id) => connection.call('sessionRevoke', { orgSlug, id }),
      confirm: (id) => connection.call('sessionConfirm', { orgSlug, id }),
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
      protect: (isProtected, options) => connection.call('stageProtect', { ...options, ...stage, isProtected }),
      delete: (confirm) => connection.call('stageDelete', { ...stage, confirm }),
    },
  }
}
