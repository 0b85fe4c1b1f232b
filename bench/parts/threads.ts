import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { quantile, whole } from '../figures.ts'
import { newFolder } from '../machine.ts'
import type { Context, Part, Section } from '../part.ts'
import { createRows, openShared, writerOf, type WriterTask } from '../second-writer.ts'

const usual = { rounds: 1, seconds: 4, warmupSeconds: 1, connections: 1 }
const rates = [0, 20, 200, Infinity]
const betweenWritesMs = 20
/** On a busy thread, confirmations follow each other, with warm caches. */
const confirmsInRow = 50

interface Measured {
  readonly confirmUs: number
  readonly writeMs: readonly number[]
}

/** Measures the writes of this thread and its check for writes of others, which an evaluation would need. */
async function measure(file: string, seconds: number): Promise<Measured> {
  const database = openShared(file)
  const version = database.prepare('pragma data_version')
  const write = writerOf(database)
  const confirmUs: number[] = []
  const writeMs: number[] = []
  const end = performance.now() + seconds * 1_000
  while (performance.now() < end) {
    const from = performance.now()
    for (let i = 0; i < confirmsInRow; i++) version.get()
    confirmUs.push(((performance.now() - from) * 1_000) / confirmsInRow)
    const began = performance.now()
    write()
    writeMs.push(performance.now() - began)
    await sleep(betweenWritesMs)
  }
  database.close()
  return { confirmUs: quantile(confirmUs, 0.5), writeMs }
}

async function run({ plan, tell }: Context): Promise<Section> {
  const { seconds, warmupSeconds } = plan(usual)
  const table: string[][] = []
  for (const perSecond of rates) {
    tell(`another thread writes ${perSecond} times a second`)
    const file = path.join(newFolder(), 'shared.db')
    const database = openShared(file)
    createRows(database)
    database.close()
    const task: WriterTask = { file, perSecond }
    const other =
      perSecond > 0 ? new Worker(new URL('../second-writer.ts', import.meta.url), { workerData: task }) : undefined
    await measure(file, warmupSeconds)
    const { confirmUs, writeMs } = await measure(file, seconds)
    await other?.terminate()
    const [p50, p99] = [quantile(writeMs, 0.5), quantile(writeMs, 0.99)]
    const rate = perSecond === Infinity ? 'as many as it can' : whole(perSecond)
    table.push([
      rate,
      whole(writeMs.length),
      confirmUs.toFixed(1),
      p50.toFixed(2),
      p99.toFixed(2),
      Math.max(...writeMs).toFixed(0),
    ])
  }
  return {
    title: 'Two threads over one embedded store',
    how:
      `A thread writes to an SQLite file every ${betweenWritesMs} ms for ${seconds} s, with 15 pages a write as for one variable, while another ` +
      'thread writes to it too. node:sqlite waits for the lock of the file without returning to the event loop, so a thread that writes ' +
      'answers no request for as long. Each evaluation would also have to ask the file whether another thread has written (confirm).',
    headings: [
      'writes a second by the other thread',
      'own writes',
      'confirm µs',
      'blocked p50 ms',
      'p99 ms',
      'longest ms',
    ],
    textColumns: 1,
    rows: table,
    aims: [],
    notes: [],
    faults: [],
  }
}

export const threads: Part = { name: 'threads', run }
