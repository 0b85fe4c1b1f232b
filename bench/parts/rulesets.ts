import path from 'node:path'
import { text } from 'node:stream/consumers'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { project } from '../compare.ts'
import { faultsOf, latencyText, median, mediansOf, whole } from '../figures.ts'
import type { LoadReport } from '../load.ts'
import { loadCore, startProgram } from '../machine.ts'
import { aimText, atMost, type Aim, type Context, type Part, type Section } from '../part.ts'
import type { HeldRuleset } from '../ruleset-holder.ts'
import { entriesOf } from '../scenarios.ts'
import { httpRequest, load, type Contender, type Plan } from '../spell.ts'
import { storeTitles, type StoreName } from '../stores.ts'
import { call, org, startService, type Service } from '../target.ts'

/** `connections` and `rate` are those of the client that evaluates beside reports. */
const usual: Plan = { rounds: 5, seconds: 10, warmupSeconds: 3, connections: 8, rate: 200 }
const script = path.join(import.meta.dirname, '../ruleset-holder.ts')
const burst = 100
const entriesOfWrite = 100
const reportRows = 1_000
/** A hundred programs report ten times a second. */
const reportIntervalMs = 100
const headings = ['where', 'what', 'measured', 'aim']

const numbered = (prefix: string, length: number): string[] => Array.from({ length }, (_, at) => `${prefix}_${at}`)

/** Stages, with the bounds of their rulesets in a program. */
const stages = [
  {
    stageSlug: 'pins',
    title: '200 rolls with 500 pins each',
    first: 'ROLL_0',
    entries: numbered('ROLL', 200).map((name) => {
      const seeds = numbered(`user-of-${name}`, 500)
      const pins = { a: seeds.slice(0, 250), b: seeds.slice(250) }
      return { name, kind: 'ab_roll', valueA: 'a', valueB: 'b', chance: 0.5, pins }
    }),
    bounds: { answerMegabytes: 5, heldMegabytes: 15, decisionMs: undefined },
  },
  {
    stageSlug: 'plain',
    title: '1,000 plain variables and 50 rolls',
    first: 'ROLL_0000',
    entries: entriesOf(1_000, 50).map((entry) => ({ ...entry, exposure: 'plain' })),
    bounds: { answerMegabytes: undefined, heldMegabytes: 1, decisionMs: 5 },
  },
] as const

interface Row {
  readonly where: string
  readonly what: string
  readonly figure: string
  readonly aim?: Aim
}

function row(where: string, what: string, figure: number, unit: string, bound?: number): Row {
  const aim = bound === undefined ? undefined : atMost(`${what}, ${where}`, figure, bound, ` ${unit}`)
  return { where, what, figure: `${figure.toFixed(figure < 10 ? 2 : 0)} ${unit}`, ...(aim && { aim }) }
}

async function writeStage(service: Service, { stageSlug, entries }: (typeof stages)[number]): Promise<void> {
  const target = { projectSlug: project, stageSlug, mode: 'upsert' }
  // Two hundred rolls with all their pins are larger than a request may be.
  for (let from = 0; from < entries.length; from += entriesOfWrite)
    await call(service, '/v1/env/write', { ...target, entries: entries.slice(from, from + entriesOfWrite) })
}

/** Returns what the ruleset of a stage takes in a program. */
async function hold(service: Service, stageSlug: string, name: string): Promise<HeldRuleset> {
  const child = startProgram(loadCore, process.execPath, ['--conditions=source', '--expose-gc', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const { url, token } = service
  child.stdin?.end(JSON.stringify({ url, org, project, stage: stageSlug, token, name }))
  return JSON.parse(await text(child.stdout as Readable)) as HeldRuleset
}

/** Requests a ruleset without reading what it says, which takes longer than its answer. Throws unless the answer is one. */
async function requestRuleset({ url, token }: Service, stage: object): Promise<void> {
  const answer = await fetch(`${url}/v1/env/ruleset`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ orgSlug: org, ...stage }),
  })
  if (answer.status !== 200) throw new Error(`unexpected answer: ${answer.status} ${await answer.text()}`)
  await answer.arrayBuffer()
}

/** Writes, and requests the new ruleset several times at once. Returns how long the last answer took, in ms. */
async function afterWrite(service: Service, stageSlug: string, requests: number): Promise<number> {
  const stage = { projectSlug: project, stageSlug }
  await call(service, '/v1/env/write', {
    ...stage,
    mode: 'upsert',
    entries: [{ name: 'CHANGING', kind: 'ab_roll', valueA: String(Math.random()), valueB: 'b', chance: 0.5 }],
  })
  const from = performance.now()
  await Promise.all(Array.from({ length: requests }, () => requestRuleset(service, stage)))
  return performance.now() - from
}

async function medianOf(times: number, work: () => Promise<number>): Promise<number> {
  const figures: number[] = []
  for (let count = 0; count < times; count++) figures.push(await work())
  return median(figures)
}

/** Returns what the rulesets take in a program, which does not depend on the store. */
async function rowsOfProgram(service: Service): Promise<Row[]> {
  const rows: Row[] = []
  for (const { stageSlug, title, first, bounds } of stages) {
    const { answerBytes, heldBytes, firstDecisionMs } = await hold(service, stageSlug, first)
    rows.push(
      row('program', `${title}: the answer`, answerBytes / 1e6, 'MB', bounds.answerMegabytes),
      row('program', `${title}: in memory`, heldBytes / 1e6, 'MB', bounds.heldMegabytes),
      row('program', `${title}: from the answer to the first decision`, firstDecisionMs, 'ms', bounds.decisionMs),
    )
  }
  return rows
}

/** Returns how long a new ruleset takes after a write, for one client and for many. */
async function rowsOfRequests(store: StoreName, service: Service, rounds: number): Promise<Row[]> {
  const rows: Row[] = []
  for (const { stageSlug, title } of stages) {
    const alone = await medianOf(rounds, () => afterWrite(service, stageSlug, 1))
    const crowded = await medianOf(rounds, () => afterWrite(service, stageSlug, burst))
    rows.push(
      row(storeTitles[store], `${title}: a request after a write`, alone, 'ms'),
      row(storeTitles[store], `${title}: the last of ${burst} requests at once after a write`, crowded, 'ms'),
    )
  }
  return rows
}

/** Another client, which evaluates one variable of another stage. */
async function contenderOf(service: Service): Promise<Contender> {
  const others = { projectSlug: project, stageSlug: 'others' }
  const entries = [{ name: 'A', kind: 'secret', value: 'value of A' }]
  await call(service, '/v1/env/write', { ...others, mode: 'upsert', entries })
  const body = JSON.stringify({ orgSlug: org, ...others, name: 'A' })
  return { target: service, requests: [httpRequest('POST', '/v1/env/evaluate', `Bearer ${service.token}`, body)] }
}

/** Reports a thousand rows again and again until `running` is over. Returns how many reports a second were counted. */
async function reportDuring(service: Service, running: Promise<unknown>): Promise<number> {
  const stage = { projectSlug: project, stageSlug: stages[0].stageSlug }
  const decisions = stages[0].entries
    .flatMap(({ name }) => [1, 2, 3, 4, 5].map((rule) => ({ name, decision: 'a', step: 'rule', rule, count: 1 })))
    .slice(0, reportRows)
  const state = { isOver: false, reports: 0 }
  const from = performance.now()
  void running.finally(() => (state.isOver = true))
  while (!state.isOver) {
    const due = sleep(reportIntervalMs)
    await call(service, '/v1/env/report', { ...stage, decisions })
    state.reports++
    await due
  }
  return (state.reports * 1_000) / (performance.now() - from)
}

interface ReportsOutcome {
  readonly without: LoadReport[]
  readonly beside: LoadReport[]
  /** Reports a second. */
  readonly reports: number[]
}

/** Measures evaluations of another stage without and beside reports, in turn. */
async function measureReports(service: Service, plan: Plan): Promise<ReportsOutcome> {
  const other = await contenderOf(service)
  await load(other, { ...plan, seconds: plan.warmupSeconds })
  const outcome: ReportsOutcome = { without: [], beside: [], reports: [] }
  for (let round = 0; round < plan.rounds; round++) {
    outcome.without.push(await load(other, plan))
    const running = load(other, plan)
    outcome.reports.push(await reportDuring(service, running))
    outcome.beside.push(await running)
  }
  return outcome
}

function faultsOfReports(store: StoreName, { without, beside }: ReportsOutcome): string[] {
  return faultsOf(`evaluations, ${storeTitles[store]}`, { rounds: [...without, ...beside], answered: 0 })
}

const latencyOf = (rounds: readonly LoadReport[]): string => `${latencyText(mediansOf({ rounds, answered: 0 }))} ms`

function rowsOfReports(store: StoreName, { without, beside, reports }: ReportsOutcome): Row[] {
  const where = storeTitles[store]
  const evaluations = 'evaluations of others, p50 / p99'
  const during = `beside ${median(reports).toFixed(1)} reports of ${whole(reportRows)} rows a second`
  return [
    { where, what: evaluations, figure: latencyOf(without) },
    { where, what: `${evaluations}, ${during}`, figure: latencyOf(beside) },
  ]
}

interface Outcome {
  readonly rows: readonly Row[]
  readonly faults: readonly string[]
}

async function measure(store: StoreName, { stores, tell, plan: planOf }: Context, isFirst: boolean): Promise<Outcome> {
  const plan = planOf(usual)
  const service = await startService(await stores.newHome(store))
  tell(`${storeTitles[store]}, storing variables`)
  for (const stage of stages) await writeStage(service, stage)
  const ofProgram = isFirst ? await rowsOfProgram(service) : []
  tell(`${storeTitles[store]}, requesting rulesets`)
  const ofRequests = await rowsOfRequests(store, service, plan.rounds)
  tell(`${storeTitles[store]}, reporting`)
  const reports = await measureReports(service, plan)
  await service.stop()
  return {
    rows: [...ofProgram, ...ofRequests, ...rowsOfReports(store, reports)],
    faults: faultsOfReports(store, reports),
  }
}

async function run(context: Context): Promise<Section> {
  const outcomes: Outcome[] = []
  for (const [at, store] of context.storeNames.entries()) outcomes.push(await measure(store, context, at === 0))
  const rows = outcomes.flatMap((outcome) => outcome.rows)
  const { rounds, seconds, rate, connections } = context.plan(usual)
  return {
    title: 'Rulesets and reports',
    how:
      `What a ruleset takes in a program that holds it, and what it and reports cost the service. Requests are medians of ${rounds}. ` +
      `Another client evaluates a variable of another stage ${rate} times a second over ${connections} connections, in ${rounds} rounds of ` +
      `${seconds} s without reports and beside them.`,
    headings,
    textColumns: 2,
    rows: rows.map(({ where, what, figure, aim }) => [where, what, figure, aimText(aim)]),
    aims: rows.flatMap(({ aim }) => aim ?? []),
    notes: [],
    faults: outcomes.flatMap(({ faults }) => faults),
  }
}

export const rulesets: Part = { name: 'rulesets', run }
