/** Tests the comparison of a pasted token with a trust, which stores and issues nothing. */
import { expect, test } from 'vitest'
import { tokenSec } from '../../testkit/provider.ts'
import { query } from '../../testkit/store.ts'
import { newTenant } from '../../testkit/test-env.ts'
import { audience, requiredClaims, useTrustScene } from './scene.ts'

const scene = useTrustScene()

test('it shows what matches, claim by claim, and issues nothing', async () => {
  const { id } = await scene.trust()
  const { requestId: _, ...accepted } = await scene.must('trustTest', { id, token: ` ${await scene.token()}\n` })
  const seconds = Math.floor(scene.testEnv.clock.now() / 1_000)
  expect(accepted).toEqual({
    accepted: true,
    signature: 'valid',
    issuer: { expected: scene.issuer.url, actual: scene.issuer.url, matches: true },
    audience: { expected: audience, actual: audience, matches: true },
    times: {
      issuedAtMs: expect.any(Number),
      notBeforeMs: expect.any(Number),
      expiresAtMs: expect.any(Number),
      matches: true,
    },
    proposedChange: { actual: false, matches: true },
    claims: requiredClaims.map(({ name, value }) => ({ name, expected: value, actual: value, matches: true })),
  })
  expect(accepted.times.expiresAtMs / 1_000 - seconds).toBeLessThanOrEqual(tokenSec)
  expect(await query(scene.testEnv.app.dataDir, 'select session_id from service_tokens')).toEqual([])
  const { trusts } = await scene.must('trustList')
  expect(trusts[0].lastUsedAtMs).toBeUndefined()
})

test('it names the first reason, and shows the claims of a token that no key has signed', async () => {
  const { id } = await scene.trust()
  const token = await scene.token({ ref: ['refs/heads/a', 7], event_name: 'pull_request', repository_id: undefined })
  expect(await scene.must('trustTest', { id, token })).toMatchObject({
    accepted: false,
    problem: expect.stringContaining('It has no repository_id, ref = ["refs/heads/a",7]'),
    signature: 'valid',
    proposedChange: { actual: true, matches: false },
    claims: [
      { name: 'repository_id', expected: '424242', matches: false },
      { name: 'ref', expected: 'refs/heads/main', actual: '["refs/heads/a",7]', matches: false },
    ],
  })
  expect(await scene.must('trustTest', { id, token: `${(await scene.token()).slice(0, -6)}AAAAAA` })).toMatchObject({
    accepted: false,
    signature: 'invalid',
    claims: [{ matches: true }, { matches: true }],
  })
  expect(await scene.must('trustTest', { id, token: 'nothing' })).toMatchObject({
    accepted: false,
    signature: 'unreadable',
    issuer: { matches: false },
    times: { matches: false },
  })
})

test('it takes rules that are not saved yet, by default for the public URL, and refuses those that no trust can have', async () => {
  const rules = { issuer: scene.issuer.url, claims: requiredClaims }
  const token = await scene.token()
  expect(await scene.must('trustTest', { trust: rules, token })).toMatchObject({
    accepted: false,
    audience: { matches: false },
  })
  expect(await scene.must('trustTest', { trust: { ...rules, audience }, token })).toMatchObject({ accepted: true })
  const unknown = { ...rules, issuer: 'https://evil.example' }
  expect(await scene.call('trustTest', { trust: unknown, token })).toMatchObject({ status: 400 })
  expect(await scene.call('trustTest', { token })).toMatchObject({ status: 400 })
  expect(await scene.call('trustTest', { token, trust: rules, id: 'tru_1' })).toMatchObject({ status: 400 })
})

test('it is for those who manage the trust', async () => {
  const { id } = await scene.trust()
  const other = await scene.newOwner()
  expect(await scene.call('trustTest', { id, token: 'x' }, other)).toMatchObject({ status: 404 })
  expect(await scene.call('trustTest', { id, token: 'x' }, await newTenant(scene.testEnv))).toMatchObject({
    status: 403,
  })
})
