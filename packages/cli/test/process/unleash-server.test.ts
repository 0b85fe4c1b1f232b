/**
 * `rollkey import --from unleash` from a real unleash-server, which the bench installs from npm: 200 generated flags, and their decisions
 * for 10,000 users beside those of Unleash's own library.
 */
import { once } from 'node:events'
import { createRequire } from 'node:module'
import path from 'node:path'
import { createClient } from '@rollkey/sdk'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import {
  addUnleashFlag,
  installed,
  installUnleash,
  startUnleashServer,
  unleashBackendToken,
} from '../../../../bench/peers.ts'
import { isLong } from '../../../server/testkit/long.ts'
import { newDatabase, startPostgres } from '../../../server/testkit/postgres.ts'
import { Random, runSeed } from '../../../server/testkit/random.ts'
import { newServiceToken, useTestEnv } from '../../../server/testkit/test-env.ts'
import { useTestCli } from '../../testkit/cli.ts'

const testEnv = useTestEnv()
const cli = useTestCli(testEnv)
const users = Array.from({ length: 10_000 }, (_, at) => `user-${runSeed}-${at}`)

interface Constraint {
  readonly contextName: string
  readonly operator: string
  readonly values: readonly string[]
  readonly inverted?: boolean
  readonly caseInsensitive?: boolean
}

interface Strategy {
  readonly percentage: number
  readonly group: string
  readonly stickiness: string
  readonly constraints: readonly Constraint[]
}

interface Flag {
  readonly name: string
  readonly isOn: boolean
  readonly isMapped: boolean
  readonly strategies: readonly Strategy[]
}

type Attributes = Readonly<Record<string, string>>

const contexts: readonly Attributes[] = [
  {},
  { plan: 'pro', country: 'CH', email: 'ann@example.com' },
  { plan: 'team', country: 'DE', email: 'root@example.org' },
  { plan: 'free', country: 'CH' },
  { plan: 'pro', country: 'FR', email: 'root@example.com' },
]
const constraints: Readonly<Record<string, (random: Random) => Constraint>> = {
  plan: (random) => ({ contextName: 'plan', operator: 'IN', values: random.pick([['pro'], ['pro', 'team'], ['x']]) }),
  country: () => ({ contextName: 'country', operator: 'IN', values: ['CH', 'FR'] }),
  email: (random) =>
    random.pick([
      { contextName: 'email', operator: 'STR_ENDS_WITH', values: ['@example.com'] },
      { contextName: 'email', operator: 'STR_STARTS_WITH', values: ['root@', 'admin@'] },
    ]),
}
/** What Rollkey has no equal condition for. */
const foreign: readonly object[] = [
  { contextName: 'email', operator: 'STR_CONTAINS', values: ['example'] },
  { contextName: 'email', operator: 'STR_ENDS_WITH', values: ['.COM'], caseInsensitive: true },
  { contextName: 'age', operator: 'NUM_GTE', value: '18' },
  { contextName: 'currentTime', operator: 'DATE_AFTER', value: '2026-01-01T00:00:00.000Z' },
  { contextName: 'appVersion', operator: 'SEMVER_GT', value: '1.2.3' },
]

class Flags {
  readonly #random = new Random(42)

  next(at: number): Flag {
    const random = this.#random
    const kind = random.pick([
      'for-all',
      'one',
      'several',
      'groups',
      'except',
      'off',
      'foreign',
      'draws',
      'except-first',
    ])
    const name = `${kind}-${at}`
    return { name, isOn: kind !== 'off', isMapped: true, ...this.#strategies(kind, name) }
  }

  #strategies(kind: string, name: string): Pick<Flag, 'strategies'> & { readonly isMapped?: false } {
    const random = this.#random
    const stickiness = random.pick(['default', 'userId', 'sessionId'])
    const strategy = (percentage: number, held: readonly Constraint[] = [], group = name): Strategy => ({
      percentage,
      group,
      stickiness,
      constraints: held,
    })
    const some = random.int(101)
    switch (kind) {
      case 'one':
        return { strategies: [strategy(some, this.#held(true))] }
      case 'several':
        return { strategies: [strategy(some), strategy(random.int(101), this.#held()), strategy(100, this.#held())] }
      case 'groups':
        return { strategies: [strategy(some, this.#held()), strategy(100, this.#held(), 'other')] }
      case 'except':
        return { strategies: [strategy(20, [this.#inverted()]), strategy(70, this.#held()), strategy(10)] }
      case 'foreign':
        return { isMapped: false, strategies: [strategy(50, [random.pick(foreign) as Constraint])] }
      case 'draws':
        return { isMapped: false, strategies: [strategy(50, this.#held()), strategy(20, [], 'other')] }
      case 'except-first':
        return { isMapped: false, strategies: [strategy(70, [this.#inverted()]), strategy(20, this.#held())] }
      default:
        return { strategies: [strategy(some)] }
    }
  }

  /** Returns constraints of different attributes. */
  #held(mayInvert = false): Constraint[] {
    const random = this.#random
    const attributes = Object.keys(constraints).filter(() => random.once(2))
    return (attributes.length > 0 ? attributes : ['plan']).map((attribute) => {
      const constraint = (constraints[attribute] as (random: Random) => Constraint)(random)
      return mayInvert && random.once(3) ? { ...constraint, inverted: true } : constraint
    })
  }

  #inverted(): Constraint {
    return { contextName: 'country', operator: 'NOT_IN', values: this.#random.pick([['CH'], ['DE', 'FR']]) }
  }
}

function isFulfilled({ contextName, operator, values, inverted = false }: Constraint, context: Attributes): boolean {
  const value = context[contextName]
  const isAny = values.some((each) => {
    if (operator === 'STR_ENDS_WITH') return value?.endsWith(each)
    return operator === 'STR_STARTS_WITH' ? value?.startsWith(each) : value === each
  })
  return (operator === 'NOT_IN' ? !isAny : isAny) !== inverted
}

/** Returns the share of users for whom a flag is on. */
function shareOf({ isOn, strategies }: Flag, context: Attributes): number {
  const held = strategies.filter((each) => each.constraints.every((constraint) => isFulfilled(constraint, context)))
  return isOn ? Math.max(0, ...held.map(({ percentage }) => percentage)) / 100 : 0
}

/**
 * Returns how far a count may be from its mean. By Bernstein's inequality, it is further once in 10^13 counts; the test has fewer than
 * 2,000, so it fails without a fault less than once in 10^9 runs.
 */
function tolerance(share: number): number {
  const exponent = Math.log(2e13)
  const variance = users.length * share * (1 - share)
  return variance === 0 ? 0 : exponent / 3 + Math.sqrt((exponent / 3) ** 2 + 2 * variance * exponent)
}

/** Returns Unleash's own library with the flags of a server. */
async function libraryWith(features: readonly unknown[]) {
  // oxlint-disable-next-line typescript/no-explicit-any -- the project does not have its types
  const theirs = createRequire(path.join(installed, 'package.json')) as (library: string) => any
  const { Unleash, InMemStorageProvider } = theirs('unleash-client')
  const library = new Unleash({
    url: 'http://127.0.0.1:9',
    appName: 'test',
    refreshInterval: 0,
    disableMetrics: true,
    bootstrap: { data: features },
    storageProvider: new InMemStorageProvider(),
  })
  library.on('error', () => {})
  await once(library, 'ready')
  onTestFinished(() => library.destroy())
  return (name: string, user: string, context: Attributes): boolean =>
    library.isEnabled(name, { userId: user, sessionId: user, properties: context })
}

beforeAll(async () => {
  if (!isLong) return
  const failed = await installUnleash()
  if (failed !== undefined) throw new Error(`npm could not install unleash-server: ${failed}`)
})

async function startServerWith(flags: readonly Flag[]): Promise<string> {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.close())
  const server = await startUnleashServer(await newDatabase(postgres.url))
  onTestFinished(() => server.stop())
  for (const { name, isOn, strategies } of flags) {
    const sent = strategies.map(({ percentage, group, stickiness, constraints: held }) => ({
      name: 'flexibleRollout',
      parameters: { rollout: String(percentage), stickiness, groupId: group },
      constraints: held,
    }))
    await addUnleashFlag(server, name, { strategies: sent, isOn })
  }
  return server.url
}

/** Returns the flags that the server sends to programs, once they are all as added. It refreshes them a second after a change. */
async function sentFlags(url: string, flags: readonly Flag[]): Promise<readonly unknown[]> {
  let features: readonly { readonly enabled: boolean }[] = []
  await expect
    .poll(async () => {
      const reply = await fetch(`${url}/api/client/features`, { headers: { authorization: unleashBackendToken } })
      ;({ features } = (await reply.json()) as { features: typeof features })
      return [features.length, features.filter(({ enabled }) => enabled).length]
    })
    // A flag is switched on last.
    .toEqual([flags.length, flags.filter(({ isOn }) => isOn).length])
  return features
}

test.runIf(isLong)('200 flags of a server decide as their percentages say, and each other one is named', async () => {
  const generator = new Flags()
  const flags = Array.from({ length: 200 }, (_, at) => generator.next(at))
  const url = await startServerWith(flags)
  const features = await sentFlags(url, flags)
  cli.env['UNLEASH_TOKEN'] = unleashBackendToken
  const args = ['import', '--from', 'unleash', '--address', url, '--stage', 'flags', '--any-name', '--json'] as const
  const ended = await cli.run(...args, '--create', '--yes')
  expect(ended.status, ended.stderr).toBe(0)
  const { unmapped } = JSON.parse(ended.stdout) as { unmapped: { name: string; reasons: string[] }[] }
  const mapped = flags.filter(({ isMapped }) => isMapped)
  expect(unmapped.map(({ name }) => name).toSorted()).toEqual(
    flags.flatMap(({ name, isMapped }) => (isMapped ? [] : name)).toSorted(),
  )
  expect(unmapped.every(({ reasons }) => reasons.length > 0)).toBe(true)
  // Before the decisions, during which the server ends the idle connection of this process.
  const again = await cli.run(...args, '--yes')
  expect(again.status, again.stderr).toBe(0)
  expect(JSON.parse(again.stdout)).toMatchObject({ revision: 1 })

  const at = { ...cli.tenant, at: { ...cli.tenant.at, stageSlug: 'flags' } }
  const { token } = await newServiceToken(testEnv, at, { role: 'reader' })
  const { orgSlug: org, projectSlug: project, stageSlug: stage } = at.at
  const client = createClient({ url: testEnv.app.url, org, project, stage, token })
  const local = await client.local({ reports: false })
  onTestFinished(() => local.close())
  const isOnInUnleash = await libraryWith(features)
  const wrong: string[] = []
  for (const flag of mapped) {
    for (const context of contexts) {
      const share = shareOf(flag, context)
      const counts = {
        rollkey: users.filter((user) => local.get(flag.name, { seed: user, context }) === true).length,
        unleash: users.filter((user) => isOnInUnleash(flag.name, user, context)).length,
      }
      for (const [who, count] of Object.entries(counts))
        if (Math.abs(count - share * users.length) > tolerance(share))
          wrong.push(`${who}, ${flag.name}, ${JSON.stringify(context)}: ${count} of ${users.length}, not ${share}`)
    }
  }
  expect(wrong).toEqual([])
  expect(mapped.length).toBeGreaterThan(80)
})
