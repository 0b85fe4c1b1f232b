import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { readBody } from '../../src/http/steps/read-body.ts'
import { HttpServer, type Answer, type Limits } from '../../src/http/server.ts'
import { receivedBy, slowClients } from '../../testkit/slow-clients.ts'

/** A time limit that lets a busy machine read the requests of others. */
const timeoutMs = 3_000
const shortPatienceMs = 900
const short = { timeoutMs: shortPatienceMs }
const ofEach = 5
const maxBytes = 1_000_000
const path = '/v1/any'

async function start(api: Answer, limits: Limits = {}): Promise<number> {
  const server = new HttpServer(createLog('silent'), limits)
  onTestFinished(() => server.drain(0))
  const port = await server.listen('127.0.0.1', 0)
  server.open({ pages: {}, document: () => {}, api })
  return port
}

async function echo(...[request, response]: Parameters<Answer>): Promise<void> {
  response.end(await readBody(request, maxBytes))
}

/** Returns how many requests of another client were answered until then. */
async function answeredUntil(isOver: () => boolean, port: number): Promise<number> {
  for (let answered = 0; ; answered++) {
    if (isOver()) return answered
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: String(answered) })
    expect([answer.status, await answer.text()]).toEqual([200, String(answered)])
  }
}

test('slow and disconnected clients are cut off, while others are answered', async () => {
  const port = await start(echo, { timeoutMs })
  let isOver = false
  const answered = answeredUntil(() => isOver, port)
  const slow = Object.entries(slowClients).flatMap(([name, client]) =>
    Array.from({ length: ofEach }, async () => ({ name, client, received: await receivedBy(client, { port, path }) })),
  )
  for (const { name, client, received } of await Promise.all(slow)) expect(received, name).toMatch(client.end)
  isOver = true
  expect(await answered).toBeGreaterThan(10)
})

test('a body that is announced too large is refused before it arrives', async () => {
  const port = await start(echo)
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${maxBytes + 1}\r\n\r\n`)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 [^]*"code":"PAYLOAD_TOO_LARGE"/)
})

describe('a connection without progress is closed', () => {
  /** Resolves when another connection is accepted. */
  async function expectGone(port: number): Promise<void> {
    for (;;) {
      const next = connect(port, '127.0.0.1')
      next.on('error', () => {})
      next.end(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok`)
      const [data] = (await Promise.race([once(next, 'data'), once(next, 'close')])) as [Buffer | boolean]
      next.destroy()
      if (data instanceof Buffer) return
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  test('if the answer is not read', async () => {
    const gone = Promise.withResolvers<boolean>()
    const port = await start((request, response) => {
      response.on('close', () => gone.resolve(response.writableFinished))
      response.end(Buffer.alloc(50_000_000))
    }, short)
    const socket = connect(port, '127.0.0.1').pause()
    onTestFinished(() => void socket.destroy())
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    expect(await gone.promise).toBe(false)
  })

  test.each([
    ['no HTTP', 'no HTTP\r\n\r\n'],
    ['a body that stops coming', `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n`],
  ])('if the client does not close it after a refusal: %s', async (_, bytes) => {
    const port = await start(echo, { ...short, connections: { total: 1, perAddress: 1, isProxy: () => false } })
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    onTestFinished(() => void socket.destroy())
    socket.write(bytes)
    socket.resume()
    await once(socket, 'end')
    await expectGone(port)
  })

  test('but not while its answer is being produced', async () => {
    const port = await start(async (_, response) => {
      await new Promise((resolve) => setTimeout(resolve, 2 * shortPatienceMs))
      response.end('at last')
    }, short)
    expect(await (await fetch(`http://127.0.0.1:${port}${path}`)).text()).toBe('at last')
  })
})
