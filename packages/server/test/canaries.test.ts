/** Planted values, tokens, codes and keys are found nowhere but where they belong. */
import type { EndpointName } from '@rollkey/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { localKmsOfSetting } from '../src/crypto/kms/local.ts'
import { Canaries } from '../testkit/canaries.ts'
import { newUser } from '../testkit/client.ts'
import { query, storedText } from '../testkit/store.ts'
import { newDesk, startWorld, type Desk, type World } from '../testkit/world.ts'

const canaries = new Canaries()
const planted = (): string => canaries.plant()
const masterKey = crypto.getRandomValues(Buffer.alloc(32))
const billingSecret = `whsec_${crypto.getRandomValues(Buffer.alloc(32)).toString('base64')}`
let world: World
const errorBodies: string[] = []

beforeAll(async () => {
  const billing = { BILLING_URL: 'http://127.0.0.1:9/usage', BILLING_SECRET: billingSecret }
  const membership = { IDP_MEMBERSHIP_TOKEN: canaries.plant('the secret of the membership address') }
  world = await startWorld({ MASTER_KEY: masterKey.toString('base64'), ...membership, ...billing })
  canaries.add('the master key', masterKey)
  canaries.add('the billing secret', billingSecret)
})
afterAll(() => world.close())

async function call(name: EndpointName, input: object, token: string, headers: Record<string, string> = {}) {
  const answer = await world.client.call(name, input, { token, headers })
  if (answer.status !== 200) errorBodies.push(answer.text)
  return answer
}

/** Every field that could carry a secret carries one, in requests that succeed and in requests that fail. */
async function plantEverywhere(desk: Desk): Promise<void> {
  const jwt = await world.provider.tokenOf(desk.user)
  for (const token of [desk.token, desk.refreshToken, jwt]) canaries.add('a token', token)
  const value = planted()
  const entry = { name: 'A', kind: 'secret', value }
  const rolled = { name: 'R', kind: 'ab_roll', valueA: planted(), valueB: planted(), chance: 0.5 }
  await call('write', { ...desk.at, mode: 'upsert', entries: [entry, rolled] }, desk.token)
  await call('write', { ...desk.at, mode: 'create_only', entries: [entry] }, desk.token)
  for (const declaredType of ['int64', 'boolean', 'float', 'date', 'json']) {
    const entries = [{ ...entry, name: 'T', value: planted(), declaredType }]
    await call('write', { ...desk.at, mode: 'upsert', entries }, desk.token)
  }
  for (const bad of [{ ...entry, value: { deep: planted() } }, { ...entry, kind: planted() }, [planted()], planted()]) {
    await call('write', { ...desk.at, mode: 'upsert', entries: [bad] }, desk.token)
  }
  await call('write', { ...desk.at, mode: planted(), ifRevision: planted() }, desk.token)
  const rolls = { seed: planted(), key: planted() }
  const headers = { 'x-service-request-key': planted() }
  await call('evaluate', { ...desk.at, name: 'R', ...rolls }, desk.token, headers)
  await call('evaluate', { ...desk.at, name: 'GONE', ...rolls, declaredType: planted() }, desk.token, headers)
  await call('evaluate', { ...desk.at, name: 'GONE', ...rolls }, desk.token, headers)
  await call('pull', { ...desk.at, ...rolls }, desk.token)
  await call('pull', { ...desk.at, ...rolls, stageSlug: planted().repeat(3) }, `${desk.token}x`)
  await call('list', { ...desk.at, orgSlug: planted() }, jwt)
  await call('tokenRefresh', { refreshToken: `svc_rt_${planted()}` }, '')
  await call('logout', { refreshToken: `svc_rt_${planted()}` }, desk.token)
  world.provider.setRole(desk.user, 'owner')
  const { orgSlug } = desk.at
  const made = await call('tokenCreate', { orgSlug, name: 'ci', projectSlug: 'shop' }, desk.token)
  const serviceToken = made.body.token as string
  canaries.add('a service token', serviceToken)
  await call('evaluate', { ...desk.at, name: 'A' }, serviceToken)
  await call('digests', desk.at, serviceToken)
  await call('tokenList', { orgSlug }, serviceToken)
  await call('list', { ...desk.at, projectSlug: 'other' }, serviceToken)
  await call('whoami', {}, `svc_st_${planted()}`)
  await call('tokenCreate', { orgSlug, name: [planted()], expiresInDays: planted() }, desk.token)
  await call('tokenRevoke', { orgSlug, id: planted() }, desk.token)
  await call('tokenRevoke', { orgSlug, id: made.body.id }, desk.token)
  await call('list', desk.at, serviceToken)
  await call('chance', { ...desk.at, name: 'R', chance: planted() }, desk.token)
  await call('chance', { ...desk.at, name: 'R', chance: 1 }, desk.token)
  const { orgSlug: _, ...from } = desk.at
  await call('copy', { orgSlug, from, to: { ...from, stageSlug: 'copy' }, names: ['A', 'R'] }, desk.token)
  await call('copy', { orgSlug, from, to: planted(), names: [[planted()]] }, desk.token)
  await call('restore', { ...desk.at, revision: 1 }, desk.token)
  await call('restore', { ...desk.at, revision: planted() }, desk.token)
  await call('reveal', { ...desk.at, names: ['A', 'R'] }, desk.token)
  await call('reveal', { ...desk.at, names: [planted().repeat(9)] }, desk.token)
  await call('history', desk.at, desk.token)
  await call('audit', { orgSlug, action: planted() }, desk.token)
  await call('devicePoll', { deviceCode: `svc_dc_${planted()}` }, '')
  await call('session', {}, `svc_at_${planted()}`)
  const { deviceCode, userCode } = await world.client.must('deviceStart', { clientName: 'c' })
  canaries.add('a device code', deviceCode as string)
  canaries.add('a user code', userCode as string)
  await call('deviceComplete', { userCode: planted() }, await world.provider.tokenOf(newUser()))
  await call('deviceComplete', { userCode }, jwt)
  const pair = (await call('devicePoll', { deviceCode }, '')).body
  for (const token of [pair.accessToken, pair.refreshToken]) canaries.add('a token of an exchange', token as string)
}

async function sendBrokenJson(): Promise<void> {
  const { token } = await newDesk(world)
  canaries.add('a token', token)
  for (const body of [`{"value":${planted()}}`, `{"a":"${planted()}`, planted()]) {
    const answer = await fetch(`${world.app.url}/v1/env/write`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body,
    })
    expect(answer.status).toBe(400)
    errorBodies.push(await answer.text())
  }
}

/** As the tables have them they are sealed by the master key. */
async function addDataKeys(): Promise<void> {
  const kms = localKmsOfSetting(masterKey.toString('base64'))
  const rows = await query(world.app.dataDir, 'select id, project_id, wrapped from data_keys')
  for (const { id, project_id: owner, wrapped } of rows) {
    const context = `rollkey data key ${(owner as string | null) ?? 'installation'} ${String(id)}`
    canaries.add('a data key', await kms.unwrap(wrapped as Uint8Array, context))
  }
}

test('no canary is in an error body, the log, the metrics, the audit log or the store', async () => {
  const desk = await newDesk(world)
  await plantEverywhere(desk)
  await sendBrokenJson()
  await addDataKeys()
  expect(errorBodies.length).toBeGreaterThanOrEqual(20)
  for (const body of errorBodies) canaries.expectNoneIn('an error body', body)
  expect(world.app.log.length).toBeGreaterThan(30)
  canaries.expectNoneIn('the log', world.app.log.join(''))
  canaries.expectNoneIn('the metrics', (await world.client.get('/metrics')).text)
  const audit = await world.client.call('audit', { orgSlug: desk.at.orgSlug }, { token: desk.token })
  expect(audit.body.entries.length).toBeGreaterThan(5)
  canaries.expectNoneIn('the audit log', audit.text)
  const stored = await storedText(world.app.dataDir)
  expect(stored).toContain(desk.user.userId)
  canaries.expectNoneIn('the store', stored)
})

test('the search finds a canary in each form, and nothing where there is none', () => {
  const found = new Canaries()
  const text = found.plant()
  const bytes = Buffer.from(text)
  expect(() => found.expectNoneIn('here', new Canaries().plant())).not.toThrow()
  for (const form of [
    text,
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    `%${[...bytes].map((byte) => byte.toString(16)).join('%')}`,
  ]) {
    expect(() => found.expectNoneIn('here', `x${form}y`)).toThrow('a planted text is in here')
  }
  for (const around of ['', 'a', 'ab', 'abc']) {
    for (const encoding of ['base64', 'base64url'] as const) {
      const encoded = Buffer.from(`${around}${text}${around}`).toString(encoding)
      expect(() => found.expectNoneIn('here', encoded)).toThrow('a planted text is in here')
    }
  }
})
