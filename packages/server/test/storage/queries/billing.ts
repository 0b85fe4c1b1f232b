import { describe, expect, test } from 'vitest'
import type { ReportRow } from '../../../src/storage/billing.ts'
import type { DueRow } from '../../../src/storage/leases.ts'
import type { Sql, Tx } from '../../../src/storage/sql.ts'
import type { OpenSql } from '../sql.suite.ts'
import { dueIn, nowMs, platform, winnersOf } from './ground.ts'
import type { Queries } from './modules.ts'

const period = '2026-09'
const month = { orgId: 'org_1', meter: 'evaluations', period } as const
const minute = 60_000

export function billingQueries(name: string, queries: Queries, open: OpenSql): void {
  const { billing, leases, organizations, usage } = queries
  const { reportTable } = billing

  async function opened() {
    const { sql } = await platform(queries, open)
    await sql.tx((tx) => organizations.insertOrganization(tx, { id: 'org_2', idpOrgId: 'idp_2', slug: 'other', nowMs }))
    return sql
  }

  const use = (sql: Sql, counter: Parameters<typeof usage.addToMeter>[1], units: number) =>
    sql.tx((tx) => usage.addToMeter(tx, counter, units, Number.MAX_SAFE_INTEGER))

  /** A report of a unit, due at once. */
  async function withReports(...ids: string[]) {
    const sql = await opened()
    await use(sql, month, ids.length)
    for (const [index, id] of ids.entries()) {
      const row = { id, orgId: 'org_1', period, units: 1, atMs: nowMs - 1, customer: null, nowMs: nowMs + index }
      await sql.tx((tx) => billing.insertReport(tx, row))
    }
    await sql.tx((tx) => billing.claimUnreported(tx, { orgId: 'org_1', period, from: 0, to: ids.length }))
    return sql
  }

  async function lease(sql: Sql, atMs = nowMs, places = 8): Promise<ReportRow[]> {
    const due = await dueIn(queries, sql, reportTable, atMs, places)
    const rows = await sql.tx((tx) =>
      Promise.all(due.map((each) => leases.leaseRow<ReportRow>(tx, reportTable, each, atMs + minute))),
    )
    return rows.filter((row) => row !== undefined)
  }

  async function fail(sql: Sql, state: 'pending' | 'refused', firstSentAtMs: number | null = null) {
    for (const row of await lease(sql)) {
      const now = { state, next_attempt_at_ms: nowMs + minute, first_sent_at_ms: firstSentAtMs, failure: 'status 500' }
      await sql.tx((tx) => leases.settleRow(tx, reportTable, row, now))
    }
  }

  const stateOf = async (sql: Sql, id: string): Promise<unknown> => {
    const [row] = await sql.all<object>(
      'select state, attempts, next_attempt_at_ms, first_sent_at_ms, failure, done_at_ms, customer from usage_reports where id = $1',
      id,
    )
    return { ...row }
  }

  describe(`${name}: the start of billing`, () => {
    test('happens once and treats earlier usage as reported', async () => {
      const sql = await opened()
      await use(sql, month, 5)
      await use(sql, { ...month, meter: 'storage', period: '' }, 7)
      expect(await winnersOf(sql, (tx) => billing.beginBilling(tx, nowMs))).toHaveLength(1)
      expect(await billing.unreportedUsage(sql, false)).toEqual([])
      await use(sql, month, 2)
      expect(await sql.tx((tx) => billing.beginBilling(tx, nowMs))).toBe(false)
      expect(await billing.unreportedUsage(sql, false)).toMatchObject([{ used: 7, reported: 5 }])
    })
  })

  describe(`${name}: pending reports`, () => {
    test('are listed with the reason why they wait, and made due', async () => {
      const sql = await withReports('rep_1')
      await fail(sql, 'pending')
      const report = { id: 'rep_1', organization: 'acme', at_ms: nowMs - 1, failure: 'status 500' }
      expect((await billing.pendingReports(sql)).map((row) => ({ ...row }))).toEqual([report])
      expect(await sql.tx((tx) => leases.retryRows(tx, reportTable, nowMs))).toEqual(['rep_1'])
      expect(await sql.tx((tx) => leases.retryRows(tx, reportTable, nowMs))).toEqual([])
      expect(await lease(sql)).toHaveLength(1)
    })
  })

  describe(`${name}: unreported usage`, () => {
    test('is listed for evaluations, by organization and month', async () => {
      const sql = await opened()
      await use(sql, month, 3)
      await use(sql, { ...month, period: '2026-10' }, 4)
      await use(sql, { ...month, orgId: 'org_2' }, 5)
      await use(sql, { orgId: 'org_1', meter: 'storage', period: '' }, 6)
      await sql.tx((tx) => billing.setBillingCustomer(tx, 'org_2', 'cus_2', nowMs))
      const rows = (await billing.unreportedUsage(sql, false)).toSorted((a, b) => a.used - b.used)
      expect(rows.map((row) => ({ ...row }))).toEqual([
        { org_id: 'org_1', period, used: 3, reported: 0, customer: null },
        { org_id: 'org_1', period: '2026-10', used: 4, reported: 0, customer: null },
        { org_id: 'org_2', period, used: 5, reported: 0, customer: 'cus_2' },
      ])
      expect(await billing.unreportedUsage(sql, true)).toMatchObject([{ org_id: 'org_2' }])
    })

    test('is taken by exactly one of 64 at once, up to the count that it read', async () => {
      const sql = await opened()
      await use(sql, month, 9)
      const range = { orgId: 'org_1', period, from: 0, to: 7 }
      expect(await winnersOf(sql, (tx) => billing.claimUnreported(tx, range))).toHaveLength(1)
      expect(await billing.unreportedUsage(sql, false)).toMatchObject([{ used: 9, reported: 7 }])
      expect(await sql.tx((tx) => billing.claimUnreported(tx, { ...range, from: 6, to: 9 }))).toBe(false)
    })

    test('waits for the last report of its organization and month, unless that is unclear', async () => {
      const sql = await withReports('a')
      await use(sql, month, 1)
      expect(await billing.unreportedUsage(sql, false)).toEqual([])
      await use(sql, { ...month, period: '2026-10' }, 1)
      await use(sql, { ...month, orgId: 'org_2' }, 1)
      expect(await billing.unreportedUsage(sql, false)).toHaveLength(2)
      await fail(sql, 'refused')
      expect(await billing.unreportedUsage(sql, false)).toHaveLength(2)
      await sql.tx((tx) => billing.settleReport(tx, 'a', nowMs))
      expect(await billing.unreportedUsage(sql, false)).toHaveLength(3)
    })
  })

  describe(`${name}: a report that is due`, () => {
    test('is leased with all its fields', async () => {
      const sql = await withReports('a')
      expect((await lease(sql)).map((row) => ({ ...row }))).toEqual([
        {
          id: 'a',
          org_id: 'org_1',
          organization: 'acme',
          period,
          units: 1,
          at_ms: nowMs - 1,
          customer: null,
          attempts: 0,
          next_attempt_at_ms: nowMs + minute,
          first_sent_at_ms: null,
        },
      ])
      expect(await lease(sql, nowMs + minute - 1)).toEqual([])
      expect(await lease(sql, nowMs + minute)).toHaveLength(1)
    })

    test('is leased by exactly one of 64 at once, in batches, the longest due first', async () => {
      const ids = ['a', 'b', 'c', 'd']
      const sql = await withReports(...ids)
      const rows = await Promise.all(Array.from({ length: 64 }, () => lease(sql, nowMs + 9, 4)))
      const leased = rows.flat().map(({ id }) => id)
      expect(leased.toSorted()).toEqual(ids)
      const later = nowMs + 2 * minute
      const [first, second] = [await lease(sql, later, 3), await lease(sql, later, 3)]
      expect([first.length, second.length]).toEqual([3, 1])
    })

    test('is not leased by a node that read it before another node took it', async () => {
      const sql = await withReports('a')
      const [due] = await dueIn(queries, sql, reportTable, nowMs)
      const take = (tx: Tx) => leases.leaseRow(tx, reportTable, due as DueRow, nowMs + minute)
      const { leased } = await sql.tx(async (tx) => {
        const first = await take(tx)
        const second = sql.tx(take)
        // Time for it to wait for this row.
        for (let times = 0; times < 200; times++) await tx.all('select 1')
        return { leased: [Promise.resolve(first), second] }
      })
      expect((await Promise.all(leased)).map((row) => row !== undefined)).toEqual([true, false])
    })

    test('does not hold up others once it is set aside', async () => {
      const sql = await withReports('a', 'b')
      const [first] = await lease(sql, nowMs, 1)
      await sql.tx((tx) => leases.settleRow(tx, reportTable, first as ReportRow, { state: 'unclear' }))
      expect(await lease(sql, nowMs + minute)).toMatchObject([{ id: 'b' }])
      await sql.tx((tx) => billing.recordDelivery(tx, 'b', nowMs))
      await use(sql, month, 1)
      expect(await billing.unreportedUsage(sql, false)).toHaveLength(1)
    })
  })

  describe(`${name}: the outcome of a report`, () => {
    test('ends the report if it was delivered, whichever node records it', async () => {
      const sql = await withReports('a')
      await lease(sql)
      await lease(sql, nowMs + minute)
      await sql.tx((tx) => billing.recordDelivery(tx, 'a', nowMs + 5))
      await sql.tx((tx) => billing.recordDelivery(tx, 'a', nowMs + 6))
      expect(await stateOf(sql, 'a')).toMatchObject({ state: 'delivered', done_at_ms: nowMs + 5, failure: null })
      expect(await lease(sql, nowMs + 9 * minute)).toEqual([])
    })

    test('is ignored if it failed and another node has taken or ended the report', async () => {
      const sql = await withReports('a')
      const [stale] = await lease(sql)
      const [current] = await lease(sql, nowMs + minute)
      const failed = (row: typeof stale, state: 'pending' | 'refused') =>
        sql.tx((tx) =>
          leases.settleRow(tx, reportTable, row as ReportRow, {
            state,
            next_attempt_at_ms: nowMs + 5 * minute,
            failure: 'ECONNREFUSED',
          }),
        )
      await failed(stale, 'refused')
      expect(await stateOf(sql, 'a')).toMatchObject({ state: 'pending', failure: null })
      await failed(current, 'pending')
      expect(await stateOf(sql, 'a')).toEqual({
        state: 'pending',
        attempts: 0,
        next_attempt_at_ms: nowMs + 5 * minute,
        first_sent_at_ms: null,
        failure: 'ECONNREFUSED',
        done_at_ms: null,
        customer: null,
      })
      const [last] = await lease(sql, nowMs + 5 * minute)
      await sql.tx((tx) => billing.recordDelivery(tx, 'a', nowMs))
      await failed(last, 'pending')
      expect(await stateOf(sql, 'a')).toMatchObject({ state: 'delivered' })
    })
  })

  describe(`${name}: a report that is set aside`, () => {
    test('is sent again as a new one, to the current customer', async () => {
      const sql = await withReports('a')
      expect(await sql.tx((tx) => billing.retryReport(tx, 'a', nowMs))).toBeUndefined()
      await fail(sql, 'refused', nowMs)
      for (const customer of ['cus_1', 'cus_2']) {
        await sql.tx((tx) => billing.setBillingCustomer(tx, 'org_1', customer, nowMs))
      }
      expect(await winnersOf(sql, (tx) => billing.retryReport(tx, 'a', nowMs + 1))).toHaveLength(1)
      expect(await lease(sql, nowMs + 1)).toMatchObject([
        { id: 'a', customer: 'cus_2', attempts: 0, first_sent_at_ms: null },
      ])
      expect(await sql.tx((tx) => billing.retryReport(tx, 'nothing', nowMs))).toBeUndefined()
    })

    test('is sent again with all others that were refused, and the earlier attempt stays recorded', async () => {
      const sql = await withReports('a', 'b')
      await fail(sql, 'refused', nowMs - 7)
      expect(await sql.tx((tx) => billing.retryRefusedReports(tx, nowMs))).toMatchObject([{ id: 'a' }])
      expect(await lease(sql)).toMatchObject([{ id: 'a', attempts: 0, first_sent_at_ms: nowMs - 7 }])
      expect(await sql.tx((tx) => billing.retryRefusedReports(tx, nowMs))).toEqual([])
    })

    test('is settled once', async () => {
      const sql = await withReports('a')
      expect(await sql.tx((tx) => billing.settleReport(tx, 'a', nowMs))).toBeUndefined()
      await fail(sql, 'refused')
      expect(await winnersOf(sql, (tx) => billing.settleReport(tx, 'a', nowMs))).toHaveLength(1)
      expect(await stateOf(sql, 'a')).toMatchObject({ state: 'settled', done_at_ms: nowMs, failure: 'status 500' })
      expect(await sql.tx((tx) => billing.retryReport(tx, 'a', nowMs))).toBeUndefined()
    })
  })

  describe(`${name}: billing status`, () => {
    test('is reported by organization, by state, and by report set aside', async () => {
      const sql = await withReports('a', 'b')
      await use(sql, month, 10)
      await use(sql, { ...month, orgId: 'org_2' }, 4)
      await use(sql, { ...month, period: '2026-10' }, 99)
      await sql.tx((tx) => billing.setBillingCustomer(tx, 'org_2', 'cus_2', nowMs))
      await lease(sql, nowMs, 1)
      await sql.tx((tx) => billing.recordDelivery(tx, 'a', nowMs))
      const rows = (await billing.billingOfMonth(sql, period)).toSorted((a, b) => b.used - a.used)
      expect(rows.map((row) => ({ ...row }))).toEqual([
        { organization: 'acme', customer: null, used: 12, unreported: 10, pending: 1, set_aside: 0, delivered: 1 },
        { organization: 'other', customer: 'cus_2', used: 4, unreported: 4, pending: 0, set_aside: 0, delivered: 0 },
      ])
      expect(await billing.setAsideReports(sql)).toEqual([])
      for (const row of await lease(sql, nowMs + 1)) {
        const now = { state: 'refused', first_sent_at_ms: null, failure: 'no customer' }
        await sql.tx((tx) => leases.settleRow(tx, reportTable, row, now))
      }
      expect(await billing.billingOfMonth(sql, period)).toContainEqual(
        expect.objectContaining({ organization: 'acme', pending: 0, set_aside: 1 }),
      )
      expect((await billing.setAsideReports(sql)).map((row) => ({ ...row }))).toEqual([
        {
          id: 'b',
          organization: 'acme',
          customer: null,
          units: 1,
          state: 'refused',
          failure: 'no customer',
          first_sent_at_ms: null,
        },
      ])
    })

    test('is deleted long after it was settled', async () => {
      const sql = await withReports('a', 'b', 'c')
      await sql.tx(async (tx) => {
        await billing.recordDelivery(tx, 'a', nowMs - 1)
        await billing.recordDelivery(tx, 'b', nowMs)
        await billing.deleteReportsBefore(tx, nowMs)
      })
      const left = await sql.all<{ id: string }>('select id from usage_reports')
      expect(left.map(({ id }) => id).toSorted()).toEqual(['b', 'c'])
    })
  })
}
