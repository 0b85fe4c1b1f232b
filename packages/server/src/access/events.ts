/** What the audit log says about changes of the rules. */
import { isDeepStrictEqual } from 'node:util'
import type { AuditFacts, Place } from '@rollkey/contract'
import type { AuditEvent } from '../storage/audit.ts'
import type { Principal } from './policy.ts'
import { namedPrincipal } from './principals.ts'

type TrustAction = 'trust.create' | 'trust.update' | 'trust.delete'

/** A trust before or after a change, as the audit log describes it. */
type TrustState = NonNullable<AuditFacts<TrustAction>['after']>

/** Returns the audit event of a trust that changed: what differs. A state is undefined where there was, or is, no trust. */
export function trustEvent(
  action: TrustAction,
  { id, name, projectSlug, stageSlug }: Place & { readonly id: string; readonly name: string },
  before: TrustState | undefined,
  after: TrustState | undefined,
): AuditEvent {
  return {
    action,
    ...(projectSlug !== undefined && { projectSlug }),
    ...(stageSlug !== undefined && { stageSlug }),
    facts: {
      trustId: id,
      name,
      before: before && differing(before, after),
      after: after && differing(after, before),
    },
  }
}

/** Returns the fields of a state that differ from another state. */
function differing(state: TrustState, other: TrustState = {}): TrustState {
  const entries = Object.entries(state).filter(
    ([field, value]) => !isDeepStrictEqual(value, other[field as keyof TrustState]),
  )
  return Object.fromEntries(entries)
}

/** Returns the audit event of a member who joined a group or left it. */
export function memberEvent(action: 'group.join' | 'group.leave', groupId: string, member: Principal): AuditEvent {
  return { action, facts: { groupId, principal: namedPrincipal(member) } }
}
