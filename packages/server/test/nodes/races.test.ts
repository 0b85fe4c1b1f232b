import { afterAll, beforeAll } from 'vitest'
import { TestClient } from '../../testkit/client.ts'
import { racesSuite } from '../races.suite.ts'
import { startCluster, type Cluster } from './cluster.ts'

let cluster: Cluster
let client: TestClient

beforeAll(async () => {
  cluster = await startCluster(3)
  const urls = cluster.nodes.map(({ app }) => app.url)
  client = new TestClient(urls, cluster.provider)
})
afterAll(() => cluster.close())

racesSuite(() => client)
