/**
 * `npm run check`: the checks of the sources side by side, which are the scripts `check:…` of package.json. The longest stand first
 * there, so that no core waits for one at the end. Prints a line for each, and what those that failed printed.
 */
import manifest from '../package.json' with { type: 'json' }
import { runAll, type Outcome } from './side-by-side.ts'

function print({ name, succeeded, output, seconds }: Outcome): void {
  console.log(
    `${succeeded ? '✓' : '✗'} npm run ${name} (${seconds.toFixed(1)} s)${succeeded ? '' : `\n${output.trimEnd()}`}`,
  )
}

const checks = Object.entries(manifest.scripts).filter(([name]) => name.startsWith('check:'))
process.exitCode = (await runAll(checks, print)) ? 0 : 1
