/** Copies from stage to stage. The service makes them, so no value comes here. */
import type { Digested } from '@rollkey/contract'
import { isSame, opens } from '@rollkey/contract/rules'
import type { StageContents } from '../comparison.ts'
import { saveAsPreviewed } from '../previewed.ts'
import { ask, type Scope } from '../../../session/scope.ts'
import type { Place } from '../queries.ts'

export interface Copy {
  readonly name: string
  readonly isNew: boolean
}

/** What can be copied: the variables of `from` that open and are not the same in `to`. */
export function copiesOf(from: readonly Digested[], to: readonly Digested[]): readonly Copy[] {
  const there = new Map(to.map((variable) => [variable.name, variable]))
  return from.filter(opens).flatMap((variable) => {
    const other = there.get(variable.name)
    return other && isSame(variable, other) ? [] : [{ name: variable.name, isNew: !other }]
  })
}

/** Such as "2 are new there, 1 is replaced." */
export function copySentence(copies: readonly Copy[]): string {
  const created = copies.filter(({ isNew }) => isNew).length
  const replaced = copies.length - created
  const parts = [
    ...(created > 0 ? [`${created} ${created === 1 ? 'is' : 'are'} new there`] : []),
    ...(replaced > 0 ? [`${replaced} ${replaced === 1 ? 'is' : 'are'} replaced`] : []),
  ]
  return parts.length > 0 ? `${parts.join(', ')}.` : 'Choose what to copy.'
}

interface Side {
  readonly place: Place
  /** As the preview showed it. */
  readonly contents: StageContents
}

/** All or nothing, and only while both stages are as they were shown. */
export async function copyVariables(scope: Scope, from: Side, to: Side, names: readonly string[]): Promise<void> {
  const body = {
    from: from.place,
    to: to.place,
    names: [...names],
    fromRevision: from.contents.revision,
    ifRevision: to.contents.revision,
  }
  await saveAsPreviewed(() => ask(scope, 'copy', body))
}
