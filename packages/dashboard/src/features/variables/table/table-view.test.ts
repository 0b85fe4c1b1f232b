import type { Digested } from '@rollkey/contract'
import { describe, expect, it } from 'vitest'
import { rowsOf } from '../../../data/variables/comparison.ts'
import type { ProjectSearch } from '../project-search.ts'
import { labels } from './labels.ts'
import { filtered, noFilters, range, sorted } from './table-view.ts'

function secret(name: string, value: string, more: Partial<Digested> & { updatedAtMs?: number } = {}) {
  return { name, kind: 'secret' as const, digests: { value }, ...more }
}

const roll = { name: 'FLOW', kind: 'ab_roll' as const, chance: 0.5, digests: { a: '1', b: '2' } }
const stages = [{ stageSlug: 'dev' }, { stageSlug: 'staging' }, { stageSlug: 'prod' }]
const isNeeded = (_: unknown, at: number): boolean => at === 2
const rows = rowsOf([
  [
    roll,
    secret('DEV_ONLY', '1', { updatedAtMs: 3 }),
    secret('OTHER', '1'),
    secret('PORT', '1', { declaredType: 'int64' }),
  ],
  [roll, secret('OTHER', '2'), secret('PORT', '1', { declaredType: 'int64' })],
  [roll, secret('LATE', '1', { updatedAtMs: 9 }), secret('OTHER', '3'), secret('PORT', '1', { declaredType: 'int64' })],
])

function names(found: readonly { readonly name: string }[]): readonly string[] {
  return found.map(({ name }) => name)
}

it.each([
  [12, 12, 0, '12 variables'],
  [1, 1, 0, '1 variable'],
  [11, 11, 1, '11 variables, 1 declared only'],
  [2, 11, 0, '2 of 11'],
])('counts %i of %i variables, and %i rows that are only declared', (shown, all, declared, text) => {
  expect(labels.count(shown, all, declared)).toBe(text)
})

describe('filtered', () => {
  it.each<[string, Partial<ProjectSearch>, string[]]>([
    ['nothing', {}, ['DEV_ONLY', 'FLOW', 'LATE', 'OTHER', 'PORT']],
    ['a part of the name in any case', { search: ' o' }, ['DEV_ONLY', 'FLOW', 'OTHER', 'PORT']],
    ['a kind', { kind: 'ab_roll' }, ['FLOW']],
    ['a declared type', { type: 'int64' }, ['PORT']],
    ['no declared type', { type: 'none' }, ['DEV_ONLY', 'FLOW', 'LATE', 'OTHER']],
    ['another value or attribute', { status: 'different' }, ['OTHER']],
    ['the same in all stages', { status: 'same' }, ['FLOW', 'PORT']],
    ['any stage that lacks them', { status: 'missing' }, ['DEV_ONLY', 'LATE']],
    ['a draft', { status: 'draft' }, ['PORT']],
    ['a proposed change', { status: 'proposed' }, ['LATE']],
    ['no use', { status: 'unused' }, ['FLOW', 'LATE']],
    ['a stage that lacks them', { missing: 'prod' }, ['DEV_ONLY']],
    ['a stage that does not exist', { missing: 'gone' }, ['DEV_ONLY', 'FLOW', 'LATE', 'OTHER', 'PORT']],
    ['several at once', { missing: 'staging', search: 'late', kind: 'secret' }, ['LATE']],
  ])('by %s', (_, { search = '', ...filters }, expected) => {
    const marked = { drafts: new Set(['PORT']), proposed: new Set(['LATE']), unused: new Set(['FLOW', 'LATE']) }
    const found = { filters: { ...noFilters, ...filters }, text: search, stages, ...marked }
    expect(names(filtered(rows, found))).toEqual(expected)
  })
})

describe('sorted', () => {
  it('leaves the order by name', () => {
    expect(sorted(rows, undefined, isNeeded)).toBe(rows)
  })

  it('puts the newest change first', () => {
    expect(names(sorted(rows, 'changed', isNeeded)).slice(0, 2)).toEqual(['LATE', 'DEV_ONLY'])
  })

  it('puts what production lacks first, then differences, then what other stages lack', () => {
    expect(names(sorted(rows, 'status', isNeeded))).toEqual(['DEV_ONLY', 'OTHER', 'LATE', 'FLOW', 'PORT'])
  })
})

describe('range', () => {
  it.each([
    ['downwards', 'FLOW', 'OTHER', ['FLOW', 'LATE', 'OTHER']],
    ['upwards', 'OTHER', 'FLOW', ['FLOW', 'LATE', 'OTHER']],
    ['from a row that a filter hides', 'GONE', 'FLOW', ['FLOW']],
  ])('goes %s', (_, from, to, expected) => {
    expect(range(rows, from, to)).toEqual(expected)
  })
})
