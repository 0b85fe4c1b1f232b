import { createServer, type AddressInfo } from 'node:net'

/** A port on which nothing listens, because only the superuser may and no service is registered for it that is in use. */
export const closedPort = 2

/** Returns a port of this machine on which nothing currently listens. */
export function freePort(): Promise<number> {
  const server = createServer()
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
