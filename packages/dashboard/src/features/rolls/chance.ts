/** What a chance means, in words. */
import { countText } from '../../lib/numbers.ts'

const shares = 10_000

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b)
}

/** Such as "1 of 5 users get A." */
export function chanceSentence(chance: number, who = 'users'): string {
  if (chance === 0) return 'Nobody gets A.'
  if (chance === 1) return 'Everybody gets A.'
  const share = Math.round(chance * shares)
  if (share === 0) return `Fewer than 1 of ${countText(shares)} ${who} get A.`
  if (share === shares) return 'Nearly everybody gets A.'
  const divisor = greatestDivisor(share, shares)
  const isExact = share / shares === chance
  return `${isExact ? '' : 'About '}${countText(share / divisor)} of ${countText(shares / divisor)} ${who} get A.`
}

/** What becomes of those who have a value already: the choice of one never changes but by the chance. */
export function moveSentence(before: number, after: number): string {
  if (after > before) return 'Nobody who gets A now leaves it.'
  return after < before ? 'Nobody who gets B now leaves it.' : 'Nothing changes.'
}

/** Such as "20 %". */
export function percentText(chance: number): string {
  return `${percentOf(chance)} %`
}

/** A chance in percent, without the noise of binary fractions. */
export function percentOf(chance: number): number {
  return Number((chance * 100).toPrecision(12))
}

/** The chance that a percentage is. */
export function chanceOf(percent: number): number {
  return Number((percent / 100).toPrecision(12))
}
