import { describe, expect, it } from 'vitest'
import { pastesOf } from './paste.ts'

const stage = {
  variables: [{ name: 'LIMIT', kind: 'secret', declaredType: 'int64', digests: {} }],
  revision: 3,
} as const

describe('pastesOf', () => {
  it('makes a change of each assignment', () => {
    expect(pastesOf('A=1\nLIMIT="2"', 'dev', stage)).toEqual([
      { stageSlug: 'dev', name: 'A', before: undefined, entry: { name: 'A', kind: 'secret', value: '1' }, seen: 3 },
      {
        stageSlug: 'dev',
        name: 'LIMIT',
        before: stage.variables[0],
        entry: { name: 'LIMIT', kind: 'secret', value: '2' },
        seen: 3,
      },
    ])
  })

  it.each([
    ['A=1\nsecret', 'Line 2: Expected NAME=value.'],
    ['A=1\n\nA=2', 'Line 3: A is already in line 1. Remove one of them.'],
    [
      'A="secret\nB=1',
      'Line 1: The value of A begins with a quote that is not closed. Close it, or quote the value differently.',
    ],
    ['LIMIT=secret', 'LIMIT: Enter a whole number, such as -12, of at most 64 bits.'],
  ])('says what is wrong with %j, without its values', (text, message) => {
    expect(pastesOf(text, 'dev', stage)).toBe(message)
  })
})
