/** What a restore would do to each variable, in words. */
import type { Digested } from '@rollkey/contract'
import { restoreEffects } from '@rollkey/contract/rules'
import type { Change, State } from '../variables/change.ts'
import { differences } from '../variables/comparison.ts'
import { type HasEffect, labels } from './labels.ts'

export interface Effect extends HasEffect {
  readonly name: string
  /** Description, such as "value changed". */
  readonly words: string
}

/** Returns the effects of a restore, as `restoreEffects` does. */
export function effectsOf(present: readonly Digested[], later: readonly Change[]): readonly Effect[] {
  return restoreEffects<State>(present, later).map((restored) => {
    const { name, effect } = restored
    if (effect === 'changes') return { name, effect, words: differences(restored.now, restored.then).join(', ') }
    return {
      name,
      effect: effect === 'goes' || effect === 'returns' ? effect : 'changes',
      words: labels.effects[effect],
    }
  })
}
