import { describe, expect, it } from 'vitest'
import { returnPath } from './return-path.ts'

describe('returnPath', () => {
  it.each(['/', '/members', '/device#user_code=ABCD2345', '/a?b=c%20d'])('lets %j pass', (path) => {
    expect(returnPath(path)).toBe(path)
  })

  it.each([
    '//evil.example',
    String.raw`/\evil.example`,
    'https://evil.example',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/ ',
    'members',
    '',
    undefined,
    null,
    7,
  ])('leads %j to the start page', (path) => {
    expect(returnPath(path)).toBe('/')
  })
})
