/** Reports of an organization's usage, for its members. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { limits, type Response } from '@rollkey/contract'
import { dayOf, monthOf, msPerDay, type Clock } from '../base/clock.ts'
import { StoreUnavailable } from '../base/api-error.ts'
import { TimeSlices } from '../concurrency/time-slices.ts'
import { storedBytesOf } from '../storage/deletion.ts'
import { maxPicked } from '../storage/picked.ts'
import type { Reader, Sql } from '../storage/sql.ts'
import {
  keepStoredBytes,
  readMeter,
  storageByStage,
  usageByCaller,
  usageByDay,
  usageByMonth,
  usageRowsPerPage,
  type CallerUsagePosition,
  type CallerUsageRow,
  type MeasuredStage,
  type StageStorage,
  type UsageCaller,
  type UsagePosition,
} from '../storage/usage.ts'
import type { PendingUsage } from './pending-usage.ts'
import { unlimited, type Plan } from './plans.ts'

type UsageView = Response<'usage'>
type Day = UsageView['days'][number]
type PlanOnWire = UsageView['plan']

/** Returns whether the caller may list a stage. Events of stages that did not exist belong to the organization: no project. */
type IsVisible = (at: { readonly projectSlug?: string | undefined; readonly stageSlug?: string | undefined }) => boolean

export class Usage {
  readonly #sql: Sql
  readonly #pending: PendingUsage
  readonly #clock: Clock
  readonly plan: PlanOnWire

  constructor(parts: { sql: Sql; pending: PendingUsage; plan: Plan; clock: Clock }) {
    this.#sql = parts.sql
    this.#pending = parts.pending
    this.#clock = parts.clock
    this.plan = onWire(parts.plan)
  }

  /**
   * Returns the usage of the latest `months` and, by day, of the latest `days`, the current ones included. Without `days`, by day
   * of this month and the last one. With `isVisible`, only that of visible stages.
   */
  async show(
    orgId: string,
    span: { readonly months: number; readonly days?: number | undefined },
    isVisible?: IsVisible,
  ): Promise<UsageView> {
    await this.#pending.fold(orgId)
    const nowMs = this.#clock.now()
    const months = latestMonths(nowMs, span.months)
    const firstDay =
      span.days === undefined ? `${latestMonths(nowMs, 2)[0]}-01` : dayOf(nowMs - (span.days - 1) * msPerDay)
    if (isVisible) return this.#showVisible(orgId, months, firstDay, isVisible)
    const days: Day[] = []
    for await (const page of this.#byDay(orgId, firstDay)) days.push(...page)
    const bytes = await readMeter(this.#sql, { orgId, meter: 'storage', period: '' })
    return {
      months: await this.#byMonth(orgId, months),
      days,
      storage: { bytes, byStage: await this.#byStage(orgId) },
      plan: this.plan,
    }
  }

  /** Returns the usage of visible stages, with sums of them alone. */
  async #showVisible(
    orgId: string,
    months: readonly string[],
    firstDay: string,
    isVisible: IsVisible,
  ): Promise<UsageView> {
    const firstOfMonths = `${months[0]}-01`
    const used = new Map<string, number>()
    const days: Day[] = []
    for await (const page of this.#byDay(orgId, firstOfMonths < firstDay ? firstOfMonths : firstDay)) {
      for (const day of page.filter(isVisible)) {
        const month = day.day.slice(0, 7)
        used.set(month, (used.get(month) ?? 0) + day.evaluations)
        if (day.day >= firstDay) days.push(day)
      }
    }
    const byStage = (await this.#byStage(orgId)).filter(isVisible)
    return {
      months: months.map((month) => ({ month, evaluations: used.get(month) ?? 0 })),
      days,
      storage: { bytes: byStage.reduce((sum, { bytes }) => sum + bytes, 0), byStage },
      plan: this.plan,
    }
  }

  /** Returns the callers that evaluated between two UTC days, both included. */
  async callers(
    orgId: string,
    days: { readonly from: string; readonly to: string },
  ): Promise<Response<'usageCallers'>> {
    await this.#pending.fold(orgId)
    const { callers, more } = await callersBetween(this.#sql, orgId, days)
    return {
      callers: callers.map(({ caller, how, project, stage, evaluations }) => ({
        ...(how !== '' && { caller, how: how as UsageCaller['how'] }),
        ...(project !== null && { projectSlug: project }),
        ...(stage !== null && { stageSlug: stage }),
        evaluations,
      })),
      more,
    }
  }

  async #byMonth(orgId: string, months: readonly string[]): Promise<UsageView['months']> {
    const rows = await usageByMonth(this.#sql, orgId, months[0] ?? '')
    const used = new Map(rows.map(({ month, evaluations }) => [month, evaluations]))
    return months.map((month) => ({ month, evaluations: used.get(month) ?? 0 }))
  }

  /** Returns the usage of each day with some, in the order of the answer. Other requests are served between two pages of the table. */
  async *#byDay(orgId: string, firstDay: string): AsyncGenerator<Day[]> {
    let from: UsagePosition | undefined = { day: firstDay, project_id: '', stage_id: '' }
    let ofDay: Day[] = []
    const slices = new TimeSlices()
    while (from) {
      const rows = await usageByDay(this.#sql, orgId, from, usageRowsPerPage + 1)
      for (const { day, project, stage, evaluations, reported } of rows.slice(0, usageRowsPerPage)) {
        if (ofDay.length > 0 && ofDay[0]?.day !== day) {
          yield ofDay.toSorted(compareSlugs)
          ofDay = []
        }
        ofDay.push({
          day,
          projectSlug: project ?? undefined,
          stageSlug: stage ?? undefined,
          evaluations,
          ...(reported > 0 && { reported }),
        })
      }
      from = rows[usageRowsPerPage]
      if (slices.isOver) await slices.next()
    }
    yield ofDay.toSorted(compareSlugs)
  }

  async #byStage(orgId: string): Promise<UsageView['storage']['byStage']> {
    const rows = await storageByStage(this.#sql, orgId)
    const measured = await this.#measure(rows.filter(({ bytes }) => bytes === null))
    return rows
      .map((row) => ({
        projectSlug: row.project,
        stageSlug: row.stage,
        bytes: row.bytes ?? measured.get(row.stage_id) ?? 0,
      }))
      .filter(({ bytes }) => bytes > 0)
      .toSorted(compareSlugs)
  }

  /** Sums the bytes of stages that an earlier version wrote last, and keeps them, many at once. Returns them by stage. */
  async #measure(stages: readonly StageStorage[]): Promise<ReadonlyMap<string, number>> {
    const sums = new Map<string, number>()
    for (let at = 0; at < stages.length; at += maxPicked) {
      const page: MeasuredStage[] = []
      for (const stage of stages.slice(at, at + maxPicked)) {
        await nextTurn()
        const bytes = await storedBytesOf(this.#sql, stage.stage_id)
        page.push({ ...stage, bytes })
        sums.set(stage.stage_id, bytes)
      }
      // A store that takes no writes at the moment still answers.
      await this.#sql.tx((tx) => keepStoredBytes(tx, page), 'process').catch(ignoreUnavailable)
    }
    return sums
  }
}

type CallerUsage = Omit<CallerUsageRow, keyof CallerUsagePosition> & Pick<CallerUsageRow, 'caller' | 'how'>

/**
 * Returns the usage of an organization by caller and stage between two UTC days, both included: the `limits.usageCallers` highest, the
 * highest first, and whether there are more. Other requests are served between two pages of the table, and of its sums.
 */
export async function callersBetween(
  sql: Reader,
  orgId: string,
  days: { readonly from: string; readonly to: string },
): Promise<{ callers: CallerUsage[]; more: boolean }> {
  const sums = new Map<string, CallerUsage>()
  const slices = new TimeSlices()
  let from: CallerUsagePosition | undefined = { day: days.from, caller: '', how: '', project_id: '', stage_id: '' }
  while (from) {
    const rows = await usageByCaller(sql, orgId, { from, toDay: days.to, max: usageRowsPerPage + 1 })
    for (const { caller, how, project, stage, evaluations } of rows.slice(0, usageRowsPerPage)) {
      const key = JSON.stringify([caller, how, project, stage])
      const before = sums.get(key)?.evaluations ?? 0
      sums.set(key, { caller, how, project, stage, evaluations: before + evaluations })
    }
    from = rows[usageRowsPerPage]
    if (slices.isOver) await slices.next()
  }
  return { callers: await highest(sums.values(), slices), more: sums.size > limits.usageCallers }
}

/** Returns the callers with the most evaluations. A single sort of all callers of a year would hold other requests. */
async function highest(callers: Iterable<CallerUsage>, slices: TimeSlices): Promise<CallerUsage[]> {
  const inOrder = (some: readonly CallerUsage[]): CallerUsage[] =>
    some.toSorted((a, b) => b.evaluations - a.evaluations).slice(0, limits.usageCallers)
  let kept: CallerUsage[] = []
  for (const caller of callers) {
    if (kept.push(caller) < 2 * limits.usageCallers) continue
    kept = inOrder(kept)
    if (slices.isOver) await slices.next()
  }
  return inOrder(kept)
}

function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof StoreUnavailable)) throw error
}

interface Slugs {
  readonly projectSlug?: string | undefined
  readonly stageSlug?: string | undefined
}

/** Compares the slugs of two stages. Usage without a stage comes last. */
function compareSlugs(a: Slugs, b: Slugs): number {
  return compareLast(a.projectSlug, b.projectSlug) || compareLast(a.stageSlug, b.stageSlug)
}

/** Compares two slugs, of which undefined is the last. Slugs are ASCII, so JavaScript orders them by code point. */
function compareLast(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1
  return a < b ? -1 : 1
}

/** Returns the latest months as YYYY-MM, the oldest first. */
function latestMonths(nowMs: number, count: number): string[] {
  const [year = 0, month = 0] = dayOf(nowMs).split('-').map(Number)
  return Array.from({ length: count }, (_, index) => monthOf(Date.UTC(year, month - count + index)))
}

function onWire({ name, evaluationsPerMonth, storageBytes }: Plan): PlanOnWire {
  return name === unlimited.name ? { name } : { name, evaluationsPerMonth, storageBytes }
}
