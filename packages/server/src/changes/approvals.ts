/** Who has approved a change, by the rules of the organization at this moment. */
import { countApprovals, type ApprovalCount } from '@rollkey/contract'
import { Permissions } from '../access/permissions.ts'
import type { Policy } from '../access/policy.ts'
import type { ChangeRow, ReviewRow } from '../storage/changes.ts'

/** Returns the ids of those who made a change. */
export function authorsOf({ authors }: Pick<ChangeRow, 'authors'>): string[] {
  return JSON.parse(authors) as string[]
}

export function placeOf({ project_slug, stage_slug }: Pick<ChangeRow, 'project_slug' | 'stage_slug'>) {
  return { projectSlug: project_slug, stageSlug: stage_slug }
}

/** Returns whether a person may approve the change by their grants. */
export function mayApprove(policy: Policy, row: ChangeRow, userId: string, nowMs: number): boolean {
  return Permissions.of({ userId }, policy, nowMs).allows('approve', placeOf(row))
}

/**
 * Counts the reviews of a change. An approval counts while the person has `approve` at the stage. `isMember`, if it is there, leaves out
 * those whom the identity provider has removed.
 */
export function approvalsOf(
  policy: Policy,
  row: ChangeRow,
  reviews: readonly ReviewRow[],
  nowMs: number,
  isMember: (userId: string) => boolean = () => true,
): ApprovalCount {
  const rules = policy.protectionOf(placeOf(row))
  return countApprovals(
    { digest: row.digest, authors: authorsOf(row) },
    reviews,
    rules,
    (reviewer) => isMember(reviewer) && mayApprove(policy, row, reviewer, nowMs),
  )
}
