import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { HttpServer, type Answer, type Site } from '../../src/http/server.ts'
import { readBody } from '../../src/http/body.ts'

let server: HttpServer | undefined

afterEach(() => server?.drain(0))

async function start(requestTimeoutMs = 30_000): Promise<number> {
  return serve(
    {
      pages: {},
      document: (_, response) => void response.end('document'),
      api: async (request, response) => {
        await readBody(request, 1_000).catch(() => {})
        response.end('done')
      },
    },
    requestTimeoutMs,
  )
}

async function serve(site: Site, requestTimeoutMs?: number): Promise<number> {
  server = new HttpServer(createLog('silent'), requestTimeoutMs)
  const port = await server.listen('127.0.0.1', 0)
  server.open(site)
  return port
}

/** All that comes back until the connection is closed. */
function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let received = ''
    socket.on('data', (data) => (received += data.toString()))
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
    socket.write(bytes)
  })
}

function errorOf(answer: string): unknown {
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  const { code, requestId } = (JSON.parse(body) as { error: { code: string; requestId: string } }).error
  expect(head.toLowerCase()).toContain(`x-request-id: ${requestId}`)
  return [head.split(' ')[1], code]
}

describe('errors of framing have the JSON shape', () => {
  test.each([
    ['a body that stops coming', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\n{', '408', 'REQUEST_TIMEOUT'],
    ['a head that stops coming', 'POST / HTTP/1.1\r\nHost: x\r\nCont', '408', 'REQUEST_TIMEOUT'],
    ['no HTTP at all', 'hello\r\n\r\n', '400', 'INVALID_REQUEST'],
    ['no Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', '400', 'INVALID_REQUEST'],
    [
      'a broken chunk',
      'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      '400',
      'INVALID_REQUEST',
    ],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', '405', 'METHOD_NOT_ALLOWED'],
    ['17 KiB of headers', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(17_000)}\r\n\r\n`, '431', 'HEADERS_TOO_LARGE'],
  ])('%s', async (_, bytes, status, code) => {
    expect(errorOf(await exchange(await start(300), bytes))).toEqual([status, code])
  })
})

test('an unknown expectation is answered like any request', async () => {
  const bytes = 'GET / HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n'
  expect(await exchange(await start(), bytes)).toMatch(/^HTTP\/1\.1 200 /)
})

test('a drain answers what comes on open connections for a moment, closes idle ones, and lets a begun request finish', async () => {
  const port = await start()
  const idle = exchange(port, '')
  const late = new Promise<string>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let received = ''
    socket.on('data', (data) => (received += data.toString()))
    socket.on('close', () => resolve(received))
    setTimeout(() => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'), 300)
  })
  const busy = new Promise<string>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let received = ''
    socket.on('data', (data) => (received += data.toString()))
    socket.on('close', () => resolve(received))
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{')
    setTimeout(() => socket.write('}'), 400)
  })
  await new Promise((resolve) => setTimeout(resolve, 200))
  const drained = server?.drain(5_000)
  expect(await late).toMatch(/^HTTP\/1\.1 200 [^]*connection: close/i)
  expect(await idle).toBe('')
  expect(await busy).toContain('done')
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed')
  await drained
})

describe('who answers', () => {
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

  test('a browser that posts is answered by the API', async () => {
    const port = await serve(site)
    const answer = await fetch(`http://127.0.0.1:${port}/device`, { method: 'POST', headers: html })
    expect(await answer.text()).toBe('api')
  })

  test('a request that comes before the site is there waits for it', async () => {
    server = new HttpServer(createLog('silent'))
    const port = await server.listen('127.0.0.1', 0)
    const answer = fetch(`http://127.0.0.1:${port}/livez`)
    setTimeout(() => server?.open(site), 50)
    expect(await (await answer).text()).toBe('live')
  })

  test('a page that throws is an error, not the end of the process', async () => {
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
