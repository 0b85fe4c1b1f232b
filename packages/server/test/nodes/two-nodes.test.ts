/** Tests that an acknowledgment of one node holds on the other at once, even if their clocks differ. */
import { limits } from '@rollkey/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newUser, type TestClient } from '../../testkit/client.ts'
import { secret } from '../../testkit/entries.ts'
import { isLong } from '../../testkit/long.ts'
import { newOwner } from '../../testkit/test-env.ts'
import { startCluster, type Cluster, type ClusterNode } from './cluster.ts'

let cluster: Cluster
const logouts = isLong ? 1_000 : 25

beforeAll(async () => {
  cluster = await startCluster(2)
})
afterAll(() => cluster.close())

test(`a logout on one node is a 401 on the other node's next request, ${logouts} times of ${logouts}`, async () => {
  const [a, b] = cluster.nodes.map(({ app }) => app.client) as [TestClient, TestClient]
  for (let i = 0; i < logouts; i++) {
    const [here, there] = i % 2 === 0 ? [a, b] : [b, a]
    const { accessToken: token, refreshToken } = await here.login(newUser())
    expect((await there.call('session', {}, { token })).status).toBe(200)
    await here.must('logout', { refreshToken }, { token })
    expect((await there.call('session', {}, { token })).status).toBe(401)
  }
})

test('a clock that is 5 minutes off shifts an expiry by 5 minutes, and revives nothing that was revoked', async () => {
  const [a, b] = cluster.nodes
  if (!a || !b) throw new Error('two nodes')
  const kept = await a.app.client.login(newUser())
  const revoked = await a.app.client.login(newUser())
  await a.app.client.must('logout', { refreshToken: revoked.refreshToken }, { token: revoked.accessToken })
  const statusOn = async ({ app }: typeof a, { accessToken: token }: typeof kept): Promise<number> =>
    (await app.client.call('session', {}, { token })).status
  for (const skew of [-300_000, 300_000]) {
    b.clock.advance(skew)
    expect([await statusOn(b, kept), await statusOn(b, revoked)]).toEqual([200, 401])
    expect((await b.app.client.refresh(revoked.refreshToken)).status).toBe(401)
    const left = limits.accessTokenLifetimeMs - Math.max(0, skew)
    for (const { clock } of [a, b]) clock.advance(left - 10_000)
    expect(await statusOn(b, kept)).toBe(200)
    for (const { clock } of [a, b]) clock.advance(20_000)
    expect(await statusOn(b, kept)).toBe(skew > 0 ? 401 : 200)
    for (const { clock } of [a, b]) clock.advance(-left - 10_000)
    b.clock.advance(-skew)
  }
})

/** Returns how many rounds a node has sent. Its metrics are a second old at most. */
async function roundsOf({ app, clock }: ClusterNode): Promise<number> {
  clock.advance(1_000)
  const { text } = await app.client.get('/metrics')
  return Number(/^rollkey_rounds_total\{what="rounds"\} (\d+)$/m.exec(text)?.[1])
}

test('a write takes one round, which confirms its caller and its stage, also after a write on the other node', async () => {
  const [a, b] = cluster.nodes
  if (!a || !b) throw new Error('two nodes')
  const { at, token } = await newOwner({ client: a.app.client, provider: cluster.provider })
  let revision = 0
  const write = async ({ app }: ClusterNode) => {
    const entries = [secret('A', `${revision}`)]
    const written = await app.client.must('write', { ...at, mode: 'upsert', entries }, { token })
    expect(written).toMatchObject({ revision: ++revision })
  }
  for (const node of [a, b]) await write(node)
  for (const node of [a, a, b, b]) {
    const before = await roundsOf(node)
    await write(node)
    expect((await roundsOf(node)) - before, `for revision ${revision}`).toBe(1)
  }
})
