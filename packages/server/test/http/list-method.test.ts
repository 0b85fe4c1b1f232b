/** Tests requests with the method LIST, which the parser of node:http does not know, among others of their connection. */
import { once } from 'node:events'
import { request as httpRequest, Agent } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { HttpServer, type Answer } from '../../src/http/server.ts'
import { readBody } from '../../src/http/steps/read-body.ts'
import { seeded } from '../../testkit/random.ts'

let server: HttpServer | undefined

afterEach(() => server?.drain(0))

/** Answers with what the service has understood of a request. */
const echo: Answer = async (request, response) => {
  const body = await readBody(request, 100_000)
  response.end(`${request.method} ${request.url} ${body.length}\n`)
}

async function start(api: Answer = echo): Promise<number> {
  server = new HttpServer(createLog('silent'))
  const port = await server.listen('127.0.0.1', 0)
  server.open({ pages: {}, document: echo, api })
  return port
}

async function opened(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** Returns what has arrived once the connection is closed. */
function received(socket: Socket): Promise<string> {
  return text(socket)
}

function requestText(method: string, url: string, body = '', more = ''): string {
  return `${method} ${url} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n${more}\r\n${body}`
}

/** Returns the bodies of answers in the order of their arrival. */
function bodiesOf(answers: string): string[] {
  return [...answers.matchAll(/^(?:LIST|GET|POST|PUT|LINK) .*$/gm)].map(([body]) => body)
}

const last = requestText('GET', '/last', '', 'Connection: close\r\n')

test('a client keeps its connection over LIST and other methods', async () => {
  const port = await start()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const sockets = new Set<unknown>()
  for (const method of ['LIST', 'GET', 'LIST', 'LIST', 'POST', 'LIST']) {
    const sent = httpRequest({ port, host: '127.0.0.1', method: 'GET', agent, path: '/a?b' })
    // The client of node:http refuses the method, too.
    sent.method = method
    sent.on('socket', (socket) => sockets.add(socket))
    sent.end()
    const [answer] = (await once(sent, 'response')) as [NodeJS.ReadableStream]
    expect(await text(answer)).toBe(`${method} /a?b 0\n`)
  }
  expect(sockets.size).toBe(1)
})

test('requests that are sent at once are answered in their order, also behind a slow one', async () => {
  const slow = Promise.withResolvers<void>()
  const port = await start(async (request, response) => {
    if (request.url === '/slow') await slow.promise
    await echo(request, response)
  })
  const socket = await opened(port)
  const answers = received(socket)
  socket.write(requestText('GET', '/slow') + requestText('LIST', '/1') + requestText('POST', '/2', 'LIST /x HTTP/1.1'))
  socket.write(requestText('LIST', '/3', 'LIST') + requestText('LIST', '/4') + last)
  // The service has the requests of this connection before that of another one, which it answers.
  await (await fetch(`http://127.0.0.1:${port}/other`)).text()
  slow.resolve()
  expect(bodiesOf(await answers)).toEqual([
    'GET /slow 0',
    'LIST /1 0',
    'POST /2 16',
    'LIST /3 4',
    'LIST /4 0',
    'GET /last 0',
  ])
})

test('generated sequences are answered in their order, however they are cut', async () => {
  const random = seeded(58)
  const port = await start()
  for (let round = 0; round < 60; round++) {
    const expected: string[] = []
    let bytes = ''
    for (let count = 1 + Math.floor(random() * 12); count > 0; count--) {
      const method = ['LIST', 'LIST', 'GET', 'POST'][Math.floor(random() * 4)] as string
      const length = random() < 0.5 ? 0 : Math.floor(random() * 3_000)
      bytes += requestText(method, `/${count}`, 'LIST '.repeat(length).slice(0, length))
      expected.push(`${method} /${count} ${length}`)
    }
    bytes += last
    const socket = await opened(port)
    const answers = received(socket)
    while (bytes !== '') {
      let cut = 1 + Math.floor(random() * 2_000)
      // Another test cuts within the letters of LIST.
      while ([1, 2, 3, 4].some((letters) => bytes.startsWith('LIST ', cut - letters))) cut++
      socket.write(bytes.slice(0, cut))
      bytes = bytes.slice(cut)
      if (random() < 0.5) await new Promise(setImmediate)
    }
    expect(bodiesOf(await answers)).toEqual([...expected, 'GET /last 0'])
  }
})

test.each([
  ['another unknown method', 'LISP / HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['one that begins with LIST', 'LISTS / HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['LIST in small letters', 'list / HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['LIST behind bytes that begin no request', 'BIST LIST / HTTP/1.1\r\nHost: x\r\n\r\n'],
  [
    'LIST with a body of two lengths',
    'LIST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nabc',
  ],
])('%s is not valid HTTP', async (_, bytes) => {
  const socket = await opened(await start())
  const answers = received(socket)
  socket.write(bytes)
  expect((await answers).split(' ', 2)).toEqual(['HTTP/1.1', '400'])
})

test.each([1, 2, 3, 4])(
  'a LIST of which %i letters arrived alone is refused, and what follows it is not read',
  async (letters) => {
    const urls: (string | undefined)[] = []
    const port = await start((request, response) => {
      urls.push(request.url)
      return echo(request, response)
    })
    const socket = await opened(port)
    const answers = received(socket)
    socket.write('LIST'.slice(0, letters))
    // A request of another connection shows that the service has read the first packet.
    await (await fetch(`http://127.0.0.1:${port}/other`)).text()
    socket.write(`${'LIST'.slice(letters)} /list HTTP/1.1\r\nHost: x\r\n\r\n${requestText('GET', '/next')}`)
    expect(await answers).toContain('HTTP/1.1 400')
    expect(urls).toEqual(['/other'])
  },
)

test('a connection that lists counts as one, and not at all once it is closed', async () => {
  const port = await start()
  const connections = [...Array(20).keys()].map(async () => {
    const socket = await opened(port)
    const answers = received(socket)
    socket.write(requestText('LIST', '/') + requestText('LIST', '/') + last)
    return bodiesOf(await answers).length
  })
  expect(await Promise.all(connections)).toEqual(Array(20).fill(3))
  // A drain ends when all connections have.
  await server?.drain(600_000)
})
