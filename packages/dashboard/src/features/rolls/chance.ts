/** Chances and percentages. */
import { countText } from '../../lib/numbers.ts'

const shares = 10_000

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b)
}

/** Such as "1 of 5 users get A." */
export function chanceSentence(chance: number, who = 'users'): string {
  if (chance === 0) return 'Everyone gets B.'
  if (chance === 1) return 'Everyone gets A.'
  const share = Math.round(chance * shares)
  if (share === 0) return `Fewer than 1 of ${countText(shares)} ${who} get A.`
  if (share === shares) return 'Nearly everyone gets A.'
  const divisor = greatestDivisor(share, shares)
  const isExact = share / shares === chance
  return `${isExact ? '' : 'About '}${countText(share / divisor)} of ${countText(shares / divisor)} ${who} get A.`
}

/** Returns who keeps a value: the side of a user changes only by the chance. */
export function moveSentence(before: number, after: number): string {
  if (after > before) return 'Users already in A stay in A.'
  return after < before ? 'Users already in B stay in B.' : 'Nothing changes.'
}

/** Formats a chance, such as "20 %". */
export function percentText(chance: number): string {
  return `${percentOf(chance)} %`
}

/** Returns a chance in percent, without the noise of binary fractions. */
export function percentOf(chance: number): number {
  return Number((chance * 100).toPrecision(12))
}

/** Returns the chance of a percentage. */
export function chanceOf(percent: number): number {
  return Number((percent / 100).toPrecision(12))
}
