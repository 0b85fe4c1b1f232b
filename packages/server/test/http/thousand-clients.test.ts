/** The service as it is started, with its own time limits, and a thousand clients that only hold it up. */
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { endpoints } from '@rollkey/contract'
import { expect, test } from 'vitest'
import { newDataDir } from '../../testkit/app.ts'
import { TestClient } from '../../testkit/client.ts'
import { isLong } from '../../testkit/long.ts'
import { runMain, startProcess } from '../../testkit/process.ts'
import { receivedBy, slowClients } from '../../testkit/slow-clients.ts'

const ofEach = 100
const readers = 10
const at = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'prod' }
/** More than the buffers of a kernel take for a connection. */
const largeStage = { requests: 4, values: 60, value: 'x'.repeat(65_536) }
const mostGrowthMb = 600

function residentMb(pid: number | undefined): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
}

/** Bytes that were there to be read of an answer when the service had given its reader up. */
async function unreadPull(port: number, token: string): Promise<number> {
  const body = JSON.stringify(at)
  const head = `POST ${endpoints.pull.path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`
  const socket = connect(port, '127.0.0.1').pause()
  socket.on('error', () => {})
  socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`)
  await sleep(70_000)
  let bytes = 0
  socket.on('data', (data) => (bytes += data.length))
  await once(socket.resume(), 'close')
  return bytes
}

test.runIf(isLong)(
  'a thousand slow clients have their ends, and nobody else notices',
  { timeout: 300_000 },
  async () => {
    const dataDir = newDataDir()
    const settings = { DATA_DIR: dataDir, PORT: '0' }
    const service = await startProcess(settings)
    try {
      const { stdout } = await runMain(settings, ['setup', 'ada@example.com', at.orgSlug])
      const { accessToken: token } = JSON.parse(stdout) as { accessToken: string }
      const client = new TestClient(service.url)
      for (let request = 0; request < largeStage.requests; request++) {
        const entries = Array.from({ length: largeStage.values }, (_, index) => ({
          name: `LARGE_${request}_${index}`,
          kind: 'secret',
          value: largeStage.value,
        }))
        await client.must('write', { ...at, mode: 'upsert', entries }, { token })
      }
      const port = Number(new URL(service.url).port)
      const before = residentMb(service.child.pid)
      let most = before
      let isOver = false
      const others = (async () => {
        for (let answered = 0; ; answered++) {
          if (isOver) return answered
          const input = { ...at, name: 'LARGE_0_0' }
          expect((await client.must('evaluate', input, { token })).value).toHaveLength(65_536)
          most = Math.max(most, residentMb(service.child.pid))
          await sleep(10)
        }
      })()
      const path = endpoints.deviceStart.path
      const slow = Object.entries(slowClients).flatMap(([name, slowClient]) =>
        Array.from({ length: ofEach }, async () => ({
          name,
          end: slowClient.end,
          received: await receivedBy(slowClient, { port, path }),
        })),
      )
      const unread = Array.from({ length: readers }, () => unreadPull(port, token))
      for (const { name, end, received } of await Promise.all(slow)) expect(received, name).toMatch(end)
      const whole = largeStage.requests * largeStage.values * largeStage.value.length
      for (const bytes of await Promise.all(unread)) expect(bytes).toBeLessThan(whole)
      isOver = true
      expect(await others).toBeGreaterThan(100)
      expect(service.output()).not.toContain('"level":"error"')
      process.stderr.write(`the service has grown from ${before.toFixed()} MB to ${most.toFixed()} MB\n`)
      expect(most - before).toBeLessThan(mostGrowthMb)
    } finally {
      expect(await service.end('SIGTERM')).toBe(0)
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
)
