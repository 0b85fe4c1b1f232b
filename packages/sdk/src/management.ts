/** Management of the organization, which tools and people need rather than programs. */
import type { Answer, OperationName, Principal, Request } from './wire.ts'

/** The fields of a request without the stage reference, which the client adds. */
type Fields<Name extends OperationName> = Omit<Request<Name>, 'orgSlug' | 'projectSlug' | 'stageSlug'>

/** The organization if it names no project, a project if it names no stage, otherwise a stage. */
export type Place = Pick<Request<'accessGrant'>, 'projectSlug' | 'stageSlug'>

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
     * Returns whether members must sign in at their company, and who is excepted. Only who manages the organization may ask.
     *
     * @throws {RollkeyError} The errors of every call.
     */
    signInRules(): Promise<Answer<'signInRules'>>
    /**
     * Requires that members sign in at their company, or ends that. Only owners may do so, with a token of the identity provider.
     *
     * @throws {RollkeyError} `INVALID_REQUEST` without an owner who is excepted, `CONFIRMATION_REQUIRED` unless the person signed in
     * within the last 15 minutes, or the errors of every call.
     */
    setSignInRules(rules: Fields<'signInRulesSet'>): Promise<Answer<'signInRulesSet'>>
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
   * Who may do what in the organization: grants of roles on it, on its projects and on their stages. Only people may use it, and to
   * change or list needs `manage` at the place (docs/access.md).
   *
   * @example
   * const place = { projectSlug: 'shop', stageSlug: 'prod' }
   * await rollkey.manage.access.grant({ kind: 'email', id: 'ada@example.com' }, 'reader', place)
   * const { sources } = await rollkey.manage.access.explain(place)
   */
  readonly access: {
    /**
     * Lists the grants on a place, within it and around it, and the default role of members. The place is by default the organization.
     *
     * @throws {RollkeyError} The errors of every call.
     */
    list(place?: Place): Promise<Answer<'accessList'>>
    /**
     * Grants a role to a person, a group or a service token, instead of the one that they have at the place.
     *
     * @throws {RollkeyError} `NOT_FOUND` if the principal or the place does not exist, `CONFIRMATION_REQUIRED` on a protected stage
     * unless the person signed in within the last 15 minutes, or the errors of every call.
     */
    grant(
      principal: Principal,
      role: string,
      place?: Place,
      options?: {
        /** When the grant ends, Unix time in milliseconds. @default never */
        readonly expiresAtMs?: number
      },
    ): Promise<Answer<'accessGrant'>>
    /**
     * Revokes the role that was granted at the place itself, starting with the next request.
     *
     * @throws {RollkeyError} `NOT_FOUND` if there is no such grant, or the errors of every call.
     */
    revoke(principal: Principal, place?: Place): Promise<Answer<'accessRevoke'>>
    /**
     * Explains what a principal may do at a place, and what gives it; by default you.
     *
     * @throws {RollkeyError} `NOT_FOUND` if the principal does not exist, or the errors of every call.
     */
    explain(place?: Place, principal?: Principal): Promise<Answer<'accessExplain'>>
    /**
     * Lists who has a verb on the client's stage, or had it at a time. `verb` is by default `read`.
     *
     * @throws {RollkeyError} `NOT_FOUND` if the stage does not exist or did not at that time, or the errors of every call.
     */
    holders(options?: Omit<Fields<'accessHolders'>, 'projectSlug' | 'stageSlug'>): Promise<Answer<'accessHolders'>>
  }
  /**
   * Groups of people, to which roles are granted together.
   *
   * @example
   * const { id } = await rollkey.manage.groups.create('On call')
   * await rollkey.manage.groups.change(id, { add: [{ kind: 'email', id: 'ada@example.com' }] })
   * await rollkey.manage.access.grant({ kind: 'group', id }, 'developer', { projectSlug: 'shop' })
   */
  readonly groups: {
    /**
     * Lists the groups with their members.
     *
     * @throws {RollkeyError} The errors of every call.
     */
    list(): Promise<Answer<'groups'>>
    /**
     * Creates a group without members. With `idpGroup` it stands for a group of the identity provider, whose people are its members.
     *
     * @throws {RollkeyError} `INVALID_REQUEST` if the name is taken or the provider reports no groups, or the errors of every call.
     */
    create(name: string, options?: Pick<Fields<'groupCreate'>, 'idpGroup'>): Promise<Answer<'groupCreate'>>
    /**
     * Renames a group, lets it stand for another group of the identity provider, or with `idpGroup: null` for none.
     *
     * @throws {RollkeyError} `NOT_FOUND` if there is no such group, `INVALID_REQUEST` if the name is taken or the provider reports no
     * groups, `CONFIRMATION_REQUIRED` if that gives access to a protected stage and the person did not sign in within the last 15
     * minutes, or the errors of every call.
     */
    update(id: string, changes: Omit<Fields<'groupUpdate'>, 'id'>): Promise<Answer<'groupUpdate'>>
    /**
     * Adds people and removes people, all or nothing.
     *
     * @throws {RollkeyError} `NOT_FOUND` if the group or a person does not exist, `CONFIRMATION_REQUIRED` if that gives access to a
     * protected stage and the person did not sign in within the last 15 minutes, or the errors of every call.
     */
    change(id: string, members: Omit<Fields<'groupMembers'>, 'id'>): Promise<Answer<'groupMembers'>>
    /**
     * Deletes a group with what was granted to it.
     *
     * @throws {RollkeyError} `NOT_FOUND` if there is no such group, or the errors of every call.
     */
    delete(id: string): Promise<Answer<'groupDelete'>>
  }
  /**
   * Roles: the built-in ones and those that the organization adds.
   *
   * @example
   * await rollkey.manage.roles.set('auditor', ['list', 'manage'])
   * const isBuiltIn = (await rollkey.manage.roles.list()).roles.map((role) => role.isBuiltIn)
   */
  readonly roles: {
    /**
     * Lists the roles with their verbs.
     *
     * @throws {RollkeyError} The errors of every call.
     */
    list(): Promise<Answer<'roles'>>
    /**
     * Adds a role, or changes what a role of the organization allows.
     *
     * @throws {RollkeyError} `INVALID_REQUEST` for a built-in role, `CONFIRMATION_REQUIRED` if that adds verbs on a protected stage and
     * the person did not sign in within the last 15 minutes, or the errors of every call.
     */
    set(name: string, verbs: Fields<'roleSet'>['verbs']): Promise<Answer<'roleSet'>>
    /**
     * Deletes a role of the organization.
     *
     * @throws {RollkeyError} `NOT_FOUND` if there is no such role, `INVALID_REQUEST` while it is granted, or the errors of every call.
     */
    delete(name: string): Promise<Answer<'roleDelete'>>
  }
  /**
   * Proposed changes of the client's stage: what someone proposes, others review, and a person, a machine or the service applies
   * (docs/change.md).
   *
   * @example
   * const { id, digest } = await rollkey.manage.changes.propose({
   *   reason: 'Half of all users',
   *   updates: [{ name: 'NEW_CHECKOUT', chance: 0.5 }],
   * })
   * // Another person:
   * await rollkey.manage.changes.review(id, { digest, verdict: 'approve' })
   * const { revision } = await rollkey.manage.changes.apply(id)
   */
  readonly changes: {
    /**
     * Proposes a change of the client's stage. Nothing is written until it is applied.
     *
     * @throws {RollkeyError} `NOT_FOUND` if the stage does not exist, what a write of the same content throws, or the errors of every
     * call.
     */
    propose(change: Fields<'changePropose'>): Promise<Answer<'changePropose'>>
    /**
     * Lists the changes of all stages that you may list, newest first. For the next page, pass the last `id` as `before`.
     *
     * @throws {RollkeyError} The errors of every call.
     */
    list(filter?: Omit<Request<'changeList'>, 'orgSlug'>): Promise<Answer<'changeList'>>
    /**
     * Shows a change of the client's stage with its reviews, and with digests in place of values that are secret.
     *
     * @throws {RollkeyError} `NOT_FOUND` if there is no such change, or the errors of every call.
     */
    show(id: string): Promise<Answer<'changeShow'>>
    /**
     * Reveals proposed values. Only people with `read` on the stage may do so, and the audit log records it.
     *
     * @throws {RollkeyError} `NOT_FOUND` if there is no such change, `VARIABLE_NOT_FOUND` if it does not propose a value of that name or
     * has settled, `CONFIRMATION_REQUIRED` if the stage is protected and you did not sign in within the last 15 minutes, or the errors
     * of every call.
     */
    reveal(id: string, names: readonly string[]): Promise<Answer<'changeReveal'>>
    /**
     * Edits a change that you proposed, or rebases it. This voids its reviews.
     *
     * @throws {RollkeyError} `NOT_FOUND` if there is no such change, `FORBIDDEN` if someone else proposed it, `CHANGE_CONFLICT` if it is
     * settled or was edited, or the errors of `propose`.
     */
    edit(id: string, changes: Omit<Fields<'changeEdit'>, 'id'>): Promise<Answer<'changeEdit'>>
    /**
     * Approves or rejects a change that has this digest. Only people with `approve` on the stage may do so.
     *
     * @throws {RollkeyError} `NOT_FOUND` if there is no such change, `CHANGE_CONFLICT` if it is settled or was edited, or the errors of
     * every call.
     */
    review(id: string, review: Omit<Fields<'changeReview'>, 'id'>): Promise<Answer<'changeReview'>>
    /**
     * Applies a change, all or nothing.
     *
     * @throws {RollkeyError} `NOT_FOUND` if there is no such change, `APPROVAL_REQUIRED` if it has too few approvals, `REVISION_CONFLICT`
     * if a variable that it touches has changed since, `CHANGE_CONFLICT` if it is settled or was edited, or the errors of every call.
     */
    apply(id: string, options?: Omit<Fields<'changeApply'>, 'id'>): Promise<Answer<'changeApply'>>
    /**
     * Withdraws a change and deletes its proposed values.
     *
     * @throws {RollkeyError} `NOT_FOUND` if there is no such change, `CHANGE_CONFLICT` if it is settled, or the errors of every call.
     */
    withdraw(id: string): Promise<Answer<'changeWithdraw'>>
    /**
     * Changes when a change that you proposed is applied. This voids its reviews.
     *
     * @throws {RollkeyError} `NOT_FOUND` if there is no such change, `FORBIDDEN` if someone else proposed it, `CHANGE_CONFLICT` if it is
     * settled or was edited, or the errors of every call.
     */
    reschedule(id: string, times: Omit<Fields<'changeReschedule'>, 'id'>): Promise<Answer<'changeReschedule'>>
    /**
     * Pauses a ramp: the chance stays as it is, and no further step is written.
     *
     * @throws {RollkeyError} `NOT_FOUND` if there is no such change, `CHANGE_CONFLICT` if it is not a running ramp, or the errors of every
     * call.
     */
    pause(id: string): Promise<Answer<'changePause'>>
    /**
     * Resumes a paused ramp with its next step. If the pause has missed one, all further ones move by whole days.
     *
     * @throws {RollkeyError} `NOT_FOUND` if there is no such change, `CHANGE_CONFLICT` if it is not paused, or the errors of every call.
     */
    resume(id: string): Promise<Answer<'changeResume'>>
    /**
     * Leaves the next step of a ramp out. The further ones keep their times.
     *
     * @throws {RollkeyError} `NOT_FOUND` if there is no such change, `CHANGE_CONFLICT` if it is not a running ramp or has done another
     * number of steps than you say, or the errors of every call.
     */
    skip(id: string, options?: Omit<Fields<'changeSkip'>, 'id'>): Promise<Answer<'changeSkip'>>
    /**
     * Ends a ramp and sets the chance of its roll.
     *
     * @throws {RollkeyError} `NOT_FOUND` if there is no such change, `CHANGE_CONFLICT` if it is neither running nor paused,
     * `APPROVAL_REQUIRED` or `STAGE_FROZEN` for a higher chance where changes need approval or in a freeze, or the errors of every call.
     */
    abort(id: string, chance: number): Promise<Answer<'changeAbort'>>
  }
  /**
   * Client keys, with which web pages and mobile apps evaluate the variables of a stage that are exposed to them. They may be public
   * (docs/client-keys.md). Only people may manage them, with `manage` on the stage.
   *
   * @example
   * const { key } = await rollkey.manage.keys.create({ name: 'Shop', origins: ['https://shop.example.com'] })
   */
  readonly keys: {
    /**
     * Lists the client keys of the stages that you manage, oldest first, with the keys themselves.
     *
     * @throws {RollkeyError} The errors of every call.
     */
    list(): Promise<Answer<'keyList'>>
    /**
     * Creates a client key for the client's stage.
     *
     * @throws {RollkeyError} `CONFIRMATION_REQUIRED` if the stage is protected and you did not sign in within the last 15 minutes, or
     * the errors of every call.
     */
    create(key: Omit<Request<'keyCreate'>, 'orgSlug' | 'projectSlug' | 'stageSlug'>): Promise<Answer<'keyCreate'>>
    /**
     * Revokes a client key, starting with the next request.
     *
     * @throws {RollkeyError} `NOT_FOUND` if there is no such key, or the errors of every call.
     */
    revoke(id: string): Promise<Answer<'keyRevoke'>>
  }
  /**
   * Trusts: tokens of which other services are exchanged for access tokens, so that CI and pods need no stored token
   * (docs/trusts.md). Only people may manage them, with `manage` at the place.
   *
   * @example
   * const { id } = await rollkey.manage.trusts.create({
   *   name: 'Deployment of the shop',
   *   issuer: 'https://token.actions.githubusercontent.com',
   *   claims: [
   *     { name: 'repository_id', value: '424242' },
   *     { name: 'environment', value: 'production' },
   *   ],
   *   projectSlug: 'shop',
   *   stageSlug: 'prod',
   *   role: 'reader',
   * })
   */
  readonly trusts: {
    /**
     * Lists the trusts whose scope you manage, oldest first.
     *
     * @throws {RollkeyError} The errors of every call.
     */
    list(): Promise<Answer<'trustList'>>
    /**
     * Creates a trust. Its tokens can do no more than you can.
     *
     * @throws {RollkeyError} `INVALID_REQUEST` for an issuer that the service does not know or claims that identify nothing,
     * `CONFIRMATION_REQUIRED` if its tokens read a protected stage and you did not sign in within the last 15 minutes, or the errors
     * of every call.
     */
    create(trust: Omit<Request<'trustCreate'>, 'orgSlug'>): Promise<Answer<'trustCreate'>>
    /**
     * Changes a trust, except its scope, and ends its tokens, starting with the next request.
     *
     * @throws {RollkeyError} `NOT_FOUND` if there is no such trust, or the errors of `create`.
     */
    update(id: string, changes: Omit<Request<'trustUpdate'>, 'orgSlug' | 'id'>): Promise<Answer<'trustUpdate'>>
    /**
     * Deletes a trust and ends its tokens, starting with the next request.
     *
     * @throws {RollkeyError} `NOT_FOUND` if there is no such trust, or the errors of every call.
     */
    delete(id: string): Promise<Answer<'trustDelete'>>
    /**
     * Compares a token of another service with a trust, claim by claim. Nothing is issued for it, and it is neither stored nor logged.
     *
     * @throws {RollkeyError} `NOT_FOUND` if there is no such trust, or the errors of every call.
     */
    test(token: string, rules: Pick<Request<'trustTest'>, 'id' | 'trust'>): Promise<Answer<'trustTest'>>
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
    /**
     * Confirms that one of your sessions is you, so that it can read values of protected stages for 15 minutes. Needs a token of the
     * identity provider.
     *
     * @throws {RollkeyError} `NOT_FOUND` if there is no such session of yours, `CONFIRMATION_REQUIRED` unless you signed in within the
     * last 15 minutes, or the errors of every call.
     */
    confirm(id: string): Promise<Answer<'sessionConfirm'>>
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
     * Protects the stage from access that was granted around it, says what it requires of changes (docs/change.md), or ends the
     * protection. Returns who loses what.
     *
     * @throws {RollkeyError} `NOT_FOUND` if the stage does not exist, `CONFIRMATION_REQUIRED` if it was protected unless the person
     * signed in within the last 15 minutes, or the errors of every call.
     */
    protect(
      isProtected: boolean,
      options?: Omit<Fields<'stageProtect'>, 'isProtected'>,
    ): Promise<Answer<'stageProtect'>>
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
