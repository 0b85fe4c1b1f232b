/** Whether the people who created something are still members, for a list that waits for no slow provider. */
import { activeTimeout } from '../base/active-timeout.ts'
import type { AskMembership } from './sessions.ts'

const waitMs = 1_000

export type CreatorStatus = 'member' | 'left' | 'unknown'

export class Creators {
  readonly #askMembership: AskMembership | undefined

  /** `askMembership`: undefined where no one can be asked. */
  constructor(askMembership: AskMembership | undefined) {
    this.#askMembership = askMembership
  }

  /** Returns the standing of each user in the organization. */
  async of(idpOrgId: string, userIds: ReadonlySet<string>): Promise<Map<string, CreatorStatus>> {
    const waited = activeTimeout(waitMs)
    const all = [...userIds].map(async (userId) => [userId, await this.#standing(idpOrgId, userId, waited)] as const)
    return new Map(await Promise.all(all))
  }

  async #standing(idpOrgId: string, userId: string, waited: Promise<void>): Promise<CreatorStatus> {
    if (!this.#askMembership) return 'unknown'
    const answer = this.#askMembership(idpOrgId, userId).catch(() => undefined)
    const role = await Promise.race([answer, waited])
    if (role === undefined) return 'unknown'
    return role === 'removed' ? 'left' : 'member'
  }
}
