import { describe, expect, test } from 'vitest'
import { isCredentialName, systemd, systemdCredentials } from '../../../src/formats/systemd.ts'
import { named, nastier, nasty, randomTexts } from '../../nasty.ts'

/** Reads like `EnvironmentFile=` (systemd.exec(5), and the states of systemd's env-file.c). */
function read(text: string): Record<string, string> {
  const variables: Record<string, string> = {}
  let at = 0
  const next = (): string => text[at++] ?? ''
  while (at < text.length) {
    const end = text.indexOf('=', at)
    const name = text.slice(at, end)
    expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_]*$/)
    at = end + 1
    expect(next()).toBe('"')
    let value = ''
    for (let char = next(); char !== '"'; char = next()) {
      if (char === '') throw new Error('the quote is not closed')
      if (char !== '\\') value += char
      else {
        const escaped = next()
        if ('"\\`$'.includes(escaped)) value += escaped
        else if (escaped !== '\n') value += `\\${escaped}`
      }
    }
    variables[name] = value
    expect(next()).toBe('\n')
  }
  return variables
}

/** Returns the values without the characters that systemd refuses. */
function accepted(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.replaceAll('\ufeff', '')]))
}

describe('the systemd format', () => {
  test('returns every value that systemd accepts', () => {
    const all = accepted({ ...nasty, ...nastier, ...named(randomTexts(6, 5_000)) })
    expect(read(systemd(all))).toEqual(all)
  })

  test.each([
    ['a NUL', 'a\0'],
    ['a byte order mark', '\ufeffa'],
    ['a noncharacter', 'a\ufdd0'],
    ['a noncharacter of another plane', '\u{1fffe}'],
  ])('refuses %s, by name', (_, value) => {
    expect(() => systemd({ FINE: 'x', A: value })).toThrow(/character NUL: A|cannot hold the value of: A/)
  })

  test('refuses names that are not valid for an environment', () => {
    expect(() => systemd({ 'a b': 'x' })).toThrow('not valid for environment variables: a b')
  })
})

describe('credentials of systemd', () => {
  test('have names that are file names of visible ASCII', () => {
    const names = ['A', 'a.b', 'a b', '.', '..', 'a/b', 'a:b', 'é', '', 'x'.repeat(256)]
    expect(names.filter(isCredentialName)).toEqual(['A', 'a.b', 'a b'])
    expect(() => systemdCredentials({ 'a/b': 'x' })).toThrow('not valid for credentials of systemd: a/b')
  })

  test('have at most the size that systemd passes to a unit', () => {
    const half = 'x'.repeat(524_288)
    expect(systemdCredentials({ A: half, B: half })).toEqual({ A: half, B: half })
    expect(() => systemdCredentials({ A: half, B: `${half}x` })).toThrow('The values have 1048577 bytes')
  })
})
