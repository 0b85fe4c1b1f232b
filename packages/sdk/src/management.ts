/** Management of the organization, which tools and people need rather than programs. */
import type { Connection } from './connection.ts'
import type { StageRef } from './types.ts'
import type { Answer, OperationName, Request } from './wire.ts'

/** The fields of a request without the stage reference, which the client adds. */
type Fields<Name extends OperationName> = Omit<Request<Name>, 'orgSlug' | 'projectSlug' | 'stageSlug'>

/** Management of the organization of a client. Every method throws `RollkeyError`. */
export interface Management {
  /**
   * Lists the audit log, newest entries first. For owners and admins. For the next page, pass the last `seq` as
   * `before`.
   *
   * @example
   * const { entries } = await rollkey.manage.audit({ action: 'reveal', limit: 100 })
   */
  audit(filter?: Omit<Request<'audit'>, 'orgSlug'>): Promise<Answer<'audit'>>
  /** Finds variables of all projects by a part of their name, ignoring case. */
  search(query: string, options?: { readonly limit?: number }): Promise<Answer<'search'>>
  /** Returns the evaluations and storage used, and the limits of the plan. `months` is 1 to 24. */
  usage(options?: { readonly months?: number }): Promise<Answer<'usage'>>
  /** Returns the evaluations of each caller between two UTC days (YYYY-MM-DD), both included. For owners and admins. */
  usageCallers(days: Fields<'usageCallers'>): Promise<Answer<'usageCallers'>>
  /** The settings of the organization. */
  readonly organization: {
    /** Returns the settings and the plan. */
    show(): Promise<Answer<'organization'>>
    /** Changes the settings. For owners and admins. */
    update(change: Fields<'organizationUpdate'>): Promise<Answer<'organizationUpdate'>>
  }
  /** Sessions of command-line clients. */
  readonly sessions: {
    /** Lists your own sessions or, for owners and admins with `everyone`, those of all members. */
    list(options?: { readonly everyone?: boolean }): Promise<Answer<'sessionList'>>
    /** Ends a session at once. Owners and admins can end any session of the organization. */
    revoke(id: string): Promise<Answer<'sessionRevoke'>>
  }
  /** The client's project. */
  readonly project: {
    /** Creates the project, without stages. */
    create(options?: Fields<'projectCreate'>): Promise<Answer<'projectCreate'>>
    /** Renames the project, archives it or restores it from the archive. */
    update(change: Fields<'projectUpdate'>): Promise<Answer<'projectUpdate'>>
  }
  /** The client's stage. */
  readonly stage: {
    /** Creates the stage, without variables, at revision 1. */
    create(options?: Fields<'stageCreate'>): Promise<Answer<'stageCreate'>>
    /** Renames the stage, archives it or restores it from the archive. */
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
