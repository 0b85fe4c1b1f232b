/** The process of the command line: arguments, streams, exit status. */
import { CliError, exit } from './frame/cli-error.ts'
import { runProgram } from './program.ts'

/** The version, which the build replaces. */
declare const ROLLKEY_VERSION: string

// The reader of the output may stop before its end, as in `rollkey list | head -1`, or its disk be full.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit(exit.ok)
  const what = `The output cannot be written (${code}): free space on its disk, or write it elsewhere`
  process.stderr.write(`${new CliError('OUTPUT_FAILED', what).line}\n`)
  process.exit(exit.error)
})
// Nothing is left to say it with.
process.stderr.on('error', () => {})

/** Returns the folder of the process. Throws NO_CURRENT_FOLDER if it was deleted, such as by another terminal. */
function currentFolder(): string {
  try {
    return process.cwd()
  } catch {
    throw new CliError(
      'NO_CURRENT_FOLDER',
      'The current folder does not exist any more (expected one that exists): change to another folder',
    )
  }
}

/** Runs the program. It is a function, because a single executable cannot have a top-level await. */
async function main(): Promise<void> {
  process.exitCode = await runProgram(process.argv.slice(2), ROLLKEY_VERSION, {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    get cwd() {
      return currentFolder()
    },
  })
}

void main()
