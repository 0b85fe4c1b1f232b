/** Which variables of a project nothing uses. */
import type { ListedVariable } from '@rollkey/contract'
import { staleness } from '@rollkey/contract/rules'

/** The variables of a stage with their last use. */
export interface Uses {
  readonly variables: readonly ListedVariable[]
  readonly readAtMs: number
}

/** Returns the names of the variables that are unused in every stage that has them; none while a stage is unknown. */
export function unusedIn(stages: readonly (Uses | undefined)[]): ReadonlySet<string> {
  if (stages.includes(undefined)) return new Set()
  const variables = stages.flatMap((stage) =>
    (stage?.variables ?? []).map((each) => ({
      name: each.name,
      isUnused: staleness(each, stage?.readAtMs ?? 0) === 'unused',
    })),
  )
  const used = new Set(variables.filter(({ isUnused }) => !isUnused).map(({ name }) => name))
  return new Set(variables.map(({ name }) => name).filter((name) => !used.has(name)))
}
