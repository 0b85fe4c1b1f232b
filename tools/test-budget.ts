/** Reports after the tests how long each suite took and its budget, so that a slow suite is noticed early. */
import type { Reporter, TestModule } from 'vitest/node'

/**
 * Seconds of all files of a suite together. `npm test` runs four files at once and has 6 minutes, of which the checks and the build
 * take 40 s: 1,280 in all. On a machine of which others use a third, the suites take 860.
 */
const budgets: Readonly<Record<string, number>> = {
  unit: 160,
  http: 320,
  'http-postgres': 100,
  cli: 180,
  nodes: 60,
  browser: 300,
}

export default class TestBudget implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (process.env['ROLLKEY_TEST_LONG'] === '1' || process.env['ROLLKEY_TEST_CI'] === '1') return
    const rows = Object.entries(budgets).map(([suite, budget]) => {
      const own = modules.filter(({ project }) => project.name === suite)
      const seconds = own.reduce((sum, module) => sum + module.diagnostic().duration / 1_000, 0)
      return { suite, files: own.length, seconds: Math.round(seconds), budget, over: seconds > budget ? 'over' : '' }
    })
    const run = rows.filter(({ files }) => files > 0)
    // eslint-disable-next-line no-console
    console.table(run)
  }
}
