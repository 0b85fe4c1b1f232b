/** What a release contains, and an empty folder in which a person uses it. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { oneThread } from '../../testkit/one-thread.ts'

export const root = path.resolve(import.meta.dirname, '../../../..')

const execute = promisify(execFile)

/** Returns a folder outside the checkout. */
export function emptyFolder(): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(path.join(tmpdir(), 'rollkey-release-'))
  return { folder, remove: () => rmSync(folder, { recursive: true }) }
}

interface RunOptions {
  readonly cwd: string
  /** @default that of the test */
  readonly env?: NodeJS.ProcessEnv
}

/** Runs a program and returns its stdout. Throws with its whole output unless it exits with 0. */
export async function run(command: string, args: readonly string[], options: RunOptions): Promise<string> {
  try {
    return (await execute(command, [...args], { ...options, env: { ...(options.env ?? process.env), ...oneThread } }))
      .stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${path.basename(command)} ${args.join(' ')}:\n${stdout}${stderr}`, { cause: error })
  }
}

/** Returns the shell commands of a document in the repository, one text for each block. */
export function shellBlocksOf(file: string): string[] {
  const text = readFileSync(path.join(root, file), 'utf8')
  return [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block ?? '')
}

export interface Served {
  readonly url: string
  readonly pid: number
  /** Sends SIGTERM, and waits until no process of it is left. Returns the exit status. */
  stop(): Promise<number | null>
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nothing of it is left.
  }
}

/** Starts the service on a free port and waits until it serves. Kills it at the end of the test. */
export async function serve(
  [command = '', ...args]: readonly string[],
  env: Record<string, string>,
  cwd: string,
): Promise<Served> {
  const child = spawn(command, args, {
    cwd,
    env: { ...env, ROLLKEY_PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // its processes are a group
  })
  const { pid } = child
  if (pid === undefined) throw (await once(child, 'error'))[0] as Error
  onTestFinished(() => killGroup(pid))
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    const read = (data: Buffer): void => {
      output += data.toString()
      const [, address] = /"address":"([^"]+)","msg":"serving"/.exec(output) ?? []
      if (address !== undefined) resolve(`http://${address}`)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}: ${output}`)))
  })
  return {
    url,
    pid,
    async stop() {
      // A process that is left keeps the pipes open.
      const ended = once(child, 'close')
      child.kill('SIGTERM')
      const [code] = (await ended) as [number | null]
      return code
    },
  }
}
