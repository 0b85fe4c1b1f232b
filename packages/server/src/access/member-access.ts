/** What changes when people join and leave: what was granted to their email becomes theirs, and nothing stays behind. */
import type { Actor } from '../storage/actor.ts'
import type { Clock } from '../base/clock.ts'
import {
  addGroupMember,
  advanceAccess,
  deleteGrantsOf,
  putGrant,
  removeFromGroups,
  type GrantRow,
} from '../storage/access.ts'
import { appendAudit, type AuditEvent } from '../storage/audit.ts'
import type { Tx } from '../storage/sql.ts'
import type { Access } from './access.ts'
import { memberEvent } from './events.ts'
import { grantEvent, placeOf, revokeEvent } from './grants.ts'
import type { Principal } from './policy.ts'

export class MemberAccess {
  readonly #clock: Clock
  readonly #access: Pick<Access, 'forget'>

  constructor({ clock, access }: { clock: Clock; access: Pick<Access, 'forget'> }) {
    this.#clock = clock
    this.#access = access
  }

  forget(orgId: string): void {
    this.#access.forget(orgId)
  }

  /** Gives a person who joins, or whose email changes, what was granted to that email. */
  async join(tx: Tx, actor: Actor, { userId, email }: { userId: string; email: string }): Promise<void> {
    await this.#move(tx, actor, `email:${email.toLowerCase()}`, `user:${userId}`)
  }

  /** Deletes the grants of a person who leaves. */
  async leave(tx: Tx, actor: Actor, userId: string): Promise<void> {
    await this.#move(tx, actor, `user:${userId}`, undefined)
  }

  async #move(tx: Tx, actor: Actor, from: Principal, to: Principal | undefined): Promise<void> {
    const { orgId } = actor
    if (!(await advanceAccess(tx, orgId))) return
    const nowMs = this.#clock.now()
    const grants = await deleteGrantsOf(tx, orgId, from)
    const groups = await removeFromGroups(tx, orgId, from)
    const events: AuditEvent[] = [
      ...grants.map(revokeEvent),
      ...groups.map((id) => memberEvent('group.leave', id, from)),
    ]
    if (to !== undefined) {
      for (const row of grants) {
        const { role, expiresAtMs } = roleOf(row)
        await putGrant(tx, orgId, { principal: to, place: placeOf(row), role, expiresAtMs, nowMs, by: row.granted_by })
        events.push(grantEvent('access.grant', to, placeOf(row), undefined, roleOf(row)))
      }
      for (const id of groups) {
        await addGroupMember(tx, { groupId: id, member: to, nowMs, by: actor.id })
        events.push(memberEvent('group.join', id, to))
      }
    }
    for (const event of events) await appendAudit(tx, actor, { ...event, nowMs })
  }
}

function roleOf({ role, expires_at_ms }: GrantRow): { role: string; expiresAtMs: number | undefined } {
  return { role, expiresAtMs: expires_at_ms ?? undefined }
}
