/** Tests several processes of one machine as one service. */
import { readFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { beforeEach, expect, inject, test } from 'vitest'
import { temporaryFolder } from '../../testkit/folder.ts'
import { TestClient } from '../../testkit/client.ts'
import { freePort } from '../../testkit/free-port.ts'
import { isLong } from '../../testkit/long.ts'
import { newDatabase } from '../../testkit/postgres.ts'
import { runMain, startProcess, type ServerProcess } from '../../testkit/process.ts'

let dataDir: string

beforeEach(() => {
  dataDir = temporaryFolder()
})

/** Returns the answers of all workers so far. Every worker must report the same number. */
async function answersOf(port: string): Promise<number> {
  const headers = { authorization: 'Bearer monitoring', connection: 'close' }
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers })).text()
  return Number(/rollkey_requests_total\{endpoint="session",status="401"\} (\d+)/.exec(text)?.[1])
}

/** Returns the process ids of the workers, the children of the service. */
async function workersOf({ child }: ServerProcess): Promise<number[]> {
  const text = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
  return text.trim().split(' ').map(Number)
}

test('workers share the port and the metrics, a killed one is replaced, and all stop cleanly', async () => {
  const url = await newDatabase(inject('postgresUrl'))
  const port = String(await freePort())
  const metrics = { METRICS_PORT: port, METRICS_TOKEN: 'monitoring' }
  const server = await startProcess({ DATA_DIR: dataDir, DATABASE_URL: url, WORKERS: '3', ...metrics })
  const base = server.url
  await expect.poll(() => server.output()).toMatch(/#token=\S+\n/)
  expect(server.output().match(/#token=/g)).toHaveLength(1)
  const workers = await workersOf(server)
  expect(workers).toHaveLength(3)
  const client = new TestClient(base)
  for (let i = 0; i < 30; i++) {
    const { status } = await client.call('session', {}, { headers: { connection: 'close' } })
    expect(status).toBe(401)
  }
  for (let i = 0; i < 6; i++) expect(await answersOf(port)).toBe(30)
  expect((await client.get('/metrics')).status).toBe(404)

  process.kill(workers[0] as number, 'SIGKILL')
  const replaced = async (): Promise<unknown> => {
    const now = await workersOf(server)
    return [now.length, now.includes(workers[0] as number)]
  }
  await expect.poll(replaced).toEqual([3, false])
  expect((await client.get('/readyz')).status).toBe(200)
  expect(await server.end('SIGTERM')).toBe(0)
})

test.runIf(isLong)('workers that cannot listen end the start with one sentence', async () => {
  const url = await newDatabase(inject('postgresUrl'))
  const taken = createServer()
  await new Promise<void>((resolve) => {
    taken.listen(0, '127.0.0.1', resolve)
  })
  const { port } = taken.address() as AddressInfo
  const { code, stderr } = await runMain({ DATA_DIR: dataDir, DATABASE_URL: url, WORKERS: '2', PORT: String(port) })
  taken.close()
  expect(code).toBe(1)
  expect(stderr).toContain(`Port ${port} of 127.0.0.1 is in use`)
  expect(stderr).toContain('A worker could not start')
})

test('workers without PostgreSQL are refused with one sentence', async () => {
  const { code, stderr } = await runMain({ DATA_DIR: dataDir, WORKERS: '2' })
  expect([code, stderr]).toEqual([
    1,
    'ROLLKEY_WORKERS needs ROLLKEY_DATABASE_URL: the embedded store belongs to one process.\n',
  ])
})
