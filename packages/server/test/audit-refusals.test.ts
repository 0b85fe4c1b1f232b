/** Refusals of known callers are in the audit log, counted. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditEntries } from '../testkit/audit.ts'
import { newUser } from '../testkit/client.ts'
import { newOwner, newServiceToken, secret, startWorld, write, type Desk, type World } from '../testkit/world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld({ PLAN: 'free', FREE_EVALUATIONS: '1' })
})
afterAll(() => world.close())

/** As `who endpoint code count`, of all entries together: each node has its own, and a slow machine may have flushed before. */
async function refusalsOf({ user, at }: Desk): Promise<string[]> {
  const token = await world.provider.tokenOf(user)
  const entries = await auditEntries(world.client, at.orgSlug, token, { action: 'refusal' })
  const counts = new Map<string, number>()
  for (const { actor, subject, nameCount = 0 } of entries) {
    const what = `${actor} ${subject}`
    counts.set(what, (counts.get(what) ?? 0) + nameCount)
  }
  return [...counts].map(([what, count]) => `${what} ${count}`).toSorted()
}

test('who was refused what, and how often, is there at the stop at the latest', async () => {
  const desk = await newOwner(world)
  const { at, token, user } = desk
  await write(world, desk, [secret('A', '1')])
  const { token: service, id } = await newServiceToken(world, desk)
  const stranger = newUser('elsewhere')
  const removed = { ...newUser(), orgId: user.orgId, orgSlug: user.orgSlug }
  world.provider.remove(removed)
  const provider = await world.provider.tokenOf(user)
  for (let time = 0; time < 3; time++) {
    await world.client.call('evaluate', { ...at, name: 'A' }, { token })
    await world.client.call('reveal', { ...at, names: ['A'] }, { token: service as string })
    await world.client.call('list', at, { token: await world.provider.tokenOf(stranger) })
    await world.client.call('list', at, { token: await world.provider.tokenOf(removed) })
    await world.client.call('deviceComplete', { userCode: `ZZZZZZZ${'ABC'[time]}` }, { token: provider })
    // Of nobody, of what is only wrong, and of what is none.
    await world.client.call('list', at, { token: `svc_at_${'x'.repeat(43)}` })
    await world.client.call('evaluate', { ...at, name: 'B' }, { token })
    await world.client.call('list', at, { token })
  }
  await world.restart()
  expect(await refusalsOf(desk)).toEqual(
    [
      `${user.userId} evaluate USAGE_LIMIT_EXCEEDED 2`,
      `${user.userId} deviceComplete DEVICE_CODE_NOT_FOUND 3`,
      `${id} reveal FORBIDDEN 3`,
      `${removed.userId} list ORG_SCOPE_INVALID 3`,
    ].toSorted(),
  )
  world.provider.setRole(stranger, 'owner')
  const theirs = { ...desk, user: stranger, at: { ...at, orgSlug: 'elsewhere' } }
  expect(await refusalsOf(theirs)).toEqual([`${stranger.userId} list INVALID_ORG_SCOPE 3`])
})
