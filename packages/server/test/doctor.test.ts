/** Runs each check of a deployment against one that has the problem. */
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import path from 'node:path'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openKeyring } from '../src/compose/keys.ts'
import { replicaTarget } from '../src/compose/replica.ts'
import { recordBackup } from '../src/backup/last.ts'
import { recordState } from '../src/replica/state.ts'
import { createLog } from '../src/base/log.ts'
import { readConfig } from '../src/config.ts'
import { coreDumps, disk, memory, nodeVersion } from '../src/doctor/machine.ts'
import { examineDeployment } from '../src/doctor/deployment.ts'
import { allChecks, examine, linesOf, type CheckResult } from '../src/doctor/report.ts'
import { latency } from '../src/doctor/database.ts'
import { serveOperator } from '../src/operator/socket.ts'
import { connectPostgres } from '../src/storage/postgres.ts'
import { readSqlite } from '../src/storage/sqlite.ts'
import { TestClock } from '../testkit/clock.ts'
import { secret } from '../testkit/entries.ts'
import { useCompany } from '../testkit/company.ts'
import { useOidcCompany } from '../testkit/oidc-company.ts'
import { temporaryFolder } from '../testkit/folder.ts'
import { closedPort } from '../testkit/free-port.ts'
import { MailServer } from '../testkit/mail-server.ts'
import { runMain } from '../testkit/process.ts'
import { onPostgres, query, storeSettings } from '../testkit/store.ts'
import { newTenant, useTestEnv, write } from '../testkit/test-env.ts'

const recipient = 'age1pr023e0vq3dnzg9q9ysu8p9797tjn88gfjce27uuuta3k4dw4ves3tgfv2'
const day = 24 * 60 * 60_000
const testEnv = useTestEnv()
let clock: TestClock

beforeAll(async () => {
  await write(testEnv, await newTenant(testEnv), [secret('A', '1')])
  await testEnv.app.stop()
  // These are the permissions that the process gives its files.
  execFileSync('chmod', ['-R', 'go=', testEnv.app.dataDir])
})
beforeEach(() => void (clock = new TestClock()))

/** Returns the results of the checks with these settings (named without ROLLKEY_), by check. */
async function examined(settings: Record<string, string> = {}, mailTo?: string): Promise<Record<string, CheckResult>> {
  const { dataDir } = testEnv.app
  const all = { DATA_DIR: dataDir, ...(await storeSettings(dataDir)), ...settings }
  const environment = Object.entries(all).map(([name, value]) => [`ROLLKEY_${name}`, value])
  const config = readConfig(Object.fromEntries(environment))
  const { DATABASE_URL } = config
  const sql =
    DATABASE_URL === undefined ? readSqlite(path.join(dataDir, 'rollkey.db')) : connectPostgres(DATABASE_URL, 1)
  const openingKeyring = { config, store: { sql }, clock }
  try {
    const subject = {
      config,
      publicUrl: 'http://localhost:3000',
      clock,
      sql,
      mailTo,
      openReplica: () => replicaTarget(config, clock),
      openKeyring: () => openKeyring(openingKeyring),
    }
    const findings: Record<string, CheckResult> = {}
    for await (const finding of examine(subject)) findings[finding.check] = finding
    return findings
  } finally {
    await sql.close()
  }
}

async function expectFinding(check: string, finding: object, settings?: Record<string, string>): Promise<void> {
  expect((await examined(settings))[check], check).toMatchObject(finding)
}

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('nothing fails in a deployment without problems', async () => {
  const findings = Object.values(await examined())
  // The PostgreSQL of the tests runs without fsync.
  const failed = findings.filter(({ check, result }) => result === 'fail' && check !== 'database durability')
  expect(failed).toEqual([])
  expect(findings.length).toBeGreaterThan(15)
  const lines = findings.flatMap((finding) => linesOf(finding).split('\n'))
  expect(lines.filter((line) => line.includes('sign-up'))).toHaveLength(1)
})

test('each check has a case here that it does not pass', () => {
  // No test can bring about the problems of these, only their figures; that of "store" has a test of another shape.
  const others = ['node version', 'core dumps', 'memory', 'disk space', 'store', 'database latency']
  const text = readFileSync(import.meta.filename, 'utf8')
  const passes = (check: string): boolean =>
    !new RegExp(String.raw`'${check}',\s*\{ result: '(?:warn|fail)'`).test(text)
  expect(Object.keys(allChecks).filter(passes)).toEqual(others)
})

describe('on the machine, doctor reports', () => {
  test('an odd-numbered Node, core dumps, little memory and little disk space', () => {
    expect(nodeVersion('v25.1.0').result).toBe('warn')
    expect(nodeVersion(process.version).result).toBe('ok')
    const limits = (core: string): string => {
      return execFileSync('sh', ['-c', `ulimit -Sc ${core} && cat /proc/self/limits`], { encoding: 'utf8' })
    }
    const file = path.join(temporaryFolder(), 'limits')
    const resultOf = (core: string) => {
      writeFileSync(file, limits(core))
      return coreDumps(file)?.result
    }
    expect(resultOf('0')).toBe('ok')
    // A machine may forbid core dumps altogether.
    const allowed = /^Max core file size +\S+ +(\S+)/m.exec(limits('0'))?.[1]
    expect(resultOf(allowed === '0' ? '0' : '1')).toBe(allowed === '0' ? 'ok' : 'warn')
    expect([memory(100 * 1024 * 1024).result, memory(1024 ** 3).result]).toEqual(['warn', 'ok'])
    expect(coreDumps('/a system without /proc')).toBeUndefined()
    const room = [1, 10, 50].map((free) => disk('/data', { free, total: 100 }).result)
    expect(room).toEqual(['fail', 'warn', 'ok'])
  })
})

describe.skipIf(onPostgres)('in the data directory, doctor reports', () => {
  test('files that others may use', async () => {
    const file = path.join(testEnv.app.dataDir, 'lock.db')
    chmodSync(file, 0o640)
    await expectFinding('data directory', { result: 'fail', found: expect.stringContaining('lock.db') })
    chmodSync(file, 0o600)
    await expectFinding('data directory', { result: 'ok' })
  })

  test('a master key that is missing, that others may read, or that does not match', async () => {
    const key = path.join(testEnv.app.dataDir, 'master.key')
    chmodSync(key, 0o644)
    await expectFinding('data keys', { result: 'fail', found: expect.stringMatching(/Others can read the master key/) })
    chmodSync(key, 0o600)
    const another = { MASTER_KEY: Buffer.alloc(32, 5).toString('base64') }
    await expectFinding(
      'data keys',
      { result: 'fail', found: expect.stringMatching(/does not open this database/) },
      another,
    )
  })

  test('backups without a key, none made, an old one, one in the data directory', async () => {
    const { dataDir } = testEnv.app
    const settings = { BACKUP_RECIPIENT: recipient }
    await expectFinding('backup key', { result: 'warn' })
    await expectFinding('last backup', { result: 'warn', found: 'none' }, settings)
    await recordBackup(dataDir, { atMs: clock.now(), file: '/elsewhere/rollkey.age' })
    await expectFinding('last backup', { result: 'ok' }, settings)
    await expectFinding('backup location', { result: 'ok' }, settings)
    clock.advance(day / 24)
    await expectFinding('last backup', { result: 'ok', found: '1 hour ago, /elsewhere/rollkey.age' }, settings)
    clock.advance(2 * day)
    await expectFinding('last backup', { result: 'warn', found: expect.stringMatching(/^49 hours ago/) }, settings)
    await recordBackup(dataDir, { atMs: clock.now(), file: path.join(dataDir, 'rollkey.age') })
    await expectFinding('backup location', { result: 'warn' }, settings)
    // One that was made with --recipient counts, too.
    await expectFinding('last backup', { result: 'ok' })
  })
})

test.skipIf(onPostgres)(
  'doctor reports a replica that has nothing, lacks something, or that another start ships to',
  async () => {
    const { dataDir } = testEnv.app
    const settings = { BACKUP_RECIPIENT: recipient, REPLICA_URL: `file:${temporaryFolder()}` }
    await expectFinding('replica', { result: 'warn', found: 'has nothing yet' }, settings)
    const writer = { writer: 2, host: 'other', process: 7, startedAtMs: 0 }
    const state = { atMs: 0, lagMs: 40_000, lastShippedAtMs: 0, problem: 'Error ETIMEDOUT', writer, successor: writer }
    recordState(dataDir, { ...state, state: 'behind' })
    const behind = 'lacks what was written in the last 40 s (Error ETIMEDOUT)'
    await expectFinding('replica', { result: 'fail', found: behind }, settings)
    recordState(dataDir, { ...state, state: 'replaced' })
    const replaced = expect.stringMatching(/^process 7 on other ships to it now/) as unknown
    await expectFinding('replica', { result: 'fail', found: replaced }, settings)
    recordState(dataDir, { ...state, state: 'shipping' })
    await expectFinding('replica', { result: 'fail', found: expect.stringMatching(/no snapshot/) }, settings)
  },
)

describe('in the store, doctor reports', () => {
  test('a key that does not open', async () => {
    const broken = 'update data_keys set kms = kms, wrapped = (select wrapped from data_keys where project_id is null)'
    const before = await query(testEnv.app.dataDir, 'select id, wrapped from data_keys where project_id is not null')
    expect(before.length).toBeGreaterThan(0)
    await query(testEnv.app.dataDir, `${broken} where project_id is not null`)
    await expectFinding('data keys', { result: 'fail', found: expect.stringMatching(/^keys of 1 of 1 project cannot/) })
    for (const { id, wrapped } of before)
      await query(
        testEnv.app.dataDir,
        'update data_keys set wrapped = $2 where id = $1',
        id as string,
        wrapped as Uint8Array,
      )
    await expectFinding('data keys', { result: 'ok', found: 'the master key opens the keys of the project' })
  })

  test('a schema of another version of Rollkey', async () => {
    const { dataDir } = testEnv.app
    await query(dataDir, `insert into migrations (id, name, applied_at_ms) values (9999, 'later', 0)`)
    await expectFinding('schema', { result: 'fail', found: expect.stringMatching(/^9999 is newer/) })
    await query(dataDir, 'delete from migrations where id = 9999')
    const [last = {}] = await query(dataDir, 'select id, name, applied_at_ms from migrations order by id desc limit 1')
    const [id, name, appliedAtMs] = [last['id'] as number, last['name'] as string, last['applied_at_ms'] as number]
    await query(dataDir, 'delete from migrations where id = $1', id)
    await expectFinding('schema', { result: 'warn' })
    const again = 'insert into migrations (id, name, applied_at_ms) values ($1, $2, $3)'
    await query(dataDir, again, id, name, appliedAtMs)
  })

  test.skipIf(onPostgres)('rows without an owner', async () => {
    await expectFinding('integrity', { result: 'ok' })
    const file = path.join(testEnv.app.dataDir, 'rollkey.db')
    const copy = path.join(temporaryFolder(), 'copy')
    copyFileSync(file, copy)
    const db = new DatabaseSync(file)
    db.exec('pragma foreign_keys = off; delete from projects')
    db.close()
    await expectFinding('integrity', { result: 'fail', found: expect.stringMatching(/refer to a missing row/) })
    copyFileSync(copy, file)
    await expectFinding('integrity', { result: 'ok' })
  })

  test.runIf(onPostgres)('PostgreSQL with few connections, no fsync, another clock or high latency', async () => {
    await expectFinding('database connections', { result: 'ok', found: expect.stringMatching(/nodes with 17 each$/) })
    await expectFinding('database connections', { result: 'fail' }, { DATABASE_CONNECTIONS: '1000' })
    await expectFinding('database durability', { result: 'fail', found: expect.stringMatching(/^off: fsync/) })
    await expectFinding('database clock', { result: 'ok' })
    clock.advance(-6_000_000)
    await expectFinding('database clock', { result: 'fail', found: expect.stringMatching(/^(59|60)\d\d\.\d s apart/) })
    expect([latency(1).result, latency(20).result]).toEqual(['ok', 'warn'])
  })

  test.runIf(onPostgres)('a database with another encoding', async () => {
    const { dataDir } = testEnv.app
    const { DATABASE_URL = '' } = await storeSettings(dataDir)
    const encoded = new URL(DATABASE_URL)
    encoded.pathname += '_latin1'
    const name = encoded.pathname.slice(1)
    await query(dataDir, `create database ${name} encoding 'LATIN1' template template0 locale 'C'`)
    await expectFinding('database encoding', { result: 'ok' })
    await expectFinding('database encoding', { result: 'fail' }, { DATABASE_URL: encoded.href })
    await query(dataDir, `drop database ${name}`)
  })

  test.runIf(onPostgres)('a role without rights, and one with few connections', async () => {
    const { dataDir } = testEnv.app
    const { DATABASE_URL = '' } = await storeSettings(dataDir)
    await expectFinding('database rights', { result: 'ok' })
    await query(dataDir, "create role reader login password 'secret' connection limit 2")
    await query(dataDir, 'grant select on all tables in schema public to reader')
    const asReader = new URL(DATABASE_URL)
    Object.assign(asReader, { username: 'reader', password: 'secret' })
    const settings = { DATABASE_URL: asReader.href }
    await expectFinding('database rights', { result: 'fail', found: expect.stringContaining('stages') }, settings)
    await expectFinding('database connections', { result: 'fail', found: expect.stringMatching(/^2, /) }, settings)
    await query(dataDir, 'drop owned by reader')
    await query(dataDir, 'drop role reader')
  })

  test.runIf(onPostgres)('a database that accepts only reads', async () => {
    const { DATABASE_URL = '' } = await storeSettings(testEnv.app.dataDir)
    const readOnly = new URL(DATABASE_URL)
    readOnly.searchParams.set('options', '-c default_transaction_read_only=on')
    const config = readConfig({ ROLLKEY_DATABASE_URL: readOnly.href, ROLLKEY_DATA_DIR: testEnv.app.dataDir })
    const openNothing = () => Promise.reject(new Error('there is no store'))
    const deployment = {
      config,
      publicUrl: 'http://localhost:3000',
      clock,
      openReplica: () => undefined,
      openKeyring: openNothing,
    }
    let found: CheckResult | undefined
    for await (const finding of examineDeployment(deployment)) if (finding.check === 'store') found = finding
    expect(found).toMatchObject({ result: 'fail', found: expect.stringMatching(/accepts only reads: reset/) })
  })
})

describe('on the network, doctor reports', () => {
  test('addresses that are public, not https, or lead nowhere', async () => {
    const open = { HOST: '0.0.0.0' }
    await expectFinding('public address', { result: 'fail' }, open)
    await expectFinding('listening address', { result: 'warn' }, open)
    await expectFinding('public address', { result: 'fail' }, { PUBLIC_URL: 'http://rollkey.example' })
    const nowhere = { PUBLIC_URL: `http://127.0.0.1:${closedPort}` }
    await expectFinding('public address', { result: 'warn', found: expect.stringMatching(/ECONNREFUSED/) }, nowhere)
    await expectFinding('trusted proxies', { result: 'fail' }, { TRUSTED_PROXIES: '10.0.0.1,0.0.0.0/1,128.0.0.0/1' })
    const server = createServer((incoming, response) => {
      response.writeHead(incoming.url === '/livez' ? 200 : 404).end()
    })
    await expectFinding('public address', { result: 'ok' }, { PUBLIC_URL: await listening(server) })
    server.close()
  })

  test('a provider that answers, one that is down, and one with a different clock', async () => {
    const settings = { IDP_ISSUER: testEnv.provider.issuer }
    await expectFinding('identity provider', { result: 'ok' }, settings)
    await expectFinding('provider clock', { result: 'ok' }, settings)
    await expectFinding('removed members', { result: 'warn' }, settings)
    await expectFinding('web sign-in', { result: 'warn' }, settings)
    await expectFinding('token audience', { result: 'fail' }, settings)
    for (const name of ['IDP_CLIENT_ID', 'IDP_AUDIENCE', 'IDP_AUTHORIZED_PARTIES']) {
      await expectFinding('token audience', { result: 'ok' }, { ...settings, [name]: 'rollkey' })
    }
    clock.advance(6_000_000)
    await expectFinding(
      'provider clock',
      { result: 'fail', found: expect.stringMatching(/^(59|60)\d\d s apart/) },
      settings,
    )
    await expectFinding('identity provider', { result: 'fail' }, { IDP_ISSUER: `${testEnv.provider.issuer}/` })
    testEnv.provider.isDown = true
    await expectFinding('identity provider', { result: 'fail' }, settings)
    testEnv.provider.isDown = false
  })

  test('mail that is not set up', async () => {
    const found = expect.stringMatching(/^not set: .+ by hand \(ROLLKEY_SMTP_URL /)
    await expectFinding('mail', { result: 'ok', found })
    expect((await examined({}, 'ops@example.com'))['mail']).toMatchObject({ result: 'fail' })
    expect(await examined({ IDP_ISSUER: testEnv.provider.issuer })).not.toHaveProperty('mail')
  })

  test('an SMTP server that does not answer', async () => {
    const MAIL_FROM = 'rollkey@example.com'
    const url = (port: number): string => `smtp://rollkey:canary-4711@localhost:${port}?tls=no`
    await expectFinding(
      'mail',
      { result: 'fail', found: expect.stringContaining('ECONNREFUSED') },
      {
        SMTP_URL: url(closedPort),
        MAIL_FROM,
      },
    )
    const server = new MailServer()
    await server.start()
    onTestFinished(() => server.stop())
    const refused = (await examined({ SMTP_URL: url(server.port), MAIL_FROM }))['mail']
    expect(refused).toMatchObject({ result: 'fail' })
    expect(JSON.stringify(refused)).not.toContain('canary')
    await expectFinding('mail', { result: 'ok' }, server.settings)
    expect(server.mails).toEqual([])
    const tested = (await examined(server.settings, 'ops@example.com'))['mail']
    expect(tested).toMatchObject({ result: 'ok', found: expect.stringContaining('accepted a test mail') })
    expect(server.mails).toMatchObject([{ to: 'ops@example.com', subject: '[Rollkey] Test' }])
  })

  test('an audit stream whose receiver lacks entries, and why', async () => {
    const settings = { AUDIT_STREAM: 'https://logs.example/canary?key=canary', AUDIT_STREAM_MAX_SECONDS: '60' }
    const { dataDir } = testEnv.app
    clock.advance(testEnv.clock.now() - clock.now())
    await query(
      dataDir,
      `insert into audit_stream (org_id, position, checkpoint, since_ms, next_attempt_at_ms, attempts, failing_since_ms, failure)
       select org_id, 0, 0, $1, 0, 1, $1, 'ECONNREFUSED' from audit_heads`,
      clock.now(),
    )
    await expectFinding(
      'audit stream',
      { result: 'ok', found: expect.stringMatching(/^logs\.example has all .+ \(ECONNREFUSED, for 0 s\)$/) },
      settings,
    )
    clock.advance(61_000)
    const found = expect.stringMatching(/^logs\.example lacks entries since 61 s \(ECONNREFUSED, for 61 s\)$/) as string
    await expectFinding('audit stream', { result: 'warn', found }, settings)
    const required = { ...settings, AUDIT_STREAM_REQUIRED: 'yes' }
    await expectFinding('audit stream', { result: 'fail', found: expect.stringMatching(/are refused$/) }, required)
    await query(dataDir, 'delete from audit_stream')
  })

  test('a billing system that does not answer', async () => {
    const secrets = { BILLING_SECRET: `whsec_${Buffer.alloc(32).toString('base64')}` }
    const gone = { BILLING_URL: `http://127.0.0.1:${closedPort}/usage`, ...secrets }
    await expectFinding('billing', { result: 'fail', found: expect.stringMatching(/ECONNREFUSED/) }, gone)
    const server = createServer((_, response) => response.writeHead(405).end())
    await expectFinding('billing', { result: 'ok' }, { BILLING_URL: await listening(server), ...secrets })
    server.close()
  })
})

describe('about the provider of a company, doctor reports', () => {
  const clientSecret = 'company-secret-that-no-one-sees'
  const entra = useCompany({
    at: 'https://login.microsoftonline.com/organizations/v2.0',
    issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0',
  })
  const company = useOidcCompany('one', 'entra')

  function settings(more: Record<string, string> = {}): Record<string, string> {
    return {
      SIGN_IN: 'one',
      SIGN_IN_ONE_ISSUER: company.issuer,
      SIGN_IN_ONE_CLIENT_ID: 'rollkey',
      SIGN_IN_ONE_CLIENT_SECRET: 'company-secret',
      ...more,
    }
  }

  /** Returns the finding. The redirect URL is in each, and the secret in none. */
  async function finding(more?: Record<string, string>): Promise<CheckResult | undefined> {
    const all = await examined(settings(more))
    expect(JSON.stringify(all)).not.toContain('company-secret')
    const found = all['sign-in at one']
    expect(found?.found).toContain('redirect URL http://localhost:3000/identity/company/callback/one')
    return found
  }

  test('that it answers and accepts the client', async () => {
    expect(await finding()).toMatchObject({ result: 'ok', found: expect.stringContaining('accepts the client') })
  })

  test('a wrong secret and a wrong client id', async () => {
    const refused = { result: 'fail', found: expect.stringContaining('it refuses the client id or the secret') }
    expect(await finding({ SIGN_IN_ONE_CLIENT_SECRET: clientSecret })).toMatchObject(refused)
    expect(await finding({ SIGN_IN_ONE_CLIENT_ID: 'other' })).toMatchObject(refused)
  })

  test('an address at which there is no provider, and one that does not answer', async () => {
    expect(await finding({ SIGN_IN_ONE_ISSUER: `${company.issuer}/realms/acme` })).toMatchObject({
      result: 'fail',
      found: expect.stringContaining('publishes no metadata (status 404)'),
      todo: expect.stringContaining('ROLLKEY_SIGN_IN_ONE_ISSUER'),
    })
    expect(await finding({ SIGN_IN_ONE_ISSUER: `http://127.0.0.1:${closedPort}` })).toMatchObject({
      result: 'fail',
      found: expect.stringContaining('ECONNREFUSED'),
    })
    company.trouble = 'drips'
    const timeout = AbortSignal.timeout.bind(AbortSignal)
    const shorter = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(100))
    onTestFinished(() => shorter.mockRestore())
    expect(await finding()).toMatchObject({ result: 'fail', found: expect.stringContaining('publishes no metadata') })
    company.trouble = undefined
  })

  test('another issuer than that of the settings', async () => {
    const alias = company.issuer.replace('127.0.0.1', 'localhost')
    expect(await finding({ SIGN_IN_ONE_ISSUER: alias })).toMatchObject({
      result: 'fail',
      found: expect.stringContaining(`the provider calls its issuer ${company.issuer}`),
      todo: 'Set ROLLKEY_SIGN_IN_ONE_ISSUER to exactly that.',
    })
  })

  test('a clock that is apart', async () => {
    clock.advance(6_000_000)
    expect(await finding()).toMatchObject({
      result: 'fail',
      found: expect.stringMatching(/^its clock is (59|60)\d\d s apart/),
    })
  })

  test('domains at Entra, which does not say whether an address is verified', async () => {
    const more = {
      SIGN_IN_ONE_ISSUER: entra.address,
      SIGN_IN_ONE_CLIENT_SECRET: 'secret',
      SIGN_IN_ONE_JOIN: 'nowhere:member',
      SIGN_IN_ONE_DOMAINS: 'acme.example',
    }
    expect(await finding(more)).toMatchObject({ result: 'warn', found: expect.stringContaining('no one joins') })
  })

  test('an organization to join that does not exist', async () => {
    const join = { SIGN_IN_ONE_JOIN: 'nowhere:member', SIGN_IN_ONE_DOMAINS: 'acme.example' }
    expect(await finding(join)).toMatchObject({
      result: 'warn',
      found: expect.stringContaining('no such organization'),
    })
  })
})

test('doctor reports settings that are rarely intended', async () => {
  await expectFinding('sign-up', { result: 'warn' }, { SIGN_UP: 'open' })
  await expectFinding('cors origins', { result: 'ok' }, { CORS_ORIGINS: 'https://a.example' })
  await expectFinding('cors origins', { result: 'warn' }, { CORS_ORIGINS: '*' })
  await expectFinding('log level', { result: 'warn' }, { LOG_LEVEL: 'debug' })
  await expectFinding('log level', { result: 'warn' }, { LOG_LEVEL: 'error' })
  await expectFinding('audit log', { result: 'warn' }, { AUDIT_REQUIRED: 'no' })
  const key = readFileSync(path.join(testEnv.app.dataDir, 'master.key'), 'utf8').trim()
  const other = { MASTER_KEY: key, PREVIOUS_MASTER_KEY: Buffer.alloc(32, 9).toString('base64') }
  await expectFinding('previous master key', { result: 'warn', found: 'no longer needed' }, other)
})

test.skipIf(onPostgres)('doctor prints JSON as a command, and exits with 1 if a check fails', async () => {
  const empty = temporaryFolder()
  const good = await runMain({ DATA_DIR: empty }, ['doctor'])
  expect({ code: good.code, stderr: good.stderr }).toEqual({ code: 0, stderr: '' })
  chmodSync(empty, 0o755)
  const bad = await runMain({ DATA_DIR: empty }, ['doctor'])
  expect(bad.code).toBe(1)
  const { good: isGood, findings } = JSON.parse(bad.stdout) as { good: boolean; findings: CheckResult[] }
  expect(isGood).toBe(false)
  expect(findings.filter(({ result }) => result === 'fail').map(({ check }) => check)).toEqual(['data directory'])
})

test.skipIf(onPostgres)('doctor sends a test mail as a command, and fails where mail is not set', async () => {
  const server = new MailServer()
  await server.start()
  onTestFinished(() => server.stop())
  const folder = temporaryFolder()
  const sent = ['doctor', '--mail-to', 'ops@example.com']
  expect((await runMain({ DATA_DIR: folder, ...server.settings }, sent)).code).toBe(0)
  expect(server.mails).toMatchObject([{ to: 'ops@example.com' }])
  expect((await runMain({ DATA_DIR: folder }, sent)).code).toBe(1)
})

test.skipIf(onPostgres)('doctor beside a service says whose settings it checks', async () => {
  const folder = temporaryFolder()
  const checks = async (): Promise<readonly string[]> => {
    const { stdout } = await runMain({ DATA_DIR: folder }, ['doctor'])
    return (JSON.parse(stdout) as { findings: CheckResult[] }).findings.map(({ check }) => check)
  }
  expect(await checks()).not.toContain('running service')
  const server = await serveOperator(folder, () => Promise.resolve(), createLog('silent'))
  onTestFinished(() => void server.close())
  expect((await checks())[0]).toBe('running service')
})
