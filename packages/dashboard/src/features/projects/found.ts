/** What a search over all projects finds. */
import type { Answer } from '@rollkey/sdk/core'

type Match = Answer<'search'>['variables'][number]

/** A variable of a project, in the stages that have it of one kind and type. */
export interface Found extends Omit<Match, 'stageSlug'> {
  readonly stageSlugs: readonly string[]
}

/** In the order of the matches. */
export function foundIn(matches: readonly Match[]): readonly Found[] {
  const groups = Map.groupBy(matches, ({ projectSlug, name, kind, declaredType }) =>
    JSON.stringify([projectSlug, name, kind, declaredType]),
  )
  return [...groups.values()].flatMap((group) =>
    group[0] ? [{ ...group[0], stageSlugs: group.map(({ stageSlug }) => stageSlug) }] : [],
  )
}
