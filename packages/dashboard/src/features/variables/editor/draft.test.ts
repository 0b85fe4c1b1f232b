import type { WriteEntry } from '@rollkey/contract'
import { describe, expect, it } from 'vitest'
import { draftOf, entryOf, isWhole, keepsType, newDraft, valueProblem } from './draft.ts'

describe('a draft', () => {
  it.each<WriteEntry>([
    { name: 'A', kind: 'secret', value: ' as\r\nis ' },
    { name: 'A', kind: 'secret', value: 'true', declaredType: 'boolean' },
    { name: 'A', kind: 'ab_roll', valueA: '1', valueB: '2', chance: 0.25, declaredType: 'int64' },
    { name: 'A', kind: 'secret', value: 'x', exposure: 'plain', description: 'What it is for' },
  ])('gives back what it was made of: %j', (entry) => {
    expect(entryOf(draftOf(entry))).toEqual({ exposure: 'secret', description: '', ...entry })
  })

  it.each([
    [{ value: '' }, false],
    [{ value: 'yes' }, false],
    [{ value: 'false' }, true],
    [{ kind: 'ab_roll', value: 'true', valueA: 'true' }, false],
    [{ kind: 'ab_roll', valueA: 'true', valueB: 'false' }, true],
  ] as const)('of a boolean with %j is whole: %j', (values, whole) => {
    expect(isWhole({ ...newDraft('A'), declaredType: 'boolean', ...values })).toBe(whole)
  })

  it('of a boolean that nobody chose gets no value', () => {
    expect(entryOf({ ...newDraft('A'), declaredType: 'boolean' })).toMatchObject({ value: '' })
  })

  it('can keep a hidden value only with its kind and type', () => {
    const hidden = newDraft('A', { kind: 'secret', declaredType: 'boolean', chance: undefined })
    expect(keepsType({ ...hidden, chance: 1 }, hidden)).toBe(true)
    expect(keepsType({ ...hidden, kind: 'ab_roll' }, hidden)).toBe(false)
    expect(keepsType({ ...hidden, declaredType: 'string' }, hidden)).toBe(false)
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
    ['boolean', '', 'true or false'],
    ['boolean', 'yes', 'true or false'],
    ['', 'ä'.repeat(40_000), '65536 bytes'],
  ] as const)('refuses of type %j the value %j', (type, value, advice) => {
    expect(valueProblem(type, value, false)).toContain(advice)
  })

  it.each([
    ['', 'x'],
    ['boolean', 'false'],
    ['int64', '-9223372036854775808'],
    ['json', '[1]'],
  ] as const)('takes of type %j the value %j', (type, value) => {
    expect(valueProblem(type, value, false)).toBeNull()
  })

  it('takes an empty text where it may be meant', () => {
    expect(valueProblem('', '', true)).toBeNull()
  })
})
