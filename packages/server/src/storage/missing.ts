/** The names of several stages: how many there are, and which of them a stage lacks. */
import { pickedRows } from './picked.ts'
import type { Reader } from './sql.ts'

export interface MissingRow {
  readonly name: string
  /** Number of all names, the same in each row. */
  readonly total: number
}

/**
 * Returns the first `max` names, in the order of the database, that any of the other stages has and the stage lacks. A stage
 * without any variable is still to be filled, and lacks none.
 */
export function missingNames(
  sql: Reader,
  stageId: string,
  otherIds: readonly string[],
  max: number,
): Promise<MissingRow[]> {
  const { text, params } = pickedRows(
    { stage_id: 'text' },
    otherIds.map((id) => [id]),
  )
  const at = params.length
  return sql.all(
    `${text} select name, count(*) over () as total from (
       select distinct v.name from picked cross join variables v
       where v.stage_id = picked.stage_id
         and not exists (select 1 from variables own where own.stage_id = $${at + 1} and own.name = v.name)
         and exists (select 1 from variables own where own.stage_id = $${at + 1})) as missing
     order by name limit $${at + 2}`,
    ...params,
    stageId,
    max,
  )
}

/** Returns how many different names the variables of the stages have. */
export async function countNames(sql: Reader, stageIds: readonly string[]): Promise<number> {
  const { text, params } = pickedRows(
    { stage_id: 'text' },
    stageIds.map((id) => [id]),
  )
  const [row] = await sql.all<{ names: number }>(
    `${text} select count(distinct v.name) as names from picked cross join variables v where v.stage_id = picked.stage_id`,
    ...params,
  )
  return row?.names ?? 0
}
