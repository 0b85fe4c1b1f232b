/** What a restore would do to each variable, in words. */
import type { HistoryChange, VariableState } from '@rollkey/sdk/core'
import type { Digested } from '@rollkey/contract'
import { restoreEffects } from '@rollkey/contract/rules'
import { differences, valueTransition } from '../../data/variables/comparison.ts'
import { labels as variableLabels } from '../../data/variables/labels.ts'
import { type HasEffect, labels } from './labels.ts'
import type { ChangedValues } from '../../data/history/queries.ts'

export interface Effect extends HasEffect {
  readonly name: string
  /** Description, such as "value 19 → 21". */
  readonly words: string
  /** Whether a roll gets another chance, or goes: that pauses its ramp. */
  readonly movesChance: boolean
}

/** Returns the effects of a restore, as `restoreEffects` does. `values`: those of the later changes that people see. */
export function effectsOf(
  present: readonly Digested[],
  later: readonly HistoryChange[],
  values: readonly ChangedValues[] = [],
): readonly Effect[] {
  const seen = new Map(values.map((change) => [keyOf(change), change]))
  const newest = new Map(later.toReversed().map((change) => [change.name, seen.get(keyOf(change))]))
  const oldest = new Map(later.map((change) => [change.name, seen.get(keyOf(change))]))
  const chances = new Map(present.map(({ name, chance }) => [name, chance]))
  return restoreEffects<VariableState>(present, later).map((restored) => {
    const { name, effect } = restored
    if (effect === 'changes') {
      const [now, then] = [newest.get(name)?.after, oldest.get(name)?.before]
      const words = differences(
        restored.now,
        restored.then,
        (role) => valueTransition(role, now, then) ?? variableLabels.valueChanged,
      )
      const chance = restored.now.chance
      return {
        name,
        effect,
        words: words.join(', '),
        movesChance: chance !== undefined && chance !== restored.then.chance,
      }
    }
    return {
      name,
      effect: effect === 'goes' || effect === 'returns' ? effect : 'changes',
      words: labels.effects[effect],
      movesChance: effect === 'goes' && chances.get(name) !== undefined,
    }
  })
}

function keyOf({ revision, name }: Pick<HistoryChange, 'revision' | 'name'>): string {
  return `${revision} ${name}`
}
