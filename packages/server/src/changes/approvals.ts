/** Who has approved a change, by the rules of the organization at this moment. */
import { countApprovals, type ApprovalCount } from '@rollkey/contract'
import { Permissions } from '../access/permissions.ts'
import type { Policy } from '../access/policy.ts'
import type { ChangeRow, ReviewRow } from '../storage/changes.ts'
import type { Makers } from '../storage/makers.ts'

/**
 * Returns the ids of those who made a change: the one who proposed it, and who could act as that service token or trust when it was
 * proposed or edited, or can now, by `makers`. The approval of none of them counts.
 */
export function authorsOf(
  { authors, proposed_by }: Pick<ChangeRow, 'authors' | 'proposed_by'>,
  makers: Makers,
): string[] {
  return [...new Set([...(JSON.parse(authors) as string[]), ...(makers.get(proposed_by) ?? [])])]
}

export function placeOf({ project_slug, stage_slug }: Pick<ChangeRow, 'project_slug' | 'stage_slug'>) {
  return { projectSlug: project_slug, stageSlug: stage_slug }
}

/** Returns whether a person may approve the change by their grants. */
export function mayApprove(policy: Policy, row: ChangeRow, userId: string, nowMs: number): boolean {
  return Permissions.of({ userId }, policy, nowMs).allows('approve', placeOf(row))
}

interface ReviewsNow {
  readonly reviews: readonly ReviewRow[]
  readonly makers: Makers
  readonly nowMs: number
  /** Leaves out those whom the identity provider has removed. @default no one */
  readonly isMember?: (userId: string) => boolean
}

/** Counts the reviews of a change. An approval counts while the person has `approve` at the stage, and is not an author. */
export function approvalsOf(
  policy: Policy,
  row: ChangeRow,
  { reviews, makers, nowMs, isMember = () => true }: ReviewsNow,
): ApprovalCount {
  const rules = policy.protectionOf(placeOf(row))
  return countApprovals(
    { digest: row.digest, authors: authorsOf(row, makers) },
    reviews,
    rules,
    (reviewer) => isMember(reviewer) && mayApprove(policy, row, reviewer, nowMs),
  )
}
