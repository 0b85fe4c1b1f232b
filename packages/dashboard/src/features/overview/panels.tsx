import type { ListedChange, StageSlugs } from '@rollkey/sdk/core'
import { Sentence } from '../../ui/sentence.tsx'
import { ActionIcon, Button, Group, Text, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { useViewer } from '../../session/viewer.ts'
import { durationText, relativeTime } from '../../lib/time.ts'
import { type Icon, IconClose, IconEmpty, IconSend, IconSuccess, IconToken, IconWarning } from '../../ui/icons.ts'
import { QueryPart } from '../../ui/loading.tsx'
import { RowItem, RowList } from '../../ui/row-list.tsx'
import { Panel } from '../../ui/page.tsx'
import { StatusDot } from '../../ui/status.tsx'
import { TextLink } from '../../ui/buttons.tsx'
import { RelativeTime, useNow } from '../../ui/time.tsx'
import { type Attention, attentionQuery, projectsQuery, stageName } from '../../data/projects/queries.ts'
import { hooksQuery, type ListedHook } from '../../data/hooks.ts'
import { fillingOf } from '../../data/variables/comparison.ts'
import { fillingText } from '../../data/variables/labels.ts'
import {
  isEndedByOther,
  namesOf,
  type Need,
  needOf,
  openProposalsQuery,
  settledProposalsQuery,
} from '../../data/proposals/queries.ts'
import { useSeenEnds } from '../../data/proposals/seen-ends.ts'
import { usePersonName } from '../../data/members.ts'
import { Avatar } from '../../ui/name.tsx'
import { isByMachine, useCredit } from '../../data/history/queries.ts'
import { changeText, labels } from './labels.ts'
import classes from './overview.module.css'
import { recentChangesQuery, type RecentChange } from '../../data/overview.ts'

/** How many rows are shown before someone asks for all. */
const shownRows = 6

/** Lists what needs attention, the most urgent first. */
export function AttentionPanel() {
  const query = useQuery(attentionQuery(useScope()))
  const { data: open = [] } = useQuery(openProposalsQuery(useScope()))
  const { userId } = useViewer()
  const may = useMay()
  const noted = open.flatMap((proposal): NotedChangeProps[] => {
    const need = needOf(proposal, userId, may) ?? troubleOf(proposal)
    return need ? [{ proposal, need }] : []
  })
  const hooks = useFailingHooks()
  const ended = useEndedChanges()
  if (query.data && countOf(query.data) === 0 && noted.length + hooks.length + ended.length === 0)
    return <AllClear withTokens={query.data.expiringTokens !== undefined} />
  return (
    <Panel title={labels.attention.title}>
      <QueryPart query={query}>
        {(attention) => <AttentionRows attention={attention} changes={noted} hooks={hooks} ended={ended} />}
      </QueryPart>
    </Panel>
  )
}

/** Returns what keeps a change from going on until someone looks at it; undefined: nothing. */
function troubleOf({ state, conflictAt }: ListedChange): NotedChangeProps['need'] | undefined {
  if (state === 'paused') return 'paused'
  return conflictAt === undefined ? undefined : 'outOfDate'
}

/** Returns the viewer's changes that others ended lately, until the viewer has seen that. */
function useEndedChanges(): readonly ListedChange[] {
  const { data = [] } = useQuery(settledProposalsQuery(useScope()))
  const { userId } = useViewer()
  const [seen] = useSeenEnds()
  const nowMs = useNow()
  return data.filter((proposal) => isEndedByOther(proposal, userId, nowMs) && !seen.includes(proposal.id))
}

/** How long a webhook must have failed, in milliseconds. A receiver that starts again fails for a moment. */
const failingMs = 3_600_000

/** Returns the webhooks from which nothing arrives; none for those who do not manage them. */
function useFailingHooks(): readonly ListedHook[] {
  const nowMs = useNow()
  const { data = [] } = useQuery({ ...hooksQuery(useScope()), enabled: useMay()('manage'), refetchInterval: false })
  return data.filter(
    ({ failure, failingSinceMs = nowMs, offSinceMs }) =>
      failure !== undefined && (offSinceMs !== undefined || nowMs - failingSinceMs >= failingMs),
  )
}

function countOf({ missing, overdue, misfits, expiringTokens = [], replica }: Attention): number {
  return missing.length + overdue.length + misfits.length + expiringTokens.length + (replica ? 1 : 0)
}

interface AllClearProps {
  /** Whether the viewer may see when tokens expire. */
  readonly withTokens: boolean
}

function AllClear({ withTokens }: AllClearProps) {
  return (
    <Group component="section" aria-label={labels.attention.title} gap="xs" wrap="nowrap">
      <IconSuccess size={20} className={classes['clear'] ?? ''} />
      <Text>
        <strong>{labels.attention.clear}.</strong>{' '}
        <Text component="span" inherit c="dimmed">
          {labels.attention.clearText(withTokens)}
        </Text>
      </Text>
    </Group>
  )
}

interface AttentionRowsProps {
  readonly attention: Attention
  /** Changes that need something from the viewer, or that do not go on by themselves. */
  readonly changes: readonly NotedChangeProps[]
  readonly hooks: readonly ListedHook[]
  /** Changes of the viewer that others ended. */
  readonly ended: readonly ListedChange[]
}

function AttentionRows({ attention, changes, hooks, ended }: AttentionRowsProps) {
  const [showsAll, setShowsAll] = useState(false)
  const { replica } = attention
  const rows = [
    ...(replica ? [<TroubledReplica key="replica" {...replica} />] : []),
    ...attention.missing.map((each) => <Missing key={`${each.projectSlug}/${each.stageSlug}`} {...each} />),
    ...attention.overdue.map((each) => <Overdue key={`${each.projectSlug}/${each.stageSlug} overdue`} {...each} />),
    ...attention.misfits.map((each) => <Misfit key={JSON.stringify(each)} {...each} />),
    ...changes.map((change) => <NotedChange key={change.proposal.id} {...change} />),
    ...hooks.map((hook) => <FailingHook key={hook.id} hook={hook} />),
    ...(attention.expiringTokens ?? []).map((each) => <ExpiringToken key={each.id} {...each} />),
    ...ended.map((proposal) => <EndedChange key={proposal.id} proposal={proposal} />),
  ]
  const hidden = showsAll ? 0 : rows.length - shownRows
  return (
    <>
      <RowList label={labels.attention.title}>{hidden > 0 ? rows.slice(0, shownRows) : rows}</RowList>
      {hidden > 0 && (
        <Group>
          <Button variant="default" size="xs" onClick={() => setShowsAll(true)}>
            {labels.attention.more(hidden)}
          </Button>
        </Group>
      )}
    </>
  )
}

function usePlaceName(): (place: { projectSlug: string; stageSlug: string }) => string {
  const { data: projects = [] } = useQuery(projectsQuery(useScope()))
  return ({ projectSlug, stageSlug }) => stageName(projects, projectSlug, stageSlug)
}

function Missing({ count, names, ...place }: Attention['missing'][number]) {
  const { orgSlug } = useScope()
  const { projectSlug, stageSlug } = place
  const title = labels.attention.missing(count, usePlaceName()(place))
  const { data: projects = [] } = useQuery(projectsQuery(useScope()))
  const { variables: set = count } =
    projects
      .find((project) => project.projectSlug === projectSlug)
      ?.stages.find((stage) => stage.stageSlug === stageSlug) ?? {}
  const filling = fillingOf(set, set + count)
  return (
    <RowItem
      lead={
        <StatusDot status={filling ? 'missing' : 'missing-in-production'}>
          {filling ? fillingText(filling) : labels.attention.missingStatus}
        </StatusDot>
      }
      detail={
        <code>
          {names.join(', ')}
          {labels.attention.moreNames(count - names.length)}
        </code>
      }
    >
      <TextLink
        to="/o/$orgSlug/p/$projectSlug"
        params={{ orgSlug, projectSlug }}
        search={{ missing: stageSlug }}
        fw={500}
      >
        {title}
      </TextLink>
    </RowItem>
  )
}

function Overdue({ count, names, ...place }: Attention['overdue'][number]) {
  const { orgSlug } = useScope()
  const { projectSlug } = place
  return (
    <RowItem
      lead={<WarningIcon />}
      detail={
        <>
          {names.map((name, at) => (
            <Fragment key={name}>
              {at > 0 && ', '}
              <RotateLink name={name} {...place} />
            </Fragment>
          ))}
          {labels.attention.moreNames(count - names.length)}
        </>
      }
    >
      <TextLink to="/o/$orgSlug/p/$projectSlug" params={{ orgSlug, projectSlug }} fw={500}>
        {labels.attention.overdue(count, usePlaceName()(place))}
      </TextLink>
    </RowItem>
  )
}

interface RotateLinkProps extends StageSlugs {
  readonly name: string
}

/** Opens a secret, with its rotation for those who may write. */
function RotateLink({ name, ...place }: RotateLinkProps) {
  const { orgSlug } = useScope()
  const { projectSlug, stageSlug } = place
  const mayRotate = useMay()('write', place)
  return (
    <TextLink
      to="/o/$orgSlug/p/$projectSlug"
      params={{ orgSlug, projectSlug }}
      search={{ variable: name, stage: stageSlug }}
      {...(mayRotate && { state: { isRotating: true }, 'aria-label': labels.attention.rotate(name) })}
    >
      <code>{name}</code>
    </TextLink>
  )
}

function Misfit({ name, ...place }: Attention['misfits'][number]) {
  const { orgSlug } = useScope()
  const { projectSlug, stageSlug } = place
  return (
    <RowItem lead={<WarningIcon />} detail={usePlaceName()(place)}>
      <TextLink
        to="/o/$orgSlug/p/$projectSlug/roll"
        params={{ orgSlug, projectSlug }}
        search={{ stage: stageSlug, name }}
        fw={500}
      >
        <code>{name}</code> {labels.attention.misfit}
      </TextLink>
    </RowItem>
  )
}

interface NotedChangeProps {
  readonly proposal: ListedChange
  readonly need: Need | 'paused'
}

function NotedChange({ proposal, need }: NotedChangeProps) {
  const { reason, approvals } = proposal
  const words = need === 'apply' && approvals.required === 0 ? 'applyFreely' : need
  const isTrouble = need === 'outOfDate' || need === 'failed' || need === 'paused'
  const rejectors = approvals.rejectors.map(usePersonName())
  return (
    <RowItem lead={isTrouble ? <WarningIcon /> : <IconEmpty />} detail={<ChangeDetail proposal={proposal} />}>
      <ChangeLink proposal={proposal}>{labels.attention.changes[words](reason, rejectors)}</ChangeLink>
    </RowItem>
  )
}

interface EndedChangeProps {
  readonly proposal: ListedChange
}

/** Says who ended a change of the viewer, until the viewer opens or hides it. */
function EndedChange({ proposal }: EndedChangeProps) {
  const { id, reason, state, settledBy, settledAtMs = 0 } = proposal
  const personName = usePersonName()
  const [, hide] = useSeenEnds()
  const who = settledBy === undefined ? labels.attention.service : personName(settledBy)
  const words = state === 'withdrawn' || state === 'aborted' ? state : 'applied'
  return (
    <RowItem
      lead={state === 'applied' ? <IconSuccess /> : <IconEmpty />}
      detail={<ChangeDetail proposal={proposal} />}
      end={
        <Group component="span" gap="xs" wrap="nowrap">
          <RelativeTime ms={settledAtMs} />
          <ActionIcon aria-label={labels.attention.hideEnded(reason)} onClick={() => hide(id)}>
            <IconClose />
          </ActionIcon>
        </Group>
      }
    >
      <ChangeLink proposal={proposal}>{labels.attention.ended[words](who, reason)}</ChangeLink>
    </RowItem>
  )
}

/** What a change touches, and where. */
function ChangeDetail({ proposal }: { readonly proposal: ListedChange }) {
  const place = usePlaceName()(proposal)
  return (
    <>
      <code>{namesOf(proposal)}</code> · {place}
    </>
  )
}

interface ChangeLinkProps {
  readonly proposal: ListedChange
  readonly children: string
}

function ChangeLink({ proposal: { id, projectSlug, stageSlug }, children }: ChangeLinkProps) {
  const { orgSlug } = useScope()
  return (
    <TextLink
      to="/o/$orgSlug/changes/$changeId"
      params={{ orgSlug, changeId: id }}
      search={{ project: projectSlug, stage: stageSlug }}
      fw={500}
    >
      {children}
    </TextLink>
  )
}

function ExpiringToken({ name, expiresAtMs }: NonNullable<Attention['expiringTokens']>[number]) {
  const { orgSlug } = useScope()
  const nowMs = useNow()
  return (
    <RowItem lead={<WarningIcon icon={IconToken} />} detail={labels.attention.tokenDetail}>
      <TextLink to="/o/$orgSlug/settings/tokens" params={{ orgSlug }} fw={500}>
        {labels.attention.token(name, relativeTime(expiresAtMs, nowMs))}
      </TextLink>
    </RowItem>
  )
}

function FailingHook({ hook: { name, failure, offSinceMs } }: { readonly hook: ListedHook }) {
  const { orgSlug } = useScope()
  const { hookOff, hookFailing } = labels.attention
  return (
    <RowItem lead={<WarningIcon icon={IconSend} />} detail={failure}>
      <TextLink to="/o/$orgSlug/settings/webhooks" params={{ orgSlug }} fw={500}>
        {(offSinceMs === undefined ? hookFailing : hookOff)(name)}
      </TextLink>
    </RowItem>
  )
}

function TroubledReplica({ lagMs = 0, isReplaced }: NonNullable<Attention['replica']>) {
  const { replicaReplaced, replicaBehind, replicaDetail } = labels.attention
  return (
    <RowItem lead={<WarningIcon />} detail={replicaDetail}>
      <Text fw={500}>{isReplaced ? replicaReplaced : replicaBehind(durationText(lagMs))}</Text>
    </RowItem>
  )
}

interface WarningIconProps {
  readonly icon?: Icon
  /** The accessible name, where no text beside it has the same meaning. */
  readonly label?: string
}

/** Marks what will become a problem. */
export function WarningIcon({ icon: Art = IconWarning, label }: WarningIconProps) {
  return (
    <span className={classes['warning']} title={label}>
      <Art />
      {label !== undefined && <VisuallyHidden>{label}</VisuallyHidden>}
    </span>
  )
}

/** Lists the latest revisions of all stages. */
export function ChangesPanel() {
  const query = useQuery(recentChangesQuery(useScope()))
  return (
    <Panel title={labels.changes.title}>
      <QueryPart query={query} rows={8}>
        {(changes) =>
          changes.length === 0 ? (
            <Text c="dimmed">{labels.changes.none}</Text>
          ) : (
            <RowList label={labels.changes.title}>
              {changes.map((change) => (
                <ChangeRow key={`${change.projectSlug}/${change.stageSlug}/${change.revision}`} change={change} />
              ))}
            </RowList>
          )
        }
      </QueryPart>
    </Panel>
  )
}

interface ChangeRowProps {
  readonly change: RecentChange
}

function ChangeRow({ change }: ChangeRowProps) {
  const scope = useScope()
  const { author, who, parts } = useCredit()(change)
  const { data: projects = [] } = useQuery(projectsQuery(scope))
  const { projectSlug, stageSlug, stageSlugs, revision, writtenAtMs } = change
  return (
    <RowItem
      lead={<Avatar name={author} {...(isByMachine(change) && { icon: IconToken })} />}
      detail={stageName(projects, projectSlug, ...stageSlugs)}
      end={<RelativeTime ms={writtenAtMs} />}
    >
      <TextLink
        to="/o/$orgSlug/p/$projectSlug/history"
        params={{ orgSlug: scope.orgSlug, projectSlug }}
        search={{ stage: stageSlug, revision: String(revision) }}
      >
        <strong>{who}</strong> <Sentence parts={[...parts, ...changeText(change)]} />
      </TextLink>
    </RowItem>
  )
}
