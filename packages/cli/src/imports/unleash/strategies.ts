/**
 * Strategies of a flag of Unleash as the chance and the rules of a roll, where both decide alike. A flag is on if one of its strategies
 * is, and strategies that draw a user by the same value and group agree: the largest percentage that applies decides.
 */
import type { TargetingRule } from '@rollkey/contract/rules'
import { conditionsOf, type Conditions, type Constraint } from './constraints.ts'

type Parameters = Readonly<Record<string, string | undefined>>

/** A strategy in the answer of Unleash, with the constraints of its segments. */
export interface Strategy {
  readonly name: string
  readonly parameters?: Parameters
  readonly constraints?: readonly Constraint[]
  readonly segments?: readonly unknown[]
  readonly variants?: readonly unknown[]
}

/** What decides for a roll. */
export interface RollDecision {
  readonly chance: number
  readonly rules: readonly TargetingRule[]
  /** The field of Unleash's context that draws a user; undefined if nothing is drawn. */
  readonly stickiness?: string
}

interface Draw {
  readonly percentage: number
  readonly stickiness: string
  readonly group: string
}

interface ParsedStrategy extends Draw, Conditions {}

const everyone = 100
const random = 'random'

/** Returns the percentage of a strategy and what it draws by, by the name of the strategy. */
const draws: Readonly<Record<string, (parameters: Parameters) => Partial<Draw>>> = {
  default: () => ({ percentage: everyone }),
  flexibleRollout: ({ rollout, stickiness, groupId }) => ({
    percentage: Number(rollout),
    ...(stickiness && { stickiness }),
    ...(groupId && { group: groupId }),
  }),
  gradualRolloutUserId: ({ percentage, groupId }) => gradual('userId', percentage, groupId),
  gradualRolloutSessionId: ({ percentage, groupId }) => gradual('sessionId', percentage, groupId),
  gradualRolloutRandom: ({ percentage }) => gradual(random, percentage),
}

function gradual(stickiness: string, percentage: string | undefined, group = ''): Draw {
  return { percentage: Number(percentage), stickiness, group }
}

/** Returns what decides, or the reasons why a roll cannot decide so. */
export function decisionOf(flag: string, strategies: readonly Strategy[]): RollDecision | readonly string[] {
  const parsed = strategies.map((strategy) => parse(flag, strategy))
  const reasons = parsed.flatMap((each) => ('when' in each ? [] : each))
  if (reasons.length > 0) return reasons
  const all = (parsed as ParsedStrategy[]).filter(({ percentage }) => percentage > 0)
  // A flag without strategies is on for everyone.
  const chance =
    strategies.length === 0 ? everyone : Math.max(0, ...all.filter(isForAll).map(({ percentage }) => percentage))
  if (chance === everyone) return { chance: 1, rules: [] }
  const partial = all.filter(({ percentage }) => percentage < everyone)
  if (!agree(partial)) return ['several strategies that draw users independently']
  const larger = all.filter((each) => !isForAll(each) && each.percentage > chance).toSorted(bySize)
  if (larger.slice(0, -1).some(({ except }) => except.length > 0))
    return ['an inverted constraint or NOT_IN beside other strategies']
  const { stickiness } = partial[0] ?? {}
  return { ...rulesOf(larger, chance), ...(stickiness !== undefined && { stickiness }) }
}

/** The larger percentage comes first; of equal ones the one with exceptions last. */
function bySize(one: ParsedStrategy, other: ParsedStrategy): number {
  return other.percentage - one.percentage || one.except.length - other.except.length
}

function parse(
  flag: string,
  { name, parameters = {}, constraints = [], segments = [] }: Strategy,
): ParsedStrategy | readonly string[] {
  const draw = Object.hasOwn(draws, name) ? draws[name]?.(parameters) : undefined
  if (!draw) return [`the strategy ${name}`]
  const { percentage = Number.NaN, stickiness = 'default', group = flag } = draw
  if (!Number.isInteger(percentage) || percentage < 0 || percentage > everyone) return [`the percentage of ${name}`]
  if (segments.length > 0) return ['a segment without its constraints']
  const conditions = conditionsOf(constraints)
  return 'when' in conditions ? { percentage, stickiness, group, ...conditions } : conditions
}

function isForAll({ when, except }: Conditions): boolean {
  return Object.keys(when).length === 0 && except.length === 0
}

/** Returns whether all draw the same users. */
function agree(all: readonly Draw[]): boolean {
  const drawn = new Set(all.map(({ stickiness, group }) => JSON.stringify([stickiness, group])))
  return all.length < 2 || (drawn.size === 1 && all[0]?.stickiness !== random)
}

/**
 * Returns the rules of strategies, of which only the last can have exceptions: a rule for each exception leads to what the others have,
 * since a condition such as `notIn` does not hold for an attribute that is missing.
 */
function rulesOf(strategies: readonly ParsedStrategy[], rest: number): RollDecision {
  const rules = strategies.flatMap(({ when, except, percentage }): TargetingRule[] => [
    ...except.map((each) => ({ when: each, then: sideOf(rest) })),
    ...(Object.keys(when).length === 0 ? [] : [{ when, then: sideOf(percentage) }]),
  ])
  const last = strategies.at(-1)
  const chance = last && Object.keys(last.when).length === 0 ? last.percentage : rest
  return { chance: chance / everyone, rules }
}

function sideOf(percentage: number): TargetingRule['then'] {
  if (percentage === everyone) return 'a'
  return percentage === 0 ? 'b' : percentage / everyone
}
