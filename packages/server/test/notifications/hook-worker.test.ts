/** Several nodes that tell webhooks what happened, on both stores, while receivers fail and nodes are killed. */
import { limits } from '@rollkey/contract'
import { describe, expect, test } from 'vitest'
import type { Timer } from '../../src/base/clock.ts'
import type { Attempt } from '../../src/notifications/delivery.ts'
import { eventsOf } from '../../src/notifications/events.ts'
import { fairShare, HookWorker } from '../../src/notifications/hook-worker.ts'
import { personActorOf } from '../../src/storage/actor.ts'
import { appendAudit } from '../../src/storage/audit.ts'
import { deliveriesOf, entriesAfter, hooksOf, insertHook } from '../../src/storage/hooks.ts'
import { insertOrganization } from '../../src/storage/organizations.ts'
import { sendIn, type Sql } from '../../src/storage/sql.ts'
import { TestClock } from '../../testkit/clock.ts'
import { hookRow } from '../../testkit/hook-row.ts'
import { isLong } from '../../testkit/long.ts'
import { Random } from '../../testkit/random.ts'
import { silent, temporaryShared, temporaryStore } from '../storage/temporary.ts'

const orgId = 'org_1'
const publicUrl = 'https://rollkey.example.com'
const hookIds = ['hok_1', 'hok_2']
const writes = isLong ? 1_000 : 150

const otherHooks = ['hok_other_1', 'hok_other_2', 'hok_other_3']

/** A store with an organization, an audit log of writes, and two webhooks that have received nothing. */
async function filled(open: (nowMs: number) => Promise<Sql>, clock: TestClock): Promise<Sql> {
  const nowMs = clock.now()
  const sql = await open(nowMs)
  await sql.tx((tx) => insertOrganization(tx, { id: orgId, idpOrgId: 'acme', slug: 'acme', nowMs }))
  const actor = personActorOf({ orgId, userId: 'ada' })
  for (let revision = 1; revision <= writes; revision++) {
    const at = { projectSlug: 'shop', stageSlug: revision % 3 === 0 ? 'dev' : 'prod', revision, nowMs }
    await sql.tx(async (tx) => {
      await appendAudit(tx, actor, { ...at, action: 'variable.create', names: ['A'] })
      if (revision % 2 === 0) await appendAudit(tx, actor, { ...at, action: 'variable.update', names: ['B'] })
    })
  }
  for (const id of hookIds) await sql.tx((tx) => insertHook(tx, hookRow({ id, org_id: orgId, created_at_ms: nowMs })))
  return sql
}

/** A node: its worker, and what lets it look for work. */
interface Node {
  tick(): void
  isKilled: boolean
}

describe.each([
  ['SQLite', temporaryStore],
  ['PostgreSQL', temporaryShared],
])('%s', (_, open) => {
  test('each webhook receives everything, in order, and again only what may not have been recorded', async () => {
    const random = new Random(44)
    const clock = new TestClock()
    const sql = await filled(open, clock)
    /** What the receivers accepted, repeated messages too. */
    const accepted = new Map(hookIds.map((id) => [id, [] as string[]]))
    let sends = 0

    function startNode(): Node {
      const node: Node = { tick: () => undefined, isKilled: false }
      const timer: Timer = {
        now: () => clock.now(),
        every: (__, work) => {
          node.tick = work
          return () => undefined
        },
      }
      const ownSql: Sql = {
        all: (...args) => sql.all(...args),
        tx: async (...args) => {
          if (node.isKilled) throw new Error('killed')
          return sql.tx(...args)
        },
        atOnce: (send) => ownSql.tx((tx) => sendIn(tx, send)),
        alone: (work) => sql.alone(work),
        close: async () => undefined,
      }
      const worker = new HookWorker({
        sql: ownSql,
        publicUrl,
        clock: timer,
        log: silent,
        random: () => 0,
        delivery: {
          send: async (row, id, event) => {
            const attempt: Attempt = {
              event_id: id,
              type: event.type,
              at_ms: clock.now(),
              status: 200,
              duration_ms: 1,
              failure: null,
            }
            sends++
            if (sends === 10 || random.once(40)) node.isKilled = true
            const fails = random.once(25)
            // A receiver may have taken what it did not answer.
            if (!fails || random.once(2)) accepted.get(row.id)?.push(id)
            return fails ? { ...attempt, status: 500, failure: 'status 500' } : attempt
          },
        },
      })
      worker.start()
      return node
    }

    const nodes = Array.from({ length: 3 }, startNode)
    await expect
      .poll(
        async () => {
          for (const [index, { isKilled }] of nodes.entries()) if (isKilled) nodes[index] = startNode()
          random.pick(nodes).tick()
          random.pick(nodes).tick()
          // Beyond every pause and every lease.
          if (random.once(3)) clock.advance(60_000)
          return (await hooksOf(sql, orgId)).map(({ position, last_seq: last }) => last - position)
        },
        { interval: 1 },
      )
      .toEqual([0, 0])
    const place = { orgId, orgSlug: 'acme', publicUrl }
    const expected = eventsOf(place, await entriesAfter(sql, orgId, 0, 10_000)).map(({ id }) => id)
    expect(expected).toHaveLength(writes)
    for (const ids of accepted.values()) {
      expect([...new Set(ids)]).toEqual(expected)
      // After a message comes the next one, or one that was sent before.
      for (const [index, id] of ids.entries())
        expect(expected.indexOf(id)).toBeLessThanOrEqual(new Set(ids.slice(0, index)).size)
    }
    for (const id of hookIds) expect(await deliveriesOf(sql, id)).toHaveLength(100)
  })

  test('nodes that look at the same time do not send the same', async () => {
    const clock = new TestClock()
    const sql = await filled(open, clock)
    const sent: string[] = []
    const ticks: (() => void)[] = []
    for (let node = 0; node < 3; node++)
      new HookWorker({
        sql,
        publicUrl,
        clock: { now: () => clock.now(), every: (__, work) => (ticks.push(work), () => undefined) },
        log: silent,
        random: () => 0,
        delivery: {
          send: async (row, id, { type }) => {
            sent.push(`${row.id} ${id}`)
            return { event_id: id, type, at_ms: clock.now(), status: 200, duration_ms: 1, failure: null }
          },
        },
      }).start()
    await expect
      .poll(async () => {
        for (const tick of ticks) tick()
        return (await hooksOf(sql, orgId)).map(({ position, last_seq: last }) => last - position)
      })
      .toEqual([0, 0])
    expect(new Set(sent).size).toBe(sent.length)
    expect(sent).toHaveLength(2 * writes)
  })

  test('webhooks of six organizations that hang leave places for another', async () => {
    const clock = new TestClock()
    const nowMs = clock.now()
    clock.freezeAt(nowMs)
    const sql = await open(nowMs)
    const greedy = Array.from({ length: 6 }, (__, number) => `greedy_${number}`)
    const note = (org: string): Promise<void> =>
      sql.tx((tx) => appendAudit(tx, personActorOf({ orgId: org, userId: 'ada' }), { action: 'write', nowMs }))
    for (const id of [...greedy, 'other'])
      await sql.tx((tx) => insertOrganization(tx, { id, idpOrgId: id, slug: id, nowMs }))
    await sql.tx(async (tx) => {
      for (const org of greedy)
        for (let hook = 0; hook < limits.hooks; hook++)
          await insertHook(tx, hookRow({ id: `hok_${org}_${hook}`, org_id: org, created_at_ms: nowMs }))
      for (const id of otherHooks) await insertHook(tx, hookRow({ id, org_id: 'other', created_at_ms: nowMs }))
    })
    const hanging = new Map(greedy.map((org) => [org, new Set<string>()]))
    const accepted: string[] = []
    let tick = (): void => undefined
    const worker = new HookWorker({
      sql,
      publicUrl,
      clock: { now: () => clock.now(), every: (__, work) => ((tick = work), () => undefined) },
      log: silent,
      random: () => 0,
      delivery: {
        send: async (row, id, { type }, signal) => {
          const attempt = { event_id: id, type, at_ms: clock.now(), status: 200, duration_ms: 1, failure: null }
          const ofOrg = hanging.get(row.org_id)
          if (!ofOrg) {
            accepted.push(`${row.id} ${id}`)
            return attempt
          }
          ofOrg.add(row.id)
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
          return { ...attempt, status: null, failure: 'no answer' }
        },
      },
    })
    worker.start()
    for (const org of greedy) await note(org)
    // Each gets as many of the 512 places as are free then, and 73 stay free.
    const expected = [74, 73, 73, 73, 73, 73]
    const sizes = () => [...hanging.values()].map((ids) => ids.size)
    await expect.poll(() => (tick(), sizes())).toEqual(expected)
    // The receivers that hang never end, and no lease does, because no time passes.
    for (let entry = 1; entry <= 3; entry++) {
      await note('other')
      await expect.poll(() => (tick(), accepted.length)).toBe(entry * otherHooks.length)
      expect(sizes()).toEqual(expected)
    }
    await worker.close()
  })
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
