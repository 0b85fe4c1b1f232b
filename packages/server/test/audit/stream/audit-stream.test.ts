/** Several nodes that deliver the audit logs, on both stores, while the receiver fails and nodes are killed. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { Checkpoints } from '../../../src/audit/checkpoints.ts'
import { publicKeyOf } from '../../../src/audit/checkpoint.ts'
import { AuditStream } from '../../../src/audit/stream/audit-stream.ts'
import type { StreamMessage, StreamReceiver } from '../../../src/audit/stream/receiver.ts'
import { verifyStream } from '../../../src/audit/verify-stream.ts'
import { Keyring } from '../../../src/crypto/keyring.ts'
import { localKmsOfSetting } from '../../../src/crypto/kms/local.ts'
import { personActorOf } from '../../../src/storage/actor.ts'
import { appendAudit } from '../../../src/storage/audit.ts'
import { withAuditGate } from '../../../src/storage/audit-gate.ts'
import { undelivered } from '../../../src/storage/audit-stream.ts'
import { insertOrganization } from '../../../src/storage/organizations.ts'
import type { Sql } from '../../../src/storage/sql.ts'
import { TestClock } from '../../../testkit/clock.ts'
import { temporaryFolder } from '../../../testkit/folder.ts'
import { isLong } from '../../../testkit/long.ts'
import { OutboxNode } from '../../../testkit/outbox-node.ts'
import { Random } from '../../../testkit/random.ts'
import { silent, temporaryShared, temporaryStore } from '../../storage/temporary.ts'

const orgIds = ['org_1', 'org_2', 'org_3']
const entries = isLong ? 4_000 : 1_100

const note = (sql: Sql, orgId: string, nowMs: number, revision = 1) =>
  sql.tx((tx) => {
    const at = { projectSlug: 'shop', stageSlug: 'prod', revision, names: ['A'] }
    return appendAudit(tx, personActorOf({ orgId, userId: 'ada' }), { action: 'variable.update', nowMs, ...at })
  })

async function filled(open: (nowMs: number) => Promise<Sql>, clock: TestClock) {
  const nowMs = clock.now()
  const sql = await open(nowMs)
  const keyring = await Keyring.open(sql, localKmsOfSetting(Buffer.alloc(32, 1).toString('base64')), nowMs)
  for (const id of orgIds)
    await sql.tx((tx) => insertOrganization(tx, { id, idpOrgId: `idp_${id}`, slug: `slug-${id}`, nowMs }))
  return { sql, keyring, checkpoints: new Checkpoints({ sql, keyring, clock, log: silent }) }
}

/** Starts a node. `gateMs`: how long entries may wait until its gate refuses others. */
function startNode(sql: Sql, clock: TestClock, receiverOf: (node: OutboxNode) => StreamReceiver, gateMs?: number) {
  let gate: (orgId: string) => void = () => undefined
  const node = new OutboxNode(sql, clock, (parts, self) => {
    const stream = new AuditStream({
      ...parts,
      receiver: receiverOf(self),
      format: 'json',
      maxEntries: 20,
      version: '1',
    })
    if (gateMs !== undefined) gate = stream.gate(gateMs)
    return [stream]
  })
  return Object.assign(node, { gate })
}

describe.each([
  ['SQLite', temporaryStore],
  ['PostgreSQL', temporaryShared],
])('%s', (_, open) => {
  test('a receiver that fails and nodes that are killed lose nothing, and it verifies what it has', async () => {
    const random = new Random(65)
    const clock = new TestClock()
    const { sql, keyring, checkpoints } = await filled(open, clock)
    const accepted: StreamMessage[] = []
    let [sends, kills, failures] = [0, 0, 0]

    const start = () =>
      startNode(sql, clock, (node) => ({
        async send(messages) {
          sends++
          const fails = sends === 3 || random.once(8)
          // A receiver may have written what it did not acknowledge, and only a part of it.
          if (!fails || random.once(2))
            accepted.push(...messages.slice(0, fails ? random.int(messages.length + 1) : undefined))
          if (!fails && (sends === 2 || random.once(8))) {
            kills++
            node.isKilled = true
          }
          if (fails) failures++
          return fails ? 'status 503' : undefined
        },
      }))

    const nodes = [start(), start(), start()]
    const written = new Map(orgIds.map((id) => [id, 0]))
    for (let entry = 0; entry < entries;) {
      for (let more = random.int(120); more > 0 && entry < entries; more--, entry++) {
        const orgId = random.pick(orgIds)
        written.set(orgId, (written.get(orgId) ?? 0) + 1)
        await note(sql, orgId, clock.now(), entry)
      }
      if (random.once(3)) await checkpoints.signAll()
      random.pick(nodes).tick()
    }
    await checkpoints.signAll()
    await expect
      .poll(
        async () => {
          for (const [index, { isKilled }] of nodes.entries()) if (isKilled) nodes[index] = start()
          random.pick(nodes).tick()
          random.pick(nodes).tick()
          // Beyond every pause and every lease.
          if (random.once(3)) clock.advance(60_001)
          const done = await sql.all<{ org_id: string; position: number; checkpoint: number }>(
            'select org_id, position, checkpoint from audit_stream order by org_id',
          )
          return done.map(({ position, checkpoint }) => [position, checkpoint])
        },
        { interval: 1 },
      )
      .toEqual(orgIds.map((id) => [written.get(id), written.get(id)]))
    expect(Math.min(kills, failures)).toBeGreaterThan(0)
    for (const id of orgIds) {
      const numbers = accepted
        .filter(({ orgId, type }) => orgId === id && type !== 'audit.checkpoint')
        .map(({ seq }) => seq)
      expect([...new Set(numbers)]).toEqual(Array.from({ length: written.get(id) ?? 0 }, (__, index) => index + 1))
    }
    const file = path.join(temporaryFolder(), 'audit.jsonl')
    writeFileSync(file, accepted.map(({ text }) => `<110>1 host rollkey - [x] ${text}\n`).join(''))
    const counts = { organizations: 3, entries, beforeChain: 0, withoutDetails: 0, sinceCheckpoint: 0, otherLines: 0 }
    expect(await verifyStream(file, publicKeyOf(keyring), undefined)).toMatchObject({ ...counts, problems: [] })
    // They end what they send before the store is closed.
    for (const { worker } of nodes) await worker.close()
  })

  test('nodes that look at the same time do not send the same, and a stop leaves nothing leased', async () => {
    const clock = new TestClock()
    const { sql } = await filled(open, clock)
    for (let entry = 0; entry < 20; entry++) for (const orgId of orgIds) await note(sql, orgId, clock.now())
    const sent: string[] = []
    const send: StreamReceiver['send'] = async (messages) => {
      sent.push(...messages.map(({ orgId, seq }) => `${orgId} ${seq}`))
      return undefined
    }
    const nodes = [1, 2, 3].map(() => startNode(sql, clock, () => ({ send })))
    await expect
      .poll(async () => {
        for (const node of nodes) node.tick()
        return sent.length
      })
      .toBe(60)
    expect(new Set(sent).size).toBe(60)
    for (const { worker } of nodes) await worker.close()
    await note(sql, 'org_1', clock.now())
    const hanging = startNode(sql, clock, () => ({
      send: (__, signal) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve('AbortError'), { once: true })),
    }))
    await expect
      .poll(async () => {
        hanging.tick()
        return sql.all('select 1 from audit_stream where next_attempt_at_ms > $1', clock.now())
      })
      .toHaveLength(1)
    await hanging.worker.close()
    const next = startNode(sql, clock, () => ({ send }))
    await expect.poll(() => (next.tick(), sent.length)).toBe(61)
    await next.worker.close()
  })

  test('a gate refuses what is recorded only where entries have waited for too long', async () => {
    const clock = new TestClock()
    clock.freezeAt(clock.now())
    const { sql } = await filled(open, clock)
    let failure: string | undefined = 'status 503'
    const send: StreamReceiver['send'] = async (messages) => (messages[0]?.orgId === 'org_1' ? failure : undefined)
    const node = startNode(sql, clock, () => ({ send }), 60_000)
    const tick = () => node.tick()
    const gated = withAuditGate(sql, node.gate)
    // What was written long before the stream began counts from its beginning.
    await note(sql, 'org_1', clock.now() - 1_000_000)
    await note(sql, 'org_2', clock.now())
    const waiting = async (): Promise<number> => (tick(), (await undelivered(sql)).length)
    await expect
      .poll(() => sql.all('select 1 from audit_stream where failure is not null').then((rows) => (tick(), rows.length)))
      .toBe(1)
    await expect.poll(waiting).toBe(1)
    await note(gated, 'org_1', clock.now())
    clock.advance(60_001)
    await expect
      .poll(() => note(gated, 'org_1', clock.now()).catch(({ code }: { code: string }) => (tick(), code)))
      .toBe('AUDIT_NOT_DELIVERED')
    const atOnce = gated.atOnce((tx) => [
      tx.all("update organizations set name = 'changed' where id = 'org_1'"),
      appendAudit(tx, personActorOf({ orgId: 'org_1', userId: 'ada' }), { action: 'export', nowMs: 1 }),
    ])
    await expect(atOnce).rejects.toMatchObject({ code: 'AUDIT_NOT_DELIVERED' })
    expect(await sql.all("select 1 from organizations where name = 'changed'")).toEqual([])
    await note(gated, 'org_2', clock.now())
    // The operator's own entries wait as well, and nothing is lost.
    failure = undefined
    clock.advance(60_001)
    await expect.poll(waiting).toBe(0)
    await expect
      .poll(() =>
        note(gated, 'org_1', clock.now()).then(
          () => 'written',
          () => tick(),
        ),
      )
      .toBe('written')
    await node.worker.close()
  })
})
