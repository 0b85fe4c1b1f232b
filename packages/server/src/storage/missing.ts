/** The variables of several stages: how many there are, how many names they have, and which of them a stage lacks. */
import { pickedRows } from './picked.ts'
import type { Reader } from './sql.ts'

/** Names after one and up to another, in the order of the database. */
export interface NameRange {
  readonly after: string
  /** Null: to the end. */
  readonly upTo: string | null
}

/** Maximum variables of a range of names, if there are fewer stages than that. */
const rangeRows = 1_000

/** Yields ranges of all names, in which the stages have few variables together, so that a statement about one is short. */
export async function* nameRanges(sql: Reader, stageIds: readonly string[]): AsyncGenerator<NameRange> {
  const { text, params } = picked(stageIds)
  const perStage = Math.max(1, Math.floor(rangeRows / stageIds.length))
  const at = params.length
  for (let after: string | null = ''; after !== null;) {
    const [row]: { up_to: string | null }[] = await sql.all(
      `${text} select min(last) as up_to from (
         select (select v.name from variables v where v.stage_id = picked.stage_id and v.name > $${at + 1}
           order by v.name limit 1 offset $${at + 2}) as last
         from picked) as ends`,
      ...params,
      after,
      perStage - 1,
    )
    const upTo: string | null = row?.up_to ?? null
    yield { after, upTo }
    after = upTo
  }
}

function picked(stageIds: readonly string[]): ReturnType<typeof pickedRows> {
  return pickedRows(
    { stage_id: 'text' },
    stageIds.map((id) => [id]),
  )
}

/** Returns the condition that a name is in the range, whose parameters are from `$at` on. */
function isIn({ after, upTo }: NameRange, at: number): { readonly text: string; readonly params: string[] } {
  return upTo === null
    ? { text: `v.name > $${at}`, params: [after] }
    : { text: `v.name > $${at} and v.name <= $${at + 1}`, params: [after, upTo] }
}

export interface MissingRow {
  readonly name: string
  /** Number of all names of the range, the same in each row. */
  readonly total: number
}

/**
 * Returns the first `max` names of the range, in the order of the database, that any of the other stages has and the stage lacks, without
 * those that an open change proposes for it. A stage without any variable is still to be filled, and lacks none.
 */
export function missingNames(
  sql: Reader,
  stageId: string,
  otherIds: readonly string[],
  range: NameRange,
  max: number,
): Promise<MissingRow[]> {
  const { text, params } = picked(otherIds)
  const at = params.length
  const inRange = isIn(range, at + 3)
  return sql.all(
    `${text} select name, count(*) over () as total from (
       select distinct v.name from picked cross join variables v
       where v.stage_id = picked.stage_id and ${inRange.text}
         and not exists (select 1 from variables own where own.stage_id = $${at + 1} and own.name = v.name)
         and not exists (select 1 from change_values p join changes c on c.id = p.change_id
           where c.state = 'open' and p.stage_id = $${at + 1} and p.name = v.name)
         and exists (select 1 from variables own where own.stage_id = $${at + 1})) as missing
     order by name limit $${at + 2}`,
    ...params,
    stageId,
    max,
    ...inRange.params,
  )
}

/**
 * Returns which stages of its project, at most one row for each and name, have the variables, up to `maxPicked`. The stage itself also has
 * what an open change proposes for it.
 */
export function stagesThatHave(
  sql: Reader,
  stageId: string,
  names: readonly string[],
): Promise<{ readonly stage_id: string; readonly name: string }[]> {
  const { text, params } = pickedRows(
    { name: 'text' },
    names.map((name) => [name]),
  )
  const own = `$${params.length + 1}`
  return sql.all(
    `${text} select v.stage_id, v.name from picked cross join stages s cross join variables v
     where s.project_id = (select project_id from stages where id = ${own}) and v.stage_id = s.id and v.name = picked.name
     union
     select p.stage_id, p.name from picked cross join change_values p join changes c on c.id = p.change_id
     where p.stage_id = ${own} and p.name = picked.name and c.state = 'open'`,
    ...params,
    stageId,
  )
}

/** Returns those of at most `maxPicked` stages for which an open change proposes variables. */
export async function stagesWithProposals(sql: Reader, stageIds: readonly string[]): Promise<string[]> {
  const { text, params } = picked(stageIds)
  const rows = await sql.all<{ stage_id: string }>(
    `${text} select stage_id from picked where exists (
       select 1 from changes c join change_values p on p.change_id = c.id where c.stage_id = picked.stage_id and c.state = 'open')`,
    ...params,
  )
  return rows.map((row) => row.stage_id)
}

/** Returns how many variables a stage has. */
export async function countVariables(sql: Reader, stageId: string): Promise<number> {
  const [row] = await sql.all<{ variables: number }>(
    'select count(*) as variables from variables where stage_id = $1',
    stageId,
  )
  return row?.variables ?? 0
}

/** Returns how many different names of the range the variables of the stages have. */
export async function countNames(sql: Reader, stageIds: readonly string[], range: NameRange): Promise<number> {
  const { text, params } = picked(stageIds)
  const inRange = isIn(range, params.length + 1)
  const [row] = await sql.all<{ names: number }>(
    `${text} select count(distinct v.name) as names from picked cross join variables v
     where v.stage_id = picked.stage_id and ${inRange.text}`,
    ...params,
    ...inRange.params,
  )
  return row?.names ?? 0
}
