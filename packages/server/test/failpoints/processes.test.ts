/** Tests faults in work of the process itself rather than of a request. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { startTestApp, usageOf, type TestApp } from '../../testkit/app.ts'
import { TestClient } from '../../testkit/client.ts'
import { TestClock } from '../../testkit/clock.ts'
import { secret } from '../../testkit/entries.ts'
import { faultId, Once, under } from '../../testkit/faults.ts'
import { temporaryFolder } from '../../testkit/folder.ts'
import { isLong } from '../../testkit/long.ts'
import { startProcess, type Start } from '../../testkit/process.ts'
import { useProvider } from '../../testkit/provider.ts'
import { onPostgres, query, storeSettings } from '../../testkit/store.ts'
import { newTenant, write, type TestTenant } from '../../testkit/test-env.ts'
import { newestSchema } from '../../src/storage/migrate.ts'
import { openStore } from '../../src/compose/store.ts'
import { seeded } from '../../testkit/random.ts'
import { silent } from '../storage/temporary.ts'
import { hasStrace } from './power-cut.ts'
import { expectWholeStore } from './whole.ts'

const clock = new TestClock()
const provider = useProvider(clock)

/** Starts a process with a fault, and a tenant who has written `A` = 1 there. */
async function withTenant(dataDir: string, start: Start) {
  const server = await startProcess({ ...provider.settings, DATA_DIR: dataDir }, start)
  const client = new TestClient(server.url, provider)
  const tenant = await newTenant({ client })
  await write({ client }, tenant, [secret('A', '1')])
  return { server, client, tenant }
}

/** Expects these variables and units after the end of the process. */
async function expectThere(
  dataDir: string,
  { at, token }: TestTenant,
  variables: object,
  units: number,
): Promise<void> {
  const app: TestApp = await startTestApp({}, { provider, dataDir })
  expect(await usageOf(app, at.orgSlug)).toBe(units)
  expect((await app.client.must('pull', at, { token })).variables).toEqual(variables)
  await app.stop()
  await expectWholeStore(dataDir)
}

describe.skipIf(onPostgres)('a disk that cannot be synced', () => {
  test('fails a write with 503 and ends the process, and acknowledged data stays', async () => {
    const dataDir = temporaryFolder()
    const { server, client, tenant } = await withTenant(dataDir, { faultId: '' })
    const { at, token } = tenant
    await client.must('evaluate', { ...at, name: 'A' }, { token })
    const ended = server.end('SIGCONT')
    const input = { ...at, mode: 'upsert', entries: [secret('A', '2')] }
    const headers = { 'x-request-id': faultId('unsynced', 'before commit') }
    expect((await client.call('write', input, { token, headers })).status).toBe(503)
    expect(await ended).toBe(1)
    expect(server.output()).toContain('SyncFailed')
    await expectThere(dataDir, tenant, { A: '1' }, 1)
  })

  test.runIf(isLong)('fails the periodic sync and ends the process, and acknowledged data stays', async () => {
    const dataDir = temporaryFolder()
    const { server, client, tenant } = await withTenant(dataDir, { faultId: faultId('unsynced', 'before sync -wal') })
    await client.must('evaluate', { ...tenant.at, name: 'A' }, { token: tenant.token })
    expect(await server.end('SIGCONT')).toBe(1)
    await expectThere(dataDir, tenant, { A: '1' }, 1)
  })
})

function straced(call: string, output: string, ...options: readonly string[]): Start {
  return { under: ['strace', '-D', '-f', '-o', output, '-e', `trace=${call}`, ...options] }
}

/** Makes the kernel fail these calls of the process, counted per thread. */
function failing(call: string, error: string, when: string): Start {
  return straced(call, '/dev/null', '-e', `inject=${call}:error=${error}:when=${when}`)
}

/** Returns how many of these calls the busiest thread has made when the service has a tenant. */
async function callsBefore(call: string): Promise<number> {
  const dataDir = temporaryFolder()
  const trace = path.join(dataDir, 'trace')
  const { server } = await withTenant(dataDir, straced(call, trace))
  await server.end('SIGKILL')
  const threads = readFileSync(trace, 'utf8')
    .split('\n')
    .map((line) => line.split(' ', 1)[0] ?? '')
  const calls = Object.values(Object.groupBy(threads, (thread) => thread)).map((each) => each?.length ?? 0)
  return Math.max(...calls)
}

/** Writes variables one by one. Returns the status of each write, undefined if the process was gone. */
async function writeMany({ client, tenant }: { client: TestClient; tenant: TestTenant }, count: number) {
  const statuses = new Map<string, number | undefined>()
  for (let i = 0; i < count; i++) {
    const input = { ...tenant.at, mode: 'upsert', entries: [secret(`V_${i}`, 'x')] }
    const answer = await client.call('write', input, { token: tenant.token }).catch(() => undefined)
    statuses.set(`V_${i}`, answer?.status)
  }
  return statuses
}

async function expectAcknowledgedThere(
  dataDir: string,
  { at, token }: TestTenant,
  statuses: Map<string, number | undefined>,
) {
  const app = await startTestApp({}, { provider, dataDir })
  const { variables } = await app.client.must('pull', at, { token })
  const lost = [...statuses].filter(([name, status]) => status === 200 && variables[name] !== 'x')
  expect(lost).toEqual([])
  await app.stop()
  await expectWholeStore(dataDir)
}

describe.skipIf(onPostgres || !isLong || !hasStrace)('an error of the kernel', () => {
  test('in a sync ends the process, and acknowledged data stays', async () => {
    const before = await callsBefore('fsync')
    for (let at = 1; at <= 20; at++) {
      const dataDir = temporaryFolder()
      const { server, client, tenant } = await withTenant(dataDir, failing('fsync', 'EIO', String(before + at)))
      const statuses = await writeMany({ client, tenant }, 40)
      expect(new Set(statuses.values())).toEqual(new Set([200, 503, undefined]))
      expect(await server.end('SIGCONT')).toBe(1)
      await expectAcknowledgedThere(dataDir, tenant, statuses)
    }
  })

  test('for a full disk answers 503 while it lasts, and acknowledged data stays', async () => {
    const before = await callsBefore('pwrite64')
    for (let from = before + 10; from < before + 30; from++) {
      const dataDir = temporaryFolder()
      const { server, client, tenant } = await withTenant(
        dataDir,
        failing('pwrite64', 'ENOSPC', `${from}..${from + 10}`),
      )
      const statuses = await writeMany({ client, tenant }, 80)
      expect(new Set(statuses.values())).toEqual(new Set([200, 503]))
      expect(statuses.get('V_79')).toBe(200)
      expect(await server.end('SIGKILL')).toBe('SIGKILL')
      await expectAcknowledgedThere(dataDir, tenant, statuses)
    }
  })
})

test.runIf(isLong)('a migration that is killed at 20 different steps is completed by the next start', async () => {
  const settingsOf = async (dataDir: string) => ({
    DATA_DIR: dataDir,
    DATABASE_URL: undefined,
    DATABASE_CONNECTIONS: 2,
    MASTER_KEY: undefined,
    ...(await storeSettings(dataDir)),
  })
  const steps = new Once()
  const settings = await settingsOf(temporaryFolder())
  await (await under(steps, () => openStore(settings, clock, silent))).close()
  expect(steps.met.length).toBeGreaterThan(20)
  const random = seeded(7)
  for (let kill = 0; kill < 20; kill++) {
    const dataDir = temporaryFolder()
    const at = steps.met[Math.floor(random() * steps.met.length)] ?? ''
    await expect(startProcess({ DATA_DIR: dataDir }, { faultId: faultId('kill', at) })).rejects.toThrow(
      'ended with null',
    )
    const store = await openStore(await settingsOf(dataDir), clock, silent)
    await store.close()
    const [row] = await query(dataDir, 'select count(*) as applied, max(id) as newest from migrations')
    expect([Number(row?.['applied']), Number(row?.['newest'])]).toEqual([newestSchema(), newestSchema()])
    await expectWholeStore(dataDir)
  }
})
