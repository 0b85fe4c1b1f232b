/** Tests that every engine of the SQL port must pass (src/storage/sql.ts). */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { chainDigest } from '../../src/storage/chain.ts'
import { createLog } from '../../src/base/log.ts'
import { StoreUnavailable } from '../../src/base/api-error.ts'
import { migrate, newestSchema, schemaVersion } from '../../src/storage/migrate.ts'
import type { AtOnceTx, Durability, Reader, Sql, Value } from '../../src/storage/sql.ts'
import { silent } from './temporary.ts'

/** Opens a new, empty database. */
export type OpenSql = () => Promise<{ sql: Sql; close(): Promise<void> }>

const nowMs = 1_790_000_000_000
const callers = Array.from({ length: 64 }, (_, index) => index)

const texts = [
  '',
  ' ',
  `'"\\;--%_$1`,
  'line\r\nbreak\ttab\u0001\u007f',
  'Zoë-用户-🚀',
  '\u00e9',
  'e\u0301',
  '\ue000\uffff\u{10000}\u{10ffff}',
  '\ufeff',
  '0',
  '1e5',
  'null',
  'x'.repeat(100_000),
]
const bigints = [0, 1, -1, 2 ** 31, -(2 ** 31) - 1, nowMs, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER]
const doubles = [0, 1, -1.5, 0.1, 0.30000000000000004, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 1e21]
const bytes = [
  new Uint8Array(),
  Uint8Array.of(0),
  Uint8Array.from({ length: 256 }, (_, index) => index),
  new Uint8Array(70_000).fill(7),
]

interface Probe {
  readonly id: number
  readonly t: string | null
  readonly n: number | null
  readonly d: number | null
  readonly b: Uint8Array | null
}

const probeTable = `create table probes (id bigint primary key, t text, n bigint, d double precision, b bytea);
  create table counters (name text primary key, used bigint not null);`

function insertProbe(sql: Sql, id: number, t: Value, n: Value, d: Value, b: Value): Promise<Probe[]> {
  return sql.tx((tx) =>
    tx.all('insert into probes (id, t, n, d, b) values ($1, $2, $3, $4, $5) returning *', id, t, n, d, b),
  )
}

function probe(sql: Sql, id: number): Promise<Probe | undefined> {
  return sql.all<Probe>('select id, t, n, d, b from probes where id = $1', id).then(([row]) => row)
}

async function countOf(sql: Sql): Promise<number> {
  const [row] = await sql.all<{ count: number }>('select count(*) as count from probes')
  return Number(row?.count)
}

export function sqlSuite(name: string, open: OpenSql): void {
  async function empty(): Promise<Sql> {
    const opened = await open()
    onTestFinished(() => opened.close())
    return opened.sql
  }

  async function withProbes(): Promise<Sql> {
    const sql = await empty()
    await sql.tx((tx) => tx.script(probeTable))
    return sql
  }

  describe(`${name}: values`, () => {
    test('come back as they were given: text', async () => {
      const sql = await withProbes()
      for (const [id, text] of texts.entries()) await insertProbe(sql, id, text, null, null, null)
      for (const [id, text] of texts.entries()) expect(await probe(sql, id)).toMatchObject({ t: text })
    })

    test('come back as they were given: whole numbers up to 2^53 - 1', async () => {
      const sql = await withProbes()
      for (const [id, number] of bigints.entries()) await insertProbe(sql, id, null, number, null, null)
      for (const [id, number] of bigints.entries()) expect(await probe(sql, id)).toMatchObject({ n: number })
    })

    test('come back as they were given: doubles, to the last bit', async () => {
      const sql = await withProbes()
      for (const [id, number] of doubles.entries()) await insertProbe(sql, id, null, null, number, null)
      for (const [id, number] of doubles.entries()) expect(await probe(sql, id)).toMatchObject({ d: number })
    })

    test('come back as they were given: bytes', async () => {
      const sql = await withProbes()
      for (const [id, blob] of bytes.entries()) await insertProbe(sql, id, null, null, null, blob)
      for (const [id, blob] of bytes.entries()) {
        const row = await probe(sql, id)
        expect(row?.b).toBeInstanceOf(Uint8Array)
        expect(Buffer.compare(row?.b ?? Buffer.from('none'), blob)).toBe(0)
      }
    })

    test('come back as they were given: null, from every type', async () => {
      const sql = await withProbes()
      const [returned] = await insertProbe(sql, 1, null, null, null, null)
      expect({ ...returned }).toEqual({ id: 1, t: null, n: null, d: null, b: null })
      expect({ ...(await probe(sql, 1)) }).toEqual({ id: 1, t: null, n: null, d: null, b: null })
    })

    test('are taken by their number, in any order and more than once', async () => {
      const sql = await withProbes()
      await sql.tx((tx) => tx.all('insert into probes (id, n, t) values ($2, $2, $1)', 'text', 7))
      expect(await sql.all('select id from probes where n = $1 and id = $1 and t = $2', 7, 'text')).toHaveLength(1)
    })

    test('of text are compared as bytes, not by the rules of a language', async () => {
      const sql = await withProbes()
      await insertProbe(sql, 1, 'e\u0301', null, null, null)
      for (const other of ['\u00e9', 'E\u0301', 'e\u0301 ']) {
        expect(await sql.all('select id from probes where t = $1', other)).toEqual([])
      }
    })

    test('are never read as SQL', async () => {
      const sql = await withProbes()
      await insertProbe(sql, 1, `'); drop table probes; --`, null, null, null)
      expect(await countOf(sql)).toBe(1)
    })
  })

  describe(`${name}: statements`, () => {
    test('that find nothing give an empty list', async () => {
      const sql = await withProbes()
      expect(await sql.all('select id from probes')).toEqual([])
      expect(await sql.tx((tx) => tx.all('delete from probes where id = $1', 1))).toEqual([])
    })

    test('that insert what is there give no row, and change none', async () => {
      const sql = await withProbes()
      const insert = (text: string): Promise<unknown[]> =>
        sql.tx((tx) =>
          tx.all('insert into probes (id, t) values (1, $1) on conflict (id) do nothing returning id', text),
        )
      expect(await insert('first')).toHaveLength(1)
      expect(await insert('second')).toEqual([])
      expect(await probe(sql, 1)).toMatchObject({ t: 'first' })
    })

    test('know the custom function', async () => {
      const sql = await empty()
      const before = chainDigest('', 'Zoë-用户-🚀')
      const rows = sql.tx((tx) => tx.all("select chain('', $1) as first, chain($2, $1) as next", 'Zoë-用户-🚀', before))
      expect(await rows).toMatchObject([{ first: before, next: chainDigest(before, 'Zoë-用户-🚀') }])
    })

    test('of a script run one after the other', async () => {
      const sql = await withProbes()
      await sql.tx((tx) => tx.script("insert into probes (id) values (1); update probes set t = 'x' -- end"))
      expect(await probe(sql, 1)).toMatchObject({ t: 'x' })
    })
  })

  describe(`${name}: a transaction`, () => {
    test('returns what its work returns, and then everyone sees it', async () => {
      const sql = await withProbes()
      const result = await sql.tx(async (tx) => {
        await tx.all('insert into probes (id) values (1)')
        return 'done'
      })
      expect(result).toBe('done')
      expect(await countOf(sql)).toBe(1)
    })

    test('sees its own changes', async () => {
      const sql = await withProbes()
      const rows = await sql.tx(async (tx) => {
        await tx.all('insert into probes (id) values (1)')
        return tx.all('select id from probes')
      })
      expect(rows).toHaveLength(1)
    })

    test('whose work throws leaves nothing behind, and throws the same', async () => {
      const sql = await withProbes()
      const error = new Error('changed my mind')
      const failing = sql.tx(async (tx) => {
        await tx.all('insert into probes (id) values (1)')
        throw error
      })
      await expect(failing).rejects.toBe(error)
      expect(await countOf(sql)).toBe(0)
    })

    test('in which a statement fails leaves nothing behind, and the next one works', async () => {
      const sql = await withProbes()
      const failing = sql.tx(async (tx) => {
        await tx.all('insert into probes (id) values (1)')
        await tx.all('insert into probes (id) values (1)')
      })
      await expect(failing).rejects.toThrow(/unique/i)
      await insertProbe(sql, 2, null, null, null, null)
      expect(await sql.all<Probe>('select id from probes')).toMatchObject([{ id: 2 }])
    })

    test('whose script fails in the middle leaves nothing behind, not even a table', async () => {
      const sql = await withProbes()
      const failing = sql.tx((tx) => tx.script('create table halves (id bigint); insert into nowhere values (1);'))
      await expect(failing).rejects.toThrow('nowhere')
      await expect(sql.all('select id from halves')).rejects.toThrow('halves')
    })

    test('stores nothing of what was sent together with a statement that fails, nor of what that sends next', async () => {
      const sql = await withProbes()
      const others: Promise<unknown>[] = []
      const failing = sql.tx((tx) => {
        const insert = (id: number): Promise<unknown> => tx.all('insert into probes (id) values ($1)', id)
        others.push(
          insert(1)
            .then(nextTurn)
            .then(() => insert(2)),
        )
        return Promise.all([tx.all('insert into nowhere values (1)'), ...others])
      })
      await expect(failing).rejects.toThrow('nowhere')
      await Promise.allSettled(others)
      expect(await countOf(sql)).toBe(0)
    })

    test('takes no statement after its end', async () => {
      const sql = await withProbes()
      const over = await sql.tx(async (tx) => [tx] as const)
      await expect(over[0].all('insert into probes (id) values (1)')).rejects.toBeInstanceOf(StoreUnavailable)
      await expect(over[0].script('insert into probes (id) values (1)')).rejects.toBeInstanceOf(StoreUnavailable)
      expect(await countOf(sql)).toBe(0)
    })

    test('does not keep a read beside it waiting, which sees what was before', async () => {
      const sql = await withProbes()
      const seen = await sql.tx(async (tx) => {
        await tx.all('insert into probes (id) values (1)')
        return countOf(sql)
      })
      expect(seen).toBe(0)
      expect(await countOf(sql)).toBe(1)
    })

    test('keeps a row that it has written: 64 at once that write, read and write again lose no update', async () => {
      const sql = await withProbes()
      await insertProbe(sql, 1, null, 0, null, null)
      const increment = (): Promise<unknown> =>
        sql.tx(async (tx) => {
          const [row] = await tx.all<Probe>(`update probes set t = 'taken' where id = 1 returning n`)
          await tx.all('update probes set n = $1 where id = 1', (row?.n ?? 0) + 1)
        })
      await Promise.all(callers.map(increment))
      expect(await probe(sql, 1)).toMatchObject({ n: 64 })
    })

    test('can run alone: 8 at once that read and then write lose no update', async () => {
      const sql = await withProbes()
      await insertProbe(sql, 1, null, 0, null, null)
      const increment = (): Promise<unknown> =>
        sql.alone(async (tx) => {
          const [row] = await tx.all<Probe>('select n from probes where id = 1')
          await tx.all('update probes set n = $1 where id = 1', (row?.n ?? 0) + 1)
        })
      await Promise.all(callers.slice(0, 8).map(increment))
      expect(await probe(sql, 1)).toMatchObject({ n: 8 })
    })

    test('moves a state once: of 64 conditional updates at once one finds it', async () => {
      const sql = await withProbes()
      await insertProbe(sql, 1, 'pending', null, null, null)
      const move = (caller: number): Promise<unknown[]> =>
        sql.tx((tx) =>
          tx.all(`update probes set t = 'taken', n = $1 where id = 1 and t = 'pending' returning id`, caller),
        )
      const winners = (await Promise.all(callers.map(move))).map((rows) => rows.length === 1)
      expect(winners.filter(Boolean)).toHaveLength(1)
      expect(await probe(sql, 1)).toMatchObject({ t: 'taken', n: winners.indexOf(true) })
    })

    test('inserts once: of 64 inserts at once one is the first', async () => {
      const sql = await withProbes()
      const insert = (caller: number): Promise<unknown[]> =>
        sql.tx((tx) =>
          tx.all('insert into probes (id, n) values (1, $1) on conflict (id) do nothing returning id', caller),
        )
      const winners = (await Promise.all(callers.map(insert))).map((rows) => rows.length === 1)
      expect(winners.filter(Boolean)).toHaveLength(1)
      expect(await probe(sql, 1)).toMatchObject({ n: winners.indexOf(true) })
    })

    test('fails by itself: among 64 at once the failing ones take no other with them', async () => {
      const sql = await withProbes()
      const insert = (caller: number): Promise<unknown> =>
        sql.tx(async (tx) => {
          await tx.all('insert into probes (id) values ($1)', caller)
          if (caller % 2 === 1) throw new Error('odd')
        })
      const outcomes = await Promise.allSettled(callers.map(insert))
      expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(32)
      const rows = await sql.all<Probe>('select id from probes')
      expect(rows.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(callers.filter((caller) => caller % 2 === 0))
    })

    test.each<Durability>(['power', 'process'])('of durability %s commits and rolls back', async (durability) => {
      const sql = await withProbes()
      await sql.tx((tx) => tx.all('insert into probes (id) values (1)'), durability)
      const failing = sql.tx(async (tx) => {
        await tx.all('insert into probes (id) values (2)')
        throw new Error('changed my mind')
      }, durability)
      await expect(failing).rejects.toThrow('changed my mind')
      expect(await sql.all<Probe>('select id from probes')).toMatchObject([{ id: 1 }])
    })

    test('can follow one of the other durability', async () => {
      const sql = await withProbes()
      const insert = (caller: number): Promise<unknown> =>
        sql.tx((tx) => tx.all('insert into probes (id) values ($1)', caller), caller % 3 === 0 ? 'power' : 'process')
      await Promise.all(callers.map(insert))
      expect(await countOf(sql)).toBe(64)
    })

    test('that has begun is finished before the database closes', async () => {
      const opened = await open()
      const { sql } = opened
      await sql.tx((tx) => tx.script(probeTable))
      const inserts = callers.map((caller) => insertProbe(sql, caller, null, null, null, null))
      const [rows] = await Promise.all([Promise.all(inserts), opened.close()])
      expect(rows.flat()).toHaveLength(64)
    })
  })

  describe(`${name}: a transaction that is sent at once`, () => {
    const insert = (tx: Reader, id: number, t = 'x'): Promise<unknown[]> =>
      tx.all('insert into probes (id, t) values ($1, $2) on conflict (id) do nothing returning id', id, t)
    const idsOf = async (sql: Sql): Promise<number[]> => {
      const rows = await sql.all<Probe>('select id from probes')
      return rows.map(({ id }) => id).toSorted((a, b) => a - b)
    }

    test('runs its statements in their order, and each returns its rows', async () => {
      const sql = await withProbes()
      const sent: Promise<unknown[]>[] = []
      const result = sql.atOnce((tx) => {
        sent.push(
          insert(tx, 1),
          tx.all('insert into probes (id, n, b) values ($1, $2, $3)', 2, nowMs, Uint8Array.of(7)),
          tx.all("update probes set t = 'y' where id = 1"),
          tx.all('select id, t, n, b from probes where id >= $1 order by id', 1),
          tx.all('select id from probes where id > 2'),
          insert(tx, 3),
        )
        return sent
      })
      expect(await result).toBeUndefined()
      const found = await Promise.all(sent)
      expect(found.map((rows) => rows.map((row) => ({ ...(row as Probe) })))).toEqual([
        [{ id: 1 }],
        [],
        [],
        [
          { id: 1, t: 'y', n: null, b: null },
          { id: 2, t: null, n: nowMs, b: expect.any(Uint8Array) as unknown },
        ],
        [],
        [{ id: 3 }],
      ])
      expect(await idsOf(sql)).toEqual([1, 2, 3])
    })

    test('stores nothing if a statement fails, wherever it is, and throws that error', async () => {
      const sql = await withProbes()
      await insertProbe(sql, 1, null, null, null, null)
      for (const at of [0, 1, 2, 3]) {
        const failing = sql.atOnce((tx) =>
          [2, 3, 4, 5].map((id, index) =>
            index === at ? tx.all('insert into probes (id) values (1)') : insert(tx, id, `new text ${at}`),
          ),
        )
        await expect(failing).rejects.toThrow(/unique/i)
        expect(await idsOf(sql)).toEqual([1])
      }
      // Statements that were sent for the first time behind one that failed can be sent again.
      await sql.atOnce((tx) => [tx.all('insert into nowhere values (1)'), tx.all('select 1 as first')]).catch(() => {})
      await sql.atOnce((tx) => [tx.all('select 1 as first'), insert(tx, 6), tx.all('select 1 as first')])
      expect(await idsOf(sql)).toEqual([1, 6])
    })

    test('stores nothing if a statement returns no row that has to, and throws the error for that', async () => {
      const sql = await withProbes()
      const move = (tx: AtOnceTx, from: string, missing: Error): Promise<unknown> =>
        tx.requiring(() => missing).all('update probes set t = $2 where id = 1 and t = $1 returning id', from, 'moved')
      const [first, second] = [new Error('first'), new Error('second')]
      await sql.tx((tx) => insert(tx, 1, 'open'))
      const failing = sql.atOnce((tx) => [
        insert(tx, 2),
        move(tx, 'open', first),
        move(tx, 'open', second),
        tx.all('insert into nowhere values (1)'),
      ])
      await expect(failing).rejects.toBe(second)
      expect(await idsOf(sql)).toEqual([1])
      expect(await probe(sql, 1)).toMatchObject({ t: 'open' })
      await sql.atOnce((tx) => [move(tx, 'open', first), insert(tx, 2)])
      expect(await probe(sql, 1)).toMatchObject({ t: 'moved' })
      expect(await idsOf(sql)).toEqual([1, 2])
    })

    test('stores nothing if what sends its statements throws, and takes none afterwards', async () => {
      const sql = await withProbes()
      const error = new Error('changed my mind')
      let kept: AtOnceTx | undefined
      const failing = sql.atOnce((tx) => {
        kept = tx
        void insert(tx, 1).catch(() => {})
        throw error
      })
      await expect(failing).rejects.toBe(error)
      await expect(kept?.all('insert into probes (id) values (2)')).rejects.toBeInstanceOf(StoreUnavailable)
      expect(await idsOf(sql)).toEqual([])
    })

    test('moves a state once: of 64 at once one finds it, and only that one stores more', async () => {
      const sql = await withProbes()
      await insertProbe(sql, 0, 'pending', null, null, null)
      const missing = new Error('moved')
      const move = (caller: number): Promise<void> =>
        sql.atOnce((tx) => [
          tx
            .requiring(() => missing)
            .all(`update probes set t = 'taken', n = $1 where id = 0 and t = 'pending' returning id`, caller),
          insert(tx, caller + 1),
        ])
      const outcomes = await Promise.allSettled(callers.map(move))
      const winners = callers.filter((caller) => outcomes[caller]?.status === 'fulfilled')
      expect(winners).toHaveLength(1)
      expect(outcomes.filter((outcome) => outcome.status === 'rejected' && outcome.reason === missing)).toHaveLength(63)
      expect(await probe(sql, 0)).toMatchObject({ n: winners[0] })
      expect(await idsOf(sql)).toEqual([0, (winners[0] ?? 0) + 1])
    })

    test('does nothing if its first statement finds no row and the others have the guard', async () => {
      const sql = await withProbes()
      await insertProbe(sql, 0, 'taken', null, null, null)
      const missing = new Error('moved')
      const move = (from: string): Promise<void> =>
        sql.atOnce((tx) => {
          const { guard = 'true' } = tx
          return [
            tx.requiring(() => missing).all(`update probes set t = 'moved' where id = 0 and t = $1 returning id`, from),
            tx
              .requiring(() => new Error('over the limit'))
              .all(`insert into counters (name, used) select 'c', 1 where ${guard} returning used`),
            tx.all(`insert into probes (id, t) select 1, $1 where ${guard}`, from),
            tx.all(`update probes set n = 1 where id = 0 and ${guard}`),
          ]
        })
      await expect(move('pending')).rejects.toBe(missing)
      expect(await sql.all('select name from counters')).toEqual([])
      expect(await idsOf(sql)).toEqual([0])
      expect(await probe(sql, 0)).toMatchObject({ t: 'taken', n: null })
      await move('taken')
      expect(await idsOf(sql)).toEqual([0, 1])
      expect(await probe(sql, 0)).toMatchObject({ t: 'moved', n: 1 })
    })

    test('that has begun is finished before the database closes', async () => {
      const opened = await open()
      const { sql } = opened
      await sql.tx((tx) => tx.script(probeTable))
      const sent = callers.map((caller) => sql.atOnce((tx) => [insert(tx, caller)]))
      const [outcomes] = await Promise.all([Promise.allSettled(sent), opened.close()])
      expect(outcomes.every(({ status }) => status === 'fulfilled')).toBe(true)
    })
  })

  describe(`${name}: migrations`, () => {
    test('are applied once, and recorded with their names and the time', async () => {
      const sql = await empty()
      expect(await schemaVersion(sql)).toBe(0)
      await migrate(sql, nowMs, silent)
      const [first, ...rest] = await sql.all<object>('select id, name, applied_at_ms from migrations order by id')
      expect({ ...first }).toEqual({ id: 1, name: '0001-initial.sql', applied_at_ms: nowMs })
      expect(await schemaVersion(sql)).toBe(1 + rest.length)
      await migrate(sql, nowMs + 1, silent)
      expect(await sql.all('select id, name, applied_at_ms from migrations order by id')).toEqual([first, ...rest])
    })

    test('of a first start are one line of the log', async () => {
      const lines: object[] = []
      const log = createLog('info', { write: (line) => lines.push(JSON.parse(line) as object) })
      await migrate(await empty(), nowMs, log)
      expect(lines).toMatchObject([{ level: 'info', msg: 'creating the database', steps: newestSchema() }])
    })

    test('refuse a database that a newer build has migrated, and leave it as it is', async () => {
      const sql = await empty()
      await migrate(sql, nowMs, silent)
      const known = await schemaVersion(sql)
      await sql.tx((tx) =>
        tx.all('insert into migrations (id, name, applied_at_ms) values ($1, $2, $3)', known + 1, 'newer.sql', nowMs),
      )
      await expect(migrate(sql, nowMs, silent)).rejects.toThrow(
        `The database has schema version ${known + 1} (expected at most ${known}): start the newer Rollkey`,
      )
      expect(await schemaVersion(sql)).toBe(known + 1)
    })

    test('are applied once by 4 that start at once', async () => {
      const sql = await empty()
      await Promise.all(callers.slice(0, 4).map(() => migrate(sql, nowMs, silent)))
      expect(await sql.all('select id from migrations where id = 1')).toHaveLength(1)
    })

    test('that fail are not recorded', async () => {
      const sql = await empty()
      await sql.tx((tx) => tx.script('create table projects (id text)'))
      await expect(migrate(sql, nowMs, silent)).rejects.toThrow('projects')
      expect(await schemaVersion(sql)).toBe(0)
      await expect(sql.all('select id from organizations')).rejects.toThrow('organizations')
    })

    test('make a schema that knows what belongs to what', async () => {
      const sql = await empty()
      await migrate(sql, nowMs, silent)
      const orphan = sql.tx((tx) =>
        tx.all(
          `insert into projects (id, org_id, slug, name, created_at_ms, created_by)
           values ('prj_1', 'org_none', 'shop', 'shop', $1, 'user')`,
          nowMs,
        ),
      )
      await expect(orphan).rejects.toThrow(/foreign key/i)
    })
  })
}
