/** Seals and opens the values of a variable, one for each role of its kind. */
import { kinds, type Kind } from '@rollkey/contract'
import type { Sealer } from '../crypto/seal.ts'
import type { StoredVariable } from '../stages/stored-variable.ts'
import { undefinedIfCannotOpen } from './opening.ts'
import { keyIdOfPacked, pack, unpack } from '../stages/payloads.ts'

/** What a value is sealed for, in addition to its stage and role. */
interface SealTarget {
  readonly name: string
  readonly kind: Kind
}

const missingPayload = Buffer.alloc(0)

/** Returns the packed payloads. Throws CannotSeal. */
export function sealValues(sealer: Sealer, { name, kind }: SealTarget, values: readonly (string | Buffer)[]): Buffer {
  return pack(
    kinds[kind].values.map(({ role }, index) => sealer.seal(name, kind, role, values[index] ?? missingPayload)),
  )
}

/** Returns the plaintext bytes of one value. Throws CannotOpen. */
export function openValue(
  sealer: Sealer,
  { name, kind, payloads }: SealTarget & Pick<StoredVariable, 'payloads'>,
  index: number,
): Buffer {
  return sealer.open(name, kind, kinds[kind].values[index]?.role ?? '', payloads[index] ?? missingPayload)
}

/** Returns the plaintext bytes of all values, in their order. Throws CannotOpen. */
export function openValues(sealer: Sealer, variable: SealTarget & Pick<StoredVariable, 'payloads'>): Buffer[] {
  return kinds[variable.kind].values.map((_, index) => openValue(sealer, variable, index))
}

/** Returns the same values sealed with the current key, or undefined if they do not open. Throws CannotSeal. */
export function reseal(
  sealer: Sealer,
  { name, kind, sealed }: SealTarget & { readonly sealed: Uint8Array },
): Uint8Array | undefined {
  if (keyIdOfPacked(sealed) === sealer.keyId) return sealed
  const values = undefinedIfCannotOpen(() => openValues(sealer, { name, kind, payloads: unpack(sealed) }))
  return values && sealValues(sealer, { name, kind }, values)
}
