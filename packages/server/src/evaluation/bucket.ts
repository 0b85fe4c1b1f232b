/** The A/B choice (RULINGS, "A/B choice"); known answers in the contract's vectors/ab-roll.json. */
import { hash } from 'node:crypto'

/**
 * A number 0 <= u < 1 that is the same for the same name, seed and key everywhere: the top 53 bits, which are as many as
 * a double holds exactly, of the first 8 bytes of SHA-256, big-endian, divided by 2^53.
 */
export function unitOf(name: string, seed: string, key: string): number {
  // As hex: a Buffer of 32 bytes costs more than the hash.
  const digest = hash('sha256', `ab_roll:${name}:${seed}:${key}`, 'hex')
  const upper32 = Number.parseInt(digest.slice(0, 8), 16)
  const next21 = Number.parseInt(digest.slice(8, 16), 16) >>> 11
  return (upper32 * 2 ** 21 + next21) / 2 ** 53
}
