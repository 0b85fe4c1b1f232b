/** Nodes over PostgreSQL count in rows that only they write, until a plan has a limit: nothing is lost, counted twice or let through. */
import { expect, inject, onTestFinished, test } from 'vitest'
import { noReads } from '../../src/consistency/read-set.ts'
import { monthOf } from '../../src/base/clock.ts'
import { createLog } from '../../src/base/log.ts'
import { countingValidator } from '../../src/metering/joined-counting.ts'
import type { ChargeResult } from '../../src/metering/meter.ts'
import { foldIntervalMs, goneAfterMs, NodeRows } from '../../src/metering/node-rows.ts'
import { freePlan, unlimited, type Plan } from '../../src/metering/plans.ts'
import { hashOfRequestKey } from '../../src/metering/request-key.ts'
import { RoundCounter } from '../../src/metering/round-counter.ts'
import { Usage } from '../../src/metering/usage.ts'
import { connectPostgres } from '../../src/storage/postgres.ts'
import type { Sql, Tx } from '../../src/storage/sql.ts'
import { insertRequestKey, readMeter, type BillingEvent } from '../../src/storage/usage.ts'
import { TestClock } from '../../testkit/clock.ts'
import { isLong } from '../../testkit/long.ts'
import { newMigratedDatabase } from '../../testkit/postgres.ts'
import { Random } from '../../testkit/random.ts'
import { startTcpProxy, type TcpProxy } from '../../testkit/tcp-proxy.ts'
import { insertOrganization } from '../../src/storage/organizations.ts'

const startMs = Date.UTC(2026, 8, 21, 12)
const limited = (evaluations: number): Plan => freePlan(evaluations, 0)
const event: BillingEvent = {
  orgId: 'org_1',
  projectId: '',
  stageId: '',
  caller: 'user_1',
  how: 'session',
  requestKey: undefined,
}

interface Node {
  readonly rows: NodeRows
  /** Sends this many events at once. */
  readonly charge: (times: number, more?: Partial<BillingEvent>) => Promise<ChargeResult[]>
  /** The messages that it has logged. */
  readonly messages: () => string[]
}

function nodeOn(sql: Sql, clock: TestClock, plan = unlimited): Node {
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => lines.push(line) })
  const rows = new NodeRows({ sql, plan, clock, log })
  const validator = countingValidator({ sql, clock, rows, memberTable: undefined })
  const counter = new RoundCounter({ validator, sql, rows, clock })
  return {
    rows,
    charge: (times, more) =>
      Promise.all(Array.from({ length: times }, () => counter.charge({ ...event, ...more }, noReads))),
    messages: () => lines.map((line) => (JSON.parse(line) as { msg: string }).msg),
  }
}

async function opened() {
  const clock = new TestClock()
  clock.freezeAt(startMs)
  const url = await newMigratedDatabase(inject('postgresUrl'))
  const sql = connectPostgres(url, 12)
  onTestFinished(() => sql.close())
  await sql.tx(async (tx) => {
    for (const id of ['org_1', 'org_2']) await insertOrganization(tx, { id, idpOrgId: id, slug: id, nowMs: startMs })
  })
  const used = async (orgId = 'org_1'): Promise<number> => {
    await nodeOn(sql, clock).rows.fold()
    return readMeter(sql, { orgId, meter: 'evaluations', period: monthOf(clock.now()) })
  }
  /** Holds what a transaction has locked until the returned function is called. */
  const holding = async (work: (tx: Tx) => Promise<unknown>): Promise<() => Promise<void>> => {
    const [isHeld, isReleased] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const held = sql.tx(async (tx) => {
      await work(tx)
      isHeld.resolve()
      await isReleased.promise
    })
    await isHeld.promise
    const release = () => {
      isReleased.resolve()
      return held
    }
    onTestFinished(release)
    return release
  }
  /** Waits until this many transactions wait for a lock. Throws if some work, which should wait, ends before. */
  const untilWaiting = async (transactions: number, ...work: Promise<unknown>[]): Promise<void> => {
    let hasEnded = false
    const end = () => (hasEnded = true)
    for (const each of work) each.then(end, end)
    const waiting = "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
    for (;;) {
      const { length } = await sql.all(waiting)
      if (length === transactions) return
      if (hasEnded)
        throw new Error(`${length} transactions wait for a lock (expected ${transactions}), and one has ended`)
    }
  }
  return { url, sql, clock, used, holding, untilWaiting, node: (plan?: Plan) => nodeOn(sql, clock, plan) }
}

const lockDays = (tx: Tx) => tx.all('select evaluations from usage_days for update')

test('a limit that is turned on counts what nodes counted before, and holds for a round that began before it', async () => {
  const { used, holding, untilWaiting, node } = await opened()
  const [first, second] = [node(), node()]
  await first.charge(3)
  await second.charge(4)
  const release = await holding((tx) => second.rows.lockedLimit(tx))
  const third = node(limited(9))
  const opening = third.rows.open()
  await untilWaiting(1, opening)
  const another = node(limited(9)).rows.open()
  await untilWaiting(2, opening, another)
  // The switch has changed the first lease and waits for the second, whose node still counts without a limit.
  expect(await second.charge(1)).toEqual(['counted'])
  const round = first.charge(2)
  await untilWaiting(3, opening, another, round)
  await release()
  const [charges] = await Promise.all([round, opening, another])
  expect(charges.toSorted()).toEqual(['counted', 'refused'])
  expect(await Promise.all([second.charge(1), third.charge(1)])).toEqual([['refused'], ['refused']])
  expect(await used()).toBe(9)
})

test('a limit waits for a round that has begun', async () => {
  const { used, holding, untilWaiting, node } = await opened()
  const [first, second] = [node(), node()]
  await Promise.all([first.charge(3), second.charge(4)])
  const requestKey = 'of another transaction'
  const release = await holding((tx) => insertRequestKey(tx, 'org_1', hashOfRequestKey(requestKey), startMs))
  const round = Promise.all([first.charge(2), first.charge(1, { requestKey })])
  await untilWaiting(1, round)
  const opening = node(limited(8)).rows.open()
  await untilWaiting(2, round, opening)
  await release()
  expect(await round).toEqual([['counted', 'counted'], ['repeated']])
  await opening
  // 9 were counted before the limit, which is 8.
  expect(await Promise.all([first.charge(1), second.charge(1), node(limited(8)).charge(1)])).toEqual(
    Array.from({ length: 3 }, () => ['refused']),
  )
  expect(await used()).toBe(9)
})

test('the strictest plan of the live nodes holds, whichever node starts or stops', async () => {
  const { sql, clock, used, node } = await opened()
  const [first, second] = [node(limited(2)), node()]
  expect(await first.charge(3)).toEqual(['counted', 'counted', 'refused'])
  // It starts last, and allows more.
  expect(await second.charge(1)).toEqual(['refused'])
  await first.rows.close()
  // The first event learns that the limit is gone, and the next one is in a row of the node.
  for (const rows of [[], [{ evaluations: 1 }]]) {
    expect(await second.charge(1)).toEqual(['counted'])
    expect(await sql.all('select evaluations from node_usage')).toEqual(rows)
  }
  await second.rows.maintain()
  const [strict, killed] = [node(limited(6)), node(limited(5))]
  await Promise.all([strict.rows.open(), killed.rows.open()])
  const restarted = node()
  const results = await Promise.all([strict, killed, restarted].map(({ charge }) => charge(1)))
  expect(results.flat().toSorted()).toEqual(['counted', 'refused', 'refused'])
  await strict.rows.maintain()
  clock.advance(goneAfterMs + 1)
  await strict.rows.maintain()
  clock.advance(foldIntervalMs)
  await strict.rows.maintain()
  expect(await Promise.all([strict.charge(1), restarted.charge(1)])).toContainEqual(['counted'])
  // The node was not killed, and its plan holds again when it counts.
  expect(await killed.charge(1)).toEqual(['refused'])
  expect(await Promise.all([strict.charge(1), second.charge(1)])).toEqual([['refused'], ['refused']])
  const [stricter, own] = [
    'this node counts by the plan of another node, which allows less',
    'this node counts by its own plan again',
  ]
  for (const { messages } of [second, strict]) expect(messages()).toEqual([stricter, own, stricter])
  expect(await used()).toBe(6)
})

test('a node that counts as gone is folded, and counts exactly when it comes back', async () => {
  const { sql, clock, used, holding, untilWaiting, node } = await opened()
  const [first, second] = [node(), node()]
  await Promise.all([first.charge(3), second.charge(4)])
  clock.advance(goneAfterMs + 1)
  const requestKey = 'of another transaction'
  const release = await holding((tx) => insertRequestKey(tx, 'org_1', hashOfRequestKey(requestKey), startMs))
  const round = Promise.all([first.charge(2), first.charge(1, { requestKey })])
  await untilWaiting(1, round)
  const gone = second.rows.maintain()
  await untilWaiting(2, round, gone)
  await release()
  expect(await round).toEqual([['counted', 'counted'], ['repeated']])
  await gone
  expect(await sql.all('select node from counting_nodes')).toEqual([{ node: second.rows.node }])
  expect(await first.charge(5)).toEqual(Array(5).fill('counted'))
  expect(await first.charge(1)).toEqual(['counted'])
  expect(await used()).toBe(15)
})

test('a fold and a round that change the same rows do not wait for each other', async () => {
  const { used, holding, untilWaiting, node } = await opened()
  const first = node()
  const charge = (caller: string) => first.charge(1, { caller })
  for (const caller of ['c', 'a', 'b']) await charge(caller)
  const release = await holding((tx) => tx.all("select evaluations from node_usage where caller = 'b' for update"))
  const round = Promise.all(['a', 'b', 'c'].map(charge))
  await untilWaiting(1, round)
  const folding = node().rows.fold()
  await untilWaiting(2, round, folding)
  await release()
  await Promise.all([round, folding])
  expect(await used()).toBe(6)
})

test('a round that counts during a fold, and one that follows a fold that failed, lose nothing', async () => {
  const { sql, clock, used, holding, untilWaiting, node } = await opened()
  const [first, second] = [node(), node()]
  await Promise.all([first.charge(3), second.charge(4)])
  await second.rows.fold()
  await first.charge(2)
  for (const cancel of [true, false]) {
    const release = await holding(lockDays)
    const folding = second.rows.fold().then(
      () => 'folded',
      () => 'failed',
    )
    await untilWaiting(1, folding)
    const round = first.charge(2)
    await untilWaiting(2, folding, round)
    if (cancel) {
      const backends =
        "pg_stat_activity where wait_event_type = 'Lock' and query like '%moved as%' and datname = current_database()"
      await sql.all(`select pg_cancel_backend(pid) from ${backends}`)
      await folding
    }
    await release()
    await round
    expect(await folding).toBe(cancel ? 'failed' : 'folded')
  }
  const usage = new Usage({ sql, pending: second.rows, plan: unlimited, clock })
  expect((await usage.show('org_1', { months: 1 })).months).toEqual([{ month: '2026-09', evaluations: 13 }])
  expect(await used()).toBe(13)
})

test('one node in an interval folds, and a node that stops leaves no lease', async () => {
  const { sql, clock, node } = await opened()
  const [first, second] = [node(), node()]
  await first.charge(3)
  const left = () => sql.all('select evaluations from node_usage')
  await second.rows.maintain()
  expect(await left()).toEqual([])
  await first.charge(3)
  clock.advance(foldIntervalMs - 1)
  await Promise.all([first.rows.maintain(), second.rows.maintain()])
  expect(await left()).toMatchObject([{ evaluations: 3 }])
  for (const each of [first, second]) await each.rows.close()
  expect([await left(), await sql.all('select node from counting_nodes')]).toEqual([[], []])
})

interface ProxiedNode extends Node {
  readonly way: TcpProxy
}

/** Cuts everything that the node sends after some more messages, before or after the database has received it. */
function kill({ way }: ProxiedNode, random: Random): void {
  let left = random.int(5)
  way.judge = () => (left-- > 0 ? 'pass' : random.pick(['cut before', 'cut after'] as const))
}

test('three nodes that are killed under load count exactly what they answered, and then no event beyond a limit', async () => {
  const { url, sql, clock, used } = await opened()
  const random = new Random(68)
  const start = async (plan?: Plan): Promise<ProxiedNode> => {
    const target = new URL(url)
    const way = await startTcpProxy(Number(target.port))
    target.port = String(way.port)
    const own = connectPostgres(target.href, 4)
    onTestFinished(async () => {
      way.close()
      await own.close()
    })
    const node = nodeOn(own, clock, plan)
    await node.rows.open()
    return { ...node, way }
  }
  const nodes = await Promise.all([start(), start(), start()])
  let [keyed, sent, answered] = [0, 0, 0]
  /** Sends an event until it has an answer: that it was counted, now or before. */
  const chargeKeyed = async (requestKey: string): Promise<void> => {
    while (
      !(await random
        .pick(nodes)
        .charge(1, { requestKey })
        .catch(() => undefined))
    )
      continue
    keyed++
  }
  const chargeOther = async (node: Node): Promise<void> => {
    sent++
    await node.charge(1, { orgId: 'org_2' }).then(
      () => answered++,
      () => undefined,
    )
  }
  for (let kills = 0; kills < (isLong ? 200 : 6); kills++) {
    const at = random.int(nodes.length)
    const killed = nodes[at] as ProxiedNode
    kill(killed, random)
    const load = [
      ...Array.from({ length: 12 }, (_, i) => chargeKeyed(`${kills} ${i}`)),
      ...nodes.flatMap((node) => [chargeOther(node), chargeOther(node)]),
      ...(random.once(3)
        ? [
            random
              .pick(nodes)
              .rows.maintain()
              .catch(() => undefined),
          ]
        : []),
    ]
    await chargeOther(killed)
    nodes[at] = await start()
    await Promise.all(load)
    clock.advance(random.pick([0, foldIntervalMs, goneAfterMs + 1]))
    if (monthOf(clock.now()) !== monthOf(startMs)) clock.freezeAt(startMs)
  }
  expect(await used()).toBe(keyed)
  expect(await used('org_2')).toBeGreaterThanOrEqual(answered)
  expect(await used('org_2')).toBeLessThanOrEqual(sent)

  const room = 30
  const load = nodes.map((node) => Promise.all(Array.from({ length: 10 }, () => node.charge(3))))
  const limit = keyed + room
  const next = start(limited(limit))
  const charges = (await Promise.all(load)).flat(2)
  await next
  const before = await used()
  const after = (await Promise.all(nodes.map((node) => node.charge(room)))).flat()
  const counted = (results: readonly ChargeResult[]) => results.filter((result) => result === 'counted').length
  expect(before).toBe(keyed + counted(charges))
  expect(counted(after)).toBe(Math.max(0, limit - before))
  const sums = `select sum(evaluations) as sum from`
  const [days, callers] = [await sql.all(`${sums} usage_days`), await sql.all(`${sums} usage_callers`)]
  expect(days).toEqual(callers)
})
