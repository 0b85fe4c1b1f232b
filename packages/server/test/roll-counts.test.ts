import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp } from '../testkit/app.ts'
import { newDesk, roll, secret, startWorld, write, type Desk, type World } from '../testkit/world.ts'

const hour = 3_600_000
let world: World

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

/** As they are stored at a stop. */
async function countsOf({ at, token }: Desk, more: object = {}): Promise<object[]> {
  await world.restart()
  return (await world.client.must('rollCounts', { ...at, name: 'R', ...more }, { token })).hours as object[]
}

function evaluate({ at, token }: Desk, more: object = {}) {
  return world.client.must('evaluate', { ...at, name: 'R', ...more }, { token })
}

function thisHour(): number {
  return Math.floor(world.clock.now() / hour) * hour
}

test('what evaluate, batch and pull served is counted by variable and hour, over restarts and nodes', async () => {
  // Well within an hour, so that the test does not cross its end.
  world.clock.freezeAt(thisHour() + 10 * 60_000)
  const desk = await newDesk(world)
  await write(world, desk, [roll('R', 1), roll('OTHER', 0), secret('S', 's')])
  for (let i = 0; i < 3; i++) await evaluate(desk)
  const entries = [{ name: 'R' }, { name: 'S' }, { name: 'R' }]
  await world.client.must('evaluateBatch', { ...desk.at, entries }, { token: desk.token })
  for (let i = 0; i < 2; i++) await world.client.must('pull', desk.at, { token: desk.token })
  const fromMs = thisHour()
  expect(await countsOf(desk)).toEqual([{ fromMs, a: 7, b: 0, chance: 1 }])
  expect(await countsOf(desk, { name: 'OTHER' })).toEqual([{ fromMs, a: 0, b: 2, chance: 0 }])
  expect(await countsOf(desk, { name: 'S' })).toEqual([])
  await evaluate(desk)
  expect(await countsOf(desk)).toEqual([{ fromMs, a: 8, b: 0, chance: 1 }])
  world.clock.run()
})

test('hours are told apart, with the chance where there was one, and from one to another', async () => {
  world.clock.freezeAt(thisHour() + 10 * 60_000)
  const desk = await newDesk(world)
  const first = thisHour()
  await write(world, desk, [roll('R', 1)])
  await evaluate(desk)
  const later = async (): Promise<Desk> => {
    world.clock.advance(hour)
    return { ...desk, token: await world.provider.tokenOf(desk.user) }
  }
  const second = await later()
  await evaluate(second)
  await world.client.must('chance', { ...desk.at, name: 'R', chance: 0 }, second)
  await evaluate(second)
  const third = await later()
  await evaluate(third)
  const [one, two, three] = [
    { fromMs: first, a: 1, b: 0, chance: 1 },
    { fromMs: first + hour, a: 1, b: 1 },
    { fromMs: first + 2 * hour, a: 0, b: 1, chance: 0 },
  ]
  expect(await countsOf(third)).toEqual([one, two, three])
  expect(await countsOf(third, { fromMs: first + 1, toMs: first + 2 * hour })).toEqual([two])
  world.clock.run()
})

test('what is refused, or answered again by its request key, is not counted', async () => {
  const app = await startTestApp(world.provider, world.clock, { PLAN: 'free', FREE_EVALUATIONS: '2' })
  const desk = await newDesk(app)
  await write(app, desk, [roll('R', 1)])
  const call = (key: string) => {
    const headers = { 'x-service-request-key': key }
    return app.client.call('evaluate', { ...desk.at, name: 'R' }, { token: desk.token, headers })
  }
  const statuses: number[] = []
  for (const key of ['one', 'one', 'two', 'three', 'two']) statuses.push((await call(key)).status)
  expect(statuses).toEqual([200, 200, 200, 402, 200])
  const pulled = await app.client.call('pull', desk.at, { token: desk.token })
  expect(pulled.status).toBe(402)
  const again = await app.restart()
  const { hours } = await again.client.must('rollCounts', { ...desk.at, name: 'R' }, { token: desk.token })
  expect(hours).toMatchObject([{ a: 2, b: 0 }])
  await again.close()
})

test('a variable that is not there has none to tell', async () => {
  const desk = await newDesk(world)
  const { status, body } = await world.client.call('rollCounts', { ...desk.at, name: 'R' }, { token: desk.token })
  expect([status, body.error.code]).toEqual([404, 'VARIABLE_NOT_FOUND'])
})
