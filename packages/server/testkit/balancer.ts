/** A balancer of TCP connections. Each goes to the next target in turn, and passes over those that refuse it. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface Balancer {
  readonly url: string
  close(): void
}

/** Connects to the first port that accepts. */
async function connectToOneOf(ports: readonly number[]): Promise<Socket | undefined> {
  for (const port of ports) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    if (isOpen) return socket
  }
  return undefined
}

export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const sockets = new Set<Socket>()
  let turn = 0
  const server = createServer({ pauseOnConnect: true }, (client) => {
    const first = turn++ % ports.length
    void connectToOneOf([...ports.slice(first), ...ports.slice(0, first)]).then((target) => {
      if (!target) return client.destroy()
      for (const [from, to] of [
        [client, target],
        [target, client],
      ] as const) {
        sockets.add(from)
        from.on('error', () => to.destroy()).on('close', () => sockets.delete(from))
        from.pipe(to)
      }
      return undefined
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
