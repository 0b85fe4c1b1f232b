import type { ListedChange } from '@rollkey/sdk/core'
import { useQuery } from '@tanstack/react-query'
import { useScope } from '../../session/scope.ts'
import { useNow } from '../../ui/time.tsx'
import { projectsQuery } from '../../data/projects/queries.ts'
import { stateOf } from './state.ts'
import { writeRuleOf } from '../../data/proposals/write-rule.ts'
import classes from './plans.module.css'

interface StateTextProps {
  readonly proposal: ListedChange
}

/** Returns the project and the stage of a change; undefined until they are known, or if they are deleted. */
export function usePlaceOf({ projectSlug, stageSlug }: ListedChange) {
  const { data } = useQuery(projectsQuery(useScope()))
  const project = data?.find((each) => each.projectSlug === projectSlug)
  return { project, stage: project?.stages.find((each) => each.stageSlug === stageSlug) }
}

/** Shows the state of a change by what comes next. */
export function StateText({ proposal }: StateTextProps) {
  const nowMs = useNow()
  const { stage } = usePlaceOf(proposal)
  const isFrozen = stage !== undefined && writeRuleOf(stage, nowMs).frozenUntilMs !== undefined
  const { text, tone } = stateOf(proposal, nowMs, isFrozen)
  return (
    <span className={classes['state']} data-tone={tone}>
      {text}
    </span>
  )
}
