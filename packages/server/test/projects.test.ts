import { afterAll, beforeAll, expect, test } from 'vitest'
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

let world: World

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

/** As `project: stage revision, …` texts. */
async function projects({ at: { orgSlug }, token }: Desk, by = token): Promise<string[]> {
  const { projects: found } = await world.client.must('projects', { orgSlug }, { token: by })
  return (found as { projectSlug: string; stages: { stageSlug: string; revision: number }[] }[]).map(
    ({ projectSlug, stages }) =>
      `${projectSlug}: ${stages.map(({ stageSlug, revision }) => `${stageSlug} ${revision}`).join(', ')}`,
  )
}

/** Writes once to each place. */
async function fill(desk: Desk, places: readonly string[]): Promise<void> {
  for (const place of places) {
    const [projectSlug = '', stageSlug = ''] = place.split('/')
    await write(world, { ...desk, at: { ...desk.at, projectSlug, stageSlug } }, [secret('A', '1')])
  }
}

test('projects and stages are sorted by code point, and current on every node', async () => {
  const desk = await newDesk(world)
  expect(await projects(desk)).toEqual([])
  await fill(desk, ['web/b', 'web/a', 'Web/prod', 'api/B', 'web/b', 'web/10', 'web/9'])
  const expected = ['Web: prod 1', 'api: B 1', 'web: 10 1, 9 1, a 1, b 2']
  expect([await projects(desk), await projects(desk)]).toEqual([expected, expected])
  for (let revision = 2; revision < 6; revision++) {
    await fill(desk, ['api/B'])
    expect((await projects(desk))[1]).toBe(`api: B ${revision}`)
  }
})

test('those of another organization are not told', async () => {
  const desk = await newDesk(world)
  await fill(await newDesk(world), ['web/prod'])
  expect(await projects(desk)).toEqual([])
  const { status, body } = await world.client.call('projects', { orgSlug: 'other' }, { token: desk.token })
  expect([status, body.error.code]).toEqual([403, 'INVALID_ORG_SCOPE'])
})

test('a service token is told what it reaches', async () => {
  const desk = await newOwner(world)
  await fill(desk, ['api/prod', 'api/test', 'web/prod'])
  const told = async (reach: object) => projects(desk, (await newServiceToken(world, desk, reach)).token as string)
  expect(await told({ readOnly: true })).toEqual(['api: prod 1, test 1', 'web: prod 1'])
  expect(await told({ projectSlug: 'api' })).toEqual(['api: prod 1, test 1'])
  expect(await told({ projectSlug: 'api', stageSlug: 'test' })).toEqual(['api: test 1'])
  expect(await told({ projectSlug: 'api', stageSlug: 'none' })).toEqual([])
})
