import type { HistoryChange } from '@rollkey/sdk/core'
import { expect, it } from 'vitest'
import type { Part } from '../../ui/sentence.tsx'
import { labels, restoreLabels, sentenceOf, undoLabels } from './labels.ts'

type What = Partial<HistoryChange> & Pick<HistoryChange, 'change' | 'name'>

function sentence(...changes: readonly What[]): string {
  return textOf(sentenceOf(changes.map((change) => ({ revision: 1, writtenAtMs: 0, writtenBy: 'u', ...change }))))
}

function textOf(parts: readonly Part[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : part.name)).join('')
}

function secret(value: string) {
  return { kind: 'secret', digests: { value } } as const
}

function roll(chance: number, a = '1') {
  return { kind: 'ab_roll', chance, digests: { a, b: '2' } } as const
}

it('names one or two variables, and counts more', () => {
  const created = (name: string) => ({ change: 'created', name }) as const
  expect(sentence({ change: 'updated', name: 'A' })).toBe('changed A')
  expect(sentence(created('A'), created('B'))).toBe('added A and B')
  expect(sentence(created('A'), created('B'), created('C'))).toBe('added 3 variables')
})

it('tells what a revision did in one sentence', () => {
  expect(sentence({ change: 'created', name: 'B' }, { change: 'updated', name: 'A' })).toBe('changed A and added B')
  expect(
    sentence({ change: 'deleted', name: 'C' }, { change: 'created', name: 'B' }, { change: 'updated', name: 'A' }),
  ).toBe('changed A, added B and deleted C')
  expect(sentence({ change: 'restored', name: 'A' })).toBe('restored A')
  expect(sentence({ change: 'deleted', name: 'B' }, { change: 'restored', name: 'A' })).toBe(
    'restored an earlier state of 2 variables',
  )
})

it('tells a chance that is all that changed', () => {
  const change = { change: 'updated', name: 'FLOW', before: roll(0.1) } as const
  expect(sentence({ ...change, ...roll(0.25) })).toBe('set the chance of FLOW from 10% to 25%')
})

it('tells all that is known about a change of one variable', () => {
  const change = { change: 'updated', name: 'FLOW', before: { ...roll(0.5), pinned: { a: 2, b: 0 } } } as const
  expect(sentence({ ...change, ...roll(0) })).toBe('changed FLOW: chance 50% → 0%, pins 2 to A → none')
  expect(sentence({ ...change, ...roll(0.5, '3') })).toBe('changed FLOW: value A changed, pins 2 to A → none')
  expect(sentence({ change: 'restored', name: 'FLOW', before: roll(0), ...roll(0.5) })).toBe(
    'restored FLOW: chance 0% → 50%',
  )
  expect(sentence({ change: 'updated', name: 'KEY', before: secret('1'), ...secret('2') })).toBe('changed KEY')
})

it('tells the value before and after a change where people see it', () => {
  const size = { revision: 3, name: 'SIZE', change: 'updated', writtenAtMs: 0, writtenBy: 'u' } as const
  const change = { ...size, before: secret('1'), ...secret('2') }
  const values = [{ revision: 3, name: 'SIZE', before: { value: '20' }, after: { value: '25' } }]
  expect(textOf(sentenceOf([change], values))).toBe('changed SIZE: value 20 → 25')
})

it('says how many variables a restore changes', () => {
  const effects = (['changes', 'goes', 'changes'] as const).map((effect, at) => ({ name: `${at}`, effect, words: '' }))
  expect(restoreLabels('dev', 11, true).button(effects)).toBe('Restore dev to revision 11 (2 changed, 1 deleted)')
  expect(undoLabels('A', 12, 'dev').button(effects)).toBe('Undo revision 12 (2 changed, 1 deleted)')
})

it.each([
  [[], 'Undoes only revision 2. This brings A back to revision 1.'],
  [['changes'], 'Undoes only revision 2. This brings A back to revision 1.'],
  [['goes'], 'Deletes A from dev, which had none before revision 2.'],
  [['returns'], 'Brings A back to dev, as before revision 2.'],
  [['goes', 'changes'], 'Undoes only revision 2. This brings A back to revision 1.'],
] as const)('says what an undo with the effects %j means', (effects, text) => {
  expect(undoLabels('A', 2, 'dev').meaning(effects.map((effect) => ({ effect })))).toBe(text)
})

it('says that only one of several revisions is undone', () => {
  expect([true, false].map(labels.undoButton)).toEqual(['Undo…', 'Undo only this…'])
  expect([true, false].map((isNewest) => labels.undoName(2, isNewest))).toEqual([
    'Undo revision 2…',
    'Undo only this: revision 2…',
  ])
})
