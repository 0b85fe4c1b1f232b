/**
 * Whether a user is still a member, and as what, asked of the provider at ROLLKEY_IDP_MEMBERSHIP_URL. The answer `member` is
 * good for a minute and is asked for again in the background before that is over. While the provider is slow or away, the
 * last answer stands for 15 minutes, so that a request waits for a quarter of a second at most (docs/decisions/0024).
 */
import { crc32 } from 'node:zlib'
import { limits, roles, type Role } from '@rollkey/contract'
import { LRUCache } from 'lru-cache'
import { BodyTooLong, boundedText } from '../base/bounded-body.ts'
import { Breaker, NeighborUnavailable } from '../base/breaker.ts'
import type { ReadSet } from '../consistency/read-set.ts'
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/api-error.ts'
import { reasonOf, type Log } from '../base/log.ts'
import { activeTimeout } from '../base/active-timeout.ts'
import { ConcurrencyLimit, type Release } from '../base/concurrency-limit.ts'

const usualWaits: Waits = { timeoutMs: 5_000, patienceMs: 250 }
/** The share of the time-out from which on a failure is slow. */
const slowShare = 0.2
/** How long no question follows one that failed, where an answer stands. */
const failureMemoryMs = 2_000
/** The age at which an answer is asked for again: spread, so that users who came together are not asked for together. */
const refreshFromMs = 30_000
const refreshSpreadMs = 20_000
/** Questions at once. One organization does not take them all. */
const slotFigures = { max: 64, maxPerKey: 32 }
const maxUsersInMemory = 100_000
const maxOrganizationsInMemory = 10_000
/** Of an answer; one that is longer names no role. */
const maxBytes = 64 * 1024

/** Who says whether a user is a member. */
export interface Members {
  /** When the user was last said to be a member, if that is good enough without asking. */
  freshAtMs(idpOrgId: string, userId: string, seenAtMs: number, reads: ReadSet): number | undefined
  /** Asks. While the provider is slow or away, an answer of `seenAtMs` or kept since stands for a time. */
  check(idpOrgId: string, userId: string, seenAtMs: number, reads: ReadSet): Promise<'member' | 'removed'>
  /** Asks and takes no old answer: the role of a member. */
  checkNow(idpOrgId: string, userId: string): Promise<Role | 'removed'>
}

type Answer = Role | 'removed'

export interface MembershipSource {
  /** Template with {orgId} and {userId}; undefined: nobody is ever asked. */
  readonly url: string | undefined
  readonly token: string | undefined
}

interface Waits {
  /** How long a request waits where no answer stands, for its turn and for the answer to its end. */
  readonly timeoutMs: number
  /** How long requests wait for a question, counted from its beginning, where an answer stands. */
  readonly patienceMs: number
}

/** The last that the provider said of a user. */
interface LastAnswer {
  readonly isMember: boolean
  readonly atMs: number
}

interface Question {
  /** Undefined if the provider could not be asked. */
  readonly answer: Promise<Answer | undefined>
  /** Ends when requests have waited long enough for it. */
  readonly patience: Promise<void>
}

interface User {
  readonly idpOrgId: string
  readonly userId: string
  last: LastAnswer | undefined
  /** The number of the question that gave it: of two, the one that was asked later counts. */
  lastQuestion: number
  failedAtMs: number
  question: Question | undefined
}

export class ExternalMembers implements Members {
  readonly #source: MembershipSource
  readonly #clock: Clock
  readonly #log: Log
  readonly #waits: Waits
  readonly #users = new LRUCache<string, User>({ maxSize: maxUsersInMemory, sizeCalculation: () => 1 })
  readonly #breakers = new LRUCache<string, Breaker>({ maxSize: maxOrganizationsInMemory, sizeCalculation: () => 1 })
  readonly #slots = new ConcurrencyLimit(slotFigures)
  #questions = 0

  constructor(source: MembershipSource, clock: Clock, log: Log, waits = usualWaits) {
    this.#source = source
    this.#clock = clock
    this.#log = log
    this.#waits = waits
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
      user.question ??= this.#question(user)
      const answer = await user.question.answer
      if (answer === undefined) throw unavailable()
      return answer === 'removed' ? 'removed' : 'member'
    }
    const question = this.#refresh(user)
    if (question) await Promise.race([question.answer, question.patience])
    return this.#latest(user, seenAtMs).isMember ? 'member' : 'removed'
  }

  async checkNow(idpOrgId: string, userId: string): Promise<Role | 'removed'> {
    if (this.#source.url === undefined) return 'member'
    // Not shared: a question that is under way may have been asked before a role was taken away.
    const answer = await this.#ask(this.#userOf(idpOrgId, userId))
    if (answer === undefined) throw unavailable()
    return answer
  }

  /** In either direction: a clock that was put back makes an answer no younger. */
  #isWithin(atMs: number, ms: number): boolean {
    return Math.abs(this.#clock.now() - atMs) <= ms
  }

  /**
   * What was said last: by the provider's answer in memory, or as of `seenAtMs` by a token or the store. Neither of these
   * outweighs a removal.
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
      user = { idpOrgId, userId, last: undefined, lastQuestion: 0, failedAtMs: -Infinity, question: undefined }
      this.#users.set(key, user)
    }
    return user
  }

  /** One an organization: a provider that answers for others is not taken for one that does not. */
  #breakerOf({ idpOrgId }: User): Breaker {
    let breaker = this.#breakers.get(idpOrgId)
    if (!breaker) {
      breaker = new Breaker({
        clock: this.#clock,
        memoryMs: failureMemoryMs,
        slowMs: this.#waits.timeoutMs * slowShare,
      })
      this.#breakers.set(idpOrgId, breaker)
    }
    return breaker
  }

  /** The question that is under way, or a new one; undefined if one failed a moment ago or too much is asked already. */
  #refresh(user: User): Question | undefined {
    if (user.question) return user.question
    if (this.#isWithin(user.failedAtMs, failureMemoryMs) || this.#breakerOf(user).isOpen) return undefined
    const release = this.#slots.tryAcquire(user.idpOrgId)
    if (release) user.question = this.#question(user, release)
    return user.question
  }

  #question(user: User, release?: Release): Question {
    const answer = this.#ask(user, release).finally(() => (user.question = undefined))
    return { answer, patience: activeTimeout(this.#waits.patienceMs) }
  }

  /** `taken`: the turn of the question, if it has one already. Undefined if the provider cannot be asked. */
  async #ask(user: User, taken?: Release): Promise<Answer | undefined> {
    const number = ++this.#questions
    const breaker = this.#breakerOf(user)
    const signal = AbortSignal.timeout(this.#waits.timeoutMs)
    let release = taken
    try {
      if (breaker.isOpen) return undefined
      release ??= await this.#slots.acquire(user.idpOrgId, signal)
      const atMs = this.#clock.now()
      const answer = await breaker.run(() => this.#request(user, signal))
      this.#keep(user, number, { isMember: answer !== 'removed', atMs })
      return answer
    } catch (error) {
      user.failedAtMs = this.#clock.now()
      if (!(error instanceof NeighborUnavailable)) {
        this.#log.warn('the identity provider cannot be asked about a membership', { reason: reasonOf(error) })
      }
      return undefined
    } finally {
      release?.()
    }
  }

  #keep({ idpOrgId, userId }: User, question: number, last: LastAnswer): void {
    // It may have left the memory while it was asked for.
    const user = this.#userOf(idpOrgId, userId)
    user.failedAtMs = -Infinity
    if (question < user.lastQuestion) return
    user.lastQuestion = question
    user.last = last
  }

  /** Throws if there is no answer that makes sense. */
  async #request({ idpOrgId, userId }: User, signal: AbortSignal): Promise<Answer> {
    const { url = '', token } = this.#source
    const filled = url
      .replaceAll('{orgId}', encodeURIComponent(idpOrgId))
      .replaceAll('{userId}', encodeURIComponent(userId))
    const response = await fetch(filled, {
      headers: { accept: 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      redirect: 'error',
      signal,
    })
    if (response.ok) return roleOf(response)
    await response.body?.cancel()
    if (response.status === 404) return 'removed'
    throw new UnexpectedStatus(response.status)
  }
}

class UnexpectedStatus extends Error {
  override readonly name = 'UnexpectedStatus'
  readonly code: string

  constructor(status: number) {
    super('an answer that says nothing of a membership')
    this.code = String(status)
  }
}

/** What the answer names; one that names no role of ours is of a member. Throws if it breaks off. */
async function roleOf(response: Response): Promise<Role> {
  const text = await boundedText(response, maxBytes).catch((error: unknown) => {
    if (error instanceof BodyTooLong) return ''
    throw error
  })
  try {
    const { role: named } = JSON.parse(text) as { role?: unknown }
    return roles.find((role) => role === named) ?? 'member'
  } catch {
    return 'member'
  }
}

function keyOf(idpOrgId: string, userId: string): string {
  return JSON.stringify([idpOrgId, userId])
}

function unavailable(): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', 'The identity provider cannot be asked whether you are still a member.')
}
