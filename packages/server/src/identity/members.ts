/**
 * Who is a member, for the service's checks. An answer is kept until something may have changed, which only a request to
 * the provider can do, so that a removal holds from the very next request on.
 */
import type { Role } from '@rollkey/contract'
import type { Claims, Moments } from '../base/claims.ts'
import type { Clock } from '../base/clock.ts'
import { CoherentCache } from '../base/coherent-cache.ts'
import type { Directory } from './directory.ts'

const mostInMemory = 100_000

interface Member {
  readonly orgId: string
  readonly userId: string
}

export class EmbeddedMembers {
  readonly #directory: Directory
  readonly #clock: Clock
  readonly #known: CoherentCache<Member>

  constructor(directory: Directory, clock: Clock, moments: Moments) {
    this.#directory = directory
    this.#clock = clock
    this.#known = new CoherentCache({ most: mostInMemory, kind: 'member', moments })
  }

  freshAtMs(orgId: string, userId: string, _: number, claims: Claims): number | undefined {
    return this.#known.peek(keyOf(orgId, userId), claims) && this.#clock.now()
  }

  async check(orgId: string, userId: string, _: number, claims: Claims): Promise<'member' | 'removed'> {
    const known = await this.#known.get(keyOf(orgId, userId), () => this.#read(orgId, userId), claims)
    return known ? 'member' : 'removed'
  }

  async #read(orgId: string, userId: string): Promise<Member | undefined> {
    return (await this.#directory.membership(orgId, userId)) && { orgId, userId }
  }

  async checkNow(orgId: string, userId: string): Promise<Role | 'removed'> {
    return (await this.#directory.membership(orgId, userId))?.role ?? 'removed'
  }

  forget(): void {
    this.#known.forgetWhere(() => true)
  }
}

function keyOf(orgId: string, userId: string): string {
  return `${orgId} ${userId}`
}
