/** A proxy that drops the start-up parameter `options`, as PgBouncer does if configured so. It pools nothing. */
import { connect, createServer, type AddressInfo } from 'node:net'

const lengthBytes = 4
const headBytes = 8

/** Returns the start-up message without `options` (PostgreSQL, "Message Formats"): length, protocol, names and values. */
function withoutOptions(message: Buffer): Buffer {
  const words = message.toString('latin1', headBytes).split('\0')
  const at = words.indexOf('options')
  if (at >= 0) words.splice(at, 2)
  const body = Buffer.from(words.join('\0'), 'latin1')
  const changed = Buffer.concat([message.subarray(0, headBytes), body])
  changed.writeUInt32BE(changed.length, 0)
  return changed
}

export async function startOptionsProxy(targetPort: number): Promise<{ port: number; close(): void }> {
  const server = createServer((client) => {
    const target = connect(targetPort, '127.0.0.1')
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const)
      from.on('error', () => to.destroy()).on('close', () => to.destroy())
    target.pipe(client)
    let begun = Buffer.alloc(0)
    const read = (bytes: Buffer): void => {
      begun = Buffer.concat([begun, bytes])
      if (begun.length < lengthBytes || begun.length < begun.readUInt32BE(0)) return
      client.off('data', read)
      const length = begun.readUInt32BE(0)
      target.write(Buffer.concat([withoutOptions(begun.subarray(0, length)), begun.subarray(length)]))
      client.pipe(target)
    }
    client.on('data', read)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}
