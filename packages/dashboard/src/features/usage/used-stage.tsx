import { Badge, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useScope } from '../../session/scope.ts'
import { StatusDot } from '../../ui/status.tsx'
import { isProduction, projectsQuery, stageName } from '../../data/projects/queries.ts'
import { labels } from './labels.ts'
import { conditionOf, type StageUsage } from '../../data/usage/usage.ts'

interface UsedStageProps {
  readonly place: StageUsage['place']
}

/** Names a stage that was used, and says whether it was deleted or archived since. */
export function UsedStage({ place }: UsedStageProps) {
  const { data: projects } = useQuery(projectsQuery(useScope()))
  if (!place) return labels.missingStages
  const condition = projects && conditionOf(place, projects)
  return (
    <Group gap={6}>
      {stageName(projects ?? [], place.projectSlug, place.stageSlug)}
      {isProduction(projects ?? [], place) && <StatusDot status="production">{labels.production}</StatusDot>}
      {condition && <Badge>{labels.conditions[condition]}</Badge>}
    </Group>
  )
}
