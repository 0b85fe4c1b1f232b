/** Seals and opens the values of a variable, one for each role of its kind, the pins of a roll and the texts of a template. */
import { kinds, type Kind } from '@rollkey/contract'
import { keyIdOf, type Sealer } from '../crypto/seal.ts'
import { undefinedIfCannotOpen } from './opening.ts'
import { keyIdOfPacked, packVariable, unpackVariable, type Payloads } from '../stages/payloads.ts'

/** Plaintext that was sealed. */
interface OpenPlaintext extends Plaintext {
  readonly values: readonly Buffer[]
}

/** What a value is sealed for, in addition to its stage and role. */
interface SealTarget {
  readonly name: string
  readonly kind: Kind
}

/** A variable with sealed values. */
export type Sealed = SealTarget & Payloads

const missingPayload = Buffer.alloc(0)
/** The role of pins in the associated data. No kind has a value of this role. */
const pinsRole = 'pins'
/** The role of the texts of a template, JSON of one for each value. No kind has a value of this role. */
const templateRole = 'template'

/** The plaintext of a variable. */
export interface Plaintext {
  readonly values: readonly (string | Buffer)[]
  /** Undefined: none are sealed. */
  readonly pins?: string | Buffer | undefined
  /** Undefined: it is not a template. */
  readonly template?: string | Buffer | undefined
}

/** Returns the packed payloads. Throws CannotSeal. `sealed`: the same pins and template, which stay as they are if that is by the current key. */
export function sealValues(
  sealer: Sealer,
  { name, kind }: SealTarget,
  { values, pins, template }: Plaintext,
  sealed: Pick<Payloads, 'sealedPins' | 'sealedTemplate'> = {},
): Buffer {
  const isCurrent = (blob: Buffer | undefined): blob is Buffer => blob !== undefined && keyIdOf(blob) === sealer.keyId
  const seal = (role: string, plaintext: string | Buffer | undefined, blob: Buffer | undefined): Buffer | undefined => {
    if (plaintext === undefined) return undefined
    return isCurrent(blob) ? blob : sealer.seal(name, kind, role, plaintext)
  }
  const payloads = kinds[kind].values.map(({ role }, index) =>
    sealer.seal(name, kind, role, values[index] ?? missingPayload),
  )
  return packVariable({
    payloads,
    sealedPins: seal(pinsRole, pins, sealed.sealedPins),
    sealedTemplate: seal(templateRole, template, sealed.sealedTemplate),
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

/** Returns the texts of a template as they are sealed, or undefined if the variable is not one. Throws CannotOpen. */
export function openTemplate(sealer: Sealer, { name, kind, sealedTemplate }: Sealed): Buffer | undefined {
  return sealedTemplate && sealer.open(name, kind, templateRole, sealedTemplate)
}

/** Returns everything that is sealed of a variable. Throws CannotOpen. */
export function openPlaintext(sealer: Sealer, variable: Sealed): OpenPlaintext {
  const values = openValues(sealer, variable)
  return { values, pins: openPins(sealer, variable), template: openTemplate(sealer, variable) }
}

/** Returns the same plaintext sealed with the current key, or undefined if they do not open. Throws CannotSeal. */
export function reseal(
  sealer: Sealer,
  { name, kind, sealed }: SealTarget & { readonly sealed: Uint8Array },
): Uint8Array | undefined {
  if (keyIdOfPacked(sealed) === sealer.keyId) return sealed
  const variable = { name, kind, ...unpackVariable(kind, sealed) }
  return undefinedIfCannotOpen(() => sealValues(sealer, variable, openPlaintext(sealer, variable)))
}
