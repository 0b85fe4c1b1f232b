/** Queries of sealed values by the data key that sealed them. */
import type { Kind } from '@rollkey/contract'
import type { Reader, Tx } from './sql.ts'

/** The key id in `sealed`: it follows the length, version and algorithm of the first value. An index covers it. */
const keyIdColumn = 'substr(sealed, 7, 16)'

const bytesOf = (keyId: string): Buffer => Buffer.from(keyId, 'hex')

/** The identity of a present or past state of a variable. */
export interface StateId {
  readonly name: string
  /** Revision in the history; 0 for the current state, and for a proposed one. */
  readonly revision: number
  /** The change that proposes the state; undefined for others. */
  readonly changeId?: string | undefined
}

/** A state of a variable with its packed payloads. */
export interface SealedRow extends StateId {
  readonly kind: Kind
  readonly sealed: Uint8Array
}

/** Returns the condition that the key of a parameter has sealed a state of a variable, present, past or proposed. */
const hasSealed = (parameter: string): string =>
  ['variables', 'variable_history', 'change_values']
    .map((table) => `exists (select 1 from ${table} where ${keyIdColumn} = ${parameter})`)
    .join(' or ')

/** Returns whether a state of a variable, present, past or proposed, is sealed by the key. */
export async function isKeyInUse(sql: Reader, keyId: string): Promise<boolean> {
  const rows = await sql.all(`select 1 where ${hasSealed('$1')}`, bytesOf(keyId))
  return rows.length === 1
}

/** A page of the states of a stage: the next ones after a row. It has the sealed values of those that a key has sealed. */
export interface StatePage {
  readonly stageId: string
  readonly keyId: string
  readonly after: StateId
  readonly limit: number
}

/** A state of a variable. `sealed` is null if another key has sealed it, and for a deletion. */
export interface PagedRow extends Omit<SealedRow, 'kind' | 'sealed'> {
  readonly kind: Kind | null
  readonly sealed: Uint8Array | null
}

const sealedByKey = `case when ${keyIdColumn} = $2 then sealed end as sealed`

/** Returns the current states of a page. */
export function variablesUnderKey(sql: Reader, { stageId, keyId, after, limit }: StatePage): Promise<PagedRow[]> {
  return sql.all(
    `select name, cast(0 as bigint) as revision, kind, ${sealedByKey} from variables
     where stage_id = $1 and name > $3 order by name limit $4`,
    stageId,
    bytesOf(keyId),
    after.name,
    limit,
  )
}

/** Returns the past states of a page. */
export function historyUnderKey(sql: Reader, { stageId, keyId, after, limit }: StatePage): Promise<PagedRow[]> {
  return sql.all(
    `select name, revision, kind, ${sealedByKey} from variable_history
     where stage_id = $1 and (name, revision) > ($3, $4) order by name, revision limit $5`,
    stageId,
    bytesOf(keyId),
    after.name,
    after.revision,
    limit,
  )
}

/** Returns the states of a page that changes propose. */
export function changeValuesUnderKey(sql: Reader, { stageId, keyId, after, limit }: StatePage): Promise<PagedRow[]> {
  return sql.all(
    `select name, cast(0 as bigint) as revision, change_id as "changeId", kind, ${sealedByKey} from change_values
     where stage_id = $1 and (name, change_id) > ($3, $4) order by name, change_id limit $5`,
    stageId,
    bytesOf(keyId),
    after.name,
    after.changeId ?? '',
    limit,
  )
}

/** Replaces values that the key sealed by the same values, sealed again. Does nothing if they changed in between. */
export async function resealVariable(
  tx: Tx,
  stageId: string,
  keyId: string,
  { name, sealed }: SealedRow,
): Promise<void> {
  await tx.all(
    `update variables set sealed = $4 where stage_id = $1 and name = $2 and ${keyIdColumn} = $3`,
    stageId,
    name,
    bytesOf(keyId),
    sealed,
  )
}

export async function resealHistory(
  tx: Tx,
  stageId: string,
  keyId: string,
  { name, revision, sealed }: SealedRow,
): Promise<void> {
  await tx.all(
    `update variable_history set sealed = $5 where stage_id = $1 and name = $2 and revision = $3 and ${keyIdColumn} = $4`,
    stageId,
    name,
    revision,
    bytesOf(keyId),
    sealed,
  )
}

export async function resealChangeValue(
  tx: Tx,
  stageId: string,
  keyId: string,
  { name, changeId = '', sealed }: SealedRow,
): Promise<void> {
  await tx.all(
    `update change_values set sealed = $5 where stage_id = $1 and name = $2 and change_id = $3 and ${keyIdColumn} = $4`,
    stageId,
    name,
    changeId,
    bytesOf(keyId),
    sealed,
  )
}

/** Deletes a retired key if no stored value was sealed with it. Returns whether it was deleted. */
export async function deleteUnusedKey(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.all(
    `delete from data_keys where id = $1 and retired_at_ms is not null and not (${hasSealed('$2')}) returning id`,
    id,
    bytesOf(id),
  )
  return rows.length === 1
}
