/** Management of the organization, which tools and people need rather than programs, generated from packages/contract by `npm run generate`. */
import type { Answer, OperationName, Request } from './wire.ts'

/** The fields of a request to the client's organization. */
type InOrganization<Name extends OperationName> = Omit<Request<Name>, 'orgSlug'>
/** The fields of a request to the client's project. */
type InProject<Name extends OperationName> = Omit<Request<Name>, 'orgSlug' | 'projectSlug'>
/** The fields of a request to the client's stage. */
type InStage<Name extends OperationName> = Omit<Request<Name>, 'orgSlug' | 'projectSlug' | 'stageSlug'>

/** Management of the organization of a client. Every method can reject with the errors of every call, see `Client`. */
export interface Management {
  /**
   * Reveal values to a person, both sides of a roll; each call is in the audit log. Needs `read`; for people.
   *
   * @throws {RollkeyError} `VARIABLE_NOT_FOUND`, `EVALUATION_FAILED`, or the errors of every call.
   * @example
   * const { variables } = await rollkey.manage.reveal({ names: ['DATABASE_URL'] })
   * const texts = variables.map((each) => (each.kind === 'secret' ? each.template : each.templateA))
   */
  reveal(request: InStage<'reveal'>): Promise<Answer<'reveal'>>
  /**
   * List the latest revisions of all stages of the organization. Needs `list`; for people and machines.
   *
   * @throws {RollkeyError} The errors of every call.
   * @example
   * const { revisions } = await rollkey.manage.recentHistory({ limit: 10 })
   * const lines = revisions.map(({ stageSlug, revision, changes }) => `${stageSlug} ${revision}: ${changes[0]?.name}`)
   */
  recentHistory(request?: InOrganization<'recentHistory'>): Promise<Answer<'recentHistory'>>
  /**
   * List the A/B rolls of the organization with their chances and how often each value was served. Needs `list`; for people and machines.
   *
   * @throws {RollkeyError} The errors of every call.
   * @example
   * const { rolls } = await rollkey.manage.rolls()
   * const inProgress = rolls.filter(({ chance }) => chance > 0 && chance < 1)
   */
  rolls(request?: InOrganization<'rolls'>): Promise<Answer<'rolls'>>
  /**
   * List the audit log of the organization, newest first. Needs `manage`; for people.
   *
   * @throws {RollkeyError} The errors of every call.
   * @example
   * const { entries } = await rollkey.manage.audit({ action: 'reveal', limit: 100 })
   */
  audit(request?: InOrganization<'audit'>): Promise<Answer<'audit'>>
  /**
   * Show the usage of the organization by month, day and stage, and the limits of its plan. Needs `list`; for people and machines.
   *
   * @throws {RollkeyError} The errors of every call.
   * @example
   * const { months, storage, plan } = await rollkey.manage.usage({ months: 1 })
   * const isNearLimit = storage.bytes > 0.9 * (plan.storageBytes ?? Infinity)
   */
  usage(request?: InOrganization<'usage'>): Promise<Answer<'usage'>>
  /**
   * Show the number of evaluations by caller and stage, over UTC days of the last 400. Needs `manage`; for people.
   *
   * @throws {RollkeyError} The errors of every call.
   * @example
   * const { callers } = await rollkey.manage.usageCallers({ from: '2027-01-01', to: '2027-01-31' })
   */
  usageCallers(request: InOrganization<'usageCallers'>): Promise<Answer<'usageCallers'>>
  /**
   * List what is missing in production, what should be rotated, service tokens that expire soon, and rolls that do not fit their chance. Needs `list`; for people and machines.
   *
   * @throws {RollkeyError} The errors of every call.
   * @example
   * const { missing } = await rollkey.manage.attention()
   * for (const { projectSlug, stageSlug, count } of missing) console.warn(`${projectSlug}/${stageSlug} lacks ${count}`)
   */
  attention(): Promise<Answer<'attention'>>
  /**
   * Find variables by a part of their name in all projects that are not archived. Needs `list`; for people and machines.
   *
   * @throws {RollkeyError} The errors of every call.
   * @example
   * const { variables, more } = await rollkey.manage.search({ query: 'api_' })
   */
  search(request: InOrganization<'search'>): Promise<Answer<'search'>>
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
     * Show the values of all variables that are not secret to a person, both sides of a roll. Needs `read`; for people.
     *
     * @throws {RollkeyError} The errors of every call.
     */
    plainValues(): Promise<Answer<'plain'>>
    /**
     * Show the rolls and the variables that are not secret, for decisions inside a program. Needs `read`; for people and machines.
     *
     * @throws {RollkeyError} `EVALUATION_FAILED`, `USAGE_LIMIT_EXCEEDED`, `BILLING_UNAVAILABLE`, or the errors of every call.
     */
    ruleset(request?: InStage<'ruleset'>): Promise<Answer<'ruleset'>>
    /**
     * Create a stage without variables, at revision 1, as the last one of its project. Needs `write`; for people and machines.
     *
     * @throws {RollkeyError} `NOT_FOUND`, or the errors of every call.
     */
    create(request?: InStage<'stageCreate'>): Promise<Answer<'stageCreate'>>
    /**
     * Rename a stage, mark it as production, archive it or restore it from the archive. Needs `write`; for people and machines.
     *
     * @throws {RollkeyError} `NOT_FOUND`, `APPROVAL_REQUIRED`, `STAGE_FROZEN`, or the errors of every call.
     */
    update(request?: InStage<'stageUpdate'>): Promise<Answer<'stageUpdate'>>
    /**
     * Delete a stage with its variables, its history and the service tokens that are limited to it. Needs `manage`; for people.
     *
     * @throws {RollkeyError} `NOT_FOUND`, `CONFIRMATION_REQUIRED`, or the errors of every call.
     */
    delete(request: InStage<'stageDelete'>): Promise<Answer<'stageDelete'>>
    /**
     * Protect a stage from access that was granted around it, or end the protection; shows who loses access. Needs `manage`; for people.
     *
     * @throws {RollkeyError} `NOT_FOUND`, `CONFIRMATION_REQUIRED`, or the errors of every call.
     */
    protect(request: InStage<'stageProtect'>): Promise<Answer<'stageProtect'>>
  }
  /**
   * Proposed changes of the client's stage: what someone proposes, others review, and a person, a machine or the service applies (docs/change.md).
   *
   * @example
   * const { id, digest } = await rollkey.manage.changes.propose({
   *   reason: 'Half of all users',
   *   updates: [{ name: 'NEW_CHECKOUT', chance: 0.5 }],
   * })
   * // Another person:
   * await rollkey.manage.changes.review({ id, digest, verdict: 'approve' })
   * const { revision } = await rollkey.manage.changes.apply({ id })
   */
  readonly changes: {
    /**
     * Propose a change of a stage, to be reviewed and applied later. Needs `write`; for people and machines.
     *
     * @throws {RollkeyError} `NOT_FOUND`, `VARIABLE_NOT_FOUND`, `EVALUATION_FAILED`, `REVISION_CONFLICT`, `CONFIRMATION_REQUIRED`, or the errors of every call.
     */
    propose(request: InStage<'changePropose'>): Promise<Answer<'changePropose'>>
    /**
     * List the proposed changes of the organization, newest first. Needs `list`; for people and machines.
     *
     * @throws {RollkeyError} The errors of every call.
     */
    list(request?: InOrganization<'changeList'>): Promise<Answer<'changeList'>>
    /**
     * Show a proposed change, with digests in place of values that are secret, and its reviews. Needs `list`; for people and machines.
     *
     * @throws {RollkeyError} `NOT_FOUND`, or the errors of every call.
     */
    show(request: InStage<'changeShow'>): Promise<Answer<'changeShow'>>
    /**
     * Reveal proposed values to a person, both sides of a roll; each call is in the audit log. Needs `read`; for people.
     *
     * @throws {RollkeyError} `NOT_FOUND`, `VARIABLE_NOT_FOUND`, `EVALUATION_FAILED`, or the errors of every call.
     */
    reveal(request: InStage<'changeReveal'>): Promise<Answer<'changeReveal'>>
    /**
     * Edit a proposed change, or rebase it on the current revision; this voids its approvals. Needs `write`; for people and machines.
     *
     * @throws {RollkeyError} `NOT_FOUND`, `VARIABLE_NOT_FOUND`, `EVALUATION_FAILED`, `CHANGE_CONFLICT`, `CONFIRMATION_REQUIRED`, or the errors of every call.
     */
    edit(request: InStage<'changeEdit'>): Promise<Answer<'changeEdit'>>
    /**
     * Approve or reject a proposed change. Needs `approve`; for people.
     *
     * @throws {RollkeyError} `NOT_FOUND`, `CHANGE_CONFLICT`, or the errors of every call.
     */
    review(request: InStage<'changeReview'>): Promise<Answer<'changeReview'>>
    /**
     * Apply a proposed change, all or nothing. Needs `write`; for people and machines.
     *
     * @throws {RollkeyError} `NOT_FOUND`, `CHANGE_CONFLICT`, `STAGE_FROZEN`, `APPROVAL_REQUIRED`, `VARIABLE_NOT_FOUND`, `EVALUATION_FAILED`, `REVISION_CONFLICT`, `USAGE_LIMIT_EXCEEDED`, or the errors of every call.
     */
    apply(request: InStage<'changeApply'>): Promise<Answer<'changeApply'>>
    /**
     * Withdraw a proposed change and delete its proposed values. Needs `write`; for people and machines.
     *
     * @throws {RollkeyError} `NOT_FOUND`, `CHANGE_CONFLICT`, or the errors of every call.
     */
    withdraw(request: InStage<'changeWithdraw'>): Promise<Answer<'changeWithdraw'>>
    /**
     * Change when a proposed change is applied; this voids its approvals. Needs `write`; for people and machines.
     *
     * @throws {RollkeyError} `NOT_FOUND`, `CHANGE_CONFLICT`, or the errors of every call.
     */
    reschedule(request: InStage<'changeReschedule'>): Promise<Answer<'changeReschedule'>>
    /**
     * Pause a ramp: no further step is written until it is resumed. Needs `write`; for people and machines.
     *
     * @throws {RollkeyError} `NOT_FOUND`, `CHANGE_CONFLICT`, or the errors of every call.
     */
    pause(request: InStage<'changePause'>): Promise<Answer<'changePause'>>
    /**
     * Resume a paused ramp; if it has missed a step, all further ones move by whole days. Needs `write`; for people and machines.
     *
     * @throws {RollkeyError} `NOT_FOUND`, `CHANGE_CONFLICT`, or the errors of every call.
     */
    resume(request: InStage<'changeResume'>): Promise<Answer<'changeResume'>>
    /**
     * Leave out the next step of a ramp; the further ones keep their times. Needs `write`; for people and machines.
     *
     * @throws {RollkeyError} `NOT_FOUND`, `CHANGE_CONFLICT`, or the errors of every call.
     */
    skip(request: InStage<'changeSkip'>): Promise<Answer<'changeSkip'>>
    /**
     * End a ramp and set the chance of its roll. Needs `write`; for people and machines.
     *
     * @throws {RollkeyError} `NOT_FOUND`, `VARIABLE_NOT_FOUND`, `CHANGE_CONFLICT`, `STAGE_FROZEN`, `APPROVAL_REQUIRED`, `REVISION_CONFLICT`, `USAGE_LIMIT_EXCEEDED`, or the errors of every call.
     */
    abort(request: InStage<'changeAbort'>): Promise<Answer<'changeAbort'>>
  }
  /**
   * The client's project.
   *
   * @example
   * const { manage } = rollkey.at({ project: 'shop' })
   * await manage.project.create({ name: 'Shop', stages: [{ stageSlug: 'dev' }, { stageSlug: 'prod' }] })
   * await manage.project.orderStages({ stageSlugs: ['prod', 'dev'] })
   * await manage.project.update({ archived: true })
   */
  readonly project: {
    /**
     * Create a project, with or without stages. Needs `write`; for people and machines.
     *
     * @throws {RollkeyError} The errors of every call.
     */
    create(request?: InProject<'projectCreate'>): Promise<Answer<'projectCreate'>>
    /**
     * Rename a project, archive it or restore it from the archive. Needs `write`; for people and machines.
     *
     * @throws {RollkeyError} `NOT_FOUND`, `APPROVAL_REQUIRED`, `STAGE_FROZEN`, or the errors of every call.
     */
    update(request?: InProject<'projectUpdate'>): Promise<Answer<'projectUpdate'>>
    /**
     * Delete a project with its stages, its data keys and the service tokens that are limited to it. Needs `manage`; for people.
     *
     * @throws {RollkeyError} `NOT_FOUND`, `CONFIRMATION_REQUIRED`, or the errors of every call.
     */
    delete(request: InProject<'projectDelete'>): Promise<Answer<'projectDelete'>>
    /**
     * Set the order of the stages of a project. Needs `write`; for people and machines.
     *
     * @throws {RollkeyError} `NOT_FOUND`, or the errors of every call.
     */
    orderStages(request: InProject<'stageOrder'>): Promise<Answer<'stageOrder'>>
  }
  /**
   * What the client's project expects of its variables, and what of a stage contradicts it (docs/declarations.md).
   *
   * @example
   * const { manage } = rollkey.at({ project: 'shop', stage: 'prod' })
   * await manage.declarations.set({
   *   declarations: [{ name: 'PORT', declaredType: 'int64', constraint: { format: 'port' }, required: 'all' }],
   * })
   * const { problems } = await manage.declarations.check()
   * for (const { name, expected } of problems) console.warn(`${name} ${expected}`)
   */
  readonly declarations: {
    /**
     * List what a project expects of its variables. Needs `list`; for people and machines.
     *
     * @throws {RollkeyError} `NOT_FOUND`, or the errors of every call.
     */
    list(): Promise<Answer<'declarationList'>>
    /**
     * Declare variables of a project, or replace their declarations. Needs `write`; for people and machines.
     *
     * @throws {RollkeyError} `NOT_FOUND`, or the errors of every call.
     */
    set(request: InProject<'declarationSet'>): Promise<Answer<'declarationSet'>>
    /**
     * Delete declarations of a project, and none of its variables. Needs `write`; for people and machines.
     *
     * @throws {RollkeyError} `NOT_FOUND`, or the errors of every call.
     */
    delete(request: InProject<'declarationDelete'>): Promise<Answer<'declarationDelete'>>
    /**
     * Return the declarations of a project as a JSON Schema. Needs `list`; for people and machines.
     *
     * @throws {RollkeyError} `NOT_FOUND`, or the errors of every call.
     */
    document(): Promise<Answer<'declarationDocument'>>
    /**
     * Replace all declarations of a project by a JSON Schema. Needs `write`; for people and machines.
     *
     * @throws {RollkeyError} `NOT_FOUND`, or the errors of every call.
     */
    replace(request: InProject<'declarationReplace'>): Promise<Answer<'declarationReplace'>>
    /**
     * Compare a stage with what its project expects. Needs `list`; for people and machines.
     *
     * @throws {RollkeyError} `NOT_FOUND`, or the errors of every call.
     */
    check(request?: InStage<'declarationCheck'>): Promise<Answer<'declarationCheck'>>
  }
  /**
   * The settings of the organization.
   *
   * @example
   * const { createsOnWrite } = await rollkey.manage.organization.show()
   * await rollkey.manage.organization.update({ createsOnWrite: false })
   */
  readonly organization: {
    /**
     * Show the settings of the organization and its plan.
     *
     * @throws {RollkeyError} The errors of every call.
     */
    show(): Promise<Answer<'organization'>>
    /**
     * Change the settings of the organization. Needs `manage`; for people.
     *
     * @throws {RollkeyError} The errors of every call.
     */
    update(request?: InOrganization<'organizationUpdate'>): Promise<Answer<'organizationUpdate'>>
    /**
     * List the members of the organization.
     *
     * @throws {RollkeyError} The errors of every call.
     */
    members(): Promise<Answer<'organizationMembers'>>
    /**
     * Show how members of the organization must sign in. Needs `manage`; for people.
     *
     * @throws {RollkeyError} The errors of every call.
     */
    signInRules(): Promise<Answer<'signInRules'>>
    /**
     * Require that members sign in at their company or with a second factor, or end that. Needs `manage`; for owners.
     *
     * @throws {RollkeyError} `CONFIRMATION_REQUIRED`, or the errors of every call.
     */
    setSignInRules(request?: InOrganization<'signInRulesSet'>): Promise<Answer<'signInRulesSet'>>
    /**
     * Delete the organization with its projects, credentials and, at the embedded identity provider, members. Needs `manage`; for owners.
     *
     * @throws {RollkeyError} `CONFIRMATION_REQUIRED`, or the errors of every call.
     */
    delete(request: InOrganization<'organizationDelete'>): Promise<Answer<'organizationDelete'>>
  }
  /**
   * Who may do what: roles that are granted on the organization, its projects and their stages (docs/access.md).
   *
   * @example
   * const place = { projectSlug: 'shop', stageSlug: 'prod' }
   * const principal = { kind: 'email', id: 'ada@example.com' } as const
   * await rollkey.manage.access.grant({ ...place, principal, role: 'reader' })
   * const { sources } = await rollkey.manage.access.explain(place)
   */
  readonly access: {
    /**
     * List the grants on a place, within it and around it, and the default role of members. Needs `manage`; for people.
     *
     * @throws {RollkeyError} The errors of every call.
     */
    list(request?: InOrganization<'accessList'>): Promise<Answer<'accessList'>>
    /**
     * Grant a person, a group, a service token or a trust a role at a place. Needs `manage`; for people.
     *
     * @throws {RollkeyError} `NOT_FOUND`, `CONFIRMATION_REQUIRED`, or the errors of every call.
     */
    grant(request: InOrganization<'accessGrant'>): Promise<Answer<'accessGrant'>>
    /**
     * Revoke the role that a principal was granted at a place. Needs `manage`; for people.
     *
     * @throws {RollkeyError} `NOT_FOUND`, or the errors of every call.
     */
    revoke(request: InOrganization<'accessRevoke'>): Promise<Answer<'accessRevoke'>>
    /**
     * Explain what a person, a group, a service token or a trust may do at a place, and why. Needs `list`; for people.
     *
     * @throws {RollkeyError} `NOT_FOUND`, or the errors of every call.
     */
    explain(request?: InOrganization<'accessExplain'>): Promise<Answer<'accessExplain'>>
    /**
     * Show who could read a stage, or do something else with it, now or at an earlier time. Needs `manage`; for people.
     *
     * @throws {RollkeyError} `NOT_FOUND`, or the errors of every call.
     */
    holders(request?: InStage<'accessHolders'>): Promise<Answer<'accessHolders'>>
  }
  /**
   * Groups of people, to which roles are granted together.
   *
   * @example
   * const { id } = await rollkey.manage.groups.create({ name: 'On call' })
   * await rollkey.manage.groups.change({ id, add: [{ kind: 'email', id: 'ada@example.com' }] })
   * const principal = { kind: 'group', id } as const
   * await rollkey.manage.access.grant({ principal, role: 'developer', projectSlug: 'shop' })
   */
  readonly groups: {
    /**
     * List the groups that matter where the caller manages, and their members. Needs `manage`; for people.
     *
     * @throws {RollkeyError} The errors of every call.
     */
    list(): Promise<Answer<'groups'>>
    /**
     * Create a group of people. Needs `manage`; for people.
     *
     * @throws {RollkeyError} The errors of every call.
     */
    create(request: InOrganization<'groupCreate'>): Promise<Answer<'groupCreate'>>
    /**
     * Rename a group, or let it stand for a group of the identity provider. Needs `manage`; for people.
     *
     * @throws {RollkeyError} `NOT_FOUND`, `CONFIRMATION_REQUIRED`, or the errors of every call.
     */
    update(request: InOrganization<'groupUpdate'>): Promise<Answer<'groupUpdate'>>
    /**
     * Delete a group; its members lose what was granted to it. Needs `manage`; for people.
     *
     * @throws {RollkeyError} `NOT_FOUND`, or the errors of every call.
     */
    delete(request: InOrganization<'groupDelete'>): Promise<Answer<'groupDelete'>>
    /**
     * Add people to a group and remove people from it, all or nothing. Needs `manage`; for people.
     *
     * @throws {RollkeyError} `NOT_FOUND`, `CONFIRMATION_REQUIRED`, or the errors of every call.
     */
    change(request: InOrganization<'groupMembers'>): Promise<Answer<'groupMembers'>>
  }
  /**
   * Roles: the built-in ones and those that the organization adds.
   *
   * @example
   * await rollkey.manage.roles.set({ name: 'auditor', verbs: ['list', 'manage'] })
   * const isBuiltIn = (await rollkey.manage.roles.list()).roles.map((role) => role.isBuiltIn)
   */
  readonly roles: {
    /**
     * List the built-in roles and those that the organization has added.
     *
     * @throws {RollkeyError} The errors of every call.
     */
    list(): Promise<Answer<'roles'>>
    /**
     * Add a role to the organization, or change what a role allows. Needs `manage`; for people.
     *
     * @throws {RollkeyError} `CONFIRMATION_REQUIRED`, or the errors of every call.
     */
    set(request: InOrganization<'roleSet'>): Promise<Answer<'roleSet'>>
    /**
     * Delete a role that the organization has added. Needs `manage`; for people.
     *
     * @throws {RollkeyError} `NOT_FOUND`, or the errors of every call.
     */
    delete(request: InOrganization<'roleDelete'>): Promise<Answer<'roleDelete'>>
  }
  /**
   * Trusts: tokens of which other services are exchanged for access tokens, so that CI and pods need no stored token (docs/trusts.md).
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
     * Trust the tokens of an issuer that have certain claims. Needs `manage`; for people.
     *
     * @throws {RollkeyError} `NOT_FOUND`, `CONFIRMATION_REQUIRED`, or the errors of every call.
     */
    create(request: InOrganization<'trustCreate'>): Promise<Answer<'trustCreate'>>
    /**
     * List the trusts of the organization. Needs `manage`; for people.
     *
     * @throws {RollkeyError} The errors of every call.
     */
    list(): Promise<Answer<'trustList'>>
    /**
     * Change a trust and end its tokens. Needs `manage`; for people.
     *
     * @throws {RollkeyError} `NOT_FOUND`, `CONFIRMATION_REQUIRED`, or the errors of every call.
     */
    update(request: InOrganization<'trustUpdate'>): Promise<Answer<'trustUpdate'>>
    /**
     * Delete a trust and end its tokens. Needs `manage`; for people.
     *
     * @throws {RollkeyError} `NOT_FOUND`, or the errors of every call.
     */
    delete(request: InOrganization<'trustDelete'>): Promise<Answer<'trustDelete'>>
    /**
     * Show what of a token a trust accepts, claim by claim. Needs `manage`; for people.
     *
     * @throws {RollkeyError} `NOT_FOUND`, or the errors of every call.
     */
    test(request: InOrganization<'trustTest'>): Promise<Answer<'trustTest'>>
  }
  /**
   * Client keys, with which web pages and mobile apps evaluate the variables of a stage that are exposed to them (docs/client-keys.md).
   *
   * @example
   * const { key } = await rollkey.manage.keys.create({ name: 'Shop', origins: ['https://shop.example.com'] })
   */
  readonly keys: {
    /**
     * Create a client key, with which public programs evaluate the variables of a stage that are exposed to them. Needs `manage`; for people.
     *
     * @throws {RollkeyError} `NOT_FOUND`, `CONFIRMATION_REQUIRED`, or the errors of every call.
     */
    create(request: InStage<'keyCreate'>): Promise<Answer<'keyCreate'>>
    /**
     * List the client keys of the organization that are not revoked. Needs `manage`; for people.
     *
     * @throws {RollkeyError} The errors of every call.
     */
    list(): Promise<Answer<'keyList'>>
    /**
     * Revoke a client key at once. Needs `manage`; for people.
     *
     * @throws {RollkeyError} `NOT_FOUND`, or the errors of every call.
     */
    revoke(request: InOrganization<'keyRevoke'>): Promise<Answer<'keyRevoke'>>
  }
  /**
   * Webhooks, which tell other programs what happened.
   *
   * @example
   * const { secret } = await rollkey.manage.hooks.create({ name: 'Deploys', url: 'https://ci.example.com/rollkey' })
   */
  readonly hooks: {
    /**
     * Create a webhook, which receives what happens from now on. Needs `manage`; for people.
     *
     * @throws {RollkeyError} `NOT_FOUND`, or the errors of every call.
     */
    create(request: InOrganization<'hookCreate'>): Promise<Answer<'hookCreate'>>
    /**
     * List the webhooks of the organization. Needs `manage`; for people.
     *
     * @throws {RollkeyError} The errors of every call.
     */
    list(): Promise<Answer<'hookList'>>
    /**
     * Change a webhook, or switch it off or on. Needs `manage`; for people.
     *
     * @throws {RollkeyError} `NOT_FOUND`, or the errors of every call.
     */
    update(request: InOrganization<'hookUpdate'>): Promise<Answer<'hookUpdate'>>
    /**
     * Replace the signing secret of a webhook; the former one signs for another day. Needs `manage`; for people.
     *
     * @throws {RollkeyError} `NOT_FOUND`, or the errors of every call.
     */
    rotate(request: InOrganization<'hookRotate'>): Promise<Answer<'hookRotate'>>
    /**
     * Delete a webhook. Needs `manage`; for people.
     *
     * @throws {RollkeyError} `NOT_FOUND`, or the errors of every call.
     */
    delete(request: InOrganization<'hookDelete'>): Promise<Answer<'hookDelete'>>
    /**
     * Send a test to a webhook, and return what it answered. Needs `manage`; for people.
     *
     * @throws {RollkeyError} `NOT_FOUND`, or the errors of every call.
     */
    test(request: InOrganization<'hookTest'>): Promise<Answer<'hookTest'>>
    /**
     * List the last messages that were sent to a webhook. Needs `manage`; for people.
     *
     * @throws {RollkeyError} `NOT_FOUND`, or the errors of every call.
     */
    deliveries(request: InOrganization<'hookDeliveries'>): Promise<Answer<'hookDeliveries'>>
    /**
     * Send one of the last messages of a webhook again, and return what it answered. Needs `manage`; for people.
     *
     * @throws {RollkeyError} `NOT_FOUND`, or the errors of every call.
     */
    redeliver(request: InOrganization<'hookRedeliver'>): Promise<Answer<'hookRedeliver'>>
  }
  /**
   * Sessions of command-line clients.
   *
   * @example
   * const { sessions } = await rollkey.manage.sessions.list()
   * const others = sessions.filter(({ isCurrent }) => !isCurrent)
   * for (const { id } of others) await rollkey.manage.sessions.revoke({ id })
   */
  readonly sessions: {
    /**
     * List the usable sessions of command-line clients, latest used first.
     *
     * @throws {RollkeyError} The errors of every call.
     */
    list(request?: InOrganization<'sessionList'>): Promise<Answer<'sessionList'>>
    /**
     * End a session at once: your own or, as an owner or admin, any of the organization.
     *
     * @throws {RollkeyError} `NOT_FOUND`, or the errors of every call.
     */
    revoke(request: InOrganization<'sessionRevoke'>): Promise<Answer<'sessionRevoke'>>
    /**
     * Confirm that one of your command-line sessions is you, for 15 minutes.
     *
     * @throws {RollkeyError} `NOT_FOUND`, `CONFIRMATION_REQUIRED`, or the errors of every call.
     */
    confirm(request: InOrganization<'sessionConfirm'>): Promise<Answer<'sessionConfirm'>>
  }
}

/** The endpoint of each method, and the slugs that the client adds to its request. */
export const managed = {
  reveal: { operation: 'reveal', at: 'stage' },
  'stage.plainValues': { operation: 'plain', at: 'stage' },
  'stage.ruleset': { operation: 'ruleset', at: 'stage' },
  recentHistory: { operation: 'recentHistory', at: 'organization' },
  rolls: { operation: 'rolls', at: 'organization' },
  audit: { operation: 'audit', at: 'organization' },
  'changes.propose': { operation: 'changePropose', at: 'stage' },
  'changes.list': { operation: 'changeList', at: 'organization' },
  'changes.show': { operation: 'changeShow', at: 'stage' },
  'changes.reveal': { operation: 'changeReveal', at: 'stage' },
  'changes.edit': { operation: 'changeEdit', at: 'stage' },
  'changes.review': { operation: 'changeReview', at: 'stage' },
  'changes.apply': { operation: 'changeApply', at: 'stage' },
  'changes.withdraw': { operation: 'changeWithdraw', at: 'stage' },
  'changes.reschedule': { operation: 'changeReschedule', at: 'stage' },
  'changes.pause': { operation: 'changePause', at: 'stage' },
  'changes.resume': { operation: 'changeResume', at: 'stage' },
  'changes.skip': { operation: 'changeSkip', at: 'stage' },
  'changes.abort': { operation: 'changeAbort', at: 'stage' },
  'project.create': { operation: 'projectCreate', at: 'project' },
  'project.update': { operation: 'projectUpdate', at: 'project' },
  'stage.create': { operation: 'stageCreate', at: 'stage' },
  'stage.update': { operation: 'stageUpdate', at: 'stage' },
  'stage.delete': { operation: 'stageDelete', at: 'stage' },
  'project.delete': { operation: 'projectDelete', at: 'project' },
  'project.orderStages': { operation: 'stageOrder', at: 'project' },
  'declarations.list': { operation: 'declarationList', at: 'project' },
  'declarations.set': { operation: 'declarationSet', at: 'project' },
  'declarations.delete': { operation: 'declarationDelete', at: 'project' },
  'declarations.document': { operation: 'declarationDocument', at: 'project' },
  'declarations.replace': { operation: 'declarationReplace', at: 'project' },
  'declarations.check': { operation: 'declarationCheck', at: 'stage' },
  'organization.show': { operation: 'organization', at: 'organization' },
  'organization.update': { operation: 'organizationUpdate', at: 'organization' },
  'organization.members': { operation: 'organizationMembers', at: 'organization' },
  'organization.signInRules': { operation: 'signInRules', at: 'organization' },
  'organization.setSignInRules': { operation: 'signInRulesSet', at: 'organization' },
  'organization.delete': { operation: 'organizationDelete', at: 'organization' },
  usage: { operation: 'usage', at: 'organization' },
  usageCallers: { operation: 'usageCallers', at: 'organization' },
  attention: { operation: 'attention', at: 'organization' },
  search: { operation: 'search', at: 'organization' },
  'access.list': { operation: 'accessList', at: 'organization' },
  'access.grant': { operation: 'accessGrant', at: 'organization' },
  'access.revoke': { operation: 'accessRevoke', at: 'organization' },
  'access.explain': { operation: 'accessExplain', at: 'organization' },
  'access.holders': { operation: 'accessHolders', at: 'stage' },
  'groups.list': { operation: 'groups', at: 'organization' },
  'groups.create': { operation: 'groupCreate', at: 'organization' },
  'groups.update': { operation: 'groupUpdate', at: 'organization' },
  'groups.delete': { operation: 'groupDelete', at: 'organization' },
  'groups.change': { operation: 'groupMembers', at: 'organization' },
  'roles.list': { operation: 'roles', at: 'organization' },
  'roles.set': { operation: 'roleSet', at: 'organization' },
  'roles.delete': { operation: 'roleDelete', at: 'organization' },
  'stage.protect': { operation: 'stageProtect', at: 'stage' },
  'trusts.create': { operation: 'trustCreate', at: 'organization' },
  'trusts.list': { operation: 'trustList', at: 'organization' },
  'trusts.update': { operation: 'trustUpdate', at: 'organization' },
  'trusts.delete': { operation: 'trustDelete', at: 'organization' },
  'trusts.test': { operation: 'trustTest', at: 'organization' },
  'keys.create': { operation: 'keyCreate', at: 'stage' },
  'keys.list': { operation: 'keyList', at: 'organization' },
  'keys.revoke': { operation: 'keyRevoke', at: 'organization' },
  'hooks.create': { operation: 'hookCreate', at: 'organization' },
  'hooks.list': { operation: 'hookList', at: 'organization' },
  'hooks.update': { operation: 'hookUpdate', at: 'organization' },
  'hooks.rotate': { operation: 'hookRotate', at: 'organization' },
  'hooks.delete': { operation: 'hookDelete', at: 'organization' },
  'hooks.test': { operation: 'hookTest', at: 'organization' },
  'hooks.deliveries': { operation: 'hookDeliveries', at: 'organization' },
  'hooks.redeliver': { operation: 'hookRedeliver', at: 'organization' },
  'sessions.list': { operation: 'sessionList', at: 'organization' },
  'sessions.revoke': { operation: 'sessionRevoke', at: 'organization' },
  'sessions.confirm': { operation: 'sessionConfirm', at: 'organization' },
} as const satisfies Record<
  string,
  { readonly operation: OperationName; readonly at: 'organization' | 'project' | 'stage' }
>
