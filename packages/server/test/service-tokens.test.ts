import type { EndpointName, ServiceToken } from '@rollkey/contract'
import { describe, expect, test } from 'vitest'
import { Creators } from '../src/sessions/creators.ts'
import { startTestApp, usageOf } from '../testkit/app.ts'
import { newUser, type Answer } from '../testkit/client.ts'
import { secret } from '../testkit/entries.ts'
import { inServer } from '../testkit/operator.ts'
import { onPostgres, query } from '../testkit/store.ts'
import { newOwner, newServiceToken, newTenant, useTestEnv, write, type TestTenant } from '../testkit/test-env.ts'

const day = 86_400_000
const testEnv = useTestEnv()

async function codeOf(name: EndpointName, input: object, token: string): Promise<string> {
  const { status, body } = await testEnv.client.call(name, input, { token })
  return status === 200 ? 'ok' : `${status} ${body.error.code}`
}

/** Calls twice, so that each of two nodes answers once. */
async function codesOf(name: EndpointName, input: object, token: string): Promise<string[]> {
  return [await codeOf(name, input, token), await codeOf(name, input, token)]
}

/** Creates an owner whose stage has a variable A. */
async function ownerWithVariable(): Promise<TestTenant> {
  const tenant = await newOwner(testEnv)
  await write(testEnv, tenant, [secret('A', 'value of A')])
  return tenant
}

const onStage = {
  list: {},
  manifest: {},
  pull: {},
  digests: {},
  evaluate: { name: 'A' },
  evaluateBatch: { entries: [] },
}
const reads = Object.entries(onStage) as [EndpointName, object][]
const empty = { mode: 'upsert', entries: [] }

describe('a service token', () => {
  test('is shown once, and is valid for a year by default', async () => {
    const tenant = await newOwner(testEnv)
    testEnv.clock.freezeAt(testEnv.clock.now())
    const { token, requestId: _, ...made } = await newServiceToken(testEnv, tenant)
    expect(token).toMatch(/^svc_st_[A-Za-z0-9_-]{43}$/)
    const nowMs = testEnv.clock.now()
    expect(made).toEqual({
      id: expect.stringMatching(/^tok_/),
      name: 'ci',
      role: 'developer',
      readOnly: false,
      history: false,
      createdBy: tenant.user.userId,
      createdAtMs: nowMs,
      expiresAtMs: nowMs + 365 * day,
    })
    testEnv.clock.run()
    const { text, body } = await testEnv.client.call(
      'tokenList',
      { orgSlug: tenant.at.orgSlug },
      { token: tenant.token },
    )
    expect(body.tokens).toEqual([{ ...made, creator: 'member' }])
    expect(text).not.toContain(token)
  })

  test("has a member's access to variables", async () => {
    const tenant = await ownerWithVariable()
    const { token } = await newServiceToken(testEnv, tenant)
    for (const [name, more] of reads)
      expect(await codesOf(name, { ...tenant.at, ...more }, token)).toEqual(['ok', 'ok'])
    expect((await testEnv.client.must('evaluate', { ...tenant.at, name: 'A' }, { token })).value).toBe('value of A')
    await testEnv.client.must('write', { ...tenant.at, mode: 'upsert', entries: [secret('B', 'b')] }, { token })
    expect((await testEnv.client.must('pull', tenant.at, { token: tenant.token })).variables).toMatchObject({ B: 'b' })
  })

  test('is billed to its organization', async () => {
    const tenant = await ownerWithVariable()
    const { token } = await newServiceToken(testEnv, tenant)
    await testEnv.client.must('evaluate', { ...tenant.at, name: 'A' }, { token })
    expect(await usageOf(testEnv.app, tenant.at.orgSlug)).toBe(1)
  })

  test('writes in its own name', async () => {
    const tenant = await newOwner(testEnv)
    const { token, id } = await newServiceToken(testEnv, tenant)
    await testEnv.client.must('write', { ...tenant.at, mode: 'upsert', entries: [secret('OF_TOKEN', 'b')] }, { token })
    const text = `select v.updated_by, s.created_by as stage_by, p.created_by as project_by
      from variables v join stages s on s.id = v.stage_id join projects p on p.id = s.project_id where v.name = $1`
    const [row] = await query(testEnv.app.dataDir, text, 'OF_TOKEN')
    expect({ ...row }).toEqual({ updated_by: id, stage_by: id, project_by: id })
  })

  test('outlives the membership of its creator, and an hour without the provider', async () => {
    const tenant = await ownerWithVariable()
    const { token } = await newServiceToken(testEnv, tenant)
    testEnv.provider.remove(tenant.user)
    testEnv.provider.isDown = true
    testEnv.clock.advance(3_600_000)
    expect(await codesOf('list', tenant.at, token)).toEqual(['ok', 'ok'])
    testEnv.provider.isDown = false
    expect(await codesOf('list', tenant.at, token)).toEqual(['ok', 'ok'])
  })

  test('shows whether its creator is still a member, if the provider answers', async () => {
    const tenant = await newOwner(testEnv)
    const { orgSlug } = tenant.at
    const gone = await testEnv.client.login({ ...newUser(orgSlug), userId: 'gone' })
    testEnv.provider.setRole({ ...newUser(orgSlug), userId: 'gone' }, 'owner')
    await newServiceToken(testEnv, tenant, { name: 'mine' })
    await testEnv.client.must('tokenCreate', { orgSlug, name: 'theirs' }, { token: gone.accessToken })
    const creators = async (): Promise<string[]> => {
      const { tokens } = await testEnv.client.must('tokenList', { orgSlug }, { token: tenant.token })
      return tokens.map(({ name, creator }: { name: string; creator: string }) => `${name} ${creator}`)
    }
    expect(await creators()).toEqual(['mine member', 'theirs member'])
    testEnv.provider.remove({ ...newUser(orgSlug), userId: 'gone' })
    expect(await creators()).toEqual(['mine member', 'theirs left'])
    testEnv.provider.restore({ ...newUser(orgSlug), userId: 'gone' })
  })

  test('does not wait for a provider that does not answer about its creator', async () => {
    const silent = new Promise<never>(() => {})
    const creators = new Creators((_, userId) => (userId === 'silent' ? silent : Promise.resolve('member')))
    expect(Object.fromEntries(await creators.statusesOf('org', new Set(['silent', 'there'])))).toEqual({
      silent: 'unknown',
      there: 'member',
    })
  })

  test('identifies itself', async () => {
    const tenant = await ownerWithVariable()
    const reach = { projectSlug: 'shop', stageSlug: 'prod', readOnly: true }
    const { token, requestId: _, ...made } = await newServiceToken(testEnv, tenant, reach)
    const { orgId } = await testEnv.client.must('session', {}, { token: tenant.token })
    const { requestId: __, ...found } = await testEnv.client.must('whoami', {}, { token })
    const verbs = [{ verbs: [] }, { projectSlug: 'shop', stageSlug: 'prod', verbs: ['list', 'read'] }]
    expect(found).toEqual({ credential: 'service', orgId, orgSlug: tenant.at.orgSlug, serviceToken: made, verbs })
    expect(made).toMatchObject(reach)
  })

  test('shows its last use, also after a restart', async () => {
    const tenant = await newOwner(testEnv)
    const { token } = await newServiceToken(testEnv, tenant)
    testEnv.clock.advance(5_000)
    const usedAtMs = testEnv.clock.now()
    await testEnv.client.must('list', tenant.at, { token })
    await testEnv.restart()
    const { tokens } = await testEnv.client.must('tokenList', { orgSlug: tenant.at.orgSlug }, { token: tenant.token })
    expect(tokens[0].lastUsedAtMs).toBeGreaterThanOrEqual(usedAtMs)
    expect(await codesOf('list', tenant.at, token)).toEqual(['ok', 'ok'])
  })
})

describe('a token scope', () => {
  const elsewhere = [
    ['another project', { projectSlug: 'other' }],
    ['another stage', { stageSlug: 'other' }],
    ['another letter case', { stageSlug: 'PROD' }],
  ] as const

  test.each(elsewhere)('of one stage gives no access to %s, and a refusal is not billed', async (_, other) => {
    const tenant = await ownerWithVariable()
    const { token } = await newServiceToken(testEnv, tenant, { projectSlug: 'shop', stageSlug: 'prod' })
    for (const [name, more] of [...reads, ['write', empty] as const]) {
      expect(await codeOf(name, { ...tenant.at, ...more }, token), name).toBe('ok')
      expect(await codeOf(name, { ...tenant.at, ...more, ...other }, token), name).toBe('403 FORBIDDEN')
    }
    expect(await usageOf(testEnv.app, tenant.at.orgSlug)).toBe(3)
  })

  test('of a project covers all its stages', async () => {
    const tenant = await ownerWithVariable()
    const { token } = await newServiceToken(testEnv, tenant, { projectSlug: 'shop' })
    expect(await codeOf('write', { ...tenant.at, ...empty, stageSlug: 'new' }, token)).toBe('ok')
    expect(await codeOf('list', { ...tenant.at, stageSlug: 'other' }, token)).toBe('ok')
    const answer = await testEnv.client.call('list', { ...tenant.at, projectSlug: 'other' }, { token })
    expect(answer.body.error).toMatchObject({
      code: 'FORBIDDEN',
      message:
        'The service token is only for the project shop, and this request is for the stage prod of the project other: correct the project or the stage, or use another token.',
    })
  })

  test('that is read-only allows every read and no write', async () => {
    const tenant = await ownerWithVariable()
    const { token } = await newServiceToken(testEnv, tenant, { readOnly: true })
    for (const [name, more] of reads) expect(await codeOf(name, { ...tenant.at, ...more }, token), name).toBe('ok')
    for (const body of [empty, { ...empty, entries: [secret('B', 'b')] }, { ...empty, deletes: ['A'] }]) {
      expect(await codeOf('write', { ...tenant.at, ...body }, token)).toBe('403 FORBIDDEN')
    }
    expect((await testEnv.client.must('list', tenant.at, { token })).revision).toBe(1)
  })

  test('allows history and restores only if it was created with history', async () => {
    const tenant = await ownerWithVariable()
    await write(testEnv, tenant, [secret('A', 'new')])
    const { token: without } = await newServiceToken(testEnv, tenant)
    const { token: reader, history } = await newServiceToken(testEnv, tenant, { history: true, readOnly: true })
    const { token: writer } = await newServiceToken(testEnv, tenant, { history: true })
    expect(history).toBe(true)
    const restore = { ...tenant.at, revision: 1 }
    const codes = async (token: string): Promise<string[]> => [
      await codeOf('history', tenant.at, token),
      await codeOf('restore', restore, token),
    ]
    expect(await codes(without)).toEqual(['403 FORBIDDEN', '403 FORBIDDEN'])
    expect(await codes(reader)).toEqual(['ok', '403 FORBIDDEN'])
    expect(await codes(writer)).toEqual(['ok', 'ok'])
    const { body } = await testEnv.client.call('history', tenant.at, { token: without })
    expect(body.error.message).toMatch(/^The service token does not allow reading the history or restoring/)
    const { serviceToken } = await testEnv.client.must('whoami', {}, { token: without })
    expect(serviceToken.history).toBe(false)
  })

  test('is checked after the input and the organization, and before existence', async () => {
    const tenant = await ownerWithVariable()
    const reach = { projectSlug: 'shop', stageSlug: 'prod', readOnly: true }
    const { token } = await newServiceToken(testEnv, tenant, reach)
    const far = { ...tenant.at, stageSlug: 'other' }
    expect(await codeOf('evaluate', { ...far, name: '' }, token)).toBe('400 INVALID_REQUEST')
    expect(await codeOf('evaluate', { ...far, name: 'A', orgSlug: 'other' }, token)).toBe('403 INVALID_ORG_SCOPE')
    expect(await codeOf('evaluate', { ...far, name: 'A' }, token)).toBe('403 FORBIDDEN')
    expect(await codeOf('evaluate', { ...tenant.at, name: 'B' }, token)).toBe('404 VARIABLE_NOT_FOUND')
    const conflict = { ...tenant.at, ...empty, entries: [secret('B', 'b')], ifRevision: 7 }
    expect(await codeOf('write', conflict, token)).toBe('403 FORBIDDEN')
  })

  test('excludes people, sessions and tokens', async () => {
    const tenant = await newOwner(testEnv)
    const { token, id } = await newServiceToken(testEnv, tenant)
    const { orgSlug } = tenant.at
    expect(await codeOf('tokenCreate', { orgSlug, name: 'more' }, token)).toBe('403 FORBIDDEN')
    expect(await codeOf('tokenList', { orgSlug }, token)).toBe('403 FORBIDDEN')
    expect(await codeOf('tokenRevoke', { orgSlug, id }, token)).toBe('403 FORBIDDEN')
    expect(await codeOf('session', {}, token)).toBe('401 UNAUTHORIZED')
    expect(await codeOf('logout', { refreshToken: tenant.refreshToken }, token)).toBe('401 UNAUTHORIZED')
    expect(await codeOf('deviceComplete', { userCode: 'ABCDEFGH' }, token)).toBe('401 UNAUTHORIZED')
    expect(await codeOf('tokenRefresh', { refreshToken: token }, token)).toBe('401 INVALID_REFRESH_TOKEN')
    expect(await codesOf('list', tenant.at, token)).toEqual(['ok', 'ok'])
  })
})

describe('the end of a service token', () => {
  test('comes at the exact millisecond of its expiry', async () => {
    const tenant = await newOwner(testEnv)
    const { token, id, createdAtMs, expiresAtMs } = await newServiceToken(testEnv, tenant, { expiresInDays: 1 })
    expect(expiresAtMs).toBe(createdAtMs + day)
    const ids = async () => {
      const admin = { token: await testEnv.provider.tokenOf(tenant.user) }
      const { tokens } = await testEnv.client.must('tokenList', { orgSlug: tenant.at.orgSlug }, admin)
      return tokens.map((each: { id: string }) => each.id)
    }
    testEnv.clock.freezeAt(expiresAtMs - 1)
    expect([await codesOf('list', tenant.at, token), await ids()]).toEqual([['ok', 'ok'], [id]])
    testEnv.clock.freezeAt(expiresAtMs)
    expect([await codesOf('list', tenant.at, token), await ids()]).toEqual([
      ['401 UNAUTHORIZED', '401 UNAUTHORIZED'],
      [],
    ])
    testEnv.clock.run()
  })

  test('by revocation takes effect with the next request on every node', async () => {
    const tenant = await newOwner(testEnv)
    for (let round = 0; round < 5; round++) {
      const { token, id } = await newServiceToken(testEnv, tenant)
      expect(await codesOf('list', tenant.at, token)).toEqual(['ok', 'ok'])
      await testEnv.client.must('tokenRevoke', { orgSlug: tenant.at.orgSlug, id }, { token: tenant.token })
      for (const name of ['list', 'pull', 'whoami'] as const) {
        expect(await codesOf(name, tenant.at, token)).toEqual(['401 UNAUTHORIZED', '401 UNAUTHORIZED'])
      }
    }
  })

  test('is caused by exactly one of 64 revocations', async () => {
    const tenant = await newOwner(testEnv)
    const { id } = await newServiceToken(testEnv, tenant)
    const revoke = () => codeOf('tokenRevoke', { orgSlug: tenant.at.orgSlug, id }, tenant.token)
    const codes = await Promise.all(Array.from({ length: 64 }, revoke))
    expect(codes.toSorted()).toEqual([...Array.from({ length: 63 }, () => '404 NOT_FOUND'), 'ok'])
  })

  test('can be caused by its organization only, and for service tokens only', async () => {
    const tenant = await newOwner(testEnv)
    const other = await newOwner(testEnv)
    const { token, id } = await newServiceToken(testEnv, tenant)
    const [session] = await query(testEnv.app.dataDir, 'select id from sessions where user_id = $1', tenant.user.userId)
    const revoke = (by: TestTenant, of: unknown) => codeOf('tokenRevoke', { orgSlug: by.at.orgSlug, id: of }, by.token)
    expect(await revoke(other, id)).toBe('404 NOT_FOUND')
    expect(await revoke(tenant, session?.['id'])).toBe('404 NOT_FOUND')
    expect(await revoke(tenant, 'tok_unknown')).toBe('404 NOT_FOUND')
    for (const odd of ['', '\u0000', '\ud800', "'; --", 1])
      expect(await revoke(tenant, odd)).toBe('400 INVALID_REQUEST')
    expect(await codesOf('list', tenant.at, token)).toEqual(['ok', 'ok'])
    expect(await codeOf('session', {}, tenant.token)).toBe('ok')
  })
})

describe('the list of service tokens', () => {
  test('covers the organization, oldest first, and by id within one millisecond', async () => {
    const tenant = await newOwner(testEnv)
    await newServiceToken(testEnv, await newOwner(testEnv))
    const make = async (name: string) => (await newServiceToken(testEnv, tenant, { name })).id as string
    testEnv.clock.freezeAt(testEnv.clock.now())
    const first = [await make('a'), await make('b'), await make('c'), await make('d')].toSorted()
    testEnv.clock.advance(1)
    const last = await make('e')
    testEnv.clock.run()
    const { tokens } = await testEnv.client.must('tokenList', { orgSlug: tenant.at.orgSlug }, { token: tenant.token })
    expect(tokens.map(({ id }: { id: string }) => id)).toEqual([...first, last])
  })
})

describe('a request with several credentials', () => {
  test('is refused with two of a kind, which includes a service token and an access token', async () => {
    const tenant = await newOwner(testEnv)
    const { token } = await newServiceToken(testEnv, tenant)
    const jwt = await testEnv.provider.tokenOf(tenant.user)
    const list = async (...credentials: string[]) => {
      const headers = { authorization: credentials.map((each) => `Bearer ${each}`).join(', ') }
      return (await testEnv.client.call('list', tenant.at, { headers })).status
    }
    expect(await list(token, token)).toBe(401)
    expect(await list(token, tenant.token)).toBe(401)
    expect(await list(tenant.token, 'svc_st_x')).toBe(401)
    expect(await list(token, `${jwt}x`)).toBe(200)
    expect(await list(jwt, 'svc_st_x')).toBe(200)
  })

  test('uses a valid provider token before a service token', async () => {
    const tenant = await newOwner(testEnv)
    const other = await newTenant(testEnv)
    const { token } = await newServiceToken(testEnv, tenant)
    const headers = { authorization: `Bearer ${token}, Bearer ${await testEnv.provider.tokenOf(other.user)}` }
    expect((await testEnv.client.call('list', other.at, { headers })).status).toBe(200)
    expect((await testEnv.client.call('list', tenant.at, { headers })).status).toBe(403)
  })

  test('is refused with a text that only looks like a token', async () => {
    const tenant = await newOwner(testEnv)
    const { token } = (await newServiceToken(testEnv, tenant)) as { token: string }
    const changed = [
      token.slice(0, -1),
      `${token}A`,
      token.replace('svc_st_', 'svc_at_'),
      token.replace('svc_st_', 'SVC_ST_'),
      token.replace('svc_st_', ''),
      `${token.slice(0, 20)}*${token.slice(20)}`,
      `${token}=`,
    ]
    for (const each of changed) expect(await codeOf('list', tenant.at, each), each).toBe('401 UNAUTHORIZED')
  })
})

describe.skipIf(onPostgres)('the operator', () => {
  const command = (...line: readonly [words: string, ...more: string[]]) => inServer(testEnv.app.dataDir, line)

  test('creates, lists and revokes service tokens of an organization, even if it has no admin', async () => {
    const tenant = await newTenant(testEnv)
    const { orgSlug } = tenant.at
    const create = `token create ci --org ${orgSlug} --project shop`
    await expect(command(create)).rejects.toThrow('There is no such place as the project shop')
    await write(testEnv, tenant, [secret('A', 'a')])
    const { token, ...fields } = (await command(create)) as ServiceToken & { token: string }
    expect(fields).toMatchObject({ name: 'ci', projectSlug: 'shop', readOnly: true, createdBy: 'operator' })
    expect(await codeOf('list', tenant.at, token)).toBe('ok')
    expect(await codeOf('list', { ...tenant.at, projectSlug: 'other' }, token)).toBe('403 FORBIDDEN')
    expect(await command(`token list --org ${orgSlug}`)).toEqual({ tokens: [{ ...fields, creator: 'operator' }] })
    expect(await command(`token revoke ${fields.id} --org ${orgSlug}`)).toEqual({ revoked: fields.id })
    expect(await codeOf('list', tenant.at, token)).toBe('401 UNAUTHORIZED')
  })

  test('cannot exceed the maximum lifetime, which is wrong usage', async () => {
    const app = await startTestApp({ SERVICE_TOKEN_DAYS: '90' }, { provider: testEnv.provider })
    const { orgSlug } = (await newTenant(app)).at
    const create = inServer(app.dataDir, [`token create ci --org ${orgSlug} --days 91`])
    await expect(create).rejects.toMatchObject({ code: 'USAGE', message: expect.stringContaining('(maximum 90)') })
  })

  test('receives errors that say what is wrong', async () => {
    const { orgSlug } = (await newTenant(testEnv)).at
    const create = `token create --org ${orgSlug}`
    await expect(command(create, ' ')).rejects.toThrow('Invalid NAME (expected 1 to 128 characters).')
    await expect(command(create, 'ci', '--project', 'not a slug')).rejects.toThrow('Invalid --project (expected a slug')
    await expect(command(create, 'ci', '--stage', 'prod')).rejects.toThrow('Invalid --stage (expected a slug, together')
    for (const days of ['0', '1.5', 'x', '3651']) {
      await expect(command(create, 'ci', '--days', days)).rejects.toThrow('Invalid --days (expected a whole number')
    }
    await expect(command('token create ci --org unknown')).rejects.toThrow('No organization has this slug or ID')
    await expect(command(`token revoke tok_unknown --org ${orgSlug}`)).rejects.toThrow(
      'The organization has no active service token with this ID: list the active tokens.',
    )
  })
})

describe('the lifetime of a service token', () => {
  test('has a maximum set by the operator, which does not shorten older tokens', async () => {
    const { provider } = testEnv
    const before = await startTestApp({}, { provider })
    const tenant = await newOwner({ client: before.client, provider })
    const { orgSlug } = tenant.at
    const older = await newServiceToken(before, tenant, { expiresInDays: 3_650 })
    await before.stop()
    const app = await startTestApp({ SERVICE_TOKEN_DAYS: '90' }, { provider, dataDir: before.dataDir })
    const create = (more: object) =>
      app.client.call('tokenCreate', { orgSlug, name: 'new', ...more }, { token: tenant.token })
    const daysOf = ({ body }: Answer): number => (body.expiresAtMs - body.createdAtMs) / (24 * 60 * 60_000)
    expect((await create({ expiresInDays: 91 })).body.error).toMatchObject({
      code: 'INVALID_REQUEST',
      message:
        'The token would be valid for 91 days (maximum 90): request fewer days. The operator sets the maximum with ROLLKEY_SERVICE_TOKEN_DAYS.',
    })
    expect(daysOf(await create({ expiresInDays: 90 }))).toBe(90)
    expect(daysOf(await create({}))).toBe(90)
    expect((await app.client.call('list', tenant.at, { token: older.token })).status).toBe(200)
  })
})
