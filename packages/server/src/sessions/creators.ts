/** Reports whether the creators of service tokens are still members, without waiting long for a slow provider. */
import { activeTimeout } from '../upstream/active-timeout.ts'
import type { AskMembership } from './sessions.ts'

/** How long a list waits for the provider. */
const waitMs = 1_000

export type CreatorStatus = 'member' | 'left' | 'unknown'

export class Creators {
  readonly #askMembership: AskMembership | undefined

  /** `askMembership` is undefined if the provider cannot be asked. */
  constructor(askMembership: AskMembership | undefined) {
    this.#askMembership = askMembership
  }

  /** Returns the status of each user in the organization. */
  async statusesOf(idpOrgId: string, userIds: ReadonlySet<string>): Promise<Map<string, CreatorStatus>> {
    const timeout = activeTimeout(waitMs)
    const all = [...userIds].map(async (userId) => [userId, await this.#status(idpOrgId, userId, timeout)] as const)
    return new Map(await Promise.all(all))
  }

  async #status(idpOrgId: string, userId: string, timeout: Promise<void>): Promise<CreatorStatus> {
    if (!this.#askMembership) return 'unknown'
    const answer = this.#askMembership(idpOrgId, userId).catch(() => undefined)
    const role = await Promise.race([answer, timeout])
    if (role === undefined) return 'unknown'
    return role === 'removed' ? 'left' : 'member'
  }
}
