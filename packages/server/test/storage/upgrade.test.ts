/** Tests that an upgrade of the embedded store keeps a copy of the previous state. */
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../testkit/folder.ts'
import { TestClock } from '../../testkit/clock.ts'
import { verifyAudit } from '../../src/audit/verify.ts'
import { newId } from '../../src/base/random.ts'
import { operatorActorOf } from '../../src/storage/actor.ts'
import { headOf } from '../../src/storage/audit-chain.ts'
import { appendAudit } from '../../src/storage/audit.ts'
import { makersOf } from '../../src/storage/makers.ts'
import { projectsOf } from '../../src/storage/projects.ts'
import { newestSchema, schemaVersion } from '../../src/storage/migrate.ts'
import { lackOfRoom } from '../../src/storage/upgrade.ts'
import { openStore } from '../../src/compose/store.ts'
import { readConfig } from '../../src/config.ts'
import type { Report } from '../../src/operator/command.ts'
import { offline } from '../../testkit/operator.ts'
import { silent } from './temporary.ts'

let dataDir: string
const migrations = new URL('../../src/storage/migrations/', import.meta.url)

beforeEach(() => {
  dataDir = temporaryFolder()
})

function open() {
  const settings = { DATA_DIR: dataDir, DATABASE_URL: undefined, DATABASE_CONNECTIONS: 1, MASTER_KEY: undefined }
  return openStore(settings, new TestClock(), silent)
}

/** Creates a store as a Rollkey of the schema would leave it. */
function older(name: string, schema = 1, rows = ''): void {
  const database = new DatabaseSync(path.join(dataDir, name))
  database.exec('create table migrations (id bigint primary key, name text not null, applied_at_ms bigint not null)')
  for (const [index, file] of readdirSync(migrations).toSorted().slice(0, schema).entries()) {
    database.exec(readFileSync(new URL(file, migrations), 'utf8'))
    database.exec(`insert into migrations values (${index + 1}, '${file}', 0)`)
  }
  database.exec(
    `insert into organizations (id, idp_org_id, slug, name, created_at_ms) values ('org_1', 'idp_1', 'acme', 'Acme', 0)`,
  )
  database.exec(rows)
  database.close()
}

test('a store of an older schema is copied before it is changed, and opens as the newest', async () => {
  older('rollkey.db')
  const store = await open()
  expect(await schemaVersion(store.sql)).toBe(newestSchema())
  await store.close()
  const copy = new DatabaseSync(path.join(dataDir, 'rollkey.db.schema-1'))
  expect({ ...copy.prepare('select max(id) as id from migrations').get() }).toEqual({ id: 1 })
  expect({ ...copy.prepare('select slug from organizations').get() }).toEqual({ slug: 'acme' })
  copy.close()
  rmSync(path.join(dataDir, 'rollkey.db.schema-1'))
  await (await open()).close()
  expect(existsSync(path.join(dataDir, `rollkey.db.schema-${newestSchema()}`))).toBe(false)
})

/** Returns the schema of the store, and opens it in no way that changes it. */
function schemaOnDisk(): number {
  const database = new DatabaseSync(path.join(dataDir, 'rollkey.db'), { readOnly: true })
  const { id } = database.prepare('select max(id) as id from migrations').get() as { id: number }
  database.close()
  return id
}

test('a store that cannot be copied is not upgraded', async () => {
  older('rollkey.db')
  const obstacle = path.join(dataDir, 'rollkey.db.schema-1')
  mkdirSync(path.join(obstacle, 'full'), { recursive: true })
  await expect(open()).rejects.toThrow(
    /^rollkey\.db cannot be copied to rollkey\.db\.schema-1 .*Nothing was changed\.$/,
  )
  expect(schemaOnDisk()).toBe(1)
  expect(readdirSync(dataDir).filter((name) => name.endsWith('.unfinished'))).toEqual([])
  rmSync(obstacle, { recursive: true })
  await (await open()).close()
  expect(schemaOnDisk()).toBe(newestSchema())
})

test('an upgrade needs as much free space as the copies take', () => {
  const mebibyte = 1024 * 1024
  expect(lackOfRoom({ bytes: 3 * mebibyte, freeBytes: 3 * mebibyte })).toBeUndefined()
  expect(lackOfRoom({ bytes: 3 * mebibyte, freeBytes: 2 * mebibyte })).toMatch(
    /need 3 MiB, and the disk has 2 MiB free/,
  )
})

test('the copies of the newest three schemas are kept', async () => {
  older('rollkey.db', 11)
  const copies = ['rollkey.db.schema-2', 'identity.db.schema-2', 'rollkey.db.schema-9', 'rollkey.db.schema-10']
  for (const name of copies) writeFileSync(path.join(dataDir, name), '')
  await (await open()).close()
  expect(
    readdirSync(dataDir)
      .filter((name) => name.includes('.schema-'))
      .toSorted(),
  ).toEqual(['rollkey.db.schema-10', 'rollkey.db.schema-11', 'rollkey.db.schema-9'])
})

async function checkUpgrade(line = 'upgrade --check'): Promise<Report> {
  const config = readConfig({ ROLLKEY_DATA_DIR: dataDir })
  return (await offline(config, line)) as Report
}

test('upgrade --check shows what a start would upgrade, and changes nothing', async () => {
  expect((await checkUpgrade()).text).toMatch(/^There is no store yet/)
  older('rollkey.db', newestSchema() - 1)
  const { json, text } = await checkUpgrade()
  expect(json).toMatchObject({ good: true, schema: newestSchema() - 1, newestSchema: newestSchema() })
  expect(json).toMatchObject({
    migrations: [readdirSync(migrations).toSorted().at(-1)],
    rehearsalMs: expect.any(Number),
  })
  expect(text).toMatch(/^A start upgrades .*\n.*\.sql\nIt took \d+\.\d+ s on a copy/)
  expect(schemaOnDisk()).toBe(newestSchema() - 1)
  expect(readdirSync(dataDir)).toEqual(['rollkey.db'])
  await (await open()).close()
  expect((await checkUpgrade()).text).toMatch(/^Nothing to upgrade/)
  expect((await checkUpgrade('upgrade')).text).toMatch(/^Nothing to upgrade/)
})

test('upgrade --check refuses a store of a newer version', async () => {
  older('rollkey.db', 1, `insert into migrations values (9999, 'later', 0)`)
  await expect(checkUpgrade()).rejects.toThrow(/schema version 9999 \(expected at most \d+\): start the newer Rollkey/)
})

test('migrations are numbered from 1 without gaps, so that two branches cannot add the same number', () => {
  const numbers = readdirSync(migrations)
    .toSorted()
    .map((name) => name.slice(0, 4))
  expect(numbers).toEqual(numbers.map((_, index) => String(index + 1).padStart(4, '0')))
})

/** Statements that code of the previous version does not notice: it names its columns, and a new column has a default. */
const expansions = [
  /^create table /,
  /^create (?:unique )?index /,
  /^alter table \w+ add column \w+ \w+(?: not null default [^,]+)?$/,
  /^(?:insert into|update) /,
  // Indexes that begin with the columns of others.
  /^drop index (?:variable_history_by_time|sessions_by_creation|audit_checkpoints_by_time)$/,
]

test('migrations only expand the schema, so that nodes of the previous version can go on', () => {
  const others = readdirSync(migrations).flatMap((name) =>
    readFileSync(new URL(name, migrations), 'utf8')
      .replaceAll(/--.*$/gm, '')
      .split(';')
      .map((statement) => statement.trim().replaceAll(/\s+/g, ' '))
      .filter((statement) => statement !== '' && !expansions.some((expansion) => expansion.test(statement)))
      .map((statement) => `${name}: ${statement}`),
  )
  expect(others).toEqual([])
})

test('the changelog names the newest schema, and with it what an operator must do', () => {
  const changelog = readFileSync(new URL('../../../../CHANGELOG.md', import.meta.url), 'utf8')
  expect(changelog).toContain(`Schema ${newestSchema()}.`)
})

test('an audit log from before there was a chain is chained from its next entry on', async () => {
  const entry = (seq: number): string => `('org_1', ${seq}, 0, 'user_1', 'provider', 'dashboard', 'logout')`
  const chained = readdirSync(migrations)
    .toSorted()
    .findIndex((file) => file.includes('audit-chain'))
  older(
    'rollkey.db',
    chained,
    `insert into audit (org_id, seq, at_ms, actor, how, client, action) values ${entry(1)}, ${entry(2)};
     insert into audit_heads (org_id, seq) values ('org_1', 2)`,
  )
  const store = await open()
  const { sql } = store
  await sql.tx((tx) => appendAudit(tx, operatorActorOf('org_1'), { action: 'sign-out', nowMs: 0 }))
  const { publicKey } = generateKeyPairSync('ed25519')
  const means = { sql, publicKey, retention: { defaultDays: 400, frequentDays: 90 }, nowMs: 0 }
  const verdict = await verifyAudit(means, [{ id: 'org_1', slug: 'acme' }])
  expect(verdict).toMatchObject({ entries: 3, beforeChain: 2, sinceCheckpoint: 1, problems: [] })
  expect(await headOf(sql, 'org_1')).toMatchObject({ seq: 3, chained_from: 2 })
  await store.close()
})

test('stages from before they had an order are in that of their creation, with production last and marked', async () => {
  const before = readdirSync(migrations)
    .toSorted()
    .findIndex((file) => file.includes('stage-order'))
  const stage = (slug: string, createdAtMs: number, project = 'prj_1'): string =>
    `('${project}-${slug}', '${project}', '${slug}', '${slug}', 1, ${createdAtMs}, 'user_1')`
  older(
    'rollkey.db',
    before,
    `insert into projects (id, org_id, slug, name, created_at_ms, created_by)
       values ('prj_1', 'org_1', 'shop', 'Shop', 0, 'user_1'), ('prj_2', 'org_1', 'api', 'API', 0, 'user_1');
     insert into stages (id, project_id, slug, name, revision, created_at_ms, created_by)
       values ${stage('live', 1)}, ${stage('staging', 3)}, ${stage('dev', 4)}, ${stage('prod', 2)}, ${stage('a', 5, 'prj_2')}`,
  )
  const store = await open()
  const rows = await projectsOf(store.sql, 'org_1')
  const places = rows.map(({ project_slug: project, ...row }) =>
    row.stage_slug === null ? project : `${project}/${row.stage_slug} ${row.is_production}`,
  )
  expect(places.filter((place) => place.startsWith('shop'))).toEqual([
    'shop/staging 0',
    'shop/dev 0',
    'shop/live 1',
    'shop/prod 1',
  ])
  expect(places).toContain('api/a 0')
  await store.close()
})

test('who rotated a token or changed a trust before makers were stored is one of its makers', async () => {
  const [token, trust] = [newId('tok'), newId('tru')]
  const before = readdirSync(migrations)
    .toSorted()
    .findIndex((file) => file.includes('makers'))
  const entry = (seq: number, actor: string, action: string, subject: string): string =>
    `('org_1', ${seq}, 0, '${actor}', 'provider', 'dashboard', '${action}', '${subject}')`
  older(
    'rollkey.db',
    before,
    `insert into sessions (id, org_id, user_id, created_at_ms, last_used_at_ms, member_seen_at_ms)
       values ('${token}', 'org_1', '${token}', 0, 0, 0);
     insert into access_tokens (hash, session_id, expires_at_ms) values ('hash', '${token}', 10);
     insert into service_tokens (session_id, name, read_only, created_by) values ('${token}', 'ci', 0, 'ann');
     insert into trusts (id, org_id, name, issuer, audience, claims, role, history, lifetime_sec, forks, version, created_by,
       created_at_ms, updated_at_ms) values ('${trust}', 'org_1', 'deploy', 'i', 'a', '[]', 'reader', 0, 900, 0, 2, 'ann', 0, 0);
     insert into audit (org_id, seq, at_ms, actor, how, client, action, subject) values
       ${entry(1, 'bob', 'token.rotate', `${token} ci`)}, ${entry(2, 'mia', 'token.rotate', `${token} ci`)},
       ${entry(3, 'mia', 'trust.update', `trust:${trust} jwks reader reader -keys=a +keys=b name=deploy`)};
     insert into audit_heads (org_id, seq) values ('org_1', 3)`,
  )
  const store = await open()
  const makers = await makersOf(store.sql, [token, trust], 0)
  expect([makers.get(token), makers.get(trust)].map((ids) => ids?.toSorted())).toEqual([
    ['ann', 'mia'],
    ['ann', 'mia'],
  ])
  await store.close()
})
