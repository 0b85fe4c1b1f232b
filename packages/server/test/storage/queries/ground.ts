/** Setup that the tests of the queries share. */
import { onTestFinished } from 'vitest'
import type { DueRow, OutboxTable } from '../../../src/storage/leases.ts'
import { migrate } from '../../../src/storage/migrate.ts'
import type { Sql, Tx } from '../../../src/storage/sql.ts'
import type { WriteContext } from '../../../src/storage/variables.ts'
import type { OpenSql } from '../sql.suite.ts'
import { silent } from '../temporary.ts'
import type { Queries } from './modules.ts'

export const nowMs = 1_790_000_000_000
const callersAtOnce = 64

export interface Ground {
  readonly sql: Sql
  readonly orgId: string
  readonly projectId: string
  readonly stageId: string
}

/** Creates an organization with a project and a stage at revision 1. */
export async function platform({ organizations, stages }: Queries, open: OpenSql): Promise<Ground> {
  const opened = await open()
  onTestFinished(() => opened.close())
  const { sql } = opened
  await migrate(sql, nowMs, silent)
  const [orgId, projectId, stageId] = ['org_1', 'prj_1', 'stg_1']
  await sql.tx(async (tx) => {
    await organizations.insertOrganization(tx, { id: orgId, idpOrgId: 'idp_1', slug: 'acme', nowMs })
    await stages.insertProject(tx, orgId, { id: projectId, slug: 'shop', by: 'user_1', nowMs })
    await stages.insertStage(tx, projectId, { id: stageId, slug: 'live', by: 'user_1', nowMs })
  })
  return { sql, orgId, projectId, stageId }
}

/** Returns the write context of a revision by user_1, written `laterMs` after `nowMs`. */
export function written(stageId: string, revision: number, laterMs = 0): WriteContext {
  return { stageId, revision, by: 'user_1', client: 'cli session laptop', nowMs: nowMs + laterMs }
}

/** Returns what is due in the outbox of a table. */
export function dueIn({ leases }: Queries, sql: Sql, table: OutboxTable, atMs: number, places = 10): Promise<DueRow[]> {
  return leases.dueRows(sql, [{ name: table.name, due: table.due, places }], atMs)
}

/** Returns which of 64 concurrent transactions succeed. */
export async function winnersOf(sql: Sql, work: (tx: Tx, caller: number) => Promise<unknown>): Promise<number[]> {
  const callers = Array.from({ length: callersAtOnce }, (_, caller) => caller)
  const answers = await Promise.all(callers.map((caller) => sql.tx((tx) => work(tx, caller))))
  return callers.filter((caller) => answers[caller] !== false && answers[caller] !== undefined)
}

/** Returns the order in which two transactions end, if the second begins while the first has done its work but is open. */
export async function endsOf(
  sql: Sql,
  first: (tx: Tx) => Promise<unknown>,
  second: (tx: Tx) => Promise<unknown>,
): Promise<string[]> {
  const ends: string[] = []
  const worked = Promise.withResolvers<void>()
  const waited = Promise.withResolvers<void>()
  const one = sql.tx(async (tx) => {
    await first(tx)
    worked.resolve()
    await waited.promise
    ends.push('first')
  })
  await worked.promise
  // Of round trips: enough for a connection to open, if the second may begin at all, and then for it to end many times over.
  let left = 500
  const other = sql
    .tx((tx) => {
      left = 50
      return second(tx)
    })
    .then(() => ends.push('second'))
  for (; left > 0; left--) await sql.all('select 1')
  waited.resolve()
  await Promise.all([one, other])
  return ends
}

const none = { a: 0, b: 0 }

/** Returns counts of a roll that its chance decided. */
export function byChance(a: number, b: number) {
  return { pin: none, rule: none, chance: { a, b }, reported: none }
}
