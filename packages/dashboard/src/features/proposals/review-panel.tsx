import type { Change } from '@rollkey/sdk/core'
import { Group, Text } from '@mantine/core'
import { useViewer } from '../../session/viewer.ts'
import { Panel } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { usePersonName } from '../../data/members.ts'
import { stateOf } from '../../parts/plans/state.ts'
import { labels } from './labels.ts'
import classes from './proposals.module.css'
import { approvalsText, mayReview } from './your-review.tsx'

interface ProposalProps {
  readonly proposal: Change
}

/** Shows the reviews, unless there are none and the head of the page, or the form of a review, says how many are missing. */
export function ReviewPanel({ proposal }: ProposalProps) {
  const { approvals, reviews, state, proposedBy } = proposal
  const personName = usePersonName()
  const { userId } = useViewer()
  const isReviewing = mayReview(proposal, userId)
  const count = approvalsText(proposal)
  const isSaid = isReviewing || stateOf(proposal, 0).text === count
  const isWaiting = state === 'open' && proposedBy === userId && !isReviewing && !approvals.isApproved
  if (isSaid && !isWaiting && reviews.length === 0) return null
  return (
    <Panel title={labels.reviews} lead={isSaid ? undefined : count}>
      {reviews.length > 0 && (
        <ul className={`plain-list ${classes['reviews']}`}>
          {reviews.map(({ reviewer, verdict, comment, reviewedAtMs, isCurrent, counts }) => (
            <li key={`${reviewer} ${reviewedAtMs}`}>
              <Group gap="xs">
                <Text fw={500}>{personName(reviewer)}</Text>
                <Text c={verdict === 'reject' ? 'var(--danger-text)' : 'var(--accent-text)'}>
                  {labels.verdicts[verdict]}
                </Text>
                <Text size="sm" c="dimmed">
                  <RelativeTime ms={reviewedAtMs} />
                </Text>
              </Group>
              {comment !== undefined && <Text className="wrapping">{comment}</Text>}
              {!counts && (
                <Text size="sm" c="dimmed">
                  {isCurrent ? labels.uncounted : labels.voided}
                </Text>
              )}
            </li>
          ))}
        </ul>
      )}
      {isWaiting && (
        <Text size="sm" c="dimmed">
          {approvals.rejectors.length > 0 ? labels.ownRejected : labels.ownChange}
        </Text>
      )}
    </Panel>
  )
}
