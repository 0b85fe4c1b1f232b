import { setImmediate as nextTurn } from 'node:timers/promises'
import { deleteSomeOfStage } from '../storage/deletion.ts'
import type { Sql } from '../storage/sql.ts'

/** Rows of each table per transaction. */
const batchSize = 128

/** Deletes all rows of a deleted stage. It may be interrupted and started again. Other requests are served between transactions. */
export async function emptyStage(sql: Sql, stageId: string): Promise<void> {
  while (await sql.tx((tx) => deleteSomeOfStage(tx, stageId, batchSize), 'process')) await nextTurn()
}
