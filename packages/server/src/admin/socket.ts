/**
 * The administration socket: a Unix socket of mode 0600 in the data directory, over which a command reaches the server
 * that holds the store. Who may open it is who may read the data. HTTP with JSON: POST /<command>, the arguments an array;
 * the answer is lines of JSON, {"done":…,"total":…} as often as there is progress, and last {"result":…} or {"error":…}.
 */
import { chmodSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import path from 'node:path'
import { KmsUnavailable } from '../base/api-error.ts'
import { atMostEvery, noProgress, type Progress } from '../base/progress.ts'
import { CommandRefused, type Installation } from './command.ts'
import { commands } from './commands.ts'

const progressEveryMs = 100
const ended = 'The server ended before the command did: start it, and repeat the command.'
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

type Line = { done: number; total: number } | { result: unknown } | { error: string }

async function readAll(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

async function answer(installation: Installation, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const progress = atMostEvery(progressEveryMs, (done, total) => response.write(lineOf({ done, total })))
  try {
    const command = commands[incoming.url?.slice(1) ?? '']
    if (!command) throw new CommandRefused('There is no such command.')
    const result = await command.run(installation, JSON.parse(await readAll(incoming)) as string[], progress)
    response.end(lineOf({ result }))
  } catch (error) {
    const refused = error instanceof CommandRefused || error instanceof KmsUnavailable
    response.end(lineOf({ error: refused ? error.message : 'The command failed inside the server.' }))
  }
}

function lineOf(said: Line): string {
  return `${JSON.stringify(said)}\n`
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
    throw code === 'ECONNRESET' ? new Error(ended) : error
  }
  return resultOf(response, progress)
}

async function resultOf(response: IncomingMessage, progress: Progress): Promise<unknown> {
  for await (const line of linesOf(response)) {
    const said = JSON.parse(line) as Line
    if ('result' in said) return said.result
    if ('error' in said) throw new CommandRefused(said.error)
    progress(said.done, said.total)
  }
  throw new Error(ended)
}

/** The whole lines of what comes, whether it ends or breaks off. */
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
