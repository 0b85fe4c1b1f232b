import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { ButtonLink } from '../../ui/button-link.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/error-notice.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { useScope } from '../../session/use-scope.ts'
import { projectsQuery } from '../projects/queries.ts'
import { digestsQuery } from '../variables/queries.ts'
import { VariableFacts } from '../variables/editor/variable-facts.tsx'
import { ChanceSection } from './chance-section.tsx'
import { CountsSection } from './counts-section.tsx'
import { TrySection } from './try-section.tsx'

/** A roll of a stage: its chance, what it does for a user, and what came of it. */
export function RollPage() {
  const { projectSlug } = useParams({ from: '/signed-in/o/$orgSlug/p/$projectSlug/roll' })
  const { stage: stageSlug = '', name = '' } = useSearch({ from: '/signed-in/o/$orgSlug/p/$projectSlug/roll' })
  const place = { projectSlug, stageSlug }
  const scope = useScope()
  const projects = useQuery(projectsQuery(scope))
  const project = projects.data?.find((each) => each.projectSlug === projectSlug)
  const stage = project?.stages.find((each) => each.stageSlug === stageSlug)
  const contents = useQuery({ ...digestsQuery(scope, place), enabled: stage !== undefined })
  const variable = contents.data?.variables.find((each) => each.name === name)
  if (!projects.data || (stage && !contents.data)) {
    const error = projects.error ?? contents.error
    return <Page title={name}>{error ? <ProblemNotice error={error} /> : <Loading />}</Page>
  }
  if (!stage || !contents.data || variable?.chance === undefined) {
    return (
      <Page
        title="There is no such roll"
        lead={`The stage ${stageSlug} of the project ${projectSlug} has no A/B roll ${name}.`}
      >
        <ButtonLink from="/o/$orgSlug" to="./projects">
          See the projects
        </ButtonLink>
      </Page>
    )
  }
  return (
    <Page
      title={name}
      lead={
        <>
          In{' '}
          <TextLink from="/o/$orgSlug" to="./p/$projectSlug" params={{ projectSlug }}>
            {project?.name}
          </TextLink>
        </>
      }
    >
      <VariableFacts variable={variable} stage={stage} />
      <ChanceSection place={place} name={name} chance={variable.chance} revision={contents.data.revision} />
      <TrySection name={name} chance={variable.chance} />
      <CountsSection place={place} name={name} />
    </Page>
  )
}
