/** A thread that writes to a database file which another one uses too, at a steady rate. `threads.ts` starts it. */
import { randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'

/** What the thread is asked to do. */
export interface WriterTask {
  readonly file: string
  /** Transactions a second; Infinity for as many as possible. */
  readonly perSecond: number
}

/** Rows that a transaction changes. A write of one variable changes 15 pages of the database. */
const pagesPerWrite = 15
const rowBytes = 3_000
const checkpointPages = 8_000
export const rows = 2_000

/** Opens the file as the service does. */
export function openShared(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 1_000 })
  database.exec(`pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = ${checkpointPages}`)
  return database
}

export function createRows(database: DatabaseSync): void {
  database.exec('create table pages (id integer primary key, content blob not null)')
  const insert = database.prepare('insert into pages (id, content) values (?, ?)')
  database.exec('begin')
  for (let id = 0; id < rows; id++) insert.run(id, Buffer.alloc(rowBytes))
  database.exec('commit')
}

/** Returns a function that writes one transaction. */
export function writerOf(database: DatabaseSync): () => void {
  const update = database.prepare('update pages set content = ? where id = ?')
  return () => {
    database.exec('begin immediate')
    for (let page = 0; page < pagesPerWrite; page++) update.run(randomBytes(rowBytes), Math.floor(Math.random() * rows))
    database.exec('commit')
  }
}

if (workerData) {
  const { file, perSecond } = workerData as WriterTask
  const write = writerOf(openShared(file))
  for (let due = performance.now(); ; due += 1_000 / perSecond) {
    write()
    await sleep(Math.max(0, due - performance.now()))
  }
}
