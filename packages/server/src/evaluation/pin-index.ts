/**
 * The pinned sides of seeds, for evaluations. Opening and parsing up to 2,000 seeds for each evaluation would take longer than the
 * evaluation, and keeping them open would keep personal data in memory. So the index has a hash of each seed, salted with a secret
 * of this process. It is built once for each state of a variable.
 */
import { hash, randomBytes } from 'node:crypto'
import { sides, type Side } from '@rollkey/contract'
import { TimeSlices } from '../concurrency/time-slices.ts'
import type { Log } from '../base/log.ts'
import { openOrFail } from '../variables/opening.ts'
import { pinsOf } from '../variables/pins.ts'
import type { Stage } from '../stages/stages.ts'
import type { StoredVariable } from '../stages/stored-variable.ts'

type Index = ReadonlyMap<string, Side>

const salt = randomBytes(32).toString('base64url')
const indexes = new WeakMap<StoredVariable, Index>()

function hashOf(seed: string): string {
  return hash('sha256', salt + seed, 'binary')
}

/** Returns whether evaluations of the variable need an index that is not built yet. */
export function needsPinIndex(variable: StoredVariable): boolean {
  return variable.pinBytes > 0 && !indexes.has(variable)
}

/** Builds the index of a variable. Throws CannotOpen. */
export function buildPinIndex({ sealer }: Stage, variable: StoredVariable): void {
  const pins = pinsOf(sealer, variable)
  indexes.set(variable, new Map(sides.flatMap((side) => pins[side].map((seed) => [hashOf(seed), side] as const))))
}

/** Builds the indexes that are missing, and yields to other requests in between. Throws EVALUATION_FAILED. */
export async function buildPinIndexes(stage: Stage, variables: Iterable<StoredVariable>, log: Log): Promise<void> {
  const slices = new TimeSlices()
  for (const variable of variables) {
    if (!needsPinIndex(variable)) continue
    openOrFail(stage, log, () => buildPinIndex(stage, variable))
    if (slices.isOver) await slices.next()
  }
}

/** Returns the side to which a seed is pinned. The index of the variable must be built. */
export function pinnedSideOf(variable: StoredVariable, seed: string | undefined): Side | undefined {
  if (variable.pinBytes === 0 || !seed) return undefined
  const index = indexes.get(variable) as Index
  return index.size === 0 ? undefined : index.get(hashOf(seed))
}
