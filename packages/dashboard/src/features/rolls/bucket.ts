/**
 * The A/B choice (docs/api.md), as the service makes it. Browsers have a SHA-256 only for pages in secure contexts, and a
 * service in a private network may do without https.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { bucketText, unitOfHash } from '@rollkey/contract/rules'
import { percentOf, percentText } from './chance.ts'

/** Returns 0 <= u < 1, the same for the same name, seed and key everywhere. */
export function unitOf(name: string, seed: string, key: string): number {
  const hash = sha256(new TextEncoder().encode(bucketText(name, seed, key)))
  const words = new DataView(hash.buffer, hash.byteOffset)
  return unitOfHash(words.getUint32(0), words.getUint32(4))
}

/** Digits after the point of a percentage. */
const minDigits = 1
const maxDigits = 18

/** Returns such as "user-1 gets B (bucket 57.5 %, above 25 %)." */
export function choiceSentence(who: string, unit: number, chance: number): string {
  const bucket = `${bucketPercent(unit, chance)} %`
  if (unit < chance) return `${who} gets A (bucket ${bucket}, below ${percentText(chance)}).`
  return `${who} gets B (bucket ${bucket}, ${unit === chance ? 'not below' : 'above'} ${percentText(chance)}).`
}

/** Returns a bucket in percent, cut off rather than rounded, with enough digits to be on its side of the chance. */
function bucketPercent(unit: number, chance: number): string {
  const digits = unit.toFixed(maxDigits + 2).slice(2)
  const exact = `${Number(digits.slice(0, 2))}.${digits.slice(2)}`
  const point = exact.indexOf('.')
  const isTold = (text: string): boolean =>
    unit < chance ? Number(text) < percentOf(chance) : unit === chance || Number(text) > percentOf(chance)
  const texts = Array.from({ length: maxDigits }, (_, more) => exact.slice(0, point + 1 + minDigits + more))
  return texts.find(isTold) ?? exact
}
