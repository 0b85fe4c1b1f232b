/**
 * Flags as unleash-server 8.2.0 answered its SDKs on 2026-11-29, and the roll of each. `process/unleash-server.test.ts` compares the
 * decisions of the two with a server that runs.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { mapFlag, type Flag } from '../../../src/imports/unleash/flag.ts'
import { mapFlags, parseFlags } from '../../../src/imports/unleash/read.ts'

const recorded = readFileSync(path.join(import.meta.dirname, '../../fixtures/unleash-features.json.txt'), 'utf8')

const pro = { plan: { in: ['pro'] } }
const swiss = { country: { in: ['CH'] } }
const example = { email: { endsWith: ['@example.com'] } }

const rolls: Record<string, [details: string, chance: number, rules?: object[]]> = {
  'for-all': ['100%', 1],
  quarter: ['25%, seed: userId or sessionId', 0.25],
  'by-session': ['40%, seed: sessionId, stale', 0.4],
  'at-random': ['10%, without a seed and a key', 0.1],
  'no-one': ['0%', 0],
  off: ['0%, off: without its strategies', 0],
  'off-child': ['0%, off: without its strategies', 0],
  in: ['0%, 1 rule', 0, [{ when: { plan: { in: ['pro', 'team'] } }, then: 'a' }]],
  'in-half': ['0%, seed: userId or sessionId, 1 rule', 0, [{ when: { ...pro, ...example }, then: 0.5 }]],
  'not-in': ['30%, seed: userId or sessionId, 1 rule', 0.3, [{ when: { country: { in: ['CH', 'AT'] } }, then: 'b' }]],
  'inverted-in': [
    '0%, seed: userId or sessionId, 2 rules',
    0,
    [
      { when: { ...pro, ...swiss }, then: 'b' },
      { when: pro, then: 0.3 },
    ],
  ],
  'inverted-not-in': ['0%, seed: userId or sessionId, 1 rule', 0, [{ when: swiss, then: 0.3 }]],
  'inverted-starts': ['100%, 1 rule', 1, [{ when: { email: { startsWith: ['root@'] } }, then: 'b' }]],
  'pro-first': ['20%, seed: userId or sessionId, 1 rule', 0.2, [{ when: pro, then: 'a' }]],
  'other-group': [
    '0%, seed: userId or sessionId, 2 rules',
    0,
    [
      { when: pro, then: 'a' },
      { when: { plan: { in: ['team'] } }, then: 0.3 },
    ],
  ],
  'not-in-last': [
    '20%, seed: userId or sessionId, 2 rules',
    0.2,
    [
      { when: pro, then: 0.6 },
      { when: swiss, then: 'b' },
    ],
  ],
  'not-in-over-all': ['60%, seed: userId or sessionId, 1 rule', 0.6, [{ when: swiss, then: 0.2 }]],
  segment: ['0%, seed: userId or sessionId, 1 rule', 0, [{ when: swiss, then: 0.4 }]],
  variants: ['25%, seed: userId', 0.25],
}

const several = 'variants, except two with payloads of one type that all users get'
const unmapped: Record<string, string> = {
  'starts-any-case': 'STR_STARTS_WITH of email without regard to case',
  contains: 'STR_CONTAINS of email',
  number: 'NUM_GTE of age',
  date: 'DATE_AFTER of currentTime',
  semver: 'SEMVER_GT of appVersion',
  environment: 'IN of environment, which the SDKs of Unleash fill in',
  twice: 'IN of plan beside a similar constraint',
  'two-groups': 'several strategies that draw users independently',
  'two-random': 'several strategies that draw users independently',
  'not-in-first': 'an inverted constraint or NOT_IN beside other strategies',
  custom: 'the strategy byMoon',
  child: 'depends on quarter',
  'three-variants': several,
  'variants-for-half': several,
  'variants-off': several,
}

test('each flag becomes the roll that decides alike, or its report says why not', () => {
  const { variables, unmapped: others } = mapFlags(parseFlags(recorded))
  const found = variables.map(({ entry, details }) => {
    if (entry.kind !== 'ab_roll') throw new Error(`${entry.name} is not a roll`)
    return [entry.name, [details, entry.chance, ...(entry.rules ? [entry.rules] : [])]]
  })
  expect(Object.fromEntries(found)).toEqual(rolls)
  expect(Object.fromEntries(others.map(({ name, reasons }) => [name, reasons.join('; ')]))).toEqual(unmapped)
})

test('a roll has the values, the names of the sides and the description of its flag', () => {
  const { variables } = mapFlags(parseFlags(recorded))
  const byName = Object.fromEntries(variables.map(({ entry }) => [entry.name, entry]))
  const common = { kind: 'ab_roll', chance: 0.25, rules: null, exposure: 'plain' }
  expect(byName['quarter']).toEqual({
    ...common,
    name: 'quarter',
    valueA: 'true',
    valueB: 'false',
    declaredType: 'boolean',
    labels: { a: 'on', b: 'off' },
    description: 'A new checkout',
  })
  expect(byName['variants']).toEqual({
    ...common,
    name: 'variants',
    valueA: 'b',
    valueB: 'g',
    declaredType: 'string',
    labels: { a: 'blue', b: 'green' },
  })
})

/** What today's server no longer has, or does not send. */
test.each<[string, Partial<Flag>, string]>([
  ['older gradual rollouts', { strategies: [gradual('UserId'), gradual('UserId', '10')] }, '30%, seed: userId'],
  ['several of them', { strategies: [gradual('UserId'), gradual('SessionId')] }, 'several strategies that draw users'],
  ['users by id', { strategies: [{ name: 'userWithId', parameters: { userIds: 'a' } }] }, 'the strategy userWithId'],
  ['inherited names', { strategies: [{ name: 'constructor' }] }, 'the strategy constructor'],
  ['inherited operators', { strategies: [constrained(['x'], 'constructor')] }, 'constructor of plan'],
  ['no strategy', { strategies: [] }, '100%'],
  ['half a percent', { strategies: [gradual('UserId', '0.5')] }, 'the percentage of gradualRolloutUserId'],
  ['no percentage', { strategies: [{ name: 'flexibleRollout' }] }, 'the percentage of flexibleRollout'],
  ['a segment that is not inlined', { strategies: [{ name: 'default', segments: [1] }] }, 'a segment without'],
  ['no values', { strategies: [constrained([' '])] }, 'IN of plan without values'],
  [
    'many values',
    { strategies: [constrained(Array(1_001).fill('x'))] },
    'its rules: 0.when.plan.in is not a list of 1 to',
  ],
  ['a long description', { description: 'x'.repeat(1_001) }, '100%, without its description'],
])('decides or names %s', (_, flag, expected) => {
  const mapped = mapFlag({ name: 'f', enabled: true, strategies: [], ...flag })
  expect('entry' in mapped ? mapped.details : mapped.reasons.join('; ')).toContain(expected)
})

test.each([
  [{ features: {} }],
  [{ features: [{ name: 'f' }] }],
  [{ features: [{ name: 'f', strategies: [null] }] }],
  [{ features: [{ name: 'f', strategies: [{ name: 'default', constraints: [{ operator: 'IN' }] }] }] }],
  [{ features: [{ name: 'f', strategies: [{ name: 'default', variants: [1] }] }] }],
  [{ features: [{ name: 'f', strategies: [], dependencies: {} }] }],
])('refuses another answer: %j', (answer) => {
  expect(() => parseFlags(JSON.stringify(answer))).toThrow('Unleash: Expected its answer to SDKs, a list of flags')
})

function gradual(by: string, percentage = '30') {
  return { name: `gradualRollout${by}`, parameters: { percentage, groupId: 'g' } }
}

function constrained(values: string[], operator = 'IN') {
  return { name: 'default', constraints: [{ contextName: 'plan', operator, values }] }
}
