/** Tests the worker of all outboxes, and the lease of a row, with rows of webhooks. */
import { expect, test } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { accepted, Lease } from '../../src/outbox/lease.ts'
import { fairShare, type Outbox } from '../../src/outbox/outbox-worker.ts'
import { personActorOf } from '../../src/storage/actor.ts'
import { appendAudit } from '../../src/storage/audit.ts'
import { hookTable, hooksOf, insertHook, type LeasedHookRow } from '../../src/storage/hooks.ts'
import { leaseRow } from '../../src/storage/leases.ts'
import { mailTable } from '../../src/storage/mails.ts'
import { insertOrganization } from '../../src/storage/organizations.ts'
import type { Sql } from '../../src/storage/sql.ts'
import { TestClock } from '../../testkit/clock.ts'
import { hookRow } from '../../testkit/hook-row.ts'
import { OutboxNode } from '../../testkit/outbox-node.ts'
import { temporaryStore } from '../storage/temporary.ts'

const leaseMs = 30_000

/** A store with webhooks that are due, and a clock that stands still. */
async function filled(hooks: number): Promise<{ sql: Sql; clock: TestClock; nowMs: number }> {
  const clock = new TestClock()
  const nowMs = clock.now()
  clock.freezeAt(nowMs)
  const sql = await temporaryStore(nowMs)
  await sql.tx(async (tx) => {
    await insertOrganization(tx, { id: 'org_1', idpOrgId: 'acme', slug: 'acme', nowMs })
    await appendAudit(tx, personActorOf({ orgId: 'org_1', userId: 'ada' }), { action: 'write', nowMs })
    for (let hook = 1; hook <= hooks; hook++)
      await insertHook(tx, hookRow({ id: `hok_${hook}`, org_id: 'org_1', created_at_ms: nowMs }))
  })
  return { sql, clock, nowMs }
}

/** An outbox of webhooks that only moves their positions. */
function hookOutbox(sql: Sql, more: Partial<Outbox<LeasedHookRow>> = {}): Outbox<LeasedHookRow> {
  return {
    name: 'webhooks',
    due: hookTable.due,
    places: 8,
    leaseMs,
    lease: (tx, due, untilMs) => leaseRow<LeasedHookRow>(tx, hookTable, due, untilMs),
    async send({ id }) {
      await sql.tx((tx) => tx.all('update hooks set position = 1 where id = $1', id))
      return true
    },
    ...more,
  }
}

/** The store with another way to read. */
function reading(sql: Sql, all: Sql['all']): Sql {
  return {
    all,
    tx: (...args) => sql.tx(...args),
    atOnce: (...args) => sql.atOnce(...args),
    alone: (...args) => sql.alone(...args),
    close: () => sql.close(),
  }
}

const behind = async (sql: Sql): Promise<number> =>
  (await hooksOf(sql, 'org_1')).filter(({ position }) => position === 0).length

test('one statement finds what is due in all outboxes', async () => {
  const { sql, clock } = await filled(0)
  const texts: string[] = []
  const counting = reading(sql, (text, ...params) => (texts.push(text), sql.all(text, ...params)))
  const mails: Outbox = { ...hookOutbox(sql), name: 'mail', due: mailTable.due }
  const logs: Outbox = { ...hookOutbox(sql), name: 'logs', everyLooks: 2 }
  const node = new OutboxNode(counting, clock, () => [hookOutbox(sql), mails, logs])
  for (let look = 1; look <= 3; look++) {
    node.tick()
    await node.worker.idle()
    expect(texts).toHaveLength(look)
  }
  expect(texts[0]).toMatch(/'webhooks' as outbox.+ union all .+'mail' as outbox/s)
  expect(texts.map((text) => text.includes("'logs' as outbox"))).toEqual([true, false, true])
})

test('an outbox with more due than places goes on as soon as one is free', async () => {
  const { sql, clock } = await filled(5)
  const node = new OutboxNode(sql, clock, () => [hookOutbox(sql, { places: 2 })])
  node.tick()
  await node.worker.idle()
  expect(await behind(sql)).toBe(0)
})

test('an outbox whose receiver takes no more now goes on at the next look', async () => {
  const { sql, clock } = await filled(3)
  const moving = hookOutbox(sql)
  const outbox = hookOutbox(sql, { places: 1, send: async (...args) => (await moving.send(...args), false) })
  const node = new OutboxNode(sql, clock, () => [outbox])
  for (const left of [2, 1, 0]) {
    node.tick()
    await node.worker.idle()
    expect(await behind(sql)).toBe(left)
  }
})

test('rows without a lease that cannot be prepared hold no place, and are tried again later', async () => {
  const { sql, clock, nowMs } = await filled(3)
  const tried: string[] = []
  const moving = hookOutbox(sql)
  const outbox = hookOutbox(sql, {
    places: 1,
    lease: async (_, { id }) => (await hooksOf(sql, 'org_1')).find((row) => row.id === id) as LeasedHookRow | undefined,
    send: async (row, sending) => {
      tried.push(row.id)
      if (row.id !== 'hok_3') throw new Error('unreadable')
      return moving.send(row, sending)
    },
  })
  const node = new OutboxNode(sql, clock, () => [outbox])
  const look = async (): Promise<string[]> => {
    tried.length = 0
    for (let times = 1; times <= 4; times++) {
      node.tick()
      await node.worker.idle()
    }
    return [...tried]
  }
  expect(await look()).toEqual(['hok_1', 'hok_2', 'hok_3'])
  expect(await look()).toEqual([])
  clock.freezeAt(nowMs + leaseMs)
  expect(await look()).toEqual(['hok_1', 'hok_2'])
})

test('a row that cannot be prepared is logged once, stays leased, and holds no other outbox', async () => {
  const { sql, clock } = await filled(1)
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => lines.push(line) })
  let sent = 0
  const broken = hookOutbox(sql, {
    name: 'broken',
    send: () => {
      throw new Error('a secret')
    },
  })
  const other: Outbox = { ...hookOutbox(sql), name: 'other', lease: async () => true, send: async () => ++sent > 99 }
  const node = new OutboxNode(sql, clock, () => [broken, other], { log })
  for (let lease = 1; lease <= 3; lease++) {
    for (const passedMs of [leaseMs - 1, 1]) {
      node.tick()
      await node.worker.idle()
      expect(sent).toBe(lease)
      clock.advance(passedMs)
    }
  }
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { level: 'warn', msg: 'a message could not be prepared and will be tried again', name: 'broken hok_1' },
  ])
  expect(lines.join('')).not.toContain('a secret')
})

test('a store that does not answer is logged once, until it answers', async () => {
  const { sql, clock } = await filled(1)
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => lines.push(line) })
  let isThere = false
  const failing = reading(sql, async (...args) => {
    if (!isThere) throw new Error('the store is away')
    return sql.all(...args)
  })
  const node = new OutboxNode(failing, clock, () => [hookOutbox(sql)], { log })
  for (const there of [false, false, true, false]) {
    isThere = there
    node.tick()
    await node.worker.idle()
  }
  expect(lines.filter((line) => line.includes('what waits to be sent could not be read'))).toHaveLength(2)
  expect(await behind(sql)).toBe(0)
})

test('a message begins when it is the turn of its organization', async () => {
  const { sql, clock } = await filled(3)
  const waiting: (() => void)[] = []
  const begun: string[] = []
  let ended = 0
  const outbox = hookOutbox(sql, {
    async send({ id }, { turn }) {
      await turn(async () => begun.push(id))
      return true
    },
  })
  const begin = async (): Promise<() => void> => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    return () => ended++
  }
  const node = new OutboxNode(sql, clock, () => [outbox], { turns: { begin } })
  node.tick()
  await expect.poll(() => waiting.length).toBe(3)
  expect(begun).toEqual([])
  waiting[1]?.()
  await expect.poll(() => begun).toEqual(['hok_2'])
  waiting[0]?.()
  waiting[2]?.()
  await node.worker.idle()
  expect([begun.length, ended]).toEqual([3, 3])
})

test('a lease counts failures and since when, until a message is accepted, and stores nothing once it has ended', async () => {
  const { sql, clock, nowMs } = await filled(1)
  const rules = { table: hookTable, leaseMs, backoff: { firstMs: 1_000, maxMs: 60_000 } }
  const leased = async (dueMs: number): Promise<Lease<LeasedHookRow>> => {
    const due = { id: 'hok_1', next_attempt_at_ms: dueMs }
    const row = await sql.tx((tx) => leaseRow<LeasedHookRow>(tx, hookTable, due, clock.now() + leaseMs))
    return new Lease({ sql, clock, random: () => 1 }, rules, row as LeasedHookRow)
  }
  const stored = async () => (await hooksOf(sql, 'org_1'))[0]
  const first = await leased(nowMs)
  expect(first.beganAtMs).toBe(nowMs)
  expect(await first.fail('status 500')).toBe(true)
  clock.advance(1_000)
  expect(await (await leased(nowMs + 1_000)).fail('status 503')).toBe(true)
  const failing = { attempts: 2, failing_since_ms: nowMs, failure: 'status 503', next_attempt_at_ms: nowMs + 3_000 }
  expect(await stored()).toMatchObject(failing)
  expect(await first.settle({ position: 1 })).toBe(false)
  clock.advance(2_000)
  const next = await leased(nowMs + 3_000)
  // An extension says nothing about the receiver.
  await next.settle({})
  expect(await stored()).toMatchObject({
    attempts: 2,
    failure: 'status 503',
    next_attempt_at_ms: nowMs + 3_000 + leaseMs,
  })
  let isKept = false
  await next.settle({ position: 1, ...accepted }, clock.now(), async () => (isKept = true))
  expect(await stored()).toMatchObject({ position: 1, ...accepted, next_attempt_at_ms: nowMs + 3_000 })
  expect(isKept).toBe(true)
  const late = new Lease({ sql, clock, random: () => 1 }, rules, first.row)
  expect(await late.settle({ position: 0 }, undefined, () => Promise.reject(new Error('stored')))).toBe(false)
})

test('an organization holds at most as many places as are free', () => {
  const due = (orgs: string) => orgs.split('').map((org_id) => ({ org_id }))
  const share = (orgs: string, held: string, places: number) =>
    fairShare(due(orgs), held.split(''), places)
      .map(({ org_id: org }) => org)
      .join('')
  expect(share('a'.repeat(10), '', 10)).toBe('a'.repeat(5))
  expect(share('a'.repeat(10), 'aaa', 10)).toBe('aa')
  expect(share('ab'.repeat(5), '', 10)).toBe(`${'ab'.repeat(3)}a`)
  expect(share('aab', 'a'.repeat(5), 10)).toBe('b')
  expect(share('abc', 'def', 4)).toBe('a')
  expect(share('a', 'bcd', 3)).toBe('')
})
