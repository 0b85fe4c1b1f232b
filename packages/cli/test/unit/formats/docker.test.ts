import { describe, expect, test } from 'vitest'
import { docker } from '../../../src/formats/docker.ts'
import { named, nasty, randomTexts } from '../../nasty.ts'

/** Reads like `docker run --env-file` (docker/cli, pkg/kvfile), as today or as before it removed quotes. */
function read(text: string, takesQuotes: boolean): Record<string, string> {
  const variables: Record<string, string> = {}
  for (const scanned of text.split('\n')) {
    const line = scanned.replace(/\r$/, '').trimStart()
    if (line === '' || line.startsWith('#')) continue
    const [name = ''] = line.split('=', 1)
    expect(name).toMatch(/^[^ \t]+$/)
    const value = line.slice(name.length + 1)
    variables[name] = takesQuotes && /^(['"]).*\1$/.test(value) ? value.slice(1, -1) : value
  }
  return variables
}

function isWritten(name: string, value: string): boolean {
  try {
    docker({ [name]: value })
    return true
  } catch {
    return false
  }
}

describe('the docker format', () => {
  test('returns every accepted value, with newer and older readers', () => {
    const all = { ...nasty, ...named(randomTexts(1, 5_000)), QUOTE: '"', SPACES: '  x ', HASH: 'a #b', DOLLAR: '$A' }
    const written = Object.fromEntries(Object.entries(all).filter((entry) => isWritten(...entry)))
    expect(Object.keys(written).length).toBeGreaterThan(3_000)
    expect(Object.keys(written)).toEqual(expect.arrayContaining(['QUOTE', 'SPACES', 'HASH', 'DOLLAR']))
    for (const takesQuotes of [true, false]) expect(read(docker(written), takesQuotes)).toEqual(written)
  })

  test.each([
    ['a line feed', 'a\nB=evil'],
    ['a carriage return', 'a\r'],
    ['quotes around it', '"a"'],
    ['other quotes around it', "''"],
    ['a line that is too long', 'x'.repeat(65_534)],
  ])('refuses a value with %s, by name', (_, value) => {
    expect(() => docker({ FINE: 'x', A: value })).toThrow(
      expect.objectContaining({
        line: 'INVALID_VALUE: A docker env-file cannot hold the value of: A; try: rollkey pull --format json',
      }),
    )
  })

  test('accepts the longest line of its reader, and refuses names that are not valid for an environment', () => {
    expect(docker({ A: 'x'.repeat(65_533) })).toHaveLength(65_536)
    expect(() => docker({ 'a b': 'x' })).toThrow('not valid for environment variables: a b')
  })
})
