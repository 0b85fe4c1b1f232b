import { describe, expect, test } from 'vitest'
import { declaredTypes, isOfDeclaredType, parseDeclared, type DeclaredType } from '@rollkey/contract/rules'
import vectors from '../../vectors/declared-types.json' with { type: 'json' }

test('the declared types are complete', () => {
  expect(declaredTypes).toEqual(['string', 'boolean', 'int64', 'float', 'date', 'json'])
})

test('every declared type has vectors', () => {
  expect(Object.keys(vectors.types).toSorted()).toEqual(declaredTypes.toSorted())
})

describe.each(declaredTypes)('a %s', (type) => {
  const { valid, invalid } = vectors.types[type]

  test.each(valid)('can be %j', (text) => {
    expect(isOfDeclaredType(type, text)).toBe(true)
  })

  // Every text is a string, so a string has no invalid vectors.
  for (const text of invalid as string[]) {
    test(`cannot be ${JSON.stringify(text)}`, () => {
      expect(isOfDeclaredType(type, text)).toBe(false)
    })
  }
})

describe('a value of the maximum size', () => {
  const maxBytes = 65_536

  test('is checked as json, however deeply it nests', () => {
    const open = '['.repeat(maxBytes / 2)
    expect(isOfDeclaredType('json', open + ']'.repeat(maxBytes / 2))).toBe(true)
    expect(isOfDeclaredType('json', open + ']'.repeat(maxBytes / 2 - 1))).toBe(false)
  })

  test('is checked as a number or a date, however long it is', () => {
    expect(isOfDeclaredType('int64', '9'.repeat(maxBytes))).toBe(false)
    expect(isOfDeclaredType('float', `0.${'1'.repeat(maxBytes - 2)}`)).toBe(true)
    expect(isOfDeclaredType('float', `${'1'.repeat(maxBytes - 1)}e`)).toBe(false)
    expect(isOfDeclaredType('date', `2024-01-01T00:00:00.${'1'.repeat(maxBytes)}`)).toBe(false)
    expect(isOfDeclaredType('date', `2024-01-01T00:00:00.${'1'.repeat(maxBytes)}Z`)).toBe(true)
  })
})

describe('the date rule', () => {
  // Date is an independent calendar, which counts the days itself.
  test('agrees with the calendar on every day of 400 years, and on the day after each month', () => {
    const pad = (number: number, length = 2): string => String(number).padStart(length, '0')
    for (let year = 1900; year < 2300; year++) {
      for (let month = 1; month <= 12; month++) {
        const days = new Date(Date.UTC(year, month, 0)).getUTCDate()
        const first = `${pad(year, 4)}-${pad(month)}-`
        const known = [1, days, days + 1].map((day) => isOfDeclaredType('date', first + pad(day)))
        expect(known, first).toEqual([true, true, false])
      }
    }
  })

  test('accepts a leap second only at the end of June and December in UTC', () => {
    const minute = 60_000
    const days = Array.from({ length: 12 }, (_, month) => [
      Date.UTC(2015, month, 1),
      Date.UTC(2015, month + 1, 0),
    ]).flat()
    const minutes = days.flatMap((day) => Array.from({ length: 1_440 }, (_, index) => day + index * minute))
    const texts = minutes.map((at) => new Date(at).toISOString().replace(':00.000Z', ':60Z'))
    const found = texts.filter((text) => isOfDeclaredType('date', text))
    expect(found).toEqual(['2015-06-30T23:59:60Z', '2015-12-31T23:59:60Z'])
  })
})

describe('parseDeclared', () => {
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
  ])('parses the %s %s', (type, text, value) => {
    expect(parseDeclared(type, text)).toEqual(value)
  })

  test('has no value for a text of another type, or a type that it does not know', () => {
    expect(parseDeclared('int64', '1.5')).toBeUndefined()
    expect(parseDeclared('constructor' as DeclaredType, 'text')).toBeUndefined()
  })
})
