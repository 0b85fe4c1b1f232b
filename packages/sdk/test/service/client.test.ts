import { describe, expect, test } from 'vitest'
import { usageOf } from '../../../server/testkit/app.ts'
import { newUser } from '../../../server/testkit/client.ts'
import { roll, secret } from '../../../server/testkit/entries.ts'
import { newOwner, newTenant, useTestEnv, write, type TestTenant } from '../../../server/testkit/test-env.ts'
import {
  createClient,
  loginByDevice,
  refreshTokens,
  type Client,
  type ClientOptions,
  type StageChange,
  type StageRef,
} from '../../src/index.ts'

const testEnv = useTestEnv()

/** Creates a client whose token has only an organization. */
function placeOf({ orgSlug }: { readonly orgSlug: string }): StageRef {
  return { org: orgSlug, project: 'shop', stage: 'prod' }
}

function clientOf({ at, token }: TestTenant, more: Partial<ClientOptions> = {}): Client {
  const place = { org: at.orgSlug, project: at.projectSlug, stage: at.stageSlug }
  return createClient({ url: testEnv.app.url, ...place, token, ...more })
}

describe('each method against the service', () => {
  test('values are parsed and come with their kind, source and decision', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('LIMIT', '9007199254740993', 'int64'), roll('FLOW', 1)])
    const client = clientOf(tenant)
    expect(await client.get('LIMIT')).toBe(9007199254740993n)
    expect(await client.inspect('FLOW', { seed: 'u' })).toEqual({
      name: 'FLOW',
      kind: 'ab_roll',
      value: 'A',
      text: 'A',
      decision: 'a',
      source: 'service',
    })
    expect(await client.getMany(['FLOW', 'LIMIT'])).toEqual({ FLOW: 'A', LIMIT: 9007199254740993n })
    expect(await client.for({ seed: 'u', key: 'k' }).pull()).toEqual({
      variables: { FLOW: 'A', LIMIT: '9007199254740993' },
      revision: 1,
    })
    await expect(client.get('MISSING')).rejects.toMatchObject({ code: 'VARIABLE_NOT_FOUND', status: 404 })
  })

  test('a roll is changed, explained and stopped without its values', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [roll('FLOW', 0)])
    const client = clientOf(tenant, { cache: false })
    const rules = [{ when: { plan: { in: ['pro'] } }, then: 'a' }] as const
    await client.update([{ name: 'FLOW', pin: { a: ['seed-1'], b: ['seed-2'] }, rules, labels: { a: 'on', b: 'off' } }])
    expect(await client.pins('FLOW')).toMatchObject({ a: ['seed-1'], b: ['seed-2'] })
    const context = { plan: 'pro' }
    const asked = [{ seed: 'seed-1' }, { seed: 'seed-2', context }, { seed: 'seed-3', context }, { seed: 'seed-3' }]
    const explained = await Promise.all(asked.map((each) => client.explain('FLOW', each)))
    expect(explained.map(({ decision, step }) => `${decision} ${step}`)).toEqual([
      'a pin',
      'b pin',
      'a rule',
      'b chance',
    ])
    const decided = await Promise.all(asked.map((each) => client.for(each).inspect('FLOW')))
    expect(decided.map(({ decision }) => decision)).toEqual(['a', 'b', 'a', 'b'])
    expect((await client.for({ seed: 'seed-3', context }).pull()).variables).toEqual({ FLOW: 'A' })
    const { revision } = await client.stopRoll('FLOW')
    expect(await client.inspect('FLOW', { seed: 'seed-1', context })).toMatchObject({ decision: 'b' })
    await client.restore(revision - 1, { names: ['FLOW'] })
    expect(await client.inspect('FLOW', { seed: 'seed-1' })).toMatchObject({ decision: 'a' })
    const conflict = client.update([{ name: 'FLOW', chance: 1 }], { ifRevision: 1 })
    await expect(conflict).rejects.toMatchObject({ code: 'REVISION_CONFLICT' })
  })

  test('a stage is written, described and watched', async () => {
    const client = clientOf(await newTenant(testEnv))
    const entries = [{ name: '__proto__', kind: 'secret', value: 'p', declaredType: 'string' } as const]
    expect(await client.write({ entries, ifRevision: 0 })).toMatchObject({ created: ['__proto__'], revision: 1 })
    expect(await client.list()).toMatchObject({
      variables: [{ name: '__proto__', declaredType: 'string' }],
      revision: 1,
    })
    expect(await client.manifest()).toMatchObject({ manifestVersion: 1, revision: 1 })
    expect((await client.digests()).variables[0]?.digests.value).toHaveLength(43)
    expect(Object.entries((await client.pull()).variables)).toEqual([['__proto__', 'p']])
    const changes: StageChange[] = []
    client.watch((change) => changes.push(change), { intervalMs: 20 })
    // Until the stream is open, a change is found by asking for the revision, which does not say the names.
    const namesAfter = async (value: string): Promise<readonly string[] | undefined> => {
      const { revision } = await client.write({ entries: [{ name: '__proto__', kind: 'secret', value }] })
      await expect.poll(() => changes.at(-1)?.revision).toBe(revision)
      return changes.at(-1)?.names
    }
    await expect.poll(() => namesAfter('another')).toEqual(['__proto__'])
    client.close()
  })

  test('the error for a missing stage names the nearest one', async () => {
    const client = clientOf(await newTenant(testEnv))
    await client.write({ entries: [{ name: 'A', kind: 'secret', value: 'a' }] })
    const error = await client
      .at({ stage: 'prd' })
      .pull()
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      code: 'STAGE_NOT_FOUND',
      message: 'The project "shop" has no stage "prd". Did you mean "prod"?',
    })
    expect((await client.projects()).projects).toMatchObject([
      { projectSlug: 'shop', stages: [{ stageSlug: 'prod', revision: 1, variables: 1 }] },
    ])
  })

  test('a session logs in, refreshes and logs out', async () => {
    const user = newUser('sdk-session')
    const url = testEnv.app.url
    const shown: string[] = []
    const first = await loginByDevice({
      url,
      clientName: 'test',
      onCode: async ({ userCode, verificationUriComplete }) => {
        shown.push(verificationUriComplete)
        await testEnv.client.must('deviceComplete', { userCode }, { token: await testEnv.provider.tokenOf(user) })
      },
    })
    expect(shown[0]).toContain('http')
    const pair = await refreshTokens({ url, refreshToken: first.refreshToken })
    const place = { org: 'sdk-session', project: 'shop', stage: 'prod' }
    const client = createClient({ url, ...place, token: pair.accessToken })
    expect(await client.whoami()).toMatchObject({ credential: 'session', orgSlug: 'sdk-session' })
    expect(await client.session.show()).toMatchObject({ idpUserId: user.userId })
    expect(await client.session.end(pair.refreshToken)).toMatchObject({ ok: true })
    await expect(client.whoami()).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })

  test('a stage is copied, its history is read and it is restored, also in the cache', async () => {
    const tenant = await newOwner(testEnv)
    const client = clientOf(tenant)
    await client.at({ stage: 'dev' }).write({ entries: [{ name: 'A', kind: 'secret', value: 'of dev' }] })
    await client.write({ entries: [{ name: 'A', kind: 'secret', value: 'first' }] })
    expect(await client.get('A')).toBe('first')
    expect(await client.copyFrom({ stage: 'dev' }, ['A'], { ifRevision: 1 })).toMatchObject({
      updated: ['A'],
      revision: 2,
    })
    expect(await client.get('A')).toBe('of dev')
    await expect(client.copyFrom({ stage: 'dev' }, ['A'], { fromRevision: 7 })).rejects.toMatchObject({
      code: 'REVISION_CONFLICT',
    })
    expect(await client.restore(1, { names: ['A'], ifRevision: 2 })).toMatchObject({ updated: ['A'], revision: 3 })
    expect(await client.get('A')).toBe('first')
    const { changes } = await client.history({ name: 'A', limit: 1 })
    expect(changes).toMatchObject([{ revision: 3, name: 'A', change: 'restored', writtenBy: tenant.user.userId }])
  })

  test('the counts of a roll are returned', async () => {
    const client = clientOf(await newTenant(testEnv))
    await client.write({ entries: [{ name: 'FLOW', kind: 'ab_roll', valueA: 'A', valueB: 'B', chance: 1 }] })
    await client.pull()
    testEnv.clock.doPeriodicWork()
    await expect.poll(async () => (await client.rollCounts('FLOW')).hours).toMatchObject([{ a: 1, b: 0 }])
    expect(await client.rollCounts('FLOW', { fromMs: testEnv.clock.now() + 3_600_000 })).toMatchObject({ hours: [] })
  })

  test('an organization is managed, and its audit log shows that', async () => {
    const tenant = await newOwner(testEnv)
    const { manage } = clientOf(tenant)
    await manage.project.create({ name: 'The Shop' })
    await manage.stage.create()
    await manage.stage.update({ archived: true })
    await manage.project.update({ name: 'Shop' })
    await manage.organization.update({ createsOnWrite: false })
    expect(await manage.organization.show()).toMatchObject({ createsOnWrite: false, plan: { name: 'unlimited' } })
    const { sessions } = await manage.sessions.list({ everyone: true })
    expect(sessions).toMatchObject([{ idpUserId: tenant.user.userId, isCurrent: true }])
    expect((await manage.usage({ months: 1 })).months).toMatchObject([{ evaluations: 0 }])
    const days = { from: '2020-01-01', to: '2099-12-31' }
    expect(await manage.usageCallers(days)).toMatchObject({ callers: [], more: false })
    expect(await manage.search({ query: 'a', limit: 5 })).toMatchObject({ variables: [], more: false })
    expect(await manage.recentHistory({ limit: 5 })).toMatchObject({ revisions: [] })
    expect(await manage.attention()).toMatchObject({ missing: [], overdue: [], expiringTokens: [], misfits: [] })
    expect(await manage.rolls({ limit: 5 })).toMatchObject({ rolls: [], more: false })
    const { entries } = await manage.audit({ projectSlug: 'shop', limit: 3 })
    expect(entries.map(({ action }) => action)).toEqual(['project.update', 'stage.update', 'stage.create'])
    await manage.sessions.revoke({ id: sessions[0]?.id ?? '' })
    await expect(manage.organization.show()).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })

  test('access is granted, explained and revoked, to people, groups and tokens', async () => {
    const client = clientOf(await newOwner(testEnv))
    const { manage } = client
    await client.write({ entries: [{ name: 'A', kind: 'secret', value: 'a' }] })
    const { projectSlug = '', stageSlug = '' } =
      (await client.projects()).projects.map((project) => ({
        projectSlug: project.projectSlug,
        stageSlug: project.stages[0]?.stageSlug,
      }))[0] ?? {}
    const place = { projectSlug, stageSlug }
    const { id } = await manage.groups.create({ name: 'Ops' })
    await manage.groups.update({ id, name: 'On call' })
    const { idpUserId = '' } = await client.whoami()
    const me = { kind: 'user', id: idpUserId } as const
    await manage.groups.change({ id, add: [me] })
    expect((await manage.groups.list()).groups).toMatchObject([{ id, name: 'On call', members: [me] }])
    await manage.roles.set({ name: 'auditor', verbs: ['list', 'manage'] })
    expect((await manage.roles.list()).roles.at(-1)).toMatchObject({ name: 'auditor', verbs: ['list', 'manage'] })
    const group = { kind: 'group', id } as const
    await manage.access.grant({
      ...place,
      principal: group,
      role: 'auditor',
      expiresAtMs: testEnv.clock.now() + 3_600_000,
    })
    expect((await manage.access.list(place)).grants).toMatchObject([{ principal: { ...group, name: 'On call' } }])
    expect((await manage.access.explain(place)).sources).toContainEqual(
      expect.objectContaining({ from: 'grant', role: 'auditor', verbs: ['list', 'manage'] }),
    )
    expect(await manage.access.holders({ verb: 'manage' })).toMatchObject({ holders: [{ principal: me, via: id }] })
    expect((await manage.stage.protect({ isProtected: true, dryRun: true })).losing).toMatchObject([
      { verbs: ['read', 'write'] },
    ])
    await manage.access.revoke({ ...place, principal: group })
    await manage.roles.delete({ name: 'auditor' })
    await manage.groups.delete({ id })
    expect((await manage.access.list()).grants).toEqual([])
    const session = (await manage.sessions.list()).sessions[0]
    await expect(manage.sessions.confirm({ id: session?.id ?? '' })).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })

  test('a service token is rotated: the former secret works until the overlap ends', async () => {
    const client = clientOf(await newOwner(testEnv))
    await client.write({ entries: [{ name: 'A', kind: 'secret', value: 'a' }] })
    const { id, token: former } = await client.tokens.create({ name: 'ci', projectSlug: 'shop', readOnly: true })
    const { token } = await client.tokens.rotate(id, { overlapHours: 0 })
    const at = placeOf(await client.whoami())
    expect(await createClient({ ...at, url: testEnv.app.url, token }).get('A')).toBe('a')
    await expect(createClient({ ...at, url: testEnv.app.url, token: former }).get('A')).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    })
  })

  test('a service token is created, listed, used and revoked', async () => {
    const client = clientOf(await newOwner(testEnv))
    await client.write({ entries: [{ name: 'A', kind: 'secret', value: 'a' }] })
    const { id, token } = await client.tokens.create({ name: 'ci', projectSlug: 'shop', readOnly: true })
    expect((await client.tokens.list()).tokens).toMatchObject([{ id, name: 'ci', readOnly: true }])
    const machine = createClient({ ...placeOf(await client.whoami()), url: testEnv.app.url, token })
    expect(await machine.get('A')).toBe('a')
    await expect(machine.write({ deletes: ['A'] })).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await client.tokens.revoke(id)).toMatchObject({ ok: true })
    await expect(machine.pull()).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })
})

describe('billing', () => {
  test('many gets of one tick are one event, and cached values are none', async () => {
    const tenant = await newTenant(testEnv)
    const names = Array.from({ length: 50 }, (_, i) => `N${i}`)
    await write(
      testEnv,
      tenant,
      names.map((name) => secret(name, name)),
    )
    const client = clientOf(tenant)
    expect(await Promise.all(names.map((name) => client.get(name)))).toEqual(names)
    await client.getMany(names)
    expect(await usageOf(testEnv.app, tenant.at.orgSlug)).toBe(1)
  })

  test.each<[string, (client: Client) => Promise<unknown>]>([
    ['an evaluation', (client) => client.get('A')],
    ['a batch', (client) => client.getMany(['A', 'B'])],
    ['a pull', (client) => client.pull()],
  ])('%s whose answer is lost is retried and billed once', async (_, call) => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('A', 'a'), secret('B', 'b')])
    let answers = 0
    const losing: typeof fetch = async (input, init) => {
      const response = await fetch(input, init)
      await response.arrayBuffer()
      if (++answers <= 2) throw new TypeError('fetch failed')
      return fetch(input, init)
    }
    await call(clientOf(tenant, { fetch: losing, retry: { baseDelayMs: 1 } }))
    expect(answers).toBe(3)
    expect(await usageOf(testEnv.app, tenant.at.orgSlug)).toBe(1)
  })
})
