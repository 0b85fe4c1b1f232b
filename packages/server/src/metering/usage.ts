/** Reports of an organization's usage, for its members. */
import { limits, type Response } from '@rollkey/contract'
import { dayOf, monthOf, msPerDay, type Clock } from '../base/clock.ts'
import type { Reader } from '../storage/sql.ts'
import type { UsageJournal } from '../storage/usage-journal.ts'
import {
  readMeter,
  storageByStage,
  usageByCaller,
  usageByDay,
  usageByMonth,
  type UsageCaller,
} from '../storage/usage.ts'
import { unlimited, type Plan } from './plans.ts'

type UsageView = Response<'usage'>
type PlanOnWire = UsageView['plan']

/** Returns whether the caller may list a stage. Events of stages that did not exist belong to the organization: no project. */
type IsVisible = (at: { readonly projectSlug?: string | undefined; readonly stageSlug?: string | undefined }) => boolean

export class Usage {
  readonly #sql: Reader
  readonly #journal: UsageJournal | undefined
  readonly #clock: Clock
  readonly plan: PlanOnWire

  constructor(parts: { sql: Reader; journal: UsageJournal | undefined; plan: Plan; clock: Clock }) {
    this.#sql = parts.sql
    this.#journal = parts.journal
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
    // The tables can be a second behind the journal.
    await this.#journal?.fold()
    const nowMs = this.#clock.now()
    const months = latestMonths(nowMs, span.months)
    const firstDay =
      span.days === undefined ? `${latestMonths(nowMs, 2)[0]}-01` : dayOf(nowMs - (span.days - 1) * msPerDay)
    if (isVisible) return this.#showVisible(orgId, months, firstDay, isVisible)
    const bytes = await readMeter(this.#sql, { orgId, meter: 'storage', period: '' })
    return {
      months: await this.#byMonth(orgId, months),
      days: await this.#byDay(orgId, firstDay),
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
    const days = (await this.#byDay(orgId, firstOfMonths < firstDay ? firstOfMonths : firstDay)).filter(isVisible)
    const byStage = (await this.#byStage(orgId)).filter(isVisible)
    const sumOf = (month: string): number =>
      days.filter(({ day }) => day.startsWith(month)).reduce((sum, { evaluations }) => sum + evaluations, 0)
    return {
      months: months.map((month) => ({ month, evaluations: sumOf(month) })),
      days: days.filter(({ day }) => day >= firstDay),
      storage: { bytes: byStage.reduce((sum, { bytes }) => sum + bytes, 0), byStage },
      plan: this.plan,
    }
  }

  /** Returns the callers that evaluated between two UTC days, both included. */
  async callers(
    orgId: string,
    days: { readonly from: string; readonly to: string },
  ): Promise<Response<'usageCallers'>> {
    await this.#journal?.fold()
    const rows = await usageByCaller(this.#sql, orgId, days, limits.usageCallers + 1)
    return {
      callers: rows.slice(0, limits.usageCallers).map(({ caller, how, project, stage, evaluations }) => ({
        ...(how !== '' && { caller, how: how as UsageCaller['how'] }),
        ...(project !== null && { projectSlug: project }),
        ...(stage !== null && { stageSlug: stage }),
        evaluations,
      })),
      more: rows.length > limits.usageCallers,
    }
  }

  async #byMonth(orgId: string, months: readonly string[]): Promise<UsageView['months']> {
    const rows = await usageByMonth(this.#sql, orgId, months[0] ?? '')
    const used = new Map(rows.map(({ month, evaluations }) => [month, evaluations]))
    return months.map((month) => ({ month, evaluations: used.get(month) ?? 0 }))
  }

  async #byDay(orgId: string, firstDay: string): Promise<UsageView['days']> {
    const rows = await usageByDay(this.#sql, orgId, firstDay)
    return rows
      .map(({ day, project, stage, evaluations }) => ({
        day,
        projectSlug: project ?? undefined,
        stageSlug: stage ?? undefined,
        evaluations,
      }))
      .toSorted((a, b) => compare([a.day, a.projectSlug, a.stageSlug], [b.day, b.projectSlug, b.stageSlug]))
  }

  async #byStage(orgId: string): Promise<UsageView['storage']['byStage']> {
    const rows = await storageByStage(this.#sql, orgId)
    return rows
      .map(({ project, stage, bytes }) => ({ projectSlug: project, stageSlug: stage, bytes }))
      .toSorted((a, b) => compare([a.projectSlug, a.stageSlug], [b.projectSlug, b.stageSlug]))
  }
}

/** Compares lists of slugs. Slugs are ASCII, so JavaScript orders them by code point. */
function compare(a: readonly (string | undefined)[], b: readonly (string | undefined)[]): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1
}

/** Returns the latest months as YYYY-MM, the oldest first. */
function latestMonths(nowMs: number, count: number): string[] {
  const [year = 0, month = 0] = dayOf(nowMs).split('-').map(Number)
  return Array.from({ length: count }, (_, index) => monthOf(Date.UTC(year, month - count + index)))
}

function onWire({ name, evaluationsPerMonth, storageBytes }: Plan): PlanOnWire {
  return name === unlimited.name ? { name } : { name, evaluationsPerMonth, storageBytes }
}
