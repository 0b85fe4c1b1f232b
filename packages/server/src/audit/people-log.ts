/** Records what people do at the embedded provider, in the audit log of each affected organization. */
import { operatorActorOf, personActorOf, systemActorOf, type Actor } from '../storage/actor.ts'
import type { Clock } from '../base/clock.ts'
import { reasonOf, type Log } from '../base/log.ts'
import type { PersonAuditEvent } from './person-event.ts'
import { appendAudit } from '../storage/audit.ts'
import type { Sql, Tx } from '../storage/sql.ts'

/**
 * Returns the id of an organization, or undefined if it was deleted. If it is new, creates it and records the actor that `byOf`
 * returns.
 */
type OrgIdOf = (idpOrgId: string, slug: string, byOf: (orgId: string) => Actor) => Promise<string | undefined>

/** What changes in an organization when a person joins or leaves it, in the transaction that records that. */
interface MemberChanges {
  join(tx: Tx, actor: Actor, person: { readonly userId: string; readonly email: string }): Promise<void>
  leave(tx: Tx, actor: Actor, userId: string): Promise<void>
  /** Called when it is done, or may be done. */
  forget(orgId: string): void
}

export class PeopleLog {
  readonly #sql: Sql
  readonly #orgIdOf: OrgIdOf
  readonly #clock: Clock
  readonly #log: Log
  readonly #isRequired: boolean
  readonly #memberChanges: MemberChanges

  /** `isRequired` is whether an action that cannot be recorded is refused. */
  constructor(parts: {
    sql: Sql
    orgIdOf: OrgIdOf
    clock: Clock
    log: Log
    isRequired: boolean
    memberChanges: MemberChanges
  }) {
    this.#sql = parts.sql
    this.#orgIdOf = parts.orgIdOf
    this.#clock = parts.clock
    this.#log = parts.log
    this.#isRequired = parts.isRequired
    this.#memberChanges = parts.memberChanges
  }

  /** Records an action. Throws if that fails, unless ROLLKEY_AUDIT_REQUIRED is off. */
  async record(action: PersonAuditEvent): Promise<void> {
    try {
      await this.#append(action)
    } catch (error) {
      this.#log.error('action of a person could not be recorded in the audit log', {
        name: action.event.action,
        reason: reasonOf(error),
      })
      if (this.#isRequired) throw error
    }
  }

  async #append({ event, userId, organizations, times, joins, leaves, reason }: PersonAuditEvent): Promise<void> {
    const actorOf = (orgId: string): Actor => {
      if (userId === undefined) return operatorActorOf(orgId)
      const why = times === undefined ? reason : 'wrong password'
      return why === undefined ? personActorOf({ orgId, userId }) : systemActorOf({ orgId, userId }, why)
    }
    const found = await Promise.all(organizations.map(({ id, slug }) => this.#orgIdOf(id, slug, actorOf)))
    // The log of a deleted organization ends with its deletion. The provider forgets its members a moment later.
    const ids = found.filter((id) => id !== undefined)
    if (event.action === 'organization.create') return
    const nowMs = this.#clock.now()
    const memberChanges = this.#memberChanges
    await this.#sql
      .tx(async (tx) => {
        // The same order everywhere prevents deadlocks on the entry numbers.
        for (const orgId of ids.toSorted()) {
          // First, because it locks the organization, as every change of access does before it adds its entry.
          if (leaves) await memberChanges.leave(tx, actorOf(orgId), leaves.userId)
          if (joins) await memberChanges.join(tx, actorOf(orgId), joins)
          await appendAudit(tx, actorOf(orgId), { ...event, nowMs, ...(times !== undefined && { nameCount: times }) })
        }
      })
      .finally(() => {
        if (joins || leaves) for (const orgId of ids) memberChanges.forget(orgId)
      })
  }
}
