import { describe, expect, test } from 'vitest'
import { Cursor, parseCursor } from '../../src/live/cursor.ts'

/** The revisions of many stages, whose slugs are as long as they can be. */
function many(count: number): [string, number][] {
  return Array.from({ length: count }, (_, index) => [`${index}-`.padEnd(64, 'x'), index + 1])
}

describe('a cursor', () => {
  test('names revisions in 256 characters, and is a digest beyond', () => {
    expect(
      new Cursor([
        ['dev', 12],
        ['prod', 7],
        ['prod!', 3],
      ]).text,
    ).toBe('dev:12,prod:7,prod!:3')
    expect(new Cursor([]).text).toBe('')
    for (const count of [1, 2, 3, 4, 5, 1_000, 20_000]) {
      const { text } = new Cursor(many(count))
      expect(text.length).toBeLessThanOrEqual(256)
      expect(/!:\d+$/.test(text)).toBe(count > 3)
    }
  })

  test('has a digest of what it names, in whichever order it came', () => {
    const entries = many(100)
    const { digest } = new Cursor(entries)
    const other = new Cursor(entries.toReversed().map(([slug]) => [slug, 1]))
    for (const [slug, revision] of entries) other.set(slug, revision)
    other.set('gone', 3)
    expect(other.digest).not.toBe(digest)
    other.delete('gone')
    other.delete('never there')
    expect(other.digest).toBe(digest)
    for (const [slug, revision] of entries) {
      other.set(slug, revision + 1)
      expect(other.digest).not.toBe(digest)
      other.set(slug, revision)
    }
    expect(new Cursor(entries.slice(1)).digest).not.toBe(digest)
  })

  test('is parsed to what it says', () => {
    expect(parseCursor('dev:12,prod!:7')).toEqual(
      new Map([
        ['dev', 12],
        ['prod!', 7],
      ]),
    )
    expect(parseCursor('')).toEqual(new Map())
    const { digest } = new Cursor(many(2))
    expect(parseCursor(digest)).toBe(digest)
    for (const wrong of ['x', 'dev:1,', `${digest.slice(0, -1)}x`])
      expect(() => parseCursor(wrong)).toThrow('Invalid since or Last-Event-ID header')
  })

  test('is one that knows of no stage to versions that know no digests', () => {
    const part = /^([A-Za-z0-9][A-Za-z0-9._-]{0,63}!?):(\d{1,15})$/
    expect(new Cursor(many(1_000)).text).toMatch(part)
  })
})
