/** Never lost: kill -9 in the middle of 16 concurrent writers, four times over, on one data directory. */
import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newDataDir, usageOf } from '../testkit/app.ts'
import { newUser, TestClient } from '../testkit/client.ts'
import { TestClock } from '../testkit/clock.ts'
import { startProcess, type ServerProcess } from '../testkit/process.ts'
import { onPostgres, query } from '../testkit/store.ts'
import { TestProvider } from '../testkit/provider.ts'

const kills = 4
const writers = 16
const user = newUser('crash')
const at = { orgSlug: user.orgSlug, projectSlug: 'shop', stageSlug: 'prod' }
const dataDir = newDataDir()
let provider: TestProvider
let settings: Record<string, string>

beforeAll(async () => {
  provider = await TestProvider.start(new TestClock())
  settings = { DATA_DIR: dataDir, IDP_ISSUER: provider.issuer, IDP_MEMBERSHIP_URL: provider.membershipUrl }
})
afterAll(async () => {
  await provider.close()
  rmSync(dataDir, { recursive: true, force: true })
})

/** What the clients know. */
const acknowledgedValues = new Map<string, string>()
const uncertainValues = new Set<string>()
const acknowledgedKeys = new Set<string>()
const usedKeys = new Set<string>()
let unkeyedAcknowledged = 0
let unkeyedSent = 0
const refreshTokens: string[] = []

/** Writes and evaluates until the service is gone. */
async function work(client: TestClient, token: string, writer: number, round: number): Promise<void> {
  for (let i = 0; ; i++) {
    const name = `V_${round}_${writer}_${i}`
    const value = crypto.randomUUID()
    uncertainValues.add(name)
    const entries = [{ name, kind: 'secret', value }]
    await client.must('write', { ...at, mode: 'create_only', entries }, { token })
    acknowledgedValues.set(name, value)
    uncertainValues.delete(name)

    const key = crypto.randomUUID()
    usedKeys.add(key)
    await client.must('evaluate', { ...at, name }, { token, headers: { 'x-service-request-key': key } })
    acknowledgedKeys.add(key)
    unkeyedSent++
    await client.must('evaluate', { ...at, name }, { token })
    unkeyedAcknowledged++
  }
}

async function killInTheMiddle(server: ServerProcess, round: number): Promise<void> {
  const client = new TestClient(server.url, provider)
  const { accessToken, refreshToken } = await client.login(user)
  refreshTokens.push((await client.must('tokenRefresh', { refreshToken })).refreshToken)
  const workers = Promise.allSettled(
    Array.from({ length: writers }, (_, writer) => work(client, accessToken, writer, round)),
  )
  await sleep(400 + 150 * round)
  await server.end('SIGKILL')
  for (const result of await workers) expect(result.status).toBe('rejected')
}

async function expectNothingLost(client: TestClient): Promise<void> {
  const token = await provider.tokenOf(user)
  const { variables } = (await client.must('pull', at, { token })) as { variables: Record<string, string> }
  unkeyedSent++
  unkeyedAcknowledged++
  for (const [name, value] of acknowledgedValues) expect(variables[name]).toBe(value)
  const unexpected = Object.keys(variables).filter(
    (name) => !acknowledgedValues.has(name) && !uncertainValues.has(name),
  )
  expect(unexpected).toEqual([])
}

/** Sends every key again: what was counted before the kill must not count again. */
async function expectKeysCountedOnce(server: ServerProcess, client: TestClient): Promise<void> {
  const counted = await usageOf({ dataDir }, user.orgSlug)
  expect(counted).toBeGreaterThanOrEqual(acknowledgedKeys.size + unkeyedAcknowledged)
  expect(counted).toBeLessThanOrEqual(usedKeys.size + unkeyedSent)
  const { accessToken: token } = await client.login(user)
  const [name] = acknowledgedValues.keys()
  const replay = (key: string) =>
    client.must('evaluate', { ...at, name }, { token, headers: { 'x-service-request-key': key } })
  for (const key of acknowledgedKeys) await replay(key)
  expect(await usageOf({ dataDir }, user.orgSlug)).toBe(counted)
  expect(server.output()).not.toContain('"level":"error"')
}

test(
  'every acknowledged write, event and token is there after each kill, none twice',
  { timeout: 60_000 },
  async () => {
    for (let round = 0; round < kills; round++) {
      const server = await startProcess(settings)
      if (round > 0) await expectNothingLost(new TestClient(server.url, provider))
      await killInTheMiddle(server, round)
    }
    const server = await startProcess(settings)
    const client = new TestClient(server.url, provider)
    await expectNothingLost(client)
    await expectKeysCountedOnce(server, client)
    for (const token of refreshTokens) await client.must('tokenRefresh', { refreshToken: token })
    expect(acknowledgedValues.size).toBeGreaterThan(kills * writers)
    expect(await server.end('SIGTERM')).toBe(0)

    const integrity = onPostgres ? [] : await query(dataDir, 'pragma integrity_check')
    expect(integrity).toEqual(onPostgres ? [] : [{ integrity_check: 'ok' }])
    const stored = await query(dataDir, 'select sum(length(sealed)) as bytes from variables')
    expect(await query(dataDir, "select used as bytes from meters where meter = 'storage'")).toEqual(stored)
  },
)
