/** Wraps data keys with the KMS for the store, and unwraps them for use in memory. */
import { createSecretKey, randomBytes } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { operatorActorOf } from '../storage/actor.ts'
import { KmsUnavailable } from '../base/api-error.ts'
import { noProgress, type Progress } from '../base/progress.ts'
import { appendAudit } from '../storage/audit.ts'
import { dataKeysByKms, dataKeysOfOtherKms, rewrapDataKey, type DataKeyRow, type OwnedKeyRow } from '../storage/keys.ts'
import type { Sql } from '../storage/sql.ts'
import { CannotUnwrap, type Kms } from './kms/kms.ts'
import type { DataKey } from './seal.ts'

const keyBytes = 32
const idBytes = 16
const batchSize = 100

/** The owner of the installation's key. A project's key has the project's id as its owner. */
export const installation = 'installation'

/** A new data key that is not stored yet. */
export interface MintedKey {
  readonly row: DataKeyRow
  readonly key: DataKey
}

/** Creates a data key and wraps it. Throws KmsUnavailable. */
export async function mint(kms: Kms, owner: string): Promise<MintedKey> {
  const bytes = randomBytes(keyBytes)
  const id = randomBytes(idBytes).toString('hex')
  const wrapped = await wrap(kms, bytes, contextOf(owner, id))
  return { row: { id, kms: kms.name, wrapped }, key: { id, key: createSecretKey(bytes) } }
}

/** Wraps a key and checks that the result unwraps: if the key were lost, everything that it sealed would be lost too. */
async function wrap(kms: Kms, key: Buffer, context: string): Promise<Uint8Array> {
  const wrapped = await kms.wrap(key, context)
  const unwrapped = await kms.unwrap(wrapped, context).catch(undefinedIfCannotUnwrap)
  if (unwrapped?.equals(key)) return wrapped
  throw new KmsUnavailable(
    `The KMS ${kms.name} did not return the key that it had wrapped, so nothing was stored: check the KMS.`,
    'key not returned',
  )
}

/** Returns undefined for a key that does not unwrap. Rethrows other errors. */
export function undefinedIfCannotUnwrap(error: unknown): undefined {
  if (!(error instanceof CannotUnwrap)) throw error
}

export async function unwrap(kms: Kms, owner: string, row: DataKeyRow): Promise<DataKey> {
  return { id: row.id, key: createSecretKey(await kms.unwrap(row.wrapped, contextOf(owner, row.id))) }
}

/** Returns the context that is bound to a wrapped key, so that no project can use the key of another. */
function contextOf(owner: string, keyId: string): string {
  return `rollkey data key ${owner} ${keyId}`
}

/** Counts the data keys that `kms` has not wrapped. */
async function countKeysToRewrap(sql: Sql, kms: Kms): Promise<number> {
  const others = (await dataKeysByKms(sql)).filter((row) => row.kms !== kms.name)
  return others.reduce((sum, { keys }) => sum + keys, 0)
}

/**
 * Wraps every data key that another KMS has wrapped with `kms`, each in a separate transaction. Returns how many. The first
 * key of each organization is recorded in its audit log. Throws CannotUnwrap or KmsUnavailable.
 */
export async function rewrapAll(sql: Sql, kms: Kms, nowMs: number, progress: Progress = noProgress): Promise<number> {
  const total = await countKeysToRewrap(sql, kms)
  const auditedOrgs = new Set<string>()
  for (let done = 0; ;) {
    const rows = await dataKeysOfOtherKms(sql, kms.name, batchSize)
    if (rows.length === 0) return done
    for (const row of rows) {
      if (await rewrap(sql, kms, row, auditedOrgs, nowMs)) progress(++done, total)
    }
    // The embedded store never yields to the event loop. Without this, no other request would be answered until the end.
    await turn()
  }
}

/**
 * Wraps one key again. Returns false if another process was first. `noted` are the organizations whose audit logs already
 * have an entry.
 */
async function rewrap(
  sql: Sql,
  kms: Kms,
  { orgId, ...row }: OwnedKeyRow,
  auditedOrgs: Set<string>,
  nowMs: number,
): Promise<boolean> {
  const context = contextOf(row.projectId ?? installation, row.id)
  const wrapped = await wrap(kms, await kms.unwrap(row.wrapped, context), context)
  const isDone = await sql.tx(async (tx) => {
    if (!(await rewrapDataKey(tx, row.kms, { id: row.id, kms: kms.name, wrapped }))) return false
    if (orgId !== null && !auditedOrgs.has(orgId)) {
      await appendAudit(tx, operatorActorOf(orgId), { action: 'key.rewrap', nowMs, facts: { keyProvider: kms.name } })
    }
    return true
  })
  if (isDone && orgId !== null) auditedOrgs.add(orgId)
  return isDone
}
