import { Badge, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useTimeout } from '@mantine/hooks'
import type { WriteEntry } from '@rollkey/contract'
import { canMove, valuesOf } from '@rollkey/contract/rules'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { absoluteTime } from '../../lib/time.ts'
import { useMay } from '../../session/permissions.ts'
import { ask, useScope } from '../../session/scope.ts'
import { useViewer } from '../../session/viewer.ts'
import { BusyButton } from '../../ui/buttons.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { QueryPart } from '../../ui/loading.tsx'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { KindIcon } from '../../ui/status.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { usePersonName } from '../members/queries.ts'
import { ProductionNotice } from '../projects/production-notice.tsx'
import { projectsQuery, type Stage } from '../projects/queries.ts'
import { differences, factsOf } from '../variables/comparison.ts'
import { capitalized, seenKindOf } from '../variables/labels.ts'
import { labels } from './labels.ts'
import { StateText } from './proposals-page.tsx'
import classes from './proposals.module.css'
import { PlaceLinks, ProposalFacts } from './proposal-facts.tsx'
import { namesOf, placeOf, type Proposal, proposalQuery, useProposalChange } from './queries.ts'
import { Ramp } from './ramp.tsx'
import { RebaseButton } from './rebase-button.tsx'
import { useReason } from './reason-field.tsx'
import { RescheduleDialog } from './reschedule-dialog.tsx'
import { useMayBypass } from './use-may-bypass.ts'

const route = '/signed-in/o/$orgSlug/changes/$changeId'

/** Shows a proposed change: what it does, who reviewed it, and what the viewer can do about it. */
export function ProposalPage() {
  const { changeId } = useParams({ from: route })
  const { project: projectSlug, stage: stageSlug } = useSearch({ from: route })
  const place = { projectSlug, stageSlug }
  const query = useQuery(proposalQuery(useScope(), place, changeId))
  const { data } = query
  return (
    <Page
      title={data?.reason ?? labels.what}
      lead={
        <Group gap="xs">
          <PlaceLinks place={place} />
          {data && <StateText proposal={data} />}
        </Group>
      }
      actions={data && <Actions proposal={data} />}
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
              <ReviewPanel proposal={proposal} />
              <ProposalFacts proposal={proposal} />
            </div>
          </div>
        )}
      </QueryPart>
    </Page>
  )
}

interface ProposalProps {
  readonly proposal: Proposal
}

function useStage({ projectSlug, stageSlug }: Proposal): Stage | undefined {
  const { data } = useQuery(projectsQuery(useScope()))
  const project = data?.find((each) => each.projectSlug === projectSlug)
  return project?.stages.find((each) => each.stageSlug === stageSlug)
}

/** Offers to apply a change without its approvals or in a freeze, to those who may. */
function BypassButton({ proposal }: ProposalProps) {
  const { id, digest, state, approvals, steps, stageSlug, frozenUntilMs, conflictAt } = proposal
  const scope = useScope()
  const place = placeOf(proposal)
  const mayBypass = useMayBypass(place, useStage(proposal))
  const [isAsking, setAsking] = useState(false)
  const reason = useReason({ description: labels.bypass.reasonUse })
  const close = (): void => setAsking(false)
  const apply = useProposalChange(place, async () => {
    await ask(scope, 'changeApply', { ...place, id, digest, bypass: reason.text })
    close()
    toast.success(labels.applied(namesOf(proposal), stageSlug))
  })
  const isHeld = !approvals.isApproved || frozenUntilMs !== undefined
  if (!mayBypass || !isHeld || steps || conflictAt !== undefined || !canMove(state, 'apply')) return null
  return (
    <>
      <Button variant="outline" color="red" onClick={() => setAsking(true)}>
        {labels.bypass.open}
      </Button>
      <ConfirmDialog
        title={labels.bypass.title(stageSlug)}
        label={labels.apply(stageSlug)}
        check={reason.check}
        mutation={{ ...apply, mutate: () => apply.mutate() }}
        opened={isAsking}
        onClose={close}
      >
        <Stack gap="xs">
          <Text>{labels.bypass.text}</Text>
          {reason.field}
        </Stack>
      </ConfirmDialog>
    </>
  )
}

/** Offers to apply or withdraw the change. */
function Actions({ proposal }: ProposalProps) {
  const { id, digest, state, approvals, steps, stageSlug, proposedBy, frozenUntilMs, conflictAt } = proposal
  const { userId } = useViewer()
  const scope = useScope()
  const place = placeOf(proposal)
  const may = useMay()
  const isOutOfDate = conflictAt !== undefined
  const stage = useStage(proposal)
  const [asked, setAsked] = useState<'apply' | 'withdraw' | 'reschedule'>()
  const close = (): void => setAsked(undefined)
  const apply = useProposalChange(place, async () => {
    await ask(scope, 'changeApply', { ...place, id, digest })
    close()
    toast.success(labels.applied(namesOf(proposal), stageSlug))
  })
  const withdraw = useProposalChange(place, async () => {
    await ask(scope, 'changeWithdraw', { ...place, id })
    close()
    toast.success(labels.withdrawn(namesOf(proposal)))
  })
  if (!may('write', place)) return null
  return (
    <>
      {canMove(state, 'reschedule') && proposedBy === userId && (
        <Button variant="default" onClick={() => setAsked('reschedule')}>
          {labels.reschedule.open}
        </Button>
      )}
      {canMove(state, 'withdraw') && (
        <Button variant="default" onClick={() => setAsked('withdraw')}>
          {labels.withdraw}
        </Button>
      )}
      <BypassButton proposal={proposal} />
      {canMove(state, 'apply') && approvals.isApproved && frozenUntilMs === undefined && !steps && !isOutOfDate && (
        <Button onClick={() => setAsked('apply')}>{labels.apply(stageSlug)}</Button>
      )}
      <ConfirmDialog
        title={labels.applyTitle(stageSlug)}
        label={labels.apply(stageSlug)}
        isDangerous={false}
        mutation={{ ...apply, mutate: () => apply.mutate() }}
        opened={asked === 'apply'}
        onClose={close}
      >
        {stage?.isProduction && <ProductionNotice stage={stage.name} />}
      </ConfirmDialog>
      <RescheduleDialog proposal={proposal} opened={asked === 'reschedule'} onClose={close} />
      <ConfirmDialog
        title={labels.withdrawTitle}
        label={labels.withdraw}
        mutation={{ ...withdraw, mutate: () => withdraw.mutate() }}
        opened={asked === 'withdraw'}
        onClose={close}
      >
        {labels.withdrawText}
      </ConfirmDialog>
    </>
  )
}

/** Says what keeps the change from being applied, and offers to base it on the present state. */
function Problems({ proposal }: ProposalProps) {
  const { state, problem, frozenUntilMs, items, proposedBy, approvals } = proposal
  const { userId } = useViewer()
  const stage = useStage(proposal)
  const changed = items.filter(({ changedAt }) => changedAt !== undefined).map(({ name }) => name)
  const isOpen = canMove(state, 'edit')
  return (
    <>
      {problem !== undefined && (
        <Notice kind="error" title={labels.problemTitle}>
          {problem}
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

const shownMs = 30_000

interface Revealed {
  /** Entries by name. Only the state of the page has them. */
  readonly before: ReadonlyMap<string, WriteEntry>
  readonly after: ReadonlyMap<string, WriteEntry>
}

/** Returns the values before and after the change, for a while after the person asks for them. */
function useRevealed(proposal: Proposal) {
  const scope = useScope()
  const place = placeOf(proposal)
  const [revealed, setRevealed] = useState<Revealed>()
  const { start, clear } = useTimeout(() => setRevealed(undefined), shownMs)
  // A result would stay in the query client's memory, so the mutation has none.
  const reveal = useMutation({
    mutationFn: async () => {
      const stored = proposal.items.filter(({ before }) => before).map(({ name }) => name)
      const proposed = proposal.items.filter(({ after }) => after).map(({ name }) => name)
      const [before, after] = await Promise.all([
        stored.length > 0 ? ask(scope, 'reveal', { ...place, names: stored }) : { variables: [] },
        proposed.length > 0
          ? ask(scope, 'changeReveal', { ...place, id: proposal.id, names: proposed })
          : { variables: [] },
      ])
      setRevealed({ before: byName(before.variables), after: byName(after.variables) })
      clear()
      start()
    },
  })
  return { revealed, reveal, hide: () => setRevealed(undefined) }
}

function byName(entries: readonly WriteEntry[]): ReadonlyMap<string, WriteEntry> {
  return new Map(entries.map((entry) => [entry.name, entry]))
}

/** Lists what the change does to each variable, side by side with what is there. */
function Items({ proposal }: ProposalProps) {
  const may = useMay()
  const { items, state, steps } = proposal
  const { revealed, reveal, hide } = useRevealed(proposal)
  const hasValues = items.some(({ after }) => after) && canMove(state, 'edit')
  if (steps) return null
  return (
    <Panel
      title={labels.items}
      lead={hasValues ? labels.revealHint : undefined}
      actions={
        hasValues &&
        may('read', placeOf(proposal)) && (
          <BusyButton
            size="xs"
            variant="default"
            isBusy={reveal.isPending}
            onClick={() => (revealed ? hide() : reveal.mutate())}
          >
            {revealed ? labels.hide : labels.reveal}
          </BusyButton>
        )
      }
    >
      <ErrorNotice error={reveal.error} />
      {items.length === 0 && <Text c="dimmed">{labels.same}</Text>}
      <ul className="plain-list">
        {items.map((item) => (
          <Item
            key={item.name}
            item={item}
            before={revealed?.before.get(item.name)}
            after={revealed?.after.get(item.name)}
          />
        ))}
      </ul>
    </Panel>
  )
}

type ProposalItem = Proposal['items'][number]

interface ItemProps {
  readonly item: ProposalItem
  /** The values, while they are revealed. */
  readonly before: WriteEntry | undefined
  readonly after: WriteEntry | undefined
}

function Item({ item, before, after }: ItemProps) {
  const { name, action, changedAt } = item
  const variable = item.after ?? item.before
  return (
    <li className={classes['item']}>
      {variable ? <KindIcon kind={seenKindOf(variable)} /> : <span />}
      <div className={classes['head']}>
        <bdi className="mono">{name}</bdi>
        <span className={classes['action']} data-action={action}>
          {labels.actions[action]}
        </span>
        {changedAt !== undefined && <Badge color="yellow">{labels.changedAt(changedAt)}</Badge>}
      </div>
      <div className={classes['facts']}>{capitalized(itemFacts(item).join(labels.separator))}</div>
      {(before ?? after) && (
        <div className={classes['sides']}>
          <Side when="before" entry={before} />
          <Side when="after" entry={after} />
        </div>
      )}
    </li>
  )
}

interface SideProps {
  readonly when: 'before' | 'after'
  /** Undefined: the variable is not there. */
  readonly entry: WriteEntry | undefined
}

function Side({ when, entry }: SideProps) {
  return (
    <div className={classes['side']} data-when={when}>
      <Text size="sm" c="dimmed">
        {labels.when[when]}
      </Text>
      {entry ? <pre>{valuesOf(entry).join('\n')}</pre> : <Text size="sm">{labels.notThere}</Text>}
    </div>
  )
}

function itemFacts({ action, before, after, chance }: ProposalItem): readonly string[] {
  if (chance !== undefined) return [labels.chance(before?.chance, chance)]
  if (before && after) return differences(before, after)
  // What was there before a change that is applied is in the history.
  return after && action === 'create' ? factsOf(after) : []
}

/** Shows the reviews, and lets the viewer give one. */
function ReviewPanel({ proposal }: ProposalProps) {
  const { approvals, reviews, state, needsYou } = proposal
  const personName = usePersonName()
  const { userId } = useViewer()
  const lead =
    approvals.required === 0 ? labels.noApproval : labels.approvals(approvals.approvers.length, approvals.required)
  return (
    <Panel title={labels.reviews} lead={lead}>
      {reviews.length === 0 ? (
        <Text c="dimmed">{labels.noReviews}</Text>
      ) : (
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
      {state === 'open' && needsYou && <ReviewForm proposal={proposal} />}
      {state === 'open' && !needsYou && proposal.proposedBy === userId && !approvals.isApproved && (
        <Text size="sm" c="dimmed">
          {labels.ownChange}
        </Text>
      )}
    </Panel>
  )
}

/** Approves exactly what the page shows, or requests changes. */
function ReviewForm({ proposal }: ProposalProps) {
  const { id, digest, stageSlug } = proposal
  const [comment, setComment] = useState('')
  const scope = useScope()
  const place = placeOf(proposal)
  const review = useProposalChange(place, async (verdict: 'approve' | 'reject') => {
    const said = comment.trim()
    await ask(scope, 'changeReview', { ...place, id, digest, verdict, ...(said !== '' && { comment: said }) })
    setComment('')
    toast.success((verdict === 'approve' ? labels.approved : labels.changesRequested)(namesOf(proposal), stageSlug))
  })
  return (
    <Stack
      component="form"
      gap="xs"
      onSubmit={(event) => {
        event.preventDefault()
        review.mutate('approve')
      }}
    >
      <Textarea
        label={labels.comment}
        description={labels.commentUse}
        maxLength={1_000}
        autosize
        minRows={2}
        value={comment}
        onChange={({ currentTarget }) => setComment(currentTarget.value)}
      />
      <ErrorNotice error={review.error} />
      <Group gap="xs" justify="flex-end">
        <Button
          variant="default"
          disabled={comment.trim() === '' || review.isPending}
          onClick={() => review.mutate('reject')}
        >
          {labels.requestChanges}
        </Button>
        <BusyButton type="submit" isBusy={review.isPending}>
          {labels.approve}
        </BusyButton>
      </Group>
    </Stack>
  )
}
