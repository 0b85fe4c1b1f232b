import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { Child } from '../../../src/run/child.ts'
import { useFolder } from '../../../../server/testkit/folder.ts'

const env = { PATH: process.env['PATH'] ?? '' }
const folder = useFolder()

describe('a child', () => {
  test('that ends after SIGTERM is not killed', async () => {
    const child = await Child.start(['sleep', '60'], env)
    await child.stop(60_000)
    expect(await child.ended).toEqual({ code: null, signal: 'SIGTERM' })
  })

  test('that does not end is killed', async () => {
    const ready = path.join(folder, 'ready')
    const deaf = `trap '' TERM; echo > ${ready}; while :; do sleep 0.01; done`
    const child = await Child.start(['sh', '-c', deaf], env)
    await expect.poll(() => existsSync(ready)).toBe(true)
    await child.stop(50)
    expect(await child.ended).toEqual({ code: null, signal: 'SIGKILL' })
  })

  test.each([
    ['no-such-command', 127, 'COMMAND_NOT_FOUND', 'Command no-such-command was not found;'],
    ['./no/such/file', 127, 'COMMAND_NOT_FOUND', 'Command ./no/such/file was not found'],
    ['/', 126, 'NOT_EXECUTABLE', '/ is not executable'],
    ['plain-file', 126, 'NOT_EXECUTABLE', 'is not executable'],
  ])('%s fails with status %i', async (command, status, code, message) => {
    writeFileSync(path.join(folder, 'plain-file'), '#!/bin/sh\n', { mode: 0o600 })
    const file = command === 'plain-file' ? path.join(folder, command) : command
    await expect(Child.start([file], env)).rejects.toMatchObject({
      status,
      code,
      message: expect.stringContaining(message),
    })
  })

  test('cannot have an unlimited environment, and the error names its largest variables', async () => {
    const values = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`N${index}`, 'secret'.repeat(10_000)]))
    await expect(Child.start(['true'], { ...env, ...values, LARGEST: 'secret'.repeat(20_000) })).rejects.toMatchObject({
      status: 126,
      code: 'ENVIRONMENT_TOO_LARGE',
      message: expect.stringMatching(
        /has 12\d{6} bytes, more than this system allows; the largest variables are LARGEST \(120000 bytes\), N0 \(60000/,
      ),
    })
  })
})
