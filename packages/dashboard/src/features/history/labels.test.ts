import { expect, it } from 'vitest'
import type { Change } from '../variables/change.ts'
import { labels, sentenceOf } from './labels.ts'

type What = Partial<Change> & Pick<Change, 'change' | 'name'>

function sentence(...changes: readonly What[]): string {
  return sentenceOf(changes.map((change) => ({ revision: 1, writtenAtMs: 0, writtenBy: 'u', ...change })))
    .map((part) => (typeof part === 'string' ? part : part.name))
    .join('')
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
  expect(sentence({ ...change, ...roll(0.25) })).toBe('set the chance of FLOW from 10\u00a0% to 25\u00a0%')
  expect(sentence({ ...change, ...roll(0.25, '3') })).toBe('changed FLOW')
})

it('says how many variables a restore changes', () => {
  const effects = (['changes', 'goes', 'changes'] as const).map((effect, at) => ({ name: `${at}`, effect, words: '' }))
  expect(labels.restore('dev', 11, effects)).toBe('Restore dev to revision 11 (2 changed, 1 deleted)')
})
