/**
 * Runs a command of tests again and again, each time with a new seed, which decides the random inputs and the order of files and tests,
 * and under another load. Prints each failure with the command that repeats it.
 *
 *     npm run test:hunt                                      # 20 runs of npm test
 *     npm run test:hunt -- --runs 50 -- npm run test:file -- events.test
 *     npm run test:hunt -- --load busy --runs 5 -- .ci/run
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'

const loads = ['busy', 'busy', 'one-core', 'quiet'] as const
type Load = (typeof loads)[number]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '20' },
    /** quiet, busy or one-core. By default half of the runs are busy, a quarter each has one core and a quiet machine. */
    load: { type: 'string' },
    /** Loops that keep a core busy beside a busy run. */
    loops: { type: 'string', default: '2' },
    /** The seed of the first run. */
    seed: { type: 'string', default: String(Math.floor(Date.now() / 1_000)) },
  },
})
if (values.load !== undefined && !loads.some((load) => load === values.load))
  throw new Error(`unknown load "${values.load}" (expected ${[...new Set(loads)].join(', ')})`)
const command = positionals.length > 0 ? positionals : ['npm', 'test']

/** Starts loops that keep a core busy each, and end with this process, however it ends. */
function startLoops(): ChildProcess[] {
  const loop = ['-e', 'const { ppid } = process; while (process.ppid === ppid);']
  return Array.from({ length: Number(values.loops) }, () => spawn(process.execPath, loop, { stdio: 'ignore' }))
}

/** Returns the command on one core, or with the lowest priority where `taskset` is missing. */
function onOneCore(words: readonly string[]): string[] {
  const isPinned = spawnSync('taskset', ['-c', '0', 'true']).status === 0
  return [...(isPinned ? ['taskset', '-c', '0'] : ['nice', '-n', '19']), ...words]
}

interface Run {
  readonly seed: number
  readonly load: Load
  readonly succeeded: boolean
  readonly seconds: number
  readonly output: string
}

async function run(seed: number, load: Load): Promise<Run> {
  const loops = load === 'busy' ? startLoops() : []
  const [program = '', ...args] = load === 'one-core' ? onOneCore(command) : command
  const startedAt = performance.now()
  const child = spawn(program, args, {
    env: { ...process.env, ROLLKEY_TEST_SEED: String(seed) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  for (const loop of loops) loop.kill('SIGKILL')
  return { seed, load, succeeded: code === 0, seconds: (performance.now() - startedAt) / 1_000, output }
}

/** Prints the failed tests with the commands that repeat them, or the end of the output if it names none. */
function print({ seed, load, succeeded, seconds, output }: Run): void {
  console.log(`${succeeded ? '✓' : '✗'} seed ${seed}, ${load}, ${Math.round(seconds)} s`)
  if (succeeded) return
  const named = output
    .split('\n')
    .filter((line) => line.startsWith('✗') || /^ {2}(ROLLKEY_\w+=\S* )+npm run /.test(line))
  console.log((named.length > 0 ? named : output.trimEnd().split('\n').slice(-10)).join('\n'))
}

let failed = 0
for (let i = 0; i < Number(values.runs); i++) {
  const load = (values.load as Load | undefined) ?? loads[i % loads.length] ?? 'quiet'
  const ended = await run(Number(values.seed) + i, load)
  print(ended)
  if (!ended.succeeded) failed++
}
console.log(`${Number(values.runs) - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
