import type { Digested } from '@rollkey/contract'
import { describe, expect, it } from 'vitest'
import { fillingOf, fillingsOf, hasDifference, missingInProduction, rowsOf, withDeclaredRows } from './comparison.ts'

function secret(name: string, value: string, more: Partial<Digested> = {}): Digested {
  return { name, kind: 'secret', digests: { value }, ...more }
}

function roll(name: string, a: string, b: string, chance: number): Digested {
  return { name, kind: 'ab_roll', chance, digests: { a, b } }
}

/** The states of the only variable. */
function statesOf(...stages: readonly (readonly Digested[])[]) {
  return rowsOf(stages).map(({ cells }) => cells.map(({ state }) => state))[0]
}

describe('rowsOf', () => {
  it('has a row for each name of any stage, by code point', () => {
    const rows = rowsOf([[secret('b', '1'), secret('A', '1')], [secret('\u{1F600}', '1')], [secret('\u{FFFD}', '1')]])
    expect(rows.map(({ name }) => name)).toEqual(['A', 'b', '\u{FFFD}', '\u{1F600}'])
  })

  it('compares with the first stage that has the variable', () => {
    expect(statesOf([secret('A', '1')], [secret('A', '1')], [secret('A', '2')], [])).toEqual([
      'set',
      'same',
      'different',
      'missing',
    ])
  })

  it('compares the others where the first stage has none', () => {
    expect(statesOf([], [secret('A', '1')], [secret('A', '2')])).toEqual(['missing', 'set', 'different'])
  })

  it('names the newest change of any stage', () => {
    const [row] = rowsOf([
      [{ ...secret('A', '1'), updatedAtMs: 1, updatedBy: 'ada' }],
      [{ ...secret('A', '1'), updatedAtMs: 3, updatedBy: 'grace' }],
      [{ ...secret('A', '1'), updatedAtMs: 2, updatedBy: 'alan' }],
    ])
    expect(row?.lastChange).toEqual({ atMs: 3, by: 'grace' })
  })

  it('takes a value that does not open for equal to nothing', () => {
    const closed = { ...secret('A', '1'), digests: {} }
    expect(statesOf([closed], [closed], [secret('A', '1')])).toEqual(['unopened', 'unopened', 'set'])
    expect(statesOf([roll('A', '1', '2', 0.5)], [{ ...roll('A', '1', '2', 0.5), digests: { a: '1' } }])).toEqual([
      'set',
      'unopened',
    ])
    expect(rowsOf([[closed]]).some(hasDifference)).toBe(true)
  })

  it('does not compare what the viewer may not read', () => {
    const unread = { ...secret('A', 'hidden'), valuesHidden: true } as const
    expect(statesOf([unread], [secret('A', '1')], [secret('A', '2')], [])).toEqual([
      'hidden',
      'set',
      'different',
      'missing',
    ])
    expect(rowsOf([[unread], [unread]]).some(hasDifference)).toBe(false)
  })

  it.each([
    ['declared type', secret('A', '1'), secret('A', '1', { declaredType: 'int64' })],
    ['kind', secret('A', '1'), roll('A', '1', '1', 0.5)],
    ['chance', roll('A', '1', '2', 0.5), roll('A', '1', '2', 0.4)],
    ['value of A', roll('A', '1', '2', 0.5), roll('A', '3', '2', 0.5)],
    ['value of B', roll('A', '1', '2', 0.5), roll('A', '1', '3', 0.5)],
  ])('sees another %s', (_, one, other) => {
    expect(statesOf([one], [other])).toEqual(['set', 'different'])
  })
})

it('knows which rows differ', () => {
  const rows = rowsOf([
    [secret('EQUAL', '1'), secret('OTHER', '1'), secret('GONE', '1')],
    [secret('EQUAL', '1'), secret('OTHER', '2'), secret('NEW', '1')],
  ])
  expect(rows.filter(hasDifference).map(({ name }) => name)).toEqual(['GONE', 'NEW', 'OTHER'])
})

it.each([
  { set: 0, all: 1, isNew: true },
  { set: 2, all: 31, isNew: true },
  { set: 15, all: 31, isNew: true },
  { set: 16, all: 31, isNew: false },
  { set: 1, all: 2, isNew: false },
  { set: 3, all: 3, isNew: false },
])('a stage with $set of $all names is new: $isNew', ({ set, all, isNew }) => {
  expect(fillingOf(set, all)).toEqual(isNew ? { set, all } : undefined)
})

it('counts what each production stage lacks and no change proposes, except in those that are new', () => {
  const [dev, prod, full, filling, empty] = [
    { stageSlug: 'dev', isProduction: false },
    { stageSlug: 'prod', isProduction: true },
    { stageSlug: 'full', isProduction: true },
    { stageSlug: 'filling', isProduction: true },
    { stageSlug: 'empty', isProduction: true },
  ]
  const [a, b, c] = [secret('A', '1'), secret('B', '1'), secret('C', '1')]
  const stages = [dev, prod, full, filling, empty]
  const rows = rowsOf([[a], [b, c], [a, b, c], [a], []])
  expect(missingInProduction(stages, rows)).toEqual([{ stage: prod, count: 1 }])
  const proposed = new Map([['prod', new Set(['A'])]])
  expect(missingInProduction(stages, rows, proposed)).toEqual([])
  const declared = [
    { name: 'A', required: 'all' as const },
    { name: 'D', required: 'production' as const },
    { name: 'OPTIONAL', required: ['dev'] },
  ]
  const all = withDeclaredRows(rows, declared, stages.length)
  expect(all.map(({ name }) => name)).toEqual(['A', 'B', 'C', 'D', 'OPTIONAL'])
  // They make no stage a new one, and production needs only what is required there.
  expect(fillingsOf(stages.length, all)).toEqual(fillingsOf(stages.length, rows))
  expect(missingInProduction(stages, all)).toEqual([
    { stage: prod, count: 2 },
    { stage: full, count: 1 },
  ])
})
