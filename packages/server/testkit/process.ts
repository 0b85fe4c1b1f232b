/** Runs the service as a separate process that a test can kill. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { pause } from './pause.ts'
import { onTestFinished } from 'vitest'
import { storeSettings } from './store.ts'

/** The sources, or the release build or single executable that ROLLKEY_TEST_SERVER names. */
const main = path.resolve(import.meta.dirname, process.env['ROLLKEY_TEST_SERVER'] ?? '../src/main.ts')
/** The name by which it calls itself. */
export const programName = main.endsWith('.ts') ? 'npx @rollkey/server' : 'rollkey-server'
/** Compile cache, as in `npm start`. It saves a third of the start time. */
const compileCache = path.resolve(import.meta.dirname, '../../../node_modules/.cache/node')
const faultsFile = path.resolve(import.meta.dirname, 'faults.ts')

export interface ServerProcess {
  readonly url: string
  readonly child: ChildProcess
  /** Everything that it has printed. */
  output(): string
  /** The link that its first start prints. */
  setupLink(): Promise<string>
  /** Sends the signal and waits for the end. Returns the exit code, or the signal that ended the process. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>
}

/** Options for starting Node, besides the settings. */
export interface Start {
  readonly nodeArgs?: readonly string[]
  readonly cwd?: string
  readonly stdin?: 'pipe'
  /** Program that runs it, such as strace with its arguments. */
  readonly under?: readonly string[]
  /** Id of the fault (faults.ts) that applies everywhere. An empty id is for requests that carry their own. */
  readonly faultId?: string
}

/** Runs main.ts with only these settings in its environment. Resolves when it has ended. */
export async function runMain(
  settings: Record<string, string>,
  args: string[] = [],
  start: Start = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = await spawnMain(settings, args, start)
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (data: Buffer) => (stdout += data.toString()))
  child.stderr?.on('data', (data: Buffer) => (stderr += data.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}

export async function spawnMain(
  settings: Record<string, string>,
  args: string[] = [],
  { nodeArgs = [], cwd, stdin, under = [], faultId }: Start = {},
): Promise<ChildProcess> {
  const env: Record<string, string> = { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: compileCache }
  if (faultId !== undefined) env['FAULT'] = faultId
  const faults = faultId === undefined ? [] : ['--import', faultsFile]
  const { DATA_DIR } = settings
  const all = { ...(DATA_DIR !== undefined && (await storeSettings(DATA_DIR))), ...settings }
  for (const [name, value] of Object.entries(all)) env[`ROLLKEY_${name}`] = value
  const program = /\.[jt]s$/.test(main) ? [process.execPath, ...nodeArgs, ...faults, main] : [main]
  const [command = '', ...rest] = [...under, ...program, ...args]
  return spawn(command, rest, {
    cwd,
    env,
    stdio: [stdin ?? 'ignore', 'pipe', 'pipe'],
  })
}

/** Starts the service until the end of the current test. Waits until it serves, on a free port unless the settings name one. */
export async function startProcess(settings: Record<string, string>, start: Start = {}): Promise<ServerProcess> {
  const server = await spawnServer(settings, start)
  onTestFinished(async () => void (await server.end('SIGKILL')))
  return server
}

/** Starts the service like `startProcess`, until the caller ends it. */
export async function spawnServer(settings: Record<string, string>, start: Start = {}): Promise<ServerProcess> {
  return servedBy(watch(await spawnMain({ PORT: '0', ...settings }, [], start)))
}

/** Starts a standby until the end of the current test. Waits until it follows. `promoted` waits until it serves. */
export async function startStandby(
  settings: Record<string, string>,
  keyFile: string,
): Promise<{ promoted(): Promise<ServerProcess> }> {
  const watched = watch(await spawnMain({ PORT: '0', ...settings }, ['standby', '--key-file', keyFile]))
  onTestFinished(async () => void (await watched.end('SIGKILL')))
  await watched.printed(/"msg":"a standby follows the replica"/)
  return { promoted: () => servedBy(watched) }
}

type Watched = Omit<ServerProcess, 'url' | 'setupLink'> & {
  /** Resolves once it has printed the pattern. */
  printed(pattern: RegExp): Promise<RegExpExecArray>
}

function watch(child: ChildProcess): Watched {
  let output = ''
  const read = (data: Buffer): void => void (output += data.toString())
  child.stdout?.on('data', read)
  child.stderr?.on('data', read)
  return {
    child,
    output: () => output,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const match = pattern.exec(output)
          if (match) resolve(match)
        }
        look()
        child.stdout?.on('data', look)
        child.once('exit', (code) => reject(new Error(`the service ended with ${code}: ${output}`)))
      }),
    async end(signal) {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit')
        child.kill(signal)
        await ended
      }
      return child.exitCode ?? child.signalCode
    },
  }
}

async function servedBy(watched: Watched): Promise<ServerProcess> {
  const [, address] = await watched.printed(/"address":"([^"]+)","msg":"serving"/)
  return {
    ...watched,
    url: `http://${address}`,
    async setupLink() {
      for (;;) {
        const link = /(\S+#token=\S+)\n/.exec(watched.output())?.[1]
        if (link !== undefined) return link
        await pause(20)
      }
    },
  }
}
