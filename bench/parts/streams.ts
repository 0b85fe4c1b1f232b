import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { latencyText, median, mediansOf, percent, quantile, whole } from '../figures.ts'
import type { LoadReport } from '../load.ts'
import { loadCore, startProgram } from '../machine.ts'
import type { Aim, Context, Part, Section } from '../part.ts'
import { cpuMsOf } from '../processor-time.ts'
import { collectOnSignal, megabytes, residentBytesOf } from '../resident-memory.ts'
import { httpRequest, load, type Contender, type Plan } from '../spell.ts'
import { storeTitles, type StoreName } from '../stores.ts'
import type { ReadersJob } from '../stream-readers.ts'
import { call, org, startService, type Service } from '../target.ts'

/** `connections` and `rate` are those of the other client, which evaluates. */
const usual: Plan = { rounds: 3, seconds: 10, warmupSeconds: 3, connections: 8, rate: 200 }
const readers = 5_000
/** Readers that come first, so that the service has loaded all its code before its memory is measured. */
const firstReaders = 50
const settleMs = 3_000
const idleMs = 10_000
const betweenWritesMs = 500
const origin = 'https://shop.example'
const script = path.join(import.meta.dirname, '../stream-readers.ts')
const flags = { projectSlug: 'shop', stageSlug: 'prod' }
const others = { projectSlug: 'shop', stageSlug: 'others' }
const maxMegabytes = 60
const headings = [
  'store',
  'MB',
  'kB a stream',
  'aim',
  'of a core, idle',
  'a write reaches all: median / longest ms',
  'CPU µs a stream and write',
  'others, no streams: p50 / p99 ms',
  'idle streams',
  'with writes',
]

interface Outcome {
  readonly store: StoreName
  readonly bytes: number
  readonly idleShare: number
  /** How long each write took to reach all readers. */
  readonly reachedMs: readonly number[]
  readonly cpuMsOfWrite: number
  readonly without: readonly LoadReport[]
  readonly idle: readonly LoadReport[]
  readonly written: readonly LoadReport[]
}

/** Readers in another process. `received` resolves with the time at which all have received another event. */
interface Readers {
  readonly received: () => Promise<number>
  readonly stop: () => void
}

async function writeFlag(service: Service, value: string): Promise<void> {
  const entry = { name: 'FLAG', kind: 'secret', value, exposure: 'client' }
  await call(service, '/v1/env/write', { ...flags, mode: 'upsert', entries: [entry] })
}

/** Returns the address of the event stream for a new client key. */
async function streamOf(service: Service): Promise<string> {
  const created = await call<{ key: string }>(service, '/v1/keys/create', { ...flags, name: 'Shop', origins: [origin] })
  const answer = await fetch(`${service.url}/ofrep/v1/evaluate/flags`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': created.key },
    body: JSON.stringify({ context: { targetingKey: 'user-1' } }),
  })
  const body = (await answer.json()) as { eventStreams: { endpoint: { requestUri: string } }[] }
  return body.eventStreams[0]?.endpoint.requestUri ?? ''
}

/** Starts readers, which share a core with the other client and must not take it away. */
function startReaders(job: ReadersJob): Readers {
  const child = startProgram(loadCore, 'nice', ['-n', '19', process.execPath, script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin?.end(JSON.stringify(job))
  const lines = createInterface({ input: child.stdout as Readable })[Symbol.asyncIterator]()
  return {
    received: async () => {
      const { value, done } = await lines.next()
      if (done) throw new Error('the readers ended; see their error above')
      return Number(value)
    },
    stop: () => void child.kill('SIGTERM'),
  }
}

/** Returns the processor time of the service while `work` runs, in ms. */
async function cpuMsDuring({ pid }: Service, work: () => Promise<unknown>): Promise<number> {
  const before = cpuMsOf(pid) ?? Number.NaN
  await work()
  return (cpuMsOf(pid) ?? Number.NaN) - before
}

/** Writes again and again until the other client's load is over. Returns how long each write took to reach all readers. */
async function writeDuring(service: Service, all: Readers, running: Promise<unknown>): Promise<number[]> {
  const reachedMs: number[] = []
  const state = { isOver: false }
  void running.finally(() => (state.isOver = true))
  while (!state.isOver) {
    const startedAtMs = Date.now()
    await writeFlag(service, `value-${startedAtMs}`)
    reachedMs.push((await all.received()) - startedAtMs)
    await sleep(betweenWritesMs)
  }
  return reachedMs
}

async function contenderOf(service: Service): Promise<Contender> {
  const entries = [{ name: 'A', kind: 'secret', value: 'value of A' }]
  await call(service, '/v1/env/write', { ...others, mode: 'upsert', entries })
  const body = JSON.stringify({ orgSlug: org, ...others, name: 'A' })
  return { target: service, requests: [httpRequest('POST', '/v1/env/evaluate', `Bearer ${service.token}`, body)] }
}

async function repeat<Result>(times: number, work: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  for (let count = 0; count < times; count++) results.push(await work())
  return results
}

async function measure(store: StoreName, { stores, plan: planOf, tell }: Context): Promise<Outcome> {
  const plan = planOf(usual)
  const service = await startService(await stores.newHome(store), collectOnSignal)
  await writeFlag(service, 'first')
  const other = await contenderOf(service)
  const job = { port: service.port, path: await streamOf(service), origin }
  tell('warming up')
  const first = startReaders({ ...job, readers: firstReaders })
  await first.received()
  await load(other, { ...plan, seconds: plan.warmupSeconds })
  first.stop()
  const without = await repeat(plan.rounds, () => load(other, plan))
  await sleep(settleMs)
  const before = await residentBytesOf(service)
  tell(`opening ${readers} streams`)
  const all = startReaders({ ...job, readers })
  await all.received()
  await sleep(settleMs)
  const bytes = (await residentBytesOf(service)) - before
  const idleMsOfCpu = await cpuMsDuring(service, () => sleep(idleMs))
  tell('evaluating beside idle streams')
  const idle = await repeat(plan.rounds, () => load(other, plan))
  const writes = 5
  const cpuMsOfWrites = await cpuMsDuring(service, () =>
    repeat(writes, async () => {
      await writeFlag(service, `value-${Date.now()}`)
      await all.received()
    }),
  )
  tell('evaluating while the streams have events')
  const written: LoadReport[] = []
  const reachedMs: number[] = []
  for (let round = 0; round < plan.rounds; round++) {
    const running = load(other, plan)
    reachedMs.push(...(await writeDuring(service, all, running)))
    written.push(await running)
  }
  all.stop()
  await service.stop()
  const idleShare = idleMsOfCpu / idleMs
  return { store, bytes, idleShare, reachedMs, cpuMsOfWrite: cpuMsOfWrites / writes, without, idle, written }
}

function latencyOf(rounds: readonly LoadReport[]): string {
  return latencyText(mediansOf({ rounds, answered: 0 }))
}

function aimOf({ store, bytes }: Outcome): Aim {
  return {
    what: `memory of ${whole(readers)} idle event streams, ${storeTitles[store]}`,
    bound: `≤ ${maxMegabytes} MB`,
    figure: `${megabytes(bytes)} MB`,
    isMet: bytes <= maxMegabytes * 1e6,
  }
}

function cellsOf(outcome: Outcome): string[] {
  const { store, bytes, idleShare, reachedMs, cpuMsOfWrite, without, idle, written } = outcome
  const aim = aimOf(outcome)
  return [
    storeTitles[store],
    megabytes(bytes),
    (bytes / readers / 1e3).toFixed(1),
    `${aim.bound} ${aim.isMet ? '✓' : '✗'}`,
    percent(idleShare),
    `${whole(median(reachedMs))} / ${whole(quantile(reachedMs, 1))}`,
    whole((cpuMsOfWrite * 1e3) / readers),
    latencyOf(without),
    latencyOf(idle),
    latencyOf(written),
  ]
}

async function run(context: Context): Promise<Section> {
  const outcomes: Outcome[] = []
  for (const store of context.storeNames) outcomes.push(await measure(store, context))
  const { rounds, seconds, rate, connections } = context.plan(usual)
  return {
    title: 'Event streams',
    how:
      `${whole(readers)} browsers with one client key, each from its own address and with the headers of Chromium, follow the event stream of a stage. ` +
      'Memory is the resident memory that they add, after a full garbage collection. ' +
      `Another client evaluates a variable of another stage ${rate} times a second over ${connections} connections, in ${rounds} rounds of ${seconds} s ` +
      'without streams, beside idle ones, and while the stage of the streams is written each time all of them have the last change. ' +
      'The readers share a core with that client, so the time to reach all of them includes theirs.',
    headings,
    textColumns: 1,
    rows: outcomes.map(cellsOf),
    aims: outcomes.map(aimOf),
    notes: [],
    faults: [],
  }
}

export const streams: Part = { name: 'streams', run }
