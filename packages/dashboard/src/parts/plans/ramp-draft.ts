/** What a person enters about a chance that changes by itself: once, or in steps. */
import {
  instantOf,
  isTimeZone,
  limits,
  problemOfRampPlan,
  type RampStep,
  rampSteps,
  wallTimeOf,
  type Weekday,
  weekdays,
} from '@rollkey/contract/rules'
import { chanceOf, percentText } from '../../lib/numbers.ts'
import { labels } from './labels.ts'

const { rampForm: words } = labels

export interface RampDraft {
  /** Chances in percent, such as `1% 10% 50% 100%`. */
  readonly steps: string
  /** How many units lie between two steps. */
  readonly count: number | string
  readonly unit: 'm' | 'h' | 'd' | 'w'
  /** When the first step is, as the clocks of the zone show it, such as `2027-01-12T09:00`. Empty: at once. */
  readonly first: string
  readonly zone: string
  readonly skipsWeekends: boolean
  /** What happens if the served values do not fit the chance. */
  readonly onMisfit: 'hold' | 'abort' | 'continue'
}

export type RampProblems = { readonly [Field in 'steps' | 'count' | 'first' | 'zone']?: string }

/** Days without steps if a plan leaves out weekends. */
export const weekend = ['sat', 'sun'] as const

const dayMs = 86_400_000
const morningMs = 9 * 3_600_000

/** Returns the usual steps that raise the chance. */
export function usualSteps(chance: number): string {
  const usual = [0.01, 0.1, 0.5, 1].filter((step) => step > chance)
  const steps = usual.length > 1 ? usual : [0.75, 0.9, 1].filter((step) => step > chance)
  return steps.map(percentText).join(' ')
}

/** Returns the first draft of a plan: from 9:00 of the next day on. */
export function newRampDraft(steps: string, zone: string, nowMs: number): RampDraft {
  const today = Math.floor(wallTimeOf(nowMs, zone) / dayMs) * dayMs
  const first = new Date(today + dayMs + morningMs).toISOString().slice(0, 16)
  return { steps, count: 1, unit: 'd', first, zone, skipsWeekends: false, onMisfit: 'hold' }
}

/** Returns the chances that a text such as `1% 10% 100%` lists; undefined if something else is in it. */
function chancesOf(text: string): readonly number[] | undefined {
  const parts = text
    .replaceAll('%', ' ')
    .split(/[\s,;→]+/)
    .filter((part) => part !== '')
  const isList = parts.length > 0 && parts.length <= limits.rampSteps
  if (!isList || !parts.every((part) => /^\d{1,3}(\.\d{1,8})?$/.test(part) && Number(part) <= 100)) return undefined
  return parts.map((part) => chanceOf(Number(part)))
}

interface PlanOptions {
  readonly nowMs: number
  /** Whether others approve the change first, so that it cannot begin at once. */
  readonly isReviewed: boolean
  /** Whether the chance is set once, not in steps. @default false */
  readonly isOnce?: boolean
}

/** Returns the steps of a draft, or what is wrong with it. */
export function stepsOf(
  { steps, count, unit, first, zone, skipsWeekends }: RampDraft,
  { nowMs, isReviewed, isOnce = false }: PlanOptions,
): { readonly steps: readonly RampStep[] } | { readonly problems: RampProblems } {
  const listed = chancesOf(steps)
  const chances = isOnce && listed?.length !== 1 ? undefined : listed
  const every = `${count}${unit}`
  const isInterval = problemOfRampPlan({ chances: [0], every, zone: 'UTC' }) === undefined
  const hasZone = isTimeZone(zone)
  const wallMs = Date.parse(`${first}Z`)
  const startMs = first === '' ? nowMs : hasZone && wallMs >= 0 ? instantOf(wallMs, zone, 'first') : undefined
  const firstProblem = problemOfStart(first, startMs, { nowMs, isReviewed })
  if (!chances || !isInterval || !hasZone || startMs === undefined || firstProblem !== undefined) {
    return {
      problems: {
        ...(!chances && { steps: isOnce ? words.wrongChance : words.wrongSteps }),
        ...(!isInterval && { count: words.wrongCount }),
        ...(!hasZone && { zone: words.wrongZone }),
        ...(firstProblem !== undefined && { first: firstProblem }),
      },
    }
  }
  return { steps: rampSteps({ chances, every, zone, ...(skipsWeekends && { notOn: weekend }) }, startMs) }
}

function problemOfStart(first: string, startMs: number | undefined, { nowMs, isReviewed }: PlanOptions) {
  if (first === '') return isReviewed ? words.noStart : undefined
  return startMs !== undefined && startMs < nowMs ? words.passedStart : undefined
}

/**
 * Returns steps moved so that the first is at an instant, and the others as far from it as before by the clocks of the zone. One that
 * would fall on an excluded day moves to the next other day, and the later ones with it.
 */
export function stepsFrom(
  steps: readonly RampStep[],
  firstMs: number,
  zone: string,
  notOn: readonly Weekday[] = [],
): RampStep[] {
  let byMs = wallTimeOf(firstMs, zone) - wallTimeOf(steps[0]?.atMs ?? firstMs, zone)
  const isExcluded = (wallMs: number): boolean => {
    const day = weekdays[(new Date(wallMs).getUTCDay() + 6) % 7]
    return day !== undefined && notOn.includes(day)
  }
  return steps.map(({ atMs, chance }) => {
    const wallMs = wallTimeOf(atMs, zone)
    while (isExcluded(wallMs + byMs)) byMs += dayMs
    return { atMs: instantOf(wallMs + byMs, zone, 'first'), chance }
  })
}
