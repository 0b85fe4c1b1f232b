#!/usr/bin/env node
/** The entry point. `rollkey-server` serves, and `rollkey-server <command>` runs a command of the operator. */
import cluster from 'node:cluster'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { CommandRefused, Report, type AdminCommand } from './admin/command.ts'
import { commands } from './admin/commands.ts'
import { ProgressBar } from './admin/progress-bar.ts'
import { askServer } from './admin/socket.ts'
import { openInstallation, startApp } from './compose/app.ts'
import { startCluster } from './compose/cluster.ts'
import { createLog, reasonOf } from './base/log.ts'
import type { Progress } from './base/progress.ts'
import { readConfig } from './config.ts'
import { doctor } from './compose/doctor.ts'
import { offlineCommands, type OfflineCommand } from './compose/restore.ts'
import { hasStore } from './compose/store.ts'

const usageWidth = 40
const offline: Readonly<Record<string, OfflineCommand>> = { ...offlineCommands, doctor }

function helpText(): string {
  const rows = Object.entries({ ...commands, ...offline }).map(([name, { about, takes }]) => {
    return `  rollkey-server ${[name, ...takes].join(' ').padEnd(usageWidth)} ${about}`
  })
  return `Usage:\n  rollkey-server ${''.padEnd(usageWidth)} start the server; docs/settings.md lists the settings\n${rows.join('\n')}\nYou can write spaces for the dashes of a command: key status.\n`
}

async function serve(): Promise<void> {
  const config = readConfig(process.env)
  const log = createLog(config.LOG_LEVEL)
  const die = (error: unknown): never => {
    log.error('the process stops because of an unexpected error', { reason: reasonOf(error) })
    process.exit(1)
  }
  process.on('uncaughtException', die)
  process.on('unhandledRejection', die)
  const starting = cluster.isPrimary && config.WORKERS !== 1 ? startCluster(config, log) : startApp(config, log)
  // A signal during the start waits until the service has started. npm forwards signals twice, and a repeated signal joins
  // the same stop.
  const stop = (): void => {
    starting.then((app) => app.close()).then(() => process.exit(0), die)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  // A worker does not outlive the process that started it.
  process.on('disconnect', stop)
  const app = await starting
  if (app.setupLink !== undefined && cluster.isPrimary && config.LOG_LEVEL !== 'silent') {
    process.stdout.write(
      `\nOpen this link within one hour to create the first account and organization:\n${app.setupLink}\n`,
    )
  }
}

/** Returns the longest command name that the words begin with, and the other words: `key status` is `key-status`. */
function commandOf(words: readonly string[]): [name: string, args: readonly string[]] {
  const ends = [...words.keys()].map((index) => index + 1).toReversed()
  const end = ends.find((each) => Object.hasOwn({ ...commands, ...offline }, words.slice(0, each).join('-'))) ?? 0
  return [words.slice(0, end).join('-'), words.slice(end)]
}

function assertArguments({ takes }: { readonly takes: readonly string[] }, args: readonly string[]): void {
  const needed = takes.filter((argument) => !argument.startsWith('[')).length
  if (args.length < needed || args.length > takes.length) throw new CommandRefused(helpText())
}

/** Runs a command and returns the JSON value that it prints. */
async function administer(name: string, args: readonly string[], progress: Progress): Promise<unknown> {
  const alone = offline[name]
  const command = commands[name]
  if (alone) {
    assertArguments(alone, args)
    const config = readConfig(process.env)
    return alone.run(args, config, createLog(config.LOG_LEVEL, process.stderr), progress)
  }
  if (!command) throw new CommandRefused(helpText())
  assertArguments(command, args)
  // Paths are made absolute, because a running server that executes the command has another working directory.
  const isPath = (index: number): boolean => /FILE]?$/.test(command.takes[index] ?? '')
  const resolved = args.map((argument, index) => (isPath(index) ? path.resolve(argument) : argument))
  return runOnStore(name, command, resolved, progress)
}

async function runOnStore(
  name: string,
  command: AdminCommand,
  args: readonly string[],
  progress: Progress,
): Promise<unknown> {
  const config = readConfig(process.env)
  // On PostgreSQL, a command is a node like any other.
  const answer = config.DATABASE_URL === undefined ? await askServer(config.DATA_DIR, name, args, progress) : undefined
  if (answer !== undefined) return answer
  if (!command.startsStore && !hasStore(config)) {
    throw new CommandRefused(`There is no store in ${config.DATA_DIR}: check ROLLKEY_DATA_DIR.`)
  }
  const { installation, close } = await openInstallation(config, createLog(config.LOG_LEVEL, process.stderr))
  return command.run(installation, args, progress).finally(close)
}

/**
 * Prints a text as is, a Report as text to a terminal, and anything else as JSON. Sets exit status 1 if the result is not
 * good.
 */
function print(answer: unknown): void {
  const result = answer instanceof Report ? answer.json : answer
  const text = answer instanceof Report && process.stdout.isTTY ? answer.text : result
  process.stdout.write(typeof text === 'string' ? text : `${JSON.stringify(text, null, 2)}\n`)
  if ((result as { good?: boolean }).good === false) process.exitCode = 1
}

async function main(): Promise<void> {
  process.umask(0o077) // only the owner can read files in the data directory
  process.report.excludeEnv = true // a diagnostic report of Node would otherwise contain the master key
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' }, admin: { type: 'boolean' } },
  })
  // `npm run admin` expects a command. Only `npm start` serves.
  const isAsking = values.admin === true && positionals.length === 0
  if (values.help || isAsking) process.stdout.write(helpText())
  else if (positionals.length === 0) await serve()
  else await showResult(...commandOf(positionals))
}

async function showResult(command: string, args: readonly string[]): Promise<void> {
  const bar = new ProgressBar(process.stderr)
  print(await administer(command, args, bar.update).finally(() => bar.clear()))
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message.trimEnd() : 'Rollkey could not start.'}\n`)
  process.exit(error instanceof CommandRefused ? 2 : 1)
})
