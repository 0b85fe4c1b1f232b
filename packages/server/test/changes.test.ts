/** Changes beside the plain write: the chance of a roll, copies between stages, values that are shown. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, usageOf } from '../testkit/app.ts'
import type { Answer } from '../testkit/client.ts'
import { query } from '../testkit/store.ts'
import {
  newDesk,
  newOwner,
  newServiceToken,
  roll,
  secret,
  startWorld,
  write,
  type Desk,
  type World,
} from '../testkit/world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

function codeOf({ status, body }: Answer): string {
  return `${status} ${body.error?.code ?? ''}`.trim()
}

function stageOf(desk: Desk, more: object): Desk {
  return { ...desk, at: { ...desk.at, ...more } }
}

function variables({ at, token }: Desk) {
  return world.client.must('pull', at, { token })
}

describe('chance', () => {
  const set = ({ at, token }: Desk, more: object) =>
    world.client.call('chance', { ...at, name: 'R', chance: 1, ...more }, { token })

  test('is set without the values: they stay, and another revision has it', async () => {
    const desk = await newDesk(world)
    await write(world, desk, [{ ...roll('R', 0, 'one', 'two'), declaredType: 'string' }])
    expect((await variables(desk)).variables).toEqual({ R: 'two' })
    expect((await set(desk, {})).body.revision).toBe(2)
    expect(await variables(desk)).toMatchObject({ variables: { R: 'one' }, revision: 2 })
    const { variables: listed } = await world.client.must('list', desk.at, { token: desk.token })
    expect(listed).toMatchObject([{ name: 'R', kind: 'ab_roll', declaredType: 'string', chance: 1 }])
    expect((await set(desk, { chance: 0 })).body.revision).toBe(3)
    expect((await variables(desk)).variables).toEqual({ R: 'two' })
  })

  test('is refused to a secret, an unknown name and another revision, and then nothing is written', async () => {
    const desk = await newDesk(world)
    await write(world, desk, [roll('R', 0.5), secret('S', 's')])
    expect(codeOf(await set(desk, { name: 'S' }))).toBe('400 INVALID_REQUEST')
    expect(codeOf(await set(desk, { name: 'r' }))).toBe('404 VARIABLE_NOT_FOUND')
    expect(codeOf(await set(desk, { stageSlug: 'none' }))).toBe('404 VARIABLE_NOT_FOUND')
    expect(codeOf(await set(desk, { ifRevision: 2 }))).toBe('409 REVISION_CONFLICT')
    for (const chance of [-0.1, 1.1, '0.5']) expect(codeOf(await set(desk, { chance }))).toBe('400 INVALID_REQUEST')
    expect((await variables(desk)).revision).toBe(1)
    expect((await set(desk, { ifRevision: 1 })).body.revision).toBe(2)
  })
})

describe('copy', () => {
  const copy = ({ at, token }: Desk, names: string[], more: object = {}) => {
    const { orgSlug, projectSlug } = at
    const [from, to] = [at, { projectSlug, stageSlug: 'test' }]
    return world.client.call('copy', { orgSlug, from, to, names, ...more }, { token })
  }

  test('makes variables what they are in the other stage: values, kinds, types and chances', async () => {
    const desk = await newDesk(world)
    const target = stageOf(desk, { stageSlug: 'test' })
    await write(world, desk, [secret('S', '1', 'int64'), roll('R', 1, 'a', 'b'), secret('STAYS', 'x')])
    await write(world, target, [roll('S', 0.5), secret('OWN', 'mine')])
    const { body } = await copy(desk, ['S', 'R'])
    expect(body).toMatchObject({ created: ['R'], updated: ['S'], deleted: [], revision: 2 })
    expect((await variables(target)).variables).toEqual({ OWN: 'mine', R: 'a', S: '1' })
    const { variables: listed } = await world.client.must('list', target.at, { token: desk.token })
    expect(listed).toMatchObject([
      { name: 'OWN' },
      { name: 'R', kind: 'ab_roll', chance: 1 },
      { name: 'S', kind: 'secret', declaredType: 'int64' },
    ])
  })

  test('seals anew, for a project and a stage that it makes', async () => {
    const desk = await newDesk(world)
    await write(world, desk, [secret('S', 'value')])
    const place = { projectSlug: 'other', stageSlug: 'new' }
    expect((await copy(desk, ['S'], { to: place, ifRevision: 0 })).body).toMatchObject({ created: ['S'], revision: 1 })
    expect((await variables(stageOf(desk, place))).variables).toEqual({ S: 'value' })
    const rows = await query(
      world.app.dataDir,
      `select v.sealed from variables v join stages s on s.id = v.stage_id join projects p on p.id = s.project_id
       join organizations o on o.id = p.org_id where o.slug = $1`,
      desk.at.orgSlug,
    )
    // Each blob names its key after its length, version and algorithm.
    const keys = rows.map(({ sealed }) => Buffer.from(sealed as Uint8Array).toString('hex', 6, 22))
    expect(new Set(keys).size).toBe(2)
  })

  test('is all or nothing', async () => {
    const desk = await newDesk(world)
    await write(world, desk, [secret('A', '1')])
    const refused = [
      [['A', 'GONE'], {}, '404 VARIABLE_NOT_FOUND'],
      [['A'], { from: { projectSlug: 'none', stageSlug: 'none' } }, '404 VARIABLE_NOT_FOUND'],
      [['A'], { to: desk.at }, '400 INVALID_REQUEST'],
      [['A', 'A'], {}, '400 INVALID_REQUEST'],
      [[], {}, '400 INVALID_REQUEST'],
      [['A'], { ifRevision: 1 }, '409 REVISION_CONFLICT'],
      [['A'], { fromRevision: 2 }, '409 REVISION_CONFLICT'],
      [['A'], { from: { projectSlug: 'shop' } }, '400 INVALID_REQUEST'],
    ] as const
    for (const [names, more, code] of refused) expect(codeOf(await copy(desk, [...names], more)), code).toBe(code)
    expect((await variables(stageOf(desk, { stageSlug: 'test' }))).revision).toBe(0)
    expect((await copy(desk, ['A'], { ifRevision: 0, fromRevision: 1 })).body.created).toEqual(['A'])
  })

  test('of a value that does not open is EVALUATION_FAILED', async () => {
    const desk = await newDesk(world)
    await write(world, desk, [secret('WELL', '1'), secret('DAMAGED', '2')])
    await world.restart()
    await query(
      world.app.dataDir,
      `update variables set sealed = (select w.sealed from variables w where w.name = 'WELL' and w.stage_id = variables.stage_id)
       where name = 'DAMAGED'`,
    )
    expect(codeOf(await copy(desk, ['WELL', 'DAMAGED']))).toBe('500 EVALUATION_FAILED')
    expect((await variables(stageOf(desk, { stageSlug: 'test' }))).revision).toBe(0)
    expect((await copy(desk, ['WELL'])).body.created).toEqual(['WELL'])
  })

  test('counts its storage, and none at the limit', async () => {
    const app = await startTestApp(world.provider, world.clock, { PLAN: 'free', FREE_STORAGE_BYTES: '900' })
    try {
      const desk = await newDesk(app)
      await write(app, desk, [secret('A', 'x'.repeat(400))])
      const { orgSlug, projectSlug } = desk.at
      const call = (to: object) => app.client.call('copy', { orgSlug, from: desk.at, to, names: ['A'] }, desk)
      expect(codeOf(await call({ projectSlug, stageSlug: 'b' }))).toBe('200')
      expect(codeOf(await call({ projectSlug, stageSlug: 'c' }))).toBe('402 USAGE_LIMIT_EXCEEDED')
      expect((await app.client.must('list', { ...desk.at, stageSlug: 'c' }, desk)).revision).toBe(0)
    } finally {
      await app.close()
    }
  })

  test('is for service tokens that reach both stages and may write', async () => {
    const desk = await newOwner(world)
    await write(world, desk, [secret('A', '1')])
    const by = async (more: object): Promise<string> => {
      const { token } = await newServiceToken(world, desk, more)
      return codeOf(await copy({ ...desk, token: token as string }, ['A']))
    }
    expect(await by({ projectSlug: 'shop', stageSlug: 'prod' })).toBe('403 FORBIDDEN')
    expect(await by({ projectSlug: 'shop', stageSlug: 'test' })).toBe('403 FORBIDDEN')
    expect(await by({ projectSlug: 'shop', readOnly: true })).toBe('403 FORBIDDEN')
    expect(await by({ projectSlug: 'shop' })).toBe('200')
  })

  test('64 at once for one revision: one is done, of one moment of the source', async () => {
    const desk = await newDesk(world)
    const target = stageOf(desk, { stageSlug: 'test' })
    await write(world, desk, [secret('A', '0'), secret('B', '0')])
    const writes = Array.from({ length: 20 }, (_, i) => write(world, desk, [secret('A', `${i}`), secret('B', `${i}`)]))
    const answers = await Promise.all(Array.from({ length: 64 }, () => copy(desk, ['A', 'B'], { ifRevision: 0 })))
    await Promise.all(writes)
    const codes = answers.map(codeOf)
    expect(codes.filter((code) => code === '200')).toHaveLength(1)
    expect(codes.filter((code) => code === '409 REVISION_CONFLICT')).toHaveLength(63)
    const copied = (await variables(target)).variables
    expect(copied.A).toBe(copied.B)
  })
})

describe('reveal', () => {
  const reveal = ({ at, token }: Desk, names: string[], more: object = {}) =>
    world.client.call('reveal', { ...at, names, ...more }, { token })

  test('shows what a write would state, in the order that was asked, and is not billed', async () => {
    const desk = await newDesk(world)
    const entries = [secret('S', 'ü\n🚀', 'string'), roll('R', 0.25, 'one', 'two')]
    await write(world, desk, entries)
    const { body } = await reveal(desk, ['S', 'R'])
    expect(body).toMatchObject({ variables: entries, revision: 1 })
    expect(await usageOf(world.app, desk.at.orgSlug)).toBe(0)
  })

  test('is in the audit log before the answer leaves, and is not where nothing was shown', async () => {
    const desk = await newOwner(world)
    await write(world, desk, [secret('S', 'v')])
    expect(codeOf(await reveal(desk, ['S', 'GONE']))).toBe('404 VARIABLE_NOT_FOUND')
    expect(codeOf(await reveal(desk, ['S'], { stageSlug: 'none' }))).toBe('404 VARIABLE_NOT_FOUND')
    expect(codeOf(await reveal(desk, []))).toBe('400 INVALID_REQUEST')
    const many = Array.from({ length: 101 }, (_, i) => `N${i}`)
    expect(codeOf(await reveal(desk, many))).toBe('400 INVALID_REQUEST')
    const { requestId } = (await reveal(desk, ['S'])).body
    const filter = { orgSlug: desk.at.orgSlug, action: 'reveal' }
    const { entries } = await world.client.must('audit', filter, { token: desk.token })
    expect(entries).toHaveLength(1)
    expect(entries[0]).toMatchObject({ actor: desk.user.userId, names: ['S'], revision: 1, requestId })
  })

  test('is not shown when it cannot be noted', async () => {
    const desk = await newDesk(world)
    await write(world, desk, [secret('S', 'v')])
    await query(world.app.dataDir, 'alter table audit rename to audit_away')
    try {
      expect(codeOf(await reveal(desk, ['S']))).toBe('500 INTERNAL')
      expect((await world.client.call('write', { ...desk.at, mode: 'upsert', deletes: ['S'] }, desk)).status).toBe(500)
    } finally {
      await query(world.app.dataDir, 'alter table audit_away rename to audit')
    }
    expect(codeOf(await reveal(desk, ['S']))).toBe('200')
  })

  test('is not for service tokens', async () => {
    const desk = await newOwner(world)
    await write(world, desk, [secret('S', 'v')])
    const { token } = await newServiceToken(world, desk)
    const answer = await reveal({ ...desk, token: token as string }, ['S'])
    expect(codeOf(answer)).toBe('403 FORBIDDEN')
    expect(answer.body.error.message).toContain('evaluating')
  })

  test('of a value that does not open is EVALUATION_FAILED', async () => {
    const desk = await newDesk(world)
    await write(world, desk, [secret('S', 'v'), roll('R', 0.5)])
    await world.restart()
    await query(world.app.dataDir, "update variables set kind = 'secret', facets = '{}' where name = 'R'")
    expect(codeOf(await reveal(desk, ['R']))).toBe('500 EVALUATION_FAILED')
    expect(codeOf(await reveal(desk, ['S']))).toBe('200')
  })
})
