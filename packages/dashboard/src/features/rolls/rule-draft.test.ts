import { describe, expect, it } from 'vitest'
import { type Condition, type Operator, ruleOperators, type Scalar, type TargetingRule } from '@rollkey/contract/rules'
import { conditionText, draftsOf, moved, newRule, problemsOf, type RuleDraft, rulesOf } from './rule-draft.ts'

/** Returns a rule with one condition. */
function drafted(condition: Partial<RuleDraft['conditions'][number]>, rest: Partial<RuleDraft> = {}): RuleDraft {
  const rule = newRule()
  return { ...rule, ...rest, conditions: rule.conditions.map((each) => ({ ...each, attribute: 'plan', ...condition })) }
}

describe('rules as drafts', () => {
  const scalars: readonly Scalar[] = [
    '',
    'pro',
    ' a ',
    'a, b',
    '"',
    '1',
    'true',
    'line\nbreak',
    1,
    -2.5,
    1e21,
    true,
    false,
  ]
  const conditions: readonly Condition[] = [
    ...scalars.flatMap((equals) => [{ equals }, { in: [equals] }, { notIn: [equals, 'x'] }]),
    ...scalars
      .filter((value) => typeof value === 'string')
      .flatMap((text) => [{ startsWith: text }, { endsWith: [text, 'x'] }]),
    { in: scalars },
    { greaterThan: 17, lessThan: 65.5 },
    { semver: '>=1.2.0 <2.0.0' },
    { after: '2027-01-31', before: '2027-01-31T08:00:00Z' },
  ]

  it('are the same rules again, whatever they compare with', () => {
    for (const [at, condition] of conditions.entries()) {
      const when = { [['plan', '1', 'with space'][at % 3] ?? '']: condition, other: { equals: 'x' } }
      const rules: readonly TargetingRule[] = [{ when, then: (['a', 'b', 0.125] as const)[at % 3] ?? 'a' }]
      const drafts = draftsOf(rules)
      expect([problemsOf(drafts), JSON.stringify(rulesOf(drafts))]).toEqual([undefined, JSON.stringify(rules)])
    }
  })

  it.each([
    ['in', 'text', 'pro, "a, b", 1', ['pro', 'a, b', '1']],
    ['in', 'number', '1, 2.5', [1, 2.5]],
    ['notIn', 'boolean', 'true', [true]],
    ['in', 'mixed', '"1", 1, true', ['1', 1, true]],
    ['equals', 'text', 'a, b', 'a, b'],
    ['equals', 'number', '7', 7],
    ['startsWith', 'text', '@a.com', '@a.com'],
    ['endsWith', 'text', '@a.com, @b.com', ['@a.com', '@b.com']],
    ['greaterThan', 'text', ' 18 ', 18],
    ['semver', 'text', ' >=2.3.0 ', '>=2.3.0'],
  ] as const)('read %s as %s from %j', (operator, type, values, operand) => {
    expect(rulesOf([drafted({ operator, type, values })])).toEqual([
      { when: { plan: { [operator]: operand } }, then: 'a' },
    ])
  })
})

describe('a problem is shown at its part', () => {
  it.each([
    ['in', 'text', ' , ', 'Enter a value to compare the attribute with.'],
    ['in', 'text', '"open', 'A quoted value is not complete. End it with ", or remove its quotes.'],
    ['in', 'number', '1, two', 'two is not a number. Correct it, or compare as text.'],
    ['equals', 'boolean', 'yes', 'yes is not true or false. Correct it, or compare as text.'],
    ['in', 'mixed', 'pro', 'pro is not a JSON value. Put a text into double quotes.'],
    ['greaterThan', 'text', 'many', 'This is not a number: use equals or in for texts.'],
    ['semver', 'text', 'newest', /^This is not a range of versions \(expected one such as >=1.2.0 <2.0.0/],
    ['before', 'text', 'soon', /^This is not a date or time of RFC 3339/],
  ] as const)('%s as %s with %j', (operator, type, values, problem) => {
    const draft = drafted({ operator, type, values })
    const [text = '', ...others] = problemsOf([draft])?.values.values() ?? []
    expect(text).toMatch(problem)
    expect(others).toEqual([])
  })

  it('of an attribute or a chance', () => {
    const nameless = drafted({ attribute: '', values: 'x' })
    const [first] = drafted({ values: 'x' }).conditions
    const twice = { ...newRule(), conditions: [first, { ...first, id: -1 }] } as RuleDraft
    const chance = drafted({ values: 'x' }, { then: 'chance', percent: '' })
    const problems = problemsOf([nameless, twice, chance])
    expect([...(problems?.attributes ?? [])]).toEqual([
      [nameless.conditions[0]?.id, 'Name an attribute, such as plan.'],
      [-1, 'This rule compares the attribute in this way already. Put all values into one condition.'],
    ])
    expect([...(problems?.chances ?? [])]).toEqual([[chance.id, 'Enter a percentage from 0 to 100.']])
  })

  it('of all rules together', () => {
    const drafts = Array.from({ length: 101 }, () => drafted({ values: 'x' }))
    expect(problemsOf(drafts)?.all).toMatch(/^The list of rules is not a list of at most 100 rules/)
  })
})

describe('the words of a rule', () => {
  it.each([
    [{ plan: { in: ['pro', 'team'] } }, 'plan in pro, team'],
    [
      { plan: { equals: '1' }, age: { greaterThan: 17, lessThan: 65 } },
      'plan equals "1" and age greater than 17 and age less than 65',
    ],
    [{ beta: { equals: true }, level: { notIn: [1, '1'] } }, 'beta equals true and level not in 1, "1"'],
  ])('%j: %s', (when: TargetingRule['when'], words) => {
    expect(conditionText({ when, then: 'a' })).toBe(words)
  })

  it('have one for each operator of the contract', () => {
    const operand: Partial<Record<Operator, Scalar | readonly Scalar[]>> = { in: ['x'], notIn: ['x'] }
    for (const operator of ruleOperators) {
      expect(conditionText({ when: { plan: { [operator]: operand[operator] ?? 'x' } }, then: 'a' })).toMatch(
        /^plan [a-z ]+ x$/,
      )
    }
  })
})

it('a rule moves to another place', () => {
  const drafts = [1, 2, 3].map((at) => ({ ...newRule(), id: at }))
  expect(moved(drafts, 2, 0).map(({ id }) => id)).toEqual([3, 1, 2])
  expect(moved(drafts, 0, 1).map(({ id }) => id)).toEqual([2, 1, 3])
})
