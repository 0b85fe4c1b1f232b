import { createHash } from 'node:crypto'
import type { Digested } from '@rollkey/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { usageOf } from '../testkit/app.ts'
import { query } from '../testkit/store.ts'
import { newDesk, roll, secret, startWorld, write, type Desk, type World } from '../testkit/world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

/** Digests of the desk's stage, or of another place, by name. */
async function digestsOf({ at, token }: Desk, more: object = {}): Promise<Record<string, Digested['digests']>> {
  const { variables } = await world.client.must('digests', { ...at, ...more }, { token })
  return Object.fromEntries((variables as Digested[]).map(({ name, digests }) => [name, digests]))
}

describe('digests', () => {
  test('say what list says, and of each role a digest that nobody can try values against', async () => {
    const desk = await newDesk(world)
    await write(world, desk, [secret('S', 'true', 'boolean'), roll('R', 0.25, 'one', 'two')])
    const { variables, revision } = await world.client.must('digests', desk.at, { token: desk.token })
    const digest = expect.stringMatching(/^[A-Za-z0-9_-]{43}$/)
    expect(revision).toBe(1)
    expect(variables).toEqual([
      { name: 'R', kind: 'ab_roll', chance: 0.25, digests: { a: digest, b: digest } },
      { name: 'S', kind: 'secret', declaredType: 'boolean', digests: { value: digest } },
    ])
    const plain = createHash('sha256').update('true').digest('base64url')
    expect(variables[1].digests.value).not.toBe(plain)
  })

  test('are equal exactly where values are, over stages, projects, names and roles', async () => {
    const desk = await newDesk(world)
    const stage = (more: object) => ({ ...desk, at: { ...desk.at, ...more } })
    await write(world, desk, [secret('A', 'same'), secret('B', 'Same'), secret('EMPTY', '')])
    await write(world, stage({ stageSlug: 'test' }), [secret('A', 'same'), roll('R', 0.5, 'same', 'other')])
    await write(world, stage({ projectSlug: 'api' }), [secret('C', 'same', 'string'), secret('D', 'same ')])
    const here = await digestsOf(desk)
    const there = await digestsOf(desk, { stageSlug: 'test' })
    const far = await digestsOf(desk, { projectSlug: 'api' })
    const same = here['A']?.value
    expect([there['A']?.value, there['R']?.a, far['C']?.value]).toEqual([same, same, same])
    const all = [same, here['B']?.value, here['EMPTY']?.value, there['R']?.b, far['D']?.value]
    expect(new Set(all).size).toBe(all.length)
  })

  test('of two organizations are never equal', async () => {
    const desks = [await newDesk(world), await newDesk(world)]
    for (const desk of desks) await write(world, desk, [secret('A', 'same')])
    const [one, two] = await Promise.all(desks.map((desk) => digestsOf(desk)))
    expect(one?.['A']?.value).not.toBe(two?.['A']?.value)
  })

  test('stay the same over a new write of the same value, and a restart', async () => {
    const desk = await newDesk(world)
    await write(world, desk, [secret('A', 'kept'), secret('B', 'old')])
    const before = await digestsOf(desk)
    await write(world, desk, [secret('A', 'kept'), secret('B', 'new')])
    await world.restart()
    const after = await digestsOf(desk)
    expect(after['A']).toEqual(before['A'])
    expect(after['B']).not.toEqual(before['B'])
  })

  test('of a stage that is opened as a whole are those of its values one by one', async () => {
    const desk = await newDesk(world)
    const values = Array.from({ length: 60 }, (_, i) => '"\\\n\u0000 ü 🚀'.repeat(i))
    await write(
      world,
      desk,
      values.map((value, i) => secret(`N${i}`, value)),
    )
    const whole = await digestsOf(desk)
    for (const i of [0, 1, 30, 59]) {
      const alone = { ...desk, at: { ...desk.at, stageSlug: `only-${i}` } }
      await write(world, alone, [secret('ALONE', values[i] ?? '')])
      expect(whole[`N${i}`], `N${i}`).toEqual((await digestsOf(alone))['ALONE'])
    }
  })

  test('are sorted by code point, and see a write of the other node at once', async () => {
    const desk = await newDesk(world)
    const names = ['Z', 'a', '\uFB01', '\u{1F680}', '__proto__']
    for (const [index, name] of names.entries()) {
      await write(world, desk, [secret(name, name)])
      expect((await world.client.must('digests', desk.at, { token: desk.token })).revision).toBe(index + 1)
    }
    const { variables } = await world.client.must('digests', desk.at, { token: desk.token })
    expect((variables as Digested[]).map(({ name }) => name)).toEqual(['Z', '__proto__', 'a', '\uFB01', '\u{1F680}'])
  })

  test('while others write are of one moment, that of their revision', async () => {
    const desk = await newDesk(world)
    const both = (value: string) => write(world, desk, [secret('A', value), secret('B', value)])
    await both('first')
    const writes = 30
    const writing = (async () => {
      for (let i = 0; i < writes; i++) await both(`${i}`)
    })()
    const read = async () => {
      const answers = []
      do answers.push(await world.client.must('digests', desk.at, { token: desk.token }))
      while ((answers.at(-1)?.revision as number) <= writes)
      return answers
    }
    const answers = (await Promise.all([read(), read(), read()])).flat()
    await writing
    expect(new Set(answers.map(({ revision }) => revision as number)).size).toBeGreaterThan(2)
    const { changes } = await world.client.must('history', { ...desk.at, name: 'A' }, { token: desk.token })
    const known = new Map(
      (changes as { revision: number; digests: object }[]).map(({ revision, digests }) => [revision, digests]),
    )
    for (const { variables, revision } of answers) {
      expect((variables as Digested[]).map(({ digests }) => digests)).toEqual([
        known.get(revision),
        known.get(revision),
      ])
    }
  })

  test('of a stage that does not exist are none, at revision 0', async () => {
    const { at, token } = await newDesk(world)
    expect(await world.client.must('digests', at, { token })).toMatchObject({ variables: [], revision: 0 })
  })

  test('are not billed, and take no request key', async () => {
    const desk = await newDesk(world)
    await write(world, desk, [secret('A', '1')])
    const headers = { 'x-service-request-key': 'not looked at: has spaces' }
    await world.client.must('digests', desk.at, { token: desk.token, headers })
    expect(await usageOf(world.app, desk.at.orgSlug)).toBe(0)
  })

  test('of a value that does not open are none; its neighbours have theirs, and the log has the reason', async () => {
    const desk = await newDesk(world)
    await write(world, desk, [secret('WELL', 'g'), secret('DAMAGED', 'b'), roll('DAMAGED_ROLL', 0.5)])
    const { WELL } = await digestsOf(desk)
    await world.restart()
    await query(
      world.app.dataDir,
      "update variables set sealed = (select sealed from variables where name = 'WELL') where name like 'DAMAGED%'",
    )
    expect(await digestsOf(desk)).toEqual({ WELL, DAMAGED: {}, DAMAGED_ROLL: {} })
    expect(world.app.log.filter((line) => line.includes('a stored value cannot be opened'))).toHaveLength(1)
  })
})
