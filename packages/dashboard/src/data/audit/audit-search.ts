import type { AuditAction } from '@rollkey/contract'
import type { Request } from '@rollkey/sdk/core'
import { startOfDay } from '../../lib/days.ts'
import { dayText } from '../../lib/time.ts'

/** The filters of the audit log, which are in the address so that people can share them. */

const filters = ['person', 'action', 'project', 'stage', 'variable', 'from', 'to'] as const
/** `entry`: number of the entry whose details are open. */
const fields = [...filters, 'entry'] as const
export type AuditField = (typeof fields)[number]

/** `from` and `to` are days, both included: YYYY-MM-DD. */
export type AuditSearch = { readonly [Field in AuditField]?: string | undefined }

/** Returns the known parameters of an address. */
export function auditSearch(search: Record<string, unknown>): AuditSearch {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const text = search[field]
      return typeof text === 'string' && text !== '' ? [[field, text]] : []
    }),
  )
}

/** Returns how many filters are set. */
export function countFilters(search: AuditSearch): number {
  return filters.filter((filter) => search[filter] !== undefined).length
}

export type AuditFilter = Omit<Request<'audit'>, 'orgSlug' | 'before' | 'limit'>

/**
 * Returns the filter of a request. Days are in the viewer's time zone, like the times on the page. The service validates them.
 */
export function auditFilter({ person, action, project, stage, variable, from, to }: AuditSearch): AuditFilter {
  return {
    actor: person,
    action: action as AuditAction | undefined,
    projectSlug: project,
    stageSlug: stage,
    name: variable,
    fromMs: from === undefined ? undefined : startOfDay(dayOf(from)),
    toMs: to === undefined ? undefined : startOfDay(dayOf(to), 1),
  }
}

/** Returns the first of the latest days as YYYY-MM-DD. */
export function firstOfLatest(days: number, nowMs: number): string {
  const dayMs = startOfDay(nowMs, 1 - days)
  const offsetMs = new Date(dayMs).getTimezoneOffset() * 60_000
  return new Date(dayMs - offsetMs).toISOString().slice(0, 10)
}

/** Formats a day of the address; what is not one stays as is. */
export function shownDay(day: string | undefined): string | undefined {
  if (day === undefined) return undefined
  const ms = dayOf(day)
  return Number.isNaN(ms) ? day : dayText(ms)
}

function dayOf(day: string): number {
  return Date.parse(`${day}T00:00`)
}
