import type { Project, Stage } from '@rollkey/sdk/core'
import { useSearch } from '@tanstack/react-router'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconHistory } from '../../ui/icons.ts'
import { useMay } from '../../session/permissions.ts'
import { Page, TabLink, TabLinks } from '../../ui/page.tsx'
import { StatusDot } from '../../ui/status.tsx'
import { chosenStage, currentStages } from '../../data/projects/queries.ts'
import { MissingStage } from '../../parts/projects/missing-stage.tsx'
import { ProtectedMark } from '../../parts/projects/protected-mark.tsx'
import { WithProject } from '../../parts/projects/with-project.tsx'
import { labels } from './labels.ts'
import { StageHistory } from './stage-history.tsx'

export function HistoryPage() {
  return (
    <WithProject>
      {(project) => (
        <Page title={labels.title(project.name)} lead={labels.lead}>
          <ProjectHistory project={project} />
        </Page>
      )}
    </WithProject>
  )
}

interface ProjectHistoryProps {
  readonly project: Project
}

/** Shows the history of one stage. Stage and filters are in the address, so that people can share them. */
function ProjectHistory({ project }: ProjectHistoryProps) {
  const search = useSearch({ from: '/signed-in/o/$orgSlug/p/$projectSlug/history' })
  const may = useMay()
  const { projectSlug, archivedAtMs } = project
  const current = currentStages(project)
  const stages = [...current, ...project.stages.filter((stage) => !current.includes(stage))]
  const stage = chosenStage(stages, search.stage)
  if (stages.length === 0) return <EmptyState icon={IconHistory} title={labels.noStages} />
  const isReadOnly = ({ stageSlug, archivedAtMs: stageArchivedAtMs }: Stage): boolean =>
    archivedAtMs !== undefined || stageArchivedAtMs !== undefined || !may('write', { projectSlug, stageSlug })
  return (
    <>
      <TabLinks label={labels.stages}>
        {stages.map((each) => (
          <TabLink
            key={each.stageSlug}
            from="/o/$orgSlug/p/$projectSlug/history"
            to="."
            search={(before) => ({ ...before, stage: each.stageSlug, revision: undefined })}
            replace
            aria-current={each === stage ? 'page' : undefined}
          >
            {each.archivedAtMs === undefined ? each.name : labels.archived(each.name)}
            <ProtectedMark isProtected={each.isProtected} />
            {each.isProduction && <StatusDot status="production">{labels.production}</StatusDot>}
          </TabLink>
        ))}
      </TabLinks>
      {stage ? (
        <StageHistory
          key={JSON.stringify([stage.stageSlug, search.name])}
          place={{ projectSlug, stageSlug: stage.stageSlug }}
          stage={stage}
          isReadOnly={isReadOnly(stage)}
          search={search}
        />
      ) : (
        <MissingStage project={project} stageSlug={search.stage} />
      )}
    </>
  )
}
