/** Nodes of the real service in this process. Each has a separate connection to one database that a test can interrupt. */
import { rmSync } from 'node:fs'
import { launchTestApp, type TestApp } from '../../testkit/app.ts'
import { TestClock } from '../../testkit/clock.ts'
import { newFolder } from '../../testkit/folder.ts'
import { startPostgres, type TestPostgres } from '../../testkit/postgres.ts'
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
  readonly postgres: TestPostgres
  readonly provider: TestProvider
  close(): Promise<void>
}

export async function startCluster(count: number, settings: Record<string, string> = {}): Promise<Cluster> {
  const postgres = await startPostgres()
  const provider = new TestProvider()
  await provider.start()
  const dataDir = newFolder()
  const nodes: ClusterNode[] = []
  for (let i = 0; i < count; i++) {
    const way = await startTcpProxy(postgres.port)
    const clock = new TestClock()
    const url = postgres.url.replace(String(postgres.port), String(way.port))
    const app = await launchTestApp(
      { RATE_LIMIT_REQUESTS: '0', RATE_LIMIT_EXPENSIVE: '0', RATE_LIMIT_IP: '0', ...settings, DATABASE_URL: url },
      { provider, clock, dataDir },
    )
    nodes.push({ app, clock, way })
  }
  return {
    nodes,
    postgres,
    provider,
    async close() {
      for (const { app } of nodes) await app.stop()
      for (const { way } of nodes) way.close()
      await provider.close()
      await postgres.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
