import type { WriteEntry } from '@rollkey/contract'
import { describe, expect, it } from 'vitest'
import { draftOf, entryOf, newDraft, valueProblem } from '../src/variables/draft.ts'

describe('a draft', () => {
  it.each<WriteEntry>([
    { name: 'A', kind: 'secret', value: ' as\r\nis ' },
    { name: 'A', kind: 'secret', value: 'true', declaredType: 'boolean' },
    { name: 'A', kind: 'ab_roll', valueA: '1', valueB: '2', chance: 0.25, declaredType: 'int64' },
  ])('gives back what it was made of: %j', (entry) => {
    expect(entryOf(draftOf(entry))).toEqual(entry)
  })

  it('of a boolean that nobody touched is false', () => {
    expect(entryOf({ ...newDraft('A'), declaredType: 'boolean' })).toEqual({
      name: 'A',
      kind: 'secret',
      declaredType: 'boolean',
      value: 'false',
    })
  })
})

describe('valueProblem', () => {
  it.each([
    ['', '', 'Enter a value.'],
    ['string', '', 'Enter a value.'],
    ['int64', '1.5', 'whole number'],
    ['float', 'one', 'number'],
    ['date', '2026-02-30', 'date that exists'],
    ['json', '{', 'not JSON'],
    ['', 'ä'.repeat(40_000), '65536 bytes'],
  ] as const)('refuses of type %j the value %j', (type, value, advice) => {
    expect(valueProblem(type, value, false)).toContain(advice)
  })

  it.each([
    ['', 'x'],
    ['boolean', ''],
    ['int64', '-9223372036854775808'],
    ['json', '[1]'],
  ] as const)('takes of type %j the value %j', (type, value) => {
    expect(valueProblem(type, value, false)).toBeNull()
  })

  it('takes an empty text where it may be meant', () => {
    expect(valueProblem('', '', true)).toBeNull()
  })
})
