/** Records what people do at the embedded provider, in the audit log of each affected organization. */
import { operatorOf, personOf, systemActorOf, type Actor } from '../storage/actor.ts'
import type { Clock } from '../base/clock.ts'
import { reasonOf, type Log } from '../base/log.ts'
import type { PersonNote } from './person-note.ts'
import { appendAudit } from '../storage/audit.ts'
import type { Sql } from '../storage/sql.ts'

/** Returns the id of an organization. If it is new, records its creation by `byOf`. */
type OrgIdOf = (idpOrgId: string, slug: string, byOf: (orgId: string) => Actor) => Promise<string>

export class PeopleLog {
  readonly #sql: Sql
  readonly #orgIdOf: OrgIdOf
  readonly #clock: Clock
  readonly #log: Log
  readonly #blocks: boolean

  /** `blocks` is whether an action that cannot be recorded is refused. */
  constructor(parts: { sql: Sql; orgIdOf: OrgIdOf; clock: Clock; log: Log; blocks: boolean }) {
    this.#sql = parts.sql
    this.#orgIdOf = parts.orgIdOf
    this.#clock = parts.clock
    this.#log = parts.log
    this.#blocks = parts.blocks
  }

  /** Records an action. Throws if that fails, unless ROLLKEY_AUDIT_REQUIRED is off. */
  async take(note: PersonNote): Promise<void> {
    try {
      await this.#take(note)
    } catch (error) {
      this.#log.error('action of a person could not be recorded in the audit log', {
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
      // The same order everywhere prevents deadlocks on the entry numbers.
      for (const orgId of ids.toSorted()) {
        const more = { ...(subject !== undefined && { subject }), ...(times !== undefined && { nameCount: times }) }
        await appendAudit(tx, byOf(orgId), { action, nowMs, ...more })
      }
    })
  }
}
