import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Actor } from './actor.ts'
import { everyOrganization } from './organizations.ts'
import { deleteSomeBefore } from './paged-deletion.ts'
import { maxPicked, pickedRows } from './picked.ts'
import { first, type Reader, type Tx } from './sql.ts'

/** The caller of an evaluation. */
export interface UsageCaller {
  /** The user's id at the provider, or the id of a service token. */
  readonly caller: string
  readonly how: Exclude<Actor['how'], 'operator' | 'system'>
}

/** One evaluate, batch or pull, which counts as one unit. */
export interface BillingEvent extends UsageCaller {
  readonly orgId: string
  /** '' for a pull of a project or stage that does not exist. */
  readonly projectId: string
  readonly stageId: string
  /** The caller's idempotency key, scoped to the organization. */
  readonly requestKey: string | undefined
}

/** `evaluations` counts the events of a UTC month (period YYYY-MM), `storage` the current bytes (period ''). */
export type MeterName = 'evaluations' | 'storage'

/**
 * Writes a counter beside that of an organization, as its evaluations do. It counts nothing: it shows whether the store takes writes. It
 * changes each time, because SQLite writes no page that stays as it was.
 */
export async function writeProbe(tx: Tx): Promise<void> {
  await tx.all(
    `insert into meters (org_id, meter, period, used)
     select id, 'probe', '', 0 from organizations where id = (select min(id) from organizations)
     on conflict (org_id, meter, period) do update set reported = 1 - meters.reported`,
  )
}

/**
 * Adds to a counter unless that would exceed the limit. Returns whether it added. A negative amount is always added. It is
 * one conditional statement, so concurrent callers cannot exceed the limit together.
 */
export async function addToMeter(
  tx: Tx,
  counter: { orgId: string; meter: MeterName; period: string },
  amount: number,
  limit: number,
): Promise<boolean> {
  const rows = await tx.all(
    `insert into meters (org_id, meter, period, used)
     select $1, $2, $3, cast($4 as bigint)
     where (cast($4 as bigint) <= cast($5 as bigint) or cast($4 as bigint) <= 0) and ${tx.guard ?? 'true'}
     on conflict (org_id, meter, period) do update set used = meters.used + excluded.used
       where meters.used + excluded.used <= cast($5 as bigint) or excluded.used <= 0
     returning used`,
    counter.orgId,
    counter.meter,
    counter.period,
    amount,
    limit,
  )
  return rows.length === 1
}

export async function readMeter(
  sql: Reader,
  { orgId, meter, period }: { orgId: string; meter: MeterName; period: string },
): Promise<number> {
  const row = await first(
    sql.all<{ used: number }>(
      'select used from meters where org_id = $1 and meter = $2 and period = $3',
      orgId,
      meter,
      period,
    ),
  )
  return row?.used ?? 0
}

/**
 * Adds billing events to the day's usage of a caller. `caller` and `how` are '' for events that an older version counted
 * without them.
 */
export async function addCallerUsage(
  tx: Tx,
  usage: { orgId: string; projectId: string; stageId: string; day: string; caller: string; how: string },
  evaluations: number,
): Promise<void> {
  await tx.all(
    `insert into usage_callers (org_id, day, caller, how, project_id, stage_id, evaluations)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (org_id, day, caller, how, project_id, stage_id)
     do update set evaluations = usage_callers.evaluations + excluded.evaluations`,
    usage.orgId,
    usage.day,
    usage.caller,
    usage.how,
    usage.projectId,
    usage.stageId,
    evaluations,
  )
}

/** Adds decisions that programs made by themselves to the usage of a day. They are not billed. */
export async function addReported(
  tx: Tx,
  { orgId, projectId, stageId, day }: { orgId: string; projectId: string; stageId: string; day: string },
  decisions: number,
): Promise<void> {
  await tx.all(
    `insert into usage_days (org_id, project_id, stage_id, day, evaluations, reported)
     values ($1, $2, $3, $4, 0, cast($5 as bigint))
     on conflict (org_id, day, project_id, stage_id) do update set reported = usage_days.reported + excluded.reported`,
    orgId,
    projectId,
    stageId,
    day,
    decisions,
  )
}

/** A row of the usage by caller. */
export interface CallerUsagePosition {
  readonly day: string
  readonly caller: string
  readonly how: string
  readonly project_id: string
  readonly stage_id: string
}

export interface CallerUsageRow extends CallerUsagePosition {
  readonly project: string | null
  readonly stage: string | null
  readonly evaluations: number
}

/** Returns up to `max` rows of an organization's usage by UTC day, caller and stage, from a position on to the end of a day. */
export function usageByCaller(
  sql: Reader,
  orgId: string,
  { from, toDay, max }: { readonly from: CallerUsagePosition; readonly toDay: string; readonly max: number },
): Promise<CallerUsageRow[]> {
  return sql.all(
    `select u.day, u.caller, u.how, u.project_id, u.stage_id, p.slug as project, s.slug as stage, u.evaluations
     from (select * from usage_callers where org_id = $1 and (day, caller, how, project_id, stage_id) >= ($2, $3, $4, $5, $6)
           and day <= $7 order by day, caller, how, project_id, stage_id limit $8) u
       left join projects p on p.id = u.project_id left join stages s on s.id = u.stage_id
     order by u.day, u.caller, u.how, u.project_id, u.stage_id`,
    orgId,
    from.day,
    from.caller,
    from.how,
    from.project_id,
    from.stage_id,
    toDay,
    max,
  )
}

/** Returns the evaluations of the client keys of an organization, or of one of them, in a UTC month (YYYY-MM). */
export function usageOfClientKeys(
  sql: Reader,
  orgId: string,
  month: string,
  id?: string,
): Promise<{ readonly id: string; readonly evaluations: number }[]> {
  const days = Array.from({ length: 31 }, (_, index) => `${month}-${String(index + 1).padStart(2, '0')}`)
  const { text, params } = pickedRows(
    { day: 'text' },
    days.map((day) => [day]),
  )
  const at = params.length
  // The usage has very many other callers, so it is looked up by key and day.
  return sql.all(
    `${text} select u.caller as id, cast(sum(u.evaluations) as bigint) as evaluations
     from sessions s cross join client_keys k cross join picked cross join usage_callers u
     where (cast($${at + 2} as text) is null or k.session_id = $${at + 2}) and s.org_id = $${at + 1} and s.user_id = s.id and k.session_id = s.id
       and u.org_id = $${at + 1} and u.day = picked.day and u.caller = k.session_id
     group by u.caller`,
    ...params,
    orgId,
    id ?? null,
  )
}

/** Deletes the usage by caller from before a UTC day. */
export function deleteCallerUsageBefore(tx: Tx, day: string): Promise<boolean> {
  const caller = { org_id: 'text', day: 'text', caller: 'text', how: 'text' } as const
  const keys = { ...caller, project_id: 'text', stage_id: 'text' } as const
  return deleteSomeBefore(tx, { table: 'usage_callers', keys, time: 'day' }, day)
}

/** Deletes up to `maxPicked` rows of an organization's usage by day and stage from before a UTC day. Returns whether there may be more. */
export async function deleteUsageDaysBefore(tx: Tx, orgId: string, day: string): Promise<boolean> {
  const rows = await tx.all(
    `delete from usage_days where org_id = $1 and (day, project_id, stage_id) in (
       select day, project_id, stage_id from usage_days where org_id = $1 and day < $2
       order by day, project_id, stage_id limit ${maxPicked})
     returning day`,
    orgId,
    day,
  )
  return rows.length === maxPicked
}

/** Adds billing events to the day's usage of a stage. */
export async function addUsage(
  tx: Tx,
  usage: { orgId: string; projectId: string; stageId: string; day: string },
  evaluations: number,
): Promise<void> {
  await tx.all(
    `insert into usage_days (org_id, project_id, stage_id, day, evaluations) values ($1, $2, $3, $4, $5)
     on conflict (org_id, day, project_id, stage_id)
     do update set evaluations = usage_days.evaluations + excluded.evaluations`,
    usage.orgId,
    usage.projectId,
    usage.stageId,
    usage.day,
    evaluations,
  )
}

export interface UsageRow {
  readonly organization: string
  readonly project: string | null
  readonly stage: string | null
  readonly day: string
  readonly evaluations: number
}

/** Returns the evaluations of an organization by UTC month (YYYY-MM), from `firstMonth` on. */
export function usageByMonth(
  sql: Reader,
  orgId: string,
  firstMonth: string,
): Promise<{ readonly month: string; readonly evaluations: number }[]> {
  return sql.all(
    `select period as month, used as evaluations from meters
     where org_id = $1 and meter = 'evaluations' and period >= $2`,
    orgId,
    firstMonth,
  )
}

interface DayUsage extends Omit<UsageRow, 'organization'> {
  /** Decisions that programs made by themselves. */
  readonly reported: number
  readonly project_id: string
  readonly stage_id: string
}

/** A row of the usage by day. */
export type UsagePosition = Pick<DayUsage, 'day' | 'project_id' | 'stage_id'>

/**
 * Returns up to `max` rows of the evaluations of an organization by UTC day and stage, from a position on. The earliest day comes first,
 * and the stages of a day in an order of the engine.
 */
export function usageByDay(
  sql: Reader,
  orgId: string,
  { day, project_id: projectId, stage_id: stageId }: UsagePosition,
  max: number,
): Promise<DayUsage[]> {
  return sql.all(
    `select u.project_id, u.stage_id, p.slug as project, s.slug as stage, u.day, u.evaluations, u.reported
     from (select * from usage_days where org_id = $1 and (day, project_id, stage_id) >= ($2, $3, $4)
         order by day, project_id, stage_id limit $5) u
       left join projects p on p.id = u.project_id left join stages s on s.id = u.stage_id
     order by u.day, u.project_id, u.stage_id`,
    orgId,
    day,
    projectId,
    stageId,
    max,
  )
}

/** Rows of a statement, which bound how long it holds others up. */
export const usageRowsPerPage = 250

/** Returns the usage of all organizations between two UTC days, both included, in no particular order, read a page at a time. */
export async function usageBetween(sql: Reader, firstDay: string, lastDay: string): Promise<UsageRow[]> {
  const found: UsageRow[] = []
  for (const { id, slug } of await everyOrganization(sql)) {
    let from: UsagePosition | undefined = { day: firstDay, project_id: '', stage_id: '' }
    while (from && from.day <= lastDay) {
      const rows: DayUsage[] = await usageByDay(sql, id, from, usageRowsPerPage + 1)
      for (const { project, stage, day, evaluations } of rows.slice(0, usageRowsPerPage))
        if (day <= lastDay && evaluations > 0) found.push({ organization: slug, project, stage, day, evaluations })
      from = rows[usageRowsPerPage]
      await nextTurn()
    }
  }
  return found
}

export interface StageStorage {
  readonly stage_id: string
  readonly project: string
  readonly stage: string
  readonly revision: number
  /** Bytes of its sealed values; null if they were not kept at this revision. */
  readonly bytes: number | null
}

/** Returns the stored bytes of each stage of an organization. */
export function storageByStage(sql: Reader, orgId: string): Promise<StageStorage[]> {
  return sql.all(
    `select s.id as stage_id, p.slug as project, s.slug as stage, s.revision,
       case when s.bytes_revision = s.revision then s.bytes end as bytes
     from projects p join stages s on s.project_id = p.id where p.org_id = $1 and s.deleted_at_ms is null`,
    orgId,
  )
}

/** A stage whose stored bytes were summed at its revision. */
export type MeasuredStage = Pick<StageStorage, 'stage_id' | 'revision'> & { readonly bytes: number }

/** Keeps the stored bytes of at most `maxPicked` stages, of those that are still at their revisions. */
export async function keepStoredBytes(tx: Tx, measured: readonly MeasuredStage[]): Promise<void> {
  const { text, params } = pickedRows(
    { stage_id: 'text', revision: 'bigint', bytes: 'bigint' },
    measured.map(({ stage_id: id, revision, bytes }) => [id, revision, bytes]),
  )
  await tx.all(
    `${text} update stages set bytes = picked.bytes, bytes_revision = picked.revision from picked
     where stages.id = picked.stage_id and stages.revision = picked.revision`,
    ...params,
  )
}

/** Inserts a request key. Returns true the first time, and false while the key is stored. */
export async function insertRequestKey(tx: Tx, orgId: string, keyHash: string, expiresAtMs: number): Promise<boolean> {
  const rows = await tx.all(
    `insert into request_keys (org_id, key_hash, expires_at_ms) values ($1, $2, $3)
     on conflict (org_id, key_hash) do nothing returning org_id`,
    orgId,
    keyHash,
    expiresAtMs,
  )
  return rows.length === 1
}

export async function deleteRequestKey(tx: Tx, orgId: string, keyHash: string): Promise<void> {
  await tx.all('delete from request_keys where org_id = $1 and key_hash = $2', orgId, keyHash)
}

export function deleteExpiredRequestKeys(tx: Tx, nowMs: number): Promise<boolean> {
  const keys = { org_id: 'text', key_hash: 'text' } as const
  return deleteSomeBefore(tx, { table: 'request_keys', keys, time: 'expires_at_ms' }, nowMs + 1)
}

/** Returns whether the table has the key and it has not expired. */
export async function hasRequestKey(sql: Reader, orgId: string, keyHash: string, nowMs: number): Promise<boolean> {
  const rows = await sql.all(
    'select org_id from request_keys where org_id = $1 and key_hash = $2 and expires_at_ms > $3',
    orgId,
    keyHash,
    nowMs,
  )
  return rows.length === 1
}

/** Stores the key of an event that was already counted. */
export async function rememberRequestKey(tx: Tx, orgId: string, keyHash: string, expiresAtMs: number): Promise<void> {
  await tx.all(
    `insert into request_keys (org_id, key_hash, expires_at_ms) values ($1, $2, $3)
     on conflict (org_id, key_hash) do update set expires_at_ms = excluded.expires_at_ms`,
    orgId,
    keyHash,
    expiresAtMs,
  )
}

/** Returns the numbers of the journal files whose events are in the tables. */
export async function usageJournals(sql: Reader): Promise<number[]> {
  const rows = await sql.all<{ number: number }>('select number from usage_journals')
  return rows.map(({ number }) => number)
}

/** Inserts the number of a journal file. Throws if it exists: the same events must not be counted twice. */
export async function insertUsageJournal(tx: Tx, number: number): Promise<void> {
  await tx.all('insert into usage_journals (number) values ($1)', number)
}

export async function deleteUsageJournal(tx: Tx, number: number): Promise<void> {
  await tx.all('delete from usage_journals where number = $1', number)
}
