/** Tokens that must not be exchanged, and that no answer may quote (RFC 8725). */
import { expect, onTestFinished, test } from 'vitest'
import { query } from '../../testkit/store.ts'
import { hostileTokens } from './hostile-tokens.ts'
import { useTrustScene } from './scene.ts'

const scene = useTrustScene({ RATE_LIMIT_REQUESTS: '0', RATE_LIMIT_EXPENSIVE: '0', RATE_LIMIT_IP: '0' })
const errors = ['invalid_request', 'invalid_grant', 'invalid_target']

test('none of more than 200 hostile tokens is exchanged, and the test of the trust agrees', async () => {
  // Tokens that are not valid yet stay so, and the others do not expire.
  const { clock } = scene.testEnv
  clock.freezeAt(clock.now())
  onTestFinished(() => clock.run())
  const trust = await scene.trust()
  const claims = scene.claims({ event_name: 'push' })
  // The same claims, unchanged, are accepted.
  expect(await scene.exchange(await scene.issuer.sign(claims), trust.id)).toMatchObject({ status: 200 })
  const tokens = await hostileTokens(scene.issuer, claims)
  expect(new Set(tokens.map(([, token]) => token)).size).toBeGreaterThan(200)
  const accepted: string[] = []
  for (const [what, token] of tokens) {
    const { status, text, body } = await scene.exchange(token, trust.id)
    if (status === 200) accepted.push(what)
    else if (status !== 400 || !errors.includes(body.error)) accepted.push(`${what}: ${status} ${text}`)
    for (const part of token.split('.')) if (part.length > 20 && text.includes(part)) accepted.push(`${what} is quoted`)
    const tested = await scene.call('trustTest', { id: trust.id, token })
    if (tested.body.accepted === true) accepted.push(`${what} in the test`)
  }
  expect(accepted).toEqual([])
  expect(await query(scene.testEnv.app.dataDir, 'select session_id from service_tokens')).toHaveLength(1)
})

test('a hostile token is never a bearer token', async () => {
  const token = await scene.token()
  expect(await scene.testEnv.client.call('whoami', {}, { token })).toMatchObject({ status: 401 })
})

test('1 MB is refused before it is read', async () => {
  const answer = await scene.exchange('x'.repeat(1_000_000), 'tru_1')
  expect(answer).toMatchObject({ status: 413, body: { error: 'invalid_request' } })
})
