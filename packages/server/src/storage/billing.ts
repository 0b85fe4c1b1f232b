/** Queries of usage reports, the outbox of an external billing system (docs/decisions/0009-billing-outbox.md). */
import type { OutboxTable } from './leases.ts'
import { deleteSomeBefore } from './paged-deletion.ts'
import { first, type Reader, type Tx } from './sql.ts'

/** Starts billing. Returns true the first time, and then marks all earlier usage as reported. */
export async function beginBilling(tx: Tx, nowMs: number): Promise<boolean> {
  const rows = await tx.all(
    'insert into billing_start (id, at_ms) values (1, $1) on conflict (id) do nothing returning id',
    nowMs,
  )
  if (rows.length === 0) return false
  await tx.all("update meters set reported = used where meter = 'evaluations'")
  return true
}

export interface UnreportedRow {
  readonly org_id: string
  readonly period: string
  readonly used: number
  readonly reported: number
  readonly customer: string | null
}

/**
 * Returns the usage that no report contains. Skips an organization and month whose last report is pending or was refused:
 * the usage goes into the next report, so an outage leaves one report and not one per minute.
 */
export function unreportedUsage(sql: Reader, onlyCustomers: boolean): Promise<UnreportedRow[]> {
  return sql.all(
    `select m.org_id, m.period, m.used, m.reported, c.customer
     from meters m left join billing_customers c on c.org_id = m.org_id
     where m.meter = 'evaluations' and m.used > m.reported and (c.customer is not null or cast($1 as bigint) = 0)
       and not exists (select 1 from usage_reports r where r.org_id = m.org_id and r.period = m.period
         and r.done_at_ms is null and r.state <> 'unclear')`,
    onlyCustomers ? 1 : 0,
  )
}

/** Moves the mark of reported usage from one count to another. Returns true for exactly one of many callers. */
export async function claimUnreported(
  tx: Tx,
  range: { orgId: string; period: string; from: number; to: number },
): Promise<boolean> {
  const rows = await tx.all(
    `update meters set reported = $4
     where org_id = $1 and meter = 'evaluations' and period = $2 and reported = $3 returning org_id`,
    range.orgId,
    range.period,
    range.from,
    range.to,
  )
  return rows.length === 1
}

export async function insertReport(
  tx: Tx,
  row: {
    id: string
    orgId: string
    period: string
    units: number
    atMs: number
    customer: string | null
    nowMs: number
  },
): Promise<void> {
  await tx.all(
    `insert into usage_reports
       (id, org_id, period, units, at_ms, customer, state, attempts, next_attempt_at_ms)
     values ($1, $2, $3, $4, $5, $6, 'pending', 0, $7)`,
    row.id,
    row.orgId,
    row.period,
    row.units,
    row.atMs,
    row.customer,
    row.nowMs,
  )
}

export interface ReportRow {
  readonly id: string
  readonly org_id: string
  /** The organization's slug. */
  readonly organization: string
  readonly period: string
  readonly units: number
  readonly at_ms: number
  readonly customer: string | null
  readonly attempts: number
  readonly next_attempt_at_ms: number
  readonly first_sent_at_ms: number | null
}

/** Reports as an outbox: those that were not set aside. */
export const reportTable: OutboxTable = {
  name: 'usage_reports',
  key: 'id',
  isOpen: "done_at_ms is null and state = 'pending'",
  columns: `org_id, (select slug from organizations where id = usage_reports.org_id) as organization, period, units, at_ms,
    customer, attempts, next_attempt_at_ms, first_sent_at_ms`,
  due: `select id, org_id, next_attempt_at_ms from usage_reports
    where done_at_ms is null and state = 'pending' and next_attempt_at_ms <= $1`,
}

/** Records a delivery. A node may do so even after its lease has ended, because a delivery is final. */
export async function recordDelivery(tx: Tx, id: string, nowMs: number): Promise<void> {
  await tx.all(
    `update usage_reports set state = 'delivered', done_at_ms = $2, failure = null where id = $1 and done_at_ms is null`,
    id,
    nowMs,
  )
}

export interface PendingReportRow {
  readonly id: string
  readonly organization: string
  readonly at_ms: number
  readonly failure: string | null
}

/** Returns the reports that wait for delivery. */
export function pendingReports(sql: Reader): Promise<PendingReportRow[]> {
  return sql.all(
    `select r.id, o.slug as organization, r.at_ms, r.failure from usage_reports r join organizations o on o.id = r.org_id
     where r.done_at_ms is null and r.state = 'pending'`,
  )
}

export function deleteReportsBefore(tx: Tx, beforeMs: number): Promise<boolean> {
  return deleteSomeBefore(tx, { table: 'usage_reports', keys: { id: 'text' }, time: 'done_at_ms' }, beforeMs)
}

export async function setBillingCustomer(tx: Tx, orgId: string, customer: string, nowMs: number): Promise<void> {
  await tx.all(
    `insert into billing_customers (org_id, customer, updated_at_ms) values ($1, $2, $3)
     on conflict (org_id) do update set customer = excluded.customer, updated_at_ms = excluded.updated_at_ms`,
    orgId,
    customer,
    nowMs,
  )
}

/** Makes a report that was set aside pending again, as if it had never been sent, for the current customer. */
export function retryReport(tx: Tx, id: string, nowMs: number): Promise<{ readonly id: string } | undefined> {
  return first(
    tx.all(
      `update usage_reports
       set state = 'pending', attempts = 0, next_attempt_at_ms = $2, first_sent_at_ms = null, customer = coalesce(
         (select c.customer from billing_customers c where c.org_id = usage_reports.org_id), customer)
       where id = $1 and done_at_ms is null and state in ('refused', 'unclear') returning id`,
      id,
      nowMs,
    ),
  )
}

/** Makes all refused reports pending again. The time at which a report may first have been received stays recorded. */
export function retryRefusedReports(tx: Tx, nowMs: number): Promise<{ readonly id: string }[]> {
  return tx.all(
    `update usage_reports
     set state = 'pending', attempts = 0, next_attempt_at_ms = $1, customer = coalesce(
       (select c.customer from billing_customers c where c.org_id = usage_reports.org_id), customer)
     where done_at_ms is null and state = 'refused' returning id`,
    nowMs,
  )
}

/** Settles a report that was set aside, after a person dealt with it. It is not sent again. */
export function settleReport(tx: Tx, id: string, nowMs: number): Promise<{ readonly id: string } | undefined> {
  return first(
    tx.all(
      `update usage_reports set state = 'settled', done_at_ms = $2
       where id = $1 and done_at_ms is null and state in ('refused', 'unclear') returning id`,
      id,
      nowMs,
    ),
  )
}

export interface BillingRow {
  readonly organization: string
  readonly customer: string | null
  /** Units of the month; the other counts break them down by state. */
  readonly used: number
  readonly unreported: number
  readonly pending: number
  readonly set_aside: number
  readonly delivered: number
}

/** Returns the billing state of all organizations with usage in a month. */
export function billingOfMonth(sql: Reader, period: string): Promise<BillingRow[]> {
  return sql.all(
    `select o.slug as organization, c.customer, m.used, m.used - m.reported as unreported,
       cast(coalesce(sum(case when r.state = 'pending' then r.units end), 0) as bigint) as pending,
       cast(coalesce(sum(case when r.state in ('refused', 'unclear') then r.units end), 0) as bigint) as set_aside,
       cast(coalesce(sum(case when r.state in ('delivered', 'settled') then r.units end), 0) as bigint) as delivered
     from meters m join organizations o on o.id = m.org_id left join billing_customers c on c.org_id = m.org_id
       left join usage_reports r on r.org_id = m.org_id and r.period = m.period
     where m.meter = 'evaluations' and m.period = $1
     group by m.org_id, o.slug, c.customer, m.used, m.reported`,
    period,
  )
}

export interface SetAsideRow {
  readonly id: string
  readonly organization: string
  readonly customer: string | null
  readonly units: number
  readonly state: 'refused' | 'unclear'
  readonly failure: string | null
  /** Null if the report was certainly not received. */
  readonly first_sent_at_ms: number | null
}

export function setAsideReports(sql: Reader): Promise<SetAsideRow[]> {
  return sql.all(
    `select r.id, o.slug as organization, r.customer, r.units, r.state, r.failure, r.first_sent_at_ms
     from usage_reports r join organizations o on o.id = r.org_id
     where r.done_at_ms is null and r.state in ('refused', 'unclear')`,
  )
}
