import { describe, expect, it } from 'vitest'
import { copiesOf } from './copies.ts'

const key = { name: 'KEY', kind: 'secret', digests: { value: 'd1' } } as const
const size = { name: 'SIZE', kind: 'secret', exposure: 'plain', digests: { value: 'd2' } } as const
const roll = { name: 'ROLL', kind: 'ab_roll', chance: 0.5, digests: { a: 'd3', b: 'd4' } } as const
const entry = (value: string) => new Map([['SIZE', { name: 'SIZE', kind: 'secret', value } as const]])

describe('copiesOf', () => {
  it('leaves out what is the same', () => {
    const stage = { variables: [key, size, roll], plain: entry('1') }
    expect(copiesOf(stage, stage)).toEqual([])
  })

  it('shows plain values before and after, and that masked ones change', () => {
    const from = { variables: [key, size, roll], plain: entry('2') }
    const to = {
      variables: [
        { ...key, digests: { value: 'other' } },
        { ...size, digests: { value: 'other' } },
        { ...roll, chance: 0.1 },
      ],
      plain: entry(''),
    }
    expect(copiesOf(from, to)).toEqual([
      { name: 'KEY', isNew: false, facts: ['Value changes'] },
      { name: 'SIZE', isNew: false, facts: ['Value empty → 2'] },
      { name: 'ROLL', isNew: false, facts: ['Chance 10 % → 50 %'] },
    ])
  })

  it('shows what the target gets', () => {
    const from = { variables: [key, size], plain: entry('2') }
    expect(copiesOf(from, { variables: [], plain: new Map() })).toEqual([
      { name: 'KEY', isNew: true, facts: ['Secret value'] },
      { name: 'SIZE', isNew: true, facts: ['2', 'plain value'] },
    ])
  })
})
