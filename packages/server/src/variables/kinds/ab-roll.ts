import type { WriteEntry } from '@rollkey/contract'
import type { VariableKind } from './kind.ts'

type AbRollEntry = Extract<WriteEntry, { kind: 'ab_roll' }>

export const abRoll: VariableKind<AbRollEntry> = {
  roles: ['a', 'b'],
  plaintexts: ({ valueA, valueB }) => [valueA, valueB],
  stated: ([valueA = '', valueB = '']) => ({ valueA, valueB }),
  attributes: ({ chance }) => ({ chance }),
  // With u < chance, chance 0 never gives a, chance 1 always does, and raising the chance moves no seed out of a.
  choose(name, { chance = 0 }, { seed = '', key = '' }, dice) {
    const u = seed === '' && key === '' ? dice.random() : dice.unitOf(name, seed, key)
    return u < chance ? { role: 0, decision: 'a' } : { role: 1, decision: 'b' }
  },
}
