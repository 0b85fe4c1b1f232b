/** Takes the counts of decisions that programs made by themselves. They are stored before the answer, once for each request key. */
import { kinds, limits, type Request, type Response, type Side } from '@rollkey/contract'
import { ApiError } from '../base/api-error.ts'
import { dayOf, msPerDay, type Clock } from '../base/clock.ts'
import { hashOfRequestKey } from '../metering/request-key.ts'
import type { Stage } from '../stages/stages.ts'
import { compare, msPerHour, newRollCount } from './roll-counts.ts'
import type { StoredVariable } from '../stages/stored-variable.ts'
import { putLastEvaluations } from '../storage/last-evaluations.ts'
import { maxPicked } from '../storage/picked.ts'
import { addRollCounts, type RollCount } from '../storage/roll-counts.ts'
import type { Sql, Tx } from '../storage/sql.ts'
import { addReported, insertRequestKey } from '../storage/usage.ts'

type Decisions = Request<'report'>['decisions'][number]

/** A row of a report whose variable the stage has. */
interface KnownDecisions extends Decisions {
  readonly variable: StoredVariable
  readonly day: string
}

export class Reports {
  readonly #sql: Sql
  readonly #clock: Clock

  constructor({ sql, clock }: { sql: Sql; clock: Clock }) {
    this.#sql = sql
    this.#clock = clock
  }

  /** Counts the decisions, unless a report with the same key was counted. Throws INVALID_REQUEST or StoreUnavailable. */
  async add(
    stage: Stage,
    decisions: readonly Decisions[],
    requestKey: string | undefined,
  ): Promise<Response<'report'>> {
    const nowMs = this.#clock.now()
    const today = dayOf(nowMs)
    const yesterday = dayOf(nowMs - msPerDay)
    const known = decisions.flatMap(({ day = today, ...row }, index): KnownDecisions[] => {
      if (day !== today && day !== yesterday) throwWrongDay(index, { today, yesterday })
      const variable = stage.variables.get(row.name)
      return variable && kinds[variable.kind].isRolled === (row.decision !== undefined)
        ? [{ ...row, day, variable }]
        : []
    })
    if (known.length > 0) await this.#store(stage, known, requestKey, nowMs)
    return { counted: known.length, ignored: decisions.length - known.length }
  }

  async #store(
    stage: Stage,
    known: readonly KnownDecisions[],
    requestKey: string | undefined,
    nowMs: number,
  ): Promise<void> {
    const { orgId, projectId, stageId } = stage
    const counts = rollCountsOf(stageId, known, nowMs)
    const lastDays = lastDaysOf(stageId, known)
    const reported = sumsByDay(known)
    await this.#sql.tx(async (tx) => {
      if (requestKey !== undefined && !(await insertReportKey(tx, orgId, requestKey, nowMs))) return
      for (const some of inParts(counts)) await addRollCounts(tx, some)
      for (const some of inParts(lastDays)) await putLastEvaluations(tx, some)
      for (const [day, count] of reported) await addReported(tx, { orgId, projectId, stageId, day }, count)
    })
  }
}

/** Inserts the key of a report, apart from the keys of billing events. Returns whether it is new. */
function insertReportKey(tx: Tx, orgId: string, requestKey: string, nowMs: number): Promise<boolean> {
  return insertRequestKey(tx, orgId, hashOfRequestKey(`report ${requestKey}`), nowMs + limits.reportKeyWindowMs)
}

function throwWrongDay(index: number, { today, yesterday }: { today: string; yesterday: string }): never {
  throw new ApiError(
    'INVALID_REQUEST',
    `decisions[${index}].day must be ${today} or ${yesterday}, today or yesterday in UTC: leave it out to count the decisions today.`,
  )
}

/** Returns the counts of rolls by hour, in the order in which all nodes store them. */
function rollCountsOf(stageId: string, known: readonly KnownDecisions[], nowMs: number): RollCount[] {
  const counts = new Map<string, RollCount>()
  for (const row of known) {
    if (!row.decision || !row.step) continue
    const hourMs = hourOf(row, nowMs)
    const key = `${hourMs} ${row.name}`
    const count = counts.get(key) ?? newRollCount(stageId, row.name, hourMs)
    counts.set(key, count)
    const side: Side = row.decision
    count[row.step][side] += row.count
    count.reported[side] += row.count
  }
  return [...counts.values()].toSorted((x, y) => compare(x.name, y.name) || x.hourMs - y.hourMs)
}

/**
 * Returns the hour in which decisions count: the current one, or the last one of yesterday. Decisions by a chance that has changed since
 * count in the hour of the change, which the test of the fit leaves out.
 */
function hourOf({ variable, step, chance, day }: KnownDecisions, nowMs: number): number {
  const endOfDayMs = Date.parse(day) + msPerDay - 1
  const isOutdated = step === 'chance' && chance !== undefined && chance !== (variable.attributes.chance ?? 0)
  const atMs = Math.min(nowMs, endOfDayMs, isOutdated ? variable.updatedAtMs : nowMs)
  return atMs - (atMs % msPerHour)
}

/** Returns the last day of each variable. */
function lastDaysOf(
  stageId: string,
  known: readonly KnownDecisions[],
): { stageId: string; name: string; day: string }[] {
  const days = new Map<string, string>()
  for (const { name, day } of known) if (day > (days.get(name) ?? '')) days.set(name, day)
  return [...days].map(([name, day]) => ({ stageId, name, day })).toSorted((x, y) => compare(x.name, y.name))
}

function sumsByDay(known: readonly KnownDecisions[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { day, count } of known) sums.set(day, (sums.get(day) ?? 0) + count)
  return sums
}

function* inParts<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let from = 0; from < rows.length; from += maxPicked) yield rows.slice(from, from + maxPicked)
}
