/** Tests the exchange of tokens of other services (docs/trusts.md). */
import { expect, test } from 'vitest'
import { useTrustScene } from './scene.ts'

const scene = useTrustScene()

test('a token of a workload becomes an access token with the role and the place of its trust', async () => {
  const { at } = scene.owner
  const { projectSlug, stageSlug } = at
  const trust = await scene.trust({ projectSlug, stageSlug, lifetimeSeconds: 600 })
  const { status, body, headers } = await scene.exchange(await scene.token(), trust.id)
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      access_token: expect.stringMatching(/^svc_at_[\w-]{43}$/),
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      token_type: 'Bearer',
      expires_in: 600,
    },
  })
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('x-request-id')).toBeTruthy()
  const token = body.access_token
  const { client, clock } = scene.testEnv
  expect(await client.must('evaluate', { ...at, name: 'A' }, { token })).toMatchObject({ value: 'value of A' })
  expect(await client.call('write', { ...at, mode: 'upsert', entries: [] }, { token })).toMatchObject({ status: 403 })
  expect(await client.call('list', { ...at, stageSlug: 'dev' }, { token })).toMatchObject({ status: 403 })
  expect(await client.must('whoami', {}, { token })).toMatchObject({
    credential: 'service',
    orgSlug: at.orgSlug,
    trust: { id: trust.id, name: 'deploy', projectSlug, stageSlug, role: 'reader', history: false },
    verbs: [{ verbs: [] }, { projectSlug, stageSlug, verbs: ['list', 'read'] }],
  })
  expect(await client.call('session', {}, { token })).toMatchObject({ status: 401 })
  expect(await client.call('trustList', { orgSlug: at.orgSlug }, { token })).toMatchObject({ status: 403 })
  clock.advance(600_000)
  expect(await client.call('whoami', {}, { token })).toMatchObject({ status: 401 })
})
