/** A forward proxy that takes each host for 127.0.0.1, so that tests need no names. */
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface ForwardProxy {
  readonly port: number
  /** What clients asked for, such as `CONNECT rollkey.test:443` or `GET http://rollkey.test/v1/whoami`. */
  readonly requests: readonly string[]
  /** `Proxy-Authorization` of each request. */
  readonly credentials: readonly (string | undefined)[]
}

/** Starts a proxy until the end of the current test. It answers each request with `refusal`, if there is one. */
export async function startForwardProxy({ refusal }: { readonly refusal?: number } = {}): Promise<ForwardProxy> {
  const requests: string[] = []
  const credentials: (string | undefined)[] = []
  const server = createServer((incoming, response) => {
    requests.push(`${incoming.method} ${incoming.url}`)
    credentials.push(incoming.headers['proxy-authorization'])
    if (refusal !== undefined) {
      response.writeHead(refusal).end()
      return
    }
    const { port, pathname, search } = new URL(incoming.url ?? '')
    const { method, headers } = incoming
    const outgoing = request({ host: '127.0.0.1', port, path: pathname + search, method, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 0, reply.headers)
      reply.pipe(response)
    })
    response.on('close', () => outgoing.destroy())
    incoming.pipe(outgoing)
  })
  server.on('connect', ({ url, headers }, socket) => {
    requests.push(`CONNECT ${url}`)
    credentials.push(headers['proxy-authorization'])
    if (refusal !== undefined) {
      socket.end(`HTTP/1.1 ${refusal} Refused\r\n\r\n`)
      return
    }
    const target = connect(Number(url?.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n')
      target.pipe(socket).pipe(target)
    })
    for (const each of [socket, target]) each.on('error', () => [socket, target].map((end) => end.destroy()))
  })
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return { port: (server.address() as AddressInfo).port, requests, credentials }
}
