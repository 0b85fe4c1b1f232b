/** Faults of what is done by the process itself, not by a request. */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { newDataDir, startTestApp, usageOf, type TestApp } from '../../testkit/app.ts'
import { TestClient } from '../../testkit/client.ts'
import { TestClock } from '../../testkit/clock.ts'
import { faultId, Once, under } from '../../testkit/faults.ts'
import { isLong } from '../../testkit/long.ts'
import { startProcess } from '../../testkit/process.ts'
import { TestProvider } from '../../testkit/provider.ts'
import { onPostgres, query, storeSettings } from '../../testkit/store.ts'
import { newDesk, secret, write, type Desk } from '../../testkit/world.ts'
import { newestSchema } from '../../src/storage/migrate.ts'
import { openStore } from '../../src/store.ts'
import { seeded } from '../base/seeded.ts'
import { silent } from '../storage/temporary.ts'
import { expectWholeStore } from './whole.ts'

const clock = new TestClock()
let provider: TestProvider

beforeAll(async () => {
  provider = await TestProvider.start(clock)
})
afterAll(() => provider.close())

function temporaryDataDir(): string {
  const dataDir = newDataDir()
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  return dataDir
}

/** A process with a fault, and someone who has written `A` = 1 there. */
async function withDesk(dataDir: string, fault: string) {
  const outside = { IDP_ISSUER: provider.issuer, IDP_MEMBERSHIP_URL: provider.membershipUrl }
  const server = await startProcess({ ...outside, DATA_DIR: dataDir }, { fault })
  onTestFinished(async () => void (await server.end('SIGKILL')))
  const client = new TestClient(server.url, provider)
  const desk = await newDesk({ client })
  await write({ client }, desk, [secret('A', '1')])
  return { server, client, desk }
}

/** What the desk finds after the end of the process. */
async function expectThere(dataDir: string, { at, token }: Desk, variables: object, units: number): Promise<void> {
  const app: TestApp = await startTestApp(provider, clock, {}, dataDir)
  expect(await usageOf(app, at.orgSlug)).toBe(units)
  expect((await app.client.must('pull', at, { token })).variables).toEqual(variables)
  await app.stop()
  await expectWholeStore(dataDir)
}

describe.skipIf(onPostgres)('a disk that cannot be synced', () => {
  test('at a write: it is 503 and the process ends; what was acknowledged is there', async () => {
    const dataDir = temporaryDataDir()
    const { server, client, desk } = await withDesk(dataDir, '')
    const { at, token } = desk
    await client.must('evaluate', { ...at, name: 'A' }, { token })
    const ended = server.end('SIGCONT')
    const input = { ...at, mode: 'upsert', entries: [secret('A', '2')] }
    const headers = { 'x-request-id': faultId('unsynced', 'before commit') }
    expect((await client.call('write', input, { token, headers })).status).toBe(503)
    expect(await ended).toBe(1)
    expect(server.output()).toContain('SyncFailed')
    await expectThere(dataDir, desk, { A: '1' }, 1)
  })

  test.runIf(isLong)(
    'behind a transaction of the last second: the process ends; what was acknowledged is there',
    async () => {
      const dataDir = temporaryDataDir()
      const { server, client, desk } = await withDesk(dataDir, faultId('unsynced', 'before sync -wal'))
      await client.must('evaluate', { ...desk.at, name: 'A' }, { token: desk.token })
      expect(await server.end('SIGCONT')).toBe(1)
      await expectThere(dataDir, desk, { A: '1' }, 1)
    },
  )
})

test.runIf(isLong)(
  'a migration that is killed, 20 times at different steps, is completed by the next start',
  { timeout: 300_000 },
  async () => {
    const settingsOf = async (dataDir: string) => ({
      DATA_DIR: dataDir,
      DATABASE_URL: undefined,
      DATABASE_CONNECTIONS: 2,
      MASTER_KEY: undefined,
      ...(await storeSettings(dataDir)),
    })
    const steps = new Once()
    await (await under(steps, async () => openStore(await settingsOf(temporaryDataDir()), clock, silent))).close()
    expect(steps.met.length).toBeGreaterThan(20)
    const random = seeded(7)
    for (let kill = 0; kill < 20; kill++) {
      const dataDir = temporaryDataDir()
      const at = steps.met[Math.floor(random() * steps.met.length)] ?? ''
      await expect(startProcess({ DATA_DIR: dataDir }, { fault: faultId('kill', at) })).rejects.toThrow(
        'ended with null',
      )
      const store = await openStore(await settingsOf(dataDir), clock, silent)
      await store.close()
      const [row] = await query(dataDir, 'select count(*) as applied, max(id) as newest from migrations')
      expect([Number(row?.['applied']), Number(row?.['newest'])]).toEqual([newestSchema(), newestSchema()])
      await expectWholeStore(dataDir)
    }
  },
)
