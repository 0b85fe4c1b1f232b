/**
 * The capacity model of docs/scale.md: `npm run simulate`. It compares the model with measurements, then predicts sizes
 * that one machine cannot show. `--measure` measures what rounds cost here, `--write` writes the table and the plot.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { svgOf } from '../bench/plot.ts'
import type { Costs } from './scale/database.ts'
import { measureRounds } from './scale/measure.ts'
import { simulate, type Load, type Result } from './scale/simulation.ts'

/** CPU of a node per request on PostgreSQL, all for the same secret, from bench/RESULTS.md. */
const requestMs = 0.057
const onOneMachine: Costs = {
  intake: 0.6 * requestMs,
  answer: 0.4 * requestMs,
  roundTrip: 0.1,
  before: 0.24,
  after: 0.24,
  orgBefore: 0.012,
  orgLock: 0.01,
  orgAfter: 0.016,
  wake: 0.6,
  flush: 0.15,
  cores: 1,
}
/** Costs of a managed PostgreSQL with a standby in another zone. */
const managed: Costs = { ...onOneMachine, roundTrip: 0.5, flush: 1.5, cores: 64 }
const orgCount = 1_000
/** Requests per second that use half of a node. */
const halfANode = 0.5 * (1_000 / requestMs)
const walOfRound = 40
const walOfOrg = 400
/** The same in the rows of a node. */
const walOfOwnOrg = 200
const progressAfterMs = 2_000

function even(nodes: number, rate: number): Load[] {
  return Array.from({ length: nodes }, () => new Map([[0, rate / nodes]]))
}

/** Returns the load by organization under Zipf's law. Keys give the order in which rows are locked, which is unrelated to rank. */
function zipf(rate: number): Map<number, number> {
  const weights = Array.from({ length: orgCount }, (_, rank) => 1 / (rank + 1))
  const sum = weights.reduce((a, b) => a + b)
  const step = 617
  return new Map(weights.map((weight, rank) => [(rank * step) % orgCount, (rate * weight) / sum]))
}

function anywhere(nodes: number, rate: number): Load[] {
  const load = new Map([...zipf(rate)].map(([org, one]) => [org, one / nodes]))
  return Array.from({ length: nodes }, () => load)
}

/** Assigns each organization, the largest first, to the fewest nodes that can serve it, preferring the least loaded. */
function routed(nodes: number, rate: number): Load[] {
  const loads = Array.from({ length: nodes }, () => ({ sum: 0, load: new Map<number, number>() }))
  for (const [org, one] of zipf(rate)) {
    const parts = Math.min(nodes, Math.ceil(one / halfANode))
    for (const node of loads.toSorted((a, b) => a.sum - b.sum).slice(0, parts)) {
      node.load.set(org, one / parts)
      node.sum += one / parts
    }
  }
  return loads.map(({ load }) => load)
}

/** Gives each node its rows, as without a limit. */
function inOwnRows(loads: readonly Load[]): Load[] {
  return loads.map((load, node) => new Map([...load].map(([org, rate]) => [node * orgCount + org, rate])))
}

interface Arrangement {
  readonly name: string
  readonly isLimited: boolean
  readonly color: 'bare' | 'embedded'
  readonly load: (nodes: number, rate: number) => Load[]
}

const own = { isLimited: false, color: 'embedded' } as const
const limited = { isLimited: true, color: 'bare' } as const

const arrangements: readonly Arrangement[] = [
  { ...own, name: 'one organization', load: (nodes, rate) => inOwnRows(even(nodes, rate)) },
  { ...own, name: '1,000, any node', load: (nodes, rate) => inOwnRows(anywhere(nodes, rate)) },
  { ...limited, name: 'one, limited', load: even },
  { ...limited, name: '1,000, any node, limited', load: anywhere },
  { ...limited, name: '1,000, routed, limited', load: routed },
]

const sizes = [
  [1, 10_000],
  [10, 10_000],
  [10, 100_000],
  [100, 100_000],
  [100, 1_000_000],
  [1_000, 1_000_000],
] as const

interface Row {
  readonly arrangement: Arrangement
  readonly nodes: number
  readonly rate: number
  readonly result: Result
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en')
}

/** Formats a value with two significant digits. */
function short(value: number): string {
  return value >= 10 ? whole(value) : value.toFixed(value < 1 ? 2 : 1)
}

function saturated({ arrangement, result }: Row): string {
  const { failedShare, rowBusy, coresBusy, nodeBusy } = result
  const reasons = [
    failedShare > 0.001 && 'lock timeout',
    arrangement.isLimited && rowBusy > 0.95 && 'a meter row',
    coresBusy > 0.95 * managed.cores && 'database cores',
    nodeBusy > 0.95 && 'node',
  ]
  return reasons.filter((reason) => reason !== false).join(', ') || '–'
}

function cellsOf(row: Row): string[] {
  const { arrangement, nodes, rate, result } = row
  const bytes = walOfRound + result.orgsARound * (arrangement.isLimited ? walOfOrg : walOfOwnOrg)
  const wal = (result.roundsPerSecond * bytes) / 1e6
  return [
    arrangement.name,
    whole(nodes),
    whole(rate),
    whole(result.requestsPerSecond),
    short(result.requestsPerSecond / result.roundsPerSecond),
    whole(result.roundsPerSecond),
    short(result.orgsARound),
    short(result.lockWaitMs),
    `${short(result.p50)} / ${short(result.p99)}`,
    result.failedShare > 0.0005 ? `${(result.failedShare * 100).toFixed(1)}%` : '0',
    short(result.coresBusy),
    short(wal),
    saturated(row),
  ]
}

const headings = [
  ['organizations', 'nodes', 'asked req/s', 'answered req/s', 'requests a round', 'rounds/s', 'organizations a round'],
  ['row wait ms', 'p50 / p99 ms', 'failed', 'database cores', 'WAL MB/s', 'saturated'],
].flat()

function markdown(rows: readonly (readonly string[])[], names: readonly string[]): string {
  const rule = names.map((_, column) => (column === 0 || column === headings.length - 1 ? '---' : '---:'))
  return [names, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Simulates one node whose clients send again when they are answered. */
function simulateClients(clients: number): Result {
  return simulate({ costs: onOneMachine, nodes: [new Map([[0, 0]])], clients, forMs: 3_000 })
}

/** Returns the rounds per second of nodes that start each round as soon as the last is answered. */
function roundsPerSecondOf(nodes: number, isShared: boolean): number {
  const loads = Array.from({ length: nodes }, (_, node) => new Map([[isShared ? 0 : node, 0]]))
  const costs = { ...onOneMachine, intake: 0, answer: 0 }
  return simulate({ costs, nodes: loads, clients: 1, forMs: 3_000 }).roundsPerSecond
}

/** Compares measurements (docs/scale.md says where they come from) with the model. */
function validation(): string {
  const [many, lone] = [simulateClients(256), simulateClients(1)]
  const compared: [string, number, number][] = [
    ['requests a second, 256 connections', 17_308, many.requestsPerSecond],
    ['p50 ms, 256 connections', 14.2, many.p50],
    ['p99 ms, 256 connections', 24.8, many.p99],
    ['statements a request, 256 connections', 0.0094, many.roundsPerSecond / many.requestsPerSecond],
    ['p50 ms of a round alone', 0.79, lone.p50 - requestMs],
    ['rounds a second, 4 nodes, each on its own row', 1_808, roundsPerSecondOf(4, false)],
    ['rounds a second, 4 nodes, all on one row', 1_795, roundsPerSecondOf(4, true)],
    ['rounds a second, 16 nodes, all on one row', 1_244, roundsPerSecondOf(16, true)],
  ]
  const rows = compared.map(([what, measured, model]) => {
    const error = `${model > measured ? '+' : ''}${whole((model / measured - 1) * 100)}%`
    return [what, ...[measured, model].map((value) => (value < 0.1 ? value.toFixed(4) : short(value))), error]
  })
  return markdown(rows, ['', 'measured', 'model', 'error'])
}

/** How long to simulate. Waits for a row can last a second. */
const forMs = 4_500

function simulateAll(): Row[] {
  const startedAt = performance.now()
  let reportedAt = startedAt
  const rows: Row[] = []
  for (const arrangement of arrangements) {
    for (const [nodes, rate] of sizes) {
      const result = simulate({ costs: managed, nodes: arrangement.load(nodes, rate), forMs })
      rows.push({ arrangement, nodes, rate, result })
      if (performance.now() - reportedAt < progressAfterMs) continue
      reportedAt = performance.now()
      console.error(`${rows.length} of ${arrangements.length * sizes.length}`)
    }
  }
  return rows
}

function plotOf(rows: readonly Row[]): string {
  const bars = rows
    .filter(({ nodes, rate }) => rate / nodes === 1_000)
    .map(({ arrangement, nodes, result }) => ({
      label: `${arrangement.name}: ${whole(nodes)} nodes`,
      value: result.p99,
      text: `${short(result.p99)} ms${result.failedShare > 0.0005 ? `, ${whole(result.failedShare * 100)}% failed` : ''}`,
      color: arrangement.color,
      mark: 1_000,
    }))
  const legend = { embedded: 'without a limit', bare: 'with a limit', mark: 'lock timeout' }
  const title = 'p99 of a request in the model, 1,000 requests a second a node'
  return svgOf({ title, legend, bars, isLogarithmic: true })
}

/** Returns the maximum number of nodes, with 1,000 requests per second each, whose p99 stays within each limit. */
function bounds(arrangement: Arrangement): string[] {
  const tried = [1, 2, 5, 10, 15, 20, 30, 50, 100, 150, 200, 250, 300, 500, 1_000]
  let isOver = false
  const p99s = tried.map((nodes) => {
    if (isOver) return Infinity
    const loads = arrangement.load(nodes, nodes * 1_000)
    const { p99, failedShare } = simulate({ costs: managed, nodes: loads, forMs })
    isOver = failedShare > 0.0005 || p99 > 1_000
    return isOver ? Infinity : p99
  })
  const maxNodes = (limit: number): string => {
    const first = p99s.findIndex((p99) => p99 > limit)
    return first === -1 ? `${whole(tried.at(-1) ?? 0)} or more` : whole(tried[first - 1] ?? 0)
  }
  return [arrangement.name, ...[50, 500, 1_000].map(maxNodes)]
}

function replaced(page: string, name: string, text: string): string {
  const [from, to] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`]
  const [before, rest] = page.split(from)
  const after = rest?.split(to)[1]
  if (after === undefined) throw new Error(`docs/scale.md lacks the markers ${from} … ${to}; restore them`)
  return `${before}${from}\n${text}\n${to}${after}`
}

const help = `Usage: npm run simulate [-- options]

Compares the capacity model of docs/scale.md with measurements, and predicts sizes that one machine cannot show (two minutes).

  --measure   measure what rounds cost on this machine instead (some ten seconds)
  --write     also write the tables and the plot of docs/scale.md
`

const { values } = parseArgs({
  options: {
    measure: { type: 'boolean' },
    write: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
})
if (values.help) console.log(help)
else if (values.measure) await measureRounds()
else {
  const rows = simulateAll()
  const limits = markdown(arrangements.map(bounds), ['organizations', 'p99 ≤ 50 ms', '≤ 500 ms', '≤ 1 s'])
  const parts = { validation: validation(), limits, table: markdown(rows.map(cellsOf), headings) }
  console.log(Object.values(parts).join('\n\n'))
  if (values.write) {
    const url = new URL('../docs/scale.md', import.meta.url)
    const page = Object.entries(parts).reduce(
      (text, [name, part]) => replaced(text, name, part),
      readFileSync(url, 'utf8'),
    )
    writeFileSync(url, page)
    writeFileSync(new URL('../docs/scale.svg', import.meta.url), plotOf(rows))
  }
}
