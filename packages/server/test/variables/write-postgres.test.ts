/** What a write costs on PostgreSQL: round trips, counted where they pass. */
import { expect, inject, onTestFinished, test } from 'vitest'
import { singleWriter } from '../../src/consistency/read-validator.ts'
import { Declarations } from '../../src/declarations/declarations.ts'
import { freePlan } from '../../src/metering/plans.ts'
import { openPostgres } from '../../src/storage/postgres.ts'
import { TestClock } from '../../testkit/clock.ts'
import { newMigratedDatabase } from '../../testkit/postgres.ts'
import { startTcpProxy } from '../../testkit/tcp-proxy.ts'
import { abRoll, actor, live, newNode, newStore, secret } from '../stages/node.ts'

/** Opens two nodes on one database. `tripsOf` counts what the first one sends while it works. */
async function twoNodes() {
  const url = new URL(await newMigratedDatabase(inject('postgresUrl')))
  const proxy = await startTcpProxy(Number(url.port))
  url.port = String(proxy.port)
  const sql = await openPostgres(url.href, 2)
  onTestFinished(async () => {
    await sql.close()
    proxy.close()
  })
  const { clock } = await newStore(async () => sql)
  const [first, second] = [await newNode(sql, clock, freePlan(0, 10_000)), await newNode(sql, clock)]
  const tripsOf = async (work: () => Promise<unknown>): Promise<number> => {
    let trips = 0
    proxy.judge = () => {
      trips++
      return 'pass'
    }
    await work().catch(() => {})
    proxy.judge = () => 'pass'
    return trips
  }
  return { first, second, sql, tripsOf }
}

test('a write to a known stage takes one round trip, with its commit, and so do writes that wait together', async () => {
  const { first, tripsOf } = await twoNodes()
  await first.write({ entries: [secret('A'), abRoll('R')] })
  // Prepares the statements on the connections.
  for (const name of ['B', 'C']) await first.write({ entries: [secret(name), secret('A')], deletes: ['B'] })
  expect(await tripsOf(() => first.write({ entries: [secret('D')], deletes: ['C'] }))).toBe(1)
  const writes = (): Promise<unknown> =>
    Promise.all(Array.from({ length: 16 }, (_, index) => first.write({ entries: [secret(`N${index}`)] })))
  expect(await tripsOf(writes)).toBe(1)
  expect(Object.keys(await first.read())).toHaveLength(19)
})

test('a write to a stage that another node has moved stores nothing of it, and starts over', async () => {
  const { first, second, sql } = await twoNodes()
  await first.write({ entries: [secret('A', 'one')] })
  await second.write({ entries: [secret('A', 'two')] })
  expect(await first.write({ entries: [secret('B')] })).toMatchObject({ revision: 3, created: ['B'] })
  expect(await second.write({ entries: [secret('A')] })).toMatchObject({ revision: 4, updated: ['A'] })
  const history = await sql.all<object>('select revision, name from variable_history order by revision')
  expect(history).toEqual([
    { revision: 1, name: 'A' },
    { revision: 2, name: 'A' },
    { revision: 3, name: 'B' },
    { revision: 4, name: 'A' },
  ])
  expect(await sql.all('select seq from audit')).toHaveLength(6)
})

test('a write over the limit of the plan takes one round trip and stores nothing', async () => {
  const { first, sql, tripsOf } = await twoNodes()
  await first.write({ entries: [secret('A', 'x'.repeat(9_000))] })
  const tooMuch = (): Promise<unknown> => first.write({ entries: [secret('B', 'x'.repeat(9_000))] })
  await expect(tooMuch()).rejects.toThrow('storage limit')
  expect(await tripsOf(tooMuch)).toBe(1)
  expect(await sql.all('select revision from stages')).toEqual([{ revision: 1 }])
  expect((await first.write({ entries: [secret('A')] })).revision).toBe(2)
})

test('a write is compared with the declarations that another node has set, without a further round trip', async () => {
  const { first, second, sql, tripsOf } = await twoNodes()
  await first.write({ entries: [secret('PORT', '80')] })
  for (const node of [first, second]) await node.write({ entries: [secret('OTHER')] })
  const elsewhere = new Declarations({ sql, clock: new TestClock(), logicalClock: singleWriter.logicalClock })
  await elsewhere.set(actor, live.projectSlug, [{ name: 'PORT', constraint: { format: 'port' }, required: 'all' }])
  await expect(first.write({ entries: [secret('PORT', 'x')] })).rejects.toThrow('must be a port')
  await expect(second.write({ deletes: ['PORT'] })).rejects.toThrow('is required in')
  const fresh = { ...live, stageSlug: 'fresh' }
  await expect(first.write({ entries: [secret('PORT', 'x')] }, fresh)).rejects.toThrow('must be a port')
  await first.write({ entries: [secret('OTHER', 'again')] })
  await elsewhere.set(actor, live.projectSlug, [{ name: 'KEY', constraint: { minLength: 3 } }])
  await expect(first.write({ entries: [secret('KEY', 'x')] }, fresh)).rejects.toThrow('at least 3 characters')
  await elsewhere.delete(actor, live.projectSlug, ['PORT'])
  expect(await first.write({ entries: [secret('PORT', 'x')] })).toMatchObject({ updated: ['PORT'] })
  expect(await tripsOf(() => first.write({ entries: [secret('PORT', 'y')] }))).toBe(1)
  expect(await second.write({ deletes: ['PORT'] })).toMatchObject({ deleted: ['PORT'] })
})
