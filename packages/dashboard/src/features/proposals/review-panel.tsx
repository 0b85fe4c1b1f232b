import type { Change } from '@rollkey/sdk/core'
import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { ask, useScope } from '../../session/scope.ts'
import { useViewer } from '../../session/viewer.ts'
import { BusyButton } from '../../ui/buttons.tsx'
import { focusOn } from '../../ui/focus.ts'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { usePersonName } from '../../data/members.ts'
import { namesOf, placeOf, useProposalChange } from '../../data/proposals/queries.ts'
import { labels as planLabels } from '../../parts/plans/labels.ts'
import { labels } from './labels.ts'
import classes from './proposals.module.css'

interface ProposalProps {
  readonly proposal: Change
}

/** Returns the key by which the button that applies a change gets the focus. */
export function applyFocus(id: string): string {
  return `apply:${id}`
}

/** Id of the form of a review. */
const reviewForm = 'review'

/** Returns whether the viewer can give a review that counts: a first one, or another than the changes that they requested. */
export function mayReview({ state, needsYou, approvals }: Change, userId = ''): boolean {
  return state === 'open' && (needsYou || approvals.rejectors.includes(userId))
}

/** Approves with the comment of the form below, in the head of the page. */
export function ApproveButton({ proposal }: ProposalProps) {
  const { userId } = useViewer()
  if (!mayReview(proposal, userId)) return null
  return (
    <Button type="submit" form={reviewForm}>
      {labels.approve}
    </Button>
  )
}

/** Shows the reviews, and lets the viewer give one. */
export function ReviewPanel({ proposal }: ProposalProps) {
  const { approvals, reviews, state, proposedBy } = proposal
  const personName = usePersonName()
  const { userId } = useViewer()
  const lead =
    approvals.required === 0 ? labels.noApproval : planLabels.approvals(approvals.approvers.length, approvals.required)
  return (
    <Panel title={labels.reviews} lead={lead}>
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
      {mayReview(proposal, userId) && <ReviewForm proposal={proposal} />}
      {state === 'open' && !mayReview(proposal, userId) && proposedBy === userId && !approvals.isApproved && (
        <Text size="sm" c="dimmed">
          {approvals.rejectors.length > 0 ? labels.ownRejected : labels.ownChange}
        </Text>
      )}
    </Panel>
  )
}

/** Approves exactly what the page shows, or requests changes. */
function ReviewForm({ proposal }: ProposalProps) {
  const { id, digest, stageSlug } = proposal
  const [comment, setComment] = useState('')
  const [isMissing, setMissing] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const scope = useScope()
  const place = placeOf(proposal)
  const said = comment.trim()
  const review = useProposalChange(place, async (verdict: 'approve' | 'reject') => {
    await ask(scope, 'changeReview', { ...place, id, digest, verdict, ...(said !== '' && { comment: said }) })
    setComment('')
    // What an approval makes possible.
    if (verdict === 'approve') focusOn(applyFocus(id))
    toast.success((verdict === 'approve' ? labels.approved : labels.changesRequested)(namesOf(proposal), stageSlug))
  })
  const requestChanges = (): void => {
    if (said !== '') return review.mutate('reject')
    // Screen readers read the error with the field.
    flushSync(() => setMissing(true))
    field.current?.focus()
  }
  return (
    <Stack
      component="form"
      id={reviewForm}
      gap="xs"
      onSubmit={(event) => {
        event.preventDefault()
        if (!review.isPending) review.mutate('approve')
      }}
    >
      <Textarea
        ref={field}
        label={labels.comment}
        description={labels.commentUse}
        error={isMissing && labels.commentMissing}
        maxLength={1_000}
        autosize
        minRows={2}
        value={comment}
        onChange={({ currentTarget }) => {
          setComment(currentTarget.value)
          setMissing(false)
        }}
      />
      <ErrorNotice error={review.error} />
      <Group gap="xs" justify="flex-end">
        <Button variant="default" disabled={review.isPending} onClick={requestChanges}>
          {labels.requestChanges}
        </Button>
        {said !== '' && (
          <BusyButton type="submit" isBusy={review.isPending}>
            {labels.approveWithComment}
          </BusyButton>
        )}
      </Group>
    </Stack>
  )
}
