/** Programs of `examples/` in other languages, of those whose runtime this machine has. */
import { execFile, spawnSync } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'

const examples = path.resolve(import.meta.dirname, '../../../examples')

/** Commands before the file of a program, which has the name of the example in the style of the language. */
const runtimes = [
  { name: 'Python', command: ['python3'], extension: 'py', version: ['python3', '--version'] },
  { name: 'Ruby', command: ['ruby'], extension: 'rb', version: ['ruby', '--version'] },
  { name: 'PHP', command: ['php'], extension: 'php', version: ['php', '--version'] },
  { name: 'Go', command: ['go', 'run'], extension: 'go', version: ['go', 'version'] },
  { name: 'Java', command: ['java'], extension: 'java', version: ['javac', '-version'] },
] as const

interface RunOptions {
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
}

/** The program of an example in one language. */
export interface ExampleProgram {
  /** Name of the language. */
  readonly name: string
  readonly isRunnable: boolean
  /** Runs it to its end. Throws if it fails. */
  readonly run: (
    args: readonly string[],
    options?: RunOptions,
  ) => Promise<{ readonly stdout: string; readonly stderr: string }>
}

/** Returns the programs in a folder of `examples/`, by the names that their files have without extension. */
export function examplePrograms(
  folder: string,
  names: { readonly java: string; readonly others: string },
): ExampleProgram[] {
  return runtimes.map(({ name, command: [program, ...first], extension, version: [shows, ...how] }) => ({
    name,
    isRunnable: spawnSync(shows, how).status === 0,
    async run(args, { input = '', env = {} } = {}) {
      const file = `${extension === 'java' ? names.java : names.others}.${extension}`
      const running = promisify(execFile)(program, [...first, file, ...args], {
        cwd: path.join(examples, folder),
        env: { ...process.env, ...env },
        maxBuffer: 2 ** 26,
      })
      running.child.stdin?.end(input)
      return running
    },
  }))
}
