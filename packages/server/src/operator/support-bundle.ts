/** The command that writes what someone who helps needs to know, without secrets and names. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { arch, availableParallelism, release } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { logMessages } from '../base/log-messages.ts'
import { memoryLimit } from '../base/memory-limit.ts'
import { shippedVersion } from '../base/shipped-files.ts'
import type { Config } from '../config.ts'
import { examineDeployment } from '../doctor/deployment.ts'
import { allChecks } from '../doctor/report.ts'
import { settings } from '../settings.ts'
import { newestSchema, schemaVersion } from '../storage/migrate.ts'
import { rowsOfTables } from '../storage/organizations.ts'
import { readStore } from '../storage/read-store.ts'
import { CommandError } from './command-error.ts'
import { LiveReport, offlineCommand, type Deployment } from './command.ts'
import { writeNewFile } from './new-file.ts'

const contents = `The file has:
- versions of Rollkey, Node, the schema and the system
- which settings are set, and values only of numbers and fixed words
- the result of each check of doctor, without its text
- the number of rows of each table, up to a million, and the sizes of the files of the embedded store
- the metrics of the running service
- of the last 1,000 lines of --log: time, level, message, endpoint, status and the position of an error
It has no value, no secret, no name of an organization, a project, a variable or a person, no address and no path.
`
const maxRows = 1_000_000
const maxLines = 1_000
const metricsTimeoutMs = 5_000
const harmlessValue = /^(?:\d{1,15}|yes|no|open|invitation|unlimited|free|debug|info|warn|error|silent|loopback|\*)$/
const harmlessText = /^[\w.:/ -]{1,400}$/
/** Fields that name a fixed text of the source. */
const keptFields = ['endpoint', 'method', 'code', 'reason'] as const

function settingsOf(config: Config): Record<string, string> {
  const values = config as unknown as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    settings.map(({ name, byDefault, fromFile }) => {
      const value = values[name.replace('ROLLKEY_', '')]
      const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
      if (value === undefined || text === byDefault) return [name, 'default']
      return [name, !fromFile && harmlessValue.test(text) ? text : 'set']
    }),
  )
}

async function checksOf(deployment: Deployment): Promise<Record<string, string>> {
  const results: Record<string, string> = {}
  for await (const { check, result } of examineDeployment(deployment)) {
    // The other checks have names of companies.
    if (Object.hasOwn(allChecks, check)) results[check] = result
  }
  return results
}

function sizesIn(folder: string): Record<string, number> {
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => /^(?:rollkey|identity)\.db/.test(name)) : []
  return Object.fromEntries(files.map((name) => [name, statSync(path.join(folder, name)).size]))
}

async function storeOf({ config }: Deployment): Promise<object> {
  const kind = config.DATABASE_URL === undefined ? 'embedded' : 'PostgreSQL'
  try {
    const sql = await readStore(config)
    if (!sql) return { kind, found: 'none yet' }
    try {
      const [schema, rows] = [await schemaVersion(sql), await rowsOfTables(sql, maxRows)]
      return { kind, schema, rows, ...(kind === 'embedded' && { bytes: sizesIn(config.DATA_DIR) }) }
    } finally {
      await sql.close()
    }
  } catch {
    return { kind, found: 'cannot be read: see the checks' }
  }
}

/** Returns the metrics of the service of these settings, without the lines that explain them; none if it does not run. */
async function metricsOf({ HOST, PORT, METRICS_PORT, METRICS_TOKEN }: Config): Promise<string[]> {
  const host = ['0.0.0.0', '::'].includes(HOST) ? 'localhost' : HOST.includes(':') ? `[${HOST}]` : HOST
  const headers = METRICS_TOKEN === undefined ? undefined : { authorization: `Bearer ${METRICS_TOKEN}` }
  try {
    const signal = AbortSignal.timeout(metricsTimeoutMs)
    const answer = await fetch(`http://${host}:${METRICS_PORT ?? PORT}/metrics`, {
      ...(headers && { headers }),
      signal,
    })
    return (await answer.text()).split('\n').filter((line) => /^(?:rollkey|process|nodejs)_\w+(?:\{|\s)/.test(line))
  } catch {
    return []
  }
}

/** Returns what is harmless of a line of the log. A message that is not listed may be of another program. */
function harmless(line: string): object | undefined {
  try {
    const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>
    const numbers = Object.entries(fields).filter(([, value]) => typeof value === 'number')
    const texts = keptFields.flatMap((name) => {
      const value = fields[name]
      return typeof value === 'string' && harmlessText.test(value) ? [[name, value]] : []
    })
    if (typeof msg !== 'string' || !Object.hasOwn(logMessages, msg)) return undefined
    return {
      time: Number(time),
      level: logMessages[msg]?.level ?? level,
      msg,
      ...Object.fromEntries([...numbers, ...texts]),
    }
  } catch {
    return undefined
  }
}

function linesOf(file: string | undefined): object[] {
  if (file === undefined) return []
  if (!existsSync(file)) throw new CommandError('NOT_FOUND', 'There is no file of --log: check its name.')
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n').slice(-maxLines)
  return lines.flatMap((line) => harmless(line) ?? [])
}

async function* report(deployment: Deployment, { file, log }: BundleInput): AsyncGenerator<string, object> {
  yield contents
  const lines = linesOf(log)
  const bundle = {
    format: 'rollkey-support-bundle',
    version: 1,
    madeAt: new Date(deployment.clock.now()).toISOString(),
    versions: {
      rollkey: shippedVersion(),
      node: process.version,
      schema: newestSchema(),
      system: release(),
      arch: arch(),
    },
    machine: { cores: availableParallelism(), memoryBytes: memoryLimit() },
    settings: settingsOf(deployment.config),
    checks: await checksOf(deployment),
    store: await storeOf(deployment),
    metrics: await metricsOf(deployment.config),
    log: lines,
  }
  await writeNewFile(file, Readable.from([`${JSON.stringify(bundle, null, 1)}\n`]))
  yield `Wrote ${file}, which only you can read. Look at it before you pass it on.\n`
  return { file, contents: contents.trim().split('\n'), metrics: bundle.metrics.length, lines: lines.length }
}

interface BundleInput {
  readonly file: string
  readonly log?: string
}

export const supportBundle = offlineCommand<BundleInput>({
  name: 'support-bundle',
  args: [['<FILE>', 'new file']],
  summary: 'Write a file with settings, versions, metrics and sizes, without secrets and names, for someone who helps',
  options: [['--log <file>', 'log of the service, such as from journalctl -o cat']],
  examples: [
    ['support-bundle bundle.json', 'says first what it has; it changes nothing else'],
    ['support-bundle bundle.json --log rollkey.log', 'with what is harmless of the last lines of the log'],
  ],
  runOffline: async (deployment, input) => new LiveReport(report(deployment, input)),
})
