/** Constraints of Unleash as conditions of targeting rules, where both decide alike. */
import type { Condition, TargetingRule } from '@rollkey/contract/rules'

/** A constraint in the answer of Unleash. */
export interface Constraint {
  readonly contextName: string
  readonly operator: string
  readonly values?: readonly string[]
  readonly inverted?: boolean
  readonly caseInsensitive?: boolean
}

/** What must hold, and what must not. */
export interface Conditions {
  readonly when: TargetingRule['when']
  /** Each is `when`, and one thing more that a context must not have. */
  readonly except: readonly TargetingRule['when'][]
}

type ListOperator = 'in' | 'startsWith' | 'endsWith'

const operators: ReadonlyMap<string, ListOperator> = new Map([
  ['IN', 'in'],
  ['NOT_IN', 'in'],
  ['STR_STARTS_WITH', 'startsWith'],
  ['STR_ENDS_WITH', 'endsWith'],
])

/** Fields that the SDKs of Unleash fill in without the program. */
const filledFields = ['environment', 'appName', 'currentTime']

/** Returns the conditions of a strategy, or the reasons why there are none. */
export function conditionsOf(constraints: readonly Constraint[]): Conditions | readonly string[] {
  const reasons = constraints.flatMap((constraint) => reasonAgainst(constraint) ?? [])
  if (reasons.length > 0) return reasons
  const [positive, negative] = [false, true].map((isNegative) =>
    constraints.filter((each) => ((each.operator === 'NOT_IN') !== (each.inverted === true)) === isNegative),
  ) as [Constraint[], Constraint[]]
  let when: TargetingRule['when'] = {}
  for (const constraint of positive) {
    const wider = withConstraint(when, constraint)
    if (!wider) return [reasonOfRepetition(constraint)]
    when = wider
  }
  const except: TargetingRule['when'][] = []
  for (const constraint of negative) {
    const excepted = withConstraint(when, constraint)
    if (!excepted) return [reasonOfRepetition(constraint)]
    except.push(excepted)
  }
  return { when, except }
}

function reasonAgainst({ contextName, operator, values, caseInsensitive }: Constraint): string | undefined {
  const name = operators.get(operator)
  if (name === undefined) return `${operator} of ${contextName}`
  if (filledFields.includes(contextName)) return `${operator} of ${contextName}, which the SDKs of Unleash fill in`
  if (caseInsensitive && name !== 'in') return `${operator} of ${contextName} without regard to case`
  return valuesOf(values).length === 0 ? `${operator} of ${contextName} without values` : undefined
}

function reasonOfRepetition({ contextName, operator }: Constraint): string {
  return `${operator} of ${contextName} beside a similar constraint`
}

/** Returns the values as the SDKs of Unleash read them. */
function valuesOf(values: readonly string[] = []): string[] {
  return values.map((value) => value.trim()).filter((value) => value !== '')
}

/** Returns conditions with one more, or undefined if the attribute has a condition with this operator. */
function withConstraint(
  when: TargetingRule['when'],
  { contextName, operator, values }: Constraint,
): TargetingRule['when'] | undefined {
  const name = operators.get(operator) ?? 'in'
  const condition: Condition = when[contextName] ?? {}
  if (condition[name] !== undefined) return undefined
  return { ...when, [contextName]: { ...condition, [name]: valuesOf(values) } }
}
