/**
 * Looks up memberships for the service's checks. A membership stays in memory until a request to the provider changes it, so a
 * removal takes effect with the next request.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Role } from '@rollkey/contract'
import type { ReadSet } from '../consistency/read-set.ts'
import type { LogicalClock } from '../consistency/read-validator.ts'
import type { Clock } from '../base/clock.ts'
import { CoherentCache } from '../consistency/coherent-cache.ts'
import type { Directory } from './directory.ts'
import type { Change } from './watched-adapter.ts'

const maxInMemory = 100_000

interface Member {
  readonly orgId: string
  readonly userId: string
}

export class EmbeddedMembers {
  readonly #directory: Directory
  readonly #clock: Clock
  readonly #cache: CoherentCache<Member>
  /** Keys of the memberships that the current request changes. */
  readonly #changed = new AsyncLocalStorage<Set<string>>()

  constructor(directory: Directory, clock: Clock, logicalClock: LogicalClock) {
    this.#directory = directory
    this.#clock = clock
    this.#cache = new CoherentCache({ max: maxInMemory, kind: 'member', logicalClock })
  }

  freshAtMs(orgId: string, userId: string, _: number, reads: ReadSet): number | undefined {
    return this.#cache.peek(keyOf(orgId, userId), reads) && this.#clock.now()
  }

  async check(orgId: string, userId: string, _: number, reads: ReadSet): Promise<'member' | 'removed'> {
    const known = await this.#cache.get(keyOf(orgId, userId), () => this.#read(orgId, userId), reads)
    return known ? 'member' : 'removed'
  }

  async #read(orgId: string, userId: string): Promise<Member | undefined> {
    return (await this.#directory.membership(orgId, userId)) && { orgId, userId }
  }

  async checkNow(orgId: string, userId: string): Promise<Role | 'removed'> {
    return (await this.#directory.membership(orgId, userId))?.role ?? 'removed'
  }

  /** Records which memberships are about to change. */
  async before({ operation, rows }: Change): Promise<void> {
    if (!operation.startsWith('member ')) return
    for (const { organizationId, userId } of await rows()) {
      this.#changed.getStore()?.add(keyOf(String(organizationId), String(userId)))
    }
  }

  /** Runs the work. Before it resolves or rejects, forgets every membership that the work changed or may have changed. */
  async forgetChanged<T>(work: () => Promise<T>): Promise<T> {
    const changed = new Set<string>()
    try {
      return await this.#changed.run(changed, work)
    } finally {
      for (const key of changed) this.#cache.forget(key)
    }
  }
}

function keyOf(orgId: string, userId: string): string {
  return `${orgId} ${userId}`
}
