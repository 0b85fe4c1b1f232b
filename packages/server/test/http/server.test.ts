import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { EventEmitter, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { Connections } from '../../src/http/limits/connections.ts'
import { HttpServer, type Answer, type Limits, type Site } from '../../src/http/server.ts'
import { readBody } from '../../src/http/steps/read-body.ts'
import { startTestApp } from '../../testkit/app.ts'
import { stopMachineClock } from '../../testkit/stopped-clock.ts'

let server: HttpServer | undefined

afterEach(async () => {
  vi.useRealTimers()
  await server?.drain(0)
})

async function start(limits: Limits = {}): Promise<number> {
  return serve(
    {
      pages: {},
      document: (_, response) => void response.end('document'),
      api: async (request, response) => {
        await readBody(request, 1_000).catch(() => {})
        response.end('done')
      },
    },
    limits,
  )
}

async function serve(site: Site, limits: Limits = {}): Promise<number> {
  server = new HttpServer(createLog('silent'), limits)
  const port = await server.listen('127.0.0.1', 0)
  server.open(site)
  return port
}

function hold(port: number): Socket {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  return socket
}

async function opened(port: number): Promise<Socket> {
  const socket = hold(port)
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** Returns everything that arrives until the connection is closed. */
function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = hold(port)
    let received = ''
    socket.on('data', (data) => (received += data.toString()))
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
    socket.write(bytes, 'latin1')
  })
}

function errorOf(answer: string): unknown {
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  const { code, requestId } = (JSON.parse(body) as { error: { code: string; requestId: string } }).error
  expect(head.toLowerCase()).toContain(`x-request-id: ${requestId}`)
  return [head.split(' ')[1], code]
}

const get = 'GET / HTTP/1.1\r\nHost: x\r\n'
const post = 'POST / HTTP/1.1\r\nHost: x\r\n'
const chunked = `${post}Transfer-Encoding: chunked\r\n`
const smuggled = 'GET /v1/smuggled HTTP/1.1\r\nHost: x\r\n\r\n'

describe('framing errors are JSON, and nothing after them is parsed as a request', () => {
  /** How long the server reads and discards what a refused client still sends. */
  const lingerMs = 2_000

  test('a head that is far too large, from a client that sends all of it first', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const socket = hold(await start())
    const bytes = `GET /${'a'.repeat(9_000_000)} HTTP/1.1\r\nHost: x\r\n\r\n`
    await promisify<string, void>((text, done) => void socket.write(text, done))(bytes)
    expect(errorOf((await socket.toArray()).join(''))).toEqual(['431', 'HEADERS_TOO_LARGE'])
  })

  test('a head without an end, whose client is disconnected', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const socket = connect({ port: await start(), host: '127.0.0.1', allowHalfOpen: true })
    const keepSending = (error?: Error | null): unknown => error || socket.write('a'.repeat(100_000), keepSending)
    socket.on('error', () => {})
    keepSending()
    await once(socket, 'data')
    vi.advanceTimersByTime(lingerMs)
    const hadError = await new Promise<boolean>((resolve) => void socket.once('close', resolve))
    expect(hadError).toBe(true)
  })

  test.each([
    ['a body', `${post}Content-Length: 20\r\n\r\n{`],
    ['a head', 'POST / HTTP/1.1\r\nHost: x\r\nCont'],
  ])('%s that stops coming', async (_, bytes) => {
    // The head may take a third of it, and a connection that is idle for all of it is closed without an answer.
    expect(errorOf(await exchange(await start({ timeoutMs: 1_500 }), bytes))).toEqual(['408', 'REQUEST_TIMEOUT'])
  })

  test.each([
    ['bytes that are not HTTP', 'hello\r\n\r\n', '400', 'INVALID_REQUEST'],
    ['a TLS hello', '\u0016\u0003\u0001\u0000\u00A5\u0001\u0000\u0000\u00A1', '400', 'INVALID_REQUEST'],
    ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '400', 'INVALID_REQUEST'],
    ['HTTP/3', 'GET / HTTP/3.0\r\nHost: x\r\n\r\n', '400', 'INVALID_REQUEST'],
    ['no Host header', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', '400', 'INVALID_REQUEST'],
    ['two Hosts', `${get}Host: y\r\nConnection: close\r\n\r\n`, '400', 'INVALID_REQUEST'],
    [
      'a length together with chunks',
      `${chunked}Content-Length: 4\r\n\r\n0\r\n\r\n${smuggled}`,
      '400',
      'INVALID_REQUEST',
    ],
    [
      'a blank before a colon',
      `${post}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${smuggled}`,
      '400',
      'INVALID_REQUEST',
    ],
    ['two codings', `${chunked}Transfer-Encoding: identity\r\n\r\n0\r\n\r\n${smuggled}`, '400', 'INVALID_REQUEST'],
    ['an unknown coding', `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`, '400', 'INVALID_REQUEST'],
    ['two lengths', `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}${smuggled}`, '400', 'INVALID_REQUEST'],
    ['a length twice', `${post}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}${smuggled}`, '400', 'INVALID_REQUEST'],
    ['a list of lengths', `${post}Content-Length: 2, 2\r\n\r\n{}${smuggled}`, '400', 'INVALID_REQUEST'],
    ['a negative length', `${post}Content-Length: -1\r\n\r\n{}${smuggled}`, '400', 'INVALID_REQUEST'],
    ['a length with a sign', `${post}Content-Length: +2\r\n\r\n{}${smuggled}`, '400', 'INVALID_REQUEST'],
    ['a hexadecimal length', `${post}Content-Length: 0x2\r\n\r\n{}${smuggled}`, '400', 'INVALID_REQUEST'],
    [
      'a length of 23 digits',
      `${post}Content-Length: ${'9'.repeat(23)}\r\n\r\n{}${smuggled}`,
      '400',
      'INVALID_REQUEST',
    ],
    ['a folded line', `${get}X: a\r\n b\r\n\r\n`, '400', 'INVALID_REQUEST'],
    ['line feeds alone', `${get.replaceAll('\r', '')}\n${smuggled}`, '400', 'INVALID_REQUEST'],
    ['a carriage return alone', `GET / HTTP/1.1\r\nHost: x\rX: y\r\n\r\n${smuggled}`, '400', 'INVALID_REQUEST'],
    ['a NUL in a header', `${get}X: a\u0000b\r\n\r\n`, '400', 'INVALID_REQUEST'],
    ['a broken chunk', `${chunked}\r\nzz\r\n`, '400', 'INVALID_REQUEST'],
    ['a negative chunk size', `${chunked}\r\n-2\r\n{}\r\n0\r\n\r\n${smuggled}`, '400', 'INVALID_REQUEST'],
    ['a chunk of 18 digits', `${chunked}\r\n${'f'.repeat(18)}\r\n{}${smuggled}`, '400', 'INVALID_REQUEST'],
    ['chunks between line feeds', `${chunked}\r\n2\n{}\n0\n\n${smuggled}`, '400', 'INVALID_REQUEST'],
    [
      'a chunk extension of 20 KB',
      `${chunked}\r\n2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
      '413',
      'PAYLOAD_TOO_LARGE',
    ],
    ['5,000 trailers', `${chunked}\r\n2\r\n{}\r\n0\r\n${'X: 1\r\n'.repeat(5_000)}\r\n`, '431', 'HEADERS_TOO_LARGE'],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', '405', 'METHOD_NOT_ALLOWED'],
    ['17 KiB of headers', `${get}X: ${'a'.repeat(17_000)}\r\n\r\n`, '431', 'HEADERS_TOO_LARGE'],
    ['a path of 20 KB', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, '431', 'HEADERS_TOO_LARGE'],
    ['2,000 header lines', `${get}${'a:b\r\n'.repeat(2_000)}\r\n`, '431', 'HEADERS_TOO_LARGE'],
  ])('%s', async (_, bytes, status, code) => {
    expect(errorOf(await exchange(await start(), bytes))).toEqual([status, code])
  })
})

describe('over the limit of connections', () => {
  const ask = (socket: Socket): void => void socket.write(`${get}\r\n`)
  const bounded = (total: number, perAddress: number, isProxy = false) => ({
    connections: { total, perAddress, isProxy: () => isProxy },
  })

  let pass: (ms: number) => void

  beforeEach(() => void (pass = stopMachineClock()))

  /** Lets all connections be idle for more than a second. */
  const passTime = (): void => pass(1_001)

  async function isAnswered(socket: Socket): Promise<boolean> {
    ask(socket)
    const [data] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [Buffer | boolean]
    return data instanceof Buffer
  }

  test.each([
    ['of a node', bounded(3, 100)],
    ['from an address', bounded(100, 3)],
  ])('%s, the one is closed that was idle for longest', async (_, limits) => {
    const port = await start(limits)
    const [first, second, third] = [await opened(port), await opened(port), await opened(port)]
    // The first connection is no longer the one that has been idle longest.
    expect([await isAnswered(second), await isAnswered(third), await isAnswered(first)]).toEqual([true, true, true])
    passTime()
    const closed = once(second, 'close')
    const fourth = await opened(port)
    await closed
    expect(await Promise.all([first, third, fourth].map(isAnswered))).toEqual([true, true, true])
  })

  test('a connection with a running request stays, and the new one is closed', async () => {
    const begun = Promise.withResolvers<ServerResponse>()
    const port = await serve(
      { pages: {}, document: () => {}, api: (_, response) => begun.resolve(response) },
      bounded(100, 1),
    )
    const busy = await opened(port)
    ask(busy)
    const response = await begun.promise
    expect(await exchange(port, '')).toBe('')
    response.end('at last')
    const [data] = (await once(busy, 'data')) as [Buffer]
    expect(data.toString()).toContain('at last')
  })

  test('a connection whose answered request is still sending its body stays', async () => {
    const answer: Answer = (_, response) => void response.end('refused')
    const port = await serve({ pages: {}, document: () => {}, api: answer }, bounded(100, 1))
    const sending = await opened(port)
    sending.write('POST /v1/any HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n')
    await once(sending, 'data')
    passTime()
    expect(await exchange(port, '')).toBe('')
    sending.write('body')
    const closed = once(sending, 'close')
    const another = async (): Promise<string> => {
      passTime()
      return exchange(port, `${get}Connection: close\r\n\r\n`)
    }
    await expect.poll(another).toContain('200')
    await closed
  })

  test('a connection that was idle for less than a second stays', async () => {
    const port = await start(bounded(100, 1))
    const first = await opened(port)
    expect(await exchange(port, '')).toBe('')
    expect(await isAnswered(first)).toBe(true)
  })

  test('a connection that is refused costs no socket', async () => {
    const port = await start(bounded(100, 1))
    let sockets = 0
    const count = (): void => void sockets++
    subscribe('net.server.socket', count)
    await opened(port)
    for (let at = 0; at < 3; at++) expect(await exchange(port, '')).toBe('')
    unsubscribe('net.server.socket', count)
    expect(sockets).toBe(1)
  })

  test('who opens many connections makes no one wait, because few are compared for each', () => {
    let looks = 0
    class Other extends EventEmitter {
      readonly remoteAddress = '192.0.2.1'
      get _httpMessage(): null {
        looks++
        return null
      }
      destroy(): void {
        this.emit('close')
      }
    }
    const { connections: bounds } = bounded(10_000, Infinity)
    const connections = new Connections(bounds)
    const openAnother = (): void => {
      if (connections.admits('192.0.2.1')) connections.add(new Other() as unknown as Socket)
    }
    for (let at = 0; at < 10_000; at++) openAnother()
    for (let at = 0; at < 1_000; at++) openAnother()
    expect([...connections]).toHaveLength(10_000)
    // All of the burst are younger than a second, which is found out once.
    expect(looks).toBeLessThanOrEqual(10_000)
    passTime()
    looks = 0
    for (let at = 0; at < 1_000; at++) openAnother()
    expect([...connections]).toHaveLength(10_000)
    expect(looks).toBeLessThan(1_000 * 110)
  })

  test('a trusted proxy may use all connections of the node', async () => {
    const port = await start(bounded(100, 1, true))
    const sockets = [await opened(port), await opened(port), await opened(port)]
    expect(await Promise.all(sockets.map(isAnswered))).toEqual([true, true, true])
  })

  test.each([{ MAX_CONNECTIONS_PER_IP: '2', TRUSTED_PROXIES: '192.0.2.1' }, { MAX_CONNECTIONS: '2' }])(
    'the service closes a connection according to its settings: %j',
    async (settings) => {
      const app = await startTestApp(settings)
      const port = Number(new URL(app.url).port)
      const [first, second] = [await opened(port), await opened(port)]
      passTime()
      const others = [second, await opened(port)]
      await expect.poll(() => first?.closed).toBe(true)
      expect(await Promise.all(others.map(isAnswered))).toEqual([true, true])
    },
  )
})

test('an unknown expectation is answered like any request', async () => {
  const bytes = 'GET / HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n'
  expect(await exchange(await start(), bytes)).toMatch(/^HTTP\/1\.1 200 /)
})

test('a drain answers requests on open connections for a moment, closes idle ones, and lets a running request finish', async () => {
  const pass = stopMachineClock()
  const begun = Promise.withResolvers<void>()
  const port = await serve({
    pages: {},
    document: () => {},
    api: async (request, response) => {
      begun.resolve()
      await readBody(request, 1_000)
      response.end('done')
    },
  })
  const [idle, late, busy] = [await opened(port), await opened(port), await opened(port)]
  busy.write(`${post}Content-Length: 2\r\n\r\n{`)
  // The server has accepted the other connections before this one.
  await begun.promise
  const drained = server?.drain(5_000)
  late.write(`${post}Content-Length: 0\r\n\r\n`)
  expect((await late.toArray()).join('')).toMatch(/^HTTP\/1\.1 200 [^]*connection: close/i)
  expect(idle.closed).toBe(false)
  pass(300)
  expect(await idle.toArray()).toEqual([])
  busy.write('}')
  expect((await busy.toArray()).join('')).toContain('done')
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed')
  await drained
})

describe('routing', () => {
  const say =
    (what: string): Answer =>
    (_, response) =>
      void response.end(what)
  const site: Site = {
    pages: { '/livez': say('live'), '/assets/': say('asset'), '/': say('start') },
    document: say('document'),
    api: say('api'),
  }
  const html = { accept: 'text/html,*/*;q=0.8' }

  test.each([
    ['/livez', {}, 'live'],
    ['/livez?x=1', html, 'live'],
    ['/', {}, 'start'],
    ['/assets/a.js', {}, 'asset'],
    ['/assets/a/b.js', html, 'asset'],
    ['/device', html, 'document'],
    ['/device', {}, 'api'],
    ['/v1/env/evaluate', html, 'api'],
    ['/constructor', {}, 'api'],
    ['/__proto__/x', {}, 'api'],
    ['/livez/x', html, 'document'],
  ])('%s %j: %s', async (path, headers: Record<string, string>, who) => {
    const port = await serve(site)
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close', ...headers } })
    expect(await answer.text()).toBe(who)
  })

  test('a POST of a browser goes to the API', async () => {
    const port = await serve(site)
    const answer = await fetch(`http://127.0.0.1:${port}/device`, { method: 'POST', headers: html })
    expect(await answer.text()).toBe('api')
  })

  test('a request that arrives before the site is open waits for it', async () => {
    server = new HttpServer(createLog('silent'))
    const port = await server.listen('127.0.0.1', 0)
    const early = await opened(port)
    const request = 'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
    await promisify<string, void>((text, done) => void early.write(text, done))(request)
    // An answer on a later connection shows that the server has read the request of the earlier one.
    expect(await exchange(port, 'no HTTP\r\n\r\n')).toContain('400')
    server.open(site)
    expect((await early.toArray()).join('')).toMatch(/^HTTP\/1\.1 200 [^]*live$/)
  })

  test('a page that throws answers an error and does not end the process', async () => {
    const lines: string[] = []
    server = new HttpServer(createLog('error', { write: (line) => lines.push(line) }))
    const port = await server.listen('127.0.0.1', 0)
    server.open({ ...site, pages: { '/': () => Promise.reject(new TypeError('s3cret')) } })
    const answer = await fetch(`http://127.0.0.1:${port}/`)
    expect(answer.status).toBe(500)
    expect(await answer.json()).toMatchObject({ error: { code: 'INTERNAL' } })
    expect(lines.join()).toContain('TypeError')
    expect(lines.join()).not.toContain('s3cret')
  })
})
