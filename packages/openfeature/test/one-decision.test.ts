/**
 * One decision everywhere: random rolls and requests get the same side by evaluate, batch, pull, explain, OFREP, the SDK, its test
 * service, decisions in the process and both ways of the provider, which is that of a second implementation.
 */
import { createHash } from 'node:crypto'
import { OpenFeature, type EvaluationDetails } from '@openfeature/server-sdk'
import { createClient, type Client, type Context, type Local, type TargetingRule } from '@rollkey/sdk'
import { createTestService } from '@rollkey/sdk/testing'
import { afterAll, expect, test } from 'vitest'
import { seeded } from '../../server/testkit/random.ts'
import { isLong } from '../../server/testkit/long.ts'
import type { Answer } from '../../server/testkit/client.ts'
import { OfrepClient } from '../../server/testkit/ofrep.ts'
import { newOwner, newServiceToken, useTestEnv, write } from '../../server/testkit/test-env.ts'
import { RollkeyProvider } from '../src/index.ts'

const rollsOfRound = 20
const requestsOfRound = 50
const rounds = isLong ? 100 : 1
const testEnv = useTestEnv({ RATE_LIMIT_REQUESTS: '0', RATE_LIMIT_EXPENSIVE: '0' })
afterAll(() => OpenFeature.clearProviders())

interface Request {
  readonly seed: string
  readonly key: string
  readonly context?: Context
}

interface Roll {
  readonly name: string
  readonly kind: 'ab_roll'
  readonly valueA: string
  readonly valueB: string
  readonly chance: number
  readonly pins: { readonly a: string[]; readonly b: string[] }
  readonly rules: TargetingRule[]
  readonly labels: { readonly a: string; readonly b: string } | null
}

/** Makes rolls and requests from small pools, so that pins and rules often match. */
class Generator {
  readonly #next: () => number

  constructor(seed: number) {
    this.#next = seeded(seed)
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#next() * from.length)] as T
  }

  #some<T>(from: readonly T[], share: number): T[] {
    return from.filter(() => this.#next() < share)
  }

  readonly #seeds = ['user-1', 'user-2', 'Zoë-用户-🚀', 'a:b', ' user-1', 'USER-1', '__proto__', 'x'.repeat(1_024)]
  readonly #scalars = [
    'pro',
    'free',
    'Pro',
    '',
    'de',
    1,
    2.5,
    -3,
    true,
    false,
    '1',
    '1.2.3',
    '2.0.0-beta.1',
    '2027-01-31',
  ]
  readonly #attributes = ['plan', 'country', 'age', '__proto__', 'constructor', 'a.b']

  roll(name: string): Roll {
    const pinned = this.#some(this.#seeds, 0.3)
    const a = this.#some(pinned, 0.5)
    return {
      name,
      kind: 'ab_roll',
      valueA: `A of ${name}`,
      valueB: `B of ${name}`,
      chance: this.#pick([0, 1, 0.5, this.#next()]),
      pins: { a, b: pinned.filter((seed) => !a.includes(seed)) },
      labels: this.#pick([null, { a: 'on', b: 'off' }]),
      rules: Array.from({ length: this.#pick([0, 0, 1, 2, 5]) }, () => this.#rule()),
    }
  }

  #rule(): TargetingRule {
    const attributes = [this.#pick(this.#attributes), ...this.#some(this.#attributes, 0.15)]
    const when = JSON.parse(
      `{${[...new Set(attributes)].map((name) => `${JSON.stringify(name)}:${JSON.stringify(this.#condition())}`).join(',')}}`,
    ) as TargetingRule['when']
    return { when, then: this.#pick(['a', 'b', 0, 1, this.#next()] as const) }
  }

  #condition(): object {
    const list = [this.#pick(this.#scalars), ...this.#some(this.#scalars, 0.2)]
    return this.#pick([
      { in: list },
      { notIn: list },
      { equals: list[0] },
      { startsWith: this.#pick(['p', '', ['f', 'P']]) },
      { endsWith: this.#pick(['o', ['e', '1']]) },
      { greaterThan: this.#pick([0, 1, 2]) },
      { lessThan: this.#pick([0, 1, 3]), greaterThan: -5 },
      { semver: this.#pick(['^1.2', '>=2.0.0-alpha', '*', '1.x || 3']) },
      { before: this.#pick(['2027-02-01', '2027-01-31T00:00:00Z']) },
      { after: this.#pick(['2027-01-30', '2027-01-31']) },
    ])
  }

  request(): Request {
    const seed = this.#pick([...this.#seeds, 'user-3', ''])
    const key = this.#pick(['', 'checkout', 'k:v'])
    const values = [...this.#scalars, null, ['pro'], { plan: 'pro' }]
    const pairs = this.#some(this.#attributes, 0.5).map(
      (name) => `${JSON.stringify(name)}:${JSON.stringify(this.#pick(values))}`,
    )
    // Without seed and key, a chance would be random.
    return {
      seed,
      key: seed === '' && key === '' ? 'k' : key,
      ...(this.#next() < 0.8 && { context: JSON.parse(`{${pairs.join(',')}}`) as Context }),
    }
  }
}

/** The second implementation. */
function expectedSide(roll: Roll, { seed, key, context }: Request): 'a' | 'b' {
  if (roll.pins.a.includes(seed)) return 'a'
  if (roll.pins.b.includes(seed)) return 'b'
  const digest = createHash('sha256').update(`ab_roll:${roll.name}:${seed}:${key}`).digest()
  const bucket = Number(digest.readBigUInt64BE() >> 11n) / 2 ** 53
  const attributes = new Map(Object.entries(context ?? {}))
  for (const { when, then } of context ? roll.rules : []) {
    const isMatch = Object.entries(when).every(([name, condition]) =>
      Object.entries(condition as object).every(([operator, operand]) =>
        fulfills(attributes.get(name), operator, operand),
      ),
    )
    if (isMatch) return typeof then === 'number' ? (bucket < then ? 'a' : 'b') : then
  }
  return bucket < roll.chance ? 'a' : 'b'
}

function fulfills(value: unknown, operator: string, operand: unknown): boolean {
  if (!['string', 'number', 'boolean'].includes(typeof value)) return false
  const parts = [operand].flat() as string[]
  const text = typeof value === 'string' ? value : undefined
  switch (operator) {
    case 'in':
      return parts.some((part: unknown) => part === value)
    case 'notIn':
      return !parts.some((part: unknown) => part === value)
    case 'equals':
      return operand === value
    case 'startsWith':
      return text !== undefined && parts.some((part) => text.slice(0, part.length) === part)
    case 'endsWith':
      return text !== undefined && parts.some((part) => text.slice(text.length - part.length) === part)
    case 'greaterThan':
      return typeof value === 'number' && value > (operand as number)
    case 'lessThan':
      return typeof value === 'number' && value < (operand as number)
    case 'semver':
      // Of the pools, only these are versions.
      return {
        '^1.2': text === '1.2.3',
        '1.x || 3': text === '1.2.3',
        '*': text === '1.2.3',
        '>=2.0.0-alpha': text === '2.0.0-beta.1',
      }[operand as string] as boolean
    default: {
      const isDate = text === '2027-01-31'
      const [at, other] = [Date.parse('2027-01-31'), Date.parse(operand as string)]
      return isDate && (operator === 'before' ? at < other : at > other)
    }
  }
}

const sideOf = (value: unknown): string => String(value).charAt(0).toLowerCase()

interface OfrepFlag {
  readonly key: string
  readonly value: unknown
  readonly variant: string
  readonly reason: string
}

/** Asserts that the provider and OFREP give a flag the same variant and, unless it is cached, the same reason. */
function expectAsByOfrep({ variant, reason }: EvaluationDetails<string>, flag: OfrepFlag | undefined): void {
  expect({ variant, reason: reason === 'CACHED' ? flag?.reason : reason }).toEqual({
    variant: flag?.variant,
    reason: flag?.reason,
  })
}

/** Returns the sides of all rolls for one request, by way of evaluation. */
async function sidesBy(rolls: readonly Roll[], request: Request, ways: Ways): Promise<Record<string, string[]>> {
  const { seed, key, context } = request
  const names = rolls.map(({ name }) => name)
  const { api, sdk, double, local, ofrep, flags, localFlags } = ways
  const inspected = async (client: Client) =>
    (await Promise.all(names.map((name) => client.inspect(name, request)))).map(({ decision }) => decision ?? '')
  const targeting = { ...context, targetingKey: seed, rollKey: key }
  const bulk = (await ofrep.all(targeting)).flags as OfrepFlag[]
  const pulled = (await api('pull', request)).variables as Record<string, string>
  const { results } = (await api('evaluateBatch', {
    entries: names.map((name) => ({ name, seed, key })),
    context,
  })) as {
    results: { decision: string }[]
  }
  const details = await Promise.all(names.map((name) => flags.getStringDetails(name, '', targeting as never)))
  const localDetails = await Promise.all(names.map((name) => localFlags.getStringDetails(name, '', targeting as never)))
  for (const flag of [...details, ...localDetails])
    expectAsByOfrep(
      flag,
      bulk.find(({ key: name }) => name === flag.flagKey),
    )
  const single = await Promise.all(names.map((name) => api('evaluate', { name, ...request })))
  return {
    evaluate: single.map(({ decision }) => String(decision)),
    batch: results.map(({ decision }) => decision),
    pull: names.map((name) => sideOf(pulled[name])),
    explain: await Promise.all(
      names.map(async (name) => String((await api('explain', { name, ...request })).decision)),
    ),
    'OFREP, one flag': await Promise.all(names.map(async (name) => sideOf((await ofrep.one(name, targeting)).value))),
    'OFREP, all flags': names.map((name) => sideOf(bulk.find((flag) => flag.key === name)?.value)),
    SDK: await inspected(sdk),
    'test service': await inspected(double),
    'in the process': names.map((name) => local.inspect(name, request).decision ?? ''),
    provider: details.map(({ value }) => sideOf(value)),
    'provider, in the process': localDetails.map(({ value }) => sideOf(value)),
  }
}

interface Ways {
  readonly api: (name: 'evaluate' | 'evaluateBatch' | 'pull' | 'explain', more: object) => Promise<Answer['body']>
  readonly sdk: Client
  readonly double: Client
  readonly local: Local
  readonly ofrep: {
    readonly one: (key: string, context: object) => Promise<Answer['body']>
    readonly all: (context: object) => Promise<Answer['body']>
  }
  readonly flags: ReturnType<typeof OpenFeature.getClient>
  readonly localFlags: ReturnType<typeof OpenFeature.getClient>
}

async function waysTo(rolls: readonly Roll[], round: number): Promise<Ways> {
  const tenant = await newOwner(testEnv)
  const { orgSlug: org, projectSlug, stageSlug } = tenant.at
  await write(testEnv, tenant, [...rolls])
  const made = await newServiceToken(testEnv, tenant, { projectSlug, stageSlug, role: 'developer' })
  const token = made.token as string
  const options = { url: testEnv.app.url, org, project: projectSlug, stage: stageSlug, token }
  const sdk = createClient(options)
  const double = createTestService()
  await double.client.write({ entries: rolls })
  const domain = `round-${round}`
  await OpenFeature.setProviderAndWait(domain, new RollkeyProvider(options))
  const inProcess = new RollkeyProvider(options, { decide: 'in-process' })
  await OpenFeature.setProviderAndWait(`${domain}-local`, inProcess)
  const ofrep = new OfrepClient(testEnv.app.url)
  return {
    api: (name, more) => testEnv.client.must(name, { ...tenant.at, ...more }, { token }),
    sdk,
    double: double.client,
    local: await sdk.local(),
    ofrep: {
      one: async (key, context) => (await ofrep.one(key, context, { token })).body,
      all: async (context) => (await ofrep.all(context, { token })).body,
    },
    flags: OpenFeature.getClient(domain),
    localFlags: OpenFeature.getClient(`${domain}-local`),
  }
}

test.each(Array.from({ length: rounds }, (_, round) => round))(
  `${rollsOfRound * requestsOfRound} random cases of seed %i have one decision`,
  async (round) => {
    const generator = new Generator(round + 1)
    const rolls = Array.from({ length: rollsOfRound }, (_, index) => generator.roll(`R${round}_${index}`))
    const ways = await waysTo(rolls, round)
    const seen = { a: 0, b: 0 }
    for (let i = 0; i < requestsOfRound; i++) {
      const request = generator.request()
      const expected = rolls.map((roll) => expectedSide(roll, request))
      for (const side of expected) seen[side]++
      for (const [way, sides] of Object.entries(await sidesBy(rolls, request, ways)))
        expect([way, request, sides]).toEqual([way, request, expected])
    }
    // 492 of each on average, σ = 68: one seed in 10^10 has fewer.
    expect(Math.min(seen.a, seen.b)).toBeGreaterThan(50)
  },
)
