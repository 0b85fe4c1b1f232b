import { describe, expect, test } from 'vitest'
import { json as write } from '../../../src/formats/json.ts'
import { readImport, type Format } from '../../../src/imports/index.ts'
import { nastier, nasty, nastyNames } from '../../nasty.ts'

function read(value: unknown, from: Format = 'json'): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return readImport(text, 'in.json', from).entries.map((entry) => [entry.name, entry.value])
}

describe('reading JSON', () => {
  test('reads what pull writes, under any name', () => {
    const variables = { ...nasty, ...nastier, ...Object.fromEntries(nastyNames.map((name) => [name, 'x'])) }
    expect(read(write(variables))).toEqual(Object.entries(variables))
  })

  test('takes numbers digit by digit, booleans, and objects and lists as JSON text', () => {
    const text = `{ "big": 12345678901234567890, "version": 1.10, "tiny": 1e-7, "on": true,
      "object": { "a": [1, "x y", {}], "b": null }, "list": [ ], "text": "a,b:{\\"}" }`
    expect(read(text)).toEqual([
      ['big', '12345678901234567890'],
      ['version', '1.10'],
      ['tiny', '1e-7'],
      ['on', 'true'],
      ['object', '{"a":[1,"x y",{}],"b":null}'],
      ['list', '[]'],
      ['text', 'a,b:{"}'],
    ])
  })

  test('takes the last value of a repeated name, with a note', () => {
    const { entries, notes } = readImport('{"A":"1","B":"2","A":"3","\\u0042":"4"}', 'in.json', 'json')
    expect(entries).toEqual([
      { name: 'A', value: '3' },
      { name: 'B', value: '4' },
    ])
    expect(notes).toEqual(['These names appear more than once, and the last value is used: A, B.'])
  })

  test.each([
    ['{"A": "secret",\n "B": }', 'in.json'],
    ['{"A": secret}', 'in.json'],
    ['{\n"A": "secret"\n"B": 1}', 'in.json, line 3'],
    ['{"A": "secret', 'in.json, line 1'],
  ])('refuses %j without a word of it', (text, where) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ message: `${where}: Expected valid JSON` }))
  })

  test.each([
    ['["secret"]', 'in.json: Expected one JSON object of names and values; for an export of another tool, use --from'],
    ['"secret"', 'in.json: Expected one JSON object of names and values; for an export of another tool, use --from'],
    ['{}', 'in.json: The file has no variables, so nothing was written; check the program that wrote it'],
    ['{"A":"secret\\ud800"}', 'in.json: A value must be Unicode text, but these contain half of a surrogate pair: A'],
    ['{"A":"secret","B":null}', 'in.json, key B: null is not a value; use a string, or remove the key'],
  ])('refuses %s', (text, message) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'INVALID_IMPORT', message, status: 6 }))
  })
})
