/**
 * Reports after the tests how long each suite took and its budget, so that a slow suite is noticed early. In CI, a suite
 * that takes twice its budget fails the run; a busy machine alone stays below that.
 */
import type { Reporter, TestModule } from 'vitest/node'

const ciFactor = 2

export class TestBudget implements Reporter {
  readonly #budgets: Readonly<Record<string, number>>

  /** `budgets`: seconds of all files of a suite together, by name of the suite. */
  constructor(budgets: Readonly<Record<string, number>>) {
    this.#budgets = budgets
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const suites = Object.entries(this.#budgets).map(([suite, budget]) => {
      const own = modules.filter(({ project }) => project.name === suite)
      const seconds = own.reduce((sum, module) => sum + module.diagnostic().duration / 1_000, 0)
      return { suite, files: own.length, seconds, budget }
    })
    const rows = suites.map((row) => ({
      ...row,
      seconds: Math.round(row.seconds),
      over: row.seconds > row.budget ? 'over' : '',
    }))
    console.table(rows.filter(({ files }) => files > 0))
    const tooSlow = suites.filter(({ seconds, budget }) => seconds > ciFactor * budget)
    if (process.env['CI'] === undefined || tooSlow.length === 0) return
    const names = tooSlow.map(({ suite }) => suite).join(', ')
    console.error(
      `Suites over ${ciFactor} times their budget: ${names}. Make them faster, or raise the budget in vitest.config.ts.`,
    )
    process.exitCode = 1
  }
}
