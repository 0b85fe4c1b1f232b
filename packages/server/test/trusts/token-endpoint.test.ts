/** Tests the token endpoint as OAuth 2.0 describes it, with and without a client library (RFC 6749, 8414 and 8693). */
import * as client from 'openid-client'
import { expect, test } from 'vitest'
import { answerOf } from '../../testkit/client.ts'
import { assertPublished } from '../../testkit/published.ts'
import { useTrustScene } from './scene.ts'

const scene = useTrustScene()
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token'
const jwt = 'urn:ietf:params:oauth:token-type:jwt'
const grantType = 'urn:ietf:params:oauth:grant-type:token-exchange'

test('openid-client finds it and exchanges a token, unmodified', async () => {
  const { id } = await scene.trust()
  const { body: metadata } = await scene.testEnv.client.get('/.well-known/oauth-authorization-server')
  const config = await client.discovery(new URL(metadata.issuer), 'any', undefined, client.None(), {
    algorithm: 'oauth2',
    execute: [client.allowInsecureRequests],
  })
  const answer = await client.genericGrantRequest(config, grantType, {
    subject_token: await scene.token(),
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    audience: id,
    requested_token_type: accessTokenType,
  })
  expect(answer).toMatchObject({ issued_token_type: accessTokenType, token_type: 'bearer', expires_in: 900 })
  expect(await scene.testEnv.client.call('whoami', {}, { token: answer.access_token })).toMatchObject({ status: 200 })
  const refused = client.genericGrantRequest(config, grantType, {
    subject_token: await scene.token({ ref: 'refs/heads/other' }),
    subject_token_type: jwt,
    audience: id,
  })
  await expect(refused).rejects.toMatchObject({ error: 'invalid_grant', status: 400 })
})

test('the metadata says what there is', async () => {
  const { status, headers, text, body } = await scene.testEnv.client.get('/.well-known/oauth-authorization-server')
  expect(status).toBe(200)
  assertPublished('oauthMetadata', status, text)
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(body).toEqual({
    issuer: expect.stringMatching(/^http:\/\/localhost:\d+$/),
    token_endpoint: `${body.issuer}/oauth/token`,
    response_types_supported: [],
    grant_types_supported: [grantType],
    token_endpoint_auth_methods_supported: ['none'],
  })
})

test('a refusal lists the claims of the token that do not match, and neither the token nor what is expected', async () => {
  const { id } = await scene.trust({
    claims: [
      { name: 'repository_id', value: '424242' },
      { name: 'environment', value: 'secret-name' },
    ],
  })
  const token = await scene.token({ repository_id: '7\n7"\\é', aud: 'https://other.example' })
  const { status, text, body, headers } = await scene.exchange(token, id)
  expect(status).toBe(400)
  expect(body).toEqual({
    error: 'invalid_grant',
    error_description:
      "The token does not match the trust. It has aud = https://other.example, repository_id = 7 7'??, no environment: correct the job, or the trust.",
  })
  for (const hidden of [...token.split('.'), '424242', 'secret-name']) expect(text).not.toContain(hidden)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('x-request-id')).toBeTruthy()
})

test('an access token is refused with what to send instead', async () => {
  const { id } = await scene.trust()
  const { body } = await scene.exchange(await scene.issuer.sign({}, { typ: 'at+jwt' }), id)
  expect(body.error_description).toContain('send the ID token as the platform issued it, not an access token (at+jwt).')
})

test('a trust that does not exist and one of another issuer look alike', async () => {
  const { id } = await scene.must('trustCreate', {
    name: 'gitlab',
    issuer: 'https://gitlab.com',
    claims: [{ name: 'project_id', value: '1' }],
    role: 'reader',
  })
  const token = await scene.token()
  const [other, none] = [await scene.exchange(token, id), await scene.exchange(token, 'tru_none')]
  expect(other.text).toBe(none.text)
  expect([other.status, other.body.error]).toEqual([400, 'invalid_target'])
})

test('of a trust that another organization made, a token gives only what that one allows', async () => {
  const stranger = await scene.newOwner()
  const { id } = await scene.trust({}, stranger)
  const token = await scene.accessToken(id)
  expect(await scene.testEnv.client.call('evaluate', { ...scene.owner.at, name: 'A' }, { token })).toMatchObject({
    status: 403,
  })
})

test('forms are checked as the standards say', async () => {
  const { id } = await scene.trust()
  const valid = { grant_type: grantType, subject_token: await scene.token(), subject_token_type: jwt, audience: id }
  const without = (name: keyof typeof valid) =>
    Object.fromEntries(Object.entries(valid).filter(([key]) => key !== name)) as Record<string, string>
  const wrong: readonly (readonly [Record<string, string> | string, string])[] = [
    [without('grant_type'), 'invalid_request'],
    [without('subject_token'), 'invalid_request'],
    [without('subject_token_type'), 'invalid_request'],
    [without('audience'), 'invalid_request'],
    [{ ...valid, audience: '' }, 'invalid_request'],
    [{ ...valid, grant_type: 'client_credentials' }, 'unsupported_grant_type'],
    [{ ...valid, grant_type: 'refresh_token' }, 'unsupported_grant_type'],
    [{ ...valid, subject_token_type: 'urn:ietf:params:oauth:token-type:saml2' }, 'invalid_request'],
    [{ ...valid, subject_token_type: accessTokenType }, 'invalid_request'],
    [{ ...valid, requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' }, 'invalid_request'],
    [{ ...valid, requested_token_type: jwt }, 'invalid_request'],
    [{ ...valid, actor_token: 'x', actor_token_type: jwt }, 'invalid_request'],
    [{ ...valid, scope: 'shop/prod' }, 'invalid_scope'],
    [{ ...valid, resource: 'https://rollkey.example.com' }, 'invalid_target'],
    [`${new URLSearchParams(valid).toString()}&audience=tru_2`, 'invalid_request'],
    [`${new URLSearchParams(valid).toString()}&subject_token=x`, 'invalid_request'],
    [{ ...valid, audience: '__proto__' }, 'invalid_target'],
    [JSON.stringify(valid), 'invalid_request'],
    ['', 'invalid_request'],
  ]
  for (const [form, error] of wrong) {
    const answer = await scene.send(form)
    expect(answer, JSON.stringify(form)).toMatchObject({ status: 400, body: { error } })
    expect(answer.body.error_description).toMatch(/^[ !#-[\]-~]+$/)
  }
  expect(await scene.send(JSON.stringify(valid), { 'content-type': 'application/json' })).toMatchObject({
    status: 400,
    body: { error: 'invalid_request' },
  })
  // What the standards do not define is ignored, and so is an empty value.
  expect(await scene.send({ ...valid, scope: '', client_id: 'any', other: 'x' })).toMatchObject({ status: 200 })
})

test('other methods and sizes are refused in the same shape', async () => {
  const url = `${scene.testEnv.app.url}/oauth/token`
  const got = await answerOf(await fetch(url))
  expect(got).toMatchObject({ status: 405, body: { error: 'invalid_request' } })
  expect(got.headers.get('allow')).toBe('POST, OPTIONS')
  expect(await scene.send({ pad: 'x'.repeat(70_000) })).toMatchObject({
    status: 413,
    body: { error: 'invalid_request' },
  })
  expect(await answerOf(await fetch(url, { method: 'OPTIONS' }))).toMatchObject({ status: 204 })
})

test('the access token creates, rotates and refreshes nothing', async () => {
  const { at } = scene.owner
  const { id } = await scene.trust({ role: 'developer' })
  const token = await scene.accessToken(id)
  const calls = [
    ['tokenCreate', { orgSlug: at.orgSlug, name: 'x' }, 403],
    [
      'trustCreate',
      {
        orgSlug: at.orgSlug,
        name: 'x',
        role: 'viewer',
        issuer: 'https://gitlab.com',
        claims: [{ name: 'project_id', value: '1' }],
      },
      403,
    ],
    ['trustList', { orgSlug: at.orgSlug }, 403],
    ['accessGrant', { orgSlug: at.orgSlug, principal: { kind: 'trust', id }, role: 'developer' }, 403],
    ['audit', { orgSlug: at.orgSlug }, 403],
    ['reveal', { ...at, names: ['A'] }, 403],
    ['session', {}, 401],
    ['deviceComplete', { userCode: 'ABCDEFGH' }, 401],
    ['tokenRefresh', { refreshToken: token }, 401],
    ['logout', { refreshToken: token }, 401],
  ] as const
  for (const [name, input, status] of calls)
    expect(await scene.testEnv.client.call(name, input, { token }), name).toMatchObject({ status })
  const { body } = await scene.testEnv.client.call('evaluate', { ...at, stageSlug: 'gone', name: 'A' }, { token })
  expect(body.error.code).toBe('VARIABLE_NOT_FOUND')
})
