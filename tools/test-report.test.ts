import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { useFolder } from '../packages/server/testkit/folder.ts'

const root = path.resolve(import.meta.dirname, '..')
const folder = useFolder()

beforeAll(() => {
  const report = JSON.stringify(path.join(root, 'tools/test-report.ts'))
  const leftOut = `[{ files: [${JSON.stringify(path.join(folder, 'left-*.js'))}], command: 'npm run test:ci' }]`
  const files = {
    'vitest.config.mjs': `import { TestReport } from ${report}
      const report = new TestReport({ leftOut: ${leftOut}, environment: 'ROLLKEY_TEST_SEED=7 ' })
      export default { test: { name: 'small', globals: true, reporters: [report] } }`,
    'left-out.js': '',
    'good.test.js': `test('passes', () => {}); test.skip('is long', () => {})`,
    'red.test.js': `describe('a "sum"', () => test("isn't $3 (yet)", () => expect(1 + 1).toBe(3)))`,
    'again.test.js': `test('passes in the end', { retry: 2 }, () => {})`,
    'hook.test.js': `describe('it', () => { beforeAll(() => { throw new Error('no port') }); test('waits', () => {}) })`,
  }
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(folder, name), content)
})

/** Runs Vitest in the folder, as a new run without the environment of this one. */
function run(...args: string[]): { status: number | null; output: string } {
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs')
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [vitest, 'run', '--root', folder, '--config', 'vitest.config.mjs', ...args],
    { cwd: folder, env: { PATH: process.env['PATH'], TMPDIR: folder }, encoding: 'utf8' },
  )
  return { status, output: stdout + stderr }
}

test('a run ends with what was not run and the counts', () => {
  const { status, output } = run('good')
  expect(output).toMatch(
    /Time of all files: small \d+ s \(1\)\.\nNot run: 1 test files \(npm run test:ci\), 1 tests \(npm run test:long\)\.\n1 passed, 0 failed, 1 skipped\n$/,
  )
  expect(status).toBe(0)
})

test('a failed run ends with each failure and the command that repeats it', () => {
  const { status, output } = run('red', 'hook', 'good')
  const lines = output.trimEnd().split('\n').slice(-5)
  expect(lines.toSorted()).toEqual([
    `  ROLLKEY_TEST_SEED=7 npm run test:file -- hook.test.js --project small`,
    String.raw`  ROLLKEY_TEST_SEED=7 npm run test:file -- red.test.js --project small -t '^a "sum" > isn'\''t \$3 \(yet\)$'`,
    '1 passed, 2 failed, 2 skipped',
    '✗ hook.test.js (no port)',
    `✗ red.test.js > a "sum" > isn't $3 (yet) (expected 2 to be 3 // Object.is equality)`,
  ])
  expect(status).toBe(1)
})

test('a test with retries has failed, although it passed', () => {
  const { status, output } = run('again')
  expect(output).toMatch(
    /✗ again\.test\.js > passes in the end \(it has retries.*\n.*\n0 passed, 1 failed, 0 skipped\n$/,
  )
  expect(status).toBe(1)
})

test('the pattern of the command matches the test', () => {
  const { output } = run('red', '-t', String.raw`^a "sum" > isn't \$3 \(yet\)$`)
  expect(output).toMatch(/0 passed, 1 failed, 0 skipped\n$/)
})
