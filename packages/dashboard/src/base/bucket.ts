/** The A/B choice (docs/api.md), as the service makes it; known answers in the contract's vectors/ab-roll.json. */
import { sha256 } from './sha-256.ts'

/** 0 <= u < 1: the top 53 bits of the first 8 bytes of SHA-256, big-endian, divided by 2^53. */
export function unitOf(name: string, seed: string, key: string): number {
  const [upper32 = 0, next32 = 0] = sha256(new TextEncoder().encode(`ab_roll:${name}:${seed}:${key}`))
  return (upper32 * 2 ** 21 + (next32 >>> 11)) / 2 ** 53
}

/** After the point. */
const leastDigits = 4
const mostDigits = 20

/** Such as "Bucket 0.1834 is below the chance 0.25, so A." */
export function choiceSentence(unit: number, chance: number): string {
  return unit < chance
    ? `Bucket ${cut(unit, chance)} is below the chance ${chance}, so A.`
    : `Bucket ${cut(unit, chance)} is not below the chance ${chance}, so B.`
}

/** Cut off rather than rounded, and with as many digits as it takes to be on the right side of the chance. */
function cut(unit: number, chance: number): string {
  const exact = unit.toFixed(mostDigits)
  const texts = Array.from({ length: mostDigits - leastDigits }, (_, more) => exact.slice(0, 2 + leastDigits + more))
  return texts.find((text) => Number(text) < chance === unit < chance) ?? exact
}
