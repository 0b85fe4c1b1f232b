/** Archived projects and stages: not written, whoever asks when, and evaluated as before. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newDesk, roll, secret, startWorld, write, type Desk, type World } from '../testkit/world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const whats = ['project', 'stage'] as const

function set({ at, token }: Desk, what: (typeof whats)[number], archived: boolean) {
  const { stageSlug, ...project } = at
  const place = what === 'project' ? project : { ...project, stageSlug }
  return world.client.must(`${what}Update`, { ...place, archived }, { token })
}

/** 'ok', or the code and message of the refusal. */
async function writing({ at, token }: Desk, more: object = {}): Promise<string> {
  const body = { ...at, mode: 'upsert', entries: [secret('B', 'b')], ...more }
  const answer = await world.client.call('write', body, { token })
  return answer.status === 200 ? 'ok' : `${answer.body.error.code}: ${answer.body.error.message}`
}

async function deskWithVariables(): Promise<Desk> {
  const desk = await newDesk(world)
  await write(world, desk, [secret('A', 'value of A'), roll('R', 1)])
  return desk
}

const refused =
  'INVALID_REQUEST: The stage or its project is archived, and so is not changed: take it out of the archive first.'

describe.each(whats)('an archived %s', (what) => {
  test('is not written, on every node, until it is taken out', async () => {
    const desk = await deskWithVariables()
    for (let round = 0; round < 2; round++) {
      await set(desk, what, true)
      expect([await writing(desk), await writing(desk, { entries: [], deletes: ['A'] })]).toEqual([refused, refused])
      await set(desk, what, false)
      expect([await writing(desk), await writing(desk)]).toEqual(['ok', 'ok'])
    }
  })

  test('is evaluated as before, on every node', async () => {
    const desk = await deskWithVariables()
    await set(desk, what, true)
    for (let node = 0; node < 2; node++) {
      const options = { token: desk.token }
      expect((await world.client.must('evaluate', { ...desk.at, name: 'A' }, options)).value).toBe('value of A')
      expect((await world.client.must('pull', desk.at, options)).variables).toEqual({ A: 'value of A', R: 'A' })
      expect((await world.client.must('list', desk.at, options)).revision).toBe(1)
    }
  })

  test('is told so in the list, with the time of the first time', async () => {
    const desk = await deskWithVariables()
    world.clock.freezeAt(world.clock.now())
    const nowMs = world.clock.now()
    await set(desk, what, true)
    world.clock.advance(1_000)
    await set(desk, what, true)
    world.clock.run()
    const found = async () => {
      const { projects } = await world.client.must('projects', { orgSlug: desk.at.orgSlug }, { token: desk.token })
      return { project: projects[0].archivedAtMs, stage: projects[0].stages[0].archivedAtMs }
    }
    expect(await found()).toEqual({ project: undefined, stage: undefined, [what]: nowMs })
    await set(desk, what, false)
    expect(await found()).toEqual({ project: undefined, stage: undefined })
  })

  test('takes no write that is answered later than the archiving', async () => {
    const desk = await deskWithVariables()
    let archived = false
    const outcomes: { wasArchived: boolean; outcome: string }[] = []
    const writeOn = async (): Promise<void> => {
      for (let count = 0; count < 12; count++) {
        const wasArchived = archived
        outcomes.push({ wasArchived, outcome: await writing(desk) })
      }
    }
    const archive = async (): Promise<void> => {
      await writing(desk)
      await set(desk, what, true)
      archived = true
    }
    await Promise.all([...Array.from({ length: 8 }, writeOn), archive()])
    const late = outcomes.filter(({ wasArchived }) => wasArchived)
    expect(new Set(late.map(({ outcome }) => outcome))).toEqual(new Set([refused]))
    expect(outcomes.some(({ outcome }) => outcome === 'ok')).toBe(true)
    const { revision } = await world.client.must('list', desk.at, { token: desk.token })
    // That of the variables, that of the archiver, and one for each that was told so.
    expect(revision).toBe(2 + outcomes.filter(({ outcome }) => outcome === 'ok').length)
  })
})

test('an archived project takes no new stage, neither by a write nor by name', async () => {
  const desk = await deskWithVariables()
  await set(desk, 'project', true)
  const other = { ...desk, at: { ...desk.at, stageSlug: 'other' } }
  const expected = 'INVALID_REQUEST: The project is archived, and so is not changed: take it out of the archive first.'
  expect([await writing(other), await writing(other)]).toEqual([expected, expected])
  const { status, body } = await world.client.call('stageCreate', other.at, { token: desk.token })
  expect([status, body.error.message]).toEqual([400, expected.replace('INVALID_REQUEST: ', '')])
  await set(desk, 'project', false)
  expect(await writing(other)).toBe('ok')
})

test('a stage that was archived by itself stays so when its project comes back', async () => {
  const desk = await deskWithVariables()
  await set(desk, 'stage', true)
  await set(desk, 'project', true)
  await set(desk, 'project', false)
  expect(await writing(desk)).toBe(refused)
  await set(desk, 'project', true)
  await set(desk, 'stage', false)
  expect(await writing(desk)).toBe(refused)
})

test('what a write would change comes after what it must be', async () => {
  const desk = await deskWithVariables()
  await set(desk, 'stage', true)
  expect(await writing(desk, { ifRevision: 7 })).toContain('REVISION_CONFLICT')
  expect(await writing(desk, { entries: [] })).toBe('ok')
})
