/**
 * Measures decisions of one client library in this process: `decider.ts NAME FOLDER`, where FOLDER has the libraries of others. Writes the
 * nanoseconds of processor time of a decision in each round, and the bytes that one leaves as garbage, as a line of JSON.
 */
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import path from 'node:path'
import { createTestService } from '@rollkey/sdk/testing'

/** Decides for a user. Some libraries answer with a promise. */
type Decide = (user: string) => unknown

const [name = '', folder = '.'] = process.argv.slice(2)
// oxlint-disable-next-line typescript/no-explicit-any -- the project does not have their types
const theirs = createRequire(path.join(folder, 'package.json')) as (library: string) => any
const users = Array.from({ length: 1_000 }, (_, at) => `user-${at}`)
/** An attribute that the rule does not match. */
const plan = 'free'

async function rollkey(): Promise<Decide> {
  const { client } = createTestService({
    variables: {
      CHECKOUT: { a: true, b: false, chance: 0.5, rules: [{ when: { plan: { in: ['pro'] } }, then: 'a' }] },
    },
  })
  const local = await client.local({ reports: false })
  return (user) => local.get('CHECKOUT', { seed: user, context: { plan } })
}

async function unleash(): Promise<Decide> {
  const { Unleash, InMemStorageProvider } = theirs('unleash-client')
  const strategies = [
    {
      name: 'flexibleRollout',
      parameters: { rollout: '100', stickiness: 'userId', groupId: 'CHECKOUT' },
      constraints: [{ contextName: 'plan', operator: 'IN', values: ['pro'] }],
    },
    { name: 'flexibleRollout', parameters: { rollout: '50', stickiness: 'userId', groupId: 'CHECKOUT' } },
  ]
  const data = [{ name: 'CHECKOUT', enabled: true, type: 'release', strategies, variants: [] }]
  const client = new Unleash({
    url: 'http://127.0.0.1:9',
    appName: 'bench',
    refreshInterval: 0,
    disableMetrics: true,
    bootstrap: { data },
    storageProvider: new InMemStorageProvider(),
  })
  client.on('error', () => {})
  await once(client, 'ready')
  return (user) => client.isEnabled('CHECKOUT', { userId: user, properties: { plan } })
}

function growthbook(): Decide {
  const { GrowthBookClient } = theirs('@growthbook/growthbook')
  const rules = [
    { condition: { plan: { $in: ['pro'] } }, force: true },
    { force: true, coverage: 0.5, hashAttribute: 'id' },
  ]
  const client = new GrowthBookClient().initSync({
    payload: { features: { CHECKOUT: { defaultValue: false, rules } } },
  })
  return (user) => client.isOn('CHECKOUT', { attributes: { id: user, plan } })
}

async function launchDarkly(): Promise<Decide> {
  const { init, integrations } = theirs('@launchdarkly/node-server-sdk')
  const data = new integrations.TestData()
  data.usePreconfiguredFlag({
    key: 'CHECKOUT',
    version: 1,
    on: true,
    salt: 'salt',
    variations: [true, false],
    rules: [
      { id: 'pro', variation: 0, clauses: [{ attribute: 'plan', op: 'in', values: ['pro'], contextKind: 'user' }] },
    ],
    fallthrough: {
      rollout: {
        contextKind: 'user',
        variations: [50_000, 50_000].map((weight, variation) => ({ variation, weight })),
      },
    },
  })
  const logger = { error() {}, warn() {}, info() {}, debug() {} }
  const client = init('sdk-bench', {
    updateProcessor: data.getFactory(),
    sendEvents: false,
    logger,
    diagnosticOptOut: true,
  })
  await client.waitForInitialization({ timeout: 10 })
  return (user) => client.variation('CHECKOUT', { kind: 'user', key: user, plan }, false)
}

function flagd(): Decide {
  const { FlagdCore } = theirs('@openfeature/flagd-core')
  const core = new FlagdCore()
  const split = {
    fractional: [
      ['on', 50],
      ['off', 50],
    ],
  }
  const targeting = { if: [{ in: [{ var: 'plan' }, ['pro']] }, 'on', split] }
  const flags = { CHECKOUT: { state: 'ENABLED', variants: { on: true, off: false }, defaultVariant: 'off', targeting } }
  core.setConfigurations(JSON.stringify({ flags }))
  const logger = { error() {}, warn() {}, info() {}, debug() {} }
  return (user) => core.resolveBooleanEvaluation('CHECKOUT', false, { targetingKey: user, plan }, logger).value
}

const deciders: Readonly<Record<string, () => Decide | Promise<Decide>>> = {
  rollkey,
  hash: () => (user) => hash('sha256', `ab_roll:CHECKOUT:${user}:`, 'binary').charCodeAt(0) < 128,
  'unleash-client': unleash,
  '@growthbook/growthbook': growthbook,
  '@launchdarkly/node-server-sdk': launchDarkly,
  '@openfeature/flagd-core': flagd,
}

const rounds = 7
const decisionsOfRound = 200_000
/** Few enough that no garbage is collected in between. */
const decisionsOfGarbage = 20_000

/** Returns how many of the decisions are yes. `userOf` returns the user of a decision. */
async function decideMany(decide: Decide, count: number, userOf: (at: number) => string): Promise<number> {
  let yes = 0
  const isLater = decide('warm') instanceof Promise
  if (isLater) for (let at = 0; at < count; at++) yes += Number(await decide(userOf(at)))
  else for (let at = 0; at < count; at++) yes += Number(decide(userOf(at)))
  return yes
}

async function measure(decide: Decide, userOf: (at: number) => string): Promise<{ ns: number[]; bytes: number }> {
  await decideMany(decide, decisionsOfRound, userOf)
  const ns: number[] = []
  for (let round = 0; round < rounds; round++) {
    const { user: before } = process.cpuUsage()
    const yes = await decideMany(decide, decisionsOfRound, userOf)
    ns.push(((process.cpuUsage().user - before) * 1_000) / decisionsOfRound)
    if (Math.abs(yes / decisionsOfRound - 0.5) > 0.1)
      throw new Error(`${name} decided ${yes} of ${decisionsOfRound} for`)
  }
  globalThis.gc?.()
  const before = process.memoryUsage().heapUsed
  await decideMany(decide, decisionsOfGarbage, userOf)
  return { ns, bytes: (process.memoryUsage().heapUsed - before) / decisionsOfGarbage }
}

const decide = await (deciders[name] as () => Decide | Promise<Decide>)()
// Made first, since a program has the text of its user already.
const fresh = Array.from({ length: decisionsOfRound }, (_, at) => `visitor-${at}`)
const known = await measure(decide, (at) => users[at % users.length] as string)
let next = 0
const others = await measure(decide, () => fresh[next++ % fresh.length] as string)
console.log(JSON.stringify({ known, others }))
process.exit(0)
