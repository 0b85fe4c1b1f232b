/** What conflicts with proposed changes: a variable that has changed since the revision on which a change is based (docs/change.md). */
import { canMove } from '@rollkey/contract'
import { changedAfter, type ChangeRow, type LaterChange } from '../storage/changes.ts'
import type { Reader } from '../storage/sql.ts'
import { contentOf, namesOf } from './content.ts'

/** Returns the variables that a change touches and that have changed since its base. */
export type Conflicts = (row: ChangeRow) => readonly LaterChange[]

/** Returns the conflicts of up to `maxPicked` changes. A ramp that has begun has none: its own steps change its roll. */
export async function conflictsOf(sql: Reader, rows: readonly ChangeRow[]): Promise<Conflicts> {
  const later = new Map<string, Map<string, LaterChange>>()
  for (const change of await changedAfter(sql, rows.filter(canConflict))) {
    const ofStage = later.get(change.stage_id) ?? new Map<string, LaterChange>()
    later.set(change.stage_id, ofStage.set(change.name, change))
  }
  return (row) => {
    const ofStage = later.get(row.stage_id)
    if (!ofStage || !canConflict(row)) return []
    return namesOf(contentOf(row)).flatMap((name) => {
      const change = ofStage.get(name)
      return change && change.revision > row.base_revision ? [change] : []
    })
  }
}

function canConflict({ state }: ChangeRow): boolean {
  return canMove(state, 'edit')
}
