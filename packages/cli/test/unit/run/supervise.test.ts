import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { supervise } from '../../../src/run/supervise.ts'
import { temporaryFolder } from '../../../../server/testkit/folder.ts'

let folder = ''
beforeEach(() => void (folder = temporaryFolder()))

const env = (name: string): NodeJS.ProcessEnv => ({ PATH: process.env['PATH'] ?? '', NAME: name })

/** Writes its name to the file `started`. Ends with status 5 after a SIGTERM, as soon as there is a file `started.end`. */
const slow = [
  'sh',
  '-c',
  'trap told=1 TERM; echo "$NAME" >> "$0"; until [ "$told" ] && [ -e "$0.end" ]; do sleep 0.01; done; exit 5',
]

function supervised() {
  const started = path.join(folder, 'started')
  const change = Promise.withResolvers<NodeJS.ProcessEnv>()
  const never = new Promise<NodeJS.ProcessEnv>(() => {})
  const changes = [change.promise, never]
  const ended = supervise({ argv: [...slow, started], environment: env('first'), next: () => changes.shift() ?? never })
  const names = (): string => (existsSync(started) ? readFileSync(started, 'utf8') : '')
  return {
    ended,
    names,
    change: () => change.resolve(env('second')),
    letEnd: () => writeFileSync(`${started}.end`, ''),
  }
}

/** Sends this process a real signal, which ends it unless there is a listener. */
async function expectCaught(signal: NodeJS.Signals): Promise<void> {
  const caught = once(process, signal)
  process.kill(process.pid, signal)
  await caught
}

describe('a supervised command', () => {
  test('is restarted with another environment', async () => {
    const { ended, names, change, letEnd } = supervised()
    await expect.poll(names).toBe('first\n')
    letEnd()
    change()
    await expect.poll(names).toBe('first\nsecond\n')
    await expectCaught('SIGTERM')
    expect(await ended).toEqual({ code: 5, signal: null })
  })

  test('is not restarted after a SIGTERM, even if a variable changes before it ends', async () => {
    const { ended, names, change, letEnd } = supervised()
    await expect.poll(names).toBe('first\n')
    await expectCaught('SIGTERM')
    change()
    letEnd()
    expect(await ended).toEqual({ code: 5, signal: null })
    expect(names()).toBe('first\n')
  })

  test.each(['SIGINT', 'SIGHUP'] as const)('is not restarted after %s during a restart', async (signal) => {
    const { ended, names, change, letEnd } = supervised()
    await expect.poll(names).toBe('first\n')
    change()
    await new Promise(setImmediate)
    await expectCaught(signal)
    letEnd()
    expect(await ended).toEqual({ code: null, signal })
    expect(names()).toBe('first\n')
  })

  test('removes its signal handlers afterwards', async () => {
    const before = process.listenerCount('SIGTERM')
    await supervise({ argv: ['true'], environment: env('x') })
    expect(process.listenerCount('SIGTERM')).toBe(before)
  })
})
