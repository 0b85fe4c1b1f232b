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
const releaseParts = ['packages', 'executables', 'windows']

/** Runs a program of Node with the output of this one. Returns its exit code. */
async function run(...args: string[]): Promise<number> {
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}

/** Builds what the tests need, then runs them. Returns the exit code. */
async function test(): Promise<number> {
  const built = await run('tools/build.mjs')
  if (built !== 0) return built
  if (isCi) {
    process.env['ROLLKEY_TEST_CI'] = '1'
    const released = await run('tools/release/build.ts', ...releaseParts)
    if (released !== 0) return released
  }
  return run('node_modules/vitest/vitest.mjs', 'run')
}

const [checks, code] = await Promise.all([runCommand('check', 'node tools/check.ts'), test()])
// The last lines of failed tests stay in sight.
const shown = checks.output.split('\n').filter((line) => code === 0 || line.startsWith('✗'))
console.log(
  checks.succeeded
    ? 'All checks passed.'
    : [...shown, '✗ Checks failed: npm run check repeats them'].join('\n').trimStart(),
)
process.exitCode = checks.succeeded ? code : 1
