/** Tests changes other than the plain write: setting a chance, copying between stages, and revealing values. */
import { describe, expect, test } from 'vitest'
import { startTestApp, usageOf } from '../testkit/app.ts'
import type { Answer } from '../testkit/client.ts'
import { roll, secret } from '../testkit/entries.ts'
import { query } from '../testkit/store.ts'
import {
  newOwner,
  newServiceToken,
  newTenant,
  tenantAt,
  useTestEnv,
  write,
  type TestTenant,
} from '../testkit/test-env.ts'

const testEnv = useTestEnv()

function codeOf({ status, body }: Answer): string {
  return `${status} ${body.error?.code ?? ''}`.trim()
}

function variables({ at, token }: TestTenant) {
  return testEnv.client.must('pull', at, { token })
}

describe('chance', () => {
  const set = ({ at, token }: TestTenant, more: object, rest: object = {}) =>
    testEnv.client.call('update', { ...at, updates: [{ name: 'R', chance: 1, ...more }], ...rest }, { token })

  test('changes without the values being sent, and makes a new revision', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [{ ...roll('R', 0, 'one', 'two'), declaredType: 'string' }])
    expect((await variables(tenant)).variables).toEqual({ R: 'two' })
    expect((await set(tenant, {})).body.revision).toBe(2)
    expect(await variables(tenant)).toMatchObject({ variables: { R: 'one' }, revision: 2 })
    const { variables: listed } = await testEnv.client.must('list', tenant.at, { token: tenant.token })
    expect(listed).toMatchObject([{ name: 'R', kind: 'ab_roll', declaredType: 'string', chance: 1 }])
    expect((await set(tenant, { chance: 0 })).body.revision).toBe(3)
    expect((await variables(tenant)).variables).toEqual({ R: 'two' })
  })

  test('is refused for a secret, an unknown name and a stale revision, and stores nothing then', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [roll('R', 0.5), secret('S', 's')])
    expect(codeOf(await set(tenant, { name: 'S' }))).toBe('400 INVALID_REQUEST')
    expect(codeOf(await set(tenant, { name: 'r' }))).toBe('404 VARIABLE_NOT_FOUND')
    expect(codeOf(await set(tenant, {}, { stageSlug: 'none' }))).toBe('404 VARIABLE_NOT_FOUND')
    expect(codeOf(await set(tenant, {}, { ifRevision: 2 }))).toBe('409 REVISION_CONFLICT')
    for (const chance of [-0.1, 1.1, '0.5']) expect(codeOf(await set(tenant, { chance }))).toBe('400 INVALID_REQUEST')
    expect((await variables(tenant)).revision).toBe(1)
    expect((await set(tenant, {}, { ifRevision: 1 })).body.revision).toBe(2)
  })
})

describe('copy', () => {
  const copy = ({ at, token }: TestTenant, names: string[], more: object = {}) => {
    const { orgSlug, projectSlug } = at
    const [from, to] = [at, { projectSlug, stageSlug: 'test' }]
    return testEnv.client.call('copy', { orgSlug, from, to, names, ...more }, { token })
  }

  test('reproduces values, kinds, types and chances in the target stage', async () => {
    const tenant = await newTenant(testEnv)
    const target = tenantAt(tenant, { stageSlug: 'test' })
    await write(testEnv, tenant, [secret('S', '1', 'int64'), roll('R', 1, 'a', 'b'), secret('STAYS', 'x')])
    await write(testEnv, target, [roll('S', 0.5), secret('OWN', 'mine')])
    const { body } = await copy(tenant, ['S', 'R'])
    expect(body).toMatchObject({ created: ['R'], updated: ['S'], deleted: [], revision: 2 })
    expect((await variables(target)).variables).toEqual({ OWN: 'mine', R: 'a', S: '1' })
    const { variables: listed } = await testEnv.client.must('list', target.at, { token: tenant.token })
    expect(listed).toMatchObject([
      { name: 'OWN' },
      { name: 'R', kind: 'ab_roll', chance: 1 },
      { name: 'S', kind: 'secret', declaredType: 'int64' },
    ])
  })

  test('seals the values again for a project and a stage that it creates', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('S', 'value')])
    const place = { projectSlug: 'other', stageSlug: 'new' }
    expect((await copy(tenant, ['S'], { to: place, ifRevision: 0 })).body).toMatchObject({
      created: ['S'],
      revision: 1,
    })
    expect((await variables(tenantAt(tenant, place))).variables).toEqual({ S: 'value' })
    const rows = await query(
      testEnv.app.dataDir,
      `select v.sealed from variables v join stages s on s.id = v.stage_id join projects p on p.id = s.project_id
       join organizations o on o.id = p.org_id where o.slug = $1`,
      tenant.at.orgSlug,
    )
    // Each sealed value names its key after its length, version and algorithm.
    const keys = rows.map(({ sealed }) => Buffer.from(sealed as Uint8Array).toString('hex', 6, 22))
    expect(new Set(keys).size).toBe(2)
  })

  test('is all or nothing', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('A', '1')])
    const refused = [
      [['A', 'GONE'], {}, '404 VARIABLE_NOT_FOUND'],
      [['A'], { from: { projectSlug: 'none', stageSlug: 'none' } }, '404 VARIABLE_NOT_FOUND'],
      [['A'], { to: tenant.at }, '400 INVALID_REQUEST'],
      [['A', 'A'], {}, '400 INVALID_REQUEST'],
      [[], {}, '400 INVALID_REQUEST'],
      [['A'], { ifRevision: 1 }, '409 REVISION_CONFLICT'],
      [['A'], { fromRevision: 2 }, '409 REVISION_CONFLICT'],
      [['A'], { from: { projectSlug: 'shop' } }, '400 INVALID_REQUEST'],
    ] as const
    for (const [names, more, code] of refused) expect(codeOf(await copy(tenant, [...names], more)), code).toBe(code)
    expect((await variables(tenantAt(tenant, { stageSlug: 'test' }))).revision).toBe(0)
    expect((await copy(tenant, ['A'], { ifRevision: 0, fromRevision: 1 })).body.created).toEqual(['A'])
  })

  test('answers EVALUATION_FAILED for a value that does not open', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('WELL', '1'), secret('DAMAGED', '2')])
    await testEnv.restart()
    await query(
      testEnv.app.dataDir,
      `update variables set sealed = (select w.sealed from variables w where w.name = 'WELL' and w.stage_id = variables.stage_id)
       where name = 'DAMAGED'`,
    )
    expect(codeOf(await copy(tenant, ['WELL', 'DAMAGED']))).toBe('500 EVALUATION_FAILED')
    expect((await variables(tenantAt(tenant, { stageSlug: 'test' }))).revision).toBe(0)
    expect((await copy(tenant, ['WELL'])).body.created).toEqual(['WELL'])
  })

  test('counts toward storage and is refused at the limit', async () => {
    const app = await startTestApp({ PLAN: 'free', FREE_STORAGE_BYTES: '900' }, { provider: testEnv.provider })
    const tenant = await newTenant(app)
    await write(app, tenant, [secret('A', 'x'.repeat(400))])
    const { orgSlug, projectSlug } = tenant.at
    const call = (to: object) => app.client.call('copy', { orgSlug, from: tenant.at, to, names: ['A'] }, tenant)
    expect(codeOf(await call({ projectSlug, stageSlug: 'b' }))).toBe('200')
    expect(codeOf(await call({ projectSlug, stageSlug: 'c' }))).toBe('402 USAGE_LIMIT_EXCEEDED')
    expect((await app.client.must('list', { ...tenant.at, stageSlug: 'c' }, tenant)).revision).toBe(0)
  })

  test('requires a service token whose scope covers both stages and allows writing', async () => {
    const tenant = await newOwner(testEnv)
    await write(testEnv, tenant, [secret('A', '1')])
    await write(testEnv, tenantAt(tenant, { stageSlug: 'test' }), [secret('B', '1')])
    const by = async (more: object): Promise<string> => {
      const { token } = await newServiceToken(testEnv, tenant, more)
      return codeOf(await copy({ ...tenant, token: token as string }, ['A']))
    }
    expect(await by({ projectSlug: 'shop', stageSlug: 'prod' })).toBe('403 FORBIDDEN')
    expect(await by({ projectSlug: 'shop', stageSlug: 'test' })).toBe('403 FORBIDDEN')
    expect(await by({ projectSlug: 'shop', readOnly: true })).toBe('403 FORBIDDEN')
    expect(await by({ projectSlug: 'shop' })).toBe('200')
  })

  test('is done once by 64 concurrent calls for one revision, from one state of the source', async () => {
    const tenant = await newTenant(testEnv)
    const target = tenantAt(tenant, { stageSlug: 'test' })
    await write(testEnv, tenant, [secret('A', '0'), secret('B', '0')])
    const writes = Array.from({ length: 20 }, (_, i) =>
      write(testEnv, tenant, [secret('A', `${i}`), secret('B', `${i}`)]),
    )
    const answers = await Promise.all(Array.from({ length: 64 }, () => copy(tenant, ['A', 'B'], { ifRevision: 0 })))
    await Promise.all(writes)
    const codes = answers.map(codeOf)
    expect(codes.filter((code) => code === '200')).toHaveLength(1)
    expect(codes.filter((code) => code === '409 REVISION_CONFLICT')).toHaveLength(63)
    const copied = (await variables(target)).variables
    expect(copied.A).toBe(copied.B)
  })
})

describe('reveal', () => {
  const reveal = ({ at, token }: TestTenant, names: string[], more: object = {}) =>
    testEnv.client.call('reveal', { ...at, names, ...more }, { token })

  test('returns what a write would send, in the requested order, and is not billed', async () => {
    const tenant = await newTenant(testEnv)
    const entries = [secret('S', 'ü\n🚀', 'string'), roll('R', 0.25, 'one', 'two')]
    await write(testEnv, tenant, entries)
    const { body } = await reveal(tenant, ['S', 'R'])
    expect(body).toMatchObject({ variables: entries, revision: 1 })
    expect(await usageOf(testEnv.app, tenant.at.orgSlug)).toBe(0)
  })

  test('is in the audit log before the answer is sent, and adds no entry if nothing was shown', async () => {
    const tenant = await newOwner(testEnv)
    await write(testEnv, tenant, [secret('S', 'v')])
    expect(codeOf(await reveal(tenant, ['S', 'GONE']))).toBe('404 VARIABLE_NOT_FOUND')
    expect(codeOf(await reveal(tenant, ['S'], { stageSlug: 'none' }))).toBe('404 VARIABLE_NOT_FOUND')
    expect(codeOf(await reveal(tenant, []))).toBe('400 INVALID_REQUEST')
    const many = Array.from({ length: 101 }, (_, i) => `N${i}`)
    expect(codeOf(await reveal(tenant, many))).toBe('400 INVALID_REQUEST')
    const { requestId } = (await reveal(tenant, ['S'])).body
    const filter = { orgSlug: tenant.at.orgSlug, action: 'reveal' }
    const { entries } = await testEnv.client.must('audit', filter, { token: tenant.token })
    expect(entries).toHaveLength(1)
    expect(entries[0]).toMatchObject({ actor: tenant.user.userId, names: ['S'], revision: 1, requestId })
  })

  test('shows nothing if the audit log cannot record it', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('S', 'v')])
    await query(testEnv.app.dataDir, 'alter table audit rename to audit_away')
    try {
      expect(codeOf(await reveal(tenant, ['S']))).toBe('500 INTERNAL')
      expect(
        (await testEnv.client.call('write', { ...tenant.at, mode: 'upsert', deletes: ['S'] }, tenant)).status,
      ).toBe(500)
    } finally {
      await query(testEnv.app.dataDir, 'alter table audit_away rename to audit')
    }
    expect(codeOf(await reveal(tenant, ['S']))).toBe('200')
  })

  test('is refused to service tokens', async () => {
    const tenant = await newOwner(testEnv)
    await write(testEnv, tenant, [secret('S', 'v')])
    const { token } = await newServiceToken(testEnv, tenant)
    const answer = await reveal({ ...tenant, token: token as string }, ['S'])
    expect(codeOf(answer)).toBe('403 FORBIDDEN')
    expect(answer.body.error.message).toContain('evaluate them instead')
  })

  test('answers EVALUATION_FAILED for a value that does not open', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('S', 'v'), roll('R', 0.5)])
    await testEnv.restart()
    await query(testEnv.app.dataDir, "update variables set kind = 'secret', facets = '{}' where name = 'R'")
    expect(codeOf(await reveal(tenant, ['R']))).toBe('500 EVALUATION_FAILED')
    expect(codeOf(await reveal(tenant, ['S']))).toBe('200')
  })
})
