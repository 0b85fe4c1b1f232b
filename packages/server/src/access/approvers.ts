/** Whether a stage has enough people who may approve. The answer names no one, so everyone who sees the stage may know it. */
import { gives, type Place } from '@rollkey/contract'
import type { Policy } from './policy.ts'

/**
 * Returns the ids of the people who may approve on a protected stage; undefined if only the identity provider knows them all. Only
 * grants on the stage itself count.
 */
function approversOf(policy: Policy, place: Place, nowMs: number): ReadonlySet<string> | undefined {
  const guarded = policy.guarded(place)
  const principals = policy
    .grantsOn(place)
    .filter((grant) => gives(grant, 'approve', guarded, nowMs))
    .map(({ principal }) => principal)
  const groups = principals.filter((principal) => principal.startsWith('group:'))
  if (groups.some((group) => policy.isReported(group))) return undefined
  const members = [...principals, ...groups.flatMap((group) => policy.membersOf(group))]
  return new Set(members.filter((each) => each.startsWith('user:')).map((each) => each.slice('user:'.length)))
}

/** Returns whether too few people may approve a change of a stage that these people made. */
export function lacksApprovers(policy: Policy, place: Place, authors: readonly string[], nowMs: number): boolean {
  const { approvals, selfApproval } = policy.protectionOf(place)
  if (approvals === 0) return false
  const approvers = approversOf(policy, place, nowMs)
  const able = approvers && [...approvers].filter((id) => selfApproval || !authors.includes(id))
  return able !== undefined && able.length < approvals
}
