/** Tests that the report of an organization's usage lets other requests run, however much is stored. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { Usage } from '../../src/metering/usage.ts'
import { unlimited } from '../../src/metering/plans.ts'
import { insertOrganization } from '../../src/storage/organizations.ts'
import { maxPicked } from '../../src/storage/picked.ts'
import type { Sql } from '../../src/storage/sql.ts'
import { insertProject, insertStage } from '../../src/storage/stages.ts'
import { TestClock } from '../../testkit/clock.ts'
import { addToMeter, usageRowsPerPage } from '../../src/storage/usage.ts'
import { temporaryStore } from '../storage/temporary.ts'

const stages = 1_200
const pending = { fold: async () => {} }
const days = ['2026-09-20', '2026-09-21']
const nowMs = Date.UTC(2026, 8, 21, 12)
/** Rows of a page, and the first of the next one. */
const maxRows = usageRowsPerPage + 1

/** Creates an organization whose stages have usage on each day and variables. */
async function filledStore(): Promise<Sql> {
  const sql = await temporaryStore(nowMs)
  await sql.tx(async (tx) => {
    await insertOrganization(tx, { id: 'org_1', idpOrgId: 'idp_1', slug: 'acme', nowMs })
    await insertProject(tx, 'org_1', { id: 'prj_1', slug: 'shop', by: 'user_1', nowMs })
    for (let stage = 0; stage < stages; stage++) {
      const id = `stg_${stages - stage}`
      await insertStage(tx, 'prj_1', { id, slug: `s${stage}`, bytes: 7, by: 'user_1', nowMs })
    }
    for (const day of days) {
      await tx.all(
        `insert into usage_days (org_id, project_id, stage_id, day, evaluations)
         select 'org_1', project_id, id, $1, 2 from stages`,
        day,
      )
    }
    const month = { orgId: 'org_1', meter: 'evaluations', period: '2026-09' } as const
    await addToMeter(tx, month, 2 * days.length * stages, Number.MAX_SAFE_INTEGER)
  })
  return sql
}

/** Makes the stages those of an earlier version, which did not keep their bytes. Each has a variable of a byte. */
async function forgetBytes(sql: Sql): Promise<void> {
  await sql.tx(async (tx) => {
    await tx.all('update stages set bytes_revision = null')
    await tx.all(
      `insert into variables (stage_id, name, kind, facets, sealed, created_at_ms, updated_at_ms, updated_by)
       select id, 'A', 'secret', '{}', $1, 0, 0, 'user_1' from stages`,
      Buffer.from('s'),
    )
  })
}

/**
 * Returns the store, the number of its transactions, and the rows that its statements return between two turns of the event loop. Each slice
 * ends at once.
 */
function counted(sql: Sql): { readonly sql: Sql; readonly transactions: () => number; readonly rows: () => number[] } {
  let transactions = 0
  const rows: number[] = [0]
  let isOver = false
  const nextTurn = (): void => {
    rows.push(0)
    if (!isOver) setImmediate(nextTurn)
  }
  setImmediate(nextTurn)
  let ticks = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => ticks++)
  onTestFinished(() => {
    isOver = true
    clock.mockRestore()
  })
  const all: Sql['all'] = async (text, ...params) => {
    const found = await sql.all<never>(text, ...params)
    if (text.includes('usage_days') || text.includes('variables')) rows.push((rows.pop() ?? 0) + found.length)
    return found
  }
  const tx: Sql['tx'] = (...args) => {
    transactions++
    return sql.tx(...args)
  }
  return {
    sql: { ...sql, all, tx },
    transactions: () => transactions,
    rows: () => rows.filter((count) => count > 0),
  }
}

test.each([
  ['of everything', undefined],
  ['of what the caller may list', () => true],
])('a report %s reads no values, and lets other requests run between pages of the usage', async (_, isVisible) => {
  const store = counted(await filledStore())
  const clock = new TestClock()
  clock.freezeAt(nowMs)
  const usage = new Usage({ sql: store.sql, pending, plan: unlimited, clock })
  const found = await usage.show('org_1', { months: 1 }, isVisible)
  const rows = store.rows()
  expect(Math.max(...rows)).toBe(maxRows)
  expect(rows.reduce((sum, count) => sum + count, 0)).toBe(days.length * stages + rows.length - 1)
  const slugs = Array.from({ length: stages }, (__, stage) => `s${stage}`).toSorted()
  expect(found.days).toEqual(
    days.flatMap((day) => slugs.map((stageSlug) => ({ day, projectSlug: 'shop', stageSlug, evaluations: 2 }))),
  )
  expect(found.storage.byStage).toEqual(slugs.map((stageSlug) => ({ projectSlug: 'shop', stageSlug, bytes: 7 })))
  expect(found.months).toEqual([{ month: '2026-09', evaluations: 2 * days.length * stages }])
})

test('the first report after an upgrade keeps the bytes of many stages in each transaction, and later ones keep none', async () => {
  const { sql, transactions } = counted(await filledStore())
  const clock = new TestClock()
  clock.freezeAt(nowMs)
  await forgetBytes(sql)
  const usage = new Usage({ sql, pending, plan: unlimited, clock })
  const before = transactions()
  const first = await usage.show('org_1', { months: 1 })
  expect(transactions() - before).toBe(Math.ceil(stages / maxPicked))
  expect(first.storage.byStage.map(({ bytes }) => bytes)).toEqual(Array.from({ length: stages }, () => 1))
  expect(await usage.show('org_1', { months: 1 })).toEqual(first)
  expect(transactions() - before).toBe(Math.ceil(stages / maxPicked))
})
