/** A TCP connection to a port of this machine that a test can hold up and cut. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** What becomes of bytes that a client sends: on they go, or the connection ends before or after the server has them. */
type Verdict = 'pass' | 'cut before' | 'cut after'

export interface TcpProxy {
  readonly port: number
  /** Asked for everything that clients send; `connection` is the same object for all of one connection. */
  judge: (bytes: Buffer, connection: object) => Verdict
  /** From now on nothing passes in either direction, on no connection, and nobody is told. */
  stall(): void
  /** Ends the stall; what was held up passes. */
  resume(): void
  /** Ends all connections. */
  cut(): void
  close(): void
}

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let stalled = false

  const server = createServer((client) => {
    const target = connect(targetPort, '127.0.0.1')
    const pair = [client, target] as const
    pairs.add(pair)
    const end = (): void => {
      pairs.delete(pair)
      client.destroy()
      target.destroy()
    }
    for (const socket of pair) socket.on('error', end).on('close', end)
    target.on('data', (bytes) => client.write(bytes))
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
    stall() {
      stalled = true
      for (const socket of [...pairs].flat()) socket.pause()
    },
    resume() {
      stalled = false
      for (const socket of [...pairs].flat()) socket.resume()
    },
    cut() {
      for (const socket of [...pairs].flat()) socket.destroy()
    },
    close() {
      server.close()
      proxy.cut()
    },
  }
  return proxy
}
