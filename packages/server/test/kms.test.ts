/** Tests the service with its master key in a KMS, and its behavior while the KMS is unavailable. */
import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { generateX25519Identity } from 'age-encryption'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { askServer } from '../src/operator/socket.ts'
import { startTestApp, type TestApp } from '../testkit/app.ts'
import { TestClock } from '../testkit/clock.ts'
import { secret } from '../testkit/entries.ts'
import { newFolder } from '../testkit/folder.ts'
import { FakeVault } from '../testkit/kms/vault.ts'
import { isLong } from '../testkit/long.ts'
import { runMain } from '../testkit/process.ts'
import { useProvider } from '../testkit/provider.ts'
import { query } from '../testkit/store.ts'
import { newTenant, type TestTenant } from '../testkit/test-env.ts'

const clock = new TestClock()
const provider = useProvider(clock)
let vault: FakeVault
let atVault: { KMS_URL: string; KMS_TOKEN: string }
let dataDir: string
let app: TestApp | undefined

beforeEach(async () => {
  vault = new FakeVault()
  await vault.start()
  atVault = { KMS_URL: `vault:${vault.newKey()}`, KMS_TOKEN: vault.newToken() }
  dataDir = newFolder()
})

afterEach(async () => {
  await app?.stop()
  app = undefined
  await vault.stop()
  rmSync(dataDir, { recursive: true })
})

/** Restarts the service with these settings. */
async function start(settings: Record<string, string>): Promise<TestApp> {
  await app?.stop()
  app = undefined
  return (app = await startTestApp(settings, { provider, dataDir }))
}

/** Returns the value of KEY, or the code of the refusal. */
async function evaluated({ client }: TestApp, { at, token }: TestTenant, projectSlug: string): Promise<string> {
  const { body } = await client.call('evaluate', { ...at, projectSlug, name: 'KEY' }, { token })
  return body.value ?? body.error.code
}

/** Writes the project's slug as KEY. Returns 200 or the code of the refusal. */
async function written({ client }: TestApp, { at, token }: TestTenant, projectSlug: string): Promise<unknown> {
  const entries = [secret('KEY', projectSlug)]
  const { status, body } = await client.call('write', { ...at, projectSlug, mode: 'upsert', entries }, { token })
  return status === 200 ? status : body.error.code
}

const traceId = '0af7651916cd43dd8448eb211c80319c'

interface KeyStatus {
  readonly masterKey: string
  readonly dataKeys: Record<string, number>
}

/** Returns the error of `key rotate` while Vault is sealed, or an empty text if it does not need Vault. */
async function refusalOfRotation(): Promise<string> {
  vault.isSealed = true
  const refusal = await askServer(dataDir, 'key rotate').then(() => '', String)
  vault.isSealed = false
  return refusal
}

const dataKeys = (): Promise<unknown[]> => query(dataDir, 'select id, kms, project_id from data_keys order by id')

test('an unavailable KMS does not affect what is in memory. The rest answers 503, stores nothing, and recovers', async () => {
  const tenant = await newTenant(await start(atVault))
  for (const project of ['one', 'two']) expect(await written(app as TestApp, tenant, project)).toBe(200)
  const running = await start(atVault)
  expect(await evaluated(running, tenant, 'one')).toBe('one')
  const before = await dataKeys()
  for (const failureMode of [{ status: 503 }, { status: 403 }, 'resets'] as const) {
    vault.failureMode = failureMode
    expect(await evaluated(running, tenant, 'one')).toBe('one')
    expect(await written(running, tenant, 'one')).toBe(200)
    expect(await evaluated(running, tenant, 'two')).toBe('BILLING_UNAVAILABLE')
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` }
    const { status, body } = await running.client.call(
      'list',
      { ...tenant.at, projectSlug: 'two' },
      { ...tenant, headers },
    )
    expect([status, body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
    expect(body.error.message).toContain('The key management service, which unwraps the data key, is unavailable')
    expect(await written(running, tenant, 'three')).toBe('BILLING_UNAVAILABLE')
  }
  expect(await dataKeys()).toEqual(before)
  const { projects } = await running.client.must('projects', { orgSlug: tenant.at.orgSlug }, tenant)
  expect(projects.map((each: { projectSlug: string }) => each.projectSlug)).toEqual(['one', 'two'])
  vault.failureMode = 'works'
  expect(await evaluated(running, tenant, 'two')).toBe('two')
  expect(await written(running, tenant, 'three')).toBe(200)
  expect(await evaluated(running, tenant, 'three')).toBe('three')
  const log = running.log.join('')
  expect(log).toMatch(new RegExp(`"traceId":"${traceId}","endpoint":"list".*"msg":"the KMS is unavailable"`))
  expect(log).toContain('status 503')
  expect(log).not.toContain(atVault.KMS_TOKEN)
})

test("a KMS is called through a breaker, so requests don't each wait for one that does not answer", async () => {
  const tenant = await newTenant(await start(atVault))
  for (const project of ['one', 'two']) expect(await written(app as TestApp, tenant, project)).toBe(200)
  const running = await start(atVault)
  vault.failureMode = 'hangs'
  expect(await evaluated(running, tenant, 'one')).toBe('BILLING_UNAVAILABLE')
  const called = vault.requests.length
  expect(await evaluated(running, tenant, 'two')).toBe('BILLING_UNAVAILABLE')
  expect(vault.requests).toHaveLength(called)
  expect(running.log.join('')).toContain('no answer a moment ago')
})

test.runIf(isLong)(
  'an unavailable KMS ends the start with one sentence and stores nothing, and the next start works',
  async () => {
    vault.isSealed = true
    const { code, stderr } = await runMain({ DATA_DIR: dataDir, PORT: '0', ...atVault })
    expect([code, stderr]).toEqual([
      1,
      `The KMS ${atVault.KMS_URL} is busy or has trouble (status 503): try again later.\n`,
    ])
    vault.isSealed = false
    vault.tokens.set(atVault.KMS_TOKEN, 'other policy')
    await expect(start(atVault)).rejects.toThrow(
      `The KMS ${atVault.KMS_URL} refuses this service (status 403): allow it to encrypt and decrypt with this key, as docs/keys.md says.`,
    )
    expect(await dataKeys()).toEqual([])
    vault.tokens.set(atVault.KMS_TOKEN, 'allowed')
    await start(atVault)
    expect(await dataKeys()).toEqual([expect.objectContaining({ kms: atVault.KMS_URL })])
    await expect(start({ ...atVault, KMS_URL: `vault:${vault.newKey()}` })).rejects.toThrow('Nothing was changed.')
    await expect(start({ MASTER_KEY: randomBytes(32).toString('base64') })).rejects.toThrow(
      `does not open this database (expected ${atVault.KMS_URL}): set the right one with ROLLKEY_KMS_URL, ROLLKEY_MASTER_KEY or the file master.key. Nothing was changed.`,
    )
  },
)

test('the master key moves to Vault, to an age file and back, and every value stays readable', async () => {
  const ageFile = path.join(dataDir, 'master.age')
  writeFileSync(ageFile, await generateX25519Identity(), { mode: 0o600 })
  const here = { MASTER_KEY: randomBytes(32).toString('base64') }
  const places: Record<string, string>[] = [here, atVault, { KMS_URL: `age:${ageFile}` }, here]
  const tenant = await newTenant(await start(here))
  for (const project of ['one', 'two']) expect(await written(app as TestApp, tenant, project)).toBe(200)
  const refusals: string[] = []
  for (const [index, place] of places.slice(1).entries()) {
    const other = Object.entries(places[index] ?? {}).map(([name, value]) => [`PREVIOUS_${name}`, value])
    const settings = { ...place, ...(Object.fromEntries(other) as Record<string, string>) }
    const during = await start(settings)
    expect(await evaluated(during, tenant, 'one')).toBe('one')
    refusals.push(await refusalOfRotation())
    await askServer(dataDir, 'key rotate')
    const { masterKey, dataKeys: wrapped } = (await askServer(dataDir, 'key status')) as KeyStatus
    expect(wrapped).toEqual({ [masterKey]: 3 })
    const after = await start(place)
    for (const project of ['one', 'two']) expect(await evaluated(after, tenant, project)).toBe(project)
  }
  const sealed = expect.stringContaining(`The KMS ${atVault.KMS_URL} is busy or has trouble (status 503)`) as string
  expect(refusals).toEqual([sealed, sealed, ''])
})
