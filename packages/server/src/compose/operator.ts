/** Runs a command of the operator: in the server that holds the store, on the store itself, or without one. */
import { CommandError } from '../operator/command-error.ts'
import type { Deployment, OperatorCommand, StoreCommand } from '../operator/command.ts'
import { askServer } from '../operator/socket.ts'
import { systemClock } from '../base/clock.ts'
import { createLog, type Log } from '../base/log.ts'
import type { Progress } from '../base/progress.ts'
import { readConfig, type Config } from '../config.ts'
import { openInstallation } from './installation.ts'
import { openKeyring } from './keys.ts'
import { publicUrlOf } from './platform.ts'
import { hasStore, openStore } from './store.ts'

/** Returns the result of the command, a JSON value or a Report. Throws an error whose message is shown to the operator. */
export async function runCommand(
  command: OperatorCommand,
  input: object,
  environment: NodeJS.ProcessEnv,
  progress: Progress,
): Promise<unknown> {
  const config = readConfig(environment)
  const log = createLog(config.LOG_LEVEL, process.stderr)
  if ('runOffline' in command) return command.runOffline(deploymentOf(config, log), input, progress)
  // On PostgreSQL, a command is a node like any other.
  const answer =
    config.DATABASE_URL === undefined ? await askServer(config.DATA_DIR, command.name, input, progress) : undefined
  return answer ?? runHere(command, input, config, log, progress)
}

async function runHere(
  command: StoreCommand,
  input: object,
  config: Config,
  log: Log,
  progress: Progress,
): Promise<unknown> {
  if (!command.startsStore && !hasStore(config)) {
    throw new CommandError('INVALID_SETTING', `There is no store in ${config.DATA_DIR}: check ROLLKEY_DATA_DIR.`)
  }
  const { installation, close } = await openInstallation(config, log)
  return command.runOnStore(installation, input, progress).finally(close)
}

export function deploymentOf(config: Config, log: Log): Deployment {
  const clock = systemClock
  return {
    config,
    publicUrl: publicUrlOf(config, config.PORT),
    clock,
    log,
    openFolder: (folder) => openStore({ ...config, DATA_DIR: folder, DATABASE_URL: undefined }, clock, log),
    openKeyring: (sql) => openKeyring({ config, store: { sql }, clock }),
  }
}
