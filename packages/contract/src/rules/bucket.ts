/**
 * The bucket of a seed (docs/api.md, "The A/B choice"). Each platform hashes with its own SHA-256. vectors/ab-roll.json has
 * known answers.
 */

/** The sides of a roll. */
export const sides = ['a', 'b'] as const
/** A side of a roll. */
export type Side = (typeof sides)[number]

/** The seed and key of an evaluation. */
export interface Roll {
  /** What identifies the user. Absent: the same as an empty text. */
  readonly seed?: string | undefined
  /** What identifies the experiment. Absent: the same as an empty text. */
  readonly key?: string | undefined
}

/**
 * Returns whether an evaluation is random each time. An empty text counts as absent. Never throws.
 *
 * @example
 * isRandom({ seed: '', key: undefined }) // true
 */
export function isRandom({ seed, key }: Roll): boolean {
  return !seed && !key
}

/**
 * Returns the text whose UTF-8 is hashed. Never throws.
 *
 * @example
 * bucketText('NEW_CHECKOUT', 'user-1', '') // 'ab_roll:NEW_CHECKOUT:user-1:'
 */
export function bucketText(name: string, seed: string, key: string): string {
  return `ab_roll:${name}:${seed}:${key}`
}

/**
 * Returns 0 <= u < 1: the top 53 bits (the precision of a double) of the first 8 bytes of the hash, divided by 2^53.
 * `upper32` and `lower32` are these bytes as two big-endian numbers. Never throws.
 *
 * @example
 * unitOfHash(0x80000000, 0) // 0.5
 */
export function unitOfHash(upper32: number, lower32: number): number {
  return (upper32 * 2 ** 21 + (lower32 >>> 11)) / 2 ** 53
}

/**
 * Returns the same for a hash as a text with one character for each byte, which costs less than bytes or hexadecimal digits. Never throws
 * for a text of at least 8 such characters.
 *
 * @example
 * unitOfBinary('\u0080\0\0\0\0\0\0\0') // 0.5
 */
export function unitOfBinary(digest: string): number {
  return unitOfHash(uint32At(digest, 0), uint32At(digest, 4))
}

function uint32At(digest: string, at: number): number {
  let value = 0
  for (let i = at; i < at + 4; i++) value = value * 256 + digest.charCodeAt(i)
  return value
}
