/** Tests the errors of commands that run in the service. */
import { expect, onTestFinished, test } from 'vitest'
import type { Installation } from '../../src/operator/command.ts'
import { CommandError } from '../../src/operator/command-error.ts'
import { runOn } from '../../src/operator/in-server.ts'
import { askServer, serveOperator } from '../../src/operator/socket.ts'
import { createLog } from '../../src/base/log.ts'
import { temporaryFolder } from '../../testkit/folder.ts'

const canary = 'canary-5e1d'

test('an unexpected error is logged in the service, and the operator learns only where to look', async () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => lines.push(line) })
  const all = async (): Promise<never> => {
    throw new TypeError(canary)
  }
  const folder = temporaryFolder()
  const server = await serveOperator(folder, runOn({ sql: { all } } as unknown as Installation), log)
  onTestFinished(() => void server.close())
  const error: unknown = await askServer(folder, 'organizations').catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(CommandError)
  expect((error as CommandError).line).toBe(
    'ERROR: The command failed in the service: the log of the service has details',
  )
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      level: 'error',
      msg: 'an operator command failed',
      reason: expect.stringMatching(/^TypeError operator\/socket\.test\.ts:/),
    },
  ])
  expect(lines.join('')).not.toContain(canary)
})

test('a command that the service does not know, or that runs without it, is refused', async () => {
  const folder = temporaryFolder()
  const server = await serveOperator(folder, runOn({} as Installation), createLog('silent'))
  onTestFinished(() => void server.close())
  for (const name of ['constructor', 'doctor']) {
    await expect(askServer(folder, name)).rejects.toThrow('restart the service')
  }
})
