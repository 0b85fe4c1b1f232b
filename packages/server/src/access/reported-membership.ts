/** Keeps a person in the groups that an identity provider reports, of those that stand for groups of the provider. */
import type { Caller } from '../auth/authenticate.ts'
import type { ReportedGroups } from '../auth/reported-groups.ts'
import type { Clock } from '../base/clock.ts'
import {
  addGroupMember,
  advanceAccess,
  advanceReport,
  removeGroupMember,
  reportedGroupsOf,
  type ReportedGroupRow,
} from '../storage/access.ts'
import { systemActorOf } from '../storage/actor.ts'
import { appendAudit } from '../storage/audit.ts'
import type { Tx } from '../storage/sql.ts'
import { memberEvent } from './events.ts'

type Person = Pick<Caller, 'orgId' | 'userId'>

/**
 * Applies a report. It reads the groups in the transaction, so that people who sign in at once do not wait for each other to be
 * decided again.
 */
export async function applyReport(
  tx: Tx,
  clock: Clock,
  person: Person,
  { names, asOfMs }: ReportedGroups,
): Promise<void> {
  const { orgId, userId } = person
  const member = `user:${userId}`
  if (!(await advanceAccess(tx, orgId)) || !(await advanceReport(tx, orgId, member, asOfMs))) return
  const changes = changesTo(await reportedGroupsOf(tx, orgId, member), new Set(names))
  await follow(tx, clock, person, changes)
}

/** Returns the groups that the person joins or leaves. */
export function changesTo(groups: readonly ReportedGroupRow[], names: ReadonlySet<string>): ReportedGroupRow[] {
  return groups.filter(({ idp_group: name, is_member: isMember }) => names.has(name) !== (isMember === 1))
}

/** Makes the person join or leave each group. */
export async function follow(
  tx: Tx,
  clock: Clock,
  { orgId, userId }: Person,
  changes: ReportedGroupRow[],
): Promise<void> {
  const member = `user:${userId}` as const
  const actor = systemActorOf({ orgId, userId }, 'identity provider')
  const nowMs = clock.now()
  for (const { id, is_member: isMember } of changes) {
    if (isMember === 1) await removeGroupMember(tx, id, member)
    else await addGroupMember(tx, { groupId: id, member, nowMs, by: userId })
    const action = isMember === 1 ? 'group.leave' : 'group.join'
    await appendAudit(tx, actor, { ...memberEvent(action, id, member), nowMs })
  }
}
