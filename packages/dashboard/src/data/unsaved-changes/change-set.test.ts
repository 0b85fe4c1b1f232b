import type { HistoryChange } from '@rollkey/sdk/core'
import type { Digested, WriteEntry } from '@rollkey/contract'
import { describe, expect, it } from 'vitest'
import { rowsOf } from '../variables/comparison.ts'
import {
  Conflict,
  deletionsOf,
  differencesOf,
  effectOf,
  inKnowledgeOf,
  isTooMuch,
  type PendingChange,
  withChanges,
  withNewRows,
} from './change-set.ts'

const stored: Digested = { name: 'A', kind: 'secret', digests: { value: 'x' } }
const entry: WriteEntry = { name: 'A', kind: 'secret', value: '1' }

function change(more: Partial<PendingChange> = {}): PendingChange {
  return { stageSlug: 'dev', name: 'A', before: stored, entry, seen: 5, ...more }
}

const creation = change({ before: undefined })
const deletion = change({ entry: undefined })

it.each([
  ['new', creation],
  ['changed', change()],
  ['deleted', deletion],
] as const)('has the effect %s', (effect, of) => {
  expect(effectOf(of)).toBe(effect)
})

describe('collected changes', () => {
  it('have the last one of each variable', () => {
    const second = change({ entry: { ...entry, value: '2' }, seen: 6 })
    expect(withChanges([change()], [second])).toEqual([second])
    expect(withChanges([change()], [deletion])).toEqual([deletion])
    expect(withChanges([deletion], [change()])).toEqual([change()])
  })

  it('come to nothing where what is new is deleted', () => {
    expect(withChanges([creation], [{ ...creation, entry: undefined }])).toEqual([])
  })

  it('keep stages and names apart', () => {
    const all = [change(), change({ stageSlug: 'prod' }), change({ name: 'B' }), change({ name: '__proto__' })]
    expect(withChanges(all.slice(0, 2), all.slice(2))).toEqual(all)
  })
})

describe('in knowledge of a conflict', () => {
  const written = { name: 'A', writtenAtMs: 0, writtenBy: 'grace' }

  it('a change replaces the latest of what others did', () => {
    const theirs: readonly HistoryChange[] = [
      { ...written, revision: 7, change: 'updated', kind: 'ab_roll', chance: 0.5, digests: { a: 'x', b: 'y' } },
      { ...written, revision: 6, change: 'updated', kind: 'secret', digests: { value: 'y' } },
    ]
    const [known] = inKnowledgeOf([change()], new Conflict('dev', theirs, 8))
    expect(known).toMatchObject({
      entry,
      seen: 8,
      before: { kind: 'ab_roll', chance: 0.5, digests: { a: 'x', b: 'y' } },
    })
  })

  it('a change of a deleted variable creates it again', () => {
    const [known] = inKnowledgeOf([change()], new Conflict('dev', [{ ...written, revision: 6, change: 'deleted' }], 6))
    expect(known && effectOf(known)).toBe('new')
  })

  it('changes that no one touched, and those of other stages, stay as they are', () => {
    const other = change({ stageSlug: 'prod' })
    expect(inKnowledgeOf([change(), other], new Conflict('dev', [], 8))).toEqual([change({ seen: 8 }), other])
  })
})

describe('differences', () => {
  const roll: WriteEntry = { name: 'A', kind: 'ab_roll', valueA: '1', valueB: '2', chance: 0.25, declaredType: 'int64' }

  it('of something new are what it is', () => {
    expect(differencesOf(creation)).toEqual(['secret value'])
    expect(differencesOf(change({ before: undefined, entry: roll }))).toEqual([
      'A/B roll',
      'whole number',
      'chance 25%',
    ])
  })

  it('of a change are what was and what becomes of it', () => {
    expect(differencesOf(change({ entry: roll }))).toEqual([
      'One value → A/B roll',
      'type untyped → whole number',
      'chance 25%',
    ])
    const before: Digested = { name: 'A', kind: 'ab_roll', chance: 0.1, declaredType: 'int64', digests: {} }
    expect(differencesOf(change({ before, entry: roll }))).toEqual(['chance 10% → 25%'])
  })

  it('are none where the value alone is another, or all is gone', () => {
    expect(differencesOf(change())).toEqual([])
    expect(differencesOf(change({ before: { ...stored, declaredType: 'json' } }))).toEqual([])
    expect(differencesOf(deletion)).toEqual([])
  })
})

it('deletes from a stage what it has, and takes back what is new there', () => {
  const deletions = deletionsOf(['A', 'NEW', 'NOWHERE'], 'dev', { variables: [stored], revision: 7 })
  const pending = [{ ...creation, name: 'NEW' }, change()]
  expect(withChanges(pending, deletions)).toEqual([change({ entry: undefined, seen: 7 })])
})

it('adds a row for what is new in every stage, without its value', () => {
  const rows = rowsOf([[stored], []])
  const added: WriteEntry = { name: '0', kind: 'secret', value: 'canary' }
  const changes = [creation, deletion, { ...creation, name: '0', entry: added }]
  const all = withNewRows(rows, changes, 2)
  expect(all.map(({ name, cells }) => [name, cells.map(({ state }) => state)])).toEqual([
    ['0', ['missing', 'missing']],
    ['A', ['set', 'missing']],
  ])
  expect(JSON.stringify(all)).not.toContain('canary')
  expect(withNewRows(rows, [change()], 2)).toBe(rows)
})

it('counts what is written and what is deleted apart', () => {
  const many = (of: PendingChange, length: number) => Array.from({ length }, (_, at) => ({ ...of, name: String(at) }))
  expect(isTooMuch([...many(change(), 1_000), ...many(deletion, 1_000)])).toBe(false)
  expect(isTooMuch(many(change(), 1_001))).toBe(true)
  expect(isTooMuch(many(deletion, 1_001))).toBe(true)
})
