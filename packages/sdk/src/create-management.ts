import type { Connection } from './connection.ts'
import type { Management } from './management.ts'
import type { StageRef } from './types.ts'

interface StagePlace {
  readonly orgSlug: string
  readonly projectSlug: string
  readonly stageSlug: string
}

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
      signInRules: () => connection.call('signInRules', { orgSlug }),
      setSignInRules: (rules) => connection.call('signInRulesSet', { ...rules, orgSlug }),
      delete: (confirm) => connection.call('organizationDelete', { orgSlug, confirm }),
    },
    access: createAccess(connection, stage),
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
    trusts: createTrusts(connection, orgSlug),
    changes: createChanges(connection, stage),
    keys: createKeys(connection, stage),
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

function createAccess(connection: Connection, stage: StagePlace): Management['access'] {
  const { orgSlug } = stage
  return {
    list: (place) => connection.call('accessList', { ...place, orgSlug }),
    grant: (principal, role, place, options) =>
      connection.call('accessGrant', { ...place, ...options, orgSlug, principal, role }),
    revoke: (principal, place) => connection.call('accessRevoke', { ...place, orgSlug, principal }),
    explain: (place, principal) => connection.call('accessExplain', { ...place, orgSlug, principal }),
    holders: (options) => connection.call('accessHolders', { ...options, ...stage }),
  }
}

function createChanges(connection: Connection, stage: StagePlace): Management['changes'] {
  return {
    propose: (change) => connection.call('changePropose', { ...change, ...stage }),
    list: (filter) => connection.call('changeList', { ...filter, orgSlug: stage.orgSlug }),
    show: (id) => connection.call('changeShow', { ...stage, id }),
    reveal: (id, names) => connection.call('changeReveal', { ...stage, id, names: [...names] }),
    edit: (id, changes) => connection.call('changeEdit', { ...changes, ...stage, id }),
    review: (id, review) => connection.call('changeReview', { ...review, ...stage, id }),
    apply: (id, options) => connection.call('changeApply', { ...options, ...stage, id }),
    withdraw: (id) => connection.call('changeWithdraw', { ...stage, id }),
    reschedule: (id, times) => connection.call('changeReschedule', { ...times, ...stage, id }),
    pause: (id) => connection.call('changePause', { ...stage, id }),
    resume: (id) => connection.call('changeResume', { ...stage, id }),
    skip: (id, options) => connection.call('changeSkip', { ...options, ...stage, id }),
    abort: (id, chance) => connection.call('changeAbort', { ...stage, id, chance }),
  }
}

function createKeys(connection: Connection, stage: StagePlace): Management['keys'] {
  const { orgSlug } = stage
  return {
    list: () => connection.call('keyList', { orgSlug }),
    create: (key) => connection.call('keyCreate', { ...key, ...stage }),
    revoke: (id) => connection.call('keyRevoke', { orgSlug, id }),
  }
}

function createTrusts(connection: Connection, orgSlug: string): Management['trusts'] {
  return {
    list: () => connection.call('trustList', { orgSlug }),
    create: (trust) => connection.call('trustCreate', { ...trust, orgSlug }),
    update: (id, changes) => connection.call('trustUpdate', { ...changes, orgSlug, id }),
    delete: (id) => connection.call('trustDelete', { orgSlug, id }),
    test: (token, rules) => connection.call('trustTest', { ...rules, orgSlug, token }),
  }
}
