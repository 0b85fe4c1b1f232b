import { once } from 'node:events'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { filledDatabase, filledFile, fillOrganization } from '../../packages/server/testkit/large-organization.ts'
import { project } from '../compare.ts'
import { whole } from '../figures.ts'
import { attackNames, largeName, readsLarge, largeValueBytes, type GreedyJob, type GreedyReport } from '../greedy.ts'
import type { LoadReport } from '../load.ts'
import { disturbingCore, startProgram } from '../machine.ts'
import type { Aim, Context, Part, Section } from '../part.ts'
import { storeTitles, type Home, type StoreName } from '../stores.ts'
import { httpRequest, load, type Contender, type Plan } from '../spell.ts'
import { call, org, startRollkey, startService, type Service } from '../target.ts'

const usual: Plan = { rounds: 1, seconds: 6, warmupSeconds: 5, connections: 8, rate: 200 }
/** How long an attack runs before the measurement, and how long the service rests after it. */
const settleMs = 2_000
const script = path.join(import.meta.dirname, '../greedy.ts')
const bounds = { p50: 2, p99: 5 } as const
const headings = [
  'store',
  'attack',
  'how it was answered',
  'before p50 / p99 ms',
  'during p50 / p99 ms',
  'p50 ×',
  'p99 ×',
  'aim',
]
const titles: Readonly<Record<string, string>> = {
  neighbor: 'nothing: it attacks another server',
  search: 'search for a part of long names in 60,000',
  batch: 'batches of one value of 65 kB, 255 times',
  unread: 'the same, never read, over 130 connections',
  bodies: '1,200 bodies of 1 MiB to device/poll, never finished',
  identity: 'pages of the identity provider',
  passwords: '40 wrong passwords a second, from 200 addresses',
  stage: 'pulls of a full stage, with writes to it',
  streams: '200 event streams',
  connections: '11,000 idle connections',
  'device codes': 'logins of command-line clients',
  metrics: '/metrics',
  writes: '24 writes at once, of 100 variables of 1 kB each',
}

interface Outcome {
  readonly store: StoreName
  readonly attack: string
  readonly answers: GreedyReport
  readonly before: LoadReport
  readonly during: LoadReport
}

async function write(service: Service, stageSlug: string, entries: readonly object[]): Promise<void> {
  await call(service, '/v1/env/write', { projectSlug: 'greedy', stageSlug, mode: 'upsert', entries })
}

/** Stores the data that the attacks use, in the attacker's projects. */
async function prepare(service: Service): Promise<Omit<GreedyJob, 'attack' | 'port'>> {
  const long = 'N'.repeat(230)
  for (let stage = 0; stage < 60; stage++) {
    const entries = Array.from({ length: 1_000 }, (_, index) => ({
      name: `${long}_${stage}_${index}`,
      kind: 'secret',
      value: '',
    }))
    await write(service, `long-${stage}`, entries)
  }
  await write(service, 'large', [{ name: largeName, kind: 'secret', value: '"'.repeat(largeValueBytes) }])
  // A full stage: 10,000 variables, close to 16 MiB.
  for (let part = 0; part < 10; part++) {
    const entries = Array.from({ length: 1_000 }, (_, index) => ({
      name: `V${part * 1_000 + index}`,
      kind: 'secret',
      value: 'v'.repeat(1_500),
    }))
    await write(service, 'full', entries)
  }
  const tokenOf = async (readOnly: boolean): Promise<string> => {
    const { token } = await call<{ token: string }>(service, '/v1/tokens/create', { name: 'greedy', readOnly })
    return token
  }
  return { orgSlug: org, readToken: await tokenOf(true), writeToken: await tokenOf(false), ownerToken: service.token }
}

const largeSize = {
  projects: 100,
  stagesPerProject: 10,
  auditEntries: 2_000_000,
  usageDays: 365,
  exchangedTokens: 0,
  appliedChanges: 0,
  pastStates: 0,
  proposedValues: 0,
}

/** Starts a service whose organization has 1,000 stages, 1,000,000 variables, 2,000,000 audit entries and a year of usage. */
async function startLarge(home: Home): Promise<Service> {
  const small = await startService(home)
  const entries = Array.from({ length: 1_000 }, (_, index) =>
    index % 25 === 0
      ? { name: `V${index}`, kind: 'ab_roll', valueA: 'a', valueB: 'b', chance: 0.5 }
      : { name: `V${index}`, kind: 'secret', value: 'v'.repeat(300) },
  )
  await write(small, 'first', entries)
  await small.stop()
  const { ROLLKEY_DATABASE_URL: url } = home.settings
  const store = url === undefined ? filledFile(path.join(home.folder, 'rollkey.db')) : await filledDatabase(url)
  await fillOrganization(store, largeSize, Date.now())
  return { ...small, ...(await startRollkey(home)) }
}

/** Another client, which evaluates one variable of another stage. */
async function politeOf(service: Service): Promise<Contender> {
  const stage = { projectSlug: project, stageSlug: 'polite' }
  const entries = [{ name: 'A', kind: 'secret', value: 'value of A' }]
  await call(service, '/v1/env/write', { ...stage, mode: 'upsert', entries })
  const body = JSON.stringify({ orgSlug: org, ...stage, name: 'A' })
  const { token } = await call<{ token: string }>(service, '/v1/tokens/create', { name: 'polite', readOnly: true })
  return { target: service, requests: [httpRequest('POST', '/v1/env/evaluate', `Bearer ${token}`, body)] }
}

/** Measures the polite client before and during an attack. */
async function outcomeOf(store: StoreName, job: GreedyJob, polite: Contender, plan: Plan): Promise<Outcome> {
  const before = await load(polite, plan)
  // With two cores, the attack shares one with the polite client and must not take it away.
  const child = startProgram(disturbingCore, 'nice', ['-n', '19', process.execPath, script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const answers = text(child.stdout as Readable)
  child.stdin?.end(JSON.stringify(job))
  await sleep(settleMs)
  const during = await load(polite, plan)
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
  await sleep(settleMs)
  return { store, attack: job.attack, answers: JSON.parse((await answers) || '{}') as GreedyReport, before, during }
}

function ratiosOf({ before, during }: Outcome): Record<keyof typeof bounds, number> {
  return { p50: during.p50Ms / before.p50Ms, p99: during.p99Ms / before.p99Ms }
}

function isMet(outcome: Outcome): boolean {
  const { p50, p99 } = ratiosOf(outcome)
  return p50 <= bounds.p50 && p99 <= bounds.p99
}

function latency({ p50Ms, p99Ms }: LoadReport): string {
  return `${p50Ms.toFixed(2)} / ${p99Ms.toFixed(2)}`
}

function cellsOf(outcome: Outcome): string[] {
  const { store, attack, answers, before, during } = outcome
  const { p50, p99 } = ratiosOf(outcome)
  const answered = Object.entries(answers).map(([status, times]) => `${status}: ${whole(times)}`)
  const figures = [latency(before), latency(during), p50.toFixed(1), p99.toFixed(1), isMet(outcome) ? '✓' : '✗']
  return [storeTitles[store], titles[attack] ?? attack, answered.join(', '), ...figures]
}

function aimOf(outcome: Outcome): Aim {
  const { p50, p99 } = ratiosOf(outcome)
  return {
    what: `latency of another client during "${titles[outcome.attack] ?? outcome.attack}", ${storeTitles[outcome.store]}`,
    bound: `p50 ≤ ${bounds.p50} ×, p99 ≤ ${bounds.p99} ×`,
    figure: `${p50.toFixed(1)} ×, ${p99.toFixed(1)} ×`,
    isMet: isMet(outcome),
  }
}

function faultsOf({ store, attack, during: { errors } }: Outcome): string[] {
  const wrong = Object.entries(errors).filter(([, times]) => times > 0)
  return wrong.length === 0
    ? []
    : [
        `${attack}, ${storeTitles[store]}: others had errors (${wrong.map(([kind, times]) => `${times} ${kind}`).join(', ')})`,
      ]
}

/** Starts the service with default limits. Only the polite client uses a trusted proxy's address. */
const settings = {
  ROLLKEY_RATE_LIMIT_REQUESTS: '12000',
  ROLLKEY_RATE_LIMIT_EXPENSIVE: '600',
  ROLLKEY_TRUSTED_PROXIES: '127.0.0.1',
}

/** Measures the polite client beside reads of a large organization. */
async function outcomesOfReads(store: StoreName, { stores, attacks, tell }: Context, plan: Plan): Promise<Outcome[]> {
  const reads = attacks(attackNames).filter(readsLarge)
  if (reads.length === 0) return []
  tell(`${storeTitles[store]}, storing a large organization`)
  const home = await stores.newHome(store)
  const service = await startLarge({ ...home, settings: { ...home.settings, ...settings } })
  const job = { orgSlug: org, readToken: '', writeToken: '', ownerToken: service.token, port: service.port }
  const polite = await politeOf(service)
  await load(polite, { ...plan, seconds: plan.warmupSeconds })
  const outcomes: Outcome[] = []
  for (const attack of reads) {
    tell(`${storeTitles[store]}, ${attack}`)
    outcomes.push(await outcomeOf(store, { ...job, attack }, polite, plan))
  }
  await service.stop()
  return outcomes
}

/** Measures the polite client beside attacks that store their own data. */
async function outcomesOn(store: StoreName, { stores, attacks, tell }: Context, plan: Plan): Promise<Outcome[]> {
  const chosen = attacks(attackNames).filter((name) => !readsLarge(name))
  if (chosen.length === 0) return []
  const home = await stores.newHome(store)
  const service = await startService({ ...home, settings: { ...home.settings, ...settings } })
  tell(`${storeTitles[store]}, storing the data of the attacks`)
  const job = await prepare(service)
  const polite = await politeOf(service)
  await load(polite, { ...plan, seconds: plan.warmupSeconds })
  const outcomes: Outcome[] = []
  for (const attack of chosen) {
    tell(`${storeTitles[store]}, ${attack}`)
    outcomes.push(await outcomeOf(store, { ...job, attack, port: service.port }, polite, plan))
  }
  await service.stop()
  return outcomes
}

async function run(context: Context): Promise<Section> {
  const plan = context.plan(usual)
  const outcomes: Outcome[] = []
  for (const store of context.storeNames) {
    outcomes.push(...(await outcomesOn(store, context, plan)))
    outcomes.push(...(await outcomesOfReads(store, context, plan)))
  }
  return sectionOf(outcomes, plan)
}

function sectionOf(outcomes: readonly Outcome[], plan: Plan): Section {
  return {
    title: 'One client against all others',
    how:
      `One client, from a separate address, does what the row says without a pause, with default limits. ` +
      `The last rows of a store read an organization with 1,000 stages, 1,000,000 variables, 2,000,000 audit entries and a year of usage. ` +
      `Another one evaluates ${plan.rate} times per second over ${plan.connections} connections, for ${plan.seconds} s before and ${plan.seconds} s during the attack. ` +
      'On a machine with two cores, the first row is what each other one has for the core that it shares with the attack.',
    headings,
    textColumns: 3,
    rows: outcomes.map(cellsOf),
    aims: outcomes.filter(({ attack }) => attack !== 'neighbor').map(aimOf),
    notes: [],
    faults: outcomes.flatMap(faultsOf),
  }
}

export const greedy: Part = { name: 'greedy', run }
