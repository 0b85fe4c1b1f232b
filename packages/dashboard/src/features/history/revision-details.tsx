import type { HistoryChange, Stage, StageSlugs } from '@rollkey/sdk/core'
import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { isSame, kinds } from '@rollkey/contract/rules'
import type { Digested, RevealedEntry } from '@rollkey/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { exactTime } from '../../lib/time.ts'
import { useScope } from '../../session/scope.ts'
import { ErrorNotice } from '../../ui/notice.tsx'
import { FocusRegion } from '../../ui/page.tsx'
import { IconArrow, IconRestore } from '../../ui/icons.ts'
import { MaskedValue } from '../../ui/masked-value.tsx'
import { SplitBar } from '../../ui/split-bar.tsx'
import { TextLink } from '../../ui/buttons.tsx'
import { TimelineDetails } from '../../ui/timeline.tsx'
import { digestsQuery } from '../../data/variables/queries.ts'
import { useReveal } from '../../data/variables/use-reveal.ts'
import { isExposed } from '../../data/variables/labels.ts'
import { useChangedValues, ValueDiff } from '../../parts/variables/changed-values.tsx'
import { effectsOf } from './effects.ts'
import classes from './history.module.css'
import { labels } from './labels.ts'
import type { Past } from './restore-drawer.tsx'
import type { Revision, DescribedChange } from './revisions.ts'
import { type ChangedValues, useAuthorName, useAuthorText } from '../../data/history/queries.ts'
import { usePersonName } from '../../data/members.ts'
import { proposalQuery } from '../../data/proposals/queries.ts'

interface RevisionDetailsProps {
  readonly place: StageSlugs
  readonly stage: Stage
  /** Name of the variable to which the history is filtered. */
  readonly name: string | undefined
  readonly revision: Revision
  /** All changes after the revision; undefined while they are unknown. */
  readonly later: readonly HistoryChange[] | undefined
  readonly isReadOnly: boolean
  readonly onRestore: (past: Past) => void
  /** Undoes the revision alone. Undefined: that would change nothing. */
  readonly onUndo: (() => void) | undefined
  readonly onClose: () => void
}

/** Shows what a revision changed, and restores it. */
export function RevisionDetails(props: RevisionDetailsProps) {
  const { place, stage, name, later, isReadOnly, onRestore, onUndo, onClose } = props
  const { revision, changes, writtenAtMs, writtenBy, client } = props.revision
  const authorText = useAuthorText()
  const { data } = useQuery(digestsQuery(useScope(), place))
  const present = data?.variables
  const values = useChangedValues(
    place,
    name,
    changes.map(({ change }) => change),
  )
  const isPresent = later !== undefined && present !== undefined && effectsOf(present, later).length === 0
  return (
    <TimelineDetails
      onClose={onClose}
      title={
        <Group gap="xs" component="span">
          {labels.revision(revision)}
          {later?.length === 0 && <Badge component="span">{labels.current}</Badge>}
        </Group>
      }
    >
      <div>
        <Text className="wrapping">{authorText({ writtenBy, client })}</Text>
        <Text size="sm" c="dimmed">
          <time dateTime={new Date(writtenAtMs).toISOString()}>{exactTime(writtenAtMs)}</time>
        </Text>
        <AppliedChange place={place} revision={props.revision} />
      </div>
      <Changes
        key={revision}
        changes={changes}
        place={place}
        stage={stage}
        present={present}
        values={values}
        onRestore={isReadOnly || name !== undefined ? undefined : (of) => onRestore({ revision, names: [of] })}
      />
      {isReadOnly ? (
        <Text c="dimmed">{labels.isArchived}</Text>
      ) : (
        <>
          {isPresent && <Text c="dimmed">{labels.isPresent(name ?? stage.name)}</Text>}
          <Reversals
            onUndo={onUndo}
            isNewest={later?.length === 0}
            onRestore={
              isPresent ? undefined : () => onRestore({ revision, names: name === undefined ? undefined : [name] })
            }
          />
        </>
      )}
    </TimelineDetails>
  )
}

interface ReversalsProps {
  readonly onUndo: (() => void) | undefined
  readonly isNewest: boolean
  /** Undefined: the revision is the present state. */
  readonly onRestore: (() => void) | undefined
}

function Reversals({ onUndo, isNewest, onRestore }: ReversalsProps) {
  return (
    <Group gap="xs">
      {onUndo && (
        <Button variant="default" onClick={onUndo}>
          {labels.undoButton(isNewest)}
        </Button>
      )}
      {onRestore && (
        <Button variant="default" leftSection={<IconRestore />} onClick={onRestore}>
          {labels.restoreButton}
        </Button>
      )}
    </Group>
  )
}

interface AppliedChangeProps {
  readonly place: StageSlugs
  readonly revision: Revision
}

/** Says which change made the revision, why, and who approved it. Shows nothing if it was written directly. */
function AppliedChange({ place, revision }: AppliedChangeProps) {
  const scope = useScope()
  const personName = usePersonName()
  const authorName = useAuthorName()
  const { changeId: id = '', reason, proposedBy, proposedWith } = revision
  const isProposed = id !== ''
  const { data } = useQuery({ ...proposalQuery(scope, place, id), refetchInterval: false, enabled: isProposed })
  if (!isProposed || proposedBy === undefined) return null
  const { projectSlug, stageSlug } = place
  const approvers = data?.approvals.approvers ?? []
  return (
    <Text className="wrapping">
      {labels.fromChange}{' '}
      <TextLink
        to="/o/$orgSlug/changes/$changeId"
        params={{ orgSlug: scope.orgSlug, changeId: id }}
        search={{ project: projectSlug, stage: stageSlug }}
      >
        {reason}
      </TextLink>
      {`, ${labels.proposedBy(authorName({ writtenBy: proposedBy, client: proposedWith }))}`}
      {approvers.length > 0 && `, ${labels.approvedBy(approvers.map(personName))}`}
    </Text>
  )
}

interface ChangeProps {
  readonly place: StageSlugs
  readonly stage: Stage
  /** The present variables; undefined while they are unknown. */
  readonly present: readonly Digested[] | undefined
  /** The values before and after the changes, where they are not secret. */
  readonly values: readonly ChangedValues[]
  /** Restores one variable. Undefined: single variables cannot be restored. */
  readonly onRestore: ((name: string) => void) | undefined
}

interface ChangesProps extends ChangeProps {
  readonly changes: readonly DescribedChange[]
}

/** How many changes are shown before one asks for all. */
const shownAtFirst = 20

function Changes({ changes, ...props }: ChangesProps) {
  const [showsAll, setShowsAll] = useState(false)
  return (
    <Stack gap="xs" align="stretch">
      <ChangeList changes={changes.slice(0, shownAtFirst)} {...props} />
      {showsAll && (
        <FocusRegion>
          <ChangeList changes={changes.slice(shownAtFirst)} {...props} />
        </FocusRegion>
      )}
      {!showsAll && changes.length > shownAtFirst && (
        <Button variant="default" onClick={() => setShowsAll(true)}>
          {labels.showAll(changes.length)}
        </Button>
      )}
    </Stack>
  )
}

function ChangeList({ changes, ...props }: ChangesProps) {
  return (
    <ul className={`plain-list ${classes['changes']}`}>
      {changes.map((described) => (
        <ChangeItem key={described.change.name} described={described} {...props} />
      ))}
    </ul>
  )
}

interface ChangeItemProps extends ChangeProps {
  readonly described: DescribedChange
}

/** Shows the change of one variable; its name links to its history. */
function ChangeItem({ described: { change, words }, place, stage, present, values, onRestore }: ChangeItemProps) {
  const { projectSlug, stageSlug } = place
  const { name } = change
  const now = present?.find((variable) => variable.name === name)
  return (
    <li className={classes['change']}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <TextLink
          from="/o/$orgSlug"
          to="./p/$projectSlug/history"
          params={{ projectSlug }}
          search={{ stage: stageSlug, name, revision: String(change.revision) }}
          className="wrapping"
          underline="hover"
        >
          <bdi>
            <code>{name}</code>
          </bdi>
        </TextLink>
        {onRestore && present && !isAsNow(change, now) && (
          <Button
            size="compact-sm"
            variant="subtle"
            aria-label={labels.restoreVariableName(name)}
            onClick={() => onRestore(name)}
          >
            {labels.restoreVariable}
          </Button>
        )}
      </Group>
      <Text size="sm" className="wrapping">
        {words}
      </Text>
      <ChanceBars change={change} />
      <ValueDiff change={change} values={values} />
      {now && !isExposed(now) && hasSameValues(change, now) && (
        <PresentValues place={place} stage={stage} variable={now} />
      )}
    </li>
  )
}

function isAsNow({ kind, digests, ...rest }: HistoryChange, now: Digested | undefined): boolean {
  return kind && digests ? now !== undefined && isSame({ ...rest, kind, digests }, now) : now === undefined
}

/** Returns whether a revision's values are still the present ones, which are the only ones that the service reveals. */
function hasSameValues({ kind, digests }: HistoryChange, now: Digested): boolean {
  return kind === now.kind && kinds[kind].values.every(({ role }) => digests?.[role] === now.digests[role])
}

interface ChanceBarsProps {
  readonly change: HistoryChange
}

/** Shows the chance of a roll before and after a change. */
function ChanceBars({ change: { chance, before } }: ChanceBarsProps) {
  if (before?.chance === undefined || chance === undefined || before.chance === chance) return null
  return (
    <span className={classes['bars']}>
      <SplitBar share={before.chance} label={labels.chanceOfA('before')} />
      <IconArrow size={14} />
      <SplitBar share={chance} label={labels.chanceOfA('after')} />
    </span>
  )
}

interface PresentValuesProps {
  readonly place: StageSlugs
  readonly stage: Stage
  readonly variable: Digested
}

/** Shows the values of a variable, masked until someone reveals them. */
function PresentValues({ place, stage, variable }: PresentValuesProps) {
  const { name, kind } = variable
  const { entry, hide, request } = useReveal(place, name, variable)
  const { values } = kinds[kind]
  return (
    <>
      <Group gap="xs">
        <Text size="sm" c="dimmed">
          {labels.sameValue}
        </Text>
        {values.map(({ role, field, label }) => (
          <MaskedValue
            key={role}
            what={labels.value(values.length > 1 ? label : undefined, name, stage.name)}
            value={valueOf(entry, field)}
            isRevealing={request.isPending}
            onReveal={() => request.mutate()}
            onHide={hide}
          />
        ))}
      </Group>
      <ErrorNotice error={request.error} />
    </>
  )
}

function valueOf(entry: RevealedEntry | undefined, field: string): string | undefined {
  const value: unknown = entry && Object.entries(entry).find(([key]) => key === field)?.[1]
  return typeof value === 'string' ? value : undefined
}
