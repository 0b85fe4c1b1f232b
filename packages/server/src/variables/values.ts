/** Seals and opens the values of a variable, one for each role of its kind, and the pins of a roll. */
import { kinds, type Kind } from '@rollkey/contract'
import type { Sealer } from '../crypto/seal.ts'
import { undefinedIfCannotOpen } from './opening.ts'
import { keyIdOfPacked, packVariable, unpackVariable, type Payloads } from '../stages/payloads.ts'

/** What a value is sealed for, in addition to its stage and role. */
interface SealTarget {
  readonly name: string
  readonly kind: Kind
}

/** A variable with sealed values. */
type Sealed = SealTarget & Payloads

const missingPayload = Buffer.alloc(0)
/** The role of pins in the associated data. No kind has a value of this role. */
const pinsRole = 'pins'

/** Returns the packed payloads. Throws CannotSeal. */
export function sealValues(
  sealer: Sealer,
  { name, kind }: SealTarget,
  values: readonly (string | Buffer)[],
  pins?: string | Buffer,
): Buffer {
  const payloads = kinds[kind].values.map(({ role }, index) =>
    sealer.seal(name, kind, role, values[index] ?? missingPayload),
  )
  return packVariable({
    payloads,
    sealedPins: pins === undefined ? undefined : sealer.seal(name, kind, pinsRole, pins),
  })
}

/** Returns the plaintext bytes of one value. Throws CannotOpen. */
export function openValue(sealer: Sealer, { name, kind, payloads }: Sealed, index: number): Buffer {
  return sealer.open(name, kind, kinds[kind].values[index]?.role ?? '', payloads[index] ?? missingPayload)
}

/** Returns the plaintext bytes of all values, in their order. Throws CannotOpen. */
export function openValues(sealer: Sealer, variable: Sealed): Buffer[] {
  return kinds[variable.kind].values.map((_, index) => openValue(sealer, variable, index))
}

/** Returns the plaintext bytes of the pins, or undefined if none are sealed. Throws CannotOpen. */
export function openPins(sealer: Sealer, { name, kind, sealedPins }: Sealed): Buffer | undefined {
  return sealedPins && sealer.open(name, kind, pinsRole, sealedPins)
}

/** Returns the same values and pins sealed with the current key, or undefined if they do not open. Throws CannotSeal. */
export function reseal(
  sealer: Sealer,
  { name, kind, sealed }: SealTarget & { readonly sealed: Uint8Array },
): Uint8Array | undefined {
  if (keyIdOfPacked(sealed) === sealer.keyId) return sealed
  const variable = { name, kind, ...unpackVariable(kind, sealed) }
  return undefinedIfCannotOpen(() =>
    sealValues(sealer, variable, openValues(sealer, variable), openPins(sealer, variable)),
  )
}
