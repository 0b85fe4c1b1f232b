import { describe, expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { json } from '../../../src/formats/json.ts'
import { yaml } from '../../../src/formats/yaml.ts'
import { named, nastier, nasty, nastyNames, randomTexts } from '../../nasty.ts'

const formats = [
  { name: 'json', write: json, read: JSON.parse },
  { name: 'yaml', write: yaml, read: (text: string) => parseYaml(text) as unknown },
  { name: 'yaml, read as 1.1', write: yaml, read: (text: string) => parseYaml(text, { version: '1.1' }) as unknown },
]

describe.each(formats)('the format $name', ({ write, read }) => {
  test('returns every value', () => {
    const variables = { ...nasty, ...nastier, NUL: 'a\0b' }
    expect(read(write(variables))).toEqual(variables)
  })

  test('returns random values under random names', () => {
    const names = new Set(randomTexts(3, 3_000))
    const variables = Object.fromEntries(randomTexts(4, names.size).map((value, index) => [[...names][index], value]))
    expect(read(write(variables))).toEqual(variables)
    expect(read(write(named(randomTexts(5, 3_000))))).toEqual(named(randomTexts(5, 3_000)))
  })

  test('carries any name, __proto__ too', () => {
    const variables = Object.fromEntries(nastyNames.map((name) => [name, `of ${name}`]))
    const answer = read(write(variables)) as object
    expect(Object.entries(answer)).toEqual(Object.entries(variables))
    expect(Object.hasOwn(answer, '__proto__')).toBe(true)
  })

  test('is an empty object for a stage without variables', () => {
    expect(read(write({}))).toEqual({})
  })
})

describe('the yaml format', () => {
  test('has one line per variable, and escapes where YAML 1.1 has other line breaks', () => {
    const text = yaml({ A: 'no', 'b c': 'x\ny\u2028\u0085\u007f' })
    expect(text).toBe('"A": "no"\n"b c": "x\\ny\\u2028\\u0085\\u007f"\n')
  })
})
