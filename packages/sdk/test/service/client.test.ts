import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newDesk, roll, secret, startWorld, write, type Desk, type World } from '../../../server/testkit/world.ts'
import { createClient, type Client, type ClientOptions } from '../../src/index.ts'

let world: World

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

function clientOf({ at, token }: Desk, more: Partial<ClientOptions> = {}): Client {
  const place = { org: at.orgSlug, project: at.projectSlug, stage: at.stageSlug }
  return createClient({ url: world.app.url, ...place, token, ...more })
}

describe('each method against the service', () => {
  test('values come parsed, and with how they came about', async () => {
    const desk = await newDesk(world)
    await write(world, desk, [secret('LIMIT', '9007199254740993', 'int64'), roll('FLOW', 1)])
    const client = clientOf(desk)
    expect(await client.get('LIMIT')).toBe(9007199254740993n)
    expect(await client.inspect('FLOW', { seed: 'u' })).toEqual({
      name: 'FLOW',
      kind: 'ab_roll',
      value: 'A',
      text: 'A',
      decision: 'a',
      source: 'service',
    })
    expect(await client.getMany(['FLOW', 'LIMIT'])).toEqual({ FLOW: 'A', LIMIT: 9007199254740993n })
    expect(await client.pull()).toEqual({ variables: { FLOW: 'A', LIMIT: '9007199254740993' }, revision: 1 })
  })
})
