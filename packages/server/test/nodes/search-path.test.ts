/** Tests that an existing installation on PostgreSQL never starts as a new one, whatever its connections' search_path is. */
import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { startApp, type App } from '../../src/compose/app.ts'
import { readConfig } from '../../src/config.ts'
import { temporaryFolder } from '../../testkit/folder.ts'
import { TestClient } from '../../testkit/client.ts'
import { TestClock } from '../../testkit/clock.ts'
import { startOptionsProxy } from '../../testkit/options-proxy.ts'
import { setUp } from '../../testkit/person.ts'
import { newDatabase } from '../../testkit/postgres.ts'
import { silent } from '../storage/temporary.ts'

let dataDir: string
const masterKey = randomBytes(32).toString('base64')
const place = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'prod' }
let app: App | undefined

beforeEach(() => {
  dataDir = temporaryFolder()
})
afterEach(stop)

/** Starts the service on the database. Returns the error if it refuses. */
async function start(url: string): Promise<string> {
  const settings = {
    PORT: '0',
    PUBLIC_URL: 'http://localhost:8787',
    DATA_DIR: dataDir,
    MASTER_KEY: masterKey,
    DATABASE_URL: url,
  }
  const environment = Object.entries(settings).map(([name, value]) => [`ROLLKEY_${name}`, value])
  try {
    app = await startApp(readConfig(Object.fromEntries(environment)), silent, new TestClock())
    return 'started'
  } catch (error) {
    return (error as Error).message
  }
}

async function stop(): Promise<void> {
  await app?.close()
  app = undefined
}

async function run(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client(url)
  await client.connect()
  const { rows } = await client.query<Record<string, unknown>>(text)
  await client.end()
  return rows
}

async function setSearchPath(url: string, path: string): Promise<void> {
  await run(url, `alter database ${new URL(url).pathname.slice(1)} ${path}`)
}

const tablesOf = (url: string): Promise<unknown[]> =>
  run(
    url,
    `select schemaname, tablename from pg_tables where schemaname not in ('pg_catalog', 'information_schema') order by 1, 2`,
  )

/** Creates an account and a value. Returns a function that reads the value with the session that was open then. */
async function fill(url: string): Promise<() => Promise<unknown>> {
  expect(await start(url)).toBe('started')
  const { url: at = '', setupLink } = app ?? {}
  const client = new TestClient(at)
  // The pages need the service's public URL.
  const owner = await setUp({ url: 'http://localhost:8787', setupLink }, 'acme', at)
  const { accessToken: token } = await client.login(await owner.token())
  await client.must(
    'write',
    { ...place, mode: 'upsert', entries: [{ name: 'A', kind: 'secret', value: 'here' }] },
    { token },
  )
  await stop()
  return async () => {
    expect(app?.setupLink).toBeUndefined()
    return (await new TestClient(app?.url ?? '').must('evaluate', { ...place, name: 'A' }, { token })).value as unknown
  }
}

test("a search_path set on the database to the accounts' schema makes the next start fail and creates nothing", async () => {
  const url = await newDatabase(inject('postgresUrl'))
  await setSearchPath(url, 'set search_path = rollkey_identity, public')
  const value = await fill(url)
  const before = await tablesOf(url)
  expect(await start(url)).toMatch(/work in rollkey_identity, .*\(expected public.*remove it from the search_path/)
  expect(await tablesOf(url)).toEqual(before)
  await setSearchPath(url, 'reset search_path')
  expect(await start(url)).toBe('started')
  expect(await value()).toBe('here')
})

test('a search_path set to an empty schema makes the start fail, unless the URL asks for that schema', async () => {
  const url = await newDatabase(inject('postgresUrl'))
  const value = await fill(url)
  await run(url, 'create schema other')
  await setSearchPath(url, 'set search_path = other, public')
  const before = await tablesOf(url)
  expect(await start(url)).toMatch(
    /work in the schema other \(expected public, which has the tables of Rollkey\): .*options=-c%20search_path%3Dother/,
  )
  expect(await tablesOf(url)).toEqual(before)
  expect(await start(`${url}&options=-c%20search_path%3Dpublic`)).toBe('started')
  expect(await value()).toBe('here')
  await stop()
  await setSearchPath(url, 'set search_path = nowhere')
  expect(await start(url)).toMatch(/have no schema \(expected/)
})

test('a search_path dropped by a pooler makes a start fail and creates nothing in another schema', async () => {
  const direct = await newDatabase(inject('postgresUrl'))
  const proxy = await startOptionsProxy(Number(new URL(direct).port))
  const pooled = new URL(direct)
  pooled.port = String(proxy.port)
  try {
    const value = await fill(direct)
    const before = await tablesOf(direct)
    expect(await start(pooled.href)).toMatch(
      /for the accounts work in the schema public \(expected rollkey_identity\): a pooler/,
    )
    expect(await start(`${pooled.href}&options=-c%20search_path%3Dother`)).toMatch(
      /work in the schema public \(expected other/,
    )
    expect(await tablesOf(direct)).toEqual(before)
    expect(await start(direct)).toBe('started')
    expect(await value()).toBe('here')
  } finally {
    proxy.close()
  }
})
