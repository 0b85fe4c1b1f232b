/** The variables of several stages: how many there are, how many names they have, and which of them a stage lacks. */
import { pickedRows } from './picked.ts'
import type { Reader } from './sql.ts'

export interface MissingRow {
  readonly name: string
  /** Number of all names, the same in each row. */
  readonly total: number
}

/**
 * Returns the first `max` names, in the order of the database, that any of the other stages has and the stage lacks, without those that
 * an open change proposes for it. A stage without any variable is still to be filled, and lacks none.
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
         and not exists (select 1 from change_values p join changes c on c.id = p.change_id
           where c.state = 'open' and p.stage_id = $${at + 1} and p.name = v.name)
         and exists (select 1 from variables own where own.stage_id = $${at + 1})) as missing
     order by name limit $${at + 2}`,
    ...params,
    stageId,
    max,
  )
}

/** Returns the ids of the stages for which an open change proposes variables. */
export async function stagesWithProposals(sql: Reader, orgId: string): Promise<ReadonlySet<string>> {
  const rows = await sql.all<{ stage_id: string }>(
    `select distinct c.stage_id from changes c join change_values p on p.change_id = c.id where c.org_id = $1 and c.state = 'open'`,
    orgId,
  )
  return new Set(rows.map((row) => row.stage_id))
}

/** Returns how many variables each of the stages has that has any. */
export async function countVariables(sql: Reader, stageIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const { text, params } = pickedRows(
    { stage_id: 'text' },
    stageIds.map((id) => [id]),
  )
  const rows = await sql.all<{ stage_id: string; variables: number }>(
    `${text} select v.stage_id, count(*) as variables from picked cross join variables v where v.stage_id = picked.stage_id
     group by v.stage_id`,
    ...params,
  )
  return new Map(rows.map((row) => [row.stage_id, row.variables]))
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
