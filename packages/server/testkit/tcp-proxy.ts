/** A TCP proxy to a port of this machine, which a test can stall and cut. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { pause } from './pause.ts'

const dripMs = 200

/**
 * The fate of bytes that a client sends: they pass, wait for `resume`, or the connection ends before, within or after what the server
 * receives.
 */
type Verdict = 'pass' | 'hold' | 'cut before' | 'cut within' | 'cut after'

/** Bytes that a cut within leaves out, which is the last message of a transaction of PostgreSQL that is sent at once. */
const withinBytes = 5

export interface TcpProxy {
  readonly port: number
  /** The port to which new connections go. */
  targetPort: number
  /** Decides for everything that clients send. `connection` is the same object for all data of one connection. */
  judge: (bytes: Buffer, connection: object) => Verdict
  /** Number of connections that were made. */
  connections: number
  /** Lets only a byte at a time pass to clients, from time to time. */
  drip(): void
  /** Silently stops all data in both directions, on all connections. */
  stall(): void
  /** Silently stops all data on the open connections. New connections work. */
  stallOpen(): void
  /** Ends the stall, the drip or the hold, and passes the delayed data on. */
  resume(): void
  /** Ends all connections. */
  cut(): void
  close(): void
}

/** Sends a byte at a time, and the rest at once when the drip ends. */
async function drop(client: Socket, bytes: Buffer, isDripping: () => boolean): Promise<void> {
  for (let i = 0; i < bytes.length && !client.destroyed; i++) {
    if (!isDripping()) return void client.write(bytes.subarray(i))
    client.write(bytes.subarray(i, i + 1))
    await pause(dripMs)
  }
}

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let stalled = false
  let dripping = false
  const held: (() => void)[] = []
  const onEach = (act: (socket: Socket) => void): void => [...pairs].flat().forEach(act)

  const server = createServer((client) => {
    proxy.connections++
    const target = connect(proxy.targetPort, '127.0.0.1')
    const pair = [client, target] as const
    pairs.add(pair)
    const end = (): void => {
      pairs.delete(pair)
      client.destroy()
      target.destroy()
    }
    for (const socket of pair) socket.on('error', end).on('close', end)
    target.on('data', (bytes) => (dripping ? void drop(client, bytes, () => dripping) : client.write(bytes)))
    client.on('data', (bytes) => {
      const verdict = proxy.judge(bytes, client)
      if (verdict === 'cut before') return end()
      if (verdict === 'hold') return void held.push(() => target.write(bytes))
      if (verdict === 'pass') return void target.write(bytes)
      // The server works on all that it has received, and then on the end.
      client.off('close', end).destroy()
      target.end(verdict === 'cut within' ? bytes.subarray(0, -withinBytes) : bytes)
    })
    if (stalled) for (const socket of pair) socket.pause()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  const proxy: TcpProxy = {
    port: (server.address() as AddressInfo).port,
    targetPort,
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
      for (const pass of held.splice(0)) pass()
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
