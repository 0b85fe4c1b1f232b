/** Runs command lines side by side, and keeps what they print. */
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
const programs = path.join(root, 'node_modules/.bin')

/** The end of a command line, and everything that it printed. */
export interface Outcome {
  readonly name: string
  readonly succeeded: boolean
  readonly output: string
  readonly seconds: number
}

/** Runs a command line in the root of the repository. Programs of installed packages go by their name. */
export function runCommand(name: string, commandLine: string): Promise<Outcome> {
  const startedAt = performance.now()
  const env = { ...process.env, PATH: `${programs}${path.delimiter}${process.env['PATH']}` }
  const child = spawn(commandLine, { cwd: root, env, shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()))
  return new Promise((resolve) => {
    child.on('close', (code) => {
      resolve({ name, succeeded: code === 0, output, seconds: (performance.now() - startedAt) / 1_000 })
    })
  })
}

/** Runs command lines by their names, as many at once as there are cores. Calls `ended` after each. Returns whether all succeeded. */
export async function runAll(
  commandLines: readonly (readonly [string, string])[],
  ended: (outcome: Outcome) => void,
): Promise<boolean> {
  const left = commandLines.values()
  let allSucceeded = true
  const work = async (): Promise<void> => {
    for (const [name, commandLine] of left) {
      const outcome = await runCommand(name, commandLine)
      allSucceeded &&= outcome.succeeded
      ended(outcome)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return allSucceeded
}
