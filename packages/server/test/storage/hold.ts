/**
 * A separate process for tests that kill one. `lock PATH` takes the lock and prints whether it has it. `write PATH` writes
 * rows of durability `process` and prints each acknowledged one. `move PATH` writes a megabyte at a time and prints the same, and when a
 * checkpoint begins. All go on until they are killed.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { takeLock } from '../../src/storage/lock.ts'
import { openSqlite } from '../../src/storage/sqlite.ts'

const [, , task, path = ''] = process.argv

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

async function lock(): Promise<void> {
  const taken = await takeLock(path, 0)
  say(taken ? 'held' : 'refused')
  // The interval refers to the lock, because the garbage collector closes a database that nothing refers to.
  setInterval(() => taken, 1_000)
}

async function write(): Promise<void> {
  const sql = openSqlite(path)
  await sql.tx((tx) => tx.script('create table probes (id bigint primary key)'))
  for (let id = 1; ; id++) {
    await sql.tx((tx) => tx.all('insert into probes (id) values ($1)', id), 'process')
    say(String(id))
    await turn() // the reader of the lines must keep up
  }
}

async function move(): Promise<void> {
  const sql = openSqlite(path)
  await sql.tx((tx) => tx.script('create table blobs (data blob)'))
  sql.beforeCheckpoint(() => say('moving'))
  for (let id = 1; ; id++) {
    await sql.tx((tx) => tx.all('insert into blobs (data) values (zeroblob(1000000))'))
    say(String(id))
    await turn()
  }
}

await { lock, write, move }[task as 'lock' | 'write' | 'move']()
