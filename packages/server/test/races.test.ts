/** Tests that a one-time action happens once, with any number of concurrent requests. */
import { expect, test } from 'vitest'
import { startTestApp, usageOf, type TestApp } from '../testkit/app.ts'
import { codes, times } from '../testkit/at-once.ts'
import { newUser, type Answer } from '../testkit/client.ts'
import { secret } from '../testkit/entries.ts'
import { newTenant, useTestEnv, write } from '../testkit/test-env.ts'
import { racesSuite } from './races.suite.ts'

const testEnv = useTestEnv({ RATE_LIMIT_REQUESTS: '0', RATE_LIMIT_EXPENSIVE: '0', RATE_LIMIT_IP: '0' })

racesSuite(() => testEnv.client)

test('64 polls during the approval yield one token pair', async () => {
  const { deviceCode, userCode } = await testEnv.client.must('deviceStart', {})
  const token = await testEnv.provider.tokenOf(newUser())
  const polls = times(64, () => testEnv.client.call('devicePoll', { deviceCode }))
  await testEnv.client.must('deviceComplete', { userCode }, { token })
  const answers = [...(await polls), await testEnv.client.call('devicePoll', { deviceCode })]
  expect(answers.filter(({ body }) => body.status === 'approved')).toHaveLength(1)
})

test("64 users approve one code: one succeeds, and the session is entirely that user's", async () => {
  const { deviceCode, userCode } = await testEnv.client.must('deviceStart', {})
  const users = Array.from({ length: 64 }, (_, i) => newUser(`approver-${i}`))
  const tokens = await Promise.all(users.map((user) => testEnv.provider.tokenOf(user)))
  const answers = await times(64, (i) =>
    testEnv.client.call('deviceComplete', { userCode }, { token: tokens[i] ?? '' }),
  )
  expect(codes(answers)).toEqual({ ok: 1, DEVICE_CODE_NOT_FOUND: 63 })
  const winner = users[answers.findIndex(({ status }) => status === 200)]
  const { accessToken } = await testEnv.client.must('devicePoll', { deviceCode })
  const session = await testEnv.client.must('session', {}, { token: accessToken })
  expect(session).toMatchObject({ idpUserId: winner?.userId, orgSlug: winner?.orgSlug })
})

test('64 create_only writes of one name create it once, and the losers store nothing', async () => {
  const { at, token } = await newTenant(testEnv)
  const answers = await times(64, (i) => {
    const entries = [secret('ONE', `value ${i}`), secret(`OTHER_${i}`, 'x')]
    return testEnv.client.call('write', { ...at, mode: 'create_only', entries }, { token })
  })
  expect(codes(answers)).toEqual({ ok: 1, INVALID_REQUEST: 63 })
  const winner = answers.findIndex(({ status }) => status === 200)
  const { variables, revision } = await testEnv.client.must('pull', at, { token })
  expect(variables).toEqual({ ONE: `value ${winner}`, [`OTHER_${winner}`]: 'x' })
  expect(revision).toBe(1)
})

test('64 upserts of one new name create it once and update it 63 times', async () => {
  const { at, token } = await newTenant(testEnv)
  const answers = await times(64, (i) =>
    testEnv.client.call('write', { ...at, mode: 'upsert', entries: [secret('ONE', `${i}`)] }, { token }),
  )
  expect(answers.filter(({ body }) => body.created.length === 1)).toHaveLength(1)
  expect(answers.map(({ body }) => body.revision as number).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 64 }, (_, i) => i + 1),
  )
})

test('64 writes with one ifRevision: one succeeds', async () => {
  const tenant = await newTenant(testEnv)
  await write(testEnv, tenant, [secret('ONE', '0')])
  const answers = await times(64, (i) => {
    const body = { ...tenant.at, mode: 'upsert', entries: [secret('ONE', `${i}`)], ifRevision: 1 }
    return testEnv.client.call('write', body, { token: tenant.token })
  })
  expect(codes(answers)).toEqual({ ok: 1, REVISION_CONFLICT: 63 })
})

test('100 evaluations with one request key count as one unit', async () => {
  const tenant = await newTenant(testEnv)
  await write(testEnv, tenant, [secret('ONE', '1')])
  const headers = { 'x-service-request-key': 'the-same' }
  const answers = await times(100, () =>
    testEnv.client.call('evaluate', { ...tenant.at, name: 'ONE' }, { token: tenant.token, headers }),
  )
  expect(codes(answers)).toEqual({ ok: 100 })
  expect(await usageOf(testEnv.app, tenant.at.orgSlug)).toBe(1)
})

test('one request key in two organizations counts as two units', async () => {
  const headers = { 'x-service-request-key': 'of-two' }
  for (const tenant of [await newTenant(testEnv), await newTenant(testEnv)]) {
    await write(testEnv, tenant, [secret('ONE', '1')])
    await testEnv.client.must('evaluate', { ...tenant.at, name: 'ONE' }, { token: tenant.token, headers })
    expect(await usageOf(testEnv.app, tenant.at.orgSlug)).toBe(1)
  }
})

test('64 requests of a new organization create it once', async () => {
  const user = newUser('brand-new')
  const at = { orgSlug: user.orgSlug, projectSlug: 'p', stageSlug: 's' }
  const token = await testEnv.provider.tokenOf(user)
  const answers = await times(64, (i) =>
    testEnv.client.call('write', { ...at, mode: 'upsert', entries: [secret(`N${i}`, '1')] }, { token }),
  )
  expect(codes(answers)).toEqual({ ok: 64 })
  expect((await testEnv.client.must('list', at, { token })).variables).toHaveLength(64)
})

async function withApp(settings: Record<string, string>, work: (app: TestApp) => Promise<void>): Promise<void> {
  const app = await startTestApp(settings, { provider: testEnv.provider })
  await work(app)
}

test('64 clients at a limit of 200 get exactly 200 answers', async () => {
  await withApp({ PLAN: 'free', FREE_EVALUATIONS: '200' }, async (app) => {
    const tenant = await newTenant(app)
    await write(app, tenant, [secret('ONE', '1')])
    const evaluate = () => app.client.call('evaluate', { ...tenant.at, name: 'ONE' }, { token: tenant.token })
    const answers = (
      await Promise.all(
        Array.from({ length: 64 }, async () => {
          const own: Answer[] = []
          for (let i = 0; i < 5; i++) own.push(await evaluate())
          return own
        }),
      )
    ).flat()
    expect(codes(answers)).toEqual({ ok: 200, USAGE_LIMIT_EXCEEDED: 120 })
    expect(await usageOf(app, tenant.at.orgSlug)).toBe(200)
  })
})

test('64 writes at the storage limit never exceed it, and refused writes are not stored', async () => {
  const limit = 5_000
  await withApp({ PLAN: 'free', FREE_STORAGE_BYTES: String(limit) }, async (app) => {
    const tenant = await newTenant(app)
    const answers = await times(64, (i) => {
      const entries = [secret(`N${i}`, 'x'.repeat(200))]
      return app.client.call('write', { ...tenant.at, mode: 'upsert', entries }, { token: tenant.token })
    })
    const sealedBytes = 4 + 46 + 200
    expect(codes(answers)).toEqual({ ok: limit / sealedBytes, USAGE_LIMIT_EXCEEDED: 64 - limit / sealedBytes })
    const { variables } = await app.client.must('list', tenant.at, { token: tenant.token })
    expect(variables).toHaveLength(limit / sealedBytes)
    const shrink = [secret(variables[0].name, 'x')]
    expect((await write(app, tenant, shrink)).updated).toHaveLength(1)
  })
})

test('64 writes at the limits of a stage never exceed them', async () => {
  const sealedBytes = 4 + 46 + 200
  await withApp({ STAGE_VARIABLES: '20', STAGE_BYTES: String(10 * sealedBytes) }, async (app) => {
    const tenant = await newTenant(app)
    const race = (stageSlug: string, bytes: number): Promise<Answer[]> =>
      times(64, (i) => {
        const entries = [secret(`N${i}`, 'x'.repeat(bytes))]
        return app.client.call('write', { ...tenant.at, stageSlug, mode: 'upsert', entries }, { token: tenant.token })
      })
    expect(codes(await race('many', 1))).toEqual({ ok: 20, INVALID_REQUEST: 44 })
    expect(codes(await race('large', 200))).toEqual({ ok: 10, INVALID_REQUEST: 54 })
    const sizeOf = async (stageSlug: string): Promise<number> =>
      (await app.client.must('list', { ...tenant.at, stageSlug }, { token: tenant.token })).variables.length
    expect([await sizeOf('many'), await sizeOf('large')]).toEqual([20, 10])
  })
})
