/** Management of the organization, which tools and people need rather than programs. */
import type { Answer, OperationName, Request } from './wire.ts'

/** The fields of a request without the stage reference, which the client adds. */
type Fields<Name extends OperationName> = Omit<Request<Name>, 'orgSlug' | 'projectSlug' | 'stageSlug'>

/** Management of the organization of a client. Every method can reject with the errors of every call, see `Client`. */
export interface Management {
  /**
   * Lists the audit log, newest entries first. Only owners and admins may read it. For the next page, pass the last `seq`
   * as `before`.
   *
   * @throws {RollkeyError} The errors of every call.
   * @example
   * const { entries } = await rollkey.manage.audit({ action: 'reveal', limit: 100 })
   */
  audit(filter?: Omit<Request<'audit'>, 'orgSlug'>): Promise<Answer<'audit'>>
  /**
   * Finds variables by a part of their name, in all projects that are not archived. Ignores case, at least of ASCII letters.
   *
   * @throws {RollkeyError} The errors of every call.
   * @example
   * const { variables, more } = await rollkey.manage.search('api_')
   */
  search(
    query: string,
    options?: {
      /** Maximum number of variables, 1 to 200. @default 200 */
      readonly limit?: number
    },
  ): Promise<Answer<'search'>>
  /**
   * Lists the latest revisions of all stages, newest first, with the first changes of each. A service token needs `history`. For
   * the next page, pass `next` as `before`.
   *
   * @throws {RollkeyError} The errors of every call.
   * @example
   * const { revisions } = await rollkey.manage.recentHistory({ limit: 10 })
   * const lines = revisions.map(({ stageSlug, revision, changes }) => `${stageSlug} ${revision}: ${changes[0]?.name}`)
   */
  recentHistory(options?: Omit<Request<'recentHistory'>, 'orgSlug'>): Promise<Answer<'recentHistory'>>
  /**
   * Returns what needs attention: variables that production lacks, rolls whose split does not fit their chance and, for owners and
   * admins, service tokens that expire within 14 days.
   *
   * @throws {RollkeyError} The errors of every call.
   * @example
   * const { missing } = await rollkey.manage.attention()
   * for (const { projectSlug, stageSlug, count } of missing) console.warn(`${projectSlug}/${stageSlug} lacks ${count}`)
   */
  attention(): Promise<Answer<'attention'>>
  /**
   * Lists the A/B rolls of all stages that are not archived, ordered by project, stage and name. For the next page, pass
   * the last roll as `after`.
   *
   * @throws {RollkeyError} The errors of every call.
   * @example
   * const { rolls } = await rollkey.manage.rolls()
   * const inProgress = rolls.filter(({ chance }) => chance > 0 && chance < 1)
   */
  rolls(options?: Omit<Request<'rolls'>, 'orgSlug'>): Promise<Answer<'rolls'>>
  /**
   * Returns the evaluations and storage used, and the limits of the plan. A service token needs the whole organization in its
   * token scope.
   *
   * @throws {RollkeyError} The errors of every call.
   * @example
   * const { months, storage, plan } = await rollkey.manage.usage({ months: 1 })
   * const isNearLimit = storage.bytes > 0.9 * (plan.storageBytes ?? Infinity)
   */
  usage(options?: {
    /** Number of calendar months in UTC, 1 to 24. The current month is the last. @default 12 */
    readonly months?: number
    /** Number of UTC days for the usage by day and stage, 1 to 400, today included. Absent: this month and the last one. */
    readonly days?: number
  }): Promise<Answer<'usage'>>
  /**
   * Returns the evaluations of each caller between two UTC days of the last 400, both included. Only owners
   * and admins may read them.
   *
   * @throws {RollkeyError} The errors of every call.
   * @example
   * const { callers } = await rollkey.manage.usageCallers({ from: '2027-01-01', to: '2027-01-31' })
   */
  usageCallers(days: Fields<'usageCallers'>): Promise<Answer<'usageCallers'>>
  /**
   * The settings of the organization.
   *
   * @example
   * const { createsOnWrite } = await rollkey.manage.organization.show()
   * await rollkey.manage.organization.update({ createsOnWrite: false })
   */
  readonly organization: {
    /**
     * Returns the settings and the plan.
     *
     * @throws {RollkeyError} The errors of every call.
     */
    show(): Promise<Answer<'organization'>>
    /**
     * Changes the settings. Only owners and admins may do so.
     *
     * @throws {RollkeyError} The errors of every call.
     */
    update(change: Fields<'organizationUpdate'>): Promise<Answer<'organizationUpdate'>>
    /**
     * Deletes the organization with its projects, its credentials and, at the embedded identity provider, its members. Only owners may
     * do so, with a token of the identity provider.
     *
     * @param confirm The slug of the organization again.
     * @throws {RollkeyError} `CONFIRMATION_REQUIRED` unless the person signed in within the last 15 minutes, or the errors of every call.
     */
    delete(confirm: string): Promise<Answer<'organizationDelete'>>
  }
  /**
   * Sessions of command-line clients.
   *
   * @example
   * const { sessions } = await rollkey.manage.sessions.list()
   * const others = sessions.filter(({ isCurrent }) => !isCurrent)
   * for (const { id } of others) await rollkey.manage.sessions.revoke(id)
   */
  readonly sessions: {
    /**
     * Lists the sessions, latest used first.
     *
     * @throws {RollkeyError} The errors of every call.
     */
    list(options?: {
      /** Whether to list those of all members, for owners and admins, and not only your own. @default false */
      readonly everyone?: boolean
    }): Promise<Answer<'sessionList'>>
    /**
     * Ends a session, starting with the next request. Owners and admins can end any session of the organization.
     *
     * @throws {RollkeyError} `NOT_FOUND` if there is no such session or it is not yours to end, or the errors of every call.
     */
    revoke(id: string): Promise<Answer<'sessionRevoke'>>
  }
  /**
   * The client's project.
   *
   * @example
   * const { manage } = rollkey.at({ project: 'shop' })
   * await manage.project.create({ name: 'Shop', stages: [{ stageSlug: 'dev' }, { stageSlug: 'prod' }] })
   * await manage.project.orderStages(['prod', 'dev'])
   * await manage.project.update({ archived: true })
   */
  readonly project: {
    /**
     * Creates the project, by default without stages. Stages that you name are created with it, in their order.
     *
     * @throws {RollkeyError} `INVALID_REQUEST` if the slug is taken, or the errors of every call.
     */
    create(options?: Fields<'projectCreate'>): Promise<Answer<'projectCreate'>>
    /**
     * Renames the project, archives it or restores it from the archive.
     *
     * @throws {RollkeyError} `NOT_FOUND` if the project does not exist, or the errors of every call.
     */
    update(change: Fields<'projectUpdate'>): Promise<Answer<'projectUpdate'>>
    /**
     * Sets the order of the stages, in which `projects` lists them. Name all stages of the project, also the archived ones.
     *
     * @throws {RollkeyError} `NOT_FOUND` if the project does not exist, `INVALID_REQUEST` unless each of its stages is named once,
     * or the errors of every call.
     */
    orderStages(stageSlugs: readonly string[]): Promise<Answer<'stageOrder'>>
    /**
     * Deletes the project with its stages, its data keys and the service tokens that are limited to it. Only owners and admins
     * may do so, with a token of the identity provider. Usage and audit log stay.
     *
     * @param confirm The slug of the project again.
     * @throws {RollkeyError} `CONFIRMATION_REQUIRED` unless the person signed in within the last 15 minutes, `NOT_FOUND` if the
     * project does not exist, or the errors of every call.
     */
    delete(confirm: string): Promise<Answer<'projectDelete'>>
  }
  /**
   * The client's stage.
   *
   * @example
   * const { manage } = rollkey.at({ stage: 'qa' })
   * await manage.stage.create({ name: 'Quality' })
   * await manage.stage.update({ archived: true })
   */
  readonly stage: {
    /**
     * Creates the stage, without variables, at revision 1, as the last one of its project.
     *
     * @throws {RollkeyError} `NOT_FOUND` if the project does not exist, `INVALID_REQUEST` if the slug is taken or the project is
     * archived, or the errors of every call.
     */
    create(options?: Fields<'stageCreate'>): Promise<Answer<'stageCreate'>>
    /**
     * Renames the stage, marks it as production, archives it or restores it from the archive.
     *
     * @throws {RollkeyError} `NOT_FOUND` if the project or the stage does not exist, or the errors of every call.
     */
    update(change: Fields<'stageUpdate'>): Promise<Answer<'stageUpdate'>>
    /**
     * Deletes the stage with its variables, its history and the service tokens that are limited to it. Only owners and admins may
     * do so, with a token of the identity provider. A stage that is created again continues the revisions.
     *
     * @param confirm The slug of the stage again.
     * @throws {RollkeyError} `CONFIRMATION_REQUIRED` unless the person signed in within the last 15 minutes, `NOT_FOUND` if the
     * project or the stage does not exist, or the errors of every call.
     */
    delete(confirm: string): Promise<Answer<'stageDelete'>>
  }
}
