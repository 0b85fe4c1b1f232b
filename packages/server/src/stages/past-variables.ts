/** The variables of a stage at an earlier revision, as the kept history has them. */
import { TimeSlices } from '../concurrency/time-slices.ts'
import { historyFloor, namesInHistory, variablesAt, type PastVariableRow } from '../storage/history.ts'
import { readInPages } from '../storage/picked.ts'
import type { Reader } from '../storage/sql.ts'
import type { Stage } from './stages.ts'

/**
 * Returns the variables at the revision, or those of `names`, by name. If the history of that time is not complete, returns the first
 * revision from which it is.
 */
export async function variablesAtRevision(
  sql: Reader,
  { stageId }: Pick<Stage, 'stageId'>,
  revision: number,
  names?: readonly string[],
): Promise<Map<string, PastVariableRow> | number> {
  const all = names ?? (await allNames(sql, stageId))
  const rows = await readInPages(all, (page) => variablesAt(sql, stageId, revision, page))
  // Read last, so that no row was swept before it could be read.
  const floor = await historyFloor(sql, stageId)
  return revision < floor ? floor : new Map(rows.map((row) => [row.name, row]))
}

async function allNames(sql: Reader, stageId: string): Promise<string[]> {
  const names: string[] = []
  const slices = new TimeSlices()
  for (let after: string | undefined = ''; after !== undefined;) {
    if (slices.isOver) await slices.next()
    const page = await namesInHistory(sql, stageId, after)
    names.push(...page)
    after = page.at(-1)
  }
  return names
}
