/** Tests that planted values, tokens, codes and keys appear only where they belong. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { EndpointName, Hook } from '@rollkey/contract'
import { expect, onTestFinished, test } from 'vitest'
import { localKmsOfSetting } from '../src/crypto/kms/local.ts'
import { Canaries } from '../testkit/canaries.ts'
import { startCollector } from '../testkit/collector.ts'
import { newUser } from '../testkit/client.ts'
import { useFolder } from '../testkit/folder.ts'
import { HookReceiver } from '../testkit/hook-receiver.ts'
import { newIssuerKey, workloadToken } from '../testkit/issuer.ts'
import { query, storedText } from '../testkit/store.ts'
import { newOwner, newTenant, useTestEnv, type TestTenant } from '../testkit/test-env.ts'

const canaries = new Canaries()
const planted = (): string => canaries.plant()
const masterKey = crypto.getRandomValues(Buffer.alloc(32))
const billingSecret = `whsec_${crypto.getRandomValues(Buffer.alloc(32)).toString('base64')}`
const errorBodies: string[] = []
const collector = await startCollector()
const stream = path.join(useFolder(), 'audit.jsonl')
const testEnv = useTestEnv({
  AUDIT_STREAM: `file:${stream}`,
  HOOK_NETWORKS: '127.0.0.0/8',
  MASTER_KEY: masterKey.toString('base64'),
  IDP_MEMBERSHIP_TOKEN: canaries.plant('the secret of the membership address'),
  BILLING_URL: 'http://127.0.0.1:9/usage',
  BILLING_SECRET: billingSecret,
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_HEADERS: `authorization=${canaries.plant('the secret of the collector')}`,
})
canaries.add('the master key', masterKey)
canaries.add('the billing secret', billingSecret)

async function call(name: EndpointName, input: object, token: string, headers: Record<string, string> = {}) {
  const answer = await testEnv.client.call(name, input, { token, headers })
  if (answer.status !== 200) errorBodies.push(answer.text)
  return answer
}

/** Sends a token of another service to every place that takes one. Returns it, and the access token that it became. */
async function plantInTrusts(tenant: TestTenant): Promise<{ exchanged: string; outside: string }> {
  const key = await newIssuerKey()
  const rules = { issuer: 'https://cluster.example', audience: 'rollkey', claims: [{ name: 'sub', value: 'web' }] }
  const jwks = JSON.stringify({ keys: [key.publicJwk] })
  const { orgSlug } = tenant.at
  const { body: trust } = await call(
    'trustCreate',
    { orgSlug, name: 'x', role: 'viewer', ...rules, jwks },
    tenant.token,
  )
  const outside = await workloadToken(key, testEnv.clock, { iss: rules.issuer, aud: 'rollkey', sub: 'web' })
  const { status, body } = await testEnv.client.exchange(outside, trust.id)
  expect(status).toBe(200)
  const refused = [outside.slice(0, -9), `${outside}.x`, planted(), outside]
  for (const [index, token] of refused.entries())
    errorBodies.push((await testEnv.client.exchange(token, index === 3 ? planted() : trust.id)).text)
  for (const token of [outside, `${outside}.x`]) await call('trustTest', { orgSlug, id: trust.id, token }, tenant.token)
  await call('trustTest', { orgSlug, id: planted(), token: outside }, tenant.token)
  await call('trustCreate', { orgSlug, name: 'x', role: 'viewer', ...rules, jwks: planted() }, tenant.token)
  await call('whoami', {}, outside)
  return { exchanged: body.access_token, outside }
}

/** Proposes secrets in changes that stay open, that are edited and that settle, and sends some where none belong. */
async function plantInChanges({ at, token }: TestTenant): Promise<void> {
  const [reason, pins] = ['Because', { a: [planted()] }]
  const proposed = () => ({
    entries: [
      { name: 'A', kind: 'secret', value: planted() },
      { name: 'P', kind: 'ab_roll', valueA: planted(), valueB: planted(), chance: 0.5, pins },
    ],
  })
  const propose = async (): Promise<string> =>
    (await call('changePropose', { ...at, reason, ...proposed() }, token)).body.id
  const [open, edited, withdrawn, applied] = [await propose(), await propose(), await propose(), await propose()]
  await call('changeEdit', { ...at, id: edited, ...proposed() }, token)
  await call('changeWithdraw', { ...at, id: withdrawn }, token)
  await call('changeApply', { ...at, id: applied }, token)
  for (const id of [open, planted()]) {
    await call('changeShow', { ...at, id }, token)
    await call('changeApply', { ...at, id, digest: planted() }, token)
    await call('changeReveal', { ...at, id, names: ['A'] }, token)
    await call('changeReview', { ...at, id, digest: planted(), verdict: planted() }, token)
    await call('changeReschedule', { ...at, id, applyAtMs: planted() }, token)
  }
  const wrong = [
    { ...proposed(), entries: [planted()] },
    { updates: [{ name: 'P', chance: planted() }] },
    { copy: planted() },
  ]
  for (const content of wrong) await call('changePropose', { ...at, reason, ...content }, token)
  await call('changeList', { orgSlug: at.orgSlug, states: [planted()] }, token)
}

/** Plants a secret in every field that can carry one, in requests that succeed and in requests that fail. */
async function plantEverywhere(tenant: TestTenant): Promise<void> {
  const jwt = await testEnv.provider.tokenOf(tenant.user)
  for (const token of [tenant.token, tenant.refreshToken, jwt]) canaries.add('a token', token)
  const value = planted()
  const entry = { name: 'A', kind: 'secret', value }
  const rolled = {
    name: 'R',
    kind: 'ab_roll',
    valueA: planted(),
    valueB: planted(),
    chance: 0.5,
    pins: { a: [planted()], b: [planted()] },
  }
  await call('write', { ...tenant.at, mode: 'upsert', entries: [entry, rolled] }, tenant.token)
  await call('write', { ...tenant.at, mode: 'create_only', entries: [entry] }, tenant.token)
  for (const declaredType of ['int64', 'boolean', 'float', 'date', 'json']) {
    const entries = [{ ...entry, name: 'T', value: planted(), declaredType }]
    await call('write', { ...tenant.at, mode: 'upsert', entries }, tenant.token)
  }
  for (const bad of [{ ...entry, value: { deep: planted() } }, { ...entry, kind: planted() }, [planted()], planted()]) {
    await call('write', { ...tenant.at, mode: 'upsert', entries: [bad] }, tenant.token)
  }
  await call('write', { ...tenant.at, mode: planted(), ifRevision: planted() }, tenant.token)
  const rolls = { seed: planted(), key: planted() }
  const headers = { 'x-service-request-key': planted() }
  await call('evaluate', { ...tenant.at, name: 'R', ...rolls }, tenant.token, headers)
  const context = { plan: planted(), [planted()]: [planted()] }
  await call('evaluate', { ...tenant.at, name: 'R', ...rolls, context }, tenant.token)
  await call(
    'evaluateBatch',
    { ...tenant.at, entries: [{ name: 'R', seed: planted(), context }], context },
    tenant.token,
  )
  await call('pull', { ...tenant.at, context }, tenant.token)
  await call('explain', { ...tenant.at, name: 'R', ...rolls, context }, tenant.token)
  for (const wrong of [planted(), [planted()], { plan: `${planted()}\ud800` }])
    await call('evaluate', { ...tenant.at, name: 'R', context: wrong }, tenant.token)
  for (const pins of [planted(), { a: planted() }, { a: [planted(), ''] }, { a: [planted().repeat(99)] }])
    await call('update', { ...tenant.at, updates: [{ name: 'R', pins }] }, tenant.token)
  const twice = planted()
  await call('update', { ...tenant.at, updates: [{ name: 'R', pins: { a: [twice], b: [twice] } }] }, tenant.token)
  const when = { x: { equals: planted() } }
  for (const rules of [planted(), [planted()], [{ when: planted(), then: 'a' }], [{ when, then: planted() }]])
    await call('update', { ...tenant.at, updates: [{ name: 'R', rules }] }, tenant.token)
  for (const operand of [{ semver: planted() }, { before: planted() }, { in: planted() }, { greaterThan: planted() }])
    await call(
      'update',
      { ...tenant.at, updates: [{ name: 'R', rules: [{ when: { x: operand }, then: 'a' }] }] },
      tenant.token,
    )
  await call(
    'update',
    { ...tenant.at, updates: [{ name: 'R', pin: { b: [planted()] }, unpin: [planted()] }] },
    tenant.token,
  )
  await call('pins', { ...tenant.at, name: 'R' }, tenant.token)
  await call('pins', { ...tenant.at, name: 'A' }, tenant.token)
  await call('evaluate', { ...tenant.at, name: 'GONE', ...rolls, declaredType: planted() }, tenant.token, headers)
  await call('evaluate', { ...tenant.at, name: 'GONE', ...rolls }, tenant.token, headers)
  await call('pull', { ...tenant.at, ...rolls }, tenant.token)
  await call('pull', { ...tenant.at, ...rolls, stageSlug: planted().repeat(3) }, `${tenant.token}x`)
  await call('list', { ...tenant.at, orgSlug: planted() }, jwt)
  await call('tokenRefresh', { refreshToken: `svc_rt_${planted()}` }, '')
  await call('logout', { refreshToken: `svc_rt_${planted()}` }, tenant.token)
  await plantInChanges(tenant)
  testEnv.provider.setRole(tenant.user, 'owner')
  const { orgSlug } = tenant.at
  const made = await call('tokenCreate', { orgSlug, name: 'ci', projectSlug: 'shop' }, tenant.token)
  const serviceToken = made.body.token as string
  canaries.add('a service token', serviceToken)
  await call('evaluate', { ...tenant.at, name: 'A' }, serviceToken)
  await call('digests', tenant.at, serviceToken)
  await call('tokenList', { orgSlug }, serviceToken)
  await call('list', { ...tenant.at, projectSlug: 'other' }, serviceToken)
  await call('whoami', {}, `svc_st_${planted()}`)
  await call('tokenCreate', { orgSlug, name: [planted()], expiresInDays: planted() }, tenant.token)
  await call('tokenRevoke', { orgSlug, id: planted() }, tenant.token)
  await call('tokenRevoke', { orgSlug, id: made.body.id }, tenant.token)
  await call('list', tenant.at, serviceToken)
  const { exchanged, outside } = await plantInTrusts(tenant)
  for (const token of [exchanged, outside]) canaries.add('a token of a trust', token)
  for (const part of outside.split('.').slice(1)) canaries.add('a part of an exchanged token', part)
  await call('update', { ...tenant.at, updates: [{ name: 'R', chance: planted() }] }, tenant.token)
  await call('update', { ...tenant.at, updates: [{ name: 'R', chance: 1 }] }, tenant.token)
  const wrong = { name: 'A', exposure: planted(), description: planted().repeat(99) }
  await call('update', { ...tenant.at, updates: [wrong] }, tenant.token)
  const exposed = ['A', 'R'].map((name) => ({ name, exposure: 'plain' }))
  await call('update', { ...tenant.at, updates: exposed }, tenant.token)
  await call('plain', tenant.at, tenant.token)
  await call('plainHistory', tenant.at, tenant.token)
  await call('plain', { ...tenant.at, stageSlug: planted().repeat(3) }, tenant.token)
  const { orgSlug: _, ...from } = tenant.at
  await call('copy', { orgSlug, from, to: { ...from, stageSlug: 'copy' }, names: ['A', 'R'] }, tenant.token)
  await call('copy', { orgSlug, from, to: planted(), names: [[planted()]] }, tenant.token)
  await call('restore', { ...tenant.at, revision: 1 }, tenant.token)
  await call('restore', { ...tenant.at, revision: planted() }, tenant.token)
  await call('reveal', { ...tenant.at, names: ['A', 'R'] }, tenant.token)
  await call('reveal', { ...tenant.at, names: [planted().repeat(9)] }, tenant.token)
  await call('history', tenant.at, tenant.token)
  await call('audit', { orgSlug, action: planted() }, tenant.token)
  await call('devicePoll', { deviceCode: `svc_dc_${planted()}` }, '')
  await call('session', {}, `svc_at_${planted()}`)
  const { deviceCode, userCode } = await testEnv.client.must('deviceStart', { clientName: 'c' })
  canaries.add('a device code', deviceCode as string)
  canaries.add('a user code', userCode as string)
  await call('deviceComplete', { userCode: planted() }, await testEnv.provider.tokenOf(newUser()))
  await call('deviceComplete', { userCode }, jwt)
  const pair = (await call('devicePoll', { deviceCode }, '')).body
  for (const token of [pair.accessToken, pair.refreshToken]) canaries.add('a token of an exchange', token as string)
}

async function sendBrokenJson(): Promise<void> {
  const { token } = await newTenant(testEnv)
  canaries.add('a token', token)
  for (const body of [`{"value":${planted()}}`, `{"a":"${planted()}`, planted()]) {
    const answer = await fetch(`${testEnv.app.url}/v1/env/write`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body,
    })
    expect(answer.status).toBe(400)
    errorBodies.push(await answer.text())
  }
}

/** Adds the data keys as canaries. The tables hold them wrapped by the master key. */
async function addDataKeys(): Promise<void> {
  const kms = localKmsOfSetting(masterKey.toString('base64'))
  const rows = await query(testEnv.app.dataDir, 'select id, project_id, wrapped from data_keys')
  for (const { id, project_id: owner, wrapped } of rows) {
    const context = `rollkey data key ${(owner as string | null) ?? 'installation'} ${String(id)}`
    canaries.add('a data key', await kms.unwrap(wrapped as Uint8Array, context))
  }
}

const hookFormats = ['standard', 'slack', 'mattermost', 'discord', 'teams']

/** Creates a webhook of each format. */
async function hookInto(receiver: HookReceiver, { at: { orgSlug }, user }: TestTenant): Promise<void> {
  const token = await testEnv.provider.confirmedTokenOf(user)
  for (const format of hookFormats) {
    const input = { orgSlug, name: format, format, url: `${receiver.url}/${format}` }
    const { status, body } = await testEnv.client.call('hookCreate', input, { token })
    expect(status).toBe(200)
    if (body.secret !== undefined) canaries.add('the secret of a webhook', body.secret as string)
  }
}

/** Waits until webhooks and the audit stream have what happened. */
async function delivered({ at: { orgSlug }, token }: TestTenant): Promise<void> {
  const behind = `select 1 from audit_heads a left join audit_stream s on s.org_id = a.org_id
    where s.position is null or s.position < a.seq`
  await expect
    .poll(async () => {
      testEnv.clock.doPeriodicWork()
      const { hooks } = await testEnv.client.must('hookList', { orgSlug }, { token })
      return (hooks as Hook[]).filter(({ waiting }) => waiting > 0).length
    })
    .toBe(0)
  await expect.poll(() => (testEnv.clock.doPeriodicWork(), query(testEnv.app.dataDir, behind))).toEqual([])
}

test('no canary appears in an error body, the log, the metrics, the audit log, what leaves the service or the store', async () => {
  const tenant = await newOwner(testEnv)
  const receiver = new HookReceiver(testEnv.clock)
  await receiver.start()
  onTestFinished(() => receiver.stop())
  await hookInto(receiver, tenant)
  await plantEverywhere(tenant)
  await sendBrokenJson()
  await addDataKeys()
  expect(errorBodies.length).toBeGreaterThanOrEqual(20)
  for (const body of errorBodies) canaries.expectNoneIn('an error body', body)
  expect(testEnv.app.log.length).toBeGreaterThan(30)
  canaries.expectNoneIn('the log', testEnv.app.log.join(''))
  canaries.expectNoneIn('the metrics', (await testEnv.client.get('/metrics')).text)
  const audit = await testEnv.client.call('audit', { orgSlug: tenant.at.orgSlug }, { token: tenant.token })
  expect(audit.body.entries.length).toBeGreaterThan(5)
  canaries.expectNoneIn('the audit log', audit.text)
  for (const [index, url] of testEnv.app.urls.entries()) {
    const traceId = String(index + 1).repeat(32)
    await fetch(`${url}/v1/whoami`, { headers: { traceparent: `00-${traceId}-${'1'.repeat(16)}-01` } })
    await collector.spansUpTo(traceId, testEnv.clock)
  }
  expect(collector.spans.length).toBeGreaterThan(300)
  canaries.expectNoneIn('the traces', collector.text)
  await delivered(tenant)
  const { requests } = receiver
  expect(new Set(requests.map(({ path: address }) => address)).size).toBe(hookFormats.length)
  canaries.expectNoneIn('a message of a webhook', JSON.stringify(requests))
  const streamed = readFileSync(stream, 'latin1')
  expect(streamed).toContain(tenant.user.userId)
  canaries.expectNoneIn('the audit stream', streamed)
  const stored = await storedText(testEnv.app.dataDir)
  expect(stored).toContain(tenant.user.userId)
  canaries.expectNoneIn('the store', stored)
})

test('the search finds a canary in each encoding and reports no false positive', () => {
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
