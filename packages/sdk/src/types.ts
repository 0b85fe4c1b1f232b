/** The shapes that users meet. */
import type { Management } from './management.ts'
import type { WirePlace } from './stage-ref.ts'
import type { Fetch } from './transport.ts'
import type { Value } from './values.ts'
import type { Name, ValueOf } from './variables.ts'
import type { Answer, DeclaredType, Request } from './wire.ts'

/** Where variables are: slugs. */
export interface StageRef {
  readonly org: string
  readonly project: string
  readonly stage: string
}

/**
 * What decides an A/B roll: with either of them the decision is the same everywhere and for ever, without both it is random
 * each time.
 */
export interface Roll {
  /** Whom the roll is for, such as a user id. */
  readonly seed?: string | undefined
  /** Namespace of the seed, such as an experiment. */
  readonly key?: string | undefined
}

/** Where tokens come from, for tokens that change. */
export interface TokenSource {
  /** A token to use now. Throws RollkeyError, LOGIN_NEEDED if there is none. */
  token(): Promise<string>
  /** Asked when the service refused a token: another one, or undefined if there is no other. */
  renew?(refused: string): Promise<string | undefined>
}

/** Keeps the last known good values over restarts. The text has secrets in it: an implementation seals it. */
export interface Snapshot {
  /** What was saved last, or undefined if there is nothing to use. */
  load(): Promise<string | undefined>
  save(text: string): Promise<void>
}

export interface CacheOptions {
  /** So long a value is used without asking, in milliseconds; 30,000. */
  readonly ttlMs?: number
  /** Most values that are kept; 10,000. */
  readonly maxEntries?: number
  /** Whether a value of before stands while the service cannot be reached; true. */
  readonly stale?: boolean
}

export interface RetryOptions {
  /** Most attempts, the first included; 4. */
  readonly maxAttempts?: number
  /** The first wait is random up to so many milliseconds, each further one up to twice as many; 200. */
  readonly baseDelayMs?: number
  /** Most milliseconds of one wait that the service did not ask for; 5,000. */
  readonly maxDelayMs?: number
}

export interface ClientOptions extends StageRef {
  /** Address of the service, such as `https://rollkey.example.com`. */
  readonly url: string
  /** A service token or access token, or what gives one for each request. */
  readonly token: string | (() => string | Promise<string>) | TokenSource
  readonly cache?: false | CacheOptions | undefined
  /** For a start while the service cannot be reached. */
  readonly snapshot?: Snapshot | undefined
  readonly retry?: false | RetryOptions | undefined
  /** Most milliseconds of one attempt; 5,000. */
  readonly timeoutMs?: number | undefined
  /** Allows plain http to other machines than this one, which anyone on the way can read. @default false */
  readonly allowHttp?: boolean | undefined
  /** Instead of the global one. */
  readonly fetch?: Fetch | undefined
}

/** A value and how it came about. */
export interface Inspection<V = Value> {
  readonly name: string
  readonly kind: 'secret' | 'ab_roll'
  /** Parsed by the declared type. */
  readonly value: V
  /** As it is stored. */
  readonly text: string
  readonly declaredType?: DeclaredType | undefined
  /** Which value a roll gave. */
  readonly decision?: 'a' | 'b' | undefined
  /** `stale`: from before, since the service cannot be reached. */
  readonly source: 'service' | 'cache' | 'stale'
}

/** All values of a stage, as they are stored. */
export interface PullResult {
  /** Without a prototype, so that any name is safe to look up. */
  readonly variables: Readonly<Record<string, string>>
  readonly revision: number
}

export type WriteEntry = NonNullable<Request<'write'>['entries']>[number]

/** A write, all or nothing. */
export interface Write {
  readonly entries?: readonly WriteEntry[] | undefined
  /** Names. */
  readonly deletes?: readonly string[] | undefined
  /** `create_only` refuses entries that exist; `upsert` is the default. */
  readonly mode?: 'upsert' | 'create_only' | undefined
  /** Write only if the stage is at this revision; 0: only if it is new. */
  readonly ifRevision?: number | undefined
}

export interface CopyOptions {
  /** Copy only if the stage is at this revision. */
  readonly ifRevision?: number | undefined
  /** Copy only if the stage that is copied from is at this revision. */
  readonly fromRevision?: number | undefined
}

export interface RestoreOptions {
  /** Only these variables. */
  readonly names?: readonly string[] | undefined
  /** Restore only if the stage is at this revision. */
  readonly ifRevision?: number | undefined
}

export interface WatchOptions {
  /** The revision that is known already, so that a later one is told of at once; without it, the first that is seen. */
  readonly since?: number | undefined
  /** Milliseconds between two questions; 30,000. */
  readonly intervalMs?: number | undefined
  /** Ends the watch. */
  readonly signal?: AbortSignal | undefined
}

export interface Client {
  /** The value, parsed by its declared type. Calls of one tick become one request. */
  get<N extends Name>(name: N, roll?: Roll): Promise<ValueOf<N>>
  /** The value and how it came about, such as the decision of a roll. */
  inspect<N extends Name>(name: N, roll?: Roll): Promise<Inspection<ValueOf<N>>>
  /** Several values by their names, in one request. */
  getMany<N extends Name>(names: readonly N[], roll?: Roll): Promise<{ readonly [K in N]: ValueOf<K> }>
  /** All values of the stage; never from the cache. Throws STAGE_NOT_FOUND. */
  pull(roll?: Roll): Promise<PullResult>
  /** What is there, without values. Throws STAGE_NOT_FOUND. */
  list(): Promise<Answer<'list'>>
  /** What type generation needs. Throws STAGE_NOT_FOUND. */
  manifest(): Promise<Answer<'manifest'>>
  /** What stages can be compared by without seeing a value. Throws STAGE_NOT_FOUND. */
  digests(): Promise<Answer<'digests'>>
  /** Creates, updates and deletes variables; project and stage come into being with the first write. */
  write(change: Write): Promise<Answer<'write'>>
  /** Sets the chance of an A/B roll and leaves its values as they are. */
  setChance(name: string, chance: number, options?: { readonly ifRevision?: number }): Promise<Answer<'chance'>>
  /** Makes variables what they are in another stage of the organization, all or nothing. */
  copyFrom(
    from: Partial<Omit<StageRef, 'org'>>,
    names: readonly string[],
    options?: CopyOptions,
  ): Promise<Answer<'copy'>>
  /** What each revision did, the newest first, with digests in place of values. */
  history(options?: Omit<Request<'history'>, keyof WirePlace>): Promise<Answer<'history'>>
  /** Makes the variables, or those of `names`, what they were at a revision, as a new one. */
  restore(revision: number, options?: RestoreOptions): Promise<Answer<'restore'>>
  /** How often the values of an A/B roll were served, by hours; the last seconds may be missing. */
  rollCounts(name: string, span?: { readonly fromMs?: number; readonly toMs?: number }): Promise<Answer<'rollCounts'>>
  /** The projects of the organization and their stages. */
  projects(): Promise<Answer<'projects'>>
  /** Whom the token belongs to. */
  whoami(): Promise<Answer<'whoami'>>
  /** The organization as a whole, and the making of projects and stages. */
  readonly manage: Management
  /** Service tokens, for owners and admins. */
  readonly tokens: {
    create(token: Omit<Request<'tokenCreate'>, 'orgSlug'>): Promise<Answer<'tokenCreate'>>
    list(): Promise<Answer<'tokenList'>>
    revoke(id: string): Promise<Answer<'tokenRevoke'>>
  }
  /** The session of an access token. */
  readonly session: {
    show(): Promise<Answer<'session'>>
    /** Logs out. */
    end(refreshToken: string): Promise<Answer<'logout'>>
  }
  /** The same client with a roll bound to it; what a call says wins, field by field. */
  for(roll: Roll): Client
  /** The same client at another place. */
  at(place: Partial<StageRef>): Client
  /**
   * Tells of each new revision of the stage, until the signal or `close` ends it. The questions are not metered; while
   * the service cannot be reached, it goes on asking. A process that has nothing else to do may end meanwhile.
   */
  watch(listener: (change: { readonly revision: number }) => void, options?: WatchOptions): void
  /** Ends what this client, and every client made from it, has under way. */
  close(): void
}
