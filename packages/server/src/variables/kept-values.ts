/** Which variables have the same value after a write as before it: their last rotation is an earlier one (docs/rotation.md). */
import type { Attributes } from '@rollkey/contract'
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
  const kept = new Set<string>()
  const keeping = new Set(puts.filter(({ keepsValues }) => keepsValues).map(({ name }) => name))
  const slices = new TimeSlices()
  for (const state of states) {
    const { name } = state
    const stored = before.get(name)
    if (!stored) continue
    // The end of a rotation keeps a value, which is another one than the one that counted.
    const isSame = (): boolean =>
      (keeping.has(name) && !stored.attributes.rotating) || hasSameValues(sealer, stored, state)
    if (undefinedIfCannotOpen(isSame)) kept.add(name)
    if (slices.isOver) await slices.next()
  }
  return kept
}

/** Throws CannotOpen. */
function hasSameValues(sealer: Sealer, stored: StoredVariable, { attributes, ...state }: VariableState): boolean {
  const { name, kind, sealed } = state
  const { rotating } = JSON.parse(attributes) as Attributes
  const written = { name, kind, ...unpackVariable(kind, sealed) }
  const before = counted(stored.attributes.rotating, stored.payloads)
  const after = counted(rotating, written.payloads)
  if (before.length !== after.length || before.some(({ length }, index) => length !== after[index]?.length))
    return false
  const values = counted(rotating, openValues(sealer, written))
  return counted(stored.attributes.rotating, openValues(sealer, stored)).every((value, index) =>
    values[index]?.equals(value),
  )
}

/** Until a gradual rotation ends, only its old value counts, which is the last one. */
function counted(rotating: true | undefined, values: readonly Buffer[]): readonly Buffer[] {
  return rotating ? values.slice(-1) : values
}
