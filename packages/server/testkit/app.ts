/** Runs the real service in this process, on a new data directory, with a clock that a test moves. */
import { rmSync } from 'node:fs'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { askServer } from '../src/operator/socket.ts'
import type * as AppModule from '../src/compose/app.ts'
import { createLog } from '../src/base/log.ts'
import { systemClock } from '../src/base/clock.ts'
import { readConfig } from '../src/config.ts'
import type { PasswordHasher } from '../src/identity/password-hasher.ts'
import { NodeRows } from '../src/metering/node-rows.ts'
import { unlimited } from '../src/metering/plans.ts'
import { connectPostgres } from '../src/storage/postgres.ts'
import { cheapHasher } from './cheap-hasher.ts'
import { TestClient } from './client.ts'
import { TestClock } from './clock.ts'
import { newFolder } from './folder.ts'
import { owing, writeMigratedStore } from './migrated.ts'
import type { TestProvider } from './provider.ts'
import { onPostgres, query, storeSettings } from './store.ts'

const loadedAtMs = Date.now()

/** The sources, or the release build that ROLLKEY_TEST_APP names. */
const module = path.resolve(import.meta.dirname, process.env['ROLLKEY_TEST_APP'] ?? '../src/compose/app.ts')
const { startApp } = (await import(module)) as typeof AppModule

export interface TestApp {
  readonly url: string
  /** The address of each node. */
  readonly urls: readonly string[]
  readonly dataDir: string
  readonly client: TestClient
  /** Setup link of the embedded provider, while there is no account. */
  readonly setupLink: string | undefined
  /** All logged lines. */
  readonly log: readonly string[]
  /** Stops and deletes the data directory. */
  close(): Promise<void>
  /** Stops and keeps the data directory. */
  stop(): Promise<void>
  /** Stops and starts again on the same data directory. */
  restart(): Promise<TestApp>
}

export interface AppOptions {
  /** External identity provider. Default: the embedded one. */
  readonly provider?: TestProvider | undefined
  /** Default: the clock of the external provider, or a new one. */
  readonly clock?: TestClock
  /** Default: a new one. */
  readonly dataDir?: string
  /** Tests about passwords themselves hash them as the service does, with a `ScryptHasher`. */
  readonly passwordHasher?: PasswordHasher
}

/** Returns the name of the environment variable of a setting. */
function variableOf(setting: string): string {
  return setting.startsWith('OTEL_') ? setting : `ROLLKEY_${setting}`
}

/** Starts the service until the end of the current test. `settings` have names without the prefix ROLLKEY_. */
export async function startTestApp(settings: Record<string, string> = {}, options: AppOptions = {}): Promise<TestApp> {
  const app = await launchTestApp(settings, options)
  onTestFinished(() => app.close())
  return app
}

/** Starts the service like `startTestApp`, until the caller closes it. */
export async function launchTestApp(
  settings: Record<string, string> = {},
  {
    provider,
    clock = provider?.clock ?? new TestClock(),
    dataDir: given,
    passwordHasher = cheapHasher,
  }: AppOptions = {},
): Promise<TestApp> {
  const dataDir = given ?? newFolder()
  const environment: Record<string, string> = {
    ROLLKEY_PORT: '0',
    ROLLKEY_DATA_DIR: dataDir,
    ROLLKEY_LOG_LEVEL: 'debug',
  }
  const all = { ...provider?.settings, ...(await storeSettings(dataDir)), ...settings }
  for (const [name, value] of Object.entries(all)) environment[variableOf(name)] = value
  if (given === undefined && environment['ROLLKEY_DATABASE_URL'] === undefined) {
    await writeMigratedStore(path.join(dataDir, 'rollkey.db'), loadedAtMs, owing)
  }
  const log: string[] = []
  const startNode = (more: Record<string, string> = {}): Promise<AppModule.App> => {
    const config = readConfig({ ...environment, ...more })
    return startApp(config, createLog(config.LOG_LEVEL, { write: (line) => log.push(line) }), clock, passwordHasher)
  }
  const app = await startNode()
  const publicUrl = environment['ROLLKEY_PUBLIC_URL'] ?? app.url.replace('127.0.0.1', 'localhost')
  // The same tests must pass for a cluster: on PostgreSQL, the client calls two nodes in turn.
  const nodes = onPostgres ? [app, await startNode({ ROLLKEY_PORT: '0', ROLLKEY_PUBLIC_URL: publicUrl })] : [app]
  const urls = nodes.map(({ url }) => url)
  let stopped: Promise<unknown> | undefined
  const stop = async (): Promise<void> => void (await (stopped ??= Promise.all(nodes.map((node) => node.close()))))
  return {
    url: app.url,
    urls,
    dataDir,
    client: new TestClient(urls, provider),
    setupLink: nodes.at(-1)?.setupLink,
    log,
    async close() {
      await stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
    stop,
    async restart() {
      await stop()
      return launchTestApp(settings, { provider, clock, dataDir, passwordHasher })
    },
  }
}

/** Adds to the tables what was counted and is not in them yet. */
async function foldUsage(dataDir: string): Promise<void> {
  const { DATABASE_URL } = await storeSettings(dataDir)
  if (DATABASE_URL === undefined) return void (await askServer(dataDir, 'usage'))
  const sql = connectPostgres(DATABASE_URL, 1)
  const rows = new NodeRows({ sql, plan: unlimited, clock: systemClock })
  await rows.fold().finally(() => sql.close())
}

/** Returns the billing events of an organization so far. Throws unless the events of its callers have the same sum. */
export async function usageOf({ dataDir }: Pick<TestApp, 'dataDir'>, orgSlug: string): Promise<number> {
  await foldUsage(dataDir)
  const sumOf = async (table: string): Promise<number> => {
    const text = `select cast(sum(u.evaluations) as bigint) as used from ${table} u join organizations o on o.id = u.org_id
      where o.slug = $1`
    return Number((await query(dataDir, text, orgSlug))[0]?.['used'] ?? 0)
  }
  const [used, ofCallers] = [await sumOf('usage_days'), await sumOf('usage_callers')]
  if (used !== ofCallers) throw new Error(`${used} evaluations, of callers ${ofCallers}`)
  return used
}
