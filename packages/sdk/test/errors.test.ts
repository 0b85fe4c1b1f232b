import { readFileSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { RollkeyError } from '../src/errors.ts'

test('an error of another copy of the package is a RollkeyError, but of no class below', () => {
  class SpecialError extends RollkeyError {}
  const foreign: unknown = Object.assign(new Error('none'), { name: 'RollkeyError', code: 'VARIABLE_NOT_FOUND' })
  expect(foreign instanceof RollkeyError).toBe(true)
  expect(foreign instanceof SpecialError).toBe(false)
  expect(new SpecialError('CLOSED', '') instanceof SpecialError).toBe(true)
  expect(new SpecialError('CLOSED', '') instanceof RollkeyError).toBe(true)
  for (const other of [new Error('none'), null, undefined, 'RollkeyError'])
    expect(other instanceof RollkeyError).toBe(false)
})

test('messages name options of code, and those of the command line only in a whole command', () => {
  const folder = new URL('../src/', import.meta.url)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const lines = files.flatMap((file) => readFileSync(new URL(file, folder), 'utf8').split('\n'))
  const inMessages = lines.filter((line) => / --[a-z]/.test(line) && !/^ *(\*|\/)|`flag --/.test(line))
  expect(inMessages.filter((line) => !/rollkey [a-z]+ --/.test(line))).toEqual([])
  expect(inMessages).not.toEqual([])
})
