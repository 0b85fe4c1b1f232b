import { afterAll, expect, inject, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import type { Report } from '../../src/operator/command.ts'
import { migrate, newestSchema } from '../../src/storage/migrate.ts'
import { openPostgres } from '../../src/storage/postgres.ts'
import type { Sql } from '../../src/storage/sql.ts'
import { offline } from '../../testkit/operator.ts'
import { newSchema, withTimeLimit } from '../../testkit/postgres.ts'
import { chainSuite } from './chain.suite.ts'
import { queriesSuite } from './queries.suite.ts'
import { nowMs } from './queries/ground.ts'
import { sqlSuite, type OpenSql } from './sql.suite.ts'
import { silent } from './temporary.ts'

async function openSchema(): Promise<Sql> {
  return openPostgres(await newSchema(inject('postgresUrl')), 10)
}

const openEmpty: OpenSql = async () => {
  const sql = await openSchema()
  return { sql, close: () => sql.close() }
}

async function openMigrated(): Promise<Sql> {
  const sql = await openSchema()
  await migrate(sql, nowMs, silent)
  return sql
}

/** Deletes every row, in any order of the tables. */
async function deleteRows(sql: Sql): Promise<void> {
  const tables = await sql.all<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables where schemaname = current_schema() and tablename <> 'migrations'`,
  )
  const deletions = tables.map(({ name }) => `delete from ${name};`)
  await sql.tx((tx) => tx.script(`set local session_replication_role = replica; ${deletions.join(' ')}`))
}

let shared: Promise<Sql> | undefined
afterAll(async () => (await shared)?.close())

/** Opens one schema for all tests of the queries, because creating its tables takes ten times as long as a test. */
const openShared: OpenSql = async () => {
  const sql = await (shared ??= openMigrated())
  return { sql, close: () => deleteRows(sql) }
}

sqlSuite('PostgreSQL', openEmpty)
queriesSuite('PostgreSQL', openShared)
chainSuite('PostgreSQL', openEmpty)

test('upgrade --check shows what a start would upgrade on PostgreSQL, and changes nothing', async () => {
  const url = await newSchema(inject('postgresUrl'))
  const config = readConfig({ ROLLKEY_DATABASE_URL: url })
  const checkUpgrade = async (): Promise<unknown> => ((await offline(config, 'upgrade --check')) as Report).json
  expect(await checkUpgrade()).toMatchObject({ good: true, schema: 0 })
  const sql = await openPostgres(url, 1)
  await migrate(sql, nowMs, silent)
  expect(await checkUpgrade()).toMatchObject({ schema: newestSchema(), migrations: [], backup: 'not needed' })
  await sql.tx((tx) => tx.all('delete from migrations where id = $1', newestSchema())).finally(() => sql.close())
  const backup = expect.stringMatching(/^PostgreSQL is not copied/)
  expect(await checkUpgrade()).toMatchObject({ good: true, schema: newestSchema() - 1, backup })
})

test('connections have the time limits of their address, and otherwise those that let a request be answered in two seconds', async () => {
  const limitsAt = async (url: string): Promise<unknown> => {
    const sql = await openPostgres(url, 1)
    const names = ['lock_timeout', 'statement_timeout']
    const rows = await sql.all('select name, setting from pg_settings where name in ($1, $2) order by name', ...names)
    await sql.close()
    return rows
  }
  const url = await newSchema(inject('postgresUrl'))
  expect(await limitsAt(withTimeLimit(url, 7_000))).toEqual([
    { name: 'lock_timeout', setting: '7000' },
    { name: 'statement_timeout', setting: '7000' },
  ])
  const plain = new URL(url)
  for (const name of ['connect_timeout', 'lock_timeout', 'statement_timeout']) plain.searchParams.delete(name)
  expect(await limitsAt(plain.href)).toEqual([
    { name: 'lock_timeout', setting: '1000' },
    { name: 'statement_timeout', setting: '1500' },
  ])
})

test('a migration lets transactions that use its tables go first, also those that would wait for it in turn', async () => {
  const sql = await openSchema()
  const tables = ['first_table', 'second_table']
  await sql.tx((tx) => tx.script(tables.map((name) => `create table ${name} (id bigint);`).join(' ')))
  const isSecondLocked = Promise.withResolvers<void>()
  const isFirstMigrated = Promise.withResolvers<void>()
  const request = sql.tx(async (tx) => {
    await tx.all('insert into second_table (id) values (1)')
    isSecondLocked.resolve()
    await isFirstMigrated.promise
    return tx.all('select id from first_table')
  })
  await isSecondLocked.promise
  const migration = sql.alone(async (tx) => {
    await tx.script('alter table first_table add column added bigint')
    isFirstMigrated.resolve()
    await tx.script('alter table second_table add column added bigint')
  })
  expect(await Promise.all([request, migration])).toEqual([[], undefined])
  expect(await sql.all('select added from second_table')).toEqual([{ added: null }])
  await sql.close()
})
