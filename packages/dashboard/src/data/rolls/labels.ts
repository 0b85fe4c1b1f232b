/** Texts about who gets which side of a roll. */
import type { Labels, PinCounts } from '@rollkey/contract/rules'
import { countText, percentText, unbroken } from '../../lib/numbers.ts'

/** What is known about the sides of a roll. */
export interface Sides {
  /** Value A. Absent: unknown or secret. */
  readonly a?: string | undefined
  /** Value B. Absent: unknown or secret. */
  readonly b?: string | undefined
  /** Names of the sides. Absent: they have none. */
  readonly labels?: Labels | undefined
}

/** Maximum characters of a value within a sentence. */
const maxValueCharacters = 24

/** Names a side by its label, or its letter. */
export const nameOf = (side: 'a' | 'b', sides: Sides | undefined): string => sides?.labels?.[side] ?? side.toUpperCase()

/** Names a side with its value, such as "A (true)", by its label if it has one. */
export function sideText(side: 'a' | 'b', sides: Sides | undefined): string {
  const name = nameOf(side, sides)
  const value = sides?.[side]
  if (value === undefined) return name
  return `${name} (${value.length > maxValueCharacters ? `${value.slice(0, maxValueCharacters - 1)}…` : value})`
}

type Who = 'users' | 'evaluations'

/** Says who gets A, and who B if the values are known. */
function gets(share: string, sides: Sides | undefined): string {
  const others = sides ? `, the others ${sideText('b', sides)}` : ''
  return `${share} ${sideText('a', sides)}${others}.`
}

const rulesText = (count: number): string => `${countText(count)} ${count === 1 ? 'rule' : 'rules'}`

/** Names the pins and rules of a roll, such as "3 pins and 1 rule"; empty if it has none. */
export function targetsText({ a, b }: PinCounts, ruleCount: number): string {
  const pins = a + b
  return [
    ...(pins > 0 ? [`${countText(pins)} ${pins === 1 ? 'pin' : 'pins'}`] : []),
    ...(ruleCount > 0 ? [rulesText(ruleCount)] : []),
  ].join(' and ')
}

export const noPins: PinCounts = { a: 0, b: 0 }

export const labels = {
  /** What all pages count as served. */
  servedDefinition: 'Served is how often an app got A or B. One batch or pull can serve many, and is one evaluation.',
  chanceSentences: {
    none: (sides?: Sides) => `Everyone gets ${sideText('b', sides)}.`,
    all: (sides?: Sides) => `Everyone gets ${sideText('a', sides)}.`,
    nearlyAll: (sides?: Sides) => gets('Nearly everyone gets', sides),
    few: (of: number, who: Who, sides?: Sides) => gets(`Fewer than 1 of ${countText(of)} ${who} get`, sides),
    some: (share: number, of: number, who: Who, isExact: boolean, sides?: Sides) =>
      gets(`${isExact ? '' : 'About '}${countText(share)} of ${countText(of)} ${who} get`, sides),
    moves: (share: number, from: 'a' | 'b', to: 'a' | 'b', sides?: Sides) =>
      `${unbroken(percentText(share))} of users move from ${sideText(from, sides)} to ${sideText(to, sides)}.`,
  },
}
