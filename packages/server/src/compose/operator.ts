/** Runs a command of the operator: in the server that holds the store, on the store itself, or without one. */
import { createReadStream } from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { CommandError } from '../operator/command-error.ts'
import type { Deployment, OperatorCommand, ServiceCommand, StoreCommand } from '../operator/command.ts'
import { askServer } from '../operator/socket.ts'
import { systemClock } from '../base/clock.ts'
import { createLog, type Log } from '../base/log.ts'
import type { Progress } from '../base/progress.ts'
import { readConfig, type Config } from '../config.ts'
import { openInstallation } from './installation.ts'
import { openKeyring } from './keys.ts'
import { replicaTarget } from './replica.ts'
import { publicUrlOf } from './platform.ts'
import { createDataDirectory } from '../storage/data-directory.ts'
import { withWorkFolder } from '../storage/work-folder.ts'
import { hasStore, openStore } from './store.ts'

/** Returns the result of the command, a JSON value or a Report. Throws an error whose message is shown to the operator. */
export async function runCommand(
  command: Exclude<OperatorCommand, ServiceCommand>,
  input: object,
  environment: NodeJS.ProcessEnv,
  progress: Progress,
): Promise<unknown> {
  const config = readConfig(environment)
  const log = createLog(config.LOG_LEVEL, process.stderr)
  if ('runOffline' in command) return command.runOffline(deploymentOf(config, log), input, progress)
  // On PostgreSQL, a command is a node like any other.
  const run = async (given: object): Promise<unknown> => {
    const answer =
      config.DATABASE_URL === undefined ? await askServer(config.DATA_DIR, command.name, given, progress) : undefined
    return answer ?? runHere(command, given, config, log, progress)
  }
  if (!command.pipesFile || !('file' in input) || input.file !== '-') return run(input)
  await pipe(run, input, config)
  return command.afterPipe?.({ dataDir: config.DATA_DIR, clock: systemClock })
}

/**
 * Runs a command with a temporary file, and writes the content of the file to standard output. Throws CommandError unless all of
 * it could be written.
 */
async function pipe(run: (input: object) => Promise<unknown>, input: object, { DATA_DIR }: Config): Promise<void> {
  if (process.stdout.isTTY)
    throw new CommandError('USAGE', 'Standard output is a terminal: redirect it to a file or a program.')
  createDataDirectory(DATA_DIR)
  await withWorkFolder(DATA_DIR, async (folder) => {
    const file = path.join(path.resolve(folder), 'piped')
    await run({ ...input, file, piped: true })
    await pipeline(createReadStream(file), process.stdout, { end: false }).catch((error: NodeJS.ErrnoException) => {
      const message = `Standard output took only a part (${error.code}): delete what its reader has, and run the command again.`
      throw new CommandError('NOT_WRITTEN', message)
    })
  })
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
    openReplica: () => replicaTarget(config, clock),
    openKeyring: (sql) => openKeyring({ config, store: { sql }, clock }),
    async startService(writer) {
      const { startApp } = await import('./app.ts')
      return startApp(config, log, clock, undefined, writer)
    },
  }
}
