/** Trusts on three nodes: from the answer of a deletion or a change on, no node takes a token of the trust. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestClient } from '../../testkit/client.ts'
import { newIssuerKey, workloadToken, type IssuerKey } from '../../testkit/issuer.ts'
import { isLong } from '../../testkit/long.ts'
import { newOwner, type TestTenant } from '../../testkit/test-env.ts'
import { startCluster, type Cluster } from './cluster.ts'

const rounds = isLong ? 300 : 15
const rules = { issuer: 'https://cluster.example', audience: 'rollkey', claims: [{ name: 'sub', value: 'web' }] }
let cluster: Cluster
let client: TestClient
let owner: TestTenant
let key: IssuerKey

beforeAll(async () => {
  cluster = await startCluster(3)
  client = new TestClient(
    cluster.nodes.map(({ app }) => app.url),
    cluster.provider,
  )
  owner = await newOwner({ client, provider: cluster.provider })
  key = await newIssuerKey()
})
afterAll(() => cluster.close())

/** Exchanges a token of a workload on the next node. */
async function exchange(trustId: string, sub = 'web') {
  const token = await workloadToken(key, cluster.provider.clock, { iss: rules.issuer, aud: rules.audience, sub })
  return client.exchange(token, trustId)
}

async function exchanged(trustId: string): Promise<string | undefined> {
  const { status, body } = await exchange(trustId)
  return status === 200 ? body.access_token : undefined
}

/** Exchanges a token of a workload on each node in turn. Returns the outcomes. */
async function outcomes(trustId: string, sub: string): Promise<string[]> {
  const all: string[] = []
  for (const _ of cluster.nodes) {
    const { status, body } = await exchange(trustId, sub)
    all.push(status === 200 ? 'ok' : body.error)
  }
  return all
}

/** Returns the statuses of a request with the token on each node. */
function statusesOf(token: string): Promise<number[]> {
  return Promise.all(cluster.nodes.map(async ({ app }) => (await app.client.call('whoami', {}, { token })).status))
}

test(`of ${rounds} trusts that end while tokens are exchanged on all nodes, no token works on any node`, async () => {
  const { orgSlug } = owner.at
  const jwks = JSON.stringify({ keys: [key.publicJwk] })
  let ended = 0
  for (let round = 0; round < rounds; round++) {
    const as = { token: owner.token }
    const { id } = await client.must('trustCreate', { orgSlug, name: 'deploy', role: 'viewer', ...rules, jwks }, as)
    const first = await exchanged(id)
    expect(first && (await statusesOf(first))).toEqual([200, 200, 200])
    const exchanging = Array.from({ length: 6 }, () => exchanged(id))
    const end =
      round % 2 === 0
        ? client.must('trustDelete', { orgSlug, id }, as)
        : client.must('trustUpdate', { orgSlug, id, name: 'x' }, as)
    await end
    expect(await statusesOf(first ?? '')).toEqual([401, 401, 401])
    const tokens = (await Promise.all(exchanging)).filter((token) => token !== undefined)
    // Those that were exchanged after a change belong to the changed trust.
    if (round % 2 === 1) continue
    ended += tokens.length
    for (const token of tokens) expect(await statusesOf(token)).toEqual([401, 401, 401])
  }
  expect(ended).toBeGreaterThan(0)
})

test('a node that has a trust in memory decides by what another node made of it', async () => {
  const as = { token: owner.token }
  const { orgSlug } = owner.at
  const jwks = JSON.stringify({ keys: [key.publicJwk] })
  const [ok, refused, gone] = ['ok', 'invalid_grant', 'invalid_target'].map((each) => cluster.nodes.map(() => each))
  const { id } = await client.must('trustCreate', { orgSlug, name: 'deploy', role: 'viewer', ...rules, jwks }, as)
  expect(await outcomes(id, 'web')).toEqual(ok)
  expect(await outcomes(id, 'job')).toEqual(refused)
  const claims = [{ name: 'sub', value: 'job' }]
  for (let change = 0; change < 4; change++) {
    await client.must('trustUpdate', { orgSlug, id, claims: change % 2 === 0 ? claims : rules.claims }, as)
    expect(await outcomes(id, 'web')).toEqual(change % 2 === 0 ? refused : ok)
    expect(await outcomes(id, 'job')).toEqual(change % 2 === 0 ? ok : refused)
  }
  await client.must('trustDelete', { orgSlug, id }, as)
  expect(await outcomes(id, 'web')).toEqual(gone)
})
