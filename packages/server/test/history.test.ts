import { describe, expect, test } from 'vitest'
import { sweep } from '../src/compose/housekeeping.ts'
import type { Answer } from '../testkit/client.ts'
import { roll, secret } from '../testkit/entries.ts'
import { openStore, query } from '../testkit/store.ts'
import {
  newOwner,
  newServiceToken,
  newTenant,
  tenantAt,
  useTestEnv,
  write,
  type TestTenant,
} from '../testkit/test-env.ts'

const day = 86_400_000
const historyDays = 90
const testEnv = useTestEnv()

interface Change {
  readonly revision: number
  readonly name: string
  readonly change: string
  readonly digests?: object
  readonly before?: object
}

async function changesOf({ at, token }: TestTenant, more: object = {}): Promise<Change[]> {
  return (await testEnv.client.must('history', { ...at, ...more }, { token })).changes as Change[]
}

function texts(changes: readonly Change[]): string[] {
  return changes.map(({ revision, name, change }) => `${revision} ${name} ${change}`)
}

function restore({ at, token }: TestTenant, revision: number, more: object = {}): Promise<Answer> {
  return testEnv.client.call('restore', { ...at, revision, ...more }, { token })
}

async function variablesOf({ at, token }: TestTenant): Promise<object> {
  return (await testEnv.client.must('pull', at, { token })).variables as object
}

function codeOf({ status, body }: Answer): string {
  return `${status} ${body.error?.code ?? ''}`.trim()
}

/** Sweeps the store as if this number of days had passed. */
async function sweepAfter(days: number): Promise<void> {
  await testEnv.app.stop()
  const sql = await openStore(testEnv.app.dataDir)
  await sweep(sql, testEnv.clock.now() + days * day, historyDays)
  await sql.close()
  await testEnv.restart()
}

describe('history', () => {
  test('shows the state before and after each change, with digests, actor and credential', async () => {
    const tenant = await newOwner(testEnv)
    const by = { token: await testEnv.provider.tokenOf(tenant.user) }
    const service = await newServiceToken(testEnv, tenant, { name: 'ci of prod' })
    await testEnv.client.must('write', { ...tenant.at, mode: 'upsert', entries: [secret('A', 'one', 'string')] }, by)
    await write(testEnv, tenant, [roll('A', 0.5, 'one', 'two')])
    await write(testEnv, { ...tenant, token: service.token as string }, [], { deletes: ['A'] })
    const [third, second, first, ...others] = await changesOf(tenant)
    expect(others).toEqual([])
    const digest = expect.stringMatching(/^[A-Za-z0-9_-]{43}$/)
    const time = expect.closeTo(testEnv.clock.now(), -5)
    const secretState = { kind: 'secret', declaredType: 'string', digests: { value: digest } }
    const rollState = { kind: 'ab_roll', declaredType: 'string', chance: 0.5, digests: { a: digest, b: digest } }
    const made = { name: 'A', writtenAtMs: time, writtenBy: tenant.user.userId }
    expect(first).toEqual({ ...made, revision: 1, change: 'created', client: 'dashboard', ...secretState })
    expect(second).toEqual({
      ...made,
      revision: 2,
      change: 'updated',
      client: 'cli session test',
      ...rollState,
      before: secretState,
    })
    expect(third).toEqual({
      ...made,
      revision: 3,
      change: 'deleted',
      client: 'service token ci of prod',
      writtenBy: service.id,
      before: rollState,
    })
    const { value } = (first as unknown as { digests: { value: string } }).digests
    expect(second).toMatchObject({ digests: { a: value }, before: { digests: { value } } })
  })

  test('comes newest first, in whole revisions, by page and by variable', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('B', '1'), secret('A', '1'), secret('\u{1F680}', '1'), secret('\uFB01', '1')])
    await write(testEnv, tenant, [secret('A', '2')])
    await write(testEnv, tenant, [secret('C', '1')], { deletes: ['B'] })
    const first = ['1 A created', '1 B created', '1 \uFB01 created', '1 \u{1F680} created']
    expect(texts(await changesOf(tenant))).toEqual(['3 B deleted', '3 C created', '2 A updated', ...first])
    expect(texts(await changesOf(tenant, { limit: 1 }))).toEqual(['3 B deleted', '3 C created'])
    expect(texts(await changesOf(tenant, { before: 3, limit: 2 }))).toEqual(['2 A updated', ...first])
    expect(texts(await changesOf(tenant, { name: 'A', limit: 1 }))).toEqual(['2 A updated'])
    expect(texts(await changesOf(tenant, { name: 'A', before: 2 }))).toEqual(['1 A created'])
    expect(await changesOf(tenant, { stageSlug: 'none' })).toEqual([])
    for (const more of [{ limit: 0 }, { limit: 201 }, { before: -1 }]) {
      expect(codeOf(await testEnv.client.call('history', { ...tenant.at, ...more }, tenant))).toBe(
        '400 INVALID_REQUEST',
      )
    }
  })

  test('continues past a value that does not open', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [roll('R', 0.5, 'same', 'same')])
    await write(testEnv, tenant, [secret('R', 'well')])
    await query(
      testEnv.app.dataDir,
      `update variable_history set sealed = (select n.sealed from variable_history n where n.revision = 2 and n.stage_id = variable_history.stage_id)
       where revision = 1 and stage_id = (select s.id from stages s join projects p on p.id = s.project_id
         join organizations o on o.id = p.org_id where o.slug = $1)`,
      tenant.at.orgSlug,
    )
    const [second, first] = await changesOf(tenant)
    expect(second).toMatchObject({ before: { kind: 'ab_roll', digests: {} }, digests: { value: expect.any(String) } })
    expect(first).toMatchObject({ kind: 'ab_roll', chance: 0.5, digests: {} })
  })

  test('derives the changes made before history recorded them', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('A', '1')])
    await write(testEnv, tenant, [secret('A', '2')])
    await write(testEnv, tenant, [], { deletes: ['A'] })
    await query(testEnv.app.dataDir, 'update variable_history set change = null, client = null')
    expect(texts(await changesOf(tenant))).toEqual(['3 A deleted', '2 A updated', '1 A created'])
  })
})

describe('restore', () => {
  test('returns a stage to a former state as a new revision, and back again', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('S', '1', 'int64'), roll('R', 1, 'a', 'b'), secret('KEPT', 'k')])
    const first = await variablesOf(tenant)
    await write(testEnv, tenant, [secret('R', 'now a secret'), secret('NEW', 'n')], { deletes: ['S'] })
    const second = await variablesOf(tenant)
    const back = (await restore(tenant, 1)).body
    expect(back).toMatchObject({ created: ['S'], updated: ['R'], deleted: ['NEW'], revision: 3 })
    expect(await variablesOf(tenant)).toEqual(first)
    const { variables } = await testEnv.client.must('list', tenant.at, tenant)
    expect(variables).toMatchObject([{ name: 'KEPT' }, { name: 'R', chance: 1 }, { name: 'S', declaredType: 'int64' }])
    const undone = (await restore(tenant, 2)).body
    expect(undone).toMatchObject({ created: ['NEW'], updated: ['R'], deleted: ['S'], revision: 4 })
    expect(await variablesOf(tenant)).toEqual(second)
    expect(texts(await changesOf(tenant, { before: 4 })).slice(0, 3)).toEqual([
      '3 NEW deleted',
      '3 R restored',
      '3 S restored',
    ])
  })

  test('of some names leaves the others', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('A', '1'), secret('B', '1')])
    await write(testEnv, tenant, [secret('A', '2'), secret('B', '2'), secret('C', '2')])
    expect((await restore(tenant, 1, { names: ['C', 'A'] })).body).toMatchObject({ updated: ['A'], deleted: ['C'] })
    expect(await variablesOf(tenant)).toEqual({ A: '1', B: '2' })
  })

  test('writes nothing if the state is already the same, even if an equal value was written again', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('A', '1'), roll('R', 0.5, 'a', 'b')])
    await write(testEnv, tenant, [secret('A', '1')])
    const nothing = { created: [], updated: [], deleted: [], revision: 2 }
    expect((await restore(tenant, 2)).body).toMatchObject(nothing)
    expect((await restore(tenant, 1)).body).toMatchObject(nothing)
    await write(testEnv, tenant, [roll('R', 0.6, 'a', 'b')])
    expect((await restore(tenant, 1)).body).toMatchObject({ updated: ['R'], revision: 4 })
  })

  test('refuses an unknown revision, stage or name, and a stale ifRevision', async () => {
    const tenant = await newOwner(testEnv)
    await write(testEnv, tenant, [secret('A', '1')])
    expect(codeOf(await restore(tenant, 2))).toBe('400 INVALID_REQUEST')
    expect(codeOf(await restore(tenant, 0))).toBe('400 INVALID_REQUEST')
    expect(codeOf(await restore(tenant, 1, { stageSlug: 'none' }))).toBe('400 INVALID_REQUEST')
    expect(codeOf(await restore(tenant, 1, { names: ['A', 'GONE'] }))).toBe('404 VARIABLE_NOT_FOUND')
    expect(codeOf(await restore(tenant, 1, { names: ['A', 'A'] }))).toBe('400 INVALID_REQUEST')
    expect(codeOf(await restore(tenant, 1, { ifRevision: 2 }))).toBe('409 REVISION_CONFLICT')
    const { token } = await newServiceToken(testEnv, tenant, { readOnly: true, history: true })
    expect(codeOf(await restore({ ...tenant, token: token as string }, 1))).toBe('403 FORBIDDEN')
    expect((await restore(tenant, 1, { ifRevision: 1 })).body.revision).toBe(1)
  })

  test('is done once by 64 concurrent calls for one revision', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('A', '1'), secret('B', '1')])
    await write(testEnv, tenant, [secret('A', '2'), secret('B', '2')])
    const answers = await Promise.all(Array.from({ length: 64 }, () => restore(tenant, 1, { ifRevision: 2 })))
    const codes = answers.map(codeOf)
    expect(codes.filter((code) => code === '200')).toHaveLength(1)
    expect(codes.filter((code) => code === '409 REVISION_CONFLICT')).toHaveLength(63)
    expect(await variablesOf(tenant)).toEqual({ A: '1', B: '1' })
  })

  test('uses the state of one revision while others write, and loses no revision', async () => {
    const tenant = await newTenant(testEnv)
    const both = (value: string) => write(testEnv, tenant, [secret('A', value), secret('B', value)])
    await both('first')
    const writes = Array.from({ length: 20 }, (_, i) => both(`${i}`))
    const restores = await Promise.all(Array.from({ length: 20 }, () => restore(tenant, 1)))
    await Promise.all(writes)
    expect(restores.map(codeOf)).toEqual(restores.map(() => '200'))
    const revisions = Map.groupBy(await changesOf(tenant, { limit: 200 }), ({ revision }) => revision)
    expect(revisions.size).toBe(Math.max(...revisions.keys()))
    for (const [one, other] of revisions.values()) {
      expect([one?.name, one?.digests, other?.name]).toEqual(['A', other?.digests, 'B'])
    }
    const [first] = revisions.get(1) ?? []
    const restored = [...revisions.values()].flat().filter(({ change }) => change === 'restored')
    expect(restored.map(({ digests }) => digests)).toEqual(restored.map(() => first?.digests))
  })

  test('reaches back to the earliest complete revision, and names it in the refusal', async () => {
    const { at, user } = await newTenant(testEnv)
    // The sweep deletes sessions too.
    const tenant = { at, user, token: await testEnv.provider.tokenOf(user), refreshToken: '' }
    const other = tenantAt(tenant, { stageSlug: 'other' })
    await write(testEnv, tenant, [secret('STAYS', 'long ago'), secret('A', '1')])
    await write(testEnv, tenant, [secret('A', '2')])
    await write(testEnv, tenant, [secret('B', '1')])
    await write(testEnv, other, [secret('A', '1')])
    await sweepAfter(historyDays + 1)
    const refused = await restore(tenant, 1)
    expect(codeOf(refused)).toBe('400 INVALID_REQUEST')
    expect(refused.body.error.message).toContain('choose 2 or a later one')
    await write(testEnv, tenant, [secret('A', '3'), secret('STAYS', 'changed')])
    expect((await restore(tenant, 2)).body).toMatchObject({ updated: ['A', 'STAYS'], deleted: ['B'], revision: 5 })
    expect(await variablesOf(tenant)).toEqual({ A: '2', STAYS: 'long ago' })
    expect((await restore(other, 1)).body.revision).toBe(1)
  })
})

describe('plain history', () => {
  const plain = (value: string, exposure = 'plain') => ({ ...secret('FLAG', value), exposure })

  async function valuesOf({ at, token }: TestTenant, more: object = {}): Promise<object[]> {
    return (await testEnv.client.must('plainHistory', { ...at, ...more }, { token })).changes as object[]
  }

  test('shows values before and after each change, newest first, both sides of a roll', async () => {
    const tenant = await newTenant(testEnv)
    const flag = { ...roll('ROLL', 0.5, 'on', 'off'), exposure: 'client' }
    await write(testEnv, tenant, [plain('ü\n🚀'), flag, secret('HIDDEN', 'canary')])
    await write(testEnv, tenant, [plain('two'), { ...flag, valueB: 'out' }, secret('HIDDEN', 'canary 2')])
    await write(testEnv, tenant, [], { deletes: ['FLAG'] })
    const changes = await valuesOf(tenant)
    expect(changes).toEqual([
      { revision: 3, name: 'FLAG', before: { value: 'two' } },
      { revision: 2, name: 'FLAG', before: { value: 'ü\n🚀' }, after: { value: 'two' } },
      {
        revision: 2,
        name: 'ROLL',
        before: { valueA: 'on', valueB: 'off' },
        after: { valueA: 'on', valueB: 'out' },
      },
      { revision: 1, name: 'FLAG', after: { value: 'ü\n🚀' } },
      { revision: 1, name: 'ROLL', after: { valueA: 'on', valueB: 'off' } },
    ])
    expect(await valuesOf(tenant, { name: 'FLAG', before: 3, limit: 1 })).toEqual([changes[1]])
    expect(await valuesOf(tenant, { name: 'HIDDEN' })).toEqual([])
  })

  test('never shows what was secret then, and hides all values once the variable is secret, also after its deletion', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [plain('canary', 'secret')])
    await write(testEnv, tenant, [plain('open')])
    const shown = [{ revision: 2, name: 'FLAG', after: { value: 'open' } }]
    expect(await valuesOf(tenant)).toEqual(shown)
    await testEnv.client.must('update', { ...tenant.at, updates: [{ name: 'FLAG', exposure: 'secret' }] }, tenant)
    expect(await valuesOf(tenant)).toEqual([])
    await write(testEnv, tenant, [], { deletes: ['FLAG'] })
    expect(await valuesOf(tenant)).toEqual([])
    await write(testEnv, tenant, [plain('again')])
    expect(await valuesOf(tenant)).toEqual([
      { revision: 5, name: 'FLAG', after: { value: 'again' } },
      { revision: 3, name: 'FLAG', before: { value: 'open' } },
      ...shown,
    ])
  })

  test('is for people, and leaves out a value that does not open', async () => {
    const tenant = await newOwner(testEnv)
    await write(testEnv, tenant, [plain('one'), { ...plain('well'), name: 'WELL' }])
    const { token } = await newServiceToken(testEnv, tenant, { history: true })
    const refused = await testEnv.client.call('plainHistory', tenant.at, { token: token as string })
    expect(codeOf(refused)).toBe('403 FORBIDDEN')
    await query(
      testEnv.app.dataDir,
      `update variable_history set sealed = (select w.sealed from variable_history w
         where w.name = 'WELL' and w.stage_id = variable_history.stage_id) where name = 'FLAG'`,
    )
    expect(await valuesOf(tenant)).toEqual([{ revision: 1, name: 'WELL', after: { value: 'well' } }])
    expect(testEnv.app.log.filter((line) => line.includes('stored value cannot be opened'))).toHaveLength(1)
  })
})
