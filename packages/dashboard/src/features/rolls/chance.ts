/** Sentences about a chance. */
import { labels } from './labels.ts'

const { chanceSentences: sentences } = labels

const shares = 10_000

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b)
}

/** Returns a sentence such as "1 of 5 users get A." */
export function chanceSentence(chance: number, who: 'users' | 'evaluations' = 'users'): string {
  if (chance === 0) return sentences.none
  if (chance === 1) return sentences.all
  const share = Math.round(chance * shares)
  if (share === 0) return sentences.few(shares, who)
  if (share === shares) return sentences.nearlyAll
  const divisor = greatestDivisor(share, shares)
  return sentences.some(share / divisor, shares / divisor, who, share / shares === chance)
}

/** Returns who keeps a value: the side of a user changes only by the chance. */
export function moveSentence(before: number, after: number): string {
  if (after > before) return sentences.staysA
  return after < before ? sentences.staysB : sentences.unchanged
}
