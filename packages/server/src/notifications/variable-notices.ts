/**
 * Records in the audit log what time and chance do to variables: secrets that are due for another value, and rolls that serve another
 * split than their chance. The transaction that records it marks the variable, so that one entry tells of each, by whichever node.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../base/clock.ts'
import { systemActorOf } from '../storage/actor.ts'
import { appendAudit, type AuditEvent } from '../storage/audit.ts'
import { isUntold, markTold, type Told } from '../storage/declarations.ts'
import { everyOrganization } from '../storage/organizations.ts'
import type { Sql } from '../storage/sql.ts'

interface VariableAt {
  readonly projectSlug: string
  readonly stageSlug: string
  readonly name: string
}

interface OverdueSecret extends VariableAt {
  readonly valueAtMs: number
  readonly dueAtMs: number
  readonly owner: string | undefined
}

interface MisfitRoll extends VariableAt {
  readonly chance: number
  readonly chanceSinceMs: number
  readonly updatedAtMs: number
  readonly sinceChance: { readonly a: number; readonly b: number }
}

export interface VariableNoticeParts {
  readonly sql: Sql
  readonly clock: Clock
  /** Returns the variables of an organization that are due for another value. */
  readonly overdueOf: (orgId: string) => Promise<readonly OverdueSecret[]>
  /** Returns the rolls of an organization that serve another split than their chance. */
  readonly misfitsOf: (orgId: string) => Promise<readonly MisfitRoll[]>
}

interface Notice {
  readonly what: Told
  readonly ofMs: number
  readonly writtenAtMs: number
  readonly reason: string
  readonly event: AuditEvent
}

/** Tells of each rotation that is due and of each chance that is not kept once, also if several nodes do so at the same time. */
export async function announceVariables(parts: VariableNoticeParts): Promise<void> {
  for (const { id: orgId } of await everyOrganization(parts.sql)) {
    for (const { dueAtMs, valueAtMs, owner, ...at } of await parts.overdueOf(orgId))
      await announce(
        parts,
        { orgId, ...at },
        {
          what: 'due',
          ofMs: dueAtMs,
          writtenAtMs: valueAtMs,
          reason: 'secret is due',
          event: { action: 'secret.due', facts: { dueAtMs, ...(owner !== undefined && { owner }) } },
        },
      )
    for (const { chance, chanceSinceMs, updatedAtMs, sinceChance, ...at } of await parts.misfitsOf(orgId))
      await announce(
        parts,
        { orgId, ...at },
        {
          what: 'misfit',
          ofMs: chanceSinceMs,
          writtenAtMs: updatedAtMs,
          reason: 'roll serves another split than its chance',
          event: {
            action: 'roll.misfit',
            facts: { chance, chanceSinceMs, servedA: sinceChance.a, servedB: sinceChance.b },
          },
        },
      )
    await nextTurn()
  }
}

async function announce(
  { sql, clock }: VariableNoticeParts,
  at: VariableAt & { readonly orgId: string },
  { what, reason, event, ...times }: Notice,
): Promise<void> {
  await nextTurn()
  // Most was announced at an earlier look.
  if (!(await isUntold(sql, at, what, times))) return
  await sql.tx(async (tx) => {
    const userId = await markTold(tx, at, what, times)
    if (userId === undefined) return
    const { orgId, projectSlug, stageSlug, name } = at
    const actor = systemActorOf({ orgId, userId }, reason)
    await appendAudit(tx, actor, { ...event, projectSlug, stageSlug, names: [name], nowMs: clock.now() })
  })
}
