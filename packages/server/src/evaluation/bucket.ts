/** The A/B choice (docs/api.md, "The A/B choice"). The contract's vectors/ab-roll.json has known answers. */
import { hash } from 'node:crypto'

/**
 * Returns a number 0 <= u < 1 that is the same for the same name, seed and key everywhere: the top 53 bits (the precision
 * of a double) of the first 8 bytes of SHA-256, big-endian, divided by 2^53.
 */
export function unitOf(name: string, seed: string, key: string): number {
  // A text with one character per byte costs less than a Buffer or hex.
  const digest = hash('sha256', `ab_roll:${name}:${seed}:${key}`, 'binary')
  const upper32 = uint32At(digest, 0)
  const next21 = uint32At(digest, 4) >>> 11
  return (upper32 * 2 ** 21 + next21) / 2 ** 53
}

function uint32At(bytes: string, at: number): number {
  let value = 0
  for (let i = at; i < at + 4; i++) value = value * 256 + bytes.charCodeAt(i)
  return value
}
