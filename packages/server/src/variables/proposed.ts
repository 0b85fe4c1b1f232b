/**
 * Values that a change proposes (docs/change.md). They are sealed for their change: no stored variable opens as a proposal, and no
 * proposal as a stored variable or as that of another change.
 */
import { kinds, type Attributes, type DigestedState, type Kind } from '@rollkey/contract'
import type { Sealer } from '../crypto/seal.ts'
import { pack, unpack } from '../stages/payloads.ts'
import { undefinedIfCannotOpen } from './opening.ts'

/** The values of a variable, the text of its pins and the texts of a template, in plaintext. */
export interface OpenValues {
  readonly values: readonly string[]
  /** Undefined: none are sealed. */
  readonly pins?: string | undefined
  /** JSON of the texts; undefined: it is not a template. */
  readonly template?: string | undefined
}

/** What proposed values are sealed for, in addition to their stage. */
export interface ProposalTarget {
  readonly changeId: string
  readonly name: string
  readonly kind: Kind
}

/** The role of proposed values in the associated data. No value of a variable has one that begins like this. */
function roleOf({ changeId }: ProposalTarget): string {
  return `proposed by ${changeId}`
}

/** Returns the sealed values, in the form in which variables are packed. Throws CannotSeal. */
export function sealProposed(sealer: Sealer, target: ProposalTarget, open: OpenValues): Buffer {
  return pack([sealer.seal(target.name, target.kind, roleOf(target), JSON.stringify(open))])
}

/** Returns the values. Throws CannotOpen. */
export function openProposed(sealer: Sealer, target: ProposalTarget, sealed: Uint8Array): OpenValues {
  const [blob = Buffer.alloc(0)] = unpack(sealed)
  return JSON.parse(sealer.open(target.name, target.kind, roleOf(target), blob).toString()) as OpenValues
}

/** Returns the same values sealed with the current key, or undefined if they do not open. Throws CannotSeal. */
export function resealProposed(sealer: Sealer, target: ProposalTarget, sealed: Uint8Array): Uint8Array | undefined {
  return undefinedIfCannotOpen(() => sealProposed(sealer, target, openProposed(sealer, target, sealed)))
}

/** Returns whether the values are those whose digests the content of a change has. */
export function hasDigests(
  digest: (value: string) => string,
  {
    kind,
    attributes: { pinned },
    digests,
  }: Pick<DigestedState, 'kind' | 'digests'> & { readonly attributes: Attributes },
  open: OpenValues,
): boolean {
  return JSON.stringify(digestsOfValues(digest, { kind, pinned }, open)) === JSON.stringify(digests)
}

/** Returns the digests of values, and of the pins if there are some. */
export function digestsOfValues(
  digest: (value: string) => string,
  { kind, pinned }: { readonly kind: Kind; readonly pinned?: Attributes['pinned'] },
  { values, pins, template }: OpenValues,
): DigestedState['digests'] {
  const ofValues = kinds[kind].values.map(({ role }, index) => [role, digest(values[index] ?? '')] as const)
  return {
    ...Object.fromEntries(ofValues),
    ...(pinned && pins !== undefined && { pins: digest(pins) }),
    ...(template !== undefined && { template: digest(template) }),
  }
}
