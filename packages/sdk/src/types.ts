/** Public types of the client. */
import type { Context, DeclaredType, Kind, Value } from '@rollkey/contract/rules'
import type { Management } from './management.ts'
import type { Fetch } from './transport.ts'
import type { Name, ValueOf } from './variables.ts'
import type { Answer, Request, VariableUpdate, WriteEntry } from './wire.ts'

/** The slugs that identify a stage. */
export interface StageRef {
  /** Slug of the organization. */
  readonly org: string
  /** Slug of the project. */
  readonly project: string
  /** Slug of the stage, such as `prod`. */
  readonly stage: string
}

/**
 * The input of an A/B roll. With a seed or a key, the decision is the same everywhere and forever. Without both, it is
 * random each time.
 */
export interface Roll {
  /** Identifies the user of the evaluation, such as a user id. At most 1,024 bytes of UTF-8. @default '' */
  readonly seed?: string | undefined
  /**
   * Identifies the experiment, as a namespace of the seed. Without a seed, it gives everyone the same side. At most 1,024 bytes of UTF-8.
   *
   * @default ''
   */
  readonly key?: string | undefined
  /** Attributes of the user for targeting rules, which the service does not store. @default none: no rule matches */
  readonly context?: Context | undefined
}

/** Options of `get`. */
export interface GetOptions<D = never> extends Roll {
  /** Returned if there is no such variable, or if the service cannot answer. @default none: `get` throws */
  readonly default?: D
}

/**
 * Provides tokens that change. `sessionTokens` of `@rollkey/sdk/node` returns one for the login of a command line.
 *
 * @example
 * const source: TokenSource = {
 *   token: async () => (await vault.read('token')) ?? '',
 *   renew: async (refused) => {
 *     const token = await vault.read('token')
 *     return token === refused ? undefined : token
 *   },
 * }
 */
export interface TokenSource {
  /**
   * Returns the token for the next request. The client calls it before each request.
   *
   * @throws {RollkeyError} `LOGIN_NEEDED` if there is no token. Any error fails the call that needs the token.
   */
  token(): Promise<string>
  /**
   * Returns another token after the service refused one, or undefined if there is no other. The client then sends the
   * request once more.
   *
   * @throws {RollkeyError} `LOGIN_NEEDED` if the session has ended. Any error fails the call that needs the token.
   */
  renew?(refused: string): Promise<string | undefined>
}

/**
 * Keeps the last known good values across restarts. The text contains secrets: an implementation must encrypt it.
 * `fileSnapshot` of `@rollkey/sdk/node` is one.
 *
 * @example
 * const snapshot: Snapshot = {
 *   load: () => vault.read('rollkey'),
 *   save: (text) => vault.write('rollkey', text),
 * }
 */
export interface Snapshot {
  /**
   * Returns the text that was saved last, or undefined if there is none. The client calls it once.
   *
   * @throws Any error. The client ignores it and starts without saved values.
   */
  load(): Promise<string | undefined>
  /**
   * Saves a text. The client calls it at most once a second.
   *
   * @throws Any error. The client ignores it and saves again after the next change.
   */
  save(text: string): Promise<void>
}

/** Options of the cache. */
export interface CacheOptions {
  /** How long a cached value is served without revalidation, in milliseconds. @default 30_000 */
  readonly ttlMs?: number
  /** Maximum number of cached values. The least recently used one is evicted first. @default 10_000 */
  readonly maxEntries?: number
  /** Whether to serve an outdated value while the service cannot be reached. @default true */
  readonly stale?: boolean
}

/** Options of retries. */
export interface RetryOptions {
  /** Maximum number of attempts, including the first. @default 4 */
  readonly maxAttempts?: number
  /** Upper bound of the first random wait, in milliseconds. It doubles with each attempt. @default 200 */
  readonly baseDelayMs?: number
  /**
   * Maximum random wait, in milliseconds. A `Retry-After` of the service adds to it (RFC 9110, section 10.2.3).
   * If that is more than 30 seconds, the call fails at once.
   *
   * @default 5_000
   */
  readonly maxDelayMs?: number
}

/** Options of `createClient`. */
export interface ClientOptions extends StageRef {
  /** Address of the service, such as `https://rollkey.example.com`. */
  readonly url: string
  /** A service token or access token, or a function or source that returns one for each request. */
  readonly token: string | (() => string | Promise<string>) | TokenSource
  /** Options of the cache. `false` turns it off. @default {} (on) */
  readonly cache?: false | CacheOptions | undefined
  /**
   * Keeps the values across restarts, so that a program can start while the service cannot be reached.
   *
   * @default none: the values are only in memory
   */
  readonly snapshot?: Snapshot | undefined
  /** Options of retries. `false` turns them off. @default {} (on) */
  readonly retry?: false | RetryOptions | undefined
  /** Maximum duration of one attempt, in milliseconds. @default 5_000 */
  readonly timeoutMs?: number | undefined
  /** Allows plain http to other machines, which anyone on the network path can read. @default false */
  readonly allowHttp?: boolean | undefined
  /** Sends the requests. @default the global `fetch` */
  readonly fetch?: Fetch | undefined
}

/** A value and how it was determined. */
export interface Inspection<V = Value> {
  /** Name of the variable. */
  readonly name: string
  /** Kind of the variable. */
  readonly kind: Kind
  /** The value, parsed as the declared type. */
  readonly value: V
  /** The value as stored. */
  readonly text: string
  /** The declared type. Absent if the variable has none, which makes it a string. */
  readonly declaredType?: DeclaredType | undefined
  /** The side that an A/B roll chose. Absent for a secret. */
  readonly decision?: 'a' | 'b' | undefined
  /** Name of the side. Absent without the option `explain`, and if the roll has no labels. */
  readonly label?: string | undefined
  /** What decided an A/B roll. Absent without the option `explain`. */
  readonly step?: 'pin' | 'rule' | 'chance' | undefined
  /** Number of the targeting rule that decided, from 1. Absent without the option `explain`, and if none decided. */
  readonly rule?: number | undefined
  /** The probability of A that decided. Absent without the option `explain`, and if none decided. */
  readonly chance?: number | undefined
  /** Whether a gradual rotation made the roll, so that both values are valid. Absent without the option `explain`, and if none did. */
  readonly rotating?: true | undefined
  /**
   * Where the value is from. `local`: decided inside the program. `stale`: an outdated cached value, or a decision by an outdated ruleset,
   * since the service cannot be reached.
   */
  readonly source: 'service' | 'cache' | 'local' | 'stale'
}

/** Options of `inspect`. */
export interface InspectOptions {
  /** Whether the inspection tells the label of the side of a roll and what decided. @default false */
  readonly explain?: boolean | undefined
}

/** All values of a stage, as texts. */
export interface PullResult {
  /** The texts of the values by name, also of those with a declared type. The object has no prototype, so any name is safe to look up. */
  readonly variables: Readonly<Record<string, string>>
  /** The revision of the stage. */
  readonly revision: number
}

/** An atomic change of a stage. */
export interface Write {
  /** Variables to create or update, at most 1,000. @default [] */
  readonly entries?: readonly WriteEntry[] | undefined
  /** Names of variables to delete, at most 1,000. One that does not exist is not an error. @default [] */
  readonly deletes?: readonly string[] | undefined
  /** `create_only` fails if an entry exists already. @default 'upsert' */
  readonly mode?: 'upsert' | 'create_only' | undefined
  /** Writes only if the stage is at this revision. 0: only if the stage does not exist. @default any revision */
  readonly ifRevision?: number | undefined
}

/** Options of `copyFrom`. */
export interface CopyOptions {
  /** Copies only if the stage is at this revision. @default any revision */
  readonly ifRevision?: number | undefined
  /** Copies only if the source stage is at this revision. @default any revision */
  readonly fromRevision?: number | undefined
}

/** Options of `restore`. */
export interface RestoreOptions {
  /** Restores only these variables. @default all variables of the stage */
  readonly names?: readonly string[] | undefined
  /** Restores only if the stage is at this revision. @default any revision */
  readonly ifRevision?: number | undefined
}

/** Options of `watch`. */
export interface WatchOptions {
  /** The revision that you have. The listener is called for any other. @default the first revision seen */
  readonly since?: number | undefined
  /** Interval between two requests while there is no stream, in milliseconds. @default 30_000 */
  readonly intervalMs?: number | undefined
  /** Ends the watch. @default none: only `close` ends it */
  readonly signal?: AbortSignal | undefined
  /**
   * Reports that the stream is lost and a request has failed too (`false`), and that the service answers again (`true`). Must not
   * throw.
   *
   * @default none
   */
  readonly onReachable?: ((isReachable: boolean) => void) | undefined
}

/** A new revision of a stage. */
export interface StageChange {
  /** The revision. */
  readonly revision: number
  /** The variables that changed since the revision before, by name. Absent if that is not known, as after polling. */
  readonly names?: readonly string[] | undefined
}

/** Options of `local`. */
export interface LocalOptions {
  /** Only these variables, at most 1,000, secrets among them. @default all rolls, and other variables that are not secret */
  readonly names?: readonly string[] | undefined
  /** Keeps the ruleset across restarts, so that a program can start while the service cannot be reached. @default none */
  readonly snapshot?: Snapshot | undefined
  /** Interval between two requests for a change while there is no stream, in milliseconds. @default 30_000 */
  readonly intervalMs?: number | undefined
  /** How long a ruleset is used that the service has not confirmed, in milliseconds. @default no limit */
  readonly maxStaleMs?: number | undefined
  /** Whether decisions are reported, for the statistics of rolls and the list of unused variables. @default true */
  readonly reports?: boolean | undefined
}

/**
 * The events of decisions inside the program. What a listener throws becomes an unhandled rejection.
 *
 * @example
 * const onStale: LocalListeners['stale'] = (isStale) => console.warn(isStale ? 'deciding by an old ruleset' : 'up to date')
 */
export interface LocalListeners {
  /** Receives each new revision. @throws Any error, which becomes an unhandled rejection. */
  readonly change: (change: StageChange) => void
  /** Receives whether the ruleset may be outdated, when that changes. @throws Any error, which becomes an unhandled rejection. */
  readonly stale: (isStale: boolean) => void
}

/**
 * Decisions inside the program, without a request: the same as those of the service. Changes arrive on the stream of the project, or
 * within 30 seconds while there is none.
 *
 * @example
 * const local = await rollkey.local()
 * const isNew = local.get('NEW_CHECKOUT', { seed: user.id })
 * process.once('SIGTERM', () => void local.close())
 */
export interface Local {
  /**
   * Returns the value of a variable, parsed as its declared type.
   *
   * @throws {RollkeyError} `NOT_LOCAL` for a name that is not in the ruleset, such as that of a secret; `INVALID_REQUEST` for a seed or key
   * that the service would refuse; `INVALID_ANSWER` if the value cannot be parsed; `UNAUTHORIZED`, `FORBIDDEN` or another refusal since
   * the service refuses the token; `UNREACHABLE` after `maxStaleMs` without an answer; `CLOSED` after `close`.
   * @example
   * const isNew = local.get('NEW_CHECKOUT', { seed: user.id })
   */
  get<N extends Name>(name: N, roll?: Roll): ValueOf<N>
  /**
   * Returns the value of a variable with its kind, and of a roll with the label of the side and what decided.
   *
   * @throws {RollkeyError} The errors of `get`.
   * @example
   * const { value, label, step } = local.inspect('NEW_CHECKOUT', { seed: user.id })
   */
  inspect<N extends Name>(name: N, roll?: Roll): Inspection<ValueOf<N>>
  /**
   * The revision of the ruleset.
   *
   * @throws {RollkeyError} The errors of `get` that do not depend on a name.
   */
  readonly revision: number
  /** Whether the ruleset may be outdated, because the service cannot be reached. */
  readonly isStale: boolean
  /**
   * Calls a listener for each event. Returns a function that ends that. Never throws.
   *
   * @example
   * const stop = local.on('change', ({ revision }) => console.log(`revision ${revision}`))
   */
  on<Event extends keyof LocalListeners>(event: Event, listener: LocalListeners[Event]): () => void
  /**
   * Reports the last decisions and ends the updates. Later decisions fail with `CLOSED`. Never throws.
   *
   * @example
   * await local.close()
   */
  close(): Promise<void>
}

/**
 * A client of one stage. Every method that returns a promise can reject with these errors, each a `RollkeyError`:
 *
 * - `UNREACHABLE`, `SERVICE_UNAVAILABLE`, `RATE_LIMITED`, `REQUEST_TIMEOUT` or `INTERNAL` after the last attempt
 * - `UNAUTHORIZED` if the service refuses the token, `LOGIN_NEEDED` if a token source has none
 * - `INVALID_ORG_SCOPE`, `ORG_SCOPE_INVALID` or `FORBIDDEN` if the token does not give access
 * - `INVALID_REQUEST` if an option does not exist, or it or `PAYLOAD_TOO_LARGE` if an argument breaks a rule of the service
 * - `INVALID_SETTING` if the token is malformed, `INVALID_ANSWER` if the address is not that of a Rollkey service
 * - `CLOSED` after `close`
 */
export interface Client {
  /**
   * Returns the value of a variable, parsed as its declared type. Calls in the same tick share one request.
   *
   * With `default`, it returns that where the stage does not exist or has no such variable, and during an outage without an earlier
   * value in the cache (errors with `retry: 'backoff'`). It still throws for what a person must mend, such as a refused token.
   *
   * @throws {RollkeyError} `VARIABLE_NOT_FOUND` if the stage does not exist or has no such variable, `EVALUATION_FAILED` if
   * its value cannot be decrypted, `USAGE_LIMIT_EXCEEDED` or `BILLING_UNAVAILABLE` if it cannot be billed, or the errors of
   * every call.
   * @example
   * const limit = await rollkey.get('LIMIT')
   * const isNew = await rollkey.get('NEW_CHECKOUT', { seed: user.id, default: false })
   */
  get<N extends Name, D = never>(name: N, options?: GetOptions<D>): Promise<ValueOf<N> | D>
  /**
   * Returns the value of a variable with its kind, source and the decision of a roll. The cache keeps an explained answer apart
   * from one without explanation.
   *
   * @throws {RollkeyError} The errors of `get`.
   * @example
   * const { value, decision, source } = await rollkey.inspect('NEW_CHECKOUT', { seed: user.id })
   * const { label, step } = await rollkey.inspect('NEW_CHECKOUT', { seed: user.id }, { explain: true }) // 'on', 'chance'
   */
  inspect<N extends Name>(name: N, roll?: Roll, options?: InspectOptions): Promise<Inspection<ValueOf<N>>>
  /**
   * Fetches the rolls of the stage and its variables that are not secret, to decide inside the program, synchronously and without a
   * request for each user. Secrets stay with the service, unless `names` names them. Each new ruleset is one billing event.
   *
   * @throws {RollkeyError} `STAGE_NOT_FOUND` if the stage does not exist, `EVALUATION_FAILED` if a value cannot be decrypted,
   * `USAGE_LIMIT_EXCEEDED` or `BILLING_UNAVAILABLE` if the ruleset cannot be billed, or the errors of every call; none of an outage if
   * there is a snapshot.
   * @example
   * const local = await rollkey.local()
   * const isNew = local.get('NEW_CHECKOUT', { seed: user.id, context: { plan: 'pro' } })
   */
  local(options?: LocalOptions): Promise<Local>
  /**
   * Returns several values by their names. Up to 1,000 that are not in the cache take one request. The object has no prototype,
   * so any name is safe to look up.
   *
   * @throws {RollkeyError} The errors of `get`, if one of the values has one.
   * @example
   * const { API_KEY, LIMIT } = await rollkey.getMany(['API_KEY', 'LIMIT'])
   */
  getMany<N extends Name>(names: readonly N[], roll?: Roll): Promise<{ readonly [K in N]: ValueOf<K> }>
  /**
   * Returns all values of the stage as the texts of an environment, never from the cache: a boolean is `'true'` or `'false'`. `get` and
   * `getMany` return values of the declared type. A pull is one billing event.
   *
   * @throws {RollkeyError} `STAGE_NOT_FOUND` if the stage does not exist, `EVALUATION_FAILED` if a value cannot be
   * decrypted, `USAGE_LIMIT_EXCEEDED` or `BILLING_UNAVAILABLE` if the pull cannot be billed, or the errors of every call.
   * @example
   * const { variables, revision } = await rollkey.pull()
   */
  pull(roll?: Roll): Promise<PullResult>
  /**
   * Lists the variables of the stage without their values. The call is not metered.
   *
   * @throws {RollkeyError} `STAGE_NOT_FOUND` if the stage does not exist, or the errors of every call.
   * @example
   * const { variables, revision } = await rollkey.list()
   * const names = variables.map(({ name }) => name)
   */
  list(): Promise<Answer<'list'>>
  /**
   * Returns the names, kinds and declared types of the variables, for type generation. The call is not metered.
   *
   * @throws {RollkeyError} `STAGE_NOT_FOUND` if the stage does not exist, or the errors of every call.
   * @example
   * const { variables } = await rollkey.manifest()
   * const typed = variables.filter(({ declaredType }) => declaredType !== undefined)
   */
  manifest(): Promise<Answer<'manifest'>>
  /**
   * Returns an HMAC-SHA-256 of each value, to compare stages of one organization without seeing a value. With `valuesHidden`, because the
   * caller may not read the stage, they only compare the states of one variable. The call is not metered.
   *
   * @throws {RollkeyError} `STAGE_NOT_FOUND` if the stage does not exist, or the errors of every call.
   * @example
   * const { variables } = await rollkey.at({ stage: 'staging' }).digests()
   * const apiKey = variables.find(({ name }) => name === 'API_KEY')?.digests.value
   */
  digests(): Promise<Answer<'digests'>>
  /**
   * Creates, updates and deletes variables atomically. The first write creates the project and the stage, unless the
   * organization has turned that off.
   *
   * @throws {RollkeyError} `REVISION_CONFLICT` if the stage is not at `ifRevision`, `INVALID_REQUEST` if a value does not
   * match its declared type, `USAGE_LIMIT_EXCEEDED` if the plan has no storage left, `BILLING_UNAVAILABLE`, or the errors of
   * every call.
   * @example
   * await rollkey.write({
   *   entries: [{ kind: 'secret', name: 'API_KEY', value: 'abc' }],
   *   deletes: ['OLD_KEY'],
   * })
   */
  write(change: Write): Promise<Answer<'write'>>
  /**
   * Changes variables and keeps their values, atomically: at most 1,000, with what changes of each. That is how a roll decides (`chance`,
   * `labels`, `rules`, `pins` or seeds to `pin` and `unpin`), and `exposure` and `description`. What is absent stays, and `null` clears.
   *
   * @throws {RollkeyError} `VARIABLE_NOT_FOUND` if there is no such variable, `INVALID_REQUEST` if a secret would change as only a roll
   * can, `REVISION_CONFLICT` if the stage is not at `ifRevision`, `EVALUATION_FAILED` if pins change and cannot be decrypted,
   * `USAGE_LIMIT_EXCEEDED` if the plan has no storage left for them, `BILLING_UNAVAILABLE`, or the errors of every call.
   * @example
   * await rollkey.update([{ name: 'NEW_CHECKOUT', chance: 0.5, pin: { a: ['user-1'] } }])
   * await rollkey.update([{ name: 'LIMIT', exposure: 'plain' }, { name: 'BANNER', description: null }])
   */
  update(
    updates: readonly VariableUpdate[],
    options?: {
      /** Changes the variables only if the stage is at this revision. @default any revision */
      readonly ifRevision?: number
    },
  ): Promise<Answer<'update'>>
  /**
   * Stops an A/B roll: everyone gets B, without targeting rules and pins. `restore` undoes it.
   *
   * @throws {RollkeyError} The errors of `update`.
   * @example
   * const { revision } = await rollkey.stopRoll('NEW_CHECKOUT')
   * await rollkey.restore(revision - 1, { names: ['NEW_CHECKOUT'] })
   */
  stopRoll(
    name: string,
    options?: {
      /** Stops the roll only if the stage is at this revision. @default any revision */
      readonly ifRevision?: number
    },
  ): Promise<Answer<'update'>>
  /**
   * Returns the pins of an A/B roll, for signed-in people. The audit log records each call.
   *
   * @throws {RollkeyError} `VARIABLE_NOT_FOUND` if there is no such variable, `INVALID_REQUEST` if it is a secret,
   * `EVALUATION_FAILED` if the pins cannot be decrypted, `CONFIRMATION_REQUIRED` on a protected stage unless the person signed in or
   * confirmed the session within the last 15 minutes, or the errors of every call.
   * @example
   * const { a, b } = await rollkey.pins('NEW_CHECKOUT')
   */
  pins(name: string): Promise<Answer<'pins'>>
  /**
   * Explains which step of an A/B roll decides: a pin, a targeting rule or the chance. It returns no value and is not metered.
   *
   * @throws {RollkeyError} `VARIABLE_NOT_FOUND` if there is no such variable, `INVALID_REQUEST` if it is a secret,
   * `EVALUATION_FAILED` if the pins cannot be decrypted, or the errors of every call.
   * @example
   * const { decision, text } = await rollkey.explain('NEW_CHECKOUT', { seed: 'user-1', context: { plan: 'pro' } })
   */
  explain(name: string, roll?: Roll): Promise<Answer<'explain'>>
  /**
   * Copies variables from another stage of the organization, atomically: at most 1,000 names, each with its values, kind,
   * declared type and attributes.
   *
   * @throws {RollkeyError} `VARIABLE_NOT_FOUND` if the source stage lacks one of them, `REVISION_CONFLICT` if a stage is not
   * at the expected revision, `EVALUATION_FAILED` if a value cannot be decrypted, `USAGE_LIMIT_EXCEEDED` if the plan has no
   * storage left, or the errors of every call.
   * @example
   * await rollkey.copyFrom({ stage: 'staging' }, ['API_KEY', 'LIMIT'])
   */
  copyFrom(
    from: Partial<Omit<StageRef, 'org'>>,
    names: readonly string[],
    options?: CopyOptions,
  ): Promise<Answer<'copy'>>
  /**
   * Lists the changes of the stage, newest first, with digests in place of values. For the next page, pass the last
   * `revision` as `before`. A service token needs the right `history`.
   *
   * @throws {RollkeyError} The errors of every call.
   * @example
   * const { changes } = await rollkey.history({ name: 'API_KEY', limit: 10 })
   * for (const { revision, change, writtenAtMs } of changes) console.log(revision, change, new Date(writtenAtMs))
   */
  history(options?: Omit<Request<'history'>, keyof Request<'list'>>): Promise<Answer<'history'>>
  /**
   * Restores the variables to their state at an earlier revision. This makes a new revision, unless nothing differs. A service
   * token needs the right `history`.
   *
   * @throws {RollkeyError} `VARIABLE_NOT_FOUND` if one of `names` exists neither then nor now, `INVALID_REQUEST` if the
   * revision is not in the history, `REVISION_CONFLICT` if the stage is not at `ifRevision`, `USAGE_LIMIT_EXCEEDED` if the plan
   * has no storage left, or the errors of every call.
   * @example
   * await rollkey.restore(41, { names: ['API_KEY'] })
   */
  restore(revision: number, options?: RestoreOptions): Promise<Answer<'restore'>>
  /**
   * Returns how many times each side of an A/B roll was served, by UTC hour, for up to 90 days. The last seconds may be
   * missing.
   *
   * @throws {RollkeyError} `VARIABLE_NOT_FOUND` if there is no such variable, or the errors of every call.
   * @example
   * const dayMs = 24 * 3_600_000
   * const { hours } = await rollkey.rollCounts('CHECKOUT_FLOW', { fromMs: Date.now() - dayMs })
   * const servedA = hours.reduce((sum, { a }) => sum + a, 0)
   */
  rollCounts(
    name: string,
    span?: {
      /** Hours that began at this time or later. Unix time in milliseconds. @default the earliest */
      readonly fromMs?: number
      /** Hours that began before this time. Unix time in milliseconds. @default the latest */
      readonly toMs?: number
    },
  ): Promise<Answer<'rollCounts'>>
  /**
   * Lists the projects of the organization and their stages. A service token sees those within its token scope.
   *
   * @throws {RollkeyError} The errors of every call.
   * @example
   * const { projects } = await rollkey.projects()
   * const stages = projects.find(({ projectSlug }) => projectSlug === 'shop')?.stages
   */
  projects(): Promise<Answer<'projects'>>
  /**
   * Returns the owner and the rights of the token.
   *
   * @throws {RollkeyError} The errors of every call.
   * @example
   * const { orgSlug, serviceToken } = await rollkey.whoami()
   * const isReadOnly = serviceToken?.readOnly === true
   */
  whoami(): Promise<Answer<'whoami'>>
  /** Management of the organization, its projects and its stages. */
  readonly manage: Management
  /**
   * Service tokens, for signed-in owners and admins. A service token cannot manage others.
   *
   * @example
   * const { id, token } = await rollkey.tokens.create({
   *   name: 'shop in production',
   *   projectSlug: 'shop',
   *   stageSlug: 'prod',
   *   readOnly: true,
   *   expiresInDays: 90,
   * })
   * const { tokens } = await rollkey.tokens.list()
   * await rollkey.tokens.revoke(id)
   */
  readonly tokens: {
    /**
     * Creates a service token. The answer is the only one that contains the token.
     *
     * @throws {RollkeyError} `INVALID_REQUEST` if it would be valid for longer than the operator allows, `FORBIDDEN` if it would allow
     * more than you are allowed, `CONFIRMATION_REQUIRED` if it reads a protected stage unless the person signed in or confirmed the
     * session within the last 15 minutes, or the errors of every call.
     */
    create(token: Omit<Request<'tokenCreate'>, 'orgSlug'>): Promise<Answer<'tokenCreate'>>
    /**
     * Lists the service tokens that are neither revoked nor expired, oldest first.
     *
     * @throws {RollkeyError} The errors of every call.
     */
    list(): Promise<Answer<'tokenList'>>
    /**
     * Replaces the secret of a service token. The answer is the only one that contains the new one. The former one works for
     * 24 hours more, or for `overlapHours`.
     *
     * @throws {RollkeyError} `NOT_FOUND` if there is no such token, `FORBIDDEN` if it allows more than you are allowed,
     * `CONFIRMATION_REQUIRED` if it reads a protected stage unless the person signed in or confirmed the session within the last 15
     * minutes, or the errors of every call.
     */
    rotate(id: string, options?: Omit<Request<'tokenRotate'>, 'orgSlug' | 'id'>): Promise<Answer<'tokenRotate'>>
    /**
     * Revokes a service token, starting with the next request.
     *
     * @throws {RollkeyError} `NOT_FOUND` if there is no such token, or the errors of every call.
     */
    revoke(id: string): Promise<Answer<'tokenRevoke'>>
  }
  /**
   * The session of an access token.
   *
   * @example
   * const { idpUserId, refreshTokenExpiresAtMs } = await rollkey.session.show()
   * await rollkey.session.end(refreshToken)
   */
  readonly session: {
    /**
     * Returns the session that the access token belongs to.
     *
     * @throws {RollkeyError} `UNAUTHORIZED` if the token is not an access token, or the errors of every call.
     */
    show(): Promise<Answer<'session'>>
    /**
     * Logs out: ends the session that the refresh token belongs to.
     *
     * @throws {RollkeyError} `UNAUTHORIZED` if the refresh token does not belong to the user, or the errors of every call.
     */
    end(refreshToken: string): Promise<Answer<'logout'>>
  }
  /**
   * Returns a client that uses this roll by default. The roll of a call overrides it, field by field.
   *
   * @throws {RollkeyError} `INVALID_REQUEST` if an option does not exist.
   * @example
   * const forUser = rollkey.for({ seed: user.id })
   * const isNew = await forUser.get('NEW_CHECKOUT')
   */
  for(roll: Roll): Client
  /**
   * Returns a client of another stage. It shares the connection and the cache. Never throws.
   *
   * @example
   * const staging = rollkey.at({ stage: 'staging' })
   */
  at(stageRef: Partial<StageRef>): Client
  /**
   * Calls the listener for each new revision of the stage, until the signal or `close` ends the watch. Revisions arrive on a
   * stream, about a second after the change. All watches of a project share one stream. One that ends or is silent for 35 seconds
   * is opened again and sends what was missed. While it cannot be opened (an older service, a proxy that holds it back, more
   * streams than the service allows), the client polls, which is not metered. A watch does not keep a Node process alive.
   * An error that the listener throws ends the watch and becomes an unhandled rejection.
   *
   * @throws {RollkeyError} `INVALID_REQUEST` if an option does not exist.
   * @example
   * const stop = new AbortController()
   * rollkey.watch(({ revision, names }) => console.log(`revision ${revision}`, names), { signal: stop.signal })
   */
  watch(listener: (change: StageChange) => void, options?: WatchOptions): void
  /**
   * Closes this client and every client made from it. Calls in progress and later calls fail with `CLOSED`. Never throws.
   *
   * @example
   * process.once('SIGTERM', () => rollkey.close())
   */
  close(): void
}
