/**
 * Knows the last UTC day on which each variable was evaluated. Days stay in memory and are stored every few seconds and at
 * shutdown. After a crash, the last few seconds count as not evaluated.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { dayOf, msPerDay, type Clock } from '../base/clock.ts'
import * as store from '../storage/last-evaluations.ts'
import type { EvaluationDay } from '../storage/last-evaluations.ts'
import type { Sql } from '../storage/sql.ts'
import type { ServedVariable } from './roll-counts.ts'
import type { Stage } from '../stages/stages.ts'
import type { StoredVariable } from '../stages/stored-variable.ts'

/** Maximum variables between two flushes. Further ones are noted at their next evaluation. */
const maxPending = 100_000

export class LastEvaluations {
  readonly #sql: Sql
  readonly #clock: Clock
  /** The number of the last noted day, by what is in memory: a variable, or a stage for all of its variables. */
  readonly #noted = new WeakMap<StoredVariable | Stage, number>()
  #pending: EvaluationDay[] = []
  #storedSinceDay: Promise<string> | undefined

  constructor(parts: { sql: Sql; clock: Clock }) {
    this.#sql = parts.sql
    this.#clock = parts.clock
  }

  /** Notes that all variables of a stage were served now. */
  addAll(stage: Stage): void {
    const dayNumber = this.#dayNumber()
    if (this.#noted.get(stage) === dayNumber) return
    for (const variable of stage.variables.values()) this.#note(stage, variable, dayNumber)
    if (this.#pending.length < maxPending) this.#noted.set(stage, dayNumber)
  }

  /** Notes that variables of a stage were served now. */
  add(stage: Stage, served: readonly ServedVariable[]): void {
    const dayNumber = this.#dayNumber()
    for (const { variable } of served) this.#note(stage, variable, dayNumber)
  }

  #dayNumber(): number {
    return Math.floor(this.#clock.now() / msPerDay)
  }

  #note({ stageId }: Stage, variable: StoredVariable, dayNumber: number): void {
    if (this.#noted.get(variable) === dayNumber || this.#pending.length >= maxPending) return
    this.#noted.set(variable, dayNumber)
    this.#pending.push({ stageId, name: variable.name, day: dayOf(dayNumber * msPerDay) })
  }

  /** Stores the days. Called every few seconds and at shutdown. */
  async flush(): Promise<void> {
    // One row per variable, and the same order on every node, which prevents deadlocks.
    const latest = new Map(this.#pending.map((each) => [`${each.stageId} ${each.name}`, each]))
    const days = [...latest].toSorted(([x], [y]) => (x < y ? -1 : 1)).map(([, each]) => each)
    this.#pending = []
    while (days.length > 0) {
      const rows = days.slice(0, store.maxEvaluationDays)
      try {
        await this.#sql.tx((tx) => store.putLastEvaluations(tx, rows), 'process')
      } catch (error) {
        this.#pending = [...days, ...this.#pending].slice(0, maxPending)
        throw error
      }
      days.splice(0, rows.length)
      await nextTurn()
    }
  }

  /**
   * Returns the last day by name, of those variables of the stage that were evaluated since their creation. A variable that is older
   * than this record counts as evaluated when the record began.
   */
  async list({ stageId, variables }: Stage): Promise<Map<string, string>> {
    const [rows, storedSinceDay] = await Promise.all([
      store.lastEvaluationsOf(this.#sql, stageId),
      (this.#storedSinceDay ??= this.#readStoredSince()),
    ])
    const stored = new Map(rows.map(({ name, day }) => [name, day]))
    const days = new Map<string, string>()
    for (const { name, createdAtMs } of variables.values()) {
      const createdDay = dayOf(createdAtMs)
      const day = stored.get(name) ?? storedSinceDay
      // An earlier day is of a deleted variable with the same name.
      if (day >= createdDay && (stored.has(name) || createdDay < storedSinceDay)) days.set(name, day)
    }
    return days
  }

  async #readStoredSince(): Promise<string> {
    try {
      return dayOf(await store.evaluationsStoredSince(this.#sql))
    } catch (error) {
      this.#storedSinceDay = undefined
      throw error
    }
  }
}
