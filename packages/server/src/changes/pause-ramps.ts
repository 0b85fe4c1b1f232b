/** Ramps stop where someone changes the chance of their roll by hand, or another ramp sets it. */
import { moveChange, noteMove } from '../storage/changes.ts'
import { runningRamps } from '../storage/due-changes.ts'
import type { AuditEvent } from '../storage/audit.ts'
import type { OnRolls } from '../variables/commit-write.ts'

/** Pauses the ramps of rolls whose chance another write decides. The stage is locked, as everything that moves a change locks it first. */
export const pauseRamps: OnRolls = async (
  tx,
  { projectSlug, stageSlug },
  { stageId, revision, nowMs },
  { names, step },
) => {
  const events: AuditEvent[] = []
  const problem =
    step === undefined
      ? `Revision ${revision} changed the chance by hand: resume the ramp, or abort it.`
      : `The ramp ${step} sets the chance of the same roll: abort one of the two.`
  for (const { id, name } of await runningRamps(tx, stageId)) {
    if (id === step || !names.includes(name)) continue
    if (!(await moveChange(tx, 'pause', { id, problem, nowMs }))) continue
    if (events.length === 0) await noteMove(tx, stageId)
    events.push({ action: 'change.pause', projectSlug, stageSlug, names: [name], revision, facts: { changeId: id } })
  }
  return events
}
