import { project } from '../compare.ts'
import { median, quantile } from '../figures.ts'
import type { Context, Part, Section } from '../part.ts'
import type { Answer } from '../scenarios.ts'
import { call, startRollkey, startService, type Service } from '../target.ts'

const times = 500
const warmups = 50
const stage = { projectSlug: project, stageSlug: 'delay' }
const name = 'CHANGING'
const headings = ['from … to', 'median ms', 'p99 ms', 'longest ms']

interface Delays {
  readonly reads: number[]
  readonly writes: number[]
  readonly delays: number[]
  /** Number of node B's answers that were older than the state acknowledged by node A. */
  stale: number
}

async function timed<Result>(into: number[], work: () => Promise<Result>): Promise<Result> {
  const from = performance.now()
  const result = await work()
  into.push(performance.now() - from)
  return result
}

/** Reads from B without a preceding write, writes on A, and reads from B until it serves the written value. */
async function measureOnce(a: Service, b: Service, value: string, into: Delays): Promise<void> {
  const evaluate = (): Promise<Answer> => call<Answer>(b, '/v1/env/evaluate', { ...stage, name })
  const entries = [{ name, kind: 'secret', value }]
  await timed(into.reads, evaluate)
  await timed(into.writes, () => call(a, '/v1/env/write', { ...stage, mode: 'upsert', entries }))
  await timed(into.delays, async () => {
    while ((await evaluate()).value !== value) into.stale++
  })
}

function rowOf(title: string, delays: readonly number[]): string[] {
  return [title, ...[median(delays), quantile(delays, 0.99), Math.max(...delays)].map((ms) => ms.toFixed(2))]
}

async function run(context: Context): Promise<Section> {
  const home = await context.stores.newHome('postgres')
  const a = await startService(home)
  const b: Service = { ...a, ...(await startRollkey(home)) }
  await call(a, '/v1/env/write', { ...stage, mode: 'upsert', entries: [{ name, kind: 'secret', value: 'first' }] })
  let into: Delays = { reads: [], writes: [], delays: [], stale: 0 }
  for (let index = -warmups; index < times; index++) {
    if (index === 0) into = { reads: [], writes: [], delays: [], stale: 0 }
    if (index % 50 === 0) context.tell(`write ${index} of ${times}`)
    await measureOnce(a, b, `value ${index}`, into)
  }
  await a.stop()
  await b.stop()
  return {
    title: 'From one node to another',
    how:
      `Two nodes over one PostgreSQL, ${times} times in turn: evaluate on node B and write on node A. As soon as that is acknowledged, ` +
      'evaluate on node B until it serves the written value. One client, one request at a time.',
    headings,
    textColumns: 1,
    rows: [
      rowOf('the write on A to its acknowledgement', into.writes),
      rowOf('the acknowledgement by A to the new value from B', into.delays),
      rowOf('reference: an evaluation on B with nothing written before', into.reads),
    ],
    aims: [],
    notes: [`${into.stale} of B's first answers were older than what A had acknowledged.`],
    faults: into.stale > 0 ? [`node B served ${into.stale} stale answers`] : [],
  }
}

export const delay: Part = { name: 'delay', run }
