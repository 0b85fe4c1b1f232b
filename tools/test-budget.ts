/** Tells, after the tests, how long each suite took beside what it may take, so that a slow one is seen while it is small. */
import type { Reporter, TestModule } from 'vitest/node'

/** Seconds of all files of a suite together, on two quiet cores; `npm test` runs four at once and has 6 minutes. */
const budgets: Readonly<Record<string, number>> = {
  unit: 180,
  http: 370,
  'http-postgres': 170,
  cli: 130,
  nodes: 80,
  browser: 260,
  'browser-postgres': 20,
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
