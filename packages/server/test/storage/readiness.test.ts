/** What /readyz says of each store, and what asking costs. */
import { expect, inject, onTestFinished, test } from 'vitest'
import { StoreUnavailable } from '../../src/base/api-error.ts'
import { createLog } from '../../src/base/log.ts'
import { Readiness } from '../../src/compose/readiness.ts'
import type { Store } from '../../src/compose/store.ts'
import { DatabaseWatch } from '../../src/storage/database-watch.ts'
import { connectPostgres } from '../../src/storage/postgres.ts'
import type { Sql } from '../../src/storage/sql.ts'
import { TestClock } from '../../testkit/clock.ts'
import { newMigratedDatabase } from '../../testkit/postgres.ts'
import { silent, temporaryJournal, temporaryStore } from './temporary.ts'

interface Probed {
  readonly readiness: Readiness
  /** Lets a second pass. */
  readonly later: () => void
  /** Makes a way to the store fail, or work again. */
  readonly fail: (way: string, isFailing: boolean) => void
  readonly statements: () => number
  readonly log: readonly string[]
}

interface Way {
  isFailing: boolean
}

/** Returns the port with transactions that can be made to fail, and counts them. */
function failing(sql: Sql, way: Way, count: () => void): Sql {
  return {
    all: (...args) => sql.all(...args),
    tx: (...args) => sql.tx(...args),
    alone: (work) => sql.alone(work),
    close: () => sql.close(),
    async atOnce(...args) {
      count()
      if (way.isFailing) throw new StoreUnavailable('refused by the test')
      await sql.atOnce(...args)
    },
  }
}

async function storeOf(kind: string, ways: Record<string, Way>, count: () => void): Promise<Store> {
  const wayOf = (name: string): Way => (ways[name] = { isFailing: false })
  const close = async (): Promise<void> => {}
  if (kind === 'embedded') {
    const sql = await temporaryStore(0)
    const journal = await temporaryJournal(sql)
    const append = journal.append.bind(journal)
    const way = wayOf('journal')
    journal.append = (...args) => {
      if (way.isFailing) throw new StoreUnavailable('refused by the test')
      append(...args)
    }
    const unused = { shared: undefined, watch: undefined, beforeCheckpoint: () => {} }
    return { sql: failing(sql, wayOf('writes'), count), journal, ...unused, close }
  }
  const url = await newMigratedDatabase(inject('postgresUrl'))
  const open = (name: string): Sql => {
    const sql = connectPostgres(url, 1)
    onTestFinished(() => sql.close())
    return failing(sql, wayOf(name), count)
  }
  const watch = new DatabaseWatch({ clock: new TestClock(), log: silent })
  return { sql: open('writes'), shared: open('rounds'), journal: undefined, watch, close }
}

async function probed(kind: string): Promise<Probed> {
  const ways: Record<string, Way> = {}
  let statements = 0
  let nowMs = 0
  const log: string[] = []
  const readiness = new Readiness({
    store: await storeOf(kind, ways, () => statements++),
    clock: new TestClock(),
    log: createLog('info', { write: (line) => log.push((JSON.parse(line) as { msg: string }).msg) }),
    now: () => nowMs,
  })
  return {
    readiness,
    later: () => void (nowMs += 1_000),
    fail: (way, isFailing) => void ((ways[way] as Way).isFailing = isFailing),
    statements: () => statements,
    log,
  }
}

test.each([
  ['embedded', 'writes'],
  ['embedded', 'journal'],
  ['PostgreSQL', 'writes'],
  ['PostgreSQL', 'rounds'],
])(
  'the %s store is not ready within 2 seconds after its %s fail, and ready within 2 after they work',
  async (kind, way) => {
    const { readiness, later, fail, log } = await probed(kind)
    const next = (): Promise<boolean> => {
      later()
      return readiness.isReady()
    }
    const both = async (): Promise<boolean[]> => [await next(), await next()]
    expect(await both()).toEqual([true, true])
    fail(way, true)
    expect((await both()).at(-1)).toBe(false)
    expect(await both()).toEqual([false, false])
    fail(way, false)
    expect((await both()).at(-1)).toBe(true)
    expect(await both()).toEqual([true, true])
    expect(log).toEqual(['the store takes no writes', 'the store takes writes again'])
  },
)

test.each(['embedded', 'PostgreSQL'])(
  'a thousand who ask the %s store in a second cost one statement',
  async (kind) => {
    const { readiness, later, statements } = await probed(kind)
    for (let second = 1; second <= 3; second++) {
      later()
      const answers = await Promise.all(Array.from({ length: 1_000 }, () => readiness.isReady()))
      expect([...new Set(answers), statements()]).toEqual([true, second])
    }
  },
)
