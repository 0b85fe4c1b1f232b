import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** A port on which nothing listens, because only the superuser may and no service is registered for it that is in use. */
export const closedPort = 2

/** Ports that the system gives to no one by itself: it starts at 32,768 (`net.ipv4.ip_local_port_range`). */
const first = 20_000
const last = 32_000

/** Returns a server that listens, "taken" if another has the port, or undefined if this machine lacks the address. */
async function listen(host: string, port: number): Promise<Server | 'taken' | undefined> {
  const server = createServer()
  const listening = once(server, 'listening')
  server.listen(port, host)
  try {
    await listening
    return server
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? 'taken' : undefined
  }
}

/**
 * Returns a port of 127.0.0.1 on which nothing listens, and which no other test takes before the caller does: until this process
 * ends, 127.0.0.2 reserves it among tests. Prefer port 0, where a program can say which port it has got.
 */
export async function freePort(): Promise<number> {
  for (let port = first + (process.pid % (last - first)); ; port = port === last ? first : port + 1) {
    const reservation = await listen('127.0.0.2', port)
    if (reservation === 'taken') continue
    reservation?.unref()
    const probe = await listen('127.0.0.1', port)
    if (probe === 'taken') continue
    probe?.close()
    return port
  }
}
