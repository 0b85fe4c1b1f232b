/** Targeting rules as people edit them: conditions in rows, and lists of values as text. */
import { chanceOf, percentOf } from '../../lib/numbers.ts'
import {
  type Condition,
  type Operator,
  problemOfRules,
  type Scalar,
  type Side,
  type TargetingRule,
} from '@rollkey/contract/rules'
import { type Item, itemsOf, itemText, listText } from './item-list.ts'
import { labels } from './labels.ts'

const { rules: words } = labels

/** How the values of a condition are read. `mixed`: as JSON values. Nothing is converted, so the text "1" is not the number 1. */
export const valueTypes = ['text', 'number', 'boolean', 'mixed'] as const
export type ValueType = (typeof valueTypes)[number]

export interface ConditionDraft {
  readonly id: number
  readonly attribute: string
  readonly operator: Operator
  readonly type: ValueType
  /** A list, or the value of an operator that compares with one. */
  readonly values: string
}

export interface RuleDraft {
  readonly id: number
  readonly conditions: readonly ConditionDraft[]
  readonly then: Side | 'chance'
  /** Chance of A in percent, while `then` is `chance`. */
  readonly percent: number | string
}

/** What an operator compares with. */
export const operands: { readonly [Name in Operator]: 'scalars' | 'scalar' | 'texts' | 'number' | 'text' } = {
  in: 'scalars',
  notIn: 'scalars',
  equals: 'scalar',
  startsWith: 'texts',
  endsWith: 'texts',
  greaterThan: 'number',
  lessThan: 'number',
  semver: 'text',
  before: 'text',
  after: 'text',
}

let lastId = 0

export function newCondition(): ConditionDraft {
  return { id: ++lastId, attribute: '', operator: 'in', type: 'text', values: '' }
}

export function newRule(): RuleDraft {
  return { id: ++lastId, conditions: [newCondition()], then: 'a', percent: 50 }
}

const typeNames: Readonly<Record<string, ValueType>> = { string: 'text', number: 'number', boolean: 'boolean' }

function typeOf(values: readonly Scalar[]): ValueType {
  const [type, ...others] = new Set(values.map((value) => typeNames[typeof value]))
  return type === undefined || others.length > 0 ? 'mixed' : type
}

function valuesText(operator: Operator, operand: Scalar | readonly Scalar[], type: ValueType): string {
  const operandType = operands[operator]
  if (operandType !== 'scalars' && operandType !== 'texts') return String(operand)
  const values = [operand].flat()
  return type === 'mixed'
    ? values.map((value) => JSON.stringify(value)).join(', ')
    : listText(values.map(String), 'comma')
}

/** Returns stored rules as drafts. */
export function draftsOf(rules: readonly TargetingRule[]): readonly RuleDraft[] {
  return rules.map(({ when, then }) => ({
    id: ++lastId,
    conditions: Object.entries(when).flatMap(([attribute, condition]) =>
      (Object.entries(condition) as [Operator, Scalar | readonly Scalar[]][]).map(([operator, operand]) => {
        const type = typeOf([operand].flat())
        return { id: ++lastId, attribute, operator, type, values: valuesText(operator, operand, type) }
      }),
    ),
    then: typeof then === 'number' ? 'chance' : then,
    percent: typeof then === 'number' ? percentOf(then) : 50,
  }))
}

/** Returns a number as typed; NaN if it is not one. */
function numberOf(text: string): number {
  return text.trim() === '' ? NaN : Number(text)
}

/** Returns a typed value; undefined if it is not of the type. */
function scalarOf({ text, isQuoted }: Item, type: ValueType): Scalar | undefined {
  if (type === 'text' || (type === 'mixed' && isQuoted)) return text
  const number = numberOf(text)
  if (type !== 'boolean' && !isQuoted && Number.isFinite(number)) return number
  if (type !== 'number' && !isQuoted && (text === 'true' || text === 'false')) return text === 'true'
  return undefined
}

interface Read {
  /** Absent: it cannot be read. */
  readonly operand?: Scalar | readonly Scalar[]
  readonly problem?: string
}

/** Returns what a condition compares with, and what is wrong with it. */
function operandOf({ operator, type, values }: ConditionDraft): Read {
  const read = readOperand(operands[operator], type, values)
  if (read.problem !== undefined || read.operand === undefined) return read
  const when = { attribute: { [operator]: read.operand } }
  const problem = problemOfRules([{ when, then: 'a' }])
  return problem ? { ...read, problem: words.valueProblem(problem.message) } : read
}

function readOperand(operandType: (typeof operands)[Operator], type: ValueType, values: string): Read {
  if (operandType === 'text') return { operand: values.trim() }
  if (operandType === 'number') return { operand: numberOf(values) }
  if (values === '' && operandType !== 'scalar') return { problem: words.noValue }
  const isText = operandType === 'texts'
  const valueType = isText ? 'text' : type
  const items = operandType === 'scalar' ? [{ text: values, isQuoted: false }] : itemsOf(values, 'comma')
  if (!items) return { problem: words.badQuotes }
  if (items.length === 0) return { problem: words.noValue }
  const scalars = items.map((item) => scalarOf(item, valueType))
  const wrong = scalars.indexOf(undefined)
  if (wrong !== -1) return { problem: words.wrongType[valueType](itemText(items[wrong]?.text ?? '', 'comma')) }
  const known = scalars as Scalar[]
  const [first = ''] = known
  return { operand: operandType === 'scalar' || (isText && known.length === 1) ? first : known }
}

/** What is wrong with rules, by the ids of the parts. */
export interface DraftProblems {
  readonly attributes: ReadonlyMap<number, string>
  readonly values: ReadonlyMap<number, string>
  /** By the id of the rule. */
  readonly chances: ReadonlyMap<number, string>
  /** A sentence about all rules together. Absent: none. */
  readonly all?: string | undefined
}

/** Returns the rules of drafts. Those that have a problem may be incomplete. */
export function rulesOf(drafts: readonly RuleDraft[]): readonly TargetingRule[] {
  return drafts.map(({ conditions, then, percent }) => {
    const byAttribute = Map.groupBy(conditions, ({ attribute }) => attribute)
    const when = [...byAttribute].map(([attribute, rows]): [string, Condition] => [
      attribute,
      Object.fromEntries(rows.map((row) => [row.operator, operandOf(row).operand])),
    ])
    return { when: Object.fromEntries(when), then: then === 'chance' ? chanceOf(Number(percent)) : then }
  })
}

function attributeProblem({ conditions }: RuleDraft, { id, attribute, operator }: ConditionDraft): string | undefined {
  if (attribute === '') return words.noAttribute
  const same = conditions.find((other) => other.attribute === attribute && other.operator === operator)
  if (same?.id !== id) return words.twice
  const problem = problemOfRules([{ when: { [attribute]: { equals: '' } }, then: 'a' }])
  return problem && words.attributeProblem
}

/** Returns the problems that there are, by their ids. */
function defined(pairs: readonly (readonly [number, string | undefined])[]): ReadonlyMap<number, string> {
  return new Map(pairs.flatMap(([id, problem]) => (problem === undefined ? [] : [[id, problem]])))
}

/** Returns what is wrong with drafts; undefined if they can be saved. */
export function problemsOf(drafts: readonly RuleDraft[]): DraftProblems | undefined {
  const rows = drafts.flatMap((rule) => rule.conditions.map((condition) => ({ rule, condition })))
  const attributes = defined(rows.map(({ rule, condition }) => [condition.id, attributeProblem(rule, condition)]))
  const values = defined(rows.map(({ condition }) => [condition.id, operandOf(condition).problem]))
  const chances = defined(
    drafts.map(({ id, then, percent }) => {
      const isChance = typeof percent === 'number' && percent >= 0 && percent <= 100
      return [id, then === 'chance' && !isChance ? words.wrongChance : undefined]
    }),
  )
  if (attributes.size + values.size + chances.size > 0) return { attributes, values, chances }
  const problem = problemOfRules(rulesOf(drafts))
  return problem && { attributes, values, chances, all: words.allProblem(problem.message) }
}

/** Returns drafts with one of them at another place. */
export function moved(drafts: readonly RuleDraft[], from: number, to: number): readonly RuleDraft[] {
  const draft = drafts[from]
  return draft ? drafts.toSpliced(from, 1).toSpliced(to, 0, draft) : drafts
}

/** Returns the conditions of a rule in words, such as "plan in pro, team and age greater than 17". */
export function conditionText({ when }: TargetingRule): string {
  const texts = Object.entries(when).flatMap(([attribute, condition]) =>
    (Object.entries(condition) as [Operator, Scalar | readonly Scalar[]][]).map(([operator, operand]) => {
      const type =
        operands[operator] === 'scalar' || operands[operator] === 'scalars' ? typeOf([operand].flat()) : 'text'
      // A number or boolean looks like the text "1" or "true", which it does not equal.
      const values = [operand].flat().map((value) => scalarText(value, type))
      return words.condition(attribute, operator, values)
    }),
  )
  return texts.join(words.and)
}

function scalarText(value: Scalar, type: ValueType): string {
  if (typeof value !== 'string') return String(value)
  const looksOtherwise = value === 'true' || value === 'false' || Number.isFinite(numberOf(value))
  return type === 'mixed' || (looksOtherwise && type === 'text') ? JSON.stringify(value) : itemText(value, 'comma')
}
