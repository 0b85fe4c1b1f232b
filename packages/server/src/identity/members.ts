/**
 * Who is a member, for the service's checks. An answer is kept until something may have changed, which only a request to
 * the provider can do, so that a removal holds from the very next request on.
 */
import type { Clock } from '../base/clock.ts'
import { CoherentCache } from '../base/coherent-cache.ts'
import type { Directory, Membership } from './directory.ts'

const mostInMemory = 100_000

export class EmbeddedMembers {
  readonly #directory: Directory
  readonly #clock: Clock
  readonly #known = new CoherentCache<Membership>({ most: mostInMemory })

  constructor(directory: Directory, clock: Clock) {
    this.#directory = directory
    this.#clock = clock
  }

  freshAtMs(orgId: string, userId: string): number | undefined {
    return this.#known.peek(keyOf(orgId, userId)) && this.#clock.now()
  }

  async check(orgId: string, userId: string): Promise<'member' | 'removed'> {
    const known = await this.#known.get(keyOf(orgId, userId), () => this.#directory.membership(orgId, userId))
    return known ? 'member' : 'removed'
  }

  async checkNow(orgId: string, userId: string): Promise<'member' | 'removed'> {
    return (await this.#directory.membership(orgId, userId)) ? 'member' : 'removed'
  }

  forget(): void {
    this.#known.forgetWhere(() => true)
  }
}

function keyOf(orgId: string, userId: string): string {
  return `${orgId} ${userId}`
}
