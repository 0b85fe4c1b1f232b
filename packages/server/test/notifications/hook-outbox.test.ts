/** Several nodes that tell webhooks what happened, on both stores, while receivers fail and nodes are killed. */
import { limits } from '@rollkey/contract'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Attempt } from '../../src/notifications/delivery.ts'
import { eventsOf } from '../../src/notifications/events.ts'
import { HookOutbox, type HookOutboxParts } from '../../src/notifications/hook-outbox.ts'
import { Target } from '../../src/notifications/target.ts'
import { personActorOf } from '../../src/storage/actor.ts'
import { appendAudit } from '../../src/storage/audit.ts'
import { deliveriesOf, entriesAfter, hooksOf, insertHook } from '../../src/storage/hooks.ts'
import { insertOrganization } from '../../src/storage/organizations.ts'
import type { Sql } from '../../src/storage/sql.ts'
import { networks } from '../../src/upstream/networks.ts'
import { TestClock } from '../../testkit/clock.ts'
import { FakeServer, type FailureMode, type FakeServerRequest, type Reply } from '../../testkit/fake-server.ts'
import { hookRow } from '../../testkit/hook-row.ts'
import { isLong } from '../../testkit/long.ts'
import { OutboxNode, type NodeOptions, type NodeParts } from '../../testkit/outbox-node.ts'
import { Random } from '../../testkit/random.ts'
import { temporaryShared, temporaryStore } from '../storage/temporary.ts'

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

type Send = HookOutboxParts['delivery']['send']

const attempt = (id: string, atMs: number, more: Partial<Attempt> = {}): Attempt => {
  return { event_id: id, type: 'variables.changed', at_ms: atMs, status: 200, duration_ms: 1, failure: null, ...more }
}

/** Starts a node with its way to send. */
function startNode(sql: Sql, clock: TestClock, sendOf: (node: OutboxNode) => Send, more?: NodeOptions): OutboxNode {
  const outboxesOf = (parts: NodeParts, node: OutboxNode) => [
    new HookOutbox({ ...parts, publicUrl, delivery: { send: sendOf(node) } }),
  ]
  return new OutboxNode(sql, clock, outboxesOf, more)
}

/** What a receiver may do, and what a network may. It may have taken what it did not answer. */
const troubles: FailureMode[] = [
  { status: 500 },
  'resets',
  'drips',
  'hangs',
  'works and fails',
  'works and hangs',
  'works and breaks off',
]

/** Receives the messages of webhooks, each at a path. */
class Receiver extends FakeServer {
  /** What it accepted, repeated messages too. */
  readonly accepted = new Map(hookIds.map((id) => [id, [] as string[]]))

  protected take({ path, headers }: FakeServerRequest): Reply {
    this.accepted.get(path.slice(1))?.push(String(headers['webhook-id']))
    return { status: 200, body: {} }
  }
}

describe.each([
  ['SQLite', temporaryStore],
  ['PostgreSQL', temporaryShared],
])('%s', (_, open) => {
  test('each webhook receives everything, in order, and again only what may not have been recorded', async () => {
    const random = new Random(44)
    const clock = new TestClock()
    const sql = await filled(open, clock)
    const receiver = new Receiver()
    await receiver.start()
    onTestFinished(() => receiver.stop())
    // A message that takes longer is sent again, which decides nothing here.
    const target = new Target({ allowed: networks(['127.0.0.0/8']), timeoutMs: 50 })
    let sends = 0
    const start = () =>
      startNode(sql, clock, (node) => async (row, id, event, signal) => {
        sends++
        if (sends === 10 || random.once(40)) node.isKilled = true
        // All of them once, then now and then.
        const trouble = troubles[sends - 20] ?? (random.once(25) ? random.pick(troubles) : undefined)
        if (trouble) receiver.nextFailureModes.push(trouble)
        const message = { headers: { 'webhook-id': id }, body: event.type }
        const outcome = await target.send(`${receiver.url}/${row.id}`, message, signal)
        const failure = 'failure' in outcome ? outcome.failure : outcome.status === 200 ? null : 'another status'
        return attempt(id, clock.now(), { failure })
      })
    const nodes = Array.from({ length: 3 }, start)
    await expect
      .poll(
        async () => {
          for (const [index, { isKilled }] of nodes.entries()) if (isKilled) nodes[index] = start()
          random.pick(nodes).tick()
          random.pick(nodes).tick()
          // Beyond every pause and every lease.
          if (random.once(3)) clock.advance(60_000)
          return (await hooksOf(sql, orgId)).map(({ position, last_seq: last }) => last - position)
        },
        { interval: 5 },
      )
      .toEqual([0, 0])
    const place = { orgId, orgSlug: 'acme', publicUrl }
    const expected = eventsOf(place, await entriesAfter(sql, orgId, 0, 10_000)).map(({ id }) => id)
    expect(expected).toHaveLength(writes)
    for (const ids of receiver.accepted.values()) {
      expect([...new Set(ids)]).toEqual(expected)
      // After a message comes the next one, or one that was sent before.
      for (const [index, id] of ids.entries())
        expect(expected.indexOf(id)).toBeLessThanOrEqual(new Set(ids.slice(0, index)).size)
    }
    for (const id of hookIds) expect(await deliveriesOf(sql, id)).toHaveLength(100)
    for (const { worker } of nodes) await worker.close()
  })

  test('nodes that look at the same time do not send the same', async () => {
    const clock = new TestClock()
    const sql = await filled(open, clock)
    const sent: string[] = []
    const send: Send = async (row, id) => {
      sent.push(`${row.id} ${id}`)
      return attempt(id, clock.now())
    }
    let turns = 0
    const begin = async () => (turns++, () => undefined)
    const nodes = [1, 2, 3].map(() => startNode(sql, clock, () => send, { turns: { begin } }))
    await expect
      .poll(async () => {
        for (const node of nodes) node.tick()
        return (await hooksOf(sql, orgId)).map(({ position, last_seq: last }) => last - position)
      })
      .toEqual([0, 0])
    expect(new Set(sent).size).toBe(sent.length)
    expect(sent).toHaveLength(2 * writes)
    expect(turns).toBe(sent.length)
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
    const send: Send = async (row, id, _event, signal) => {
      const ofOrg = hanging.get(row.org_id)
      if (!ofOrg) {
        accepted.push(`${row.id} ${id}`)
        return attempt(id, clock.now())
      }
      ofOrg.add(row.id)
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      return attempt(id, clock.now(), { failure: 'no answer' })
    }
    const node = startNode(sql, clock, () => send)
    for (const org of greedy) await note(org)
    // Each gets as many of the 512 places as are free then, and 73 stay free.
    const expected = [74, 73, 73, 73, 73, 73]
    const sizes = () => [...hanging.values()].map((ids) => ids.size)
    await expect.poll(() => (node.tick(), sizes())).toEqual(expected)
    // The receivers that hang never end, and no lease does, because no time passes.
    for (let entry = 1; entry <= 3; entry++) {
      await note('other')
      await expect.poll(() => (node.tick(), accepted.length)).toBe(entry * otherHooks.length)
      expect(sizes()).toEqual(expected)
    }
    await node.worker.close()
  })
})
