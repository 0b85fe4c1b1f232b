/** Tests of a connection to PostgreSQL that passes little or no data. */
import type { Pool } from 'pg'
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { StoreUnavailable } from '../../src/base/api-error.ts'
import { openIdentitySchema, type IdentityDatabase } from '../../src/identity/database.ts'
import { Breaker } from '../../src/upstream/breaker.ts'
import { openPostgres } from '../../src/storage/postgres.ts'
import type { Sql } from '../../src/storage/sql.ts'
import { newSchema, withTimeLimit } from '../../testkit/postgres.ts'
import { startTcpProxy, type TcpProxy } from '../../testkit/tcp-proxy.ts'

let way: TcpProxy
let url: URL
let sql: Sql
let identity: IdentityDatabase

beforeEach(async () => {
  url = new URL(withTimeLimit(await newSchema(inject('postgresUrl')), 1_000))
  way = await startTcpProxy(Number(url.port))
  url.port = String(way.port)
  sql = await openPostgres(url.href, 5)
  identity = await openIdentitySchema(url.href, sql)
})
afterEach(async () => {
  way.resume()
  way.cut()
  await identity.close()
  await sql.close()
  way.close()
})

function outcomeOf(work: () => Promise<unknown>): Promise<string> {
  return work().then(
    () => 'ok',
    (error: unknown) => (error instanceof StoreUnavailable ? 'unavailable' : String(error)),
  )
}

const read = (): Promise<unknown> => sql.all('select 1 as one')
const write = (): Promise<unknown> => sql.tx((tx) => tx.all('select 1 as one'))
const page = (): Promise<unknown> =>
  (identity.database as Pool).query('select 1 as one').catch((error: unknown) => {
    throw identity.toStoreError(error)
  })

describe.each([
  ['hangs', () => way.stall()],
  ['drips', () => way.drip()],
] as const)('a database that %s', (_, trouble) => {
  test('holds up the first statements for a time-out, and not each one after the other', async () => {
    for (const work of [read, write, page]) expect(await outcomeOf(work)).toBe('ok')
    trouble()
    const first = [...Array.from({ length: 20 }, () => read), write, page].map((work) => outcomeOf(work))
    expect(new Set(await Promise.all(first))).toEqual(new Set(['unavailable']))
    const before = way.connections
    const startedAt = performance.now()
    for (let i = 0; i < 200; i++) expect(await outcomeOf(i % 2 === 0 ? read : write)).toBe('unavailable')
    // One in half a second tries again.
    expect(way.connections - before).toBeLessThanOrEqual(1 + (performance.now() - startedAt) / 500)
    way.resume()
    await expect.poll(() => outcomeOf(read), { interval: 20 }).toBe('ok')
    for (const work of [read, write, page]) expect(await outcomeOf(work)).toBe('ok')
  })
})

test('connections that went silent cost one time-out together, where new ones work', async () => {
  // Each transaction has a connection until all have one.
  const { promise: allBegan, resolve: begin } = Promise.withResolvers<void>()
  let begun = 0
  const hold = (): Promise<void> =>
    sql.tx(async (tx) => {
      await tx.all('select 1')
      if (++begun === 5) begin()
      await allBegan
    })
  await Promise.all(Array.from({ length: 5 }, hold))
  way.stallOpen()
  expect(await outcomeOf(read)).toBe('unavailable')
  const before = way.connections
  await expect.poll(() => outcomeOf(read), { interval: 20 }).toBe('ok')
  expect(way.connections - before).toBe(1)
})

test('a statement of a transaction that takes too long is an outage, also if the database answers its rollback', async () => {
  const late = sql.tx(async (tx) => {
    way.stall()
    return tx.all('select 1 as one').finally(() => way.resume())
  })
  expect(await outcomeOf(() => late)).toBe('unavailable')
})

test('connections that are cut fail at once, and the next ones work', async () => {
  await Promise.all([read(), write(), page()])
  way.cut()
  await expect.poll(() => Promise.all([read, write, page].map(outcomeOf)), { interval: 1 }).toEqual(['ok', 'ok', 'ok'])
})

/** Opens the database, which answers only once the first attempt has failed. */
async function openLate(answer: () => void): Promise<Sql> {
  const attempts = vi.spyOn(Breaker.prototype, 'run')
  const opening = openPostgres(url.href, 1)
  await expect.poll(() => attempts.mock.calls.length).toBeGreaterThan(1)
  attempts.mockRestore()
  answer()
  return opening
}

test('a start waits for a database that answers a moment later', async () => {
  way.stall()
  const opened = await openLate(() => way.resume())
  expect(await opened.all('select 1 as one')).toEqual([{ one: 1 }])
  await opened.close()
})

test('a start waits for a database also while the clock of the machine stands still', async () => {
  way.stall()
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now())
  const opened = await openLate(() => {
    clock.mockRestore()
    way.resume()
  })
  expect(await opened.all('select 1 as one')).toEqual([{ one: 1 }])
  await opened.close()
})
