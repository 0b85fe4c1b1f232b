/** Runs `rollkey` in this process, or as another: in pipes or on a separate terminal. */
import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { spawn as spawnOnTerminal } from '@lydell/node-pty'
import manifest from '../package.json' with { type: 'json' }
import { runProgram } from '../src/program.ts'

export const rollkey = path.resolve(import.meta.dirname, '../bin/rollkey.js')

export interface Ended {
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Setting {
  readonly env: Record<string, string>
  readonly cwd: string
}

/** A running process. `printed` returns its whole output once that matches the pattern. */
export function startInPipe(
  args: readonly string[],
  { env, cwd }: Setting,
  pattern: RegExp,
  input: string | Buffer = '',
): { readonly child: ChildProcess; readonly printed: Promise<string>; readonly ended: Promise<Ended> } {
  const child = spawn(process.execPath, [rollkey, ...args], { env, cwd, stdio: 'pipe' })
  child.stdin.on('error', () => {}) // the child may stop reading early
  child.stdin.end(input)
  let output = ''
  const printed = new Promise<string>((resolve) => {
    const read = (data: Buffer): void => {
      output += data.toString()
      if (pattern.test(output)) resolve(output)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
  })
  return { child, printed, ended: endOf(child) }
}

async function endOf(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  const [stdout, stderr, [status, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>,
  ])
  return { status, signal, stdout, stderr }
}

/** Runs a command. stdin is empty by default. */
export function inPipe(args: readonly string[], setting: Setting, input: string | Buffer = ''): Promise<Ended> {
  return startInPipe(args, setting, /$^/, input).ended
}

/**
 * Runs a command from its sources in this process, for tests of what it prints and does: it takes a tenth of the time. The program reads
 * nothing but what it is passed, so several can run at once. The command of `run` has the streams of a process, so `run` is one.
 */
export async function inProcess(
  args: readonly string[],
  setting: Setting,
  input: string | Buffer = '',
): Promise<Ended> {
  if (args[0] === 'run') return inPipe(args, setting, input)
  const stdout = newSink()
  const stderr = newSink()
  const stdin = Readable.from([Buffer.from(input)], { objectMode: false }) as NodeJS.ReadStream
  const streams = { stdin, stdout: stdout.stream, stderr: stderr.stream }
  const status = await runProgram(args, manifest.version, { ...streams, env: setting.env, cwd: setting.cwd })
  return { status, signal: null, stdout: stdout.text(), stderr: stderr.text() }
}

/** Returns a stream that is not a terminal and keeps what is written. */
function newSink(): { readonly stream: NodeJS.WriteStream; text(): string } {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk)
      done()
    },
  })
  return { stream: stream as NodeJS.WriteStream, text: () => Buffer.concat(chunks).toString() }
}

/** Keys that a person types once a text is on the screen. */
export type Typing = readonly (readonly [seen: string, keys: string])[]

/** Runs a command on a terminal. stdout and stderr are one, as on a screen, and lines end with a line feed only. */
export async function onTerminal(
  args: readonly string[],
  { env, cwd }: Setting,
  typing: Typing = [],
  watch: (screen: string) => void = () => {},
): Promise<{ status: number; screen: string }> {
  const terminal = spawnOnTerminal(process.execPath, [rollkey, ...args], {
    env: { ...env, TERM: 'xterm-256color' },
    cwd,
    cols: 120,
    rows: 60,
  })
  let screen = ''
  const waiting = [...typing]
  terminal.onData((data) => {
    screen += data
    watch(screen)
    const [next] = waiting
    if (next && screen.includes(next[0])) {
      waiting.shift()
      terminal.write(next[1])
    }
  })
  const status = await new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)))
  return { status, screen: screen.replaceAll('\r\n', '\n') }
}
