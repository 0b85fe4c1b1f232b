/** Deletion of rows whose time is over, a page at a time: a statement takes as long with a year of them as with a minute of them. */
import { maxPicked, pickedRows } from './picked.ts'
import type { Tx, Value } from './sql.ts'

/** A table whose rows have a time: the columns that identify a row, and the column of its time. */
export interface TimedTable {
  readonly table: string
  readonly keys: Readonly<Record<string, 'text' | 'bigint'>>
  readonly time: string
}

/** Deletes up to `maxPicked` rows from before a time. Returns whether there may be more. */
export async function deleteSomeBefore(tx: Tx, { table, keys, time }: TimedTable, before: Value): Promise<boolean> {
  const names = Object.keys(keys)
  const columns = names.join(', ')
  const rows = await tx.all<Record<string, Value>>(
    `select ${columns} from ${table} where ${time} < $1 limit ${maxPicked}`,
    before,
  )
  if (rows.length === 0) return false
  const { text, params } = pickedRows(
    keys,
    rows.map((row) => names.map((name) => row[name] ?? null)),
  )
  // A row that another node has given a later time stays.
  await tx.all(
    `${text} delete from ${table} where (${columns}) in (select ${columns} from picked) and ${time} < $${params.length + 1}`,
    ...params,
    before,
  )
  return rows.length === maxPicked
}
