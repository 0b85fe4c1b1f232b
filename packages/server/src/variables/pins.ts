/** The pins of a roll as they are sealed: JSON with the seeds of each side in order, so that equal pins are equal texts. */
import { sortedPins, type Attributes, type CompletePins, type Pins } from '@rollkey/contract'
import type { Sealer } from '../crypto/seal.ts'
import type { StoredVariable } from '../stages/stored-variable.ts'
import { openPins } from './values.ts'

type SealedRoll = Pick<StoredVariable, 'name' | 'kind' | 'payloads' | 'sealedPins'>

/** Returns the pins of a variable, none if it has none. Throws CannotOpen. */
export function pinsOf(sealer: Sealer, variable: SealedRoll): CompletePins {
  const text = openPins(sealer, variable)
  return text ? (JSON.parse(text.toString()) as CompletePins) : sortedPins({})
}

/** Returns the text to seal, or undefined if the roll decides by chance alone. */
export function pinsText({ pinned, rules }: Attributes, pins: Pins): string | undefined {
  return pinned || rules ? JSON.stringify(sortedPins(pins)) : undefined
}
