/** What tools and people do with the organization, rather than programs with their variables. */
import type { Connection } from './connection.ts'
import type { StageRef } from './types.ts'
import type { Answer, OperationName, Request } from './wire.ts'

/** The fields of a request beside the place, which is the client's. */
type Fields<Name extends OperationName> = Omit<Request<Name>, 'orgSlug' | 'projectSlug' | 'stageSlug'>

export interface Management {
  /** What was done in the organization, the newest first, for owners and admins; the next page is `before` the last `seq`. */
  audit(filter?: Omit<Request<'audit'>, 'orgSlug'>): Promise<Answer<'audit'>>
  /** Variables of all projects by a part of their name. */
  search(query: string, options?: { readonly limit?: number }): Promise<Answer<'search'>>
  /** Evaluations and storage beside the plan. */
  usage(options?: { readonly months?: number }): Promise<Answer<'usage'>>
  /** Who evaluated how often between two UTC days (YYYY-MM-DD), both included; for owners and admins. */
  usageCallers(days: Fields<'usageCallers'>): Promise<Answer<'usageCallers'>>
  readonly organization: {
    show(): Promise<Answer<'organization'>>
    /** For owners and admins. */
    update(change: Fields<'organizationUpdate'>): Promise<Answer<'organizationUpdate'>>
  }
  /** Sessions of command-line clients. */
  readonly sessions: {
    /** One's own or, for owners and admins, everyone's. */
    list(options?: { readonly everyone?: boolean }): Promise<Answer<'sessionList'>>
    revoke(id: string): Promise<Answer<'sessionRevoke'>>
  }
  /** The client's project. */
  readonly project: {
    create(options?: Fields<'projectCreate'>): Promise<Answer<'projectCreate'>>
    /** Renames it, puts it into the archive or takes it out. */
    update(change: Fields<'projectUpdate'>): Promise<Answer<'projectUpdate'>>
  }
  /** The client's stage. */
  readonly stage: {
    create(options?: Fields<'stageCreate'>): Promise<Answer<'stageCreate'>>
    /** Renames it, puts it into the archive or takes it out. */
    update(change: Fields<'stageUpdate'>): Promise<Answer<'stageUpdate'>>
  }
}

export function managementOf(connection: Connection, place: StageRef): Management {
  const { org: orgSlug, project: projectSlug, stage: stageSlug } = place
  const project = { orgSlug, projectSlug }
  const stage = { ...project, stageSlug }
  return {
    audit: (filter) => connection.call('audit', { ...filter, orgSlug }),
    search: (query, options) => connection.call('search', { ...options, orgSlug, query }),
    usage: (options) => connection.call('usage', { ...options, orgSlug }),
    usageCallers: (days) => connection.call('usageCallers', { ...days, orgSlug }),
    organization: {
      show: () => connection.call('organization', { orgSlug }),
      update: (change) => connection.call('organizationUpdate', { ...change, orgSlug }),
    },
    sessions: {
      list: (options) => connection.call('sessionList', { ...options, orgSlug }),
      revoke: (id) => connection.call('sessionRevoke', { orgSlug, id }),
    },
    project: {
      create: (options) => connection.call('projectCreate', { ...options, ...project }),
      update: (change) => connection.call('projectUpdate', { ...change, ...project }),
    },
    stage: {
      create: (options) => connection.call('stageCreate', { ...options, ...stage }),
      update: (change) => connection.call('stageUpdate', { ...change, ...stage }),
    },
  }
}
