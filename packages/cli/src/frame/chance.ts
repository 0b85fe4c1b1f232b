import { usage } from './cli-error.ts'

/** What a chance looks like, for the help of options. */
export const chanceForm = '25% or 0.25'

/** Parses a chance such as `25%` or `0.25`. `option` names where it comes from. */
export function chanceOf(text: string, option = '--chance'): number {
  const chance = numberOf(text.trim())
  if (chance >= 0 && chance <= 1) return chance
  const meant = chance > 1 && chance <= 100 && !text.includes('%') ? `, did you mean ${chance}%?` : ''
  throw usage(`${option} ${JSON.stringify(text)} is not a chance (expected 0% to 100%, or 0 to 1${meant})`)
}

function numberOf(text: string): number {
  // Moves the decimal point in the text, since a division rounds: 33.3 / 100 is 0.33299999999999996.
  if (text.endsWith('%')) return Number(`${text.slice(0, -1).trim()}e-2`)
  return text === '' ? NaN : Number(text)
}

/** Returns a chance as a percentage, such as `12.5%`. */
export function percentText(chance: number): string {
  return `${Number((chance * 100).toPrecision(12))}%`
}
