/** A TCP connection to a port of this machine that a test can hold up and cut. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const dripMs = 200

/** What becomes of bytes that a client sends: on they go, or the connection ends before or after the server has them. */
type Verdict = 'pass' | 'cut before' | 'cut after'

export interface TcpProxy {
  readonly port: number
  /** Asked for everything that clients send; `connection` is the same object for all of one connection. */
  judge: (bytes: Buffer, connection: object) => Verdict
  /** Connections that were made. */
  connections: number
  /** From now on a byte passes to clients now and then. */
  drip(): void
  /** From now on nothing passes in either direction, on no connection, and nobody is told. */
  stall(): void
  /** The same on the connections that are open; new ones work. */
  stallOpen(): void
  /** Ends the stall or the drip; what was held up passes. */
  resume(): void
  /** Ends all connections. */
  cut(): void
  close(): void
}

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let stalled = false
  let dripping = false
  const onEach = (act: (socket: Socket) => void): void => [...pairs].flat().forEach(act)

  /** A byte at a time, and what is left at once when the drip is over. */
  async function drop(client: Socket, bytes: Buffer): Promise<void> {
    for (let i = 0; i < bytes.length && !client.destroyed; i++) {
      if (!dripping) return void client.write(bytes.subarray(i))
      client.write(bytes.subarray(i, i + 1))
      await sleep(dripMs)
    }
  }

  const server = createServer((client) => {
    proxy.connections++
    const target = connect(targetPort, '127.0.0.1')
    const pair = [client, target] as const
    pairs.add(pair)
    const end = (): void => {
      pairs.delete(pair)
      client.destroy()
      target.destroy()
    }
    for (const socket of pair) socket.on('error', end).on('close', end)
    target.on('data', (bytes) => (dripping ? void drop(client, bytes) : client.write(bytes)))
    client.on('data', (bytes) => {
      const verdict = proxy.judge(bytes, client)
      if (verdict === 'cut before') return end()
      // The server has it once it is flushed: only then may the way back end.
      target.write(bytes, () => verdict === 'cut after' && setTimeout(end, 5))
      if (verdict === 'cut after') client.destroy()
    })
    if (stalled) for (const socket of pair) socket.pause()
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })

  const proxy: TcpProxy = {
    port: (server.address() as AddressInfo).port,
    judge: () => 'pass',
    connections: 0,
    drip() {
      dripping = true
    },
    stall() {
      stalled = true
      proxy.stallOpen()
    },
    stallOpen: () => onEach((socket) => socket.pause()),
    resume() {
      stalled = false
      dripping = false
      onEach((socket) => socket.resume())
    },
    cut: () => onEach((socket) => socket.destroy()),
    close() {
      server.close()
      proxy.cut()
    },
  }
  return proxy
}
