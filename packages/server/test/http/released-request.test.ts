/** Tests the connections of event streams, which node:http has handed over. */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { HttpServer, type Answer, type Limits } from '../../src/http/server.ts'
import { stopMachineClock } from '../../testkit/stopped-clock.ts'

/** Serves streams, which begin with `begun` and do not end, and answers other requests with their paths. */
async function serve(limits: Limits = {}, answerStream: Answer = () => {}) {
  const server = new HttpServer(createLog('silent'), limits)
  onTestFinished(() => server.drain(0))
  const port = await server.listen('127.0.0.1', 0)
  const streams: Socket[] = []
  const api: Answer = async (request, response) => {
    if (!(request as { upgrade?: boolean }).upgrade) {
      // Requests that a client sends at once are read in one turn.
      await nextTurn()
      response.end(`answer to ${request.url} `)
      return
    }
    const { socket } = response as ServerResponse & { socket: Socket }
    await answerStream(request, response)
    if (response.writableEnded) return
    response.useChunkedEncodingByDefault = false
    response.writeHead(200).write('begun ')
    response.detachSocket(socket)
    streams.push(socket)
  }
  server.open({ pages: {}, document: () => {}, api })
  return { server, port, streams }
}

class Client {
  readonly socket: Socket
  received = ''

  constructor(port: number, bytes: string) {
    this.socket = connect(port, '127.0.0.1')
    this.socket.on('data', (data) => (this.received += data.toString()))
    this.socket.on('error', () => {})
    this.socket.write(bytes)
    onTestFinished(() => void this.socket.destroy())
  }

  async until(text: string): Promise<void> {
    await vi.waitUntil(() => this.received.includes(text), { timeout: 600_000 })
  }
}

const get = (path: string, ...headers: string[]) =>
  `GET ${path} HTTP/1.1\r\n${['Host: x', ...headers].join('\r\n')}\r\n\r\n`
const stream = get('/ofrep/v1/events?ticket=a')

test.each(['/v1/events?orgSlug=a', '/v1/events', '/projects/a/stages/b/ofrep/v1/events?ticket=a'])(
  'the connection of %s has no parser, and its bytes are sent unchanged',
  async (path) => {
    const { port, streams } = await serve()
    const client = new Client(port, get(path))
    await client.until('begun')
    expect(streams.map((socket) => (socket as Socket & { parser?: unknown }).parser)).toEqual([null])
    streams[0]?.write('event')
    await client.until('event')
    expect(client.received.split('\r\n\r\n')[1]).toBe('begun event')
    expect(client.received.toLowerCase()).toContain('connection: close')
  },
)

test.each([
  ['another path', get('/v1/events-log'), 'answer to /v1/events-log'],
  ['a query that names one', get('/v1/any?x=/v1/events'), 'answer to /v1/any'],
  ['another method', 'POST /v1/events HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n', 'answer to /v1/events'],
  ['an upgrade', get('/v1/any', 'Connection: Upgrade', 'Upgrade: websocket'), 'answer to /v1/any'],
  ['a tunnel', 'CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n', '405 METHOD_NOT_ALLOWED'],
  ['a stream without a host', 'GET /v1/events HTTP/1.1\r\n\r\n', '400 Bad Request'],
])('%s is answered as ever', async (_, bytes, answer) => {
  const { port, streams } = await serve()
  await new Client(port, bytes).until(answer)
  expect(streams).toEqual([])
})

test('a stream begins after the answers to the requests before it, and what follows it is ignored', async () => {
  const { port, streams } = await serve()
  const client = new Client(port, get('/v1/first') + get('/v1/second') + stream + get('/v1/third'))
  await client.until('begun')
  // The answer to another client, and the event after it, would come after an answer to the last request.
  await new Client(port, get('/v1/any')).until('answer')
  streams[0]?.write('event')
  await client.until('event')
  expect(client.received).toMatch(/answer to \/v1\/first [^]*answer to \/v1\/second [^]*begun event$/)
})

test('a refused stream is answered, and its connection closed', async () => {
  const { port } = await serve({}, (_, response) => void response.writeHead(429).end('refused'))
  const client = new Client(port, stream)
  await once(client.socket, 'close')
  expect(client.received).toMatch(/^HTTP\/1\.1 429 [^]*refused/)
})

test.each([
  ['closes its side', (socket: Socket) => void socket.end()],
  ['resets the connection', (socket: Socket) => void socket.resetAndDestroy()],
  ['keeps sending', (socket: Socket) => void socket.write('x'.repeat(40_000))],
])('a stream ends when its client %s', async (_, act) => {
  const { port, streams } = await serve()
  const client = new Client(port, stream)
  await client.until('begun')
  act(client.socket)
  await expect.poll(() => streams[0]?.destroyed).toBe(true)
})

test('a client that leaves before its answer begins does no harm', async () => {
  const begun = Promise.withResolvers<void>()
  const isGone = Promise.withResolvers<void>()
  const { port } = await serve({}, (request) => {
    request.socket.on('close', () => isGone.resolve())
    begun.resolve()
    return isGone.promise
  })
  const client = new Client(port, stream)
  await begun.promise
  client.socket.resetAndDestroy()
  await isGone.promise
  const other = new Client(port, get('/v1/any'))
  await other.until('answer')
  expect(other.received).toContain('answer to /v1/any')
})

test('an idle stream stays open, and one that is not read is closed', async () => {
  const { port, streams } = await serve({ timeoutMs: 300 })
  await new Client(port, stream).until('begun')
  const unreadClient = new Client(port, stream)
  await unreadClient.until('begun')
  const [idle, unread] = streams as [Socket, Socket]
  unreadClient.socket.pause()
  const isIdle = once(idle, 'timeout')
  idle.write('event')
  // Much more than the kernel takes.
  while (unread.writableLength < 20_000_000) unread.write('x'.repeat(1_000_000))
  await expect.poll(() => unread.destroyed).toBe(true)
  await isIdle
  expect(idle.destroyed).toBe(false)
})

test('a stream is never the idle connection that a new one replaces', async () => {
  const pass = stopMachineClock()
  const { port, streams } = await serve({ connections: { total: 1, perAddress: 1, isProxy: () => false } })
  await new Client(port, stream).until('begun')
  pass(60_000)
  const second = new Client(port, get('/v1/any'))
  await once(second.socket, 'close')
  expect([second.received, streams[0]?.destroyed]).toEqual(['', false])
})

test('a stop waits for streams, and closes them when its time is over', async () => {
  const pass = stopMachineClock()
  const { server, port, streams } = await serve()
  const other = new Client(port, get('/v1/any'))
  await other.until('answer')
  await new Client(port, stream).until('begun')
  const drained = server.drain(10_000)
  pass(9_000)
  // It closes idle connections of others first.
  await once(other.socket, 'close')
  expect(streams[0]?.destroyed).toBe(false)
  pass(1_000)
  await drained
  expect(streams[0]?.destroyed).toBe(true)
})
