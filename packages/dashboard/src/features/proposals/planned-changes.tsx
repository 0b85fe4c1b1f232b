import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { percentText } from '../../lib/numbers.ts'
import { absoluteTime, relativeTime } from '../../lib/time.ts'
import { useScope } from '../../session/scope.ts'
import { TextLink } from '../../ui/buttons.tsx'
import { Panel } from '../../ui/page.tsx'
import { useNow } from '../../ui/time.tsx'
import type { Place } from '../variables/queries.ts'
import { labels } from './labels.ts'
import { StateText } from './proposals-page.tsx'
import classes from './proposals.module.css'
import { type ListedProposal, plannedQuery } from './queries.ts'
import { PauseButton } from './ramp.tsx'

const { planned: words } = labels

interface PlannedChangesProps {
  readonly place: Place
  /** Name of a variable. */
  readonly name: string
}

/** Shows the changes of a variable that run by themselves or wait; nothing if there are none. */
export function PlannedChanges({ place, name }: PlannedChangesProps) {
  const { data: changes = [] } = useQuery(plannedQuery(useScope(), place))
  const found = changes.filter(({ names }) => names.includes(name))
  if (found.length === 0) return null
  return (
    <Panel title={words.title} lead={words.lead}>
      <ul className={`plain-list ${classes['reviews']}`}>
        {found.map((proposal) => (
          <li key={proposal.id}>
            <Planned proposal={proposal} />
          </li>
        ))}
      </ul>
    </Panel>
  )
}

interface PlannedProps {
  readonly proposal: ListedProposal
}

function Planned({ proposal }: PlannedProps) {
  const { id, reason, projectSlug, stageSlug, steps = [], stepsDone = 0, dueAtMs } = proposal
  const nowMs = useNow()
  const next = steps[stepsDone]
  const atMs = dueAtMs ?? next?.atMs
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
        {next && atMs !== undefined && (
          <Text size="sm" c="dimmed">
            {words.next(percentText(next.chance), relativeTime(atMs, nowMs), absoluteTime(atMs))}
          </Text>
        )}
      </div>
      {steps.length > 0 && <PauseButton proposal={proposal} />}
    </Group>
  )
}
