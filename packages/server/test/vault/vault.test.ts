/** Tests the paths of the Vault protocol: their answers, errors, rights and bills (docs/vault.md). */
import { describe, expect, test } from 'vitest'
import { usageOf } from '../../testkit/app.ts'
import { roll, secret } from '../../testkit/entries.ts'
import {
  newOwner,
  newServiceToken,
  startTestEnv,
  tenantAt,
  useTestEnv,
  write,
  type TestTenant,
} from '../../testkit/test-env.ts'
import { VaultClient } from '../../testkit/vault.ts'

const testEnv = useTestEnv()
const absent = { status: 404, body: { errors: [] } }
const refused = { status: 403, body: { errors: expect.arrayContaining(['permission denied']) } }

/** Creates an owner with a stage `shop/prod`, and a client. */
async function scene(entries: object[] = [secret('A', 'first'), secret('B', '"ü\n')]) {
  const tenant = await newOwner(testEnv)
  await write(testEnv, tenant, entries)
  const vault = new VaultClient(testEnv.app.url)
  const tokenOf = async (more: object = {}): Promise<string> =>
    (await newServiceToken(testEnv, tenant, { role: 'developer', ...more })).token
  const must = (name: Parameters<typeof testEnv.client.must>[0], input: object = {}) =>
    testEnv.client.must(name, { ...tenant.at, ...input }, { token: tenant.token })
  return { tenant, vault, tokenOf, must, used: () => usageOf(testEnv.app, tenant.at.orgSlug) }
}

describe('a read', () => {
  test('of a stage has its variables, in one billing event', async () => {
    const { vault, tokenOf, used } = await scene()
    const token = await tokenOf()
    const { status, body, headers } = await vault.get('shop/data/prod', { token })
    expect([status, body.data, body.warnings]).toEqual([
      200,
      { data: { A: 'first', B: '"ü\n' }, metadata: expect.objectContaining({ version: 1 }) },
      null,
    ])
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body.request_id).toBe(headers.get('x-request-id'))
    expect(await used()).toBe(1)
    // As one of Go's clients, with a slash at the end of its address.
    expect(await vault.get('shop/data/prod/', { token })).toMatchObject({ status: 200 })
    const answer = await fetch(`${testEnv.app.url}/vault//v1/shop/data/prod`, { headers: { 'x-vault-token': token } })
    expect(answer.status).toBe(200)
  })

  test('of a variable has its value and the revision of its last write, in one billing event', async () => {
    const { tenant, vault, tokenOf, used } = await scene()
    const token = await tokenOf()
    await write(testEnv, tenant, [secret('B', 'second')])
    await write(testEnv, tenant, [secret('a/b c%', 'odd')])
    for (const [path, value, version] of [
      ['A', 'first', 1],
      ['B', 'second', 2],
      ['a%2Fb%20c%25', 'odd', 3],
      ['a/b%20c%25', 'odd', 3],
    ] as const) {
      const { body } = await vault.get(`shop/data/prod/${path}`, { token })
      expect([body.data.data, body.data.metadata.version]).toEqual([{ value }, version])
    }
    expect(await used()).toBe(4)
  })

  test('of a stage leaves out rolls that depend on chance, and says so', async () => {
    const { tenant, vault, tokenOf, used } = await scene([
      secret('A', 'a'),
      roll('ALL', 1),
      roll('HALF', 0.5),
      {
        ...roll('RULED', 0),
        rules: [{ when: { plan: { in: ['pro'] } }, then: 'a' }],
      },
    ])
    const token = await tokenOf()
    const { body } = await vault.get('shop/data/prod', { token })
    expect(body.data.data).toEqual({ A: 'a', ALL: 'A', RULED: 'B' })
    expect(body.warnings).toEqual([expect.stringContaining('"HALF" is left out')])
    expect(await used()).toBe(1)
    expect((await vault.get('shop/data/prod/ALL', { token })).body.data.data).toEqual({ value: 'A' })
    const half = await vault.get('shop/data/prod/HALF', { token })
    expect([half.status, half.body.errors]).toEqual([400, [expect.stringContaining('is a roll')]])
    // A refusal is not billed.
    expect(await used()).toBe(2)
    await write(testEnv, tenant, [secret('HALF', 'now a secret')])
    expect((await vault.get('shop/data/prod?version=1', { token })).status).toBe(403)
    const historian = await tokenOf({ history: true })
    const past = await vault.get('shop/data/prod?version=1', { token: historian })
    expect([past.body.data.data, past.body.warnings.length]).toEqual([{ A: 'a', ALL: 'A', RULED: 'B' }, 1])
    expect(await vault.get('shop/data/prod/HALF?version=1', { token: historian })).toMatchObject({ status: 400 })
  })

  test('of an earlier version needs the right to the history', async () => {
    const { tenant, vault, tokenOf, must, used } = await scene()
    await write(testEnv, tenant, [secret('A', 'second'), secret('__proto__', 'p')])
    await must('write', { mode: 'upsert', deletes: ['B'] })
    const [token, historian] = [await tokenOf(), await tokenOf({ history: true })]
    for (const path of ['shop/data/prod?version=1', 'shop/data/prod/A?version=1', 'shop/data/prod/B?version=1'])
      expect(await vault.get(path, { token })).toMatchObject(refused)
    for (const path of ['shop/data/prod?version=3', 'shop/data/prod?version=0', 'shop/data/prod/A?version=2'])
      expect(await vault.get(path, { token })).toMatchObject({ status: 200 })
    const before = await used()
    const read = async (path: string) => (await vault.get(path, { token: historian })).body.data
    expect(await read('shop/data/prod?version=1')).toMatchObject({
      data: { A: 'first', B: '"ü\n' },
      metadata: { version: 1 },
    })
    expect(Object.entries((await read('shop/data/prod?version=2')).data)).toEqual([
      ['A', 'second'],
      ['B', '"ü\n'],
      ['__proto__', 'p'],
    ])
    expect(await read('shop/data/prod/B?version=1')).toMatchObject({
      data: { value: '"ü\n' },
      metadata: { version: 1 },
    })
    expect(await used()).toBe(before + 3)
    for (const path of ['prod?version=4', 'prod/A?version=3', 'prod/B?version=3', 'prod/B', 'prod/MISSING?version=1'])
      expect(await vault.get(`shop/data/${path}`, { token: historian })).toMatchObject(absent)
    for (const version of ['x', '-1', '1.5'])
      expect(await vault.get(`shop/data/prod?version=${version}`, { token })).toMatchObject({ status: 400 })
    expect(await used()).toBe(before + 3)
  })

  test('of what is not there is 404 where the token may read, and 403 where it may not', async () => {
    const { tenant, vault, tokenOf, used } = await scene()
    await write(testEnv, tenantAt(tenant, { projectSlug: 'blog' }), [secret('A', 'a')])
    const [wide, narrow] = [await tokenOf(), await tokenOf({ projectSlug: 'shop', stageSlug: 'prod', role: 'reader' })]
    const lister = await tokenOf({ projectSlug: 'shop', role: 'viewer' })
    const missing = [
      'shop/data/typo',
      'typo/data/prod',
      'shop/data/prod/TYPO',
      'shop/subkeys/typo',
      'shop/metadata/typo',
    ]
    for (const path of missing) expect(await vault.get(path, { token: wide }), path).toMatchObject(absent)
    for (const path of ['shop/data/typo', 'typo/data/prod', 'blog/data/prod', 'blog/data/prod/A', 'blog/metadata/prod'])
      expect(await vault.get(path, { token: narrow }), path).toMatchObject(refused)
    expect(await vault.get('shop/data/prod/TYPO', { token: narrow })).toMatchObject(absent)
    for (const path of ['shop/data/prod', 'shop/data/prod/A', 'shop/data/typo', 'shop/data/prod/TYPO'])
      expect(await vault.get(path, { token: lister }), path).toMatchObject(refused)
    expect(await used()).toBe(0)
  })

  test('of a stage that a person may not see is refused in the same words as one that does not exist', async () => {
    const { tenant, vault, must } = await scene()
    await must('organizationUpdate', { defaultRole: 'none' })
    const member = { ...tenant.user, userId: `${tenant.user.userId}-member` }
    const { accessToken: token } = await testEnv.client.login(member)
    const answers = await Promise.all(
      ['shop', 'typo'].map(async (project) => {
        const { status, text } = await vault.get(`${project}/data/prod`, { token })
        return [status, text.replaceAll('typo', 'shop')]
      }),
    )
    expect(answers[0]).toEqual(answers[1])
    expect(answers[0]?.[0]).toBe(403)
  })

  test('of a large stage is sent in pieces', async () => {
    const big = 'ü'.repeat(20_000)
    const { vault, tokenOf } = await scene(Array.from({ length: 40 }, (_, index) => secret(`BIG_${index}`, big)))
    const { body } = await vault.get('shop/data/prod', { token: await tokenOf() })
    expect(Object.values(body.data.data)).toEqual(Array(40).fill(big))
  })

  test('of a stage without variables is an empty secret', async () => {
    const { vault, tokenOf, must } = await scene()
    await must('write', { mode: 'upsert', deletes: ['A', 'B'] })
    const { status, body } = await vault.get('shop/data/prod', { token: await tokenOf() })
    expect([status, body.data.data, body.data.metadata.version]).toEqual([200, {}, 2])
  })
})

describe('a write', () => {
  test('sets one variable, which keeps its type and description', async () => {
    const { vault, tokenOf, must } = await scene([{ ...secret('N', '1', 'int64'), description: 'count' }])
    const token = await tokenOf()
    const answer = await vault.put('shop/data/prod/N', { data: { value: '2' } }, { token })
    expect([answer.status, answer.body.data.version]).toEqual([200, 2])
    expect((await must('list')).variables).toMatchObject([{ name: 'N', declaredType: 'int64', description: 'count' }])
    expect(await vault.send('POST', 'shop/data/new/X', { token, body: { data: { value: 'x' } } })).toMatchObject({
      status: 200,
      body: { data: { version: 1 } },
    })
    const wrong = await vault.put('shop/data/prod/N', { data: { value: 'CANARY' } }, { token })
    expect([wrong.status, wrong.text.includes('CANARY')]).toEqual([400, false])
  })

  test('with cas is made only if the variable has that version', async () => {
    const { vault, tokenOf } = await scene()
    const token = await tokenOf()
    const put = async (name: string, cas: number, value = 'x') =>
      (await vault.put(`shop/data/prod/${name}`, { data: { value }, options: { cas } }, { token })).body
    const mismatch = { errors: ['check-and-set parameter did not match the current version'] }
    expect(await put('A', 0)).toEqual(mismatch)
    expect(await put('NEW', 1)).toEqual(mismatch)
    expect(await put('NEW', 0)).toMatchObject({ data: { version: 2 } })
    // The revision of the stage is 2, and A was last written at 1.
    expect(await put('A', 2)).toEqual(mismatch)
    expect(await put('A', 1)).toMatchObject({ data: { version: 3 } })
    expect(await put('A', 1)).toEqual(mismatch)
    expect(await put('A', 3)).toMatchObject({ data: { version: 4 } })
    for (const cas of ['1', -1, 1.5, true])
      expect(await vault.put('shop/data/prod/A', { data: { value: 'x' }, options: { cas } }, { token })).toMatchObject({
        status: 400,
      })
  })

  test('of many at once with the same cas is made once', async () => {
    const { vault, tokenOf } = await scene()
    const token = await tokenOf()
    const nodes = testEnv.app.urls.map((url) => new VaultClient(url))
    const nodeOf = (each: number) => nodes[each % nodes.length] as VaultClient
    for (let round = 0; round < 5; round++) {
      const { body } = await vault.get('shop/data/prod/A', { token })
      const { version } = body.data.metadata as { version: number }
      const writes = [...Array(12).keys()].map((each) =>
        nodeOf(each).put(
          'shop/data/prod/A',
          { data: { value: `${round} ${each}` }, options: { cas: version } },
          { token },
        ),
      )
      // Others of the same stage, which share transactions.
      const others = [...Array(12).keys()].map((each) =>
        vault.put(`shop/data/prod/OTHER_${each}`, { data: { value: `${round}` } }, { token }),
      )
      const statuses = (await Promise.all(writes)).map(({ status }) => status)
      expect(statuses.toSorted((a, b) => a - b)).toEqual([200, ...Array<number>(11).fill(400)])
      expect((await Promise.all(others)).every(({ status }) => status === 200)).toBe(true)
    }
  })

  test('of some variables of a stage merges, and null deletes', async () => {
    const { vault, tokenOf } = await scene()
    const token = await tokenOf({ history: true })
    const patch = (data: object, options?: object, stage = 'prod') =>
      vault.patch(`shop/data/${stage}`, { data, ...(options && { options }) }, { token })
    expect((await patch({ A: 'changed', B: null, C: 'new' })).body.data.version).toBe(2)
    expect((await vault.get('shop/data/prod', { token })).body.data.data).toEqual({ A: 'changed', C: 'new' })
    expect(await patch({ A: 'x' }, { cas: 1 })).toMatchObject({ status: 400 })
    expect(await patch({ A: 'x' }, { cas: 2 })).toMatchObject({ status: 200 })
    expect(await patch({ A: 'x' }, undefined, 'typo')).toMatchObject(absent)
    expect(await vault.get('shop/data/typo', { token })).toMatchObject(absent)
    expect((await patch({ A: 1 })).body.errors).toEqual(['value of "A" must be a string.'])
  })

  test.each([
    ['no data', {}],
    ['a list', { data: [] }],
    ['null', { data: null }],
    ['several keys', { data: { value: 'x', more: 'y' } }],
    ['another key', { data: { password: 'x' } }],
    ['a number', { data: { value: 1 } }],
    ['null as the value', { data: { value: null } }],
  ])('of one variable with %s is refused', async (_, body) => {
    const { vault, tokenOf, must } = await scene()
    const token = await tokenOf()
    expect(await vault.put('shop/data/prod/A', body, { token })).toMatchObject({ status: 400 })
    expect(await vault.send('PUT', 'shop/data/prod/A', { token, raw: '{' })).toMatchObject({ status: 400 })
    expect((await must('list')).revision).toBe(1)
  })

  test('needs the verb, and no protected stage takes it', async () => {
    const { tenant, vault, tokenOf, must } = await scene()
    const reader = await tokenOf({ role: 'reader' })
    const body = { data: { value: 'x' } }
    for (const path of ['shop/data/prod/A', 'shop/data/new/A', 'new/data/new/A'])
      expect(await vault.put(path, body, { token: reader })).toMatchObject(refused)
    expect(await vault.patch('shop/data/prod', { data: { A: 'x' } }, { token: reader })).toMatchObject(refused)
    const writer = await tokenOf({ projectSlug: 'shop', stageSlug: 'prod' })
    const confirmed = await testEnv.provider.confirmedTokenOf(tenant.user)
    const protect = { ...tenant.at, isProtected: true, approvals: 1 }
    await testEnv.client.must('stageProtect', protect, { token: confirmed })
    const answers = [
      await vault.put('shop/data/prod/A', body, { token: writer }),
      await vault.patch('shop/data/prod', { data: { A: 'x' } }, { token: writer }),
    ]
    for (const answer of answers) expect(answer).toMatchObject(refused)
    expect(answers[0]?.body.errors[1]).toContain('need an approval')
    expect((await must('list')).revision).toBe(1)
    // A token for the whole organization reads a protected stage only with a grant on it.
    expect(await vault.get('shop/data/prod', { token: await tokenOf() })).toMatchObject(refused)
    expect(await vault.get('shop/data/prod', { token: writer })).toMatchObject({ status: 200 })
    // A person confirms who they are first.
    expect(await vault.get('shop/data/prod', { token: tenant.token })).toMatchObject(refused)
  })
})

describe('lists', () => {
  test('have projects, stages and names that the caller may list, by LIST and GET', async () => {
    const { tenant, vault, tokenOf } = await scene()
    await write(testEnv, tenantAt(tenant, { stageSlug: 'dev' }), [secret('A', 'a')])
    await write(testEnv, tenantAt(tenant, { projectSlug: 'blog' }), [secret('Z', 'z')])
    const [wide, narrow] = [await tokenOf(), await tokenOf({ projectSlug: 'shop', stageSlug: 'dev' })]
    const keysAt = async (path: string, token: string) => {
      const answers = [
        await vault.list(path, { token }),
        await vault.get(`${path}?list=true`, { token }),
        await vault.list(`${path}/`, { token }),
      ]
      for (const { body } of answers) expect(body.data).toEqual(answers[0]?.body.data)
      return answers[0]?.body.data?.keys
    }
    expect(await keysAt('shop/metadata', wide)).toEqual(['dev', 'prod'])
    expect(await keysAt('shop/metadata', narrow)).toEqual(['dev'])
    expect(await keysAt('shop/metadata/prod', wide)).toEqual(['A', 'B'])
    expect(await vault.list('shop/metadata/prod', { token: narrow })).toMatchObject(refused)
    expect(await vault.list('blog/metadata', { token: narrow })).toMatchObject(refused)
    for (const path of ['typo/metadata', 'shop/metadata/typo', 'shop/metadata/prod/A'])
      expect(await vault.list(path, { token: wide })).toMatchObject(absent)
    for (const [token, mounts] of [
      [wide, ['blog/', 'shop/']],
      [narrow, ['shop/']],
    ] as const) {
      expect(Object.keys((await vault.get('sys/mounts', { token })).body.data)).toEqual(mounts)
      expect((await vault.list('sys/mounts', { token })).body.data.keys).toEqual(mounts)
      expect(Object.keys((await vault.get('sys/internal/ui/mounts', { token })).body.data.secret)).toEqual(mounts)
    }
    for (const path of ['sys/mounts/shop', 'sys/internal/ui/mounts/shop/prod/A']) {
      const { body } = await vault.get(path, { token: narrow })
      expect(body.data).toMatchObject({ type: 'kv', options: { version: '2' } })
    }
    expect(await vault.get('sys/internal/ui/mounts/blog/prod', { token: narrow })).toMatchObject(refused)
  })

  test('of versions have those that the token may read', async () => {
    const { tenant, vault, tokenOf, used } = await scene()
    await write(testEnv, tenant, [secret('A', 'second')])
    const [token, historian] = [await tokenOf(), await tokenOf({ history: true })]
    const versionsAt = async (path: string, as: string) => {
      const { body } = await vault.get(path, { token: as })
      const { current_version: current, oldest_version: oldest, versions } = body.data
      return [current, oldest, Object.keys(versions)]
    }
    expect(await versionsAt('shop/metadata/prod', token)).toEqual([2, 2, ['2']])
    expect(await versionsAt('shop/metadata/prod', historian)).toEqual([2, 1, ['1', '2']])
    expect(await versionsAt('shop/metadata/prod/A', historian)).toEqual([2, 1, ['1', '2']])
    expect(await versionsAt('shop/metadata/prod/B', historian)).toEqual([1, 1, ['1']])
    const { body } = await vault.get('shop/subkeys/prod', { token })
    expect(body.data).toMatchObject({ subkeys: { A: null, B: null }, metadata: { version: 2 } })
    expect((await vault.get('shop/subkeys/prod/B', { token })).body.data).toMatchObject({
      subkeys: { value: null },
      metadata: { version: 1 },
    })
    expect(await used()).toBe(0)
  })
})

describe('a token', () => {
  test('that is missing, wrong, sent twice or ended is refused with 403', async () => {
    const { tenant, vault, tokenOf, must } = await scene()
    const { id, token: revoked } = await newServiceToken(testEnv, tenant, { role: 'reader' })
    expect(await vault.get('shop/data/prod', { token: revoked })).toMatchObject({ status: 200 })
    await must('tokenRevoke', { id })
    const token = await tokenOf()
    const provider = await testEnv.provider.tokenOf(tenant.user)
    for (const each of [undefined, '', 'root', 'hvs.abc', revoked, `${token}x`, `${token}, ${token}`, provider]) {
      for (const path of ['shop/data/prod', 'shop/metadata', 'auth/token/lookup-self', 'sys/mounts', 'typo/data/typo'])
        expect(await vault.get(path, { token: each }), `${path} ${each}`).toMatchObject(refused)
    }
    // As some clients send it.
    expect(await vault.get('shop/data/prod', { headers: { authorization: `Bearer ${token}` } })).toMatchObject({
      status: 200,
    })
    expect(await vault.get('shop/data/prod', { token, headers: { origin: 'https://page.example' } })).toMatchObject(
      refused,
    )
  })

  test('belongs to the organization that a namespace names', async () => {
    const { tenant, vault, tokenOf } = await scene()
    const token = await tokenOf()
    const { orgSlug } = tenant.at
    for (const namespace of [orgSlug, `${orgSlug}/`, `/${orgSlug}`, ''])
      expect(await vault.get('shop/data/prod', { token, namespace })).toMatchObject({ status: 200 })
    for (const [method, path] of [
      ['GET', 'shop/data/prod'],
      ['LIST', 'shop/metadata'],
      ['PUT', 'shop/data/prod/A'],
      ['GET', 'auth/token/lookup-self'],
      ['GET', 'sys/mounts'],
      ['POST', 'sys/capabilities-self'],
    ] as const)
      expect(
        await vault.send(method, path, {
          token,
          namespace: 'other',
          ...(method.startsWith('P') && { body: { data: { value: 'x' } } }),
        }),
        path,
      ).toMatchObject(refused)
  })

  test('tells its lease, is not renewed, and ends if it is of a login', async () => {
    const { tenant, vault, tokenOf } = await scene()
    const service = await tokenOf()
    const { body } = await vault.get('auth/token/lookup-self', { token: service })
    expect(body.data).toMatchObject({ id: '', renewable: false, type: 'service', display_name: 'ci' })
    expect(body.data.ttl).toBeGreaterThan(3_600)
    const renewed = await vault.put('auth/token/renew-self', {}, { token: service })
    expect(renewed.body.auth).toMatchObject({ client_token: service, renewable: false })
    expect(renewed.body.warnings).toHaveLength(1)
    expect(await vault.put('auth/token/revoke-self', {}, { token: service })).toMatchObject(refused)
    expect(await vault.get('shop/data/prod', { token: service })).toMatchObject({ status: 200 })
    expect(await vault.put('auth/token/revoke-self', {}, { token: tenant.token })).toMatchObject({ status: 204 })
    expect(await vault.get('shop/data/prod', { token: tenant.token })).toMatchObject(refused)
  })

  test('tells what it may do at a path', async () => {
    const { vault, tokenOf } = await scene()
    const token = await tokenOf({ projectSlug: 'shop', stageSlug: 'prod', role: 'reader' })
    const paths = ['shop/data/prod', '/shop/data/prod/A', 'shop/metadata/', 'blog/data/prod', 'sys/mounts', 'odd']
    const { body } = await vault.put('sys/capabilities-self', { paths }, { token })
    expect(body.data).toEqual({
      'shop/data/prod': ['read'],
      '/shop/data/prod/A': ['read'],
      'shop/metadata/': ['list', 'read'],
      'blog/data/prod': ['deny'],
      'sys/mounts': ['deny'],
      odd: ['deny'],
    })
    const one = await vault.put('sys/capabilities-self', { path: 'shop/data/prod' }, { token: await tokenOf() })
    expect(one.body.data.capabilities).toEqual(['create', 'patch', 'read', 'update'])
  })
})

test.each([
  ['DELETE', 'shop/data/prod', 'PATCH'],
  ['DELETE', 'shop/metadata/prod', 'PATCH'],
  ['DELETE', 'shop/data/prod/A', 'PATCH'],
  ['POST', 'shop/delete/prod', 'PATCH'],
  ['PUT', 'shop/destroy/prod', 'PATCH'],
  ['POST', 'shop/undelete/prod', 'PATCH'],
  ['POST', 'shop/data/prod', 'would delete'],
  ['PUT', 'shop/data/prod', 'would delete'],
  ['POST', 'shop/metadata/prod', 'GET'],
  ['PATCH', 'shop/data/prod/A', 'POST'],
  ['GET', 'auth/jwt/login', 'PUT'],
])('%s %s is not supported, and says what is', async (method, path, advice) => {
  const { status, body, headers } = await new VaultClient(testEnv.app.url).send(method, path)
  expect([status, body.errors]).toEqual([405, [expect.stringContaining(advice)]])
  expect(headers.get('allow')).toContain('OPTIONS')
})

test.each([
  '',
  'shop/prod',
  'secret/foo',
  'sys/policy',
  'auth/userpass/login/me',
  'identity/entity',
  'data/prod',
  'shop/data/',
])('the path "%s" is not found, and the answer says what there is', async (path) => {
  const { status, body } = await new VaultClient(testEnv.app.url).get(path)
  expect([status, body.errors]).toEqual([404, [expect.stringContaining('PROJECT/data/STAGE')]])
})

test('health is open, and every answer to a browser of another origin follows the same rules', async () => {
  const vault = new VaultClient(testEnv.app.url)
  expect((await vault.get('sys/health')).body).toMatchObject({ initialized: true, sealed: false, standby: false })
  expect((await vault.get('sys/seal-status')).body).toMatchObject({ sealed: false, t: 1, n: 1 })
  expect((await fetch(`${testEnv.app.url}/vault/v1/sys/health`, { method: 'HEAD' })).status).toBe(200)
  const preflight = await fetch(`${testEnv.app.url}/vault/v1/shop/data/prod`, { method: 'OPTIONS' })
  expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([
    204,
    expect.not.stringContaining('x-vault-token'),
  ])
})

test('a request for a wrapped answer gets no secret', async () => {
  const { vault, tokenOf, used } = await scene()
  const headers = { 'x-vault-wrap-ttl': '60s' }
  const answers = [
    await vault.get('shop/data/prod', { token: await tokenOf(), headers }),
    await vault.send('PUT', 'auth/jwt/login', { body: { role: 'r', jwt: 'j' }, headers }),
  ]
  for (const { status, body } of answers)
    expect([status, body.errors]).toEqual([400, [expect.stringContaining('does not wrap')]])
  expect(await used()).toBe(0)
})

test('a request is limited like any other of its caller', async () => {
  const limited = await startTestEnv({ RATE_LIMIT_EVALUATIONS: '2', RATE_LIMIT_REQUESTS: '3' })
  const tenant: TestTenant = await newOwner(limited)
  await write(limited, tenant, [secret('A', 'a')])
  const { token } = await newServiceToken(limited, tenant, { role: 'reader' })
  const vault = new VaultClient(limited.app.url)
  const statuses = async (path: string) => {
    const answers = [
      await vault.get(path, { token }),
      await vault.get(path, { token }),
      await vault.get(path, { token }),
    ]
    return answers.map(({ status }) => status)
  }
  expect(await statuses('shop/data/prod')).toEqual([200, 200, 429])
  expect((await vault.get('shop/data/prod/A', { token })).headers.get('retry-after')).toBeTruthy()
  expect(await statuses('shop/metadata/prod')).toEqual([200, 200, 200])
  expect(await vault.list('shop/metadata', { token })).toMatchObject({ status: 429 })
})

test('the mount secret stands for the project that the operator names', async () => {
  const named = await startTestEnv({ VAULT_SECRET_PROJECT: 'shop' })
  const tenant = await newOwner(named)
  await write(named, tenant, [secret('A', 'a')])
  const { token } = await newServiceToken(named, tenant, { projectSlug: 'shop', role: 'developer' })
  const vault = new VaultClient(named.app.url)
  expect((await vault.get('secret/data/prod', { token })).body.data.data).toEqual({ A: 'a' })
  expect((await vault.put('secret/data/prod/B', { data: { value: 'b' } }, { token })).status).toBe(200)
  expect((await vault.list('secret/metadata/prod', { token })).body.data.keys).toEqual(['A', 'B'])
  expect((await vault.get('sys/internal/ui/mounts/secret/prod', { token })).body.data.path).toBe('secret/')
  const { body } = await vault.put('sys/capabilities-self', { path: 'secret/data/prod' }, { token })
  expect(body.data.capabilities).toContain('read')
  expect((await vault.get('shop/data/prod', { token })).body.data.data).toEqual({ A: 'a', B: 'b' })
})
