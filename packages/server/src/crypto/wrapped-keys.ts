/** Data keys between memory and the store, where they are wrapped by the KMS. */
import { createSecretKey, randomBytes } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { operatorOf } from '../base/actor.ts'
import { KmsUnavailable } from '../base/api-error.ts'
import { noProgress, type Progress } from '../base/progress.ts'
import { appendAudit } from '../storage/audit.ts'
import { dataKeysByKms, dataKeysOfOthers, rewrapDataKey, type DataKeyRow, type OwnedKeyRow } from '../storage/keys.ts'
import type { Sql } from '../storage/sql.ts'
import { CannotUnwrap, type Kms } from './kms/kms.ts'
import type { DataKey } from './seal.ts'

const keyBytes = 32
const idBytes = 16
const rewrappedAtOnce = 100

/** Who has the key of the installation, as projects have theirs by their ids. */
export const installation = 'installation'

/** A new data key that is not stored yet. */
export interface MintedKey {
  readonly row: DataKeyRow
  readonly key: DataKey
}

export async function mint(kms: Kms, owner: string): Promise<MintedKey> {
  const bytes = randomBytes(keyBytes)
  const id = randomBytes(idBytes).toString('hex')
  const wrapped = await wrap(kms, bytes, contextOf(owner, id))
  return { row: { id, kms: kms.name, wrapped }, key: { id, key: createSecretKey(bytes) } }
}

/** Wrapped, and seen to unwrap: what a key has sealed that is lost, is lost too. */
async function wrap(kms: Kms, key: Buffer, context: string): Promise<Uint8Array> {
  const wrapped = await kms.wrap(key, context)
  const unwrapped = await kms.unwrap(wrapped, context).catch(orUndefined)
  if (unwrapped?.equals(key)) return wrapped
  throw new KmsUnavailable(
    `The KMS ${kms.name} does not give back what it wrapped: nothing was stored.`,
    'not given back',
  )
}

/** Of a key that does not unwrap; other trouble is thrown on. */
export function orUndefined(error: unknown): undefined {
  if (!(error instanceof CannotUnwrap)) throw error
}

export async function unwrap(kms: Kms, owner: string, row: DataKeyRow): Promise<DataKey> {
  return { id: row.id, key: createSecretKey(await kms.unwrap(row.wrapped, contextOf(owner, row.id))) }
}

/** Bound to each wrapped key, so that no project opens with the key of another. */
function contextOf(owner: string, keyId: string): string {
  return `rollkey data key ${owner} ${keyId}`
}

/** How many data keys `kms` has not wrapped. */
async function countOfOthers(sql: Sql, kms: Kms): Promise<number> {
  const others = (await dataKeysByKms(sql)).filter((row) => row.kms !== kms.name)
  return others.reduce((sum, { keys }) => sum + keys, 0)
}

/**
 * Has `kms` wrap every data key that another one has wrapped: how many. Each is a transaction of its own; the first of each
 * organization is noted in its audit log. Throws CannotUnwrap or KmsUnavailable.
 */
export async function rewrapAll(sql: Sql, kms: Kms, nowMs: number, progress: Progress = noProgress): Promise<number> {
  const total = await countOfOthers(sql, kms)
  const noted = new Set<string>()
  for (let done = 0; ;) {
    const rows = await dataKeysOfOthers(sql, kms.name, rewrappedAtOnce)
    if (rows.length === 0) return done
    for (const row of rows) {
      if (await rewrap(sql, kms, row, noted, nowMs)) progress(++done, total)
    }
    // The embedded store never waits: without this it would answer nobody else until the end.
    await turn()
  }
}

/** `noted`: the organizations whose audit logs have it already. False if somebody else was first. */
async function rewrap(
  sql: Sql,
  kms: Kms,
  { orgId, ...row }: OwnedKeyRow,
  noted: Set<string>,
  nowMs: number,
): Promise<boolean> {
  const context = contextOf(row.projectId ?? installation, row.id)
  const wrapped = await wrap(kms, await kms.unwrap(row.wrapped, context), context)
  const isDone = await sql.tx(async (tx) => {
    if (!(await rewrapDataKey(tx, row.kms, { id: row.id, kms: kms.name, wrapped }))) return false
    if (orgId !== null && !noted.has(orgId)) {
      await appendAudit(tx, operatorOf(orgId), { action: 'key.rewrap', nowMs, subject: kms.name })
    }
    return true
  })
  if (isDone && orgId !== null) noted.add(orgId)
  return isDone
}
