import { deleteSomeOfStage } from '../storage/deletion.ts'
import type { Sql } from '../storage/sql.ts'

/** Rows of each table per transaction. Between transactions the embedded store serves requests. */
const batchSize = 500

/** Deletes all rows of a deleted stage. It may be interrupted and started again. */
export async function emptyStage(sql: Sql, stageId: string): Promise<void> {
  while (await sql.tx((tx) => deleteSomeOfStage(tx, stageId, batchSize), 'process'));
}
