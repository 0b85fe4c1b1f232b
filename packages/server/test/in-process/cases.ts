/** Published and random decisions, and what the rules of the service give: what a decision in another language must be equal to. */
import { hash } from 'node:crypto'
import {
  bucketText,
  decide,
  sides,
  unitOfHash,
  type Context,
  type Decision,
  type TargetingRule,
} from '@rollkey/contract/rules'
import { knownDecisions } from '../../testkit/known-decisions.ts'
import type { Random } from '../../testkit/random.ts'

interface Case {
  readonly variable: {
    readonly name: string
    readonly kind: 'ab_roll'
    readonly valueA: string
    readonly valueB: string
    readonly chance: number
    readonly rules?: readonly TargetingRule[]
    readonly pins?: { readonly a: readonly string[]; readonly b: readonly string[] }
  }
  readonly salt: string
  readonly seed: string
  readonly key: string
  readonly context: Context | null
}

/** A case as a line of JSON, and the decision as it is reported. */
export interface ExpectedCase {
  readonly line: string
  readonly decision: object
}

/** Returns the published decisions. */
export function knownCases(): ExpectedCase[] {
  const salt = 'salt'
  return knownDecisions.map(({ name, seed, key, context = null, chance, rules, pins = {}, decision, step }) => {
    const hashed = {
      a: (pins.a ?? []).map((each) => pinHash(salt, each)),
      b: (pins.b ?? []).map((each) => pinHash(salt, each)),
    }
    const variable = {
      name,
      kind: 'ab_roll',
      valueA: 'A',
      valueB: 'B',
      chance,
      ...(rules && { rules }),
      pins: hashed,
    } as const
    const line = JSON.stringify({ variable, salt, seed, key, context } satisfies Case)
    return { line, decision: reported(variable, { decision, step }) }
  })
}

export function randomCase(random: Random): ExpectedCase {
  const line = JSON.stringify(newCase(random))
  return { line, decision: decisionOf(JSON.parse(line) as Case) }
}

function reported({ name, chance }: Case['variable'], { decision, step: { by, rule } }: Decision): object {
  return { name, decision, step: by, ...(by === 'rule' && { rule }), ...(by === 'chance' && { chance }) }
}

function decisionOf({ variable, salt, seed, key, context }: Case): object {
  const pin = pinHash(salt, seed)
  const pinned = seed === '' ? undefined : sides.find((side) => variable.pins?.[side].includes(pin))
  const unit = (): number => (seed === '' && key === '' ? 0.5 : unitOf(variable.name, seed, key))
  return reported(variable, decide(variable, { pinned, context: context ?? undefined, unit }))
}

function unitOf(name: string, seed: string, key: string): number {
  const digest = hash('sha256', bucketText(name, seed, key), 'buffer')
  return unitOfHash(digest.readUInt32BE(0), digest.readUInt32BE(4))
}

function pinHash(salt: string, seed: string): string {
  return hash('sha256', salt + seed, 'hex').slice(0, 32)
}

const names = ['NEW CHECKOUT', 'a', 'Größe', '用户-🚀', 'x:y', 'q"\\']
const seeds = ['', 'user-1', 'Zoë', 'Zoe\u0308', '用户-🚀', 'a:b', '\0\n\u2028"\\', 'é'.repeat(500), '🚀'.repeat(256)]
const keys = ['', '', 'k', 'ключ', ':']
const attributes = ['plan', '1', '', '__proto__', 'constructor', 'ключ 🚀', 'a.b']

function newCase(random: Random): Case {
  const name = random.pick(names)
  const seed = random.once(3) ? random.pick(seeds) : `user-${random.int(1_000_000)}`
  const key = random.pick(keys)
  const salt = random.pick(['', 'c2FsdA', 'Zoë-🚀'])
  // Without seed and key, only a certain chance has a known side.
  const chance = (): number =>
    seed === '' && key === '' ? random.int(2) : randomChance(random, unitOf(name, seed, key))
  const topics = Array.from({ length: random.once(4) ? 3 : 1 }, () => ({
    attribute: random.pick(attributes),
    topic: random.pick(Object.values(domains)),
  }))
  const rules = Array.from({ length: random.int(5) }, () => ({
    when: Object.fromEntries(
      topics
        .slice(0, random.int(topics.length) + 1)
        .map(({ attribute, topic }) => [attribute, conditionOf(random, topic)]),
    ),
    then: random.pick(['a', 'b', chance()] as const),
  }))
  const context = Object.fromEntries(
    topics.flatMap(({ attribute, topic }) => (random.once(12) ? [] : [[attribute, valueOf(random, topic)]])),
  )
  const variable = {
    name,
    kind: 'ab_roll',
    valueA: 'A',
    valueB: 'B',
    chance: chance(),
    ...(rules.length > 0 && { rules: rules as TargetingRule[] }),
    ...(random.once(8) && { pins: randomPins(random, salt, seed) }),
  } as const
  return { variable, salt, seed, key, context: random.once(20) ? null : context }
}

function randomChance(random: Random, unit: number): number {
  return random.pick([
    0,
    1,
    random.int(1_000) / 1_000,
    random.int(2 ** 32) / 2 ** 32,
    2 ** -53,
    unit,
    unit + 2 ** -53,
    unit / 3,
  ])
}

function randomPins(random: Random, salt: string, seed: string): { a: string[]; b: string[] } {
  const pins = { a: [pinHash(salt, 'x')], b: [pinHash(salt, 'y'), pinHash('', seed).toUpperCase()] }
  if (random.once(2)) pins[random.pick(['a', 'b'] as const)].push(pinHash(salt, seed))
  return pins
}

/** Values that are compared with each other, and operators that compare them. */
interface Domain {
  readonly operators: readonly string[]
  readonly value: (random: Random) => unknown
  /** @default value, as long as it is a scalar */
  readonly operand?: (random: Random) => unknown
}

/** Returns the text of a number that not every language reads as a double. */
const raw = (text: string): unknown => (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON(text)

const scalars: readonly unknown[] = [
  1,
  '1',
  true,
  'true',
  0,
  false,
  '',
  'false',
  '0',
  -1,
  1.5,
  '1.5',
  1e21,
  5e-324,
  2 ** 53,
  'pro',
  'Pro',
  'é',
  'e\u0301',
  '🚀',
  ...[
    '-0',
    '1.0',
    '1E0',
    '9007199254740993',
    '9223372036854775808',
    '-9223372036854775809',
    '1000000000000000000000',
    '1e-400',
  ].map(raw),
]
const others: readonly unknown[] = [null, [], ['pro'], [1], {}, { a: 1 }, raw('1e400')]
const texts = [
  'user_1',
  'user_',
  'user',
  'u',
  '',
  'zoe@example.com',
  'com',
  'é',
  'e',
  'e\u0301',
  '🚀x',
  '🚀',
  'x🚀',
  'USER_1',
  'user_\n',
]
const numbers = [
  0,
  1,
  1.5,
  -1.5,
  17,
  18,
  1e21,
  2 ** 53,
  0.1 + 0.2,
  0.3,
  raw('-0'),
  raw('17.0'),
  raw('9007199254740993'),
  raw('-1e0'),
]

const domains = {
  scalars: { operators: ['in', 'notIn', 'equals'], value: (random) => random.pick(scalars) },
  texts: { operators: ['startsWith', 'endsWith', 'in', 'equals'], value: (random) => random.pick(texts) },
  numbers: { operators: ['greaterThan', 'lessThan', 'equals', 'in'], value: (random) => random.pick(numbers) },
  dates: { operators: ['before', 'after'], value: randomDate },
  versions: { operators: ['semver'], value: randomVersion, operand: randomRange },
} satisfies Record<string, Domain>

function valueOf(random: Random, { value }: Domain): unknown {
  if (random.once(20)) return random.pick(others)
  return random.once(20) ? random.pick(Object.values(domains)).value(random) : value(random)
}

function conditionOf(random: Random, { operators, value, operand = value }: Domain): object {
  const length = random.once(8) ? 2 : 1
  return Object.fromEntries(
    Array.from({ length }, () => {
      const operator = random.pick(operators)
      const isList = operator === 'in' || operator === 'notIn' || (operator.endsWith('With') && random.once(2))
      return [operator, isList ? Array.from({ length: random.int(4) + 1 }, () => operand(random)) : operand(random)]
    }),
  )
}

const two = (number: number): string => String(number).padStart(2, '0')

/** Leap seconds, the dates around them, and what only looks like a date. */
const dates = [
  '2016-12-31T23:59:60Z',
  '2016-12-31T23:59:60.5Z',
  '2017-01-01T00:00:00Z',
  '2017-01-01T00:59:60+01:00',
  '2016-12-31T00:00:60-23:59',
  '2017-01-01T12:59:60Z',
  '2015-06-30T23:59:60Z',
  '2015-07-01',
  '2015-03-31T23:59:60Z',
  '2016-12-30T23:59:60Z',
  '0000-01-01',
  '0000-02-29',
  '0000-01-01T00:00:00+23:59',
  '1900-02-28',
  '1900-02-29',
  '2000-02-29',
  '9999-12-31T23:59:60Z',
  '9999-12-31T23:59:59-23:59',
  '2027-01-31\n',
  ' 2027-01-31',
  '２０２７-01-31',
  '٢٠٢٧-01-31',
  '2027-01-31T08:00Z',
  '2027-01-31T08:00:00',
  '2027-1-31',
  '2027-01-31T08:00:00.Z',
  '2027-01-31T08:00:00,5Z',
  '2027-01-31 08:00:00Z',
  '+2027-01-31',
  '2027-01-31T08:00:00+0100',
  '',
  '2027-01-31T08:00:00.0009Z',
  '2027-01-31T08:00:00.001Z',
  '2027-01-31T08:00:00.12345678901234567890Z',
]

function randomDate(random: Random): string {
  if (random.once(4)) return random.pick(dates)
  const hasFault = random.once(8)
  const year = random.pick(['2027', '2027', '2026', '2000', '1900', '2024', '0004', '1969', '1970', '9999'])
  const [month, day] = hasFault
    ? [random.int(14), random.pick([0, 29, 30, 31, 32])]
    : [random.int(12) + 1, random.pick([1, 15, 28])]
  const date = `${year}-${two(month)}-${two(day)}`
  if (random.once(3)) return date
  const time = hasFault
    ? random.pick(['24:00:00', '08:60:00', '08:00:61', '08:59:60', '23:59:60'])
    : `${two(random.pick([0, 8, 23]))}:59:${two(random.pick([0, 59]))}`
  const fraction = random.pick(['', '', '.5', '.50', '.123456', '.0'])
  const zone = random.pick([
    'Z',
    'z',
    '+00:00',
    '-00:00',
    '+01:00',
    '-08:30',
    '+23:59',
    ...(hasFault ? ['+24:00', '-00:60', ''] : []),
  ])
  return `${date}${random.pick(['T', 't'])}${time}${fraction}${zone}`
}

const largest = '9'.repeat(15)
const preReleases = ['0', '2', '10', 'alpha', 'alpha.1', '-', '0a', 'A', largest]

function randomVersion(random: Random): string {
  const version = `${randomNumbers(random, 3)}${randomSuffix(random)}`
  return random.once(8) ? withFault(random, version) : `${random.once(10) ? 'v' : ''}${version}`
}

function randomNumbers(random: Random, length: number): string {
  const numbersOfVersion = Array.from({ length }, () =>
    random.once(30) ? random.pick(['10', largest]) : String(random.int(2)),
  )
  return numbersOfVersion.join('.')
}

function randomSuffix(random: Random): string {
  const build = random.once(8) ? random.pick(['+build.5', '+01', '+a-b']) : ''
  return random.once(2) ? `-${random.pick(preReleases)}${build}` : build
}

/** Returns a version or a range with one fault, or what looks like one. */
function withFault(random: Random, text: string): string {
  const number = random.pick(['01', `1${largest}`, '', '1a', '１', '-1', 'x'])
  return random.pick([
    text.replace(/\d+/, number),
    `${random.pick([' ', '=', 'V', '==', '~>', '\n', '\u0085', '\u200b'])}${text}`,
    `${text}${random.pick([' ', '\n', '\u0085', '||', '|', ' -', ',', '.0', '-', '-01', '-é', '-1.', '+', '+é', '+a..b'])}`,
    text.replace(/ |$/, random.pick(['\u0085', '\u200b', '|', '|| ||'])),
    `1.0.0+${'b'.repeat(random.pick([249, 250, 251]))}`,
    '',
  ])
}

function randomRange(random: Random): string {
  const alternatives = Array.from({ length: random.once(4) ? 2 : 1 }, () =>
    Array.from({ length: random.once(3) ? 2 : 1 }, () => randomComparator(random)).join(
      random.pick([' ', '  ', '\t', '\u00a0', '\ufeff']),
    ),
  )
  const range = alternatives.join(random.pick(['||', ' || ', '||\u3000']))
  return random.once(12) ? withFault(random, range) : range
}

const operators = ['', '^', '~', '<=', '>=', '<', '>', '=', '^ ', '>=  ', '<\u2003']

function randomComparator(random: Random): string {
  const length = random.int(3) + 1
  const places = random.once(6) ? random.pick(['.x', '.X', '.*', '.x.x']) : ''
  const version = random.once(20)
    ? random.pick(['*', 'x', 'X.x', '*.*.*'])
    : `${randomNumbers(random, length)}${places}`
  return `${random.pick(operators)}${random.once(10) ? 'v' : ''}${version}${length === 3 ? randomSuffix(random) : ''}`
}
