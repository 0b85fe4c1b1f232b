/** Single values of a stage, opened one by one or from its bundle, whichever costs less. */
import { largeBytes } from '../concurrency/time-slices.ts'
import { CannotOpen } from '../crypto/seal.ts'
import type { Stage } from '../stages/stages.ts'
import type { StoredVariable } from '../stages/stored-variable.ts'
import { openValue } from '../variables/values.ts'
import { bundleOf, hasBundle, openFrom, type Bundle } from './bundle.ts'
import { TurnCache } from './turn-memory.ts'

/** A function that returns one plaintext of a variable. It throws CannotOpen. */
export type OpenValue = (variable: StoredVariable, index: number) => string

const valuesOfThisTurn = new TurnCache<StoredVariable, string[]>()
/** How many values of a stage this turn has opened one by one. */
const singlesOfThisTurn = new TurnCache<Stage, { opened: number }>()
/** How many values of a stage were opened one by one where its bundle would have been cheaper. */
const missedByCrowds = new WeakMap<Stage, number>()
/** The number of bytes whose decryption costs as much as one cipher set-up (docs/decisions/0004). */
const bytesPerCipherSetup = 13_000

/** Returns a function that opens each value once, for a request that takes several turns of the event loop. */
export function openEachOnce(stage: Stage): OpenValue {
  const opened = new Map<StoredVariable, string[]>()
  return (variable, index) => {
    const values = opened.get(variable) ?? []
    opened.set(variable, values)
    return (values[index] ??= openValue(stage.sealer, variable, index).toString())
  }
}

/** Returns how many single values cost as much as the bundle. */
function costOfBundle({ bytes }: Stage): number {
  return 1 + bytes / bytesPerCipherSetup
}

/** Returns the cheaper way to open `count` values of a stage: one by one, or from its bundle. */
export function openSome(stage: Stage, count: number): OpenValue {
  const bundle = count > costOfBundle(stage) ? bundleOf(stage) : undefined
  if (!bundle || bundle instanceof CannotOpen) return (variable, index) => openOne(stage, variable, index)
  return (variable, index) => {
    const values = valuesOfThisTurn.get(variable, noValues)
    return (values[index] ??= openFrom(stage, bundle, variable, index))
  }
}

/** Returns one plaintext of a variable, which requests of this turn of the event loop share. Throws CannotOpen. */
export function openOne(stage: Stage, variable: StoredVariable, index: number): string {
  const values = valuesOfThisTurn.get(variable, noValues)
  return (values[index] ??= openAmongOthers(stage, variable, index))
}

/** Opens a value alone or, where requests of this turn open many others of the stage, from its bundle. Throws CannotOpen. */
function openAmongOthers(stage: Stage, variable: StoredVariable, index: number): string {
  const singles = singlesOfThisTurn.get(stage, noSingles)
  const bundle = singles.opened < costOfBundle(stage) ? undefined : bundleForCrowd(stage)
  if (bundle) return openFrom(stage, bundle, variable, index)
  singles.opened++
  return openValue(stage.sealer, variable, index).toString()
}

function noValues(): string[] {
  return []
}

function noSingles(): { opened: number } {
  return { opened: 0 }
}

/** Returns the bundle for requests of one turn that each need another value, unless it is not built and would not pay. */
function bundleForCrowd(stage: Stage): Bundle | undefined {
  if (!hasBundle(stage) && !wouldPay(stage)) return undefined
  const bundle = bundleOf(stage)
  return bundle instanceof CannotOpen ? undefined : bundle
}

/**
 * Counts a value that is opened alone where the bundle would have been cheaper. Returns whether these were as many as building it opens,
 * which a large stage never does in one go.
 */
function wouldPay(stage: Stage): boolean {
  const missed = (missedByCrowds.get(stage) ?? 0) + 1
  missedByCrowds.set(stage, missed)
  return missed >= stage.variables.size && stage.bytes <= largeBytes
}
