/** Proposed changes of a stage: their states, what moves them, and when they are approved (docs/change.md). */

/** The states of a change, first those in which it can still be applied. */
export const changeStates = ['open', 'failed', 'running', 'paused', 'applied', 'withdrawn', 'aborted'] as const
/**
 * The state of a change. `open`: proposed, and reviewed where its stage requires it. `failed`: it could not be applied at its time.
 * `running`: a ramp whose steps are applied at their times. `paused`: a ramp that waits for a person. The others settle the change.
 */
export type ChangeState = (typeof changeStates)[number]

/** The states in which nothing more happens to a change. Its proposed values are deleted. */
export const settledChangeStates: readonly ChangeState[] = ['applied', 'withdrawn', 'aborted']

interface Transition {
  readonly from: readonly ChangeState[]
  readonly to: ChangeState
}

/** What moves a change, and from which states to which. Everything else is refused. */
export const changeTransitions = {
  /** Its proposer changes what it proposes, or what it is based on. */
  edit: { from: ['open', 'failed'], to: 'open' },
  /** Its proposer changes when it is applied. */
  reschedule: { from: ['open', 'failed'], to: 'open' },
  /** A reviewer approves or rejects it. */
  review: { from: ['open'], to: 'open' },
  /** It is written to its stage. */
  apply: { from: ['open'], to: 'applied' },
  /** It could not be applied at its time. */
  fail: { from: ['open', 'running'], to: 'failed' },
  /** The first step of its ramp is written. */
  start: { from: ['open'], to: 'running' },
  /** A further step of its ramp is written. */
  step: { from: ['running'], to: 'running' },
  /** The next step of its ramp is left out. */
  skip: { from: ['running'], to: 'running' },
  /** Its ramp stops for a while. */
  pause: { from: ['running'], to: 'paused' },
  /** Its ramp goes on. */
  resume: { from: ['paused'], to: 'running' },
  /** The last step of its ramp is written. */
  finish: { from: ['running'], to: 'applied' },
  /** Its ramp ends at a chance that a person chooses. */
  abort: { from: ['running', 'paused'], to: 'aborted' },
  /** A person gives it up. */
  withdraw: { from: ['open', 'failed'], to: 'withdrawn' },
} as const satisfies Record<string, Transition>
/** What moves a change. */
export type ChangeMove = keyof typeof changeTransitions

/**
 * Returns whether a change in a state can be moved in a way. Never throws.
 *
 * @example
 * canMove('open', 'apply') // true
 * canMove('withdrawn', 'edit') // false
 */
export function canMove(state: ChangeState, move: ChangeMove): boolean {
  const { from }: Transition = changeTransitions[move]
  return from.includes(state)
}

/** What a reviewer says about a change. */
export const verdicts = ['approve', 'reject'] as const
/** What a reviewer says about a change. */
export type Verdict = (typeof verdicts)[number]

/** A review of a change. */
export interface ReviewOf {
  /** Id of the person. */
  readonly reviewer: string
  /** Digest of what the person reviewed. */
  readonly digest: string
  /** What they said about it. */
  readonly verdict: Verdict
}

/** A change under review. */
export interface ReviewedChange {
  /** Digest of what is proposed now. */
  readonly digest: string
  /** Ids of those who made it: the proposer and, of a service token, its creator. */
  readonly authors: readonly string[]
}

/** What the stage of a change requires of its approvals. */
export interface ApprovalRules {
  /** Number of people who must approve. 0: a change needs no approval, and neither does a direct write. */
  readonly approvals: number
  /** Whether an author of a change can be one of them. */
  readonly selfApproval: boolean
}

/** Who has approved a change and who has rejected it. */
export interface ApprovalCount {
  /** Ids of the people whose approvals count. */
  readonly approvers: readonly string[]
  /** Ids of the people whose rejections count. */
  readonly rejectors: readonly string[]
  /** Whether the approvals suffice and no one has rejected it. */
  readonly isApproved: boolean
}

/**
 * Counts the reviews of a change that are about exactly what it proposes now, by people who may approve now. Never throws.
 *
 * @example
 * const reviews = [{ reviewer: 'ada', digest: 'x', verdict: 'approve' }] as const
 * const rules = { approvals: 1, selfApproval: false }
 * countApprovals({ digest: 'x', authors: ['bob'] }, reviews, rules, () => true).isApproved // true
 */
export function countApprovals(
  { digest, authors }: ReviewedChange,
  reviews: readonly ReviewOf[],
  { approvals, selfApproval }: ApprovalRules,
  mayApprove: (reviewer: string) => boolean,
): ApprovalCount {
  const counted = reviews.filter((review) => review.digest === digest && mayApprove(review.reviewer))
  const reviewersOf = (verdict: Verdict): string[] => [
    ...new Set(counted.filter((review) => review.verdict === verdict).map(({ reviewer }) => reviewer)),
  ]
  const rejectors = reviewersOf('reject')
  const approvers = reviewersOf('approve').filter((reviewer) => selfApproval || !authors.includes(reviewer))
  return { approvers, rejectors, isApproved: approvers.length >= approvals && rejectors.length === 0 }
}
