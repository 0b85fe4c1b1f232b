import type { Change, StageSlugs } from '@rollkey/sdk/core'
import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { exactTime } from '../../lib/time.ts'
import { useScope } from '../../session/scope.ts'
import { TextLink } from '../../ui/buttons.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { Name } from '../../ui/name.tsx'
import { Panel } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { useAuthorName } from '../../data/history/queries.ts'
import { usePersonName } from '../../data/members.ts'
import { projectsQuery } from '../../data/projects/queries.ts'
import { labels } from './labels.ts'
import { ProductionMark } from '../../parts/projects/production-mark.tsx'
import { labels as planLabels } from '../../parts/plans/labels.ts'

/** Leads to the project, and to the history of the stage, which has a mark if it is production. */
export function PlaceLinks({ place: { projectSlug, stageSlug } }: { readonly place: StageSlugs }) {
  const { data: projects = [] } = useQuery(projectsQuery(useScope()))
  const project = projects.find((each) => each.projectSlug === projectSlug)
  const stage = project?.stages.find((each) => each.stageSlug === stageSlug)
  return (
    <Group gap={4}>
      <span>
        <TextLink from="/o/$orgSlug" to="./p/$projectSlug" params={{ projectSlug }}>
          {project?.name ?? projectSlug}
        </TextLink>
        {' / '}
        <TextLink
          from="/o/$orgSlug"
          to="./p/$projectSlug/history"
          params={{ projectSlug }}
          search={{ stage: stageSlug }}
          title={labels.stageHistory}
        >
          {stage?.name ?? stageSlug}
        </TextLink>
      </span>
      {stage && <ProductionMark stage={stage} />}
    </Group>
  )
}

/** Returns a link to the roll, if the change is about one that stays. */
function rollLink({ projectSlug, stageSlug, items }: Change): ReactNode {
  const [item, ...others] = items
  if (!item || others.length > 0 || item.action === 'delete') return undefined
  const isRoll = item.action === 'chance' || (item.before ?? item.after)?.kind === 'ab_roll'
  if (!isRoll) return undefined
  const { name } = item
  return (
    <TextLink
      from="/o/$orgSlug"
      to="./p/$projectSlug/roll"
      params={{ projectSlug }}
      search={{ stage: stageSlug, name }}
    >
      <Name>{name}</Name>
    </TextLink>
  )
}

/** Returns what happens if the values that a ramp has served do not fit. */
function guardText({ guard }: Change): string {
  const { guards, stopAt } = planLabels.rampForm
  return guard?.onMisfit === 'abort' ? stopAt(guard.abortTo ?? 0) : guards[guard?.onMisfit ?? 'continue']
}

/** Returns who settled the change and when; without a person, the service did. */
function settledFact(
  { state, settledBy, settledAtMs }: Change,
  personName: (id: string) => string,
): Readonly<Record<string, ReactNode>> {
  if (settledAtMs === undefined || (state !== 'applied' && state !== 'withdrawn' && state !== 'aborted')) return {}
  const { facts } = labels
  const time = <RelativeTime ms={settledAtMs} />
  if (settledBy === undefined) return { [facts.settledAt[state]]: time }
  return {
    [facts.settledBy[state]]: (
      <>
        {personName(settledBy)}, {time}
      </>
    ),
  }
}

interface ProposalFactsProps {
  readonly proposal: Change
}

/** Shows who proposed the change, when it is applied, and what it is about. */
export function ProposalFacts({ proposal }: ProposalFactsProps) {
  const { proposedBy, proposedWith, proposedAtMs, dueAtMs, conflictAt, zone, source, appliedRevision } = proposal
  const authorName = useAuthorName()
  const personName = usePersonName()
  const { projectSlug, stageSlug } = proposal
  const { facts } = labels
  return (
    <Panel title={labels.what}>
      <DescriptionList
        facts={{
          [facts.proposedBy]: authorName({ writtenBy: proposedBy, client: proposedWith }),
          [facts.proposedAt]: <RelativeTime ms={proposedAtMs} />,
          [facts.dueAt]: dueAtMs === undefined || conflictAt !== undefined ? undefined : exactTime(dueAtMs),
          [facts.zone]: zone,
          [facts.roll]: rollLink(proposal),
          [planLabels.rampForm.guard]: proposal.steps && guardText(proposal),
          [facts.source]: source.copy && labels.place(source.copy.projectSlug, source.copy.stageSlug),
          ...settledFact(proposal, personName),
          [facts.appliedRevision]:
            appliedRevision === undefined ? undefined : (
              <TextLink
                from="/o/$orgSlug"
                to="./p/$projectSlug/history"
                params={{ projectSlug }}
                search={{ stage: stageSlug, revision: String(appliedRevision) }}
              >
                {appliedRevision}
              </TextLink>
            ),
        }}
      />
    </Panel>
  )
}
