import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { HttpServer } from '../../src/http/server.ts'
import { readBody } from '../../src/http/body.ts'

let server: HttpServer | undefined

afterEach(() => server?.drain(0))

async function start(requestTimeoutMs = 30_000): Promise<number> {
  server = new HttpServer({
    pages: {},
    api: async (request, response) => {
      await readBody(request, 1_000).catch(() => {})
      response.end('done')
    },
    requestTimeoutMs,
  })
  return server.listen('127.0.0.1', 0)
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

test('a drain closes idle connections at once and lets a begun request finish', async () => {
  const port = await start()
  const idle = exchange(port, '')
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
  expect(await idle).toBe('')
  expect(await busy).toContain('done')
  await drained
})
