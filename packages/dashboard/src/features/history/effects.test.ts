import type { HistoryChange } from '@rollkey/sdk/core'
import type { Digested } from '@rollkey/contract'
import { expect, it } from 'vitest'
import { effectsOf } from './effects.ts'

function secret(value: string) {
  return { kind: 'secret', digests: { value } } as const
}

function roll(chance: number) {
  return { kind: 'ab_roll', chance, digests: { a: '1', b: '2' } } as const
}

function change(
  revision: number,
  name: string,
  what: HistoryChange['change'],
  more: Partial<HistoryChange> = {},
): HistoryChange {
  return { revision, name, change: what, writtenAtMs: 0, writtenBy: 'u', ...more }
}

function effects(present: readonly Digested[], ...later: readonly HistoryChange[]): readonly string[] {
  return effectsOf(present, later).map(({ name, words }) => `${name}: ${words}`)
}

const now: readonly Digested[] = [
  { name: 'NEW', ...secret('1') },
  { name: 'ROLL', ...roll(0.5) },
  { name: 'SAME', ...secret('1') },
  { name: 'UNTOUCHED', ...secret('1') },
]

it('tells what comes back, changes, and is deleted, by name', () => {
  expect(
    effects(
      now,
      change(5, 'GONE', 'deleted', { before: secret('1') }),
      change(4, 'NEW', 'created', secret('1')),
      change(3, 'ROLL', 'updated', { ...roll(0.5), before: roll(0.1) }),
    ),
  ).toEqual(['GONE: comes back', 'NEW: deleted', 'ROLL: chance 50% → 10%'])
})

it('goes back over many changes to the oldest', () => {
  expect(
    effects(
      now,
      change(6, 'SAME', 'restored', { ...secret('1'), before: secret('3') }),
      change(5, 'SAME', 'updated', { ...secret('3'), before: secret('2') }),
      change(4, 'NEW', 'updated', { ...secret('1'), before: secret('0') }),
      change(3, 'SAME', 'updated', { ...secret('2'), before: secret('1') }),
      change(2, 'NEW', 'created', secret('0')),
    ),
  ).toEqual(['NEW: deleted'])
})

it('leaves out what came and went since', () => {
  expect(effects(now, change(3, 'BRIEF', 'deleted', { before: secret('1') }), change(2, 'BRIEF', 'created'))).toEqual(
    [],
  )
})

it('says what cannot be known', () => {
  expect(
    effects(
      now,
      change(4, 'NEW', 'updated', secret('1')),
      change(3, 'GONE', 'deleted'),
      change(2, 'SAME', 'updated', { ...secret('1'), before: { kind: 'secret', digests: {} } }),
    ),
  ).toEqual([
    'GONE: the former state is no longer kept',
    'NEW: the former state is no longer kept',
    'SAME: the former value can’t be opened',
  ])
})

it('shows the values that people see, from the newest change back to the oldest', () => {
  const later = [
    change(6, 'SAME', 'updated', { ...secret('1'), before: secret('3') }),
    change(5, 'SAME', 'updated', { ...secret('3'), before: secret('2') }),
  ]
  const values = [
    { revision: 6, name: 'SAME', before: { value: '3' }, after: { value: '' } },
    { revision: 5, name: 'SAME', before: { value: '2' }, after: { value: '3' } },
  ]
  expect(effectsOf(now, later, values)).toEqual([
    { name: 'SAME', effect: 'changes', movesChance: false, words: 'value empty → 2' },
  ])
  expect(effectsOf(now, later, values.slice(1))[0]?.words).toBe('value changed')
})
