/**
 * The administration socket: a Unix socket of mode 0600 in the data directory, over which a command reaches the server
 * that holds the store. Who may open it is who may read the data. HTTP with JSON: POST /<command>, the arguments an array.
 */
import { chmodSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import path from 'node:path'
import { KmsUnavailable } from '../base/fault.ts'
import { CommandRefused, type Installation } from './command.ts'
import { commands } from './commands.ts'

/** Unix gives the path of a socket 108 bytes, macOS 104, with a zero at the end. */
const longestPath = 103

function socketPath(dataDir: string): string {
  const absolute = path.resolve(dataDir, 'admin.sock')
  const relative = path.relative(process.cwd(), absolute)
  const shorter = relative.length < absolute.length ? relative : absolute
  if (Buffer.byteLength(shorter) > longestPath) {
    throw new Error(`ROLLKEY_DATA_DIR is too long for a socket in it: ${absolute} has more than ${longestPath} bytes.`)
  }
  return shorter
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

async function answer(installation: Installation, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const command = commands[incoming.url?.slice(1) ?? '']
    if (!command) throw new CommandRefused('There is no such command.')
    const result = await command.run(installation, JSON.parse(await readAll(incoming)) as string[])
    response.writeHead(200).end(JSON.stringify(result))
  } catch (error) {
    const refused = error instanceof CommandRefused || error instanceof KmsUnavailable
    const text = refused ? error.message : 'The command failed inside the server.'
    response.writeHead(refused ? 400 : 500).end(JSON.stringify({ error: text }))
  }
}

/** Serves the commands until the returned server is closed. The caller holds the lock of the data directory. */
export async function serveAdmin(dataDir: string, installation: Installation): Promise<Server> {
  const at = socketPath(dataDir)
  rmSync(at, { force: true }) // of a process that was killed: the lock says that it is gone
  const server = createServer((incoming, response) => void answer(installation, incoming, response))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(at, resolve)
  })
  chmodSync(at, 0o600)
  return server
}

/** The answer of the server that holds the data directory, or undefined if none runs. Throws CommandRefused. */
export async function askServer(dataDir: string, command: string, args: readonly string[]): Promise<unknown> {
  const outgoing = request({ socketPath: socketPath(dataDir), path: `/${command}`, method: 'POST' })
  outgoing.end(JSON.stringify(args))
  try {
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    const body = JSON.parse(await readAll(response)) as { error?: string }
    if (response.statusCode === 200) return body
    throw new CommandRefused(body.error ?? 'The server refused the command.')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return undefined
    throw error
  }
}
