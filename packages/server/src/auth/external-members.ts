/**
 * Asks the provider at ROLLKEY_IDP_MEMBERSHIP_URL whether a user is still a member, and with which role. The answer `member` is
 * valid for a minute, and the service refreshes it in the background before that. While the provider is slow or down, the last
 * answer stays valid for 15 minutes, so a request waits a quarter of a second at most (docs/decisions/0024).
 */
import { crc32 } from 'node:zlib'
import { limits, roles, type Role } from '@rollkey/contract'
import { LRUCache } from 'lru-cache'
import { BodyTooLong, boundedText } from '../upstream/bounded-body.ts'
import { Breaker, UpstreamUnavailable } from '../upstream/breaker.ts'
import type { ReadSet } from '../consistency/read-set.ts'
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/api-error.ts'
import { reasonOf, type Log } from '../base/log.ts'
import { activeTimeout } from '../upstream/active-timeout.ts'
import { groupNamesIn, type ReportedGroups } from './reported-groups.ts'
import { ConcurrencyLimit, type Release } from '../upstream/concurrency-limit.ts'

const defaultTimeouts: Timeouts = { timeoutMs: 5_000, refreshTimeoutMs: 250 }
/** The fraction of the timeout after which a failure counts as slow. */
const slowFraction = 0.2
/** How long the service waits after a failed request before the next one, if it has a valid answer. */
const failureMemoryMs = 2_000
/** The age at which an answer is refreshed. It is spread, so that users who arrived together are not refreshed together. */
const refreshFromMs = 30_000
const refreshSpreadMs = 20_000
/** Maximum concurrent requests, in total and per organization, so that one organization cannot use all of them. */
const concurrencyBounds = { max: 64, maxPerKey: 32 }
const maxUsersInMemory = 100_000
const maxOrganizationsInMemory = 10_000
/** Maximum length of an answer. A longer one counts as an answer without a role. */
const maxBytes = 64 * 1024

/** The source of memberships. */
export interface Members {
  /** Returns when the user was last known to be a member; undefined if that is too old and the provider must be asked. */
  freshAtMs(idpOrgId: string, userId: string, seenAtMs: number, reads: ReadSet): number | undefined
  /**
   * Asks whether the user is a member. While the provider is slow or down, an answer as of `seenAtMs` or later stays valid for a
   * limited time.
   */
  check(idpOrgId: string, userId: string, seenAtMs: number, reads: ReadSet): Promise<'member' | 'removed'>
  /** Asks for the role of the user and accepts no older answer. */
  checkNow(idpOrgId: string, userId: string): Promise<Role | 'removed'>
  /** Returns what the provider last said about the user's groups, without asking. Absent if the provider is not asked. */
  groupsOf?(idpOrgId: string, userId: string): ReportedGroups | undefined
}

type Answer = Role | 'removed'

/** A complete response of the provider. */
interface Report {
  readonly answer: Answer
  /** Undefined if the response does not say. */
  readonly groups?: readonly string[]
}

export interface MembershipSource {
  /** URL template with {orgId} and {userId}; undefined: memberships are never checked. */
  readonly url: string | undefined
  readonly token: string | undefined
  /** Ids of the users who are owners if there is no URL. @default none */
  readonly ownerIds?: readonly string[]
  /** Whether groups in the answer count. @default false */
  readonly hasGroups?: boolean
}

interface Timeouts {
  /** How long a request without a valid answer waits for its slot and the complete response of the provider. */
  readonly timeoutMs: number
  /** How long a request with a valid answer waits for a refresh, counted from the start of that refresh. */
  readonly refreshTimeoutMs: number
}

/** The provider's last answer about a user. */
interface LastAnswer {
  readonly isMember: boolean
  readonly atMs: number
  readonly groups?: ReportedGroups
}

/** A request to the provider that has not ended. */
interface PendingRequest {
  /** Undefined if the provider was unavailable. */
  readonly answer: Promise<Answer | undefined>
  /** Ends when requests have waited long enough for it. */
  readonly refreshTimeout: Promise<void>
}

interface User {
  readonly idpOrgId: string
  readonly userId: string
  last: LastAnswer | undefined
  /** The number of the request that returned `last`. An answer to an earlier request never replaces that of a later one. */
  lastRequest: number
  failedAtMs: number
  pending: PendingRequest | undefined
}

export class ExternalMembers implements Members {
  readonly #source: MembershipSource
  readonly #clock: Clock
  readonly #log: Log
  readonly #timeouts: Timeouts
  readonly #users = new LRUCache<string, User>({ maxSize: maxUsersInMemory, sizeCalculation: () => 1 })
  readonly #breakers = new LRUCache<string, Breaker>({ maxSize: maxOrganizationsInMemory, sizeCalculation: () => 1 })
  readonly #slots = new ConcurrencyLimit(concurrencyBounds)
  #requests = 0

  constructor(source: MembershipSource, clock: Clock, log: Log, timeouts = defaultTimeouts) {
    this.#source = source
    this.#clock = clock
    this.#log = log
    this.#timeouts = timeouts
  }

  freshAtMs(idpOrgId: string, userId: string, seenAtMs: number): number | undefined {
    if (this.#source.url === undefined) return this.#clock.now()
    const key = keyOf(idpOrgId, userId)
    const user = this.#users.get(key)
    const { isMember, atMs } = this.#latest(user, seenAtMs)
    if (!isMember || !this.#isWithin(atMs, limits.membershipFreshMs)) return undefined
    if (!this.#isWithin(atMs, refreshFromMs + (crc32(key) % refreshSpreadMs))) {
      this.#refresh(user ?? this.#userOf(idpOrgId, userId))
    }
    return atMs
  }

  async check(idpOrgId: string, userId: string, seenAtMs: number): Promise<'member' | 'removed'> {
    if (this.#source.url === undefined) return 'member'
    const user = this.#userOf(idpOrgId, userId)
    if (!this.#isWithin(this.#latest(user, seenAtMs).atMs, limits.membershipStaleMs)) {
      user.pending ??= this.#start(user)
      const answer = await user.pending.answer
      if (answer === undefined) throw unavailable()
      return answer === 'removed' ? 'removed' : 'member'
    }
    const pending = this.#refresh(user)
    if (pending) await Promise.race([pending.answer, pending.refreshTimeout])
    return this.#latest(user, seenAtMs).isMember ? 'member' : 'removed'
  }

  async checkNow(idpOrgId: string, userId: string): Promise<Role | 'removed'> {
    if (this.#source.url === undefined) return this.#source.ownerIds?.includes(userId) ? 'owner' : 'member'
    // The request is not shared: one that is already running may have started before a role was withdrawn.
    const answer = await this.#ask(this.#userOf(idpOrgId, userId))
    if (answer === undefined) throw unavailable()
    return answer
  }

  groupsOf(idpOrgId: string, userId: string): ReportedGroups | undefined {
    return this.#source.hasGroups ? this.#users.get(keyOf(idpOrgId, userId))?.last?.groups : undefined
  }

  /** Returns whether a time is at most this far away in either direction, so a clock that was set back keeps no answer valid. */
  #isWithin(atMs: number, ms: number): boolean {
    return Math.abs(this.#clock.now() - atMs) <= ms
  }

  /**
   * Returns the latest answer: the provider's answer in memory, or membership as of `seenAtMs` according to a token or the store.
   * A token or the store never overrides a removal.
   */
  #latest(user: User | undefined, seenAtMs: number): LastAnswer {
    const last = user?.last
    if (last?.isMember === false && this.#isWithin(last.atMs, limits.membershipStaleMs)) return last
    return { isMember: true, atMs: last?.isMember ? Math.max(last.atMs, seenAtMs) : seenAtMs }
  }

  #userOf(idpOrgId: string, userId: string): User {
    const key = keyOf(idpOrgId, userId)
    let user = this.#users.get(key)
    if (!user) {
      user = { idpOrgId, userId, last: undefined, lastRequest: 0, failedAtMs: -Infinity, pending: undefined }
      this.#users.set(key, user)
    }
    return user
  }

  /** Returns the breaker of an organization. Failures for one organization do not stop requests for others. */
  #breakerOf({ idpOrgId }: User): Breaker {
    let breaker = this.#breakers.get(idpOrgId)
    if (!breaker) {
      breaker = new Breaker({
        clock: this.#clock,
        memoryMs: failureMemoryMs,
        slowMs: this.#timeouts.timeoutMs * slowFraction,
      })
      this.#breakers.set(idpOrgId, breaker)
    }
    return breaker
  }

  /** Returns the running or a new request; undefined if one failed just now or too many are running. */
  #refresh(user: User): PendingRequest | undefined {
    if (user.pending) return user.pending
    if (this.#isWithin(user.failedAtMs, failureMemoryMs) || this.#breakerOf(user).isOpen) return undefined
    const release = this.#slots.tryAcquire(user.idpOrgId)
    if (release) user.pending = this.#start(user, release)
    return user.pending
  }

  #start(user: User, release?: Release): PendingRequest {
    const answer = this.#ask(user, release).finally(() => (user.pending = undefined))
    return { answer, refreshTimeout: activeTimeout(this.#timeouts.refreshTimeoutMs) }
  }

  /** Asks the provider. `acquired`: the slot, if the request has one already. Returns undefined if the provider is unavailable. */
  async #ask(user: User, acquired?: Release): Promise<Answer | undefined> {
    const number = ++this.#requests
    const breaker = this.#breakerOf(user)
    const signal = AbortSignal.timeout(this.#timeouts.timeoutMs)
    let release = acquired
    try {
      if (breaker.isOpen) return undefined
      release ??= await this.#slots.acquire(user.idpOrgId, signal)
      const atMs = this.#clock.now()
      const { answer, groups } = await breaker.run(() => this.#request(user, signal))
      const reported = groups && { groups: { names: groups, asOfMs: atMs } }
      this.#remember(user, number, { isMember: answer !== 'removed', atMs, ...reported })
      return answer
    } catch (error) {
      user.failedAtMs = this.#clock.now()
      if (!(error instanceof UpstreamUnavailable)) {
        this.#log.warn('membership request to the identity provider failed', { reason: reasonOf(error) })
      }
      return undefined
    } finally {
      release?.()
    }
  }

  #remember({ idpOrgId, userId }: User, number: number, last: LastAnswer): void {
    // The cache may have evicted the user during the request.
    const user = this.#userOf(idpOrgId, userId)
    user.failedAtMs = -Infinity
    if (number < user.lastRequest) return
    user.lastRequest = number
    user.last = last
  }

  /** Requests the membership. Throws if there is no answer or its status is unexpected. */
  async #request({ idpOrgId, userId }: User, signal: AbortSignal): Promise<Report> {
    const { url = '', token } = this.#source
    const filled = url
      .replaceAll('{orgId}', encodeURIComponent(idpOrgId))
      .replaceAll('{userId}', encodeURIComponent(userId))
    const response = await fetch(filled, {
      headers: { accept: 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      redirect: 'error',
      signal,
    })
    if (response.ok) return reportIn(response)
    await response.body?.cancel()
    if (response.status === 404) return { answer: 'removed' }
    throw new UnexpectedStatus(response.status)
  }
}

class UnexpectedStatus extends Error {
  override readonly name = 'UnexpectedStatus'
  readonly code: string

  constructor(status: number) {
    super('membership endpoint returned an unexpected status (expected 200 or 404)')
    this.code = String(status)
  }
}

/** Returns what a response says. One without a known role means `member`. Throws if the response is incomplete. */
async function reportIn(response: Response): Promise<Report> {
  const text = await boundedText(response, maxBytes).catch((error: unknown) => {
    if (error instanceof BodyTooLong) return ''
    throw error
  })
  try {
    const { role: given, groups } = JSON.parse(text) as { role?: unknown; groups?: unknown }
    const answer = roles.find((role) => role === given) ?? 'member'
    return { answer, ...(groups !== undefined && { groups: groupNamesIn(groups) }) }
  } catch {
    return { answer: 'member' }
  }
}

function keyOf(idpOrgId: string, userId: string): string {
  return JSON.stringify([idpOrgId, userId])
}

function unavailable(): ApiError {
  return new ApiError(
    'SERVICE_UNAVAILABLE',
    'The identity provider is unavailable, so your membership cannot be checked: try again later.',
  )
}
