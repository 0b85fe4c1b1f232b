/**
 * The administration socket: a Unix socket of mode 0600 in the data directory, over which a command reaches the server
 * that holds the store. Anyone who can open it can also read the data. The protocol is HTTP with JSON: POST /<command> with
 * an array of arguments. The answer is JSON Lines: {"done":…,"total":…} for progress, then {"result":…} or {"error":…}.
 */
import { chmodSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import path from 'node:path'
import { KmsUnavailable } from '../base/api-error.ts'
import { atMostEvery, noProgress, type Progress } from '../base/progress.ts'
import { CommandRefused, type Installation } from './command.ts'
import { commands } from './commands.ts'

const progressIntervalMs = 100
const serverStopped = 'The server stopped before the command finished: start the server, and repeat the command.'
/** Linux allows 108 bytes for the path of a socket, macOS 104, including a final zero. */
const maxPathBytes = 103

function socketPath(dataDir: string): string {
  const absolute = path.resolve(dataDir, 'admin.sock')
  const relative = path.relative(process.cwd(), absolute)
  const shorter = relative.length < absolute.length ? relative : absolute
  if (Buffer.byteLength(shorter) > maxPathBytes) {
    throw new Error(
      `The path of the administration socket ${absolute} is too long (maximum ${maxPathBytes} bytes): choose a shorter ROLLKEY_DATA_DIR.`,
    )
  }
  return shorter
}

type Line = { done: number; total: number } | { result: unknown } | { error: string }

async function readAll(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

async function answer(installation: Installation, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const progress = atMostEvery(progressIntervalMs, (done, total) => response.write(lineOf({ done, total })))
  try {
    const command = commands[incoming.url?.slice(1) ?? '']
    if (!command) throw new CommandRefused('Unknown command: the server may be another version than this command.')
    const result = await command.run(installation, JSON.parse(await readAll(incoming)) as string[], progress)
    response.end(lineOf({ result }))
  } catch (error) {
    const refused = error instanceof CommandRefused || error instanceof KmsUnavailable
    response.end(
      lineOf({
        error: refused ? error.message : 'The command failed in the server: the log of the server has details.',
      }),
    )
  }
}

function lineOf(line: Line): string {
  return `${JSON.stringify(line)}\n`
}

/** Serves the commands until the returned server is closed. The caller holds the lock of the data directory. */
export async function serveAdmin(dataDir: string, installation: Installation): Promise<Server> {
  const at = socketPath(dataDir)
  rmSync(at, { force: true }) // left by a killed process; the lock proves that it is gone
  const server = createServer((incoming, response) => void answer(installation, incoming, response))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(at, resolve)
  })
  chmodSync(at, 0o600)
  return server
}

/** Returns the answer of the server that holds the data directory, or undefined if none runs. Throws CommandRefused. */
export async function askServer(
  dataDir: string,
  command: string,
  args: readonly string[],
  progress: Progress = noProgress,
): Promise<unknown> {
  const outgoing = request({ socketPath: socketPath(dataDir), path: `/${command}`, method: 'POST' })
  outgoing.end(JSON.stringify(args))
  let response: IncomingMessage
  try {
    ;[response] = (await once(outgoing, 'response')) as [IncomingMessage]
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return undefined
    throw code === 'ECONNRESET' ? new Error(serverStopped) : error
  }
  return resultOf(response, progress)
}

async function resultOf(response: IncomingMessage, progress: Progress): Promise<unknown> {
  for await (const text of linesOf(response)) {
    const line = JSON.parse(text) as Line
    if ('result' in line) return line.result
    if ('error' in line) throw new CommandRefused(line.error)
    progress(line.done, line.total)
  }
  throw new Error(serverStopped)
}

/** Yields the complete lines of the response, also if the connection breaks. */
async function* linesOf(response: IncomingMessage): AsyncGenerator<string> {
  let rest = ''
  try {
    for await (const text of response.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error
  }
}
