import type { RecentRevision } from '@rollkey/sdk/core'
import { expect, it } from 'vitest'
import { changeText, labels } from './labels.ts'

type Change = RecentRevision['changes'][number]

function sentence(changes: readonly Change[], changeCount = changes.length, revision = 2): string {
  const place = { projectSlug: 'shop', stageSlug: 'prod', revision, writtenAtMs: 0, writtenBy: 'ada', client: 'web' }
  const parts = changeText({ ...place, changes: [...changes], changeCount })
  return parts.map((part) => (typeof part === 'string' ? part : part.name)).join('')
}

const updated = (name: string): Change => ({ name, change: 'updated' })

it.each([
  [[updated('A')], 1, 'changed A'],
  [[updated('A'), updated('B')], 2, 'changed A and B'],
  [[updated('A'), updated('B'), updated('C')], 3, 'changed A and 2 more'],
  [[{ name: 'A', change: 'created' } as const], 1_000, 'added A and 999 more'],
  [[{ name: 'A', change: 'deleted' } as const, { name: 'B', change: 'deleted' } as const], 2, 'deleted A and B'],
  [[{ name: 'A', change: 'created' } as const, { name: 'B', change: 'deleted' } as const], 2, 'changed A and B'],
  [[{ name: 'A', change: 'restored' } as const], 1, 'restored A'],
  [
    [{ name: 'A', change: 'deleted' } as const, { name: 'B', change: 'restored' } as const],
    6,
    'restored an earlier state of 6 variables',
  ],
  [[{ ...updated('A'), chance: 0.25, chanceBefore: 0.1 }], 1, 'set the chance of A from 10% to 25%'],
  [[{ ...updated('A'), chance: 0.25, chanceBefore: 0.25 }], 1, 'changed A'],
  [[], 3, 'changed 3 variables'],
])('a revision with %j of %i changes reads: %s', (changes, count, text) => {
  expect(sentence(changes, count)).toBe(text)
})

it('the first revision may be the stage itself', () => {
  expect(sentence([], 0, 1)).toBe('created the stage')
})

it.each([
  [120, 100, '20% more than in the 30 days before'],
  [50, 100, '50% fewer than in the 30 days before'],
  [812, 29, 'Up from 29 in the 30 days before'],
  [1_000, 400, 'Up from 400 in the 30 days before'],
  [2, 29, 'Down from 29 in the 30 days before'],
  [10_001, 10_000, 'About as many as in the 30 days before'],
  [29, 29, 'As many as in the 30 days before'],
  [100, 100, 'As many as in the 30 days before'],
  [5, 0, 'None in the 30 days before'],
])('%i evaluations after %i: %s', (total, before, text) => {
  expect(labels.evaluations.before(total, before)).toBe(text)
})
