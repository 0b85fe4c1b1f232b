/** Runs commands of the operator in this process, from command lines such as `token list --org acme`. */
import type { Deployment, Installation, OperatorCommand } from '../src/operator/command.ts'
import { commandTree } from '../src/operator/program.ts'
import { askServer } from '../src/operator/socket.ts'
import { noProgress, type Progress } from '../src/base/progress.ts'
import { deploymentOf } from '../src/compose/operator.ts'
import { openInstallation } from '../src/compose/installation.ts'
import { readConfig, type Config } from '../src/config.ts'
import { createLog } from '../src/base/log.ts'
import { onPostgres, storeSettings } from './store.ts'
import type { TestEnv } from './test-env.ts'

/** A command line: its first words, and further ones that may contain spaces. */
type Line = readonly [words: string, ...more: string[]]

async function run(
  [words, ...more]: Line,
  work: (command: OperatorCommand, input: object) => Promise<unknown>,
): Promise<unknown> {
  let result: unknown
  const tree = commandTree(
    async (command, input) => void (result = await work(command, input)),
    () => {},
  )
  await tree.parseAsync([...words.split(' '), ...more], { from: 'user' })
  return result
}

/** Runs a command in the server of the data directory. Throws CommandError. */
export function inServer(dataDir: string, line: Line, progress: Progress = noProgress): Promise<unknown> {
  return run(line, (command, input) => askServer(dataDir, command.name, input, progress))
}

/** Runs a command as an operator of the service does: through the server, or directly on PostgreSQL. Throws CommandError. */
export async function byOperator({ app, provider }: TestEnv, ...line: Line): Promise<unknown> {
  if (!onPostgres) return inServer(app.dataDir, line)
  const settings = { DATA_DIR: app.dataDir, IDP_ISSUER: provider.issuer, ...(await storeSettings(app.dataDir)) }
  const environment = Object.entries(settings).map(([key, value]) => [`ROLLKEY_${key}`, value])
  const { installation, close } = await openInstallation(
    readConfig(Object.fromEntries(environment)),
    createLog('silent'),
  )
  return onStore(installation, ...line).finally(close)
}

/** Runs a command on the open store. Throws CommandError. */
export function onStore(installation: Installation, ...line: Line): Promise<unknown> {
  return run(line, async (command, input) => {
    if ('runOnStore' in command) return command.runOnStore(installation, input, noProgress)
    throw new Error(`${command.name} does not run on the store`)
  })
}

/** Runs a command that needs no open store. Throws CommandError. */
export function offline(config: Config, ...line: Line): Promise<unknown> {
  const deployment: Deployment = deploymentOf(config, createLog('silent'))
  return run(line, async (command, input) => {
    if ('runOffline' in command) return command.runOffline(deployment, input, noProgress)
    throw new Error(`${command.name} runs on the store`)
  })
}
