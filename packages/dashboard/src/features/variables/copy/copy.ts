/** Copies between stages. The service makes them, so no value comes here. */
import type { Digested } from '@rollkey/contract'
import { isSame, opens } from '@rollkey/contract/rules'
import type { StageContents } from '../comparison.ts'
import { saveAsPreviewed } from '../use-reveal.ts'
import { ask, type Scope } from '../../../session/scope.ts'
import type { Place } from '../queries.ts'
import { type Saved, savedBy } from '../save.ts'

export interface Copy {
  readonly name: string
  readonly isNew: boolean
}

/** Returns what can be copied: the variables of `from` that open and differ in `to`. */
export function copiesOf(from: readonly Digested[], to: readonly Digested[]): readonly Copy[] {
  const there = new Map(to.map((variable) => [variable.name, variable]))
  return from.filter(opens).flatMap((variable) => {
    const other = there.get(variable.name)
    return other && isSame(variable, other) ? [] : [{ name: variable.name, isNew: !other }]
  })
}

/** Returns the slug of the stage to which variables usually go next, in the order of the project. */
export function nextStage(slugs: readonly string[], from: string): string {
  const at = slugs.indexOf(from)
  return slugs[at + 1] ?? slugs[at - 1] ?? ''
}

interface Side {
  readonly place: Place
  /** The target stage as the preview showed it. */
  readonly contents: StageContents
}

/** Copies all variables or none, and only while both stages are as the preview showed them. */
export async function copyVariables(scope: Scope, from: Side, to: Side, names: readonly string[]): Promise<Saved> {
  const body = {
    from: from.place,
    to: to.place,
    names: [...names],
    fromRevision: from.contents.revision,
    ifRevision: to.contents.revision,
  }
  return savedBy(to.place, await saveAsPreviewed(() => ask(scope, 'copy', body)))
}
