import { first, type Reader, type Tx } from './sql.ts'

/** A data key as it is stored: wrapped by the KMS that `kms` names. */
export interface DataKeyRow {
  /** 32 hex digits; the 16 bytes stand in every blob that the key sealed. */
  readonly id: string
  readonly kms: string
  readonly wrapped: Uint8Array
}

/** All data keys of the project, the oldest first. */
export function dataKeysOfProject(sql: Reader, projectId: string): Promise<DataKeyRow[]> {
  return sql.all('select id, kms, wrapped from data_keys where project_id = $1 order by created_at_ms, id', projectId)
}

export function installationKey(sql: Reader): Promise<DataKeyRow | undefined> {
  return first(sql.all('select id, kms, wrapped from data_keys where project_id is null'))
}

/** `projectId` null: the key of the installation, of which there is one; false if it is there already. */
export async function insertDataKey(
  tx: Tx,
  projectId: string | null,
  row: DataKeyRow,
  nowMs: number,
): Promise<boolean> {
  const rows = await tx.all(
    `insert into data_keys (id, project_id, kms, wrapped, created_at_ms) values ($1, $2, $3, $4, $5)
     on conflict do nothing returning id`,
    row.id,
    projectId,
    row.kms,
    row.wrapped,
    nowMs,
  )
  return rows.length === 1
}

interface OwnedKeyRow extends DataKeyRow {
  /** Null: the key of the installation. */
  readonly projectId: string | null
}

/** Some of the data keys that another KMS than `kms` has wrapped, at most `most`. */
export function dataKeysOfOthers(sql: Reader, kms: string, most: number): Promise<OwnedKeyRow[]> {
  return sql.all(
    'select id, project_id as "projectId", kms, wrapped from data_keys where kms <> $1 order by id limit $2',
    kms,
    most,
  )
}

/** Puts a newly wrapped key in the place of the one that `before` wrapped; false if another was there by now. */
export async function rewrapDataKey(tx: Tx, before: string, { id, kms, wrapped }: DataKeyRow): Promise<boolean> {
  const rows = await tx.all(
    'update data_keys set kms = $3, wrapped = $4 where id = $1 and kms = $2 returning id',
    id,
    before,
    kms,
    wrapped,
  )
  return rows.length === 1
}

/** How many data keys each KMS has wrapped. */
export function dataKeysByKms(sql: Reader): Promise<{ readonly kms: string; readonly keys: number }[]> {
  return sql.all('select kms, count(*) as keys from data_keys group by kms order by kms')
}
