/** Targeting rules: which requests they match, by the attributes of the context (docs/rolls.md). */
import type { Side } from './bucket.ts'
import { parseDeclared } from './declared-types.ts'
import { isRecord } from './is-record.ts'
import { limits } from './limits.ts'
import { isVersionIn, isVersionRange } from './semver.ts'

/** What an operator compares: nothing is converted, so `1` and `"1"` differ. */
export type Scalar = string | number | boolean

/** What is known about the user of an evaluation. Only attributes that are texts, numbers or booleans can match. */
export type Context = { readonly [attribute: string]: unknown }

/** What an attribute must fulfil: every operator that is there. A missing attribute fulfils none. */
export interface Condition {
  /** It is one of these. @default any */
  readonly in?: readonly Scalar[] | undefined
  /** It is none of these. @default any */
  readonly notIn?: readonly Scalar[] | undefined
  /** It is this. @default any */
  readonly equals?: Scalar | undefined
  /** It is a text that begins with this, or with one of these. @default any */
  readonly startsWith?: string | readonly string[] | undefined
  /** It is a text that ends with this, or with one of these. @default any */
  readonly endsWith?: string | readonly string[] | undefined
  /** It is a number above this. @default any */
  readonly greaterThan?: number | undefined
  /** It is a number below this. @default any */
  readonly lessThan?: number | undefined
  /** It is a version in this range, such as `>=1.2.0 <2.0.0`. @default any */
  readonly semver?: string | undefined
  /** It is a date or time before this one, both RFC 3339. @default any */
  readonly before?: string | undefined
  /** It is a date or time after this one, both RFC 3339. @default any */
  readonly after?: string | undefined
}

/** The name of an operator. */
export type Operator = keyof Condition

/** A rule: what the attributes of the context must fulfil, all of it, and the side then. */
export interface TargetingRule {
  /** Conditions by attribute, at least one. */
  readonly when: { readonly [attribute: string]: Condition }
  /** The side, or the probability of A with the bucket of the seed. */
  readonly then: Side | number
}

/** Why something is not valid: where it is, and a sentence that begins with what is there. */
export interface Problem {
  /** Path from the checked value. */
  readonly path: readonly (string | number)[]
  /** What is wrong, what is expected and what to do, without quoting a value. */
  readonly message: string
}

interface OperatorRule {
  /** Returns what is wrong with the operand, or undefined. */
  readonly problem: (operand: unknown) => string | undefined
  readonly holds: (attribute: Scalar, operand: never) => boolean
}

const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'boolean' || Number.isFinite(value) || isText(value)
const isText = (value: unknown): value is string => typeof value === 'string' && value.isWellFormed()
const isSmallList = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.length > 0 && value.length <= limits.ruleValues
const timeOf = (text: Scalar): number =>
  typeof text === 'string' ? ((parseDeclared('date', text) as Date | undefined)?.getTime() ?? NaN) : NaN

const listOfScalars = (operand: unknown): string | undefined =>
  isSmallList(operand) && operand.every(isScalar)
    ? undefined
    : `is not a list of 1 to ${limits.ruleValues} texts, numbers or booleans: list what the attribute is compared with`
const textOrTexts = (operand: unknown): string | undefined =>
  isText(operand) || (isSmallList(operand) && operand.every(isText))
    ? undefined
    : `is not a text or a list of 1 to ${limits.ruleValues} texts: state what the attribute is compared with`
const finiteNumber = (operand: unknown): string | undefined =>
  Number.isFinite(operand) ? undefined : 'is not a number: use equals or in for texts'
const time = (operand: unknown): string | undefined =>
  isText(operand) && Number.isFinite(timeOf(operand))
    ? undefined
    : 'is not a date or time of RFC 3339 (expected one such as 2027-01-31 or 2027-01-31T08:00:00Z): correct it'
const versionRange = (operand: unknown): string | undefined =>
  isText(operand) && operand.length <= limits.versionRangeCharacters && isVersionRange(operand)
    ? undefined
    : `is not a range of versions (expected one such as >=1.2.0 <2.0.0, of at most ${limits.versionRangeCharacters} characters): correct it`

const isIn = (attribute: Scalar, operand: readonly Scalar[]): boolean => operand.includes(attribute)
const fits = (attribute: Scalar, operand: string | readonly string[], test: (text: string, part: string) => boolean) =>
  typeof attribute === 'string' &&
  (typeof operand === 'string' ? test(attribute, operand) : operand.some((each) => test(attribute, each)))

const operatorRules: { readonly [Name in Operator]-?: OperatorRule } = {
  in: { problem: listOfScalars, holds: isIn },
  notIn: { problem: listOfScalars, holds: (attribute, operand) => !isIn(attribute, operand) },
  equals: {
    problem: (operand) => (isScalar(operand) ? undefined : 'is not a text, number or boolean: use in for several'),
    holds: (attribute, operand: Scalar) => attribute === operand,
  },
  startsWith: {
    problem: textOrTexts,
    holds: (attribute, operand) => fits(attribute, operand, (text, part) => text.startsWith(part)),
  },
  endsWith: {
    problem: textOrTexts,
    holds: (attribute, operand) => fits(attribute, operand, (text, part) => text.endsWith(part)),
  },
  greaterThan: {
    problem: finiteNumber,
    holds: (attribute, operand: number) => typeof attribute === 'number' && attribute > operand,
  },
  lessThan: {
    problem: finiteNumber,
    holds: (attribute, operand: number) => typeof attribute === 'number' && attribute < operand,
  },
  semver: {
    problem: versionRange,
    holds: (attribute, operand) => typeof attribute === 'string' && isVersionIn(attribute, operand),
  },
  before: { problem: time, holds: (attribute, operand) => timeOf(attribute) < timeOf(operand) },
  after: { problem: time, holds: (attribute, operand) => timeOf(attribute) > timeOf(operand) },
}

/** All operators of a condition. */
export const ruleOperators = Object.keys(operatorRules) as Operator[]

/** A condition as functions, all of which an attribute must fulfil. */
interface CompiledCondition {
  readonly attribute: string
  readonly tests: readonly ((attribute: Scalar) => boolean)[]
}

/** Rules are read many times and never change, so each is compiled once. */
const compiledRules = new WeakMap<TargetingRule, readonly CompiledCondition[]>()

function compile(rule: TargetingRule): readonly CompiledCondition[] {
  const conditions = Object.entries(rule.when).map(([attribute, condition]) => ({
    attribute,
    tests: (Object.keys(condition) as Operator[]).flatMap((operator) => {
      const operand = condition[operator]
      if (operand === undefined) return []
      // A newer service may have operators that this version cannot test: ignoring one would match more people than the rule says.
      const holds = Object.hasOwn(operatorRules, operator) ? operatorRules[operator].holds : () => false
      return [(value: Scalar) => holds(value, operand as never)]
    }),
  }))
  compiledRules.set(rule, conditions)
  return conditions
}

/**
 * Returns whether a context fulfils all conditions of a rule. An attribute that is missing, null, a list or an object fulfils none.
 * Never throws for a valid rule. A rule must not be changed after its first use.
 *
 * @example
 * ruleMatches({ when: { plan: { in: ['pro', 'team'] } }, then: 'a' }, { plan: 'pro' }) // true
 */
export function ruleMatches(rule: TargetingRule, context: Context): boolean {
  for (const { attribute, tests } of compiledRules.get(rule) ?? compile(rule)) {
    const value = Object.hasOwn(context, attribute) ? context[attribute] : undefined
    if (!isScalar(value)) return false
    for (const test of tests) if (!test(value)) return false
  }
  return true
}

function problemOfCondition(condition: unknown): Problem | undefined {
  const expected = `at least one of ${ruleOperators.join(', ')}`
  if (!isRecord(condition)) return { path: [], message: `is not an object of operators: state ${expected}` }
  const names = Object.keys(condition)
  if (names.length === 0) return { path: [], message: `has no operator: state ${expected}` }
  for (const name of names) {
    // An operator that is ignored would make a rule match more people than it says.
    if (!Object.hasOwn(operatorRules, name)) {
      return { path: [], message: `has an unknown operator (expected ${ruleOperators.join(', ')}): correct it` }
    }
    const message = operatorRules[name as Operator].problem(condition[name])
    if (message !== undefined) return { path: [name], message }
  }
  return undefined
}

function problemOfWhen(when: unknown): Problem | undefined {
  const expected = 'name at least one attribute with its condition, or use chance for everyone'
  if (!isRecord(when)) return { path: ['when'], message: `is not an object of conditions by attribute: ${expected}` }
  const attributes = Object.entries(when)
  if (attributes.length === 0) return { path: ['when'], message: `has no attribute: ${expected}` }
  for (const [attribute, condition] of attributes) {
    if (attribute === '' || !attribute.isWellFormed() || attribute.length > limits.contextAttributeCharacters) {
      const message = `has an attribute without a usable name (expected 1 to ${limits.contextAttributeCharacters} characters): correct it`
      return { path: ['when'], message }
    }
    const problem = problemOfCondition(condition)
    if (problem) return { ...problem, path: ['when', attribute, ...problem.path] }
  }
  return undefined
}

function problemOfRule(rule: unknown): Problem | undefined {
  if (!isRecord(rule)) return { path: [], message: 'is not an object: state when and then' }
  const { when, then } = rule
  const isThen = then === 'a' || then === 'b' || (typeof then === 'number' && then >= 0 && then <= 1)
  if (!isThen) return { path: ['then'], message: 'is not "a", "b" or a chance from 0 to 1: state one of them' }
  return problemOfWhen(when)
}

/**
 * Returns what is wrong with a list of targeting rules, or undefined. Never throws.
 *
 * @example
 * problemOfRules([{ when: {}, then: 'a' }])?.path // [0, 'when']
 */
export function problemOfRules(rules: unknown): Problem | undefined {
  if (!Array.isArray(rules) || rules.length > limits.targetingRules) {
    return { path: [], message: `is not a list of at most ${limits.targetingRules} rules: combine or remove some` }
  }
  for (const [index, rule] of rules.entries()) {
    const problem = problemOfRule(rule)
    if (problem) return { ...problem, path: [index, ...problem.path] }
  }
  const bytes = new TextEncoder().encode(JSON.stringify(rules.map(plainRule))).length
  if (bytes <= limits.targetingRulesBytes) return undefined
  return { path: [], message: `is larger than ${limits.targetingRulesBytes} bytes of JSON: list fewer values` }
}

/**
 * Returns a valid rule without fields that are not part of it. Never throws.
 *
 * @example
 * plainRule({ when: { plan: { equals: 'pro' } }, then: 'a' })
 */
export function plainRule({ when, then }: TargetingRule): TargetingRule {
  return { when, then }
}
