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
