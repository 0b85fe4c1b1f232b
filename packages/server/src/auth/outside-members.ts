/**
 * Whether a user is still a member, and as what, asked of the provider at ROLLKEY_IDP_MEMBERSHIP_URL (RULINGS, "Identity"): the
 * answer `member` is good for a minute, stands for fifteen while the provider cannot be asked, and `removed` is not kept.
 */
import { limits, roles, type Role } from '@rollkey/contract'
import { LRUCache } from 'lru-cache'
import type { Claims } from '../base/claims.ts'
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'
import { reasonOf, type Log } from '../base/log.ts'

const timeoutMs = 5_000
const mostInMemory = 100_000
/** Of an answer; one that is longer names no role. */
const mostBytes = 64 * 1024

/** Who says whether a user is a member. */
export interface Members {
  /** When the user was last said to be a member, if that is good enough without asking. */
  freshAtMs(idpOrgId: string, userId: string, seenAtMs: number, claims: Claims): number | undefined
  /** Asks. While nobody can be asked, an answer of `seenAtMs` or kept since stands for a time. */
  check(idpOrgId: string, userId: string, seenAtMs: number, claims: Claims): Promise<'member' | 'removed'>
  /** Asks and takes no old answer: the role of a member. */
  checkNow(idpOrgId: string, userId: string): Promise<Role | 'removed'>
}

type Answer = Role | 'removed' | 'unavailable'

export interface MembershipSource {
  /** Template with {orgId} and {userId}; undefined: nobody is ever asked. */
  readonly url: string | undefined
  readonly token: string | undefined
}

export class OutsideMembers implements Members {
  readonly #source: MembershipSource
  readonly #clock: Clock
  readonly #log: Log
  /** When each user was last said to be a member. */
  readonly #seenAtMs = new LRUCache<string, number>({ maxSize: mostInMemory, sizeCalculation: () => 1 })
  readonly #asking = new Map<string, Promise<Answer>>()

  constructor(source: MembershipSource, clock: Clock, log: Log) {
    this.#source = source
    this.#clock = clock
    this.#log = log
  }

  freshAtMs(idpOrgId: string, userId: string, seenAtMs: number): number | undefined {
    const nowMs = this.#clock.now()
    if (this.#source.url === undefined) return nowMs
    const latest = Math.max(seenAtMs, this.#seenAtMs.get(keyOf(idpOrgId, userId)) ?? -Infinity)
    return nowMs - latest <= limits.membershipFreshMs ? latest : undefined
  }

  async check(idpOrgId: string, userId: string, seenAtMs: number): Promise<'member' | 'removed'> {
    const answer = await this.#ask(idpOrgId, userId)
    if (answer !== 'unavailable') return answer === 'removed' ? 'removed' : 'member'
    const latest = Math.max(seenAtMs, this.#seenAtMs.get(keyOf(idpOrgId, userId)) ?? -Infinity)
    if (this.#clock.now() - latest <= limits.membershipStaleMs) return 'member'
    throw unavailable()
  }

  async checkNow(idpOrgId: string, userId: string): Promise<Role | 'removed'> {
    // Not shared: a question that is under way may have been asked before a role was taken away.
    const answer = await this.#request(idpOrgId, userId)
    if (answer === 'unavailable') throw unavailable()
    return answer
  }

  #ask(idpOrgId: string, userId: string): Promise<Answer> {
    const key = keyOf(idpOrgId, userId)
    let asking = this.#asking.get(key)
    if (!asking) {
      asking = this.#request(idpOrgId, userId).finally(() => this.#asking.delete(key))
      this.#asking.set(key, asking)
    }
    return asking
  }

  async #request(idpOrgId: string, userId: string): Promise<Answer> {
    const { url, token } = this.#source
    if (url === undefined) return 'member'
    const askedAtMs = this.#clock.now()
    const filled = url
      .replaceAll('{orgId}', encodeURIComponent(idpOrgId))
      .replaceAll('{userId}', encodeURIComponent(userId))
    try {
      const response = await fetch(filled, {
        headers: { accept: 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      })
      if (response.ok) {
        const role = await roleOf(response)
        this.#seenAtMs.set(keyOf(idpOrgId, userId), askedAtMs)
        return role
      }
      await response.body?.cancel()
      if (response.status === 404) {
        this.#seenAtMs.delete(keyOf(idpOrgId, userId))
        return 'removed'
      }
      this.#log.warn('the membership answer of the identity provider makes no sense', { status: response.status })
    } catch (error) {
      this.#log.warn('the identity provider cannot be asked about a membership', { reason: reasonOf(error) })
    }
    return 'unavailable'
  }
}

/** What the answer names; one that names no role of ours is of a member. Throws if it breaks off. */
async function roleOf({ body }: Response): Promise<Role> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > mostBytes) return 'member'
    chunks.push(chunk)
  }
  try {
    const { role: named } = JSON.parse(Buffer.concat(chunks).toString()) as { role?: unknown }
    return roles.find((role) => role === named) ?? 'member'
  } catch {
    return 'member'
  }
}

function keyOf(idpOrgId: string, userId: string): string {
  return JSON.stringify([idpOrgId, userId])
}

function unavailable(): Fault {
  return new Fault('SERVICE_UNAVAILABLE', 'The identity provider cannot be asked whether you are still a member.')
}
