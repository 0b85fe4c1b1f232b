/** An upgrade of the embedded store leaves what was there before it. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, expect, test } from 'vitest'
import { newDataDir } from '../../testkit/app.ts'
import { TestClock } from '../../testkit/clock.ts'
import { newestSchema, schemaVersion } from '../../src/storage/migrate.ts'
import { openStore } from '../../src/store.ts'
import { silent } from './temporary.ts'

const dataDir = newDataDir()
const settings = { DATA_DIR: dataDir, DATABASE_URL: undefined, DATABASE_CONNECTIONS: 1, MASTER_KEY: undefined }
const migrations = new URL('../../src/storage/migrations/', import.meta.url)

afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

/** As a Rollkey of schema 1 left it. */
function older(name: string): void {
  const database = new DatabaseSync(path.join(dataDir, name))
  const [initial = ''] = readdirSync(migrations).toSorted()
  database.exec('create table migrations (id bigint primary key, name text not null, applied_at_ms bigint not null)')
  database.exec(readFileSync(new URL(initial, migrations), 'utf8'))
  database.exec(`insert into migrations values (1, '${initial}', 0)`)
  database.exec(`insert into organizations values ('org_1', 'idp_1', 'acme', 'Acme', 0)`)
  database.close()
}

test('a store of an older schema is copied before it is changed, and opens as the newest', async () => {
  older('rollkey.db')
  const store = await openStore(settings, new TestClock(), silent)
  expect(await schemaVersion(store.sql)).toBe(newestSchema())
  await store.close()
  const copy = new DatabaseSync(path.join(dataDir, 'rollkey.db.schema-1'))
  expect({ ...copy.prepare('select max(id) as id from migrations').get() }).toEqual({ id: 1 })
  expect({ ...copy.prepare('select slug from organizations').get() }).toEqual({ slug: 'acme' })
  copy.close()
  rmSync(path.join(dataDir, 'rollkey.db.schema-1'))
  await (await openStore(settings, new TestClock(), silent)).close()
  expect(existsSync(path.join(dataDir, `rollkey.db.schema-${newestSchema()}`))).toBe(false)
})
