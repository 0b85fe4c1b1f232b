/** Planted values, tokens, codes and keys are found nowhere but where they belong. */
import type { EndpointName } from '@rollkey/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newUser } from '../testkit/client.ts'
import { storedText } from '../testkit/store.ts'
import { newDesk, startWorld, type Desk, type World } from '../testkit/world.ts'

const canary = (): string => `canary${crypto.randomUUID().replaceAll('-', '')}`
const masterKey = crypto.getRandomValues(Buffer.alloc(32)).toString('base64')
const membershipToken = canary()
const billingSecret = `whsec_${crypto.getRandomValues(Buffer.alloc(32)).toString('base64')}`
let world: World
const secrets: string[] = [masterKey, membershipToken, billingSecret]
const errorBodies: string[] = []

beforeAll(async () => {
  const billing = { BILLING_URL: 'http://127.0.0.1:9/usage', BILLING_SECRET: billingSecret }
  world = await startWorld({ MASTER_KEY: masterKey, IDP_MEMBERSHIP_TOKEN: membershipToken, ...billing })
})
afterAll(() => world.close())

function planted(): string {
  const text = canary()
  secrets.push(text)
  return text
}

async function call(name: EndpointName, input: object, token: string, headers: Record<string, string> = {}) {
  const answer = await world.client.call(name, input, { token, headers })
  if (answer.status !== 200) errorBodies.push(answer.text)
  return answer
}

/** Every field that could carry a secret carries one, in requests that succeed and in requests that fail. */
async function plantEverywhere(desk: Desk): Promise<void> {
  const jwt = await world.provider.tokenOf(desk.user)
  secrets.push(desk.token, desk.refreshToken, jwt)
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
  secrets.push(serviceToken)
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
  secrets.push(deviceCode as string)
  await call('deviceComplete', { userCode: planted() }, await world.provider.tokenOf(newUser()))
  await call('deviceComplete', { userCode }, jwt)
  const pair = (await call('devicePoll', { deviceCode }, '')).body
  secrets.push(pair.accessToken as string, pair.refreshToken as string)
}

async function sendBrokenJson(): Promise<void> {
  const { token } = await newDesk(world)
  secrets.push(token)
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

function expectNoCanaryIn(where: string, text: string): void {
  for (const secret of secrets) {
    if (text.includes(secret)) throw new Error(`a canary (${secret.slice(0, 7)}…) is in ${where}`)
  }
}

test('no canary is in an error body, the log, the metrics or the store', async () => {
  const desk = await newDesk(world)
  await plantEverywhere(desk)
  await sendBrokenJson()
  expect(errorBodies.length).toBeGreaterThanOrEqual(20)
  for (const body of errorBodies) expectNoCanaryIn('an error body', body)
  expect(world.app.log.length).toBeGreaterThan(30)
  expectNoCanaryIn('the log', world.app.log.join(''))
  expectNoCanaryIn('the metrics', (await world.client.get('/metrics')).text)
  const stored = await storedText(world.app.dataDir)
  expect(stored).toContain(desk.user.userId)
  expectNoCanaryIn('the store', stored)
})

test('the search finds a canary where there is one', () => {
  expect(() => expectNoCanaryIn('here', `x${canary()}y`)).not.toThrow()
  expect(() => expectNoCanaryIn('here', `x${secrets[0]}y`)).toThrow('a canary')
})
