import { useQuery } from '@tanstack/react-query'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/error-notice.tsx'
import { useScope } from '../../session/use-scope.ts'
import { usageQuery } from './queries.ts'
import { projectsQuery, stageName } from '../projects/queries.ts'
import { EvaluationsSection } from './evaluations-section.tsx'
import { DaysSection } from './days-section.tsx'
import { MonthsSection } from './months-section.tsx'
import { StagesSection } from './stages-section.tsx'
import { StorageSection } from './storage-section.tsx'

export function UsagePage() {
  const scope = useScope()
  const { data: usage, error } = useQuery(usageQuery(scope))
  const { data: projects = [] } = useQuery(projectsQuery(scope))
  const nameOf = (place: { projectSlug: string; stageSlug: string } | undefined): string =>
    place ? stageName(projects, place.projectSlug, place.stageSlug) : 'Stages that do not exist'
  return (
    <Page title="Usage" lead="What this organization evaluates and stores. Months and days are those of UTC.">
      <ProblemNotice error={error} />
      {!usage && !error && <Loading />}
      {usage && (
        <>
          <EvaluationsSection usage={usage} />
          <StorageSection usage={usage} />
          <StagesSection usage={usage} nameOf={nameOf} />
          <DaysSection usage={usage} nameOf={nameOf} />
          <MonthsSection usage={usage} />
        </>
      )}
    </Page>
  )
}
