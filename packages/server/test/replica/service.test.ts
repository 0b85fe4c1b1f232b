/** The service with a replica, and its restore on another machine. */
import { copyFileSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { deploymentOf } from '../../src/compose/operator.ts'
import { readConfig, type Config } from '../../src/config.ts'
import type { Deployment } from '../../src/operator/command.ts'
import { standby } from '../../src/operator/standby.ts'
import type { Writer } from '../../src/replica/names.ts'
import { readRecord, writeRecord, type StandbyRecord } from '../../src/replica/standby-record.ts'
import { statusOf } from '../../src/replica/status.ts'
import { FileTarget } from '../../src/replica/file-target.ts'
import { TestClock } from '../../testkit/clock.ts'
import { launchTestApp, startTestApp, usageOf, type TestApp } from '../../testkit/app.ts'
import { temporaryFolder, useFolder } from '../../testkit/folder.ts'
import { inServer, offline } from '../../testkit/operator.ts'
import { setUp } from '../../testkit/person.ts'
import { query } from '../../testkit/store.ts'

const canary = `canary-${crypto.randomUUID()}`
const place = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'prod' }
const folder = useFolder()
const dataDir = useFolder()
const replica = useFolder()
const keyFile = path.join(folder, 'backup.key')
const clock = new TestClock()
const settings: Record<string, string> = { REPLICA_URL: `file:${replica}` }

let app: TestApp
let session: { accessToken: string }
let serviceToken: string
let metrics: string
/** A moment at which the first half was written, and the second one was not. */
let middleMs: number

function configOf(into: string): Config {
  const environment = { ...settings, DATA_DIR: into }
  const named = Object.entries(environment).map(([name, value]) => [`ROLLKEY_${name}`, value])
  return readConfig(Object.fromEntries(named))
}

function run(into: string, words: string, ...args: string[]): Promise<unknown> {
  return offline(configOf(into), words, ...args).catch(({ message }: Error) => message)
}

/** Creates a data directory with only the master key, as on another machine. */
function emptied(): string {
  const empty = temporaryFolder()
  copyFileSync(path.join(dataDir, 'master.key'), path.join(empty, 'master.key'))
  return empty
}

async function write(value: string, on = app): Promise<void> {
  const entries = [{ kind: 'secret', name: 'CANARY', value: `${canary} ${value}` }]
  await on.client.must('write', { ...place, mode: 'upsert', entries }, { token: session.accessToken })
}

/** Waits until everything is shipped. */
async function shipped(into = replica): Promise<void> {
  clock.freezeAt(clock.now() + 1_000)
  clock.doPeriodicWork()
  await vi.waitUntil(async () => {
    const { to } = await statusOf(new FileTarget(into))
    return to !== undefined && Date.parse(to) >= clock.now()
  })
}

beforeAll(async () => {
  const identity = await generateX25519Identity()
  writeFileSync(keyFile, `${identity}\n`)
  settings['BACKUP_RECIPIENT'] = await identityToRecipient(identity)
  app = await launchTestApp(settings, { dataDir, clock })
  const owner = await setUp(app)
  session = await app.client.login(await owner.token())
  serviceToken = (await app.client.must('tokenCreate', { orgSlug: 'acme', name: 'ci' }, { token: session.accessToken }))
    .token
  await write('first')
  await app.client.must('evaluate', { ...place, name: 'CANARY' }, { token: serviceToken })
  await shipped()
  metrics = await (await fetch(`${app.url}/metrics`)).text()
  middleMs = clock.now()
  clock.advance(1_000)
  await write('second')
  await app.client.must('evaluate', { ...place, name: 'CANARY' }, { token: serviceToken })
  await app.stop()
})

test('metrics say what was shipped', () => {
  expect(metrics).toMatch(/^rollkey_replica_lag_seconds 0$/m)
  expect(metrics).toMatch(/^rollkey_replica_replaced 0$/m)
  expect(metrics).toMatch(/^rollkey_replica_shipped_objects_total [1-9]/m)
  expect(metrics).toMatch(/^rollkey_replica_shipped_bytes_total [1-9]/m)
})

test('only the holder of the backup key can read it, and it never has the master key', async () => {
  const stored = readdirSync(replica, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(path.join(parentPath, name)).toString('latin1'))
    .join()
  const masterKey = readFileSync(path.join(dataDir, 'master.key'), 'latin1').trim()
  for (const secret of [canary, masterKey, serviceToken, 'acme']) expect(stored).not.toContain(secret)
})

test('it is verified, and restored on an empty machine to the last acknowledged write', async () => {
  expect(await run(dataDir, 'replica status')).toMatchObject({ good: true, writer: { writer: 1 } })
  expect(await run(emptied(), 'replica verify', '--key-file', keyFile)).toMatchObject({
    good: true,
    stages: 1,
    writer: 1,
  })
  const empty = path.join(emptied(), 'not', 'there', 'yet')
  const missing = await run(empty, 'replica restore', '--key-file', keyFile)
  expect(missing).toMatch(/master key file .* is missing/)
  copyFileSync(path.join(dataDir, 'master.key'), path.join(empty, 'master.key'))
  expect(await run(empty, 'replica restore', '--key-file', keyFile)).toMatchObject({
    restoredTo: empty,
    auditProblems: [],
  })
  expect(existsSync(path.join(dataDir, 'replica.json'))).toBe(true)
  const copy = temporaryFolder()
  cpSync(replica, copy, { recursive: true })
  const restored = await startTestApp({ ...settings, REPLICA_URL: `file:${copy}` }, { dataDir: empty, clock })
  const { variables } = await restored.client.must('pull', place, { token: serviceToken })
  expect(variables).toEqual({ CANARY: `${canary} second` })
  expect(await usageOf(restored, 'acme')).toBe(3)
  expect((await restored.client.call('list', place, { token: session.accessToken })).status).toBe(401)
  expect(await inServer(empty, ['audit verify'])).toMatchObject({ good: true })
  expect(await query(empty, "select action from audit where action = 'backup.restore'")).toHaveLength(1)
  await vi.waitUntil(() => restored.log.join().includes('replaced the writer of the replica'))
})

test('it is restored to a moment', async () => {
  const empty = emptied()
  const to = new Date(middleMs).toISOString()
  expect(await run(empty, 'replica restore', '--key-file', keyFile, '--to', to)).toMatchObject({ madeAt: to })
  const restored = await startTestApp(
    { BACKUP_RECIPIENT: settings['BACKUP_RECIPIENT'] ?? '' },
    { dataDir: empty, clock },
  )
  const { variables } = await restored.client.must('pull', place, { token: serviceToken })
  expect(variables).toEqual({ CANARY: `${canary} first` })
  expect(await usageOf(restored, 'acme')).toBe(2)
})

/** Gives this test another replica, which begins as a copy. */
function ownReplica(): string {
  const [copy, shared = ''] = [temporaryFolder(), settings['REPLICA_URL']]
  cpSync(replica, copy, { recursive: true })
  settings['REPLICA_URL'] = `file:${copy}`
  onTestFinished(() => void (settings['REPLICA_URL'] = shared))
  return copy
}

/** Starts a standby in this process. `services`: the writer of each start of the service after a promotion. */
async function follow(into: string, services: (Writer | undefined)[]): Promise<{ close(): Promise<void> }> {
  const deployment: Deployment = {
    ...deploymentOf(configOf(into), createLog('silent')),
    clock,
    async startService(writer) {
      services.push(writer)
      return { publicUrl: 'https://rollkey.example', close: async () => {} }
    },
  }
  return standby.start(deployment, { keyFile })
}

test('a standby is promoted by one command beside the former service, which stops shipping', async () => {
  const [former, copy, into] = [temporaryFolder(), ownReplica(), emptied()]
  cpSync(dataDir, former, { recursive: true })
  const primary = await startTestApp(settings, { dataDir: former, clock })
  await shipped(copy)
  expect(await run(into, 'standby promote')).toMatch(/No standby runs/)
  const services: (Writer | undefined)[] = []
  const running = await follow(into, services)
  expect(await run(into, 'replica status')).toMatchObject({ good: true, standby: { state: 'following' } })
  await expect(inServer(into, ['key status'])).rejects.toThrow('A standby runs here')
  await write('third', primary)
  await shipped(copy)
  const promoted = await run(into, 'standby promote')
  expect(promoted).toMatchObject({ writer: { writer: 3 }, replaced: { writer: 2 }, sessionsEnded: 2 })
  expect(promoted).not.toHaveProperty('problem')
  await running.close()
  clock.doPeriodicWork()
  await vi.waitUntil(() => primary.log.join().includes('another start has replaced this process'))
  // The next start of the same command serves.
  await follow(into, services)
  expect(services).toEqual([(promoted as { writer: Writer }).writer, undefined])
  expect(await run(into, 'standby promote')).toMatch(/has a store and no standby/)
  const restored = await startTestApp(settings, { dataDir: into, clock })
  const { variables } = await restored.client.must('pull', place, { token: serviceToken })
  expect(variables).toEqual({ CANARY: `${canary} third` })
  expect(await usageOf(restored, 'acme')).toBe(3)
  expect((await restored.client.call('list', place, { token: session.accessToken })).status).toBe(401)
  expect(await inServer(into, ['audit verify'])).toMatchObject({ good: true })
  expect(await query(into, "select action from audit where action = 'backup.restore'")).toHaveLength(1)
})

test('a standby is promoted as is without its replica, and after a kill in the middle', async () => {
  const [copy, into, other] = [ownReplica(), emptied(), emptied()]
  const services: (Writer | undefined)[] = []
  const running = await follow(into, services)
  const killed = await follow(other, services)
  await killed.close()
  writeRecord(other, { ...(readRecord(other) as StandbyRecord), state: 'promoting' })
  rmSync(copy, { recursive: true })
  expect(await run(into, 'standby promote')).toMatch(/cannot be used \(ENOENT\).*--as-is/)
  expect(existsSync(path.join(into, 'rollkey.db'))).toBe(false)
  const promoted = await run(into, 'standby promote', '--as-is')
  expect(promoted).toMatchObject({ problem: expect.stringContaining('ENOENT'), sessionsEnded: 2 })
  expect(promoted).not.toHaveProperty('writer.writer')
  const finished = await follow(other, services)
  expect(services).toEqual([undefined, undefined])
  for (const each of [into, other])
    expect(await query(each, "select action from audit where action = 'backup.restore'")).toHaveLength(1)
  await Promise.all([running.close(), finished.close()])
  writeRecord(other, { state: 'following' })
  await expect(follow(other, services)).rejects.toThrow('already has a store')
})

test('refusals say what to do', async () => {
  const verify = (...args: string[]): Promise<unknown> => run(emptied(), 'replica verify', '--key-file', ...args)
  expect(await run(dataDir, 'replica restore', '--key-file', keyFile)).toMatch(/already has a store/)
  const mounted = settings['REPLICA_URL'] ?? ''
  settings['REPLICA_URL'] = 'file:/not/mounted'
  expect(await run(dataDir, 'replica status')).toMatch(/cannot be used \(ENOENT\): mount its disk/)
  settings['REPLICA_URL'] = mounted
  expect(await verify(keyFile, '--to', '2026-11-29 14:30')).toMatch(/expected a time with its zone/)
  expect(await verify(keyFile, '--to', '2001-01-01T00:00:00Z')).toMatch(/The replica begins at/)
  const other = path.join(folder, 'other.key')
  writeFileSync(other, await generateX25519Identity())
  expect(await verify(other)).toMatch(/\.snapshot .* sealed for another backup key/)
})

test('owners alone hear that it is behind', async () => {
  const copy = temporaryFolder()
  cpSync(dataDir, copy, { recursive: true })
  const late = await startTestApp({ ...settings, REPLICA_URL: 'file:/not/mounted' }, { dataDir: copy, clock })
  const attentionFor = (token: string): Promise<object> => late.client.must('attention', { orgSlug: 'acme' }, { token })
  clock.advance(60_000)
  expect(await attentionFor(session.accessToken)).not.toHaveProperty('replica')
  clock.advance(1_000)
  expect(await attentionFor(session.accessToken)).toHaveProperty('replica', { lagMs: 61_000, isReplaced: false })
  expect(await attentionFor(serviceToken)).not.toHaveProperty('replica')
})
