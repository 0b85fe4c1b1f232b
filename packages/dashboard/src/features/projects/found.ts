/** Results of a search over all projects. */
import type { Answer } from '@rollkey/sdk/core'

type Match = Answer<'search'>['variables'][number]

/** A variable of a project, with the stages in which it has the same kind and type. */
export interface Found extends Omit<Match, 'stageSlug'> {
  readonly stageSlugs: readonly string[]
}

/** Groups matches by variable, in their order. */
export function foundIn(matches: readonly Match[]): readonly Found[] {
  const groups = Map.groupBy(matches, ({ projectSlug, name, kind, declaredType }) =>
    JSON.stringify([projectSlug, name, kind, declaredType]),
  )
  return [...groups.values()].flatMap((group) =>
    group[0] ? [{ ...group[0], stageSlugs: group.map(({ stageSlug }) => stageSlug) }] : [],
  )
}
