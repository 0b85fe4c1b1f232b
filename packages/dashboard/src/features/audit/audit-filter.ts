/** What the service is asked for. */
import type { AuditAction } from '@rollkey/contract'
import type { Answer, Request } from '@rollkey/sdk/core'
import { startOfDay } from '../../lib/days.ts'
import type { AuditSearch } from './audit-search.ts'

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
