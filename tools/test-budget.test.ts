import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { useFolder } from '../packages/server/testkit/folder.ts'

const root = path.resolve(import.meta.dirname, '..')
const folder = useFolder()

beforeAll(() => {
  // 100 ms of work, so that a budget can be exceeded a little or a lot.
  const wait = `test('waits', () => new Promise((resolve) => setTimeout(resolve, 100)))`
  writeFileSync(path.join(folder, 'slow.test.js'), wait)
})

/** Runs Vitest on a slow test with a budget for it. */
function runWith(budgetSec: number, ci: string | undefined): { status: number | null; output: string } {
  const config = `import { TestBudget } from ${JSON.stringify(path.join(root, 'tools/test-budget.ts'))}
    export default { test: { name: 'slow', globals: true, reporters: [new TestBudget({ slow: ${budgetSec} })] } }`
  writeFileSync(path.join(folder, 'vitest.config.mjs'), config)
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs')
  // The run is a new one, without the environment of this one.
  const env = { PATH: process.env['PATH'], TMPDIR: folder, ...(ci !== undefined && { CI: ci }) }
  const { status, stdout, stderr } = spawnSync(process.execPath, [vitest, 'run', '--root', folder], {
    env,
    encoding: 'utf8',
  })
  return { status, output: stdout + stderr }
}

test('in CI, a suite that takes twice its budget fails the run', () => {
  const { status, output } = runWith(0.01, 'true')
  expect(output).toContain('Suites over 2 times their budget: slow.')
  expect(status).toBe(1)
})

test.each([
  ['outside CI, a suite may exceed its budget', 0.01, undefined, 'over'],
  ['in CI, a suite may take its budget', 100, 'true', 'slow'],
])('%s', (_, budgetSec, ci, expected) => {
  const { status, output } = runWith(budgetSec, ci)
  expect(output).toContain(expected)
  expect(status).toBe(0)
})
