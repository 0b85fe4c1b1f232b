/** The command of `rollkey run`: a child process on the stdin, stdout and stderr of this process. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { exit, CliError } from '../frame/cli-error.ts'
import { isInForeground } from './signals.ts'

/** How a child ended. Either the code or the signal is null. */
export interface ExitResult {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export class Child {
  readonly #process: ChildProcess
  /** Whether what signals the group of this process reaches the child too. */
  readonly isInGroup: boolean
  readonly ended: Promise<ExitResult>

  private constructor(process: ChildProcess, isInGroup: boolean) {
    this.#process = process
    this.isInGroup = isInGroup
    this.ended = new Promise((resolve) => process.once('exit', (code, signal) => resolve({ code, signal })))
  }

  /**
   * Starts a command without a shell. In the foreground of a terminal it shares the group of this process, so that keys reach it.
   * Elsewhere it leads one, since what signals a group, such as `timeout`, would signal the command twice. Throws a CliError of
   * status 126 or 127 if it cannot be started, as in sh.
   */
  static async start([command = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<Child> {
    try {
      const isInGroup = isInForeground()
      const started = spawn(command, args, { env, stdio: 'inherit', detached: !isInGroup })
      const child = new Child(started, isInGroup)
      await once(started, 'spawn')
      return child
    } catch (error) {
      throw notStarted(command, env, error as NodeJS.ErrnoException)
    }
  }

  /** Sends a signal. Does nothing once the child has ended. */
  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal)
  }

  /** Sends SIGTERM, and SIGKILL if the child still runs after the grace period. */
  async stop(gracePeriodMs: number): Promise<void> {
    this.kill('SIGTERM')
    const timer = setTimeout(() => this.kill('SIGKILL'), gracePeriodMs)
    await this.ended
    clearTimeout(timer)
  }
}

function notStarted(command: string, env: NodeJS.ProcessEnv, { code, message }: NodeJS.ErrnoException): CliError {
  switch (code) {
    case 'ENOENT':
      return new CliError('COMMAND_NOT_FOUND', `Command ${command} was not found; check its spelling and PATH`, {
        status: exit.commandNotFound,
      })
    case 'EACCES':
      return new CliError('NOT_EXECUTABLE', `${command} is not executable; check the file and its mode`, {
        status: exit.notExecutable,
      })
    case 'E2BIG':
      return new CliError('ENVIRONMENT_TOO_LARGE', tooLarge(env), { status: exit.notExecutable })
    default:
      return new CliError('NOT_STARTED', `${command} cannot be started: ${message}`, { status: exit.notExecutable })
  }
}

function tooLarge(env: NodeJS.ProcessEnv): string {
  const sizes = Object.entries(env).map(([name, value = '']) => ({ name, bytes: Buffer.byteLength(value) }))
  const all = sizes.reduce((sum, { name, bytes }) => sum + name.length + bytes + 2, 0)
  const largest = sizes.toSorted((a, b) => b.bytes - a.bytes).slice(0, 3)
  const names = largest.map(({ name, bytes }) => `${name} (${bytes} bytes)`).join(', ')
  return `The environment has ${all} bytes, more than this system allows; the largest variables are ${names}; read those with the SDK instead`
}
