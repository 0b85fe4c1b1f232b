/**
 * `npm test`: the checks of the sources beside the tests, which use all cores together. With `--ci` everything that a pull request
 * must pass: the tests that `npm test` leaves out, and tests of the builds of a release.
 */
import { spawn } from 'node:child_process'
import path from 'node:path'
import { once } from 'node:events'
import { runCommand } from './side-by-side.ts'

const root = path.resolve(import.meta.dirname, '..')
const isCi = process.argv.includes('--ci')
const releaseParts = ['packages', 'executables']

/** Runs a program of Node with the output of this one. Returns its exit code. */
async function run(...args: string[]): Promise<number> {
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}

if ((await run('tools/build.mjs')) !== 0) process.exit(1)
if (isCi) {
  process.env['ROLLKEY_TEST_CI'] = '1'
  if ((await run('tools/build.mjs', 'docs')) !== 0) process.exit(1)
  if ((await run('tools/release/build.ts', ...releaseParts)) !== 0) process.exit(1)
}
// After the builds, since the linter reads what packages import.
const [checks, tests] = await Promise.all([
  runCommand('check', 'node tools/check.ts'),
  run('node_modules/vitest/vitest.mjs', 'run'),
])
// The last lines of failed tests stay in sight.
const shown = checks.output.split('\n').filter((line) => tests === 0 || line.startsWith('✗'))
console.log(
  checks.succeeded
    ? 'All checks passed.'
    : [...shown, '✗ Checks failed: npm run check repeats them'].join('\n').trimStart(),
)
process.exitCode = checks.succeeded ? tests : 1
