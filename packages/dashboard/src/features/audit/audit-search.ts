import type { AuditAction } from '@rollkey/contract'
import type { Answer, Request } from '@rollkey/sdk/core'
import { startOfDay } from '../../lib/days.ts'

/** Which entries of the audit log are shown, as the page's address says it, so that it can be shared. */

const filters = ['person', 'action', 'project', 'stage', 'variable', 'from', 'to'] as const
/** `entry`: number of the entry whose details are open. */
const fields = [...filters, 'entry'] as const
export type AuditField = (typeof fields)[number]

/** `from` and `to` are days, both included: YYYY-MM-DD. */
export type AuditSearch = { readonly [Field in AuditField]?: string | undefined }

/** What an address has of it. */
export function auditSearch(search: Record<string, unknown>): AuditSearch {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const text = search[field]
      return typeof text === 'string' && text !== '' ? [[field, text]] : []
    }),
  )
}

/** Whether an address leaves something out. */
export function isFiltered(search: AuditSearch): boolean {
  return filters.some((filter) => search[filter] !== undefined)
}

/** What the service is asked for. */

/** An entry of the audit log. */
export type AuditEntry = Answer<'audit'>['entries'][number]

export type AuditFilter = Omit<Request<'audit'>, 'orgSlug' | 'before' | 'limit'>

/** Days are those of the viewer's time zone, like the times that the page shows. The service judges what it is given. */
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

function dayOf(day: string): number {
  return Date.parse(`${day}T00:00`)
}
