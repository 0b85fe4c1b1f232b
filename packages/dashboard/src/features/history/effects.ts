/** What a restore would do to each variable, computed from the present digests and the history since the revision. */
import type { Digested } from '@rollkey/contract'
import { compareCodePoints, isSame, opens } from '@rollkey/contract/rules'
import type { Change } from '../variables/change.ts'
import { differences } from '../variables/comparison.ts'
import { type HasEffect, labels } from './labels.ts'

export interface Effect extends HasEffect {
  readonly name: string
  /** Description, such as "value changed". */
  readonly words: string
}

/**
 * Returns the effects of a restore, without variables that stay as they are. `present`: the present variables. `later`: every
 * change after the restored revision, the newest first.
 */
export function effectsOf(present: readonly Digested[], later: readonly Change[]): readonly Effect[] {
  const now = new Map(present.map((variable) => [variable.name, variable]))
  // The oldest change, which is set last, has the state of the variable at the revision.
  const next = new Map(later.map((change) => [change.name, change]))
  return [...next.values()]
    .toSorted((one, other) => compareCodePoints(one.name, other.name))
    .flatMap((change) => effectOf(now.get(change.name), change) ?? [])
}

function effectOf(now: Digested | undefined, { change, before, name }: Change): Effect | undefined {
  if (!before) {
    if (change === 'updated' || change === 'deleted') return { name, effect: 'changes', words: labels.effects.unknown }
    return now && { name, effect: 'goes', words: labels.effects.goes }
  }
  if (!now) return { name, effect: 'returns', words: labels.effects.returns }
  if (!opens(before)) return { name, effect: 'changes', words: labels.effects.unreadable }
  return isSame(before, now) ? undefined : { name, effect: 'changes', words: differences(now, before).join(', ') }
}
