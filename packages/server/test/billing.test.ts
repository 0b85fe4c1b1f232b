/** Tests outbound billing: no request waits for the billing system, and no kill loses a unit. */
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type CommandError } from '../src/operator/command-error.ts'
import { type Installation } from '../src/operator/command.ts'
import { insertOrganization } from '../src/storage/organizations.ts'
import { usageOf } from '../testkit/app.ts'
import { FakeSignedHttp, signingSecret } from '../testkit/billing.ts'
import { newUser, TestClient } from '../testkit/client.ts'
import { secret } from '../testkit/entries.ts'
import { useFolder } from '../testkit/folder.ts'
import { isLong } from '../testkit/long.ts'
import { onStore } from '../testkit/operator.ts'
import { runMain, startProcess } from '../testkit/process.ts'
import { useProvider } from '../testkit/provider.ts'
import { openStore, query } from '../testkit/store.ts'
import { newTenant, TestEnv, write, type TestTenant } from '../testkit/test-env.ts'

const hour = 60 * 60_000

function settingsOf({ url }: FakeSignedHttp): Record<string, string> {
  return { BILLING_URL: `${url}/usage`, BILLING_SECRET: signingSecret }
}

describe('a service with a billing system', () => {
  let testEnv: TestEnv
  let fakeServer: FakeSignedHttp
  let tenant: TestTenant

  beforeEach(async () => {
    testEnv = new TestEnv()
    fakeServer = new FakeSignedHttp(testEnv.clock)
    await fakeServer.start()
    await testEnv.start(settingsOf(fakeServer))
    tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('A', '1')])
  })
  afterEach(async () => {
    await testEnv.close()
    await fakeServer.stop()
  })

  async function evaluate(times: number): Promise<void> {
    for (let time = 0; time < times; time++) {
      await testEnv.client.must('evaluate', { ...tenant.at, name: 'A' }, { token: tenant.token })
    }
  }

  /** Restarts the service and expects these units to be billed. A start creates reports, and what is due is sent at intervals. */
  async function expectBilledAfterStart(units: number): Promise<void> {
    await testEnv.restart()
    await expect.poll(() => (testEnv.clock.doPeriodicWork(), fakeServer.units)).toBe(units)
    const ids = fakeServer.bills.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  }

  test('reports usage under its own ids', async () => {
    await evaluate(3)
    await expectBilledAfterStart(3)
    await evaluate(2)
    await expectBilledAfterStart(5)
    const { headers, body } = fakeServer.requests[0] as (typeof fakeServer.requests)[0]
    expect(JSON.parse(body)).toMatchObject({ data: { id: headers['webhook-id'], organization: tenant.at.orgSlug } })
    const { text } = await testEnv.client.get('/metrics')
    expect(text).toMatch(/^rollkey_usage_report_attempts_total\{outcome="refused"\} 0$/m)
    expect(text).toMatch(/^rollkey_usage_reports_open\{state="set_aside"\} 0$/m)
    expect(text).toMatch(/^rollkey_usage_report_oldest_pending_seconds 0$/m)
  })

  test('keeps evaluating while the billing system hangs, stops, and reports usage later', async () => {
    await evaluate(2)
    fakeServer.failureMode = 'works and hangs'
    await testEnv.restart()
    await expect.poll(() => (testEnv.clock.doPeriodicWork(), fakeServer.requests.length)).toBe(1)
    await evaluate(3)
    await testEnv.app.stop()
    fakeServer.failureMode = 'works'
    testEnv.clock.advance(hour)
    await expectBilledAfterStart(2)
    await expectBilledAfterStart(5)
    expect(await usageOf(testEnv.app, tenant.at.orgSlug)).toBe(5)
    expect(testEnv.app.log.join('\n')).not.toContain('"level":"error"')
  })

  test('shows the operator delivered and set-aside reports, and resends or settles those set aside', async () => {
    const { dataDir } = testEnv.app
    const { orgSlug } = tenant.at
    await evaluate(3)
    await expectBilledAfterStart(3)
    await evaluate(1)
    // The restart moves the usage to the tables, which the commands of this test read directly.
    expect(await usageOf(testEnv.app, tenant.at.orgSlug)).toBe(4)
    await testEnv.app.stop()
    const sql = await openStore(dataDir)
    onTestFinished(() => sql.close())
    const pending = { fold: async () => {} }
    const ask = (words: string, ...more: string[]): Promise<unknown> =>
      onStore({ sql, pending, clock: testEnv.clock } as unknown as Installation, words, ...more).catch(
        (error: unknown) => (error as CommandError).line,
      )
    const [{ id: orgId } = {}] = await query(dataDir, 'select id from organizations where slug = $1', tenant.at.orgSlug)
    expect(await ask(`billing customer cus_1 --org ${orgSlug}`)).toEqual({ orgId, customer: 'cus_1' })
    expect(await ask('billing customer cus_1 --org unknown')).toBe(
      'NOT_FOUND: No organization has this slug or ID; try: npx @rollkey/server organizations',
    )
    expect(await ask(`billing customer --org ${orgSlug}`, 'two words')).toBe(
      'USAGE: Invalid CUSTOMER (expected 1 to 255 visible ASCII characters, such as cus_…); try: npx @rollkey/server billing customer --help',
    )
    const row = { organization: tenant.at.orgSlug, customer: 'cus_1', used: 4, unreported: 1 }
    expect(await ask('billing status')).toMatchObject({
      organizations: [{ ...row, pending: 0, setAside: 0, delivered: 3 }],
      setAside: [],
    })
    const month = new Date(testEnv.clock.now()).toISOString().slice(0, 7)
    for (const id of ['a', 'b', 'c']) {
      await query(
        dataDir,
        `insert into usage_reports (id, org_id, period, units, at_ms, state, attempts, next_attempt_at_ms, failure)
         select $1, id, $3, 7, 0, 'refused', 1, 0, 'status 400' from organizations where slug = $2`,
        id,
        tenant.at.orgSlug,
        month,
      )
    }
    const aside = { organization: tenant.at.orgSlug, customer: null, units: 7, state: 'refused', failure: 'status 400' }
    expect(await ask(`billing status --month ${month}`)).toMatchObject({
      month,
      setAside: ['a', 'b', 'c'].map((id) => ({ ...aside, id, maybeReceived: false })),
    })
    // What was left of an audit stream that is off is not shown.
    const failed = { organization: tenant.at.orgSlug, reason: 'refused: status 400', isSetAside: true }
    expect(await ask('outbox')).toMatchObject([
      { outbox: 'billing', setAside: 3, failed: ['a', 'b', 'c'].map((id) => ({ ...failed, id })) },
      { outbox: 'webhooks', waiting: 0, setAside: 0, failed: [] },
      { outbox: 'mail', waiting: 0, setAside: 0, failed: [] },
    ])
    expect(await ask('billing settle a')).toEqual({ settled: 'a' })
    expect(await ask('billing retry b')).toEqual({ again: ['b'] })
    expect(await ask('outbox retry billing')).toEqual({ again: ['c'] })
    expect(await ask('billing retry')).toEqual({ again: [] })
    const refused = 'NOT_FOUND: No usage report with this ID is set aside; try: npx @rollkey/server billing status'
    expect([await ask('billing retry a'), await ask('billing settle b')]).toEqual([refused, refused])
    const environment = { DATA_DIR: dataDir, IDP_ISSUER: testEnv.provider.issuer }
    const { stdout } = await runMain(environment, ['billing', 'status', '--month', month])
    expect(JSON.parse(stdout)).toMatchObject({ month, setAside: [] })
    for (const id of ['twin_1', 'twin_2']) {
      await sql.tx((tx) => insertOrganization(tx, { id, idpOrgId: id, slug: 'twin', nowMs: 0 }))
    }
    expect(await ask('billing customer cus_1 --org twin')).toMatch(
      /^CONFLICT: Several organizations .+ twin_[12], twin_[12]$/,
    )
    expect(await ask('billing customer cus_1 --org twin_2')).toMatchObject({ orgId: 'twin_2' })
    await expectBilledAfterStart(3 + 7 + 7)
    expect(fakeServer.bills.slice(1)).toMatchObject([{ customer: 'cus_1' }, { customer: 'cus_1' }])
  })
})

describe('a service killed with SIGKILL', () => {
  const dataDir = useFolder()
  const provider = useProvider()

  test.runIf(isLong)('has reported every unit that it counted exactly once', async () => {
    const user = newUser('killed')
    const at = { orgSlug: user.orgSlug, projectSlug: 'shop', stageSlug: 'prod' }
    const fakeServer = new FakeSignedHttp(provider.clock)
    await fakeServer.start()
    onTestFinished(() => fakeServer.stop())
    const all = { ...settingsOf(fakeServer), DATA_DIR: dataDir, IDP_ISSUER: provider.issuer }
    let acknowledged = 0
    for (let kill = 0; kill < 3; kill++) {
      const server = await startProcess(all)
      const client = new TestClient(server.url, provider)
      const token = await provider.tokenOf(user)
      await client.must('write', { ...at, mode: 'upsert', entries: [secret('A', '1')] }, { token })
      const before = acknowledged
      const evaluate = async (): Promise<never> => {
        for (;;) {
          await client.must('evaluate', { ...at, name: 'A' }, { token })
          acknowledged++
        }
      }
      const callers = Promise.allSettled(Array.from({ length: 4 }, evaluate))
      await expect.poll(() => acknowledged - before).toBeGreaterThan(50)
      await server.end('SIGKILL')
      await callers
    }
    const server = await startProcess(all)
    const counted = await usageOf({ dataDir }, user.orgSlug)
    expect(counted).toBeGreaterThanOrEqual(acknowledged)
    const billed = async (): Promise<boolean> => {
      const [row] = await query(
        dataDir,
        'select cast(count(*) as bigint) as open from usage_reports where done_at_ms is null',
      )
      return Number(row?.['open']) === 0 && fakeServer.units === counted
    }
    await expect.poll(billed).toBe(true)
    expect(await server.end('SIGTERM')).toBe(0)
    expect(new Set(fakeServer.bills.map(({ id }) => id)).size).toBe(fakeServer.bills.length)
  })
})
