/** What a restore would do, by variable: worked out from the digests of now and the history since then. */
import type { Digested } from '@rollkey/contract'
import { compareCodePoints, isSame, opens } from '@rollkey/contract/rules'
import type { Change } from '../variables/change.ts'
import { differences } from '../variables/differences.ts'

export interface Effect {
  readonly name: string
  /** Such as "value changed". */
  readonly words: string
}

/**
 * `present`: the variables as they are. `later`: every change after the revision to go back to, the newest first. Variables
 * that stay as they are have no effect.
 */
export function effectsOf(present: readonly Digested[], later: readonly Change[]): readonly Effect[] {
  const now = new Map(present.map((variable) => [variable.name, variable]))
  // The oldest one, which is set last, tells how the variable was then.
  const next = new Map(later.map((change) => [change.name, change]))
  return [...next.values()]
    .toSorted((one, other) => compareCodePoints(one.name, other.name))
    .flatMap((change) => {
      const words = wordsOf(now.get(change.name), change)
      return words === undefined ? [] : [{ name: change.name, words }]
    })
}

function wordsOf(now: Digested | undefined, { change, before }: Change): string | undefined {
  if (!before) {
    if (change === 'updated' || change === 'deleted') return 'what it was is no longer kept'
    return now && 'deleted'
  }
  if (!now) return 'comes back'
  if (!opens(before)) return 'what it was cannot be opened'
  return isSame(before, now) ? undefined : differences(now, before).join(', ')
}
