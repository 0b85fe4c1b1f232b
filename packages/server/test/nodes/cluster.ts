/** Nodes of the real service in this process. Each has a separate connection to one database that a test can interrupt. */
import { rmSync } from 'node:fs'
import { inject } from 'vitest'
import { launchTestApp, type TestApp } from '../../testkit/app.ts'
import { TestClock } from '../../testkit/clock.ts'
import { newFolder } from '../../testkit/folder.ts'
import { newMigratedDatabase } from '../../testkit/postgres.ts'
import { TestProvider } from '../../testkit/provider.ts'
import { startTcpProxy, type TcpProxy } from '../../testkit/tcp-proxy.ts'

export interface ClusterNode {
  readonly app: TestApp
  readonly clock: TestClock
  /** Proxy between this node and the database. */
  readonly way: TcpProxy
}

export interface Cluster {
  readonly nodes: readonly ClusterNode[]
  readonly provider: TestProvider
  close(): Promise<void>
}

const withoutLimits = {
  RATE_LIMIT_REQUESTS: '0',
  RATE_LIMIT_EXPENSIVE: '0',
  RATE_LIMIT_IP: '0',
  // A node does not learn that another one approved a login which it has started.
  MAX_PENDING_LOGINS_PER_IP: '100000',
}

/** Starts nodes on one database, by default a new one of the PostgreSQL that all tests share. Each node may have its address. */
export async function startCluster(count: number, addresses: readonly string[] = []): Promise<Cluster> {
  const address = addresses[0] ?? (await newMigratedDatabase(inject('postgresUrl')))
  const provider = new TestProvider()
  await provider.start()
  const dataDir = newFolder()
  const nodes: ClusterNode[] = []
  for (let i = 0; i < count; i++) {
    const url = new URL(addresses[i] ?? address)
    const way = await startTcpProxy(Number(url.port))
    url.port = String(way.port)
    const clock = new TestClock()
    const app = await launchTestApp({ ...withoutLimits, DATABASE_URL: url.href }, { provider, clock, dataDir })
    nodes.push({ app, clock, way })
  }
  return {
    nodes,
    provider,
    async close() {
      for (const { app } of nodes) await app.stop()
      for (const { way } of nodes) way.close()
      await provider.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
