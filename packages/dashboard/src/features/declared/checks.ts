/** How the stages of a project contradict its declarations. */
import type { DeclarationProblem } from '@rollkey/contract/rules'
import type { Stage } from '@rollkey/sdk/core'
import type { StageCheck } from '../../data/declarations.ts'
import { labels } from './labels.ts'

export interface CheckedStage {
  readonly stage: Stage
  /** Undefined until it is compared. */
  readonly check: Pick<StageCheck, 'problems' | 'valuesChecked'> | undefined
}

/** A problem that one or more stages have. */
export interface NamedProblem {
  readonly name: string
  readonly problem: DeclarationProblem['problem']
  /** The first stage that has it. */
  readonly stageSlug: string
  readonly text: string
}

/** Returns the problems by the names of variables, each once for all stages that have it. */
export function problemsByName(checked: readonly CheckedStage[]): ReadonlyMap<string, readonly NamedProblem[]> {
  const all = checked.flatMap(({ stage, check }) => (check?.problems ?? []).map((each) => ({ ...each, stage })))
  const same = Map.groupBy(all, ({ name, problem, expected }) => JSON.stringify([name, problem, expected]))
  const problems = [...same.values()].flatMap((group): NamedProblem[] => {
    const [first] = group
    if (!first) return []
    const { name, problem, expected } = first
    const stages = group.map(({ stage }) => stage.name)
    const text = labels.problem(problem, stages, expected)
    return [{ name, problem, stageSlug: first.stage.stageSlug, text }]
  })
  return Map.groupBy(problems, ({ name }) => name)
}

/** Returns the names of the stages whose values were not compared. */
export function notCompared(checked: readonly CheckedStage[]): readonly string[] {
  return checked.flatMap(({ stage, check }) => (check && !check.valuesChecked ? stage.name : []))
}
