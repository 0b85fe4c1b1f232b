import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { StoreUnavailable } from '../../src/base/api-error.ts'
import { openIdentityFile } from '../../src/identity/database.ts'
import { openSqlite, type EmbeddedSql } from '../../src/storage/sqlite.ts'
import type { Durability, Tx } from '../../src/storage/sql.ts'
import { Once, under } from '../../testkit/faults.ts'
import { hold, nextLine } from './processes.ts'
import { chainSuite } from './chain.suite.ts'
import { queriesSuite } from './queries.suite.ts'
import { sqlSuite, type OpenSql } from './sql.suite.ts'
import { newFolder, temporaryFolder } from '../../testkit/folder.ts'
import { writeMigratedStore } from '../../testkit/migrated.ts'
import { nowMs } from './queries/ground.ts'

async function openIn(folder: string): ReturnType<OpenSql> {
  const sql = openSqlite(path.join(folder, 'rollkey.db'))
  return {
    sql,
    async close() {
      await sql.close()
      rmSync(folder, { recursive: true })
    },
  }
}

const openEmpty: OpenSql = () => openIn(newFolder())

const openMigrated: OpenSql = async () => {
  const folder = newFolder()
  await writeMigratedStore(path.join(folder, 'rollkey.db'), nowMs)
  return openIn(folder)
}

sqlSuite('SQLite', openEmpty)
queriesSuite('SQLite', openMigrated)
chainSuite('SQLite', openEmpty)

function opened(file: string): EmbeddedSql {
  const sql = openSqlite(file)
  onTestFinished(() => sql.close())
  return sql
}

const databaseFile = (): string => path.join(temporaryFolder(), 'rollkey.db')

describe('the embedded database', () => {
  test('keeps a write-ahead log', async () => {
    const file = databaseFile()
    expect(await opened(file).all('pragma journal_mode')).toMatchObject([{ journal_mode: 'wal' }])
    expect(existsSync(`${file}-wal`)).toBe(true)
  })

  test.each<[Durability, number, string]>([
    ['power', 2, 'full: each commit is synced'],
    ['process', 1, 'normal: the log is synced at checkpoints'],
  ])('commits of durability %s are synchronous = %i, %s', async (durability, level) => {
    const sql = opened(databaseFile())
    const levelIn = (wanted: Durability): Promise<unknown[]> => sql.tx((tx) => tx.all('pragma synchronous'), wanted)
    expect(await levelIn(durability)).toMatchObject([{ synchronous: level }])
    await levelIn(durability === 'power' ? 'process' : 'power')
    expect(await levelIn(durability)).toMatchObject([{ synchronous: level }])
  })

  test('a sync reaches the disk on macOS, too', async () => {
    const full = [{ fullfsync: 1 }]
    expect(await opened(databaseFile()).tx((tx) => tx.all('pragma fullfsync'))).toMatchObject(full)
    const identity = await openIdentityFile(databaseFile())
    expect(identity.database.prepare('pragma fullfsync').all()).toMatchObject(full)
    await identity.close()
  })

  test('checks references, and runs no function that a schema hides', async () => {
    const sql = opened(databaseFile())
    expect(await sql.tx((tx) => tx.all('pragma foreign_keys'))).toMatchObject([{ foreign_keys: 1 }])
    expect(await sql.tx((tx) => tx.all('pragma trusted_schema'))).toMatchObject([{ trusted_schema: 0 }])
  })

  test('cannot be written by a read', async () => {
    const sql = opened(databaseFile())
    await expect(sql.all("insert into migrations values (9, 'x', 0)")).rejects.toBeInstanceOf(StoreUnavailable)
    expect(await sql.all('select id from migrations')).toEqual([])
  })

  test('is there again after it was closed', async () => {
    const file = databaseFile()
    const sql = openSqlite(file)
    await sql.tx((tx) => tx.script('create table probes (id bigint); insert into probes values (1)'))
    await sql.close()
    expect(await opened(file).all('select id from probes')).toMatchObject([{ id: 1 }])
  })

  test('keeps every acknowledged commit of durability process when the process is killed', async () => {
    const file = databaseFile()
    const writer = hold('write', file)
    let acknowledged = 0
    while (acknowledged < 50) acknowledged = Number(await nextLine(writer))
    writer.lines.on('line', (line) => (acknowledged = Number(line)))
    await writer.kill()
    const [row] = await opened(file).all<{ count: number; last: number }>(
      'select count(*) as count, max(id) as last from probes',
    )
    expect(row?.last).toBeGreaterThanOrEqual(acknowledged)
    expect(row?.count).toBe(row?.last)
  })
})

describe('trouble of the machine', () => {
  test('is StoreUnavailable, and passes: the database is locked by another process', async () => {
    const file = databaseFile()
    const sql = opened(file)
    await sql.tx((tx) => tx.script('create table probes (id bigint)'))
    await sql.tx((tx) => tx.all('pragma busy_timeout = 0'))
    const other = new DatabaseSync(file)
    other.exec('begin immediate')
    const insert = (): Promise<unknown> => sql.tx((tx) => tx.all('insert into probes values (1)'))
    await expect(insert()).rejects.toBeInstanceOf(StoreUnavailable)
    other.close()
    await insert()
    expect(await sql.all('select id from probes')).toHaveLength(1)
  })

  test('is StoreUnavailable, and passes: the disk is full', async () => {
    const sql = opened(databaseFile())
    await sql.tx((tx) => tx.script('create table probes (id bigint, b bytea)'))
    const [pages] = await sql.tx((tx) => tx.all<{ page_count: number }>('pragma page_count'))
    await sql.tx((tx) => tx.all(`pragma max_page_count = ${pages?.page_count}`))
    const insert = (id: number): Promise<unknown> =>
      sql.tx((tx) => tx.all('insert into probes values ($1, $2)', id, new Uint8Array(100_000)))
    await expect(insert(1)).rejects.toBeInstanceOf(StoreUnavailable)
    await expect(insert(2)).rejects.toBeInstanceOf(StoreUnavailable)
    await sql.tx((tx) => tx.all('pragma max_page_count = 1000000'))
    await insert(3)
    expect(await sql.all('select id from probes')).toMatchObject([{ id: 3 }])
  })

  test('stores nothing of a transaction that SQLite has rolled back by itself', async () => {
    const sql = opened(databaseFile())
    await sql.tx((tx) => tx.script('create table probes (id bigint)'))
    const insert = (tx: Tx, id: number): Promise<unknown> => tx.all('insert into probes values ($1)', id)
    const failing = under(new Once('error', 'after insert into probes values (?1)'), () =>
      sql.tx((tx) => Promise.all([insert(tx, 1), insert(tx, 2)])),
    )
    await expect(failing).rejects.toBeInstanceOf(StoreUnavailable)
    expect(await sql.all('select id from probes')).toEqual([])
  })

  test('at a rollback is made good before the next transaction', async () => {
    const sql = opened(databaseFile())
    await sql.tx((tx) => tx.script('create table probes (id bigint)'))
    const failing = under({ meet: (point) => (point === 'before rollback' ? 'error' : undefined) }, () =>
      sql.tx(async (tx) => {
        await tx.all('insert into probes values (1)')
        throw new Error('undone')
      }),
    )
    await expect(failing).rejects.toBeInstanceOf(StoreUnavailable)
    await sql.tx((tx) => tx.all('insert into probes values (2)'))
    expect(await sql.all('select id from probes')).toMatchObject([{ id: 2 }])
  })

  test('is StoreUnavailable: the file is damaged', async () => {
    const file = databaseFile()
    const sql = openSqlite(file)
    await sql.tx((tx) => tx.script('create table probes (t text)'))
    const [table] = await sql.all<{ rootpage: number }>(`select rootpage from sqlite_schema where name = 'probes'`)
    await sql.close()
    const bytes = readFileSync(file)
    bytes.fill(0xff, 4_096 * ((table?.rootpage ?? 0) - 1), 4_096 * (table?.rootpage ?? 0))
    writeFileSync(file, bytes)
    await expect(opened(file).all('select t from probes')).rejects.toBeInstanceOf(StoreUnavailable)
  })

  test('is not what a wrong statement makes', async () => {
    const sql = opened(databaseFile())
    const wrong = await sql.all('select nothing from nowhere').catch((error: unknown) => error)
    expect(wrong).toBeInstanceOf(Error)
    expect(wrong).not.toBeInstanceOf(StoreUnavailable)
  })
})

describe('the log', () => {
  async function openBlobs() {
    const file = databaseFile()
    const sql = opened(file)
    const exits: Promise<unknown>[] = []
    const note = (thread: Worker): void => void exits.push(once(thread, 'exit'))
    process.on('worker', note)
    onTestFinished(() => void process.off('worker', note))
    await sql.tx((tx) => tx.script('create table blobs (data blob)'))
    const writeOne = (): Promise<unknown> =>
      sql.tx((tx) => tx.all('insert into blobs (data) values (zeroblob(1000000))'))
    return {
      file,
      sql,
      writeOne,
      /** Writes this many megabytes, and waits for each checkpoint. */
      async write(megabytes: number): Promise<void> {
        for (let written = 0; written < megabytes; written++) {
          await writeOne()
          await nextTurn()
          await Promise.all(exits)
        }
      },
      get checkpoints(): number {
        return exits.length
      },
      get logBytes(): number {
        return statSync(`${file}-wal`).size
      },
    }
  }

  test('is moved to the file by a thread, while others read and no one writes', async () => {
    const store = await openBlobs()
    const events: string[] = []
    process.once('worker', (thread) => thread.once('exit', () => events.push('moved')))
    const write = async (): Promise<void> => {
      await Promise.resolve()
      await store.writeOne()
      events.push('written')
    }
    let written: Promise<void> | undefined
    store.sql.beforeCheckpoint(() => {
      written ??= write()
      void store.sql.all('select count(*) from blobs').then(() => events.push('read'))
    })
    await store.write(34)
    await written
    expect(events).toEqual(['read', 'moved', 'written'])
    await store.write(100)
    expect(store.checkpoints).toBe(4)
    expect(store.logBytes).toBeLessThan(35_000_000)
  })

  test('that someone else reads is moved later, by few threads', async () => {
    const store = await openBlobs()
    const reader = new DatabaseSync(store.file, { readOnly: true })
    reader.exec('begin; select count(*) from blobs')
    await store.write(80)
    expect(store.checkpoints).toBe(2)
    const before = store.logBytes
    reader.close()
    await store.write(120)
    expect(store.logBytes).toBeLessThan(before + 35_000_000)
  })

  test('is not moved without a look that succeeds, and is closed as usual', async () => {
    const store = await openBlobs()
    store.sql.beforeCheckpoint(() => {
      throw new Error('the disk fails')
    })
    await store.write(34)
    expect(store.checkpoints).toBe(1)
    const bytes = statSync(store.file).size
    await store.write(34)
    expect(statSync(store.file).size).toBe(bytes)
  })

  test('whose length cannot be read is not a commit that failed', async () => {
    const store = await openBlobs()
    // Only the length of the log is read by `get`.
    const spy = vi.spyOn(StatementSync.prototype, 'get').mockImplementation(() => {
      throw Object.assign(new Error('disk I/O error'), { errcode: 10 })
    })
    onTestFinished(() => spy.mockRestore())
    await store.writeOne()
    expect(spy).toHaveBeenCalledOnce()
    expect(await store.sql.all('select count(*) as count from blobs')).toEqual([{ count: 1 }])
  })

  test('that a killed process was moving has every acknowledged commit', async () => {
    const file = databaseFile()
    const writer = hold('move', file)
    let acknowledged = 0
    await new Promise<void>((resolve) => {
      writer.lines.on('line', (line) => (line === 'moving' ? resolve() : acknowledged++))
    })
    await writer.kill()
    const sql = opened(file)
    const [row] = await sql.all<{ count: number; bytes: number }>(
      'select count(*) as count, sum(length(data)) as bytes from blobs',
    )
    expect(row?.count).toBeGreaterThanOrEqual(acknowledged)
    expect(acknowledged).toBeGreaterThan(30)
    expect(row?.bytes).toBe((row?.count ?? 0) * 1_000_000)
    expect(await sql.all('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }])
  })

  test('is moved to its end when the store is closed while a checkpoint begins', async () => {
    const file = databaseFile()
    const sql = openSqlite(file)
    await sql.tx((tx) => tx.script('create table blobs (data blob); insert into blobs values (zeroblob(40000000))'))
    await sql.close()
    expect(existsSync(`${file}-wal`)).toBe(false)
  })
})
