import { setTimeout as sleep } from 'node:timers/promises'
import { project } from '../compare.ts'
import { faultsOf, latencyText, median, mediansOf, perSecondOf, ratiosOf, spanText, whole } from '../figures.ts'
import type { LoadReport } from '../load.ts'
import { aimText, atLeast, type Aim, type Context, type Part, type Section } from '../part.ts'
import { entriesOf } from '../scenarios.ts'
import { httpRequest, load, type Measured } from '../spell.ts'
import { storeTitles, type StoreName } from '../stores.ts'
import { call, org, startRollkey, startService, type Service, type Target } from '../target.ts'

const usual = { rounds: 5, seconds: 4, warmupSeconds: 4, connections: 256 }
const stage = { projectSlug: project, stageSlug: 'hot' }
const entries = entriesOf(1_000, 0)
const hot = entries[7] as (typeof entries)[number]

/** Events of a stage while all connections evaluate one of its variables, with the minimum share of the steady rate. */
const events = {
  steady: { title: 'nothing', bound: undefined },
  cold: { title: 'the node has just started', bound: 0.6 },
  once: { title: 'a write', bound: 0.9 },
  everySecond: { title: 'a write each second', bound: 0.9 },
  elsewhere: { title: 'a write by another node', bound: 0.9 },
  elsewhereEverySecond: { title: 'a write each second by another node', bound: 0.9 },
} as const
type Event = keyof typeof events

const ownEvents: readonly Event[] = ['cold', 'steady', 'once', 'everySecond']
const allEvents: readonly Event[] = [...ownEvents, 'elsewhere', 'elsewhereEverySecond']

interface Writes {
  writes: number
  /** Number of those writes that failed. */
  failed: number
}

interface Row extends Readonly<Writes> {
  readonly store: StoreName
  readonly event: Event
  readonly measured: Measured
  readonly steady: Measured
  /** Number of statements that read the stage. */
  readonly reads: number
}

/** Part of the statement by which a node reads a stage. */
const readingText = 'left join variables'

async function write(node: Service, value: string): Promise<void> {
  const entry = { ...hot, value: value.padEnd(32, '=') }
  await call(node, '/v1/env/write', { ...stage, mode: 'upsert', entries: [entry] })
}

/** Writes once or each second, from the start of the measurement. */
async function writeDuring(event: Event, seconds: number, writer: Service, into: Writes): Promise<void> {
  const counts: Partial<Record<Event, number>> = { steady: 0, cold: 0, once: 1, elsewhere: 1 }
  const count = counts[event] ?? Math.floor(seconds)
  for (let i = 0; i < count; i++) {
    if (i > 0) await sleep(1_000)
    into.writes++
    await write(writer, `${performance.now()}`).catch(() => into.failed++)
  }
}

async function measureStore(store: StoreName, { stores, plan: planOf, tell }: Context): Promise<Row[]> {
  const { rounds, seconds, warmupSeconds, connections } = planOf(usual)
  const home = await stores.newHome(store)
  const first = await startService(home)
  await call(first, '/v1/env/write', { ...stage, mode: 'upsert', entries })
  const body = JSON.stringify({ orgSlug: org, ...stage, name: hot.name })
  const requests = [httpRequest('POST', '/v1/env/evaluate', `Bearer ${first.token}`, body)]
  const chosen = store === 'postgres' ? allEvents : ownEvents
  const other = store === 'postgres' ? { ...first, ...(await startRollkey(home)) } : first
  const found = new Map(
    chosen.map((event) => [event, { rounds: [] as LoadReport[], answered: 0, writes: 0, failed: 0, reads: 0 }]),
  )
  let target: Target = first
  for (let round = 1; round <= rounds; round++) {
    await target.stop()
    target = await startRollkey(home)
    const node = { ...first, ...target }
    for (const event of chosen) {
      tell(`${storeTitles[store]}, round ${round} of ${rounds}: ${events[event].title}`)
      const into = found.get(event) as NonNullable<ReturnType<typeof found.get>>
      const readsBefore = await home.statements(readingText)
      let writing = Promise.resolve()
      const isCold = event === 'cold'
      const report = await load(
        { target: node, requests },
        { seconds, connections, ...(isCold && { leadSeconds: 0 }) },
        () => (writing = writeDuring(event, seconds, event.startsWith('elsewhere') ? other : node, into)),
      )
      await writing
      into.rounds.push(report)
      into.reads += (await home.statements(readingText)) - readsBefore
      if (isCold) await load({ target: node, requests }, { seconds: warmupSeconds, connections })
    }
  }
  await target.stop()
  if (other !== first) await other.stop()
  const steady = found.get('steady') as Measured
  return [...found].map(([event, { writes, failed, reads, ...measured }]) => {
    return { store, event, measured, steady, writes, failed, reads }
  })
}

function shares({ measured, steady }: Row): number[] {
  return ratiosOf(measured, steady, perSecondOf)
}

function aimOf(row: Row): Aim | undefined {
  const { title, bound } = events[row.event]
  if (bound === undefined) return undefined
  return atLeast(`rate of a hot stage, ${title}, ${storeTitles[row.store]}: of steady`, median(shares(row)), bound)
}

function readsText({ store, event, reads, writes, measured }: Row): string {
  if (store !== 'postgres') return ''
  if (event === 'cold') return `${(reads / measured.rounds.length).toFixed(1)} a start`
  return writes > 0 ? `${(reads / writes).toFixed(1)} a write` : whole(reads)
}

function cellsOf(row: Row): string[] {
  const medians = mediansOf(row.measured)
  return [
    storeTitles[row.store],
    events[row.event].title,
    whole(medians.perSecond),
    row.event === 'steady' ? '' : spanText(shares(row)),
    aimText(aimOf(row)),
    latencyText(medians),
    medians.cpuUs.toFixed(1),
    readsText(row),
  ]
}

const headings = ['store', 'what happens', 'req/s', 'of steady (rounds)', 'aim', 'p50 / p99 ms', 'CPU µs', 'stage read']

async function run(context: Context): Promise<Section> {
  const rows: Row[] = []
  for (const store of context.storeNames) rows.push(...(await measureStore(store, context)))
  const { rounds, seconds, connections } = context.plan(usual)
  return {
    title: 'A hot stage that is written',
    how:
      `${connections} connections evaluate one variable of a stage of 1,000, each as soon as it has its answer. The variable is ` +
      `written when the measured ${seconds} s begin, in ${rounds} rounds, each on a node that has just started. The measurement of a ` +
      'cold node begins with its first connection. PostgreSQL itself counts how often nodes read the stage: a node that ' +
      'writes after another one has to read it too.',
    headings,
    textColumns: 2,
    rows: rows.map(cellsOf),
    aims: rows.flatMap((row) => aimOf(row) ?? []),
    notes: [],
    faults: rows.flatMap(({ store, event, measured, failed }) => {
      const name = `${storeTitles[store]}, ${events[event].title}`
      return [...faultsOf(name, measured), ...(failed > 0 ? [`${name}: ${failed} writes failed`] : [])]
    }),
  }
}

export const hotStage: Part = { name: 'hot-stage', run }
