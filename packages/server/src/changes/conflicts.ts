/** What conflicts with proposed changes: a variable that has changed since the revision on which a change is based (docs/change.md). */
import { canMove } from '@rollkey/contract'
import { lastChangesOf, type ChangeRow, type LastChange, type StageName } from '../storage/changes.ts'
import { readInPages } from '../storage/picked.ts'
import type { Reader } from '../storage/sql.ts'
import { contentOf, namesOf } from './content.ts'

/** Returns the variables that a change touches and that have changed since its base. */
export type Conflicts = (row: ChangeRow) => readonly LastChange[]

/** Returns the conflicts of changes. A ramp that has begun has none: its own steps change its roll. */
export async function conflictsOf(sql: Reader, rows: readonly ChangeRow[]): Promise<Conflicts> {
  const touched = new Map(
    rows.filter(canConflict).flatMap((row) => variablesOf(row).map((each) => [keyOf(each), each])),
  )
  const changes = await readInPages([...touched.values()], (page) => lastChangesOf(sql, page))
  const last = new Map(changes.map((change) => [keyOf(change), change]))
  return (row) => {
    if (!canConflict(row)) return []
    return variablesOf(row).flatMap((variable) => {
      const change = last.get(keyOf(variable))
      return change && change.revision > row.base_revision ? [change] : []
    })
  }
}

function variablesOf(row: ChangeRow): StageName[] {
  return namesOf(contentOf(row)).map((name) => ({ stage_id: row.stage_id, name }))
}

function keyOf({ stage_id: stageId, name }: StageName): string {
  return `${stageId} ${name}`
}

function canConflict({ state }: ChangeRow): boolean {
  return canMove(state, 'edit')
}
