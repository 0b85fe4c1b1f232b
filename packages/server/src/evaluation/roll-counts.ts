/**
 * Counts how often each value of a roll was served, by hour (UTC). Counts stay in memory and are stored every few seconds
 * and at shutdown, because a row per evaluation would cost more than the evaluation.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Attributes, Request, Response } from '@rollkey/contract'
import type { Clock } from '../base/clock.ts'
import { attributeHistory } from '../storage/history.ts'
import * as store from '../storage/roll-counts.ts'
import type { RollCount } from '../storage/roll-counts.ts'
import type { Sql } from '../storage/sql.ts'
import type { StoredVariable } from '../stages/stored-variable.ts'
import { missing, type Stage } from '../stages/stages.ts'

/** A variable that was served, with the side if it is a roll. */
export interface Served {
  readonly variable: StoredVariable
  readonly decision?: 'a' | 'b'
}

type Hour = Response<'rollCounts'>['hours'][number]

const hour = 3_600_000
/** Maximum counters (one per roll and hour) between two flushes, more than any service uses. Further ones are not counted. */
const maxTallies = 20_000
/** Rows per transaction. Between transactions the embedded store serves requests. */
const rowsAtOnce = 200

export class RollCounts {
  readonly #sql: Sql
  readonly #clock: Clock
  /** Counters by the variable object in memory, which saves building a text key. */
  #counting = new Map<StoredVariable, RollCount>()
  #tallies: RollCount[] = []

  constructor(parts: { sql: Sql; clock: Clock }) {
    this.#sql = parts.sql
    this.#clock = parts.clock
  }

  /** Counts the sides of rolls of a stage that were served now. */
  add(stageId: string, served: readonly Served[]): void {
    const nowMs = this.#clock.now()
    for (const { variable, decision } of served) {
      if (!decision) continue
      let tally = this.#counting.get(variable)
      if (!tally || nowMs >= tally.hourMs + hour) {
        if (this.#tallies.length >= maxTallies) continue
        tally = { stageId, name: variable.name, hourMs: nowMs - (nowMs % hour), a: 0, b: 0 }
        this.#counting.set(variable, tally)
        this.#tallies.push(tally)
      }
      tally[decision]++
    }
  }

  /** Stores the counts. Called every few seconds and at shutdown. */
  async flush(): Promise<void> {
    // The same order on every node prevents deadlocks.
    const tallies = this.#tallies.toSorted(
      (x, y) => compare(x.stageId, y.stageId) || compare(x.name, y.name) || x.hourMs - y.hourMs,
    )
    this.#tallies = []
    this.#counting = new Map()
    while (tallies.length > 0) {
      const rows = tallies.slice(0, rowsAtOnce)
      try {
        await this.#sql.tx(async (tx) => {
          await Promise.all(rows.map((row) => store.addRollCount(tx, row)))
        }, 'process')
      } catch (error) {
        this.#tallies = [...tallies, ...this.#tallies].slice(0, maxTallies)
        throw error
      }
      tallies.splice(0, rowsAtOnce)
      await nextTurn()
    }
  }

  /** Returns the hours in which a value was served, earliest first. Throws VARIABLE_NOT_FOUND. */
  async of(
    { stageId, variables }: Stage,
    { name, fromMs = 0, toMs = Number.MAX_SAFE_INTEGER }: Pick<Request<'rollCounts'>, 'name' | 'fromMs' | 'toMs'>,
  ): Promise<Hour[]> {
    if (!variables.has(name)) missing(name)
    const rows = await store.rollCountsOf(this.#sql, stageId, name, fromMs, toMs)
    const chanceIn = await this.#chances(stageId, name)
    return rows
      .toSorted((x, y) => x.hour_ms - y.hour_ms)
      .map(({ hour_ms, a, b }) => {
        const chance = chanceIn(hour_ms)
        return { fromMs: hour_ms, a, b, ...(chance !== undefined && { chance }) }
      })
  }

  /** Returns the chance in each hour, or undefined for an hour with several chances or without history. */
  async #chances(stageId: string, name: string): Promise<(hourMs: number) => number | undefined> {
    const rows = (await attributeHistory(this.#sql, stageId, name)).toSorted((a, b) => a.revision - b.revision)
    return (hourMs) => {
      const first = rows.findLastIndex(({ written_at_ms }) => written_at_ms <= hourMs)
      const ofHour = rows.slice(Math.max(0, first)).filter(({ written_at_ms }) => written_at_ms < hourMs + hour)
      const chances = new Set(ofHour.map(({ facets }) => (JSON.parse(facets ?? '{}') as Attributes).chance))
      chances.delete(undefined)
      return chances.size === 1 ? [...chances][0] : undefined
    }
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
