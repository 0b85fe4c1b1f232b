import type { EndpointName, ServiceToken } from '@rollkey/contract'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { askServer } from '../src/admin/socket.ts'
import { Creators } from '../src/sessions/creators.ts'
import { startTestApp, usageOf } from '../testkit/app.ts'
import { newUser, type Answer } from '../testkit/client.ts'
import { onPostgres, query } from '../testkit/store.ts'
import {
  newDesk,
  newOwner,
  newServiceToken,
  secret,
  startWorld,
  write,
  type Desk,
  type World,
} from '../testkit/world.ts'

const day = 86_400_000
let world: World

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

async function codeOf(name: EndpointName, input: object, token: string): Promise<string> {
  const { status, body } = await world.client.call(name, input, { token })
  return status === 200 ? 'ok' : `${status} ${body.error.code}`
}

/** Twice, so that with two nodes each is asked. */
async function codesOf(name: EndpointName, input: object, token: string): Promise<string[]> {
  return [await codeOf(name, input, token), await codeOf(name, input, token)]
}

/** An owner whose stage has a variable A. */
async function ownerWithVariable(): Promise<Desk> {
  const desk = await newOwner(world)
  await write(world, desk, [secret('A', 'value of A')])
  return desk
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
  test('is shown once, and lasts a year unless told', async () => {
    const desk = await newOwner(world)
    world.clock.freezeAt(world.clock.now())
    const { token, requestId: _, ...made } = await newServiceToken(world, desk)
    expect(token).toMatch(/^svc_st_[A-Za-z0-9_-]{43}$/)
    const nowMs = world.clock.now()
    expect(made).toEqual({
      id: expect.stringMatching(/^tok_/),
      name: 'ci',
      readOnly: false,
      history: false,
      createdBy: desk.user.userId,
      createdAtMs: nowMs,
      expiresAtMs: nowMs + 365 * day,
    })
    world.clock.run()
    const { text, body } = await world.client.call('tokenList', { orgSlug: desk.at.orgSlug }, { token: desk.token })
    expect(body.tokens).toEqual([{ ...made, creator: 'member' }])
    expect(text).not.toContain(token)
  })

  test('does what a member does with variables', async () => {
    const desk = await ownerWithVariable()
    const { token } = await newServiceToken(world, desk)
    for (const [name, more] of reads) expect(await codesOf(name, { ...desk.at, ...more }, token)).toEqual(['ok', 'ok'])
    expect((await world.client.must('evaluate', { ...desk.at, name: 'A' }, { token })).value).toBe('value of A')
    await world.client.must('write', { ...desk.at, mode: 'upsert', entries: [secret('B', 'b')] }, { token })
    expect((await world.client.must('pull', desk.at, { token: desk.token })).variables).toMatchObject({ B: 'b' })
  })

  test('is billed to its organization', async () => {
    const desk = await ownerWithVariable()
    const { token } = await newServiceToken(world, desk)
    await world.client.must('evaluate', { ...desk.at, name: 'A' }, { token })
    expect(await usageOf(world.app, desk.at.orgSlug)).toBe(1)
  })

  test('writes in its own name', async () => {
    const desk = await newOwner(world)
    const { token, id } = await newServiceToken(world, desk)
    await world.client.must('write', { ...desk.at, mode: 'upsert', entries: [secret('OF_TOKEN', 'b')] }, { token })
    const text = `select v.updated_by, s.created_by as stage_by, p.created_by as project_by
      from variables v join stages s on s.id = v.stage_id join projects p on p.id = s.project_id where v.name = $1`
    const [row] = await query(world.app.dataDir, text, 'OF_TOKEN')
    expect({ ...row }).toEqual({ updated_by: id, stage_by: id, project_by: id })
  })

  test('outlives the membership of who made it, and an hour without the provider', async () => {
    const desk = await ownerWithVariable()
    const { token } = await newServiceToken(world, desk)
    world.provider.remove(desk.user)
    world.provider.isDown = true
    world.clock.advance(3_600_000)
    expect(await codesOf('list', desk.at, token)).toEqual(['ok', 'ok'])
    world.provider.isDown = false
    expect(await codesOf('list', desk.at, token)).toEqual(['ok', 'ok'])
  })

  test('tells whether who made it is still a member, as far as the provider can be asked', async () => {
    const desk = await newOwner(world)
    const { orgSlug } = desk.at
    const gone = await world.client.login({ ...newUser(orgSlug), userId: 'gone' })
    world.provider.setRole({ ...newUser(orgSlug), userId: 'gone' }, 'owner')
    await newServiceToken(world, desk, { name: 'mine' })
    await world.client.must('tokenCreate', { orgSlug, name: 'theirs' }, { token: gone.accessToken })
    const creators = async (): Promise<string[]> => {
      const { tokens } = await world.client.must('tokenList', { orgSlug }, { token: desk.token })
      return tokens.map(({ name, creator }: { name: string; creator: string }) => `${name} ${creator}`)
    }
    expect(await creators()).toEqual(['mine member', 'theirs member'])
    world.provider.remove({ ...newUser(orgSlug), userId: 'gone' })
    expect(await creators()).toEqual(['mine member', 'theirs left'])
    world.provider.restore({ ...newUser(orgSlug), userId: 'gone' })
  })

  test('does not wait for what the provider does not say of who made it', async () => {
    const silent = new Promise<never>(() => {})
    const creators = new Creators((_, userId) => (userId === 'silent' ? silent : Promise.resolve('member')))
    expect(Object.fromEntries(await creators.of('org', new Set(['silent', 'there'])))).toEqual({
      silent: 'unknown',
      there: 'member',
    })
  })

  test('says who it is', async () => {
    const desk = await newOwner(world)
    const reach = { projectSlug: 'shop', stageSlug: 'prod', readOnly: true }
    const { token, requestId: _, ...made } = await newServiceToken(world, desk, reach)
    const { orgId } = await world.client.must('session', {}, { token: desk.token })
    const { requestId: __, ...found } = await world.client.must('whoami', {}, { token })
    expect(found).toEqual({ credential: 'service', orgId, orgSlug: desk.at.orgSlug, serviceToken: made })
    expect(made).toMatchObject(reach)
  })

  test('tells its last use, also after a restart', async () => {
    const desk = await newOwner(world)
    const { token } = await newServiceToken(world, desk)
    world.clock.advance(5_000)
    const usedAtMs = world.clock.now()
    await world.client.must('list', desk.at, { token })
    await world.restart()
    const { tokens } = await world.client.must('tokenList', { orgSlug: desk.at.orgSlug }, { token: desk.token })
    expect(tokens[0].lastUsedAtMs).toBeGreaterThanOrEqual(usedAtMs)
    expect(await codesOf('list', desk.at, token)).toEqual(['ok', 'ok'])
  })
})

describe('the reach of a service token', () => {
  const elsewhere = [
    ['another project', { projectSlug: 'other' }],
    ['another stage', { stageSlug: 'other' }],
    ['another letter case', { stageSlug: 'PROD' }],
  ] as const

  test.each(elsewhere)('one of a stage does nothing in %s, and is not billed', async (_, other) => {
    const desk = await ownerWithVariable()
    const { token } = await newServiceToken(world, desk, { projectSlug: 'shop', stageSlug: 'prod' })
    for (const [name, more] of [...reads, ['write', empty] as const]) {
      expect(await codeOf(name, { ...desk.at, ...more }, token), name).toBe('ok')
      expect(await codeOf(name, { ...desk.at, ...more, ...other }, token), name).toBe('403 FORBIDDEN')
    }
    expect(await usageOf(world.app, desk.at.orgSlug)).toBe(3)
  })

  test('one of a project has all stages of it', async () => {
    const desk = await ownerWithVariable()
    const { token } = await newServiceToken(world, desk, { projectSlug: 'shop' })
    expect(await codeOf('write', { ...desk.at, ...empty, stageSlug: 'new' }, token)).toBe('ok')
    expect(await codeOf('list', { ...desk.at, stageSlug: 'other' }, token)).toBe('ok')
    const answer = await world.client.call('list', { ...desk.at, projectSlug: 'other' }, { token })
    expect(answer.body.error).toMatchObject({
      code: 'FORBIDDEN',
      message: 'The service token reaches only the project shop.',
    })
  })

  test('a read-only one reads everything and writes nothing', async () => {
    const desk = await ownerWithVariable()
    const { token } = await newServiceToken(world, desk, { readOnly: true })
    for (const [name, more] of reads) expect(await codeOf(name, { ...desk.at, ...more }, token), name).toBe('ok')
    for (const body of [empty, { ...empty, entries: [secret('B', 'b')] }, { ...empty, deletes: ['A'] }]) {
      expect(await codeOf('write', { ...desk.at, ...body }, token)).toBe('403 FORBIDDEN')
    }
    expect((await world.client.must('list', desk.at, { token })).revision).toBe(1)
  })

  test('the history and restores are for one that was created with history', async () => {
    const desk = await ownerWithVariable()
    await write(world, desk, [secret('A', 'new')])
    const { token: without } = await newServiceToken(world, desk)
    const { token: reader, history } = await newServiceToken(world, desk, { history: true, readOnly: true })
    const { token: writer } = await newServiceToken(world, desk, { history: true })
    expect(history).toBe(true)
    const restore = { ...desk.at, revision: 1 }
    const codes = async (token: string): Promise<string[]> => [
      await codeOf('history', desk.at, token),
      await codeOf('restore', restore, token),
    ]
    expect(await codes(without)).toEqual(['403 FORBIDDEN', '403 FORBIDDEN'])
    expect(await codes(reader)).toEqual(['ok', '403 FORBIDDEN'])
    expect(await codes(writer)).toEqual(['ok', 'ok'])
    const { body } = await world.client.call('history', desk.at, { token: without })
    expect(body.error.message).toMatch(/^The service token does not allow the history and restores/)
    const { serviceToken } = await world.client.must('whoami', {}, { token: without })
    expect(serviceToken.history).toBe(false)
  })

  test('is looked at after the shape and the organization, and before what is there', async () => {
    const desk = await newOwner(world)
    const reach = { projectSlug: 'shop', stageSlug: 'prod', readOnly: true }
    const { token } = await newServiceToken(world, desk, reach)
    const far = { ...desk.at, stageSlug: 'other' }
    expect(await codeOf('evaluate', { ...far, name: '' }, token)).toBe('400 INVALID_REQUEST')
    expect(await codeOf('evaluate', { ...far, name: 'A', orgSlug: 'other' }, token)).toBe('403 INVALID_ORG_SCOPE')
    expect(await codeOf('evaluate', { ...far, name: 'A' }, token)).toBe('403 FORBIDDEN')
    expect(await codeOf('evaluate', { ...desk.at, name: 'A' }, token)).toBe('404 VARIABLE_NOT_FOUND')
    const conflict = { ...desk.at, ...empty, entries: [secret('B', 'b')], ifRevision: 7 }
    expect(await codeOf('write', conflict, token)).toBe('403 FORBIDDEN')
  })

  test('ends before people, sessions and tokens', async () => {
    const desk = await newOwner(world)
    const { token, id } = await newServiceToken(world, desk)
    const { orgSlug } = desk.at
    expect(await codeOf('tokenCreate', { orgSlug, name: 'more' }, token)).toBe('403 FORBIDDEN')
    expect(await codeOf('tokenList', { orgSlug }, token)).toBe('403 FORBIDDEN')
    expect(await codeOf('tokenRevoke', { orgSlug, id }, token)).toBe('403 FORBIDDEN')
    expect(await codeOf('session', {}, token)).toBe('401 UNAUTHORIZED')
    expect(await codeOf('logout', { refreshToken: desk.refreshToken }, token)).toBe('401 UNAUTHORIZED')
    expect(await codeOf('deviceComplete', { userCode: 'ABCDEFGH' }, token)).toBe('401 UNAUTHORIZED')
    expect(await codeOf('tokenRefresh', { refreshToken: token }, token)).toBe('401 INVALID_REFRESH_TOKEN')
    expect(await codesOf('list', desk.at, token)).toEqual(['ok', 'ok'])
  })
})

describe('the end of a service token', () => {
  test('comes at the very millisecond of its expiry', async () => {
    const desk = await newOwner(world)
    const { token, id, createdAtMs, expiresAtMs } = await newServiceToken(world, desk, { expiresInDays: 1 })
    expect(expiresAtMs).toBe(createdAtMs + day)
    const ids = async () => {
      const admin = { token: await world.provider.tokenOf(desk.user) }
      const { tokens } = await world.client.must('tokenList', { orgSlug: desk.at.orgSlug }, admin)
      return tokens.map((each: { id: string }) => each.id)
    }
    world.clock.freezeAt(expiresAtMs - 1)
    expect([await codesOf('list', desk.at, token), await ids()]).toEqual([['ok', 'ok'], [id]])
    world.clock.freezeAt(expiresAtMs)
    expect([await codesOf('list', desk.at, token), await ids()]).toEqual([['401 UNAUTHORIZED', '401 UNAUTHORIZED'], []])
    world.clock.run()
  })

  test('by revocation is seen by the next request, on every node', async () => {
    const desk = await newOwner(world)
    for (let round = 0; round < 5; round++) {
      const { token, id } = await newServiceToken(world, desk)
      expect(await codesOf('list', desk.at, token)).toEqual(['ok', 'ok'])
      await world.client.must('tokenRevoke', { orgSlug: desk.at.orgSlug, id }, { token: desk.token })
      for (const name of ['list', 'pull', 'whoami'] as const) {
        expect(await codesOf(name, desk.at, token)).toEqual(['401 UNAUTHORIZED', '401 UNAUTHORIZED'])
      }
    }
  })

  test('is given by exactly one of 64 revocations', async () => {
    const desk = await newOwner(world)
    const { id } = await newServiceToken(world, desk)
    const revoke = () => codeOf('tokenRevoke', { orgSlug: desk.at.orgSlug, id }, desk.token)
    const codes = await Promise.all(Array.from({ length: 64 }, revoke))
    expect(codes.toSorted()).toEqual([...Array.from({ length: 63 }, () => '404 NOT_FOUND'), 'ok'])
  })

  test('comes by its own organization only, and to nothing but service tokens', async () => {
    const desk = await newOwner(world)
    const other = await newOwner(world)
    const { token, id } = await newServiceToken(world, desk)
    const [session] = await query(world.app.dataDir, 'select id from sessions where user_id = $1', desk.user.userId)
    const revoke = (by: Desk, of: unknown) => codeOf('tokenRevoke', { orgSlug: by.at.orgSlug, id: of }, by.token)
    expect(await revoke(other, id)).toBe('404 NOT_FOUND')
    expect(await revoke(desk, session?.['id'])).toBe('404 NOT_FOUND')
    expect(await revoke(desk, 'tok_unknown')).toBe('404 NOT_FOUND')
    for (const odd of ['', '\u0000', '\ud800', "'; --", 1]) expect(await revoke(desk, odd)).toBe('400 INVALID_REQUEST')
    expect(await codesOf('list', desk.at, token)).toEqual(['ok', 'ok'])
    expect(await codeOf('session', {}, desk.token)).toBe('ok')
  })
})

describe('the list of service tokens', () => {
  test('is of the organization, the oldest first, and by id what is of one moment', async () => {
    const desk = await newOwner(world)
    await newServiceToken(world, await newOwner(world))
    const make = async (name: string) => (await newServiceToken(world, desk, { name })).id as string
    world.clock.freezeAt(world.clock.now())
    const first = [await make('a'), await make('b'), await make('c'), await make('d')].toSorted()
    world.clock.advance(1)
    const last = await make('e')
    world.clock.run()
    const { tokens } = await world.client.must('tokenList', { orgSlug: desk.at.orgSlug }, { token: desk.token })
    expect(tokens.map(({ id }: { id: string }) => id)).toEqual([...first, last])
  })
})

describe('credentials', () => {
  test('two of a kind count as none, a service token and an access token being of one', async () => {
    const desk = await newOwner(world)
    const { token } = await newServiceToken(world, desk)
    const jwt = await world.provider.tokenOf(desk.user)
    const list = async (...credentials: string[]) => {
      const headers = { authorization: credentials.map((each) => `Bearer ${each}`).join(', ') }
      return (await world.client.call('list', desk.at, { headers })).status
    }
    expect(await list(token, token)).toBe(401)
    expect(await list(token, desk.token)).toBe(401)
    expect(await list(desk.token, 'svc_st_x')).toBe(401)
    expect(await list(token, `${jwt}x`)).toBe(200)
    expect(await list(jwt, 'svc_st_x')).toBe(200)
  })

  test('a valid provider token goes before a service token', async () => {
    const desk = await newOwner(world)
    const other = await newDesk(world)
    const { token } = await newServiceToken(world, desk)
    const headers = { authorization: `Bearer ${token}, Bearer ${await world.provider.tokenOf(other.user)}` }
    expect((await world.client.call('list', other.at, { headers })).status).toBe(200)
    expect((await world.client.call('list', desk.at, { headers })).status).toBe(403)
  })

  test('what only looks like the token is none', async () => {
    const desk = await newOwner(world)
    const { token } = (await newServiceToken(world, desk)) as { token: string }
    const changed = [
      token.slice(0, -1),
      `${token}A`,
      token.replace('svc_st_', 'svc_at_'),
      token.replace('svc_st_', 'SVC_ST_'),
      token.replace('svc_st_', ''),
      `${token.slice(0, 20)}*${token.slice(20)}`,
      `${token}=`,
    ]
    for (const each of changed) expect(await codeOf('list', desk.at, each), each).toBe('401 UNAUTHORIZED')
  })
})

describe.skipIf(onPostgres)('the operator', () => {
  const command = (name: string, ...args: string[]) => askServer(world.app.dataDir, name, args)

  test('makes, lists and ends service tokens of an organization, also where nobody is an admin', async () => {
    const desk = await newDesk(world)
    const { orgSlug } = desk.at
    const { token, ...told } = (await command('token-create', orgSlug, 'ci', 'shop')) as ServiceToken & {
      token: string
    }
    expect(told).toMatchObject({ name: 'ci', projectSlug: 'shop', readOnly: false, createdBy: 'operator' })
    expect(await codeOf('list', desk.at, token)).toBe('ok')
    expect(await codeOf('list', { ...desk.at, projectSlug: 'other' }, token)).toBe('403 FORBIDDEN')
    expect(await command('token-list', orgSlug)).toEqual({ tokens: [{ ...told, creator: 'operator' }] })
    expect(await command('token-revoke', orgSlug, told.id)).toEqual({ revoked: told.id })
    expect(await codeOf('list', desk.at, token)).toBe('401 UNAUTHORIZED')
  })

  test('is told what is wrong', async () => {
    const { orgSlug } = (await newDesk(world)).at
    const notValid = 'NAME must be 1 to 128 characters, PROJECT and STAGE must be slugs.'
    await expect(command('token-create', orgSlug, ' ')).rejects.toThrow(notValid)
    await expect(command('token-create', orgSlug, 'ci', 'not a slug')).rejects.toThrow(notValid)
    await expect(command('token-create', 'nobody', 'ci')).rejects.toThrow(
      'There is no organization of this slug or id.',
    )
    await expect(command('token-revoke', orgSlug, 'tok_unknown')).rejects.toThrow(
      'The organization has no service token of this id.',
    )
  })
})

describe('the lifetime of a service token', () => {
  test('has a limit of the operator, which older tokens outlive', async () => {
    const { provider, clock } = world
    const before = await startTestApp(provider, clock)
    const desk = await newOwner({ client: before.client, provider })
    const { orgSlug } = desk.at
    const older = await newServiceToken(before, desk, { expiresInDays: 3_650 })
    await before.stop()
    const app = await startTestApp(provider, clock, { SERVICE_TOKEN_DAYS: '90' }, before.dataDir)
    onTestFinished(() => app.close())
    const create = (more: object) =>
      app.client.call('tokenCreate', { orgSlug, name: 'new', ...more }, { token: desk.token })
    const daysOf = ({ body }: Answer): number => (body.expiresAtMs - body.createdAtMs) / (24 * 60 * 60_000)
    expect((await create({ expiresInDays: 91 })).body.error).toMatchObject({
      code: 'INVALID_REQUEST',
      message:
        'The token would be valid for 91 days (maximum 90): ask for fewer in expiresInDays, or ask the operator to raise ROLLKEY_SERVICE_TOKEN_DAYS.',
    })
    expect(daysOf(await create({ expiresInDays: 90 }))).toBe(90)
    expect(daysOf(await create({}))).toBe(90)
    expect((await app.client.call('list', desk.at, { token: older.token })).status).toBe(200)
  })
})
