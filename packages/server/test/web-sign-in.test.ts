/** Tests the parts of web sign-in that need no browser. */
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { startTestApp } from '../testkit/app.ts'
import { webClientId } from '../testkit/provider.ts'
import { startTestEnv, useTestEnv } from '../testkit/test-env.ts'

const testEnv = useTestEnv({ IDP_CLIENT_ID: webClientId })

const proof = { state: 'state', nonce: 'nonce', codeVerifier: 'v'.repeat(43) }

describe('with the embedded provider', () => {
  test('people sign in here, with passkeys if the URL has a host name', async () => {
    const app = await startTestApp({ PUBLIC_URL: 'http://127.0.0.1:8787' })
    expect(await app.client.must('webSettings', {})).toMatchObject({
      provider: 'embedded',
      publicUrl: 'http://127.0.0.1:8787',
      signUp: 'invitation',
      passkeys: false,
    })
    expect((await app.client.call('webSignIn', {})).status).toBe(404)
    expect((await app.client.call('webToken', { callback: '', ...proof })).status).toBe(404)
    expect(await app.client.must('webSettings', {})).toMatchObject({ isSetUp: false })
    const named = await startTestApp({ SIGN_UP: 'open' })
    expect(await named.client.must('webSettings', {})).toMatchObject({ signUp: 'open', passkeys: true })
  })
})

describe('with an external provider', () => {
  test('people sign in there by authorization code and PKCE, and return with a fragment', async () => {
    expect(await testEnv.client.must('webSettings', {})).toMatchObject({
      provider: 'external',
      signIn: true,
      groups: false,
    })
    const { url, state, nonce, codeVerifier } = await testEnv.client.must('webSignIn', {})
    const { origin, searchParams } = new URL(url as string)
    expect(origin).toBe(testEnv.provider.issuer)
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: 'code',
      client_id: webClientId,
      scope: 'openid profile',
      code_challenge_method: 'S256',
      code_challenge: createHash('sha256')
        .update(codeVerifier as string)
        .digest('base64url'),
      response_mode: 'fragment',
      state,
      nonce,
    })
    expect(searchParams.get('redirect_uri')).toMatch(/^http:\/\/localhost:\d+\/auth\/callback$/)
    expect(searchParams.has('max_age')).toBe(false)
    const confirming = new URL((await testEnv.client.must('webSignIn', { confirm: true })).url as string)
    expect(confirming.searchParams.get('max_age')).toBe('300')
    const again = await testEnv.client.must('webSignIn', {})
    expect([again.state, again.nonce, again.codeVerifier]).not.toEqual([state, nonce, codeVerifier])
  })

  test.each([
    ['code=stolen&state=state', 'a code that the provider did not give'],
    ['code=stolen&state=another', 'the state of another person'],
    ['error=access_denied&state=state', 'a refusal'],
    ['', 'nothing'],
  ])('%s is refused (%s)', async (callback) => {
    const { status, body, text } = await testEnv.client.call('webToken', { callback, ...proof })
    expect([status, body.error.code]).toEqual([401, 'UNAUTHORIZED'])
    expect(text).not.toContain('stolen')
    expect(testEnv.app.log.join('')).not.toContain('stolen')
  })

  test('a provider that is down is reported, and asked again next time', async () => {
    const other = await startTestEnv({ IDP_CLIENT_ID: webClientId })
    other.provider.isDown = true
    expect((await other.client.call('webSignIn', {})).body.error.code).toBe('SERVICE_UNAVAILABLE')
    other.provider.isDown = false
    expect((await other.client.call('webSignIn', {})).status).toBe(200)
  })

  test('no one signs in without a client of the provider, and the start warns about it', async () => {
    const other = await startTestEnv()
    expect(await other.client.must('webSettings', {})).toMatchObject({ signIn: false })
    expect((await other.client.call('webSignIn', {})).body.error.message).toContain('ROLLKEY_IDP_CLIENT_ID')
    expect(other.app.log.join('')).toContain('no ROLLKEY_IDP_CLIENT_ID: no one can sign in to the web application')
    expect(other.app.log.join('')).toContain('issues to any other application are accepted')
    expect(testEnv.app.log.join('')).not.toContain('issues to any other application are accepted')
    expect((await fetch(`${other.app.url}/identity/token`)).status).toBe(404)
    expect((await fetch(`${other.app.url}/.well-known/openid-configuration`)).status).toBe(404)
  })
})
