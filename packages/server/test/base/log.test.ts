import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { createLog, reasonOf } from '../../src/base/log.ts'

const canary = 'canary-7f3a'

/** Returns what a log of the level writes during `use`. */
function written(use: (log: ReturnType<typeof createLog>) => void, isTTY = false): string {
  let text = ''
  use(createLog('info', { isTTY, write: (line: string) => (text += line) }))
  return text
}

describe('a line of the log', () => {
  test('is JSON of the level, the time, the message and the fields', () => {
    const line = written((log) => log.warn('closed', { requestId: 'r-1', status: 503, durationMs: 1.5 }))
    expect(JSON.parse(line)).toEqual({
      level: 'warn',
      time: expect.any(Number),
      msg: 'closed',
      requestId: 'r-1',
      status: 503,
      durationMs: 1.5,
    })
  })

  test('is not written below the level', () => {
    expect(written((log) => log.debug('detail'))).toBe('')
    expect(written((log) => log.info('fact'))).toContain('fact')
  })

  test('is readable text at a terminal', () => {
    const line = written((log) => log.error('closed', { requestId: 'r-1' }), true)
    expect(line).toMatch(/error.*closed.*requestId=r-1/)
  })

  test.each([false, true])('is built from the fields of the allow-list and nothing else (terminal: %s)', (isTTY) => {
    const row = { requestId: 'r-1', value: canary, headers: { authorization: canary }, token: canary }
    const line = written((log) => log.info('answered', row), isTTY)
    expect(line).toContain('r-1')
    expect(line).not.toContain(canary)
    expect(line).not.toContain('authorization')
  })

  test('contains nothing from an error that is passed as its fields', () => {
    // This compiles, because an error has a name and the fields may have one too.
    const line = written((log) => log.error('failed', new Error(canary)))
    expect(JSON.parse(line)).toMatchObject({ level: 'error', msg: 'failed' })
    expect(line).not.toContain(canary)
  })

  test('uses its message unchanged, without filling in fields', () => {
    expect(JSON.parse(written((log) => log.info('%s %j %o', { code: 'X' })))).toMatchObject({ msg: '%s %j %o' })
  })
})

/** Returns what the operation throws. */
function thrownBy(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

describe('the reason of an error', () => {
  test('is its class and where it was thrown', () => {
    expect(reasonOf(new TypeError(canary))).toMatch(/^TypeError base\/log\.test\.ts:\d+:\d+$/)
  })

  test('has the code of Node and that of SQLite', () => {
    expect(reasonOf(thrownBy(() => Buffer.alloc(-1)))).toContain('RangeError ERR_OUT_OF_RANGE')
    const db = new DatabaseSync(':memory:')
    expect(reasonOf(thrownBy(() => db.exec(`select * from "${canary}"`)))).toMatch(/^Error ERR_SQLITE_ERROR 1 /)
    db.close()
  })

  test('follows the causes', () => {
    const cause = new RangeError(canary, { cause: 'text' })
    expect(reasonOf(new Error('outer', { cause }))).toMatch(/^Error \S+ caused by RangeError \S+ caused by string$/)
  })

  test('of a value that is not an error is its type', () => {
    expect([canary, { message: canary }, undefined, null, 5].map(reasonOf)).toEqual([
      'string',
      'object',
      'undefined',
      'object',
      'number',
    ])
  })

  test.each([
    ['a plain text', canary],
    ['lines', `first\n${canary}\nlast`],
    ['a text that looks like a stack', `first\n    at ${canary}:10:20`],
    ['a text that looks like a call', `    at ${canary} (/${canary}/x.ts:1:2)\n    at ${canary}:3:4\n`],
    ['a text that ends where the stack begins', `x\n    at ${canary}:1:2\n    at `],
  ])('never has its message: %s', (_, message) => {
    const changed = new Error(message)
    changed.message = 'another'
    const replaced = new Error(message)
    replaced.message = 'base/log.test.ts'
    const errors = [new Error(message), new Error('outer', { cause: new Error(message) }), changed, replaced]
    for (const error of errors) expect(reasonOf(error)).not.toContain(canary)
  })

  test('never has the text of a value that did not parse', () => {
    expect(reasonOf(thrownBy(() => JSON.parse(`{"a":"${canary}"`)))).not.toContain(canary)
    expect(reasonOf(thrownBy(() => new URL(canary)))).not.toContain(canary)
  })

  test('works without a stack', () => {
    const error = new Error(canary)
    delete error.stack
    expect(reasonOf(error)).toBe('Error')
  })
})
