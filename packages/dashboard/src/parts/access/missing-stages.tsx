import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { currentStages, projectsQuery } from '../../data/projects/queries.ts'
import { list } from '../../lib/list.ts'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { MissingVerb } from './require-verb.tsx'

interface MissingStagesProps {
  readonly projectSlug: string
}

/** Says which stages of the project a form does not offer, because the viewer may not write there, and whom to ask. */
export function MissingStages({ projectSlug }: MissingStagesProps) {
  const { data } = useQuery(projectsQuery(useScope()))
  const may = useMay()
  const project = data?.find((each) => each.projectSlug === projectSlug)
  const missing = (project ? currentStages(project) : []).filter(
    ({ stageSlug }) => !may('write', { projectSlug, stageSlug }),
  )
  const [first] = missing
  if (!first) return null
  return (
    <Text size="sm" c="dimmed">
      <MissingVerb
        verb="write"
        at={{ projectSlug, stageSlug: first.stageSlug }}
        name={list.format(missing.map(({ name }) => name))}
      />
    </Text>
  )
}
