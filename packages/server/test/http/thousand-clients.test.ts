/** Many clients that only occupy the service, which runs with its default time limits. */
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { pause } from '../../testkit/pause.ts'
import { endpoints } from '@rollkey/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newFolder } from '../../testkit/folder.ts'
import { TestClient } from '../../testkit/client.ts'
import { isLong } from '../../testkit/long.ts'
import { runMain, spawnServer, type ServerProcess } from '../../testkit/process.ts'
import { receivedBy, slowClients } from '../../testkit/slow-clients.ts'

const ofEach = 100
const readers = 10
const uploads = 100
const at = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'prod' }
/** Values that together exceed the kernel's buffers of a connection. */
const [requests, values, value] = [4, 60, 'x'.repeat(65_536)]
const valueMb = value.length / 1_048_576
const pullMb = requests * values * valueMb

const path = endpoints.deviceStart.path
const settings = { DATA_DIR: newFolder(), PORT: '0' }
let service: ServerProcess
let port: number
let client: TestClient
let token: string

async function startService(): Promise<void> {
  service = await spawnServer(settings)
  port = Number(new URL(service.url).port)
  client = new TestClient(service.url)
  const { stdout } = await runMain(settings, ['setup', 'ada@example.com', at.orgSlug])
  token = (JSON.parse(stdout) as { accessToken: string }).accessToken
  for (let request = 0; request < requests; request++) {
    const names = Array.from({ length: values }, (_, index) => `LARGE_${request}_${index}`)
    const entries = names.map((name) => ({ name, kind: 'secret', value }))
    await client.must('write', { ...at, mode: 'upsert', entries }, { token })
  }
}

async function stopService(): Promise<void> {
  expect(service.output()).not.toContain('"level":"error"')
  expect(await service.end('SIGTERM')).toBe(0)
  rmSync(settings.DATA_DIR, { recursive: true, force: true })
}

function residentMb(): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.child.pid}/status`, 'utf8'))?.[1]) / 1_024
}

/** Returns how many requests of another client were answered until then, and the memory growth of the service. */
async function loadDuring(work: readonly Promise<void>[]): Promise<{ answered: number; grownMb: number }> {
  const before = residentMb()
  let most = before
  let answered = 0
  const done = Promise.all(work)
  while ((await Promise.race([done, pause(10).then(() => 'under way')])) === 'under way') {
    await client.must('evaluate', { ...at, name: 'LARGE_0_0' }, { token })
    answered++
    most = Math.max(most, residentMb())
  }
  process.stderr.write(`${answered} requests of others; from ${before.toFixed()} to ${most.toFixed()} MB\n`)
  return { answered, grownMb: most - before }
}

/** Returns the megabytes of an answer that were readable after the service had closed the connection. */
async function unreadPull(): Promise<number> {
  const body = JSON.stringify(at)
  const head = `POST ${endpoints.pull.path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`
  const socket = connect(port, '127.0.0.1').pause()
  socket.on('error', () => {})
  socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`)
  await pause(100_000)
  let bytes = 0
  socket.on('data', (data) => (bytes += data.length))
  await once(socket.resume(), 'close')
  return bytes / 1_048_576
}

/** Sends a body that is too large until the service refuses it. */
function upload(socket: Socket): void {
  const piece = ' '.repeat(65_536)
  let left = 800
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${left * piece.length}\r\n\r\n`)
  const go = (): void => {
    while (left-- > 0 && socket.write(piece));
    socket.once('drain', go)
  }
  go()
  socket.once('data', () => socket.destroy())
}

describe.runIf(isLong)('many clients that occupy the service do not affect others', () => {
  beforeAll(startService)
  afterAll(stopService)

  test(`${Object.keys(slowClients).length * ofEach} slow clients and ${readers} clients that read nothing are cut off`, async () => {
    const slow = Object.entries(slowClients).flatMap(([name, slowClient]) =>
      Array.from({ length: ofEach }, async () => {
        expect(await receivedBy(slowClient, { port, path }), name).toMatch(slowClient.end)
      }),
    )
    const unread = Array.from({ length: readers }, async () => expect(await unreadPull()).toBeLessThan(pullMb))
    const { grownMb } = await loadDuring([...slow, ...unread])
    // The unread answers, and an allowance for everything else.
    expect(grownMb).toBeLessThan(readers * pullMb + 250)
  })

  test(`${uploads} bodies that are too large are refused at once, and their senders get the answer`, async () => {
    const refused = Array.from({ length: uploads }, async () => {
      expect(await receivedBy({ behave: upload }, { port, path })).toMatch(/^HTTP\/1\.1 413 /)
    })
    const { grownMb } = await loadDuring(refused)
    expect(grownMb).toBeLessThan(50)
  })
})
