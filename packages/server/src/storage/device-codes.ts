import { deleteSomeBefore } from './paged-deletion.ts'
import { first, type Reader, type Tx } from './sql.ts'

export interface DeviceCodeRow {
  readonly id: string
  readonly status: 'pending' | 'approved' | 'exchanged' | 'denied'
  readonly expires_at_ms: number
  /** The organization for which it was approved; null before. */
  readonly org_id: string | null
}

export interface NewDeviceCode {
  readonly id: string
  readonly deviceCodeHash: string
  readonly userCodeHash: string
  readonly clientName: string | null
  readonly nowMs: number
  readonly expiresAtMs: number
}

/** Inserts a device code. Returns false if another pending device code uses the user code. */
export async function insertDeviceCode(tx: Tx, row: NewDeviceCode): Promise<boolean> {
  const rows = await tx.all(
    `insert into device_codes (id, device_code_hash, user_code_hash, status, client_name, created_at_ms, expires_at_ms)
     values ($1, $2, $3, 'pending', $4, $5, $6) on conflict do nothing returning id`,
    row.id,
    row.deviceCodeHash,
    row.userCodeHash,
    row.clientName,
    row.nowMs,
    row.expiresAtMs,
  )
  return rows.length === 1
}

export function deviceCodeByHash(sql: Reader, deviceCodeHash: string): Promise<DeviceCodeRow | undefined> {
  return first(
    sql.all('select id, status, expires_at_ms, org_id from device_codes where device_code_hash = $1', deviceCodeHash),
  )
}

/** Returns all stored device codes that ever had this user code. */
export function deviceCodesByUserCode(sql: Reader, userCodeHash: string): Promise<DeviceCodeRow[]> {
  return sql.all('select id, status, expires_at_ms, org_id from device_codes where user_code_hash = $1', userCodeHash)
}

export interface PendingCodeRow {
  readonly client_name: string | null
  readonly created_at_ms: number
  readonly expires_at_ms: number
}

export function pendingDeviceCode(
  sql: Reader,
  userCodeHash: string,
  nowMs: number,
): Promise<PendingCodeRow | undefined> {
  return first(
    sql.all(
      `select client_name, created_at_ms, expires_at_ms from device_codes
       where user_code_hash = $1 and status = 'pending' and expires_at_ms > $2`,
      userCodeHash,
      nowMs,
    ),
  )
}

/** Changes pending to approved. Returns the row to exactly one of many callers. */
export function approveDeviceCode(
  tx: Tx,
  userCodeHash: string,
  by: { userId: string; orgId: string },
  nowMs: number,
): Promise<{ readonly id: string } | undefined> {
  return first(
    tx.all(
      `update device_codes set status = 'approved', approved_at_ms = $2, approved_by = $3, org_id = $4
       where user_code_hash = $1 and status = 'pending' and expires_at_ms > $2 returning id`,
      userCodeHash,
      nowMs,
      by.userId,
      by.orgId,
    ),
  )
}

/** Changes pending to denied. Returns the row to exactly one of many callers. */
export function denyDeviceCode(
  tx: Tx,
  userCodeHash: string,
  nowMs: number,
): Promise<{ readonly id: string } | undefined> {
  return first(
    tx.all(
      `update device_codes set status = 'denied'
       where user_code_hash = $1 and status = 'pending' and expires_at_ms > $2 returning id`,
      userCodeHash,
      nowMs,
    ),
  )
}

export interface ApprovedCodeRow {
  readonly id: string
  readonly org_id: string
  readonly approved_by: string
  readonly approved_at_ms: number
  readonly client_name: string | null
}

/** Changes approved to denied for all codes that a user approved and whose client has not fetched its tokens. */
export async function denyApprovedCodes(tx: Tx, userId: string): Promise<void> {
  await tx.all("update device_codes set status = 'denied' where approved_by = $1 and status = 'approved'", userId)
}

/** Changes approved to denied for all codes of an organization. */
export async function denyCodesOfOrganization(tx: Tx, orgId: string): Promise<void> {
  await tx.all("update device_codes set status = 'denied' where org_id = $1 and status = 'approved'", orgId)
}

/** Changes approved to exchanged. Returns the row to exactly one of many callers. */
export function exchangeDeviceCode(
  tx: Tx,
  deviceCodeHash: string,
  nowMs: number,
): Promise<ApprovedCodeRow | undefined> {
  return first(
    tx.all(
      `update device_codes set status = 'exchanged'
       where device_code_hash = $1 and status = 'approved' and expires_at_ms > $2
       returning id, org_id, approved_by, approved_at_ms, client_name`,
      deviceCodeHash,
      nowMs,
    ),
  )
}

/** Records the session for which a code was exchanged. */
export async function linkSession(tx: Tx, id: string, sessionId: string): Promise<void> {
  await tx.all('update device_codes set session_id = $2 where id = $1', id, sessionId)
}

export function deleteDeviceCodesBefore(tx: Tx, beforeMs: number): Promise<boolean> {
  return deleteSomeBefore(tx, { table: 'device_codes', keys: { id: 'text' }, time: 'expires_at_ms' }, beforeMs)
}

/** Returns the times of a user's latest wrong user codes, oldest first. Locks the user's row until the transaction ends. */
export async function lockWrongUserCodes(tx: Tx, userId: string, nowMs: number): Promise<number[]> {
  const [row] = await tx.all<{ times: string }>(
    `insert into wrong_user_codes (user_id, times, updated_at_ms) values ($1, '[]', $2)
     on conflict (user_id) do update set updated_at_ms = excluded.updated_at_ms returning times`,
    userId,
    nowMs,
  )
  return JSON.parse(row?.times ?? '[]') as number[]
}

export async function saveWrongUserCodes(tx: Tx, userId: string, times: readonly number[]): Promise<void> {
  await tx.all('update wrong_user_codes set times = $2 where user_id = $1', userId, JSON.stringify(times))
}

export function deleteWrongUserCodesBefore(tx: Tx, beforeMs: number): Promise<boolean> {
  return deleteSomeBefore(tx, { table: 'wrong_user_codes', keys: { user_id: 'text' }, time: 'updated_at_ms' }, beforeMs)
}
