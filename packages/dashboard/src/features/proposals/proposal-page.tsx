import type { Change } from '@rollkey/sdk/core'
import { Button, Group, Stack, Text, Tooltip } from '@mantine/core'
import { canMove } from '@rollkey/contract/rules'
import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { absoluteTime } from '../../lib/time.ts'
import { useMay } from '../../session/permissions.ts'
import { ask, useScope } from '../../session/scope.ts'
import { useViewer } from '../../session/viewer.ts'
import { hasCode } from '../../service/errors.ts'
import { ButtonLink } from '../../ui/buttons.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { QueryPart } from '../../ui/loading.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { toast } from '../../ui/toast.tsx'
import { usePersonName } from '../../data/members.ts'
import { ProductionNotice } from '../../parts/projects/production-notice.tsx'
import { ApplyDialog } from './apply-dialog.tsx'
import { labels } from './labels.ts'
import classes from './proposals.module.css'
import { PlaceLinks, ProposalFacts } from './proposal-facts.tsx'
import { Items } from './proposal-items.tsx'
import { isApplicable, namesOf, placeOf, proposalQuery, useProposalChange } from '../../data/proposals/queries.ts'
import { Ramp } from './ramp.tsx'
import { RebaseButton } from './rebase-button.tsx'
import { ApproverShortage } from '../../parts/proposing/approver-shortage.tsx'
import { useReason } from '../../parts/proposing/reason-field.tsx'
import { ReviewPanel } from './review-panel.tsx'
import { RescheduleDialog } from './reschedule-dialog.tsx'
import { useMayBypass } from './use-may-bypass.ts'
import { StateText, usePlaceOf } from '../../parts/plans/state-text.tsx'
import { applyFocus, ToReview, YourReview } from './your-review.tsx'
import { useNoteEnd } from '../../data/proposals/seen-ends.ts'
import { labels as proposedLabels } from '../../data/proposals/labels.ts'

const route = '/signed-in/o/$orgSlug/changes/$changeId'

/** Shows a proposed change: what it does, who reviewed it, and what the viewer can do about it. */
export function ProposalPage() {
  const { changeId } = useParams({ from: route })
  const { project: projectSlug, stage: stageSlug } = useSearch({ from: route })
  const place = { projectSlug, stageSlug }
  const isWhole = projectSlug !== '' && stageSlug !== ''
  const query = useQuery({ ...proposalQuery(useScope(), place, changeId), enabled: isWhole })
  const { data } = query
  const { userId } = useViewer()
  const isOwn = data?.proposedBy === userId
  useNoteEnd(isOwn ? data : undefined)
  if (!isWhole || hasCode(query.error, 'NOT_FOUND')) return <NoChange />
  return (
    <Page
      title={data?.reason ?? labels.what}
      lead={
        <Group gap="xs">
          <PlaceLinks place={place} />
          {data && <StateText proposal={data} />}
        </Group>
      }
      actions={
        data && (
          <>
            {isOwn && <WithdrawButton proposal={data} />}
            <Actions proposal={data} />
            <ToReview proposal={data} />
            {!isOwn && <WithdrawButton proposal={data} />}
          </>
        )
      }
    >
      <QueryPart query={query} rows={8}>
        {(proposal) => (
          <div className={classes['columns']}>
            <div className={classes['column']}>
              <Problems proposal={proposal} />
              {proposal.steps && <Ramp proposal={proposal} />}
              <Items proposal={proposal} />
            </div>
            <div className={classes['column']}>
              <YourReview proposal={proposal} />
              <ReviewPanel proposal={proposal} />
              <ProposalFacts proposal={proposal} />
            </div>
          </div>
        )}
      </QueryPart>
    </Page>
  )
}

function NoChange() {
  return (
    <Page title={labels.unknown} lead={labels.unknownText}>
      <div>
        <ButtonLink from="/o/$orgSlug" to="./changes">
          {labels.seeAll}
        </ButtonLink>
      </div>
    </Page>
  )
}

interface ProposalProps {
  readonly proposal: Change
}

/** Offers to apply a change without its approvals or in a freeze, to those who may. */
function BypassButton({ proposal }: ProposalProps) {
  const { id, digest, state, approvals, steps, stageSlug, frozenUntilMs, conflictAt } = proposal
  const scope = useScope()
  const place = placeOf(proposal)
  const { stage } = usePlaceOf(proposal)
  const mayBypass = useMayBypass(place, stage)
  const [isAsking, setAsking] = useState(false)
  const reason = useReason({ description: labels.bypass.reasonUse, missing: labels.bypass.reasonMissing })
  const close = (): void => setAsking(false)
  const apply = useProposalChange(place, async () => {
    await ask(scope, 'changeApply', { ...place, id, digest, bypass: reason.text })
    close()
    toast.success(labels.applied(namesOf(proposal), stageSlug))
  })
  const { isApproved } = approvals
  const isFrozen = frozenUntilMs !== undefined
  if (!mayBypass || (isApproved && !isFrozen) || steps || conflictAt !== undefined || !canMove(state, 'apply'))
    return null
  return (
    <>
      <Button variant="outline" color="red" onClick={() => setAsking(true)}>
        {labels.bypass.open}
      </Button>
      <ConfirmDialog
        title={labels.bypass.title(stageSlug, isApproved, isFrozen)}
        label={labels.apply(stageSlug)}
        check={reason.check}
        mutation={{ ...apply, mutate: () => apply.mutate() }}
        opened={isAsking}
        onClose={close}
      >
        <Stack gap="xs">
          {stage?.isProduction ? <ProductionNotice stage={stage.name} /> : <Text>{labels.bypass.text}</Text>}
          {reason.field}
        </Stack>
      </ConfirmDialog>
    </>
  )
}

interface ApplyButtonProps extends ProposalProps {
  readonly onClick: () => void
}

/** Offers to apply a change once that is allowed. */
function ApplyButton({ proposal, onClick }: ApplyButtonProps) {
  const { id, approvals, stageSlug } = proposal
  if (!approvals.isApproved || !isApplicable(proposal)) return null
  return (
    <Button data-focus={applyFocus(id)} onClick={onClick}>
      {labels.apply(stageSlug)}
    </Button>
  )
}

/** Offers to apply the change at once or at another time, or to undo it. */
function Actions({ proposal }: ProposalProps) {
  const { id, digest, state, stageSlug, proposedBy } = proposal
  const { userId } = useViewer()
  const scope = useScope()
  const place = placeOf(proposal)
  const may = useMay()
  const [asked, setAsked] = useState<'apply' | 'reschedule'>()
  const close = (): void => setAsked(undefined)
  const apply = useProposalChange(place, async () => {
    await ask(scope, 'changeApply', { ...place, id, digest })
    close()
    toast.success(labels.applied(namesOf(proposal), stageSlug))
  })
  if (!may('write', place)) return null
  return (
    <>
      {canMove(state, 'reschedule') && proposedBy === userId && (
        <Button variant="default" onClick={() => setAsked('reschedule')}>
          {labels.reschedule.open(proposal.applyAtMs !== undefined)}
        </Button>
      )}
      <UndoLink proposal={proposal} />
      <BypassButton proposal={proposal} />
      <ApplyButton proposal={proposal} onClick={() => setAsked('apply')} />
      <ApplyDialog
        proposal={proposal}
        label={labels.apply(stageSlug)}
        mutation={apply}
        opened={asked === 'apply'}
        onClose={close}
      />
      <RescheduleDialog proposal={proposal} opened={asked === 'reschedule'} onClose={close} />
    </>
  )
}

/** Leads to the history, where the variables of an applied change are set back. A rollout has more than one revision. */
function UndoLink({ proposal: { projectSlug, stageSlug, appliedRevision, steps } }: ProposalProps) {
  if (appliedRevision === undefined || appliedRevision === 1 || steps) return null
  return (
    <ButtonLink
      variant="default"
      from="/o/$orgSlug"
      to="./p/$projectSlug/history"
      params={{ projectSlug }}
      search={{ stage: stageSlug, undo: String(appliedRevision) }}
    >
      {labels.undo}
    </ButtonLink>
  )
}

/** Offers to withdraw the change. */
function WithdrawButton({ proposal }: ProposalProps) {
  const { id, state, proposedBy } = proposal
  const { userId } = useViewer()
  const personName = usePersonName()
  const scope = useScope()
  const place = placeOf(proposal)
  const proposer = proposedBy === userId ? undefined : personName(proposedBy)
  const may = useMay()
  const [isAsking, setAsking] = useState(false)
  const close = (): void => setAsking(false)
  const withdraw = useProposalChange(place, async () => {
    await ask(scope, 'changeWithdraw', { ...place, id })
    close()
    toast.success(proposedLabels.withdrawn(namesOf(proposal)))
  })
  if (!may('write', place)) return null
  return (
    <>
      {canMove(state, 'withdraw') && (
        <Tooltip label={labels.withdrawHint} disabled={proposer === undefined} multiline maw={280}>
          <Button variant={proposer === undefined ? 'default' : 'subtle'} color="gray" onClick={() => setAsking(true)}>
            {proposer === undefined ? labels.withdraw : labels.withdrawFor(proposer)}
          </Button>
        </Tooltip>
      )}
      <ConfirmDialog
        title={labels.withdrawTitle(proposer)}
        label={labels.withdraw}
        mutation={{ ...withdraw, mutate: () => withdraw.mutate() }}
        opened={isAsking}
        onClose={close}
      >
        {labels.withdrawText}
      </ConfirmDialog>
    </>
  )
}

/** Says what keeps the change from being applied, or that it was applied nevertheless, and offers to base it on the present state. */
function Problems({ proposal }: ProposalProps) {
  const { state, problem, bypass, settledBy, frozenUntilMs, items, proposedBy, approvals } = proposal
  const personName = usePersonName()
  const { userId } = useViewer()
  const { stage } = usePlaceOf(proposal)
  const changed = items.filter(({ changedAt }) => changedAt !== undefined).map(({ name }) => name)
  const isOpen = canMove(state, 'edit')
  return (
    <>
      {proposal.lacksApprovers && stage && <ApproverShortage place={placeOf(proposal)} stage={stage} />}
      {problem !== undefined && (
        <Notice
          kind={state === 'paused' ? 'warning' : 'error'}
          title={state === 'paused' ? labels.pausedTitle : labels.problemTitle}
        >
          {problem}
        </Notice>
      )}
      {bypass !== undefined && settledBy !== undefined && (
        <Notice kind="warning" title={labels.bypass.applied(personName(settledBy), approvals.isApproved)}>
          <Text className="wrapping">{bypass}</Text>
        </Notice>
      )}
      {isOpen && changed.length > 0 && (
        <Notice kind="warning" title={labels.conflictTitle}>
          <Stack gap="xs" align="flex-start">
            <Text>{labels.conflictText(changed, proposedBy === userId, approvals.required > 0)}</Text>
            {proposedBy === userId && <RebaseButton proposal={proposal} stage={stage} />}
          </Stack>
        </Notice>
      )}
      {isOpen && frozenUntilMs !== undefined && (
        <Notice kind="info">{labels.frozen(absoluteTime(frozenUntilMs))}</Notice>
      )}
    </>
  )
}
