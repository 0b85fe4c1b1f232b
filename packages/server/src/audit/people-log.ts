/** Notes what people do at the embedded provider, in the log of every organization that it concerns. */
import { operatorOf, personOf, systemActorOf, type Actor } from '../base/actor.ts'
import type { Clock } from '../base/clock.ts'
import { reasonOf, type Log } from '../base/log.ts'
import type { PersonNote } from '../base/person-note.ts'
import { appendAudit } from '../storage/audit.ts'
import type { Sql } from '../storage/sql.ts'

/** The id of an organization here; one that was never seen is noted as brought by `byOf`. */
type OrgIdOf = (idpOrgId: string, slug: string, byOf: (orgId: string) => Actor) => Promise<string>

export class PeopleLog {
  readonly #sql: Sql
  readonly #orgIdOf: OrgIdOf
  readonly #clock: Clock
  readonly #log: Log
  readonly #blocks: boolean

  /** `blocks`: what cannot be noted may not be done. */
  constructor(parts: { sql: Sql; orgIdOf: OrgIdOf; clock: Clock; log: Log; blocks: boolean }) {
    this.#sql = parts.sql
    this.#orgIdOf = parts.orgIdOf
    this.#clock = parts.clock
    this.#log = parts.log
    this.#blocks = parts.blocks
  }

  /** Throws if it cannot be noted, unless the setting lets people go on. */
  async take(note: PersonNote): Promise<void> {
    try {
      await this.#take(note)
    } catch (error) {
      this.#log.error('what a person does cannot be noted in the audit log', {
        name: note.action,
        reason: reasonOf(error),
      })
      if (this.#blocks) throw error
    }
  }

  async #take({ action, userId, organizations, subject, times }: PersonNote): Promise<void> {
    const byOf = (orgId: string): Actor => {
      if (userId === undefined) return operatorOf(orgId)
      return times === undefined ? personOf({ orgId, userId }) : systemActorOf({ orgId, userId }, 'wrong password')
    }
    const ids = await Promise.all(organizations.map(({ id, slug }) => this.#orgIdOf(id, slug, byOf)))
    if (action === 'organization.create') return
    const nowMs = this.#clock.now()
    await this.#sql.tx(async (tx) => {
      // In one order, so that two do not wait for each other's numbers.
      for (const orgId of ids.toSorted()) {
        const more = { ...(subject !== undefined && { subject }), ...(times !== undefined && { nameCount: times }) }
        await appendAudit(tx, byOf(orgId), { action, nowMs, ...more })
      }
    })
  }
}
