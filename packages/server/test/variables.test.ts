import { describe, expect, test } from 'vitest'
import { usageOf } from '../testkit/app.ts'
import { roll, secret } from '../testkit/entries.ts'
import { query } from '../testkit/store.ts'
import { newTenant, useTestEnv, write } from '../testkit/test-env.ts'

const testEnv = useTestEnv()

describe('write and read', () => {
  test('a variable goes through its whole life', async () => {
    const tenant = await newTenant(testEnv)
    const { at, token } = tenant
    const first = await write(testEnv, tenant, [secret('B', '1', 'int64'), roll('A', 1)])
    expect(first).toMatchObject({ created: ['A', 'B'], updated: [], deleted: [], revision: 1 })
    const evaluated = await testEnv.client.must('evaluate', { ...at, name: 'A' }, { token })
    expect(evaluated).toMatchObject({ name: 'A', kind: 'ab_roll', value: 'A', decision: 'a' })
    const [a, b] = (await testEnv.client.must('list', at, { token })).variables
    expect(a).toMatchObject({ name: 'A', kind: 'ab_roll', chance: 1 })
    expect(b).toMatchObject({ name: 'B', kind: 'secret', declaredType: 'int64' })
    const second = await write(testEnv, tenant, [secret('B', '2')], { deletes: ['A', 'NOT_THERE'] })
    expect(second).toMatchObject({ created: [], updated: ['B'], deleted: ['A'], revision: 2 })
    const pulled = await testEnv.client.must('pull', at, { token })
    expect(pulled).toMatchObject({ variables: { B: '2' }, revision: 2 })
    const [later] = (await testEnv.client.must('list', at, { token })).variables
    expect(later.createdAtMs).toBe(b.createdAtMs)
    expect(later.updatedAtMs).toBeGreaterThanOrEqual(b.updatedAtMs)
  })

  test.each([
    [
      'write',
      { mode: 'upsert', entries: [{ name: 'A', kind: 'canary', value: '1' }] },
      'kind of "A" must be "secret" or "ab_roll".',
    ],
    [
      'write',
      { mode: 'upsert', entries: [secret('A', 'canary', 'int64')] },
      '"A" must be a whole number (int64): correct the value, or change the declared type.',
    ],
    [
      'write',
      { mode: 'upsert', entries: [secret('B', '1'), { ...secret('A', '1'), exposure: 'canary' }] },
      'exposure of "A" must be one of "secret", "plain", "client".',
    ],
    ['write', { mode: 'upsert', entries: [{ kind: 'secret', name: 'A' }] }, 'value of "A" is missing.'],
    ['update', { updates: [{ name: 'A', chance: 2 }] }, 'chance of "A" must be at most 1.'],
    ['update', { updates: [{ name: 'A' }] }, /^description of "A" must be stated, or /],
    ['evaluateBatch', { entries: [{ name: 'A', seed: 7 }] }, 'seed of "A" must be a string.'],
    ['changePropose', { reason: 'r', updates: [{ name: 'A', chance: -1 }] }, 'chance of "A" must be at least 0.'],
    // Without a name there is only the place.
    ['write', { mode: 'upsert', entries: [secret('', '1')] }, 'entries[0].name must not be empty.'],
    ['update', { updates: ['canary'] }, 'updates[0] must be an object.'],
  ] as const)(
    'a refused %s names the variable and what to correct, and quotes no value: %j',
    async (name, input, expected) => {
      const { at, token } = await newTenant(testEnv)
      const { status, body } = await testEnv.client.call(name, { ...at, ...input }, { token })
      expect(status).toBe(400)
      expect(body.error.message).toMatch(expected)
      expect(body.error.message).not.toContain('canary')
    },
  )

  test('a batch answers in the order of the entries, each with its own seed', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('S', 's'), roll('R', 0.5)])
    const entries = [{ name: 'R', seed: '1', key: 'k' }, { name: 'S' }, { name: 'R', seed: '2', key: 'k' }]
    const batch = await testEnv.client.must('evaluateBatch', { ...tenant.at, entries }, { token: tenant.token })
    const single = await testEnv.client.must('evaluate', { ...tenant.at, ...entries[0] }, { token: tenant.token })
    expect(batch.results.map(({ name }: { name: string }) => name)).toEqual(['R', 'S', 'R'])
    expect(batch.results[0].decision).toBe(single.decision)
  })

  test('a batch large enough to open the whole stage at once answers like single evaluations', async () => {
    const tenant = await newTenant(testEnv)
    const names = Array.from({ length: 30 }, (_, i) => `N${i}`)
    const values = names.map((_, i) => '"\\\n\u0000 ü 🚀'.repeat(i))
    const secrets = names.map((name, i) => secret(name, values[i] ?? ''))
    await write(testEnv, tenant, [...secrets, roll('ROLL', 0.5, '"a"', '"b"')])
    const entries = [...names, 'ROLL', 'N3', 'ROLL'].map((name, i) => ({ name, seed: `user-${i}`, key: 'k' }))
    const { results } = await testEnv.client.must('evaluateBatch', { ...tenant.at, entries }, { token: tenant.token })
    expect(results.slice(0, 30).map(({ value }: { value: string }) => value)).toEqual(values)
    for (const [i, entry] of entries.entries()) {
      const { requestId: _, ...one } = await testEnv.client.must(
        'evaluate',
        { ...tenant.at, ...entry },
        { token: tenant.token },
      )
      expect(results[i]).toEqual(one)
    }
  })

  test('a pull rolls like evaluate with the same seed, and is sorted by code point', async () => {
    const tenant = await newTenant(testEnv)
    const names = ['Z', 'a', '\uFB01', '\u{1F680}', 'A_1', 'A.1', '10', '9']
    await write(testEnv, tenant, [...names.map((name) => secret(name, `v-${name}`)), roll('ROLL', 0.5, '"A"\n', '🚀')])
    for (const seed of ['u1', 'u2', 'u3', 'u4', 'u5']) {
      const body = { ...tenant.at, seed, key: 'k' }
      const one = await testEnv.client.must('evaluate', { ...body, name: 'ROLL' }, { token: tenant.token })
      const { body: all, text } = await testEnv.client.call('pull', body, { token: tenant.token })
      expect(all.variables.ROLL).toBe(one.value)
      const written = [...text.matchAll(/"([^"]+)":"/g)].map(([, name]) => name as string)
      const order = written.filter((name) => name === 'ROLL' || names.includes(name))
      expect(order).toEqual(['10', '9', 'A.1', 'A_1', 'ROLL', 'Z', 'a', '\uFB01', '\u{1F680}'])
    }
  })

  test('an unknown stage is empty at revision 0, and evaluate reports the variable as not found', async () => {
    const { at, token } = await newTenant(testEnv)
    expect(await testEnv.client.must('list', at, { token })).toMatchObject({ variables: [], revision: 0 })
    expect(await testEnv.client.must('pull', at, { token })).toMatchObject({ variables: {}, revision: 0 })
    expect(await testEnv.client.must('manifest', at, { token })).toMatchObject({ variables: [], revision: 0 })
    expect((await testEnv.client.call('evaluate', { ...at, name: 'A' }, { token })).status).toBe(404)
  })

  test('ifRevision writes only at that revision, and 0 only to a new stage', async () => {
    const tenant = await newTenant(testEnv)
    expect((await write(testEnv, tenant, [secret('A', '1')], { ifRevision: 0 })).revision).toBe(1)
    const body = { ...tenant.at, mode: 'upsert', entries: [secret('A', '2')], ifRevision: 0 }
    const conflict = await testEnv.client.call('write', body, { token: tenant.token })
    expect([conflict.status, conflict.body.error.code]).toEqual([409, 'REVISION_CONFLICT'])
    expect((await write(testEnv, tenant, [secret('A', '2')], { ifRevision: 1 })).revision).toBe(2)
  })

  test('the manifest has an ETag of the revision and answers 304 to it', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('A', '1', 'int64')])
    const first = await testEnv.client.call('manifest', tenant.at, { token: tenant.token })
    expect(first.body).toMatchObject({ manifestVersion: 1, revision: 1 })
    expect(first.body.variables).toEqual([{ name: 'A', kind: 'secret', declaredType: 'int64' }])
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' }
    const same = await testEnv.client.call('manifest', tenant.at, { token: tenant.token, headers })
    expect([same.status, same.text]).toEqual([304, ''])
    await write(testEnv, tenant, [secret('A', '2')])
    const changed = await testEnv.client.call('manifest', tenant.at, { token: tenant.token, headers })
    expect(changed.body.revision).toBe(2)
  })

  test('a written variable exists after a restart and rolls the same', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('A', 'kept'), roll('R', 0.5)])
    const body = { ...tenant.at, seed: 's', key: 'k' }
    const before = await testEnv.client.must('pull', body, { token: tenant.token })
    await testEnv.restart()
    const after = await testEnv.client.must('pull', body, { token: tenant.token })
    expect(after.variables).toEqual(before.variables)
    expect(after.revision).toBe(before.revision)
  })
})

describe('a stored value that does not open', () => {
  test('is EVALUATION_FAILED alone and in a pull, is not billed, and does not affect its neighbors', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('GOOD', 'g'), secret('BAD', 'b')])
    await testEnv.restart()
    await query(
      testEnv.app.dataDir,
      "update variables set sealed = (select sealed from variables where name = 'GOOD') where name = 'BAD'",
    )
    const call = (name: 'evaluate' | 'pull', body: object) =>
      testEnv.client.call(name, { ...tenant.at, ...body }, { token: tenant.token })
    expect((await call('evaluate', { name: 'BAD' })).body.error.code).toBe('EVALUATION_FAILED')
    expect((await call('pull', {})).body.error.code).toBe('EVALUATION_FAILED')
    expect((await call('evaluate', { name: 'GOOD' })).body.value).toBe('g')
    expect(await usageOf(testEnv.app, tenant.at.orgSlug)).toBe(1)
    const entries = Array.from({ length: 10 }, () => ({ name: 'GOOD' }))
    const batch = await testEnv.client.must('evaluateBatch', { ...tenant.at, entries }, { token: tenant.token })
    expect(batch.results.map(({ value }: { value: string }) => value)).toEqual(entries.map(() => 'g'))
  })
})
