/** The entry point. Without a command, the program serves, with --demo a demo; with one, it runs the command of the operator. */
import cluster from 'node:cluster'
import path from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { createLog, reasonOf, type Log } from './base/log.ts'
import { startApp } from './compose/app.ts'
import { startCluster } from './compose/cluster.ts'
import type { FirstLinks } from './compose/first-start.ts'
import { readConfig, readDemoConfig, type Config } from './config.ts'

/** Runs a service until a signal ends it. Resolves once it runs. */
async function runService<T extends Service>(log: Log, begin: () => Promise<T>): Promise<T> {
  const fail = (error: unknown): never => {
    log.error('the process stops because of an unexpected error', { reason: reasonOf(error) })
    process.exit(1)
  }
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  const starting = begin()
  // A signal during the start waits until the service has started. npm forwards signals twice, and a repeated signal joins
  // the same stop.
  const stop = (): void => {
    starting.then((app) => app.close()).then(() => process.exit(0), fail)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  // A worker does not outlive the process that started it.
  process.on('disconnect', stop)
  return starting
}

/**
 * Makes V8 create every object in the young generation. In a burst it learns to create some of those of a request in the old one, and from
 * then on each of them keeps what its request leaves until a full collection (docs/decisions/0050).
 */
function createYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}

async function serve(isDemo: boolean): Promise<void> {
  createYoung()
  const config = isDemo ? readDemoConfig(process.env) : readConfig(process.env)
  const log = createLog(config.LOG_LEVEL)
  const { text } = await runService(log, () => start(config, log, isDemo))
  if (text !== undefined && config.LOG_LEVEL !== 'silent') process.stdout.write(`\n${text}\n`)
}

interface Service {
  close(): Promise<void>
}

/** Starts the service. `text`: what to tell the person who started it. */
async function start(config: Config, log: Log, isDemo: boolean): Promise<Service & { text: string | undefined }> {
  if (isDemo) {
    const { startDemo } = await import('./compose/demo.ts')
    const demo = await startDemo(config, log)
    const { email, password } = demo.signIn
    const text = `This is a demo: its data is lost when it stops.\nOpen ${demo.publicUrl} and sign in as ${email} with the password ${password}`
    return { text, close: () => demo.close() }
  }
  const app = await (cluster.isPrimary && config.WORKERS !== 1 ? startCluster(config, log) : startApp(config, log))
  return { text: cluster.isPrimary ? firstText(app, config) : undefined, close: () => app.close() }
}

/** Returns what to do after a first start; undefined after a later one. */
function firstText({ setupLink, passwordLink }: FirstLinks, config: Config): string | undefined {
  const link = setupLink ?? passwordLink
  if (link === undefined) return undefined
  const use =
    setupLink === undefined ? 'set the password of the first account' : 'create the first account and organization'
  const { DATA_DIR, MASTER_KEY, KMS_URL } = config
  const keyFile = MASTER_KEY === undefined && KMS_URL === undefined ? path.resolve(DATA_DIR, 'master.key') : undefined
  const backUp = `Back up ${keyFile}, and store it apart from the rest: without it, all values are lost.\n`
  return `${keyFile === undefined ? '' : backUp}Open this link within one hour to ${use}:\n${link}`
}

/** Ends the process when the reader of a result stops before its end, as in `rollkey-server usage | head -1`. */
function endQuietly(error: NodeJS.ErrnoException): never {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
}

async function operate(args: readonly string[]): Promise<number> {
  const { runProgram } = await import('./operator/program.ts')
  const { deploymentOf, runCommand } = await import('./compose/operator.ts')
  const { stdout, stderr, env } = process
  stdout.on('error', endQuietly)
  return runProgram(args, {
    stdout,
    stderr,
    async run(command, input, progress) {
      if ('start' in command) {
        const config = readConfig(env)
        const log = createLog(config.LOG_LEVEL)
        stdout.off('error', endQuietly)
        await runService(log, () => command.start(deploymentOf(config, log), input))
        return undefined
      }
      // A command that pipes a file reports that its reader stopped.
      stdout.off('error', endQuietly)
      return runCommand(command, input, env, progress).finally(() => stdout.on('error', endQuietly))
    },
  })
}

async function main(): Promise<void> {
  process.umask(0o077) // only the owner can read files in the data directory
  process.report.excludeEnv = true // a diagnostic report of Node would otherwise contain the master key
  const args = process.argv.slice(2)
  // A single executable gives its worker processes its path as an argument.
  if (args.length === 0 || cluster.isWorker) return serve(false)
  if (args.length === 1 && args[0] === '--demo') return serve(true)
  // `npm run admin` adds --admin: without a command, it shows the help instead of serving.
  process.exitCode = await operate(args.filter((arg) => arg !== '--admin'))
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message.trimEnd() : 'Rollkey could not start.'}\n`)
  process.exit(1)
})
