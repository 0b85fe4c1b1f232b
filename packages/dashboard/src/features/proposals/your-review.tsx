import type { Change } from '@rollkey/sdk/core'
import { Button, Group, Stack, Textarea } from '@mantine/core'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { explain } from '../../service/errors.ts'
import { useMay } from '../../session/permissions.ts'
import { ask, useScope } from '../../session/scope.ts'
import { useViewer } from '../../session/viewer.ts'
import { BusyButton } from '../../ui/buttons.tsx'
import { requestCommand, useCommands } from '../../ui/commands.ts'
import { focusOn } from '../../ui/focus.ts'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/page.tsx'
import { toast } from '../../ui/toast.tsx'
import { isApplicable, namesOf, placeOf, useProposalChange } from '../../data/proposals/queries.ts'
import { labels as planLabels } from '../../parts/plans/labels.ts'
import { ApplyDialog } from './apply-dialog.tsx'
import { labels } from './labels.ts'

interface ProposalProps {
  readonly proposal: Change
}

type Verdict = 'approve' | 'reject'

/** Returns the key by which the button that applies a change gets the focus. */
export function applyFocus(id: string): string {
  return `apply:${id}`
}

/** Id of the command that leads to the review of the viewer. */
const reviewCommand = 'review'

/** Returns whether the viewer can give a review that counts: a first one, or another than the changes that they requested. */
export function mayReview({ state, needsYou, approvals }: Change, userId = ''): boolean {
  return state === 'open' && (needsYou || approvals.rejectors.includes(userId))
}

/** Returns whether the viewer has approved what is still open, and can take that back. */
function hasApproved({ state, approvals }: Change, userId = ''): boolean {
  return state === 'open' && approvals.approvers.includes(userId)
}

/** Returns how many approvals a change has and needs. */
export function approvalsText({ approvals: { required, approvers } }: Change): string {
  return required === 0 ? labels.noApproval : planLabels.approvals(approvers.length, required)
}

/** Returns whether only the approval of a person is missing. */
function isCompletedBy({ approvals }: Change, userId: string | undefined): boolean {
  const { required, approvers, rejectors } = approvals
  return approvers.length + 1 >= required && rejectors.every((id) => id === userId)
}

/** Leads to the review of the viewer where it is below the change, as on a phone. */
export function ToReview({ proposal }: ProposalProps) {
  const { userId } = useViewer()
  if (!mayReview(proposal, userId)) return null
  return (
    <Button hiddenFrom="md" onClick={() => requestCommand(reviewCommand)}>
      {labels.review}
    </Button>
  )
}

/** Lets the viewer review exactly what the page shows, and apply it with an approval after which nothing else is missing. */
export function YourReview({ proposal }: ProposalProps) {
  const { id, digest, stageSlug } = proposal
  const { userId } = useViewer()
  const may = useMay()
  const scope = useScope()
  const place = placeOf(proposal)
  const [comment, setComment] = useState('')
  const [isAsking, setAsking] = useState(false)
  const [notApplied, setNotApplied] = useState<unknown>()
  const said = comment.trim()
  const give = async (verdict: Verdict): Promise<void> => {
    await ask(scope, 'changeReview', { ...place, id, digest, verdict, ...(said !== '' && { comment: said }) })
    setComment('')
  }
  const review = useProposalChange(place, async (verdict: Verdict) => {
    await give(verdict)
    // What an approval makes possible.
    if (verdict === 'approve' && isCompletedBy(proposal, userId)) focusOn(applyFocus(id))
    toast.success((verdict === 'approve' ? labels.approved : labels.changesRequested)(namesOf(proposal), stageSlug))
  })
  const approveAndApply = useProposalChange(place, async () => {
    await give('approve')
    try {
      await ask(scope, 'changeApply', { ...place, id, digest })
      toast.success(labels.approvedAndApplied(namesOf(proposal), stageSlug))
    } catch (error) {
      setNotApplied(error)
      focusOn(applyFocus(id))
    } finally {
      setAsking(false)
    }
  })
  const mayApprove = mayReview(proposal, userId)
  const mayApply = mayApprove && may('write', place) && isApplicable(proposal) && isCompletedBy(proposal, userId)
  return (
    <>
      {notApplied !== undefined && proposal.state === 'open' && (
        <Notice kind="error" title={labels.notAppliedTitle} isAnswer>
          {explain(notApplied)}
        </Notice>
      )}
      {(mayApprove || hasApproved(proposal, userId)) && (
        <ReviewForm
          lead={mayApprove ? approvalsText(proposal) : labels.takeBack}
          mayApprove={mayApprove}
          comment={comment}
          onComment={setComment}
          review={review}
          {...(mayApply && { onApproveAndApply: () => setAsking(true) })}
        />
      )}
      <ApplyDialog
        proposal={proposal}
        label={labels.approveAndApply}
        mutation={approveAndApply}
        opened={isAsking}
        onClose={() => setAsking(false)}
      />
    </>
  )
}

interface ReviewFormProps {
  readonly lead: string
  /** Whether the viewer has not approved it yet. */
  readonly mayApprove: boolean
  readonly comment: string
  readonly onComment: (comment: string) => void
  readonly review: { mutate(verdict: Verdict): void; readonly isPending: boolean; readonly error: unknown }
  /** Absent: an approval is not all that is missing, or the viewer may not apply the change. */
  readonly onApproveAndApply?: () => void
}

function ReviewForm({ lead, mayApprove, comment, onComment, review, onApproveAndApply }: ReviewFormProps) {
  const [isMissing, setMissing] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  useCommands([{ id: reviewCommand, label: labels.yourReviewKey, keys: 'v', run: () => form.current?.focus() }])
  const requestChanges = (): void => {
    if (comment.trim() !== '') return review.mutate('reject')
    // Screen readers read the error with the field.
    flushSync(() => setMissing(true))
    field.current?.focus()
  }
  return (
    <Panel title={labels.yourReview} lead={lead}>
      <form
        ref={form}
        tabIndex={-1}
        className="focused-part"
        onSubmit={(event) => {
          event.preventDefault()
          if (mayApprove && !review.isPending) review.mutate('approve')
        }}
      >
        <Stack gap="xs">
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
              onComment(currentTarget.value)
              setMissing(false)
            }}
          />
          <ErrorNotice error={review.error} />
          <Group gap="xs" justify="flex-end" grow={onApproveAndApply !== undefined}>
            <Button variant="default" disabled={review.isPending} onClick={requestChanges}>
              {labels.requestChanges}
            </Button>
            {mayApprove && (
              <BusyButton type="submit" isBusy={review.isPending}>
                {labels.approve}
              </BusyButton>
            )}
          </Group>
          {onApproveAndApply && (
            <Button variant="default" disabled={review.isPending} onClick={onApproveAndApply}>
              {labels.approveAndApplyOpen}
            </Button>
          )}
        </Stack>
      </form>
    </Panel>
  )
}
