import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { usageOf } from '../testkit/app.ts'
import { query } from '../testkit/store.ts'
import { newDesk, roll, secret, startWorld, write, type World } from '../testkit/world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

describe('write and read', () => {
  test('a variable goes through its whole life', async () => {
    const desk = await newDesk(world)
    const { at, token } = desk
    const first = await write(world, desk, [secret('B', '1', 'int64'), roll('A', 1)])
    expect(first).toMatchObject({ created: ['A', 'B'], updated: [], deleted: [], revision: 1 })
    const evaluated = await world.client.must('evaluate', { ...at, name: 'A' }, { token })
    expect(evaluated).toMatchObject({ name: 'A', kind: 'ab_roll', value: 'A', decision: 'a' })
    const [a, b] = (await world.client.must('list', at, { token })).variables
    expect(a).toMatchObject({ name: 'A', kind: 'ab_roll', chance: 1 })
    expect(b).toMatchObject({ name: 'B', kind: 'secret', declaredType: 'int64' })
    const second = await write(world, desk, [secret('B', '2')], { deletes: ['A', 'NOT_THERE'] })
    expect(second).toMatchObject({ created: [], updated: ['B'], deleted: ['A'], revision: 2 })
    const pulled = await world.client.must('pull', at, { token })
    expect(pulled).toMatchObject({ variables: { B: '2' }, revision: 2 })
    const [later] = (await world.client.must('list', at, { token })).variables
    expect(later.createdAtMs).toBe(b.createdAtMs)
    expect(later.updatedAtMs).toBeGreaterThanOrEqual(b.updatedAtMs)
  })

  test('batch answers in the order of the entries, each with its own seed', async () => {
    const desk = await newDesk(world)
    await write(world, desk, [secret('S', 's'), roll('R', 0.5)])
    const entries = [{ name: 'R', seed: '1', key: 'k' }, { name: 'S' }, { name: 'R', seed: '2', key: 'k' }]
    const batch = await world.client.must('evaluateBatch', { ...desk.at, entries }, { token: desk.token })
    const single = await world.client.must('evaluate', { ...desk.at, ...entries[0] }, { token: desk.token })
    expect(batch.results.map(({ name }: { name: string }) => name)).toEqual(['R', 'S', 'R'])
    expect(batch.results[0].decision).toBe(single.decision)
  })

  test('a batch large enough to open the whole stage at once answers like single evaluations', async () => {
    const desk = await newDesk(world)
    const names = Array.from({ length: 30 }, (_, i) => `N${i}`)
    const values = names.map((_, i) => '"\\\n\u0000 ü 🚀'.repeat(i))
    const secrets = names.map((name, i) => secret(name, values[i] ?? ''))
    await write(world, desk, [...secrets, roll('ROLL', 0.5, '"a"', '"b"')])
    const entries = [...names, 'ROLL', 'N3', 'ROLL'].map((name, i) => ({ name, seed: `user-${i}`, key: 'k' }))
    const { results } = await world.client.must('evaluateBatch', { ...desk.at, entries }, { token: desk.token })
    expect(results.slice(0, 30).map(({ value }: { value: string }) => value)).toEqual(values)
    for (const [i, entry] of entries.entries()) {
      const { requestId: _, ...one } = await world.client.must(
        'evaluate',
        { ...desk.at, ...entry },
        { token: desk.token },
      )
      expect(results[i]).toEqual(one)
    }
  })

  test('pull rolls with its seed what evaluate rolls with the same, and is sorted by code point', async () => {
    const desk = await newDesk(world)
    const names = ['Z', 'a', '\uFB01', '\u{1F680}', 'A_1', 'A.1', '10', '9']
    await write(world, desk, [...names.map((name) => secret(name, `v-${name}`)), roll('ROLL', 0.5, '"A"\n', '🚀')])
    for (const seed of ['u1', 'u2', 'u3', 'u4', 'u5']) {
      const body = { ...desk.at, seed, key: 'k' }
      const one = await world.client.must('evaluate', { ...body, name: 'ROLL' }, { token: desk.token })
      const { body: all, text } = await world.client.call('pull', body, { token: desk.token })
      expect(all.variables.ROLL).toBe(one.value)
      const written = [...text.matchAll(/"([^"]+)":"/g)].map(([, name]) => name as string)
      const order = written.filter((name) => name === 'ROLL' || names.includes(name))
      expect(order).toEqual(['10', '9', 'A.1', 'A_1', 'ROLL', 'Z', 'a', '\uFB01', '\u{1F680}'])
    }
  })

  test('an unknown stage is empty and at revision 0, and evaluate does not find in it', async () => {
    const { at, token } = await newDesk(world)
    expect(await world.client.must('list', at, { token })).toMatchObject({ variables: [], revision: 0 })
    expect(await world.client.must('pull', at, { token })).toMatchObject({ variables: {}, revision: 0 })
    expect(await world.client.must('manifest', at, { token })).toMatchObject({ variables: [], revision: 0 })
    expect((await world.client.call('evaluate', { ...at, name: 'A' }, { token })).status).toBe(404)
  })

  test('ifRevision writes only at that revision, and 0 only a new stage', async () => {
    const desk = await newDesk(world)
    expect((await write(world, desk, [secret('A', '1')], { ifRevision: 0 })).revision).toBe(1)
    const body = { ...desk.at, mode: 'upsert', entries: [secret('A', '2')], ifRevision: 0 }
    const conflict = await world.client.call('write', body, { token: desk.token })
    expect([conflict.status, conflict.body.error.code]).toEqual([409, 'REVISION_CONFLICT'])
    expect((await write(world, desk, [secret('A', '2')], { ifRevision: 1 })).revision).toBe(2)
  })

  test('the manifest has an ETag of the revision and answers 304 to it', async () => {
    const desk = await newDesk(world)
    await write(world, desk, [secret('A', '1', 'int64')])
    const first = await world.client.call('manifest', desk.at, { token: desk.token })
    expect(first.body).toMatchObject({ manifestVersion: 1, revision: 1 })
    expect(first.body.variables).toEqual([{ name: 'A', kind: 'secret', declaredType: 'int64' }])
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' }
    const same = await world.client.call('manifest', desk.at, { token: desk.token, headers })
    expect([same.status, same.text]).toEqual([304, ''])
    await write(world, desk, [secret('A', '2')])
    const changed = await world.client.call('manifest', desk.at, { token: desk.token, headers })
    expect(changed.body.revision).toBe(2)
  })

  test('what was written is there after a restart, and rolls the same', async () => {
    const desk = await newDesk(world)
    await write(world, desk, [secret('A', 'kept'), roll('R', 0.5)])
    const body = { ...desk.at, seed: 's', key: 'k' }
    const before = await world.client.must('pull', body, { token: desk.token })
    await world.restart()
    const after = await world.client.must('pull', body, { token: desk.token })
    expect(after.variables).toEqual(before.variables)
    expect(after.revision).toBe(before.revision)
  })
})

describe('a stored value that does not open', () => {
  test('is EVALUATION_FAILED for it and for a pull, is not billed, and leaves its neighbours alone', async () => {
    const desk = await newDesk(world)
    await write(world, desk, [secret('GOOD', 'g'), secret('BAD', 'b')])
    await world.restart()
    await query(
      world.app.dataDir,
      "update variables set sealed = (select sealed from variables where name = 'GOOD') where name = 'BAD'",
    )
    const call = (name: 'evaluate' | 'pull', body: object) =>
      world.client.call(name, { ...desk.at, ...body }, { token: desk.token })
    expect((await call('evaluate', { name: 'BAD' })).body.error.code).toBe('EVALUATION_FAILED')
    expect((await call('pull', {})).body.error.code).toBe('EVALUATION_FAILED')
    expect((await call('evaluate', { name: 'GOOD' })).body.value).toBe('g')
    expect(await usageOf(world.app, desk.at.orgSlug)).toBe(1)
    const entries = Array.from({ length: 10 }, () => ({ name: 'GOOD' }))
    const batch = await world.client.must('evaluateBatch', { ...desk.at, entries }, { token: desk.token })
    expect(batch.results.map(({ value }: { value: string }) => value)).toEqual(entries.map(() => 'g'))
  })
})
