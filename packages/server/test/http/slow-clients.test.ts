import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { readBody } from '../../src/http/steps/read-body.ts'
import { HttpServer, type Answer, type Limits } from '../../src/http/server.ts'
import { receivedBy, slowClients } from '../../testkit/slow-clients.ts'

const timeoutMs = 3_000
const ofEach = 5
const maxBytes = 1_000_000
const path = '/v1/any'

let server: HttpServer | undefined
afterEach(() => server?.drain(0))

async function start(api: Answer, limits: Limits = {}): Promise<number> {
  server = new HttpServer(createLog('silent'), limits)
  const port = await server.listen('127.0.0.1', 0)
  server.open({ pages: {}, document: () => {}, api })
  return port
}

async function echo(...[request, response]: Parameters<Answer>): Promise<void> {
  response.end(await readBody(request, maxBytes))
}

/** Connects slow clients. Resolves when all are disconnected, with what they received. */
async function occupy(port: number) {
  const each = Object.entries(slowClients).flatMap((client) => Array.from({ length: ofEach }, () => client))
  return Promise.all(
    each.map(async ([name, client]) => ({ name, client, received: await receivedBy(client, { port, path }) })),
  )
}

test('slow and disconnected clients are cut off', async () => {
  const port = await start(echo, { timeoutMs })
  for (const { name, client, received } of await occupy(port)) expect(received, name).toMatch(client.end)
})

test('others are answered while slow clients are connected', async () => {
  const port = await start(echo, { timeoutMs: 900_000 })
  const slow = occupy(port)
  for (let index = 0; index < 20; index++) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: String(index) })
    expect([answer.status, await answer.text()]).toEqual([200, String(index)])
  }
  await server?.drain(0)
  await slow
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
  test('if the answer is not read', async () => {
    const gone = Promise.withResolvers<boolean>()
    const port = await start(
      (request, response) => {
        response.on('close', () => gone.resolve(response.writableFinished))
        response.end(Buffer.alloc(50_000_000))
      },
      { timeoutMs: 600 },
    )
    const socket = connect(port, '127.0.0.1').pause()
    onTestFinished(() => void socket.destroy())
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    expect(await gone.promise).toBe(false)
  })

  test.each([
    ['no HTTP', 'no HTTP\r\n\r\n'],
    ['a body that stops coming', `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n`],
  ])('if the client does not close it after a refusal: %s', async (_, bytes) => {
    const port = await start(echo, { timeoutMs })
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => {})
    socket.write(bytes)
    socket.resume()
    await once(socket, 'end')
    // A closed connection resets what is sent on it.
    const sending = setInterval(() => socket.write('more'), 50)
    onTestFinished(() => clearInterval(sending))
    const hadError = await new Promise<boolean>((resolve) => void socket.once('close', resolve))
    expect(hadError).toBe(true)
  })

  test('but not while its answer is being produced', async () => {
    const port = await start(
      async (request, response) => {
        // The server, which listens to the same event, has decided first.
        await once(request.socket, 'timeout')
        response.end('at last')
      },
      { timeoutMs: 600 },
    )
    expect(await (await fetch(`http://127.0.0.1:${port}${path}`)).text()).toBe('at last')
  })
})
