/** Which variables have the same value after a write as before it: their last rotation is an earlier one (docs/rotation.md). */
import { TimeSlices } from '../concurrency/time-slices.ts'
import type { Sealer } from '../crypto/seal.ts'
import { unpackVariable } from '../stages/payloads.ts'
import type { StoredVariable } from '../stages/stored-variable.ts'
import type { VariableState } from '../storage/variables.ts'
import type { Put } from './changes/change.ts'
import { undefinedIfCannotOpen } from './opening.ts'
import { openValues } from './values.ts'

/** Returns the names of those states of a write whose values are what the stage has. A value that does not open is another one. */
export async function keptValues(
  sealer: Sealer,
  before: ReadonlyMap<string, StoredVariable>,
  states: readonly VariableState[],
  puts: readonly Put[],
): Promise<ReadonlySet<string>> {
  const kept = new Set(puts.filter(({ keepsValues }) => keepsValues).map(({ name }) => name))
  const slices = new TimeSlices()
  for (const state of states) {
    const stored = before.get(state.name)
    if (!stored || kept.has(state.name)) continue
    if (undefinedIfCannotOpen(() => hasSameValues(sealer, stored, state))) kept.add(state.name)
    if (slices.isOver) await slices.next()
  }
  return kept
}

/** Throws CannotOpen. */
function hasSameValues(sealer: Sealer, stored: StoredVariable, { name, kind, sealed }: VariableState): boolean {
  const { payloads } = unpackVariable(kind, sealed)
  const isAsLong = stored.payloads.every((payload, index) => payload.length === payloads[index]?.length)
  if (kind !== stored.kind || !isAsLong) return false
  const values = openValues(sealer, { name, kind, payloads })
  return openValues(sealer, stored).every((value, index) => values[index]?.equals(value))
}
