import {
  limits,
  problemOfRules,
  ruleMatches,
  ruleOperators,
  type Condition,
  type Scalar,
  type TargetingRule,
} from '@rollkey/contract/rules'
import { describe, expect, test } from 'vitest'

const matches = (condition: Condition, context: object): boolean =>
  ruleMatches({ when: { x: condition }, then: 'a' }, { ...context })

/** A condition of each operator that some value fulfils. */
const samples: { readonly [Name in keyof Condition]-?: readonly [NonNullable<Condition[Name]>, fulfilling: Scalar] } = {
  in: [['1', 2], 2],
  notIn: [['1', 2], 3],
  equals: [true, true],
  startsWith: ['1', '12'],
  endsWith: [['1', '2'], '12'],
  greaterThan: [1, 2],
  lessThan: [2, 1],
  semver: ['1.x', '1.2.3'],
  before: ['2027-01-31', '2027-01-30'],
  after: ['2027-01-30', '2027-01-31'],
}

test('there is a sample of each operator', () => {
  expect(Object.keys(samples)).toEqual(ruleOperators)
})

describe.each(ruleOperators)('%s', (operator) => {
  const [operand, fulfilling] = samples[operator]
  const condition = { [operator]: operand }

  test('matches a value that fulfils it', () => {
    expect(matches(condition, { x: fulfilling })).toBe(true)
  })

  test('matches no attribute that is missing, inherited, or not a text, number or boolean', () => {
    for (const context of [
      {},
      { y: fulfilling },
      { x: null },
      { x: undefined },
      { x: [fulfilling] },
      { x: { y: 1 } },
      { x: NaN },
    ])
      expect(matches(condition, context)).toBe(false)
    expect(
      ruleMatches({ when: { x: condition }, then: 'a' }, Object.create({ x: fulfilling }) as object as never),
    ).toBe(false)
  })

  test('refuses operands of another type and names where', () => {
    for (const wrong of [null, {}, [], [[]], [null], [{}], undefined, NaN, '\ud800']) {
      const problem = problemOfRules([{ when: { x: { [operator]: wrong } }, then: 'a' }])
      expect(problem?.path).toEqual([0, 'when', 'x', operator])
      expect(problem?.message).toMatch(/^is not .+: .+/)
    }
  })
})

test('all conditions of a rule and all operators of a condition must be fulfilled', () => {
  const rule: TargetingRule = { when: { x: { greaterThan: 1, lessThan: 9 }, y: { notIn: ['z'] } }, then: 'a' }
  expect(ruleMatches(rule, { x: 5, y: '' })).toBe(true)
  for (const context of [{ x: 5 }, { x: 5, y: 'z' }, { x: 9, y: '' }, { x: 1, y: '' }, { x: '5', y: '' }])
    expect(ruleMatches(rule, context)).toBe(false)
})

test.each(['__proto__', 'constructor', 'toString'])('an attribute may be named %s', (name) => {
  const rule = JSON.parse(`[{"when":{"${name}":{"notIn":["x"]}},"then":"a"}]`) as TargetingRule[]
  expect(problemOfRules(rule)).toBeUndefined()
  expect(ruleMatches(rule[0] as TargetingRule, {})).toBe(false)
  expect(ruleMatches(rule[0] as TargetingRule, JSON.parse(`{"${name}":"y"}`) as object as never)).toBe(true)
})

describe('rules', () => {
  const rule = { when: { plan: { in: ['canary'] } }, then: 0.5 }

  test.each<[string, unknown, string]>([
    ['not a list', rule, ''],
    ['too many', Array.from({ length: limits.targetingRules + 1 }, () => rule), ''],
    [
      'too large',
      [
        {
          when: { x: { in: Array.from({ length: 1000 }, (_, index) => `${'canary'.repeat(11)}${index}`) } },
          then: 'a',
        },
      ],
      '',
    ],
    ['not an object', [rule, 'canary'], '1'],
    ['no when', [{ then: 'a' }], '0.when'],
    ['an empty when', [{ when: {}, then: 'a' }], '0.when'],
    ['an attribute without a name', [{ when: { '': { equals: 1 } }, then: 'a' }], '0.when'],
    ['a long name of an attribute', [{ when: { ['x'.repeat(257)]: { equals: 1 } }, then: 'a' }], '0.when'],
    ['no operator', [{ when: { plan: {} }, then: 'a' }], '0.when.plan'],
    ['an unknown operator', [{ when: { plan: { equals: 1, canary: ['canary'] } }, then: 'a' }], '0.when.plan'],
    ['an inherited operator', [{ when: { plan: { toString: 1 } }, then: 'a' }], '0.when.plan'],
    ['a value in place of operators', [{ when: { plan: 'canary' }, then: 'a' }], '0.when.plan'],
    ['too many values', [{ when: { x: { in: Array.from({ length: 1001 }, () => 1) } }, then: 'a' }], '0.when.x.in'],
    ['a malformed range', [{ when: { x: { semver: '1.2 - 1.4' } }, then: 'a' }], '0.when.x.semver'],
    ['a long range', [{ when: { x: { semver: `${'1 '.repeat(128)}1` } }, then: 'a' }], '0.when.x.semver'],
    ['no date', [{ when: { x: { before: '2027-02-29' } }, then: 'a' }], '0.when.x.before'],
    ['no then', [{ when: rule.when }], '0.then'],
    ['another side', [{ ...rule, then: 'canary' }], '0.then'],
    ['a chance above 1', [{ ...rule, then: 1.1 }], '0.then'],
    ['a chance below 0', [{ ...rule, then: -0.1 }], '0.then'],
  ])('are refused: %s', (_, rules, path) => {
    const problem = problemOfRules(rules)
    expect(problem?.path.join('.')).toBe(path)
    expect(problem?.message).toMatch(/^(is|has) .+: .+/)
    expect(problem?.message).not.toContain('canary')
  })

  test('are accepted up to the limits', () => {
    expect(problemOfRules([])).toBeUndefined()
    expect(problemOfRules(Array.from({ length: limits.targetingRules }, () => rule))).toBeUndefined()
    for (const then of ['a', 'b', 0, 1, 0.5]) expect(problemOfRules([{ ...rule, then }])).toBeUndefined()
  })
})
