/** Tests how trusts are made, changed and deleted, and what that does to their tokens. */
import { expect, test } from 'vitest'
import { newUser } from '../../testkit/client.ts'
import { newIssuerKey } from '../../testkit/issuer.ts'
import { auditOf } from './audit.ts'
import { audience, requiredClaims, useTrustScene } from './scene.ts'

const scene = useTrustScene()

/** Returns 'ok' or the code of the answer of an evaluation. */
async function evaluateWith(token: string, at = scene.owner.at): Promise<string> {
  const { status, body } = await scene.testEnv.client.call('evaluate', { ...at, name: 'A' }, { token })
  return status === 200 ? 'ok' : body.error.code
}

test('a trust has what was asked for, and defaults', async () => {
  const { user } = scene.owner
  const made = await scene.trust({ audience: undefined })
  expect(made).toMatchObject({
    id: expect.stringMatching(/^tru_[\w-]{20}$/),
    name: 'deploy',
    issuer: scene.issuer.url,
    audience: expect.stringMatching(/^http:/),
    claims: requiredClaims,
    role: 'reader',
    history: false,
    lifetimeSeconds: 900,
    forks: false,
    createdBy: user.userId,
  })
  const { trusts } = await scene.must('trustList')
  const { requestId: _, ...listed } = made
  expect(trusts).toContainEqual(listed)
})

test('a changed trust ends its tokens with the next request, and a deleted one too', async () => {
  const { id } = await scene.trust()
  const before = await scene.accessToken(id)
  expect(await evaluateWith(before)).toBe('ok')
  await scene.must('trustUpdate', { id, name: 'renamed' })
  expect(await evaluateWith(before)).toBe('UNAUTHORIZED')
  const narrowed = await scene.accessToken(id)
  expect(await evaluateWith(narrowed)).toBe('ok')
  const changed = await scene.must('trustUpdate', { id, role: 'viewer', lifetimeSeconds: 60, forks: true })
  expect(changed).toMatchObject({ name: 'renamed', role: 'viewer', lifetimeSeconds: 60, forks: true })
  expect(await evaluateWith(narrowed)).toBe('UNAUTHORIZED')
  const after = await scene.accessToken(id)
  expect(await evaluateWith(after)).toBe('FORBIDDEN')
  await scene.must('trustDelete', { id })
  expect(await evaluateWith(after)).toBe('UNAUTHORIZED')
  expect(await scene.exchange(await scene.token(), id)).toMatchObject({ body: { error: 'invalid_target' } })
  expect(await scene.call('trustDelete', { id })).toMatchObject({ status: 404 })
  expect(await scene.call('trustUpdate', { id, name: 'again' })).toMatchObject({ status: 404 })
})

test('the removal of its creator does not end a trust', async () => {
  const owner = await scene.newOwner()
  const { id } = await scene.trust({}, owner)
  scene.testEnv.provider.remove(owner.user)
  expect(await evaluateWith(await scene.accessToken(id), owner.at)).toBe('ok')
})

test('only the fields that a change names change, and pasted keys can be removed', async () => {
  const key = await newIssuerKey('pasted')
  const jwks = JSON.stringify({ keys: [{ ...key.publicJwk, x5t: 'ignored' }] })
  const made = await scene.trust({ jwks })
  expect(JSON.parse(made.jwks)).toEqual({ keys: [key.publicJwk] })
  const token = await scene.issuer.sign(scene.claims(), { kid: 'pasted' }, key.privateKey)
  expect(await scene.exchange(token, made.id)).toMatchObject({ status: 200 })
  // The keys that the issuer publishes do not count then.
  expect(await scene.exchange(await scene.token(), made.id)).toMatchObject({ body: { error: 'invalid_grant' } })
  const { jwks: removed, ...changed } = await scene.must('trustUpdate', { id: made.id, jwks: null })
  expect(removed).toBeUndefined()
  expect(changed).toMatchObject({ name: made.name, claims: made.claims, audience })
  expect(await scene.exchange(await scene.token(), made.id)).toMatchObject({ status: 200 })
})

test('no one trusts an issuer by its address alone, or pasted keys of one that the service knows', async () => {
  const claims = [{ name: 'sub', value: 'a' }]
  for (const [more, message] of [
    [{ issuer: 'https://evil.example', claims }, 'ask the operator'],
    [{ issuer: 'http://169.254.169.254', claims }, 'ask the operator'],
    [{ issuer: 'https://gitlab.com', claims }, 'the same keys'],
    [{ claims: [{ name: 'ref', value: 'refs/heads/main' }] }, 'which workload'],
    [{ issuer: 'https://accounts.google.com', claims, jwks: '{"keys":[]}' }, 'leave out jwks'],
  ] as const) {
    const answer = await scene.call('trustCreate', { name: 'x', role: 'reader', audience, ...requiredOf(more) })
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } })
    expect(answer.body.error.message).toContain(message)
  }
})

function requiredOf(more: object): object {
  return { issuer: scene.issuer.url, claims: requiredClaims, ...more }
}

test('pasted keys are public, strong and few', async () => {
  const { publicJwk, privateKey } = await newIssuerKey()
  const whole = (await crypto.subtle.exportKey('jwk', privateKey)) as object
  const weak = { kty: 'RSA', e: 'AQAB', n: Buffer.alloc(128, 0xff).toString('base64url') }
  const ed = await newIssuerKey('ed', 'EdDSA')
  const wrong: readonly (readonly [unknown, string])[] = [
    ['not JSON', 'not a JSON Web Key Set'],
    [{}, 'not a JSON Web Key Set'],
    [{ keys: [] }, '0 keys'],
    [{ keys: Array.from({ length: 21 }, () => publicJwk) }, '21 keys'],
    [{ keys: [whole] }, 'private members'],
    [{ keys: [{ kty: 'oct', k: 'AAAA' }] }, 'private members'],
    [{ keys: [{ kty: 'oct' }] }, 'another kind'],
    [{ keys: [weak] }, '1024 bits'],
    [{ keys: [{ kty: 'EC', crv: 'secp256k1', x: 'AA', y: 'AA' }] }, 'another kind'],
    [{ keys: [{ kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }] }, 'not a valid key'],
    [{ keys: [{ ...publicJwk, use: 'enc' }] }, 'not for signatures'],
    [{ keys: [publicJwk, publicJwk] }, 'the same kid'],
    [{ keys: [null] }, 'not an object'],
    [{ keys: [{ ...publicJwk, n: 1 }] }, 'not texts'],
    ['{"keys":[],"keys":[{}]}', 'not a JSON Web Key Set'],
  ]
  for (const [jwks, message] of wrong) {
    const text = typeof jwks === 'string' ? jwks : JSON.stringify(jwks)
    const answer = await scene.call('trustCreate', { name: 'x', role: 'reader', ...requiredOf({ jwks: text }) })
    expect(answer, message).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } })
    expect(answer.body.error.message).toContain(message)
    expect(answer.text).not.toContain(String((whole as { d?: string }).d))
  }
  // A SPIFFE bundle.
  const bundle = [
    { ...ed.publicJwk, use: 'jwt-svid' },
    { ...publicJwk, kid: 'x509', use: 'x509-svid', x5c: ['AAAA'] },
  ]
  const { jwks } = await scene.trust({ jwks: JSON.stringify({ spiffe_sequence: 1, keys: bundle }) })
  expect(JSON.parse(jwks)).toEqual({ keys: [ed.publicJwk] })
})

test('a trust is never stronger than who makes or changes it', async () => {
  const owner = await scene.newOwner()
  const { orgSlug, projectSlug, stageSlug } = owner.at
  const member = { ...newUser(orgSlug), orgId: owner.user.orgId }
  const principal = { kind: 'user', id: member.userId }
  await scene.must('organizationUpdate', { defaultRole: 'none' }, owner)
  await scene.must('roleSet', { name: 'keeper', verbs: ['list', 'manage'] }, owner)
  await scene.must('accessGrant', { principal, projectSlug, role: 'keeper' }, owner)
  const as = { ...owner, token: await scene.testEnv.provider.tokenOf(member) }
  const body = { name: 'x', ...requiredOf({ projectSlug, stageSlug }) }
  expect(await scene.call('trustCreate', { ...body, role: 'reader' }, as)).toMatchObject({ status: 403 })
  const { id } = await scene.must('trustCreate', { ...body, role: 'viewer' }, as)
  expect(await scene.call('trustUpdate', { id, role: 'reader' }, as)).toMatchObject({ status: 403 })
  expect(
    await scene.call('accessGrant', { principal: { kind: 'trust', id }, role: 'reader', projectSlug }, as),
  ).toMatchObject({ status: 403 })
  expect(await scene.call('trustCreate', { ...body, projectSlug: 'other', role: 'viewer' }, as)).toMatchObject({
    status: 403,
  })
  // Someone else's trust, which allows more: other claims would give that to other workloads.
  await scene.must('organizationUpdate', { defaultRole: 'developer' }, owner)
  const { id: wider } = await scene.trust({ projectSlug, role: 'developer' }, owner)
  await scene.must('organizationUpdate', { defaultRole: 'none' }, owner)
  expect(await scene.call('trustUpdate', { id: wider, claims: requiredClaims }, as)).toMatchObject({ status: 403 })
  const { id: outside } = await scene.must('trustCreate', { name: 'x', ...requiredOf({}), role: 'viewer' }, owner)
  expect(await scene.call('trustDelete', { id: outside }, as)).toMatchObject({ status: 404 })
  const { trusts } = await scene.must('trustList', {}, as)
  expect(new Set(trusts.map((trust: { id: string }) => trust.id))).toEqual(new Set([id, wider]))
  await scene.must('trustDelete', { id: wider }, as)
})

test('one that reads a protected stage needs a fresh confirmation, made or changed', async () => {
  const owner = await scene.newOwner()
  const { projectSlug, stageSlug } = owner.at
  const confirmed = { ...owner, token: await scene.testEnv.provider.confirmedTokenOf(owner.user) }
  const principal = { kind: 'user', id: owner.user.userId }
  await scene.must('stageProtect', { projectSlug, stageSlug, isProtected: true }, confirmed)
  await scene.must('accessGrant', { principal, projectSlug, stageSlug, role: 'developer' }, confirmed)
  const body = { name: 'x', ...requiredOf({ projectSlug, stageSlug }), role: 'reader' }
  const refused = { status: 403, body: { error: { code: 'CONFIRMATION_REQUIRED' } } }
  expect(await scene.call('trustCreate', body, owner)).toMatchObject(refused)
  const { id } = await scene.must('trustCreate', body, confirmed)
  expect(await scene.call('trustUpdate', { id, claims: requiredClaims }, owner)).toMatchObject(refused)
  expect(await scene.call('trustUpdate', { id, role: 'viewer' }, owner)).toMatchObject({ status: 200 })
  // Without a grant on the stage itself, a trust of the project reads nothing there.
  const { id: around } = await scene.trust({ projectSlug }, owner)
  expect(await evaluateWith(await scene.accessToken(around), owner.at)).toBe('FORBIDDEN')
})

test('explanations, holders and the preview of a protection know trusts', async () => {
  const owner = await scene.newOwner()
  const { projectSlug, stageSlug } = owner.at
  const confirmed = { ...owner, token: await scene.testEnv.provider.confirmedTokenOf(owner.user) }
  scene.testEnv.clock.advance(1_000)
  const beforeMs = scene.testEnv.clock.now()
  scene.testEnv.clock.advance(1_000)
  const { id } = await scene.trust({ projectSlug }, owner)
  const principal = { kind: 'trust', id, name: 'deploy' }
  const at = { projectSlug, stageSlug }
  expect(await scene.must('accessExplain', { principal: { kind: 'trust', id }, ...at }, owner)).toMatchObject({
    verbs: ['list', 'read'],
    sources: [{ from: 'trust', role: 'reader', projectSlug, verbs: ['list', 'read'] }],
  })
  const { losing } = await scene.must('stageProtect', { ...at, isProtected: true, dryRun: true }, confirmed)
  expect(losing).toContainEqual({ principal, verbs: ['read'] })
  const holdersAt = async (atMs?: number) => (await scene.must('accessHolders', { ...at, atMs }, owner)).holders
  expect(await holdersAt()).toContainEqual({ principal, projectSlug, role: 'reader' })
  expect(await holdersAt(beforeMs)).toEqual([])
  await scene.must('accessGrant', { principal: { kind: 'trust', id }, ...at, role: 'developer' }, confirmed)
  expect((await scene.must('accessList', at, owner)).grants).toMatchObject([{ principal, role: 'developer' }])
  const grantedMs = scene.testEnv.clock.now()
  scene.testEnv.clock.advance(1_000)
  await scene.must('trustUpdate', { id, role: 'viewer' }, owner)
  scene.testEnv.clock.advance(1_000)
  await scene.must('trustDelete', { id }, owner)
  expect(await holdersAt()).toEqual([])
  expect((await scene.must('accessList', at, owner)).grants).toEqual([])
  expect(await holdersAt(grantedMs)).toEqual([
    { principal: { kind: 'trust', id }, projectSlug, role: 'reader' },
    { principal: { kind: 'trust', id }, ...at, role: 'developer' },
  ])
})

test('the deletion of a stage, a project or the organization ends the trusts that are limited to it', async () => {
  const owner = await scene.newOwner()
  const { orgSlug, projectSlug, stageSlug } = owner.at
  const places = [{ projectSlug, stageSlug }, { projectSlug }, {}]
  const ids: string[] = []
  const tokens: string[] = []
  for (const place of places) {
    const { id } = await scene.trust(place, owner)
    ids.push(id)
    tokens.push(await scene.accessToken(id))
  }
  const whoami = async () =>
    Promise.all(tokens.map(async (token) => (await scene.testEnv.client.call('whoami', {}, { token })).status))
  expect(await whoami()).toEqual([200, 200, 200])
  scene.testEnv.provider.setRole(owner.user, 'owner')
  const confirmed = { ...owner, token: await scene.testEnv.provider.confirmedTokenOf(owner.user) }
  await scene.must('stageDelete', { projectSlug, stageSlug, confirm: stageSlug }, confirmed)
  expect(await whoami()).toEqual([401, 200, 200])
  await scene.must('projectDelete', { projectSlug, confirm: projectSlug }, confirmed)
  expect(await whoami()).toEqual([401, 401, 200])
  const deleted = (await auditOf(scene, owner)).filter(({ action }) => action === 'trust.delete')
  expect(deleted.map(({ facts }) => facts)).toEqual(
    [ids[1], ids[0]].map((trustId) => ({ trustId, name: 'deploy', before: { name: 'deploy', role: 'reader' } })),
  )
  await scene.must('organizationDelete', { confirm: orgSlug }, confirmed)
  expect(await whoami()).toEqual([401, 401, 401])
  for (const id of ids)
    expect(await scene.exchange(await scene.token(), id)).toMatchObject({ body: { error: 'invalid_target' } })
})

test('the audit log has each change and each exchange with the claims, and who acts with the token', async () => {
  const owner = await scene.newOwner()
  const { id } = await scene.trust({ role: 'developer' }, owner)
  const subjectToken = await scene.token({ sub: 'repo:acme/shop', run_id: '77', event_name: 'push' })
  const { body } = await scene.exchange(subjectToken, id)
  const { at } = owner
  const entries = [{ name: 'B', kind: 'secret', value: 'b' }]
  await scene.testEnv.client.must('write', { ...at, mode: 'upsert', entries }, { token: body.access_token })
  const claims = [
    { name: 'repository_id', value: '424242' },
    { name: 'environment', value: 'on call "x"' },
  ]
  await scene.must('trustUpdate', { id, role: 'reader', claims, forks: true }, owner)
  await scene.must('trustUpdate', { id, name: 'deploy all' }, owner)
  await scene.must('trustDelete', { id }, owner)
  const log = await auditOf(scene, owner)
  const created = {
    name: 'deploy',
    role: 'developer',
    issuer: scene.issuer.url,
    audience,
    keys: 'fetched',
    claims: [
      { name: 'repository_id', value: '424242' },
      { name: 'ref', value: 'refs/heads/main' },
    ],
    forks: false,
    history: false,
    lifetimeSeconds: 900,
  }
  const updated = { role: 'reader', claims, forks: true }
  expect(log).toMatchObject([
    {
      action: 'trust.delete',
      facts: { trustId: id, name: 'deploy all', before: { ...created, ...updated, name: 'deploy all' } },
      how: 'session',
    },
    {
      action: 'trust.update',
      facts: { trustId: id, name: 'deploy all', before: { name: 'deploy' }, after: { name: 'deploy all' } },
    },
    {
      action: 'trust.update',
      facts: {
        trustId: id,
        name: 'deploy',
        before: { role: 'developer', claims: created.claims, forks: false },
        after: updated,
      },
    },
    { action: 'variable.create', actor: id, how: 'service', client: 'trust deploy', names: ['B'] },
    {
      action: 'trust.exchange',
      actor: id,
      how: 'service',
      client: 'trust deploy',
      facts: {
        sessionId: expect.stringMatching(/^ses_/),
        evidence: [
          { name: 'repository_id', value: '424242' },
          { name: 'ref', value: 'refs/heads/main' },
          { name: 'sub', value: 'repo:acme/shop' },
          { name: 'run_id', value: '77' },
        ],
      },
    },
    { action: 'trust.create', facts: { trustId: id, name: 'deploy', after: created } },
  ])
})
