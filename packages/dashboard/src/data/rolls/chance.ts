/** Sentences about a chance. */
import { type Sides, labels } from './labels.ts'

const { chanceSentences: sentences } = labels

const shares = 10_000

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b)
}

interface SentenceOptions {
  /** Who gets a side. @default 'users' */
  readonly who?: 'users' | 'evaluations'
  /** The values, if they are known. */
  readonly sides?: Sides | undefined
}

/** Returns a sentence such as "1 of 5 users get A." or "1 of 5 users get A (true), the others B (false)." */
export function chanceSentence(chance: number, { who = 'users', sides }: SentenceOptions = {}): string {
  if (chance === 0) return sentences.none(sides)
  if (chance === 1) return sentences.all(sides)
  const share = Math.round(chance * shares)
  if (share === 0) return sentences.few(shares, who, sides)
  if (share === shares) return sentences.nearlyAll(sides)
  const divisor = greatestDivisor(share, shares)
  return sentences.some(share / divisor, shares / divisor, who, share / shares === chance, sides)
}

/** Returns how many users another chance moves, and who stays: a user changes sides only where the chance passes their bucket. */
export function moveSentence(before: number, after: number, sides?: Sides): string {
  const moved = Math.abs(after - before)
  return after > before ? sentences.moves(moved, 'b', 'a', sides) : sentences.moves(moved, 'a', 'b', sides)
}
