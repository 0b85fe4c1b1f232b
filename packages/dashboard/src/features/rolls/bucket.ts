/**
 * The A/B choice (docs/api.md), as the service makes it. Browsers have a SHA-256 only for pages in secure contexts, and a
 * service in a private network may do without https.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { bucketText, unitOfHash } from '@rollkey/contract/rules'

/** Returns 0 <= u < 1, the same for the same name, seed and key everywhere. */
export function unitOf(name: string, seed: string, key: string): number {
  const hash = sha256(new TextEncoder().encode(bucketText(name, seed, key)))
  const words = new DataView(hash.buffer, hash.byteOffset)
  return unitOfHash(words.getUint32(0), words.getUint32(4))
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
