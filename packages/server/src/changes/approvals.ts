/** Who has approved a change, by the rules of the organization at this moment. */
import { canMove, countApprovals, type ApprovalCount } from '@rollkey/contract'
import { Permissions } from '../access/permissions.ts'
import type { Policy } from '../access/policy.ts'
import { changeById, reviewsOf, type ChangeRow, type ReviewRow } from '../storage/changes.ts'
import { makersOf, type Makers } from '../storage/makers.ts'
import type { Reader } from '../storage/sql.ts'

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

/** Returns whether a change still needs a review that a person can give. */
export function needsReviewBy(
  personId: string,
  { row, reviews, makers }: { row: ChangeRow; reviews: readonly ReviewRow[]; makers: Makers },
  { approvers }: ApprovalCount,
  policy: Policy,
  nowMs: number,
): boolean {
  const { approvals, selfApproval } = policy.protectionOf(placeOf(row))
  if (!canMove(row.state, 'review') || approvers.length >= approvals) return false
  if (!selfApproval && authorsOf(row, makers).includes(personId)) return false
  const hasReviewed = reviews.some(({ reviewer, digest }) => reviewer === personId && digest === row.digest)
  return !hasReviewed && mayApprove(policy, row, personId, nowMs)
}

/** The people whom a change concerns. */
export interface ChangePeople {
  /** Those whose review it needs and who can give it. */
  readonly reviewers: readonly string[]
  /** Those who made it. */
  readonly authors: readonly string[]
}

/** Returns whom of the members a change concerns; undefined if there is no such change. */
export async function peopleOfChange(
  sql: Reader,
  {
    changeId,
    policy,
    memberIds,
    nowMs,
  }: { changeId: string; policy: Policy; memberIds: readonly string[]; nowMs: number },
): Promise<ChangePeople | undefined> {
  const row = await changeById(sql, changeId)
  if (row?.org_id !== policy.id) return undefined
  const [reviews, makers] = await Promise.all([reviewsOf(sql, [row.id]), makersOf(sql, [row.proposed_by], nowMs)])
  const counted = approvalsOf(policy, row, { reviews, makers, nowMs, isMember: (id) => memberIds.includes(id) })
  const authors = authorsOf(row, makers)
  return {
    reviewers: memberIds.filter((id) => needsReviewBy(id, { row, reviews, makers }, counted, policy, nowMs)),
    authors: memberIds.filter((id) => id === row.proposed_by || authors.includes(id)),
  }
}
