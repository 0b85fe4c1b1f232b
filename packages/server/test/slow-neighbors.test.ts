/** What callers of the service feel of an identity provider that hangs, resets or drips. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { peerTroubles } from '../testkit/slow-peer.ts'
import { newOwner, newServiceToken, secret, startWorld, write, type Desk, type World } from '../testkit/world.ts'

/** What a request takes that waits for a time-out of the provider. */
const timeoutMs = 5_000

let world: World
let desk: Desk
let serviceToken: string

beforeAll(async () => {
  world = await startWorld()
  desk = await newOwner(world)
  await write(world, desk, [secret('A', '1')])
  serviceToken = (await newServiceToken(world, desk)).token as string
})
afterAll(() => world.close())
beforeEach(() => world.provider.troubles.clear())

function evaluate(token: string): Promise<number> {
  return world.client.call('evaluate', { ...desk.at, name: 'A' }, { token }).then(({ status }) => status)
}

async function tookMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

describe.each(peerTroubles)('while the membership address %s', (trouble) => {
  test('people whose answer stands, and service tokens, are answered long before its time-out', async () => {
    world.clock.advance(61_000)
    world.provider.troubles.set('/members/', trouble)
    const tokens = [desk.token, await world.provider.tokenOf(desk.user), serviceToken]
    const took = await tookMs(async () => {
      for (let i = 0; i < 5; i++) for (const token of tokens) expect(await evaluate(token)).toBe(200)
    })
    expect(took).toBeLessThan(timeoutMs / 2)
  })
})
