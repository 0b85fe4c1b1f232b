/**
 * The administration socket: a Unix socket of mode 0600 in the data directory, over which a command reaches the server
 * that holds the store. Anyone who can open it can also read the data. The protocol is HTTP with JSON: a POST of a command
 * and its input. The answer is JSON Lines: {"done":…,"total":…} for progress, then {"result":…} or {"error":…}.
 */
import { chmodSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import path from 'node:path'
import { KmsUnavailable } from '../base/api-error.ts'
import { reasonOf, type Log } from '../base/log.ts'
import { atMostEvery, noProgress, type Progress } from '../base/progress.ts'
import { CommandError, type CommandErrorJson } from './command-error.ts'

const progressIntervalMs = 100
const serverStopped = 'The service stopped before the command finished: start it, and repeat the command.'
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

export interface CommandRequest {
  /** Name of the command. */
  readonly command: string
  readonly input: object
}

type Line = { done: number; total: number } | { result: unknown } | { error: CommandErrorJson }

async function readAll(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** Returns what the operator sees of an error, and logs an unexpected one. */
function errorOf(error: unknown, log: Log): CommandErrorJson {
  if (error instanceof CommandError) return error.toJSON()
  if (error instanceof KmsUnavailable) return { code: 'UNAVAILABLE', message: error.message }
  log.error('an operator command failed', { reason: reasonOf(error) })
  return { code: 'ERROR', message: 'The command failed in the service: the log of the service has details.' }
}

/** Runs a command that another process asks for. Throws CommandError. */
type RunCommand = (request: CommandRequest, progress: Progress) => Promise<unknown>

async function answer(run: RunCommand, log: Log, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const progress = atMostEvery(progressIntervalMs, (done, total) => response.write(jsonLine({ done, total })))
  try {
    const question = JSON.parse(await readAll(incoming)) as CommandRequest
    response.end(jsonLine({ result: await run(question, progress) }))
  } catch (error) {
    response.end(jsonLine({ error: errorOf(error, log) }))
  }
}

function jsonLine(line: Line): string {
  return `${JSON.stringify(line)}\n`
}

/** Serves the commands until the returned server is closed. The caller holds the lock of the data directory. */
export async function serveOperator(dataDir: string, run: RunCommand, log: Log): Promise<Server> {
  const at = socketPath(dataDir)
  rmSync(at, { force: true }) // left by a killed process; the lock proves that it is gone
  const server = createServer((incoming, response) => void answer(run, log, incoming, response))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(at, resolve)
  })
  chmodSync(at, 0o600)
  return server
}

/** Returns whether a server that this user can reach holds the data directory. */
export async function isServed(dataDir: string): Promise<boolean> {
  try {
    const socket = connect(socketPath(dataDir))
    await once(socket, 'connect').finally(() => socket.destroy())
    return true
  } catch {
    return false
  }
}

/** Returns the answer of the server that holds the data directory, or undefined if none runs. Throws CommandError. */
export async function askServer(
  dataDir: string,
  command: string,
  input: object = {},
  progress: Progress = noProgress,
): Promise<unknown> {
  const outgoing = request({ socketPath: socketPath(dataDir), method: 'POST' })
  outgoing.end(JSON.stringify({ command, input } satisfies CommandRequest))
  let response: IncomingMessage
  try {
    ;[response] = (await once(outgoing, 'response')) as [IncomingMessage]
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return undefined
    throw code === 'ECONNRESET' ? new CommandError('UNAVAILABLE', serverStopped) : error
  }
  return resultOf(response, progress)
}

async function resultOf(response: IncomingMessage, progress: Progress): Promise<unknown> {
  for await (const text of completeLines(response)) {
    const line = JSON.parse(text) as Line
    if ('result' in line) return line.result
    if ('error' in line) throw CommandError.of(line.error)
    progress(line.done, line.total)
  }
  throw new CommandError('UNAVAILABLE', serverStopped)
}

/** Yields the complete lines of the response, also if the connection breaks. */
async function* completeLines(response: IncomingMessage): AsyncGenerator<string> {
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
