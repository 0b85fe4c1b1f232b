/** Keeps a person in the groups that the identity provider reports, of those that stand for groups of the provider. */
import type { Caller } from '../auth/authenticate.ts'
import type { ReportedGroups } from '../auth/reported-groups.ts'
import type { Clock } from '../base/clock.ts'
import { addGroupMember, advanceAccess, advanceReport, removeGroupMember, reportedGroupsOf } from '../storage/access.ts'
import { systemActorOf } from '../storage/actor.ts'
import { appendAudit } from '../storage/audit.ts'
import type { Tx } from '../storage/sql.ts'

/**
 * Applies a report. It reads the groups in the transaction, so that people who sign in at once do not wait for each other to be
 * decided again.
 */
export async function applyReport(
  tx: Tx,
  clock: Clock,
  { orgId, userId }: Pick<Caller, 'orgId' | 'userId'>,
  { names, asOfMs }: ReportedGroups,
): Promise<void> {
  const member = `user:${userId}`
  if (!(await advanceAccess(tx, orgId)) || !(await advanceReport(tx, orgId, member, asOfMs))) return
  const actor = systemActorOf({ orgId, userId }, 'identity provider')
  const nowMs = clock.now()
  for (const { id, idp_group: name, is_member: isMember } of await reportedGroupsOf(tx, orgId, member)) {
    const isReported = names.includes(name)
    if (isReported === (isMember === 1)) continue
    if (isReported) await addGroupMember(tx, { groupId: id, member, nowMs, by: userId })
    else await removeGroupMember(tx, id, member)
    await appendAudit(tx, actor, {
      action: isReported ? 'group.join' : 'group.leave',
      subject: `${id} ${member}`,
      nowMs,
    })
  }
}
