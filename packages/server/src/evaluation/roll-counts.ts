/**
 * Counts how often each value of a roll was served, by hour (UTC). Counts stay in memory and are stored every few seconds
 * and at shutdown, because a row per evaluation would cost more than the evaluation.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Choice, Request, Response } from '@rollkey/contract'
import type { Clock } from '../base/clock.ts'
import { TimeSlices } from '../concurrency/time-slices.ts'
import * as store from '../storage/roll-counts.ts'
import type { RollCount, SideCounts } from '../storage/roll-counts.ts'
import { maxPicked } from '../storage/picked.ts'
import type { Sql } from '../storage/sql.ts'
import type { StoredVariable } from '../stages/stored-variable.ts'
import { ChanceHistory } from './chance-history.ts'
import { throwNotFound, type Stage } from '../stages/stages.ts'

/** A variable that was served, with the side and what decided if it is a roll. */
export interface ServedVariable {
  readonly variable: StoredVariable
  readonly choice: Pick<Choice, 'decision' | 'step'>
}

type Hour = Response<'rollCounts'>['hours'][number]

export const msPerHour = 3_600_000
/** Maximum counters (one per roll and hour) between two flushes, more than any service uses. Further ones are not counted. */
const maxCounts = 20_000
export class RollCounts {
  readonly #sql: Sql
  readonly #clock: Clock
  /** Counters by the variable object in memory, which saves building a text key. */
  #current = new Map<StoredVariable, RollCount>()
  #counts: RollCount[] = []

  constructor(parts: { sql: Sql; clock: Clock }) {
    this.#sql = parts.sql
    this.#clock = parts.clock
  }

  /** Counts the sides of rolls of a stage that were served now. */
  add(stageId: string, served: readonly ServedVariable[]): void {
    const nowMs = this.#clock.now()
    for (const {
      variable,
      choice: { decision, step },
    } of served) {
      if (!decision || !step) continue
      let count = this.#current.get(variable)
      if (!count || nowMs >= count.hourMs + msPerHour) {
        if (this.#counts.length >= maxCounts) continue
        count = newRollCount(stageId, variable.name, nowMs - (nowMs % msPerHour))
        this.#current.set(variable, count)
        this.#counts.push(count)
      }
      count[step.by][decision]++
    }
  }

  /** Stores the counts. Called every few seconds and at shutdown. */
  async flush(): Promise<void> {
    // The same order on every node prevents deadlocks.
    const counts = this.#counts.toSorted(
      (x, y) => compare(x.stageId, y.stageId) || compare(x.name, y.name) || x.hourMs - y.hourMs,
    )
    this.#counts = []
    this.#current = new Map()
    while (counts.length > 0) {
      const rows = counts.slice(0, maxPicked)
      try {
        await this.#sql.tx((tx) => store.addRollCounts(tx, rows), 'process')
      } catch (error) {
        this.#counts = [...counts, ...this.#counts].slice(0, maxCounts)
        throw error
      }
      counts.splice(0, rows.length)
      await nextTurn()
    }
  }

  /** Returns the hours in which a value was served, earliest first. Throws VARIABLE_NOT_FOUND. */
  async list(
    { stageId, variables }: Stage,
    { name, fromMs = 0, toMs = Number.MAX_SAFE_INTEGER }: Pick<Request<'rollCounts'>, 'name' | 'fromMs' | 'toMs'>,
  ): Promise<Hour[]> {
    if (!variables.has(name)) throwNotFound(name)
    const rows = await store.rollCountsOf(this.#sql, stageId, name, fromMs, toMs)
    const chances = await ChanceHistory.read(this.#sql, { stageId, name }, (history) => history.reaches(fromMs))
    const hours: Hour[] = []
    const slices = new TimeSlices()
    for (const row of rows.toSorted((x, y) => x.hour_ms - y.hour_ms)) {
      const { hour_ms, a, b, pin_a, pin_b, rule_a, rule_b, reported_a, reported_b } = row
      const chance = chances.inHour(hour_ms)
      hours.push({
        fromMs: hour_ms,
        a,
        b,
        ...(pin_a + pin_b > 0 && { pins: { a: pin_a, b: pin_b } }),
        ...(rule_a + rule_b > 0 && { rules: { a: rule_a, b: rule_b } }),
        ...(reported_a + reported_b > 0 && { reported: { a: reported_a, b: reported_b } }),
        ...(chance !== undefined && { chance }),
      })
      // The roll may have had thousands of chances.
      if (slices.isOver) await slices.next()
    }
    return hours
  }
}

function none(): SideCounts {
  return { a: 0, b: 0 }
}

/** Returns the count of an hour in which nothing was served. */
export function newRollCount(stageId: string, name: string, hourMs: number): RollCount {
  return { stageId, name, hourMs, pin: none(), rule: none(), chance: none(), reported: none() }
}

/** Compares two texts in the order in which all nodes store counts. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
