import type { ListedChange, StageSlugs } from '@rollkey/sdk/core'
import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { percentText } from '../../lib/numbers.ts'
import { absoluteTime, relativeTime } from '../../lib/time.ts'
import { useScope } from '../../session/scope.ts'
import { TextLink } from '../../ui/buttons.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/page.tsx'
import { useNow } from '../../ui/time.tsx'
import classes from './plans.module.css'
import { plannedQuery } from '../../data/proposals/queries.ts'
import { StateText } from './state-text.tsx'
import { PauseButton } from './ramp-moves.tsx'
import { labels } from './labels.ts'
import { waitsText } from './state.ts'

const { planned: words } = labels

interface PlannedChangesProps {
  readonly place: StageSlugs
  /** Name of a variable. */
  readonly name: string
}

/** Shows the changes of a variable that run by themselves or wait; nothing if there are none. */
export function PlannedChanges({ place, name }: PlannedChangesProps) {
  const found = usePlanned(place, name)
  if (found.length === 0) return null
  return (
    <Panel title={words.title} lead={found.some(({ conflictAt }) => conflictAt === undefined) ? words.lead : undefined}>
      <PlannedList proposals={found} />
    </Panel>
  )
}

interface PlannedNoticeProps extends PlannedChangesProps {
  /** Whether the variable is a secret, so that a change with steps rotates it. @default false */
  readonly isSecret?: boolean
}

/** Says in the drawer of a variable that changes wait; nothing if there are none. */
export function PlannedNotice({ place, name, isSecret = false }: PlannedNoticeProps) {
  const found = usePlanned(place, name)
  const [only, ...others] = found
  if (!only) return null
  const title =
    others.length === 0 ? waitsText(only, isSecret && only.steps !== undefined) : words.several(found.length)
  return (
    <Notice kind="info" title={title}>
      <PlannedList proposals={found} />
    </Notice>
  )
}

/** Returns the changes of a variable that run by themselves or wait. */
export function usePlanned(place: StageSlugs, name: string): readonly ListedChange[] {
  const { data = [] } = useQuery(plannedQuery(useScope(), place))
  return data.filter(({ names }) => names.includes(name))
}

interface PlannedListProps {
  readonly proposals: readonly ListedChange[]
}

function PlannedList({ proposals }: PlannedListProps) {
  return (
    <ul className={`plain-list ${classes['planned']}`}>
      {proposals.map((proposal) => (
        <li key={proposal.id} data-focus={proposal.id}>
          <Planned proposal={proposal} />
        </li>
      ))}
    </ul>
  )
}

interface PlannedProps {
  readonly proposal: ListedChange
}

function Planned({ proposal }: PlannedProps) {
  const {
    id,
    reason,
    names,
    nameCount,
    projectSlug,
    stageSlug,
    steps = [],
    stepsDone = 0,
    dueAtMs,
    conflictAt,
  } = proposal
  const nowMs = useNow()
  const next = steps[stepsDone]
  return (
    <Group justify="space-between" gap="xs">
      <div>
        <Group gap="xs">
          <TextLink
            from="/o/$orgSlug"
            to="./changes/$changeId"
            params={{ changeId: id }}
            search={{ project: projectSlug, stage: stageSlug }}
            className="wrapping"
          >
            {reason}
          </TextLink>
          <StateText proposal={proposal} />
        </Group>
        {conflictAt !== undefined ? (
          <Text size="sm" c="dimmed">
            {words.outOfDate(nameCount === 1 ? names[0] : undefined)}
          </Text>
        ) : (
          next &&
          dueAtMs !== undefined && (
            <Text size="sm" c="dimmed">
              {words.next(percentText(next.chance), relativeTime(dueAtMs, nowMs), absoluteTime(dueAtMs))}
            </Text>
          )
        )}
      </div>
      {steps.length > 0 && <PauseButton proposal={proposal} />}
    </Group>
  )
}
