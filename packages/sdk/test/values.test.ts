import vectors from '@rollkey/contract/vectors/declared-types.json' with { type: 'json' }
import { describe, expect, test } from 'vitest'
import { valueOf } from '../src/values.ts'
import type { DeclaredType } from '../src/wire.ts'

const types = Object.entries(vectors.types) as [DeclaredType, { valid: string[]; invalid: string[] }][]

describe('declared types', () => {
  test.each(types)(
    '%s accepts the valid texts of the vectors and refuses the invalid ones',
    (type, { valid, invalid }) => {
      expect(valid.filter((text) => valueOf(type, text) === undefined)).toEqual([])
      expect(invalid.filter((text) => valueOf(type, text) !== undefined)).toEqual([])
    },
  )

  test.each<[DeclaredType, string, unknown]>([
    ['string', 'true', 'true'],
    ['boolean', 'true', true],
    ['boolean', 'false', false],
    ['int64', '9007199254740993', 9007199254740993n],
    ['int64', '-9223372036854775808', -9223372036854775808n],
    ['float', '1e-5', 0.00001],
    ['date', '2024-02-29', new Date('2024-02-29T00:00:00Z')],
    ['date', '1985-04-12T23:20:50.52Z', new Date(Date.UTC(1985, 3, 12, 23, 20, 50, 520))],
    ['date', '1996-12-19t16:39:57-08:00', new Date('1996-12-20T00:39:57Z')],
    ['date', '0099-12-31', new Date('0099-12-31T00:00:00Z')],
    ['date', '2024-01-01T00:00:00.9999Z', new Date(Date.UTC(2024, 0, 1, 0, 0, 0, 999))],
    ['date', '2015-07-01T01:59:60.5+02:00', new Date('2015-07-01T00:00:00.5Z')],
    ['json', '{"a":[1,null]}', { a: [1, null] }],
    ['json', 'null', null],
  ])('%s %s', (type, text, value) => {
    expect(valueOf(type, text)).toEqual(value)
  })
})
