/**
 * How a roll decides: the pin of the seed, then the first targeting rule that the context matches, then the chance
 * (docs/rolls.md). vectors/decisions.json has known answers.
 */
import { sides, type Side } from './bucket.ts'
import { compareCodePoints } from './code-points.ts'
import { limits } from './limits.ts'
import { ruleMatches, type Context, type Problem, type TargetingRule } from './targeting.ts'

/** Names of the two sides for people and for other systems. */
export interface Labels {
  /** Name of side A. */
  readonly a: string
  /** Name of side B. */
  readonly b: string
}

/** Seeds that always get one side. Absent: none. */
export interface Pins {
  /** Seeds that get A. @default [] */
  readonly a?: readonly string[] | undefined
  /** Seeds that get B. @default [] */
  readonly b?: readonly string[] | undefined
}

/** Pins with a list for each side. */
export interface CompletePins extends Pins {
  /** Seeds that get A. */
  readonly a: readonly string[]
  /** Seeds that get B. */
  readonly b: readonly string[]
}

/** How many seeds are pinned to each side. */
export interface PinCounts {
  /** Number of seeds that get A. */
  readonly a: number
  /** Number of seeds that get B. */
  readonly b: number
}

/** What decides, apart from pins. */
export interface RollSettings {
  /** Probability of A, from 0 to 1. @default 0 */
  readonly chance?: number | undefined
  /** Rules, of which the first match decides. @default [] */
  readonly rules?: readonly TargetingRule[] | undefined
}

/** Who asks. */
export interface DecisionInput {
  /** The side to which the seed is pinned. @default none */
  readonly pinned?: Side | undefined
  /** Attributes for the rules. Absent: no rule matches. */
  readonly context?: Context | undefined
  /** Returns the bucket 0 <= u < 1. It is called at most once, and only if a chance decides. */
  readonly unit: () => number
}

/** The step that decided. */
export interface DecidingStep {
  /** What decided: the pin of the seed, a targeting rule, or the chance of the roll. */
  readonly by: 'pin' | 'rule' | 'chance'
  /** Number of the rule, from 1. Absent: no rule decided. */
  readonly rule?: number
  /** The bucket, at least 0 and below 1. Absent: no chance was compared. */
  readonly unit?: number
  /** Probability of A, of the rule or of the roll. Absent: no chance was compared. */
  readonly chance?: number
}

/** A decision and its reason. */
export interface Decision {
  /** The side. */
  readonly decision: Side
  /** The step that decided. */
  readonly step: DecidingStep
}

// With u < chance, chance 0 never gives a, chance 1 always does, and raising the chance moves no seed out of a.
const sideOf = (unit: number, chance: number): Side => (unit < chance ? 'a' : 'b')

/**
 * Decides a roll. Never throws for valid settings.
 *
 * @example
 * const rules = [{ when: { plan: { in: ['pro', 'team'] } }, then: 'a' }] as const
 * decide({ chance: 0.2, rules }, { context: { plan: 'pro' }, unit: () => 0.9 }) // { decision: 'a', step: { by: 'rule', rule: 1 } }
 */
export function decide({ chance = 0, rules }: RollSettings, { pinned, context, unit }: DecisionInput): Decision {
  if (pinned) return { decision: pinned, step: { by: 'pin' } }
  const index = rules && context ? rules.findIndex((rule) => ruleMatches(rule, context)) : -1
  const matched = rules?.[index]
  if (!matched) {
    const u = unit()
    return { decision: sideOf(u, chance), step: { by: 'chance', unit: u, chance } }
  }
  const { then } = matched
  const rule = index + 1
  if (typeof then !== 'number') return { decision: then, step: { by: 'rule', rule } }
  const u = unit()
  return { decision: sideOf(u, then), step: { by: 'rule', rule, unit: u, chance: then } }
}

/** What the answer of an evaluation tells about a decision. */
export interface DecisionFields {
  /** Label of the side. Absent: the roll has no labels. */
  readonly label?: string
  /** What decided. */
  readonly step: DecidingStep['by']
  /** Number of the rule, from 1. Absent: no rule decided. */
  readonly rule?: number
  /** Probability of A that decided. Absent: none did. */
  readonly chance?: number
  /** Whether a gradual rotation made the roll. Absent: none did. */
  readonly rotating?: true
}

/**
 * Returns what the answer of an evaluation tells about a decision. Never throws.
 *
 * @example
 * decisionFields({ decision: 'a', step: { by: 'rule', rule: 1 } }, { labels: { a: 'on', b: 'off' } }) // { label: 'on', step: 'rule', rule: 1 }
 */
export function decisionFields(
  { decision, step }: Decision,
  {
    labels,
    rotating,
  }: {
    /** Names of the sides. Absent: none. */
    readonly labels?: Labels | undefined
    /** Whether a gradual rotation made the roll. Absent: none did. */
    readonly rotating?: true | undefined
  },
): DecisionFields {
  const { by, rule, chance } = step
  return {
    ...(labels && { label: labels[decision] }),
    step: by,
    ...(rule !== undefined && { rule }),
    ...(chance !== undefined && { chance }),
    ...(rotating && { rotating }),
  }
}

/**
 * Returns the side to which a seed is pinned, or undefined. An absent or empty seed never is. Never throws.
 *
 * @example
 * pinnedSide({ a: ['user-1'] }, 'user-1') // 'a'
 */
export function pinnedSide(pins: Pins, seed: string | undefined): Side | undefined {
  return seed ? sides.find((side) => pins[side]?.includes(seed)) : undefined
}

/**
 * Returns how many seeds are pinned to each side. Never throws.
 *
 * @example
 * pinCounts({ a: ['user-1'] }) // { a: 1, b: 0 }
 */
export function pinCounts({ a = [], b = [] }: Pins): PinCounts {
  return { a: a.length, b: b.length }
}

/**
 * Returns the pins in the order in which they are stored, so that equal pins are equal texts. Never throws.
 *
 * @example
 * sortedPins({ b: ['user-2', 'user-1'] }) // { a: [], b: ['user-1', 'user-2'] }
 */
export function sortedPins({ a = [], b = [] }: Pins): CompletePins {
  return { a: a.toSorted(compareCodePoints), b: b.toSorted(compareCodePoints) }
}

/** A change of pins. */
export interface PinChange {
  /** All pins after the change; null: none. Absent: as they are. */
  readonly pins?: Pins | null | undefined
  /** Seeds to add. One that is pinned to the other side moves. @default none */
  readonly pin?: Pins | undefined
  /** Seeds to remove. @default none */
  readonly unpin?: readonly string[] | undefined
}

/**
 * Returns the pins after a change, which may be more than a roll can have. Never throws.
 *
 * @example
 * changedPins({ a: ['user-1'] }, { pin: { b: ['user-1'] } }) // { a: [], b: ['user-1'] }
 */
export function changedPins(stored: Pins, { pins = stored, pin = {}, unpin = [] }: PinChange): CompletePins {
  const { a, b } = sortedPins(pins ?? {})
  const added = sortedPins(pin)
  const gone = new Set([...unpin, ...added.a, ...added.b])
  const stays = (seed: string): boolean => !gone.has(seed)
  return sortedPins({ a: [...a.filter(stays), ...added.a], b: [...b.filter(stays), ...added.b] })
}

/** Returns the side of which a list of pins has a seed that occurs in both or twice in one. */
function problemOfDuplicates(pins: Pins): Problem | undefined {
  const seen = new Set<string>()
  for (const side of sides) {
    for (const [index, seed] of (pins[side] ?? []).entries()) {
      if (seen.has(seed)) return { path: [side, index], message: 'is pinned already: name each seed once over a and b' }
      seen.add(seed)
    }
  }
  return undefined
}

/**
 * Returns what is wrong with pins, or undefined. Never throws.
 *
 * @example
 * problemOfPins({ a: ['user-1'], b: ['user-1'] })?.path // ['b', 0]
 */
export function problemOfPins(pins: unknown): Problem | undefined {
  if (typeof pins !== 'object' || pins === null || Array.isArray(pins)) {
    return { path: [], message: 'is not an object of seeds by side: state a, b or both as lists of seeds' }
  }
  const bySide: { readonly [Name in Side]?: unknown } = pins
  for (const side of sides) {
    const seeds = bySide[side] ?? []
    if (!Array.isArray(seeds) || seeds.length > limits.pinnedSeeds) {
      const message = `is not a list of at most ${limits.pinnedSeeds} seeds: pin fewer, or use a rule`
      return { path: [side], message }
    }
    const wrong = seeds.findIndex((seed) => !isSeed(seed))
    if (wrong !== -1) {
      const message = `is not a seed (expected 1 to ${limits.seedBytes} bytes of UTF-8): correct it`
      return { path: [side, wrong], message }
    }
  }
  return problemOfDuplicates(pins)
}

function isSeed(seed: unknown): boolean {
  if (typeof seed !== 'string' || seed === '' || !seed.isWellFormed()) return false
  return seed.length * 3 <= limits.seedBytes || new TextEncoder().encode(seed).length <= limits.seedBytes
}

/** Writes a number with as few decimals as show that it differs from another one. */
function distinct(number: number, other: number): string {
  for (let digits = 2; digits < 17; digits++) {
    const short = Number(number.toFixed(digits))
    if (short === number || (short < other === number < other && short !== other)) return String(short)
  }
  return String(number)
}

/**
 * Returns the step that decided as a text for people. Without the bucket, a chance is random. Never throws.
 *
 * @example
 * stepText({ by: 'chance', unit: 0.3132371306631936, chance: 0.5 }) // 'chance: 0.31 < 0.5'
 */
export function stepText({ by, rule, unit, chance }: DecidingStep): string {
  const what = by === 'rule' ? `rule ${rule}` : by
  if (chance === undefined) return what
  if (unit === undefined) return `${what}: random, A with probability ${chance}`
  return `${what}: ${distinct(unit, chance)} ${unit < chance ? '<' : '≥'} ${chance}`
}
