/** The process of the command line: arguments, streams, exit status. */
import { runProgram } from './program.ts'

/** The version, which the build replaces. */
declare const ROLLKEY_VERSION: string

// The reader of the output may stop before its end, as in `rollkey list | head -1`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

/** Runs the program. It is a function, because a single executable cannot have a top-level await. */
async function main(): Promise<void> {
  process.exitCode = await runProgram(process.argv.slice(2), ROLLKEY_VERSION, {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
  })
}

void main()
