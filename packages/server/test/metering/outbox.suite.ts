/** Tests that no usage is lost on its way to the billing system or sent under two ids, on each engine. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { monthOf } from '../../src/base/clock.ts'
import { createLog } from '../../src/base/log.ts'
import { BillingOutbox, type BillingOutboxParts } from '../../src/metering/billing/outbox.ts'
import type { BillingReceiver } from '../../src/metering/billing/receiver.ts'
import { SignedHttpReceiver } from '../../src/metering/billing/signed-http.ts'
import { StripeReceiver } from '../../src/metering/billing/stripe.ts'
import {
  billingOfMonth,
  pendingReports,
  retryRefusedReports,
  retryReport,
  setAsideReports,
  setBillingCustomer,
} from '../../src/storage/billing.ts'
import { readOutboxes } from '../../src/outbox/waiting.ts'
import { insertOrganization } from '../../src/storage/organizations.ts'
import { sendIn, type Sql } from '../../src/storage/sql.ts'
import { addToMeter } from '../../src/storage/usage.ts'
import {
  FakeSignedHttp,
  signingSecret,
  FakeStripe,
  stripeKey,
  stripeMeter,
  type FakeBilling,
} from '../../testkit/billing.ts'
import { TestClock } from '../../testkit/clock.ts'
import type { FailureMode } from '../../testkit/fake-server.ts'
import { OutboxNode } from '../../testkit/outbox-node.ts'
import { seeded } from '../../testkit/random.ts'

const startMs = Date.UTC(2026, 10, 21, 12)
const minute = 60_000
const hour = 60 * minute
const orgs = ['org_1', 'org_2']

/** A store that does something before its transactions; what throws is a crash there. */
function storeThat(sql: Sql, before: (transaction: number) => Promise<void> | void): Sql {
  let transactions = 0
  return {
    all: (...args) => sql.all(...args),
    async tx(...args) {
      await before(++transactions)
      return sql.tx(...args)
    },
    atOnce(send) {
      return this.tx((tx) => sendIn(tx, send))
    },
    alone: (work) => sql.alone(work),
    close: () => sql.close(),
  }
}

class Crash extends Error {
  override readonly name = 'Crash'
}

const crash = (): never => {
  throw new Crash('crash')
}

/** Each range of each organization's month follows on the one before; so nothing is in two, and nothing is in none. */
function expectGapless(fakeServer: FakeBilling): void {
  const ids = fakeServer.bills.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const ranges = ids.map((id) => {
    const [, of, from, to] = /^(.+)\.(\d+)-(\d+)$/.exec(id) as unknown as [string, string, string, string]
    return { of, from: Number(from), to: Number(to) }
  })
  for (const ofOne of Map.groupBy(ranges, ({ of }) => of).values()) {
    let end = 0
    for (const { from, to } of ofOne.toSorted((a, b) => a.from - b.from)) {
      expect([from, to > from]).toEqual([end, true])
      end = to
    }
  }
  for (const [index, { units }] of fakeServer.bills.entries()) {
    const { from, to } = ranges[index] as (typeof ranges)[0]
    expect(units).toBe(to - from)
  }
}

/** A node with the outbox of billing. */
async function openNode(clock: TestClock, parts: BillingOutboxParts) {
  const outbox = await BillingOutbox.open(parts)
  const failures: string[] = []
  const log = createLog('info', { write: (line: string) => failures.push(line) })
  const { worker, tick } = new OutboxNode(parts.sql, clock, () => [outbox], { log })
  return {
    metrics: outbox.metrics,
    /** Creates reports, and sends until nothing is due. Throws what the service logs. */
    async round(): Promise<void> {
      const created = await Promise.allSettled([outbox.createReports()])
      tick()
      await worker.idle()
      if (created[0].status === 'rejected') throw created[0].reason
      const [failure] = failures.splice(0)
      if (failure !== undefined) throw new Error(failure)
    },
    close: () => Promise.all([outbox.close(), worker.close()]),
  }
}

export function outboxSuite(name: string, open: (nowMs: number) => Promise<Sql>): void {
  /** `timeoutMs`: how long a receiver may take, for tests of receivers that hang. */
  async function opened(timeoutMs?: number) {
    const clock = new TestClock()
    clock.freezeAt(startMs)
    const sql = await open(startMs)
    await sql.tx(async (tx) => {
      for (const id of orgs) await insertOrganization(tx, { id, idpOrgId: id, slug: `slug-${id}`, nowMs: startMs })
    })
    let used = 0
    const log: string[] = []
    return {
      clock,
      sql,
      log,
      used: () => used,
      use: async (units: number, orgId = 'org_1'): Promise<void> => {
        const counter = { orgId, meter: 'evaluations', period: monthOf(clock.now()) } as const
        await sql.tx((tx) => addToMeter(tx, counter, units, Number.MAX_SAFE_INTEGER), 'process')
        used += units
      },
      outbox: (receiver: BillingReceiver, more: Partial<BillingOutboxParts> = {}) =>
        openNode(clock, {
          sql,
          pending: { fold: async () => {} },
          receiver,
          clock,
          log: createLog('info', { write: (line: string) => log.push(line) }),
          random: () => 1,
          ...(timeoutMs !== undefined && { timeoutMs }),
          ...more,
        }),
      /** What is open, as the operator and the metrics see it. */
      open: async () => (await readOutboxes(sql, { hasAuditStream: false })).find(({ outbox }) => outbox === 'billing'),
    }
  }

  async function signed(timeoutMs?: number) {
    const found = await opened(timeoutMs)
    const fakeServer = new FakeSignedHttp(found.clock)
    await fakeServer.start()
    onTestFinished(() => fakeServer.stop())
    const receiver = new SignedHttpReceiver({ url: fakeServer.url, secret: signingSecret, clock: found.clock })
    return { ...found, fakeServer, receiver }
  }

  async function withSigned(timeoutMs?: number) {
    const found = await signed(timeoutMs)
    const { fakeServer, receiver } = found
    const expectAllBilled = (): void => {
      expectGapless(fakeServer)
      expect(fakeServer.units).toBe(found.used())
    }
    return { ...found, outbox: await found.outbox(receiver), another: found.outbox, expectAllBilled }
  }

  async function withStripe() {
    const found = await opened()
    const fakeServer = new FakeStripe(found.clock)
    fakeServer.customers.add('cus_1')
    await fakeServer.start()
    onTestFinished(() => fakeServer.stop())
    const receiver = new StripeReceiver({ eventName: stripeMeter, key: stripeKey, baseUrl: fakeServer.url })
    const { sql, clock } = found
    return {
      ...found,
      fakeServer,
      receiver,
      outbox: await found.outbox(receiver),
      another: found.outbox,
      isCustomer: (customer = 'cus_1', orgId = 'org_1') =>
        sql.tx((tx) => setBillingCustomer(tx, orgId, customer, clock.now())),
      states: async (): Promise<[string, number][]> => {
        const rows = await sql.all<{ state: string; reports: number }>(
          'select state, count(*) as reports from usage_reports where done_at_ms is null group by state',
        )
        return rows.map(({ state, reports }) => [state, reports])
      },
    }
  }

  describe(`${name}: the outbox`, () => {
    test('reports what was used since the last report, each time', async () => {
      const { outbox, open: openReports, use, fakeServer, clock, expectAllBilled } = await withSigned()
      await use(3)
      await use(2, 'org_2')
      await outbox.round()
      expect(fakeServer.bills.map(({ id }) => id).toSorted()).toEqual(['org_1.2026-11.0-3', 'org_2.2026-11.0-2'])
      await outbox.round()
      expect(fakeServer.requests).toHaveLength(2)
      clock.advance(minute)
      await use(4)
      await outbox.round()
      expect(fakeServer.bills.at(-1)).toEqual({
        id: 'org_1.2026-11.3-7',
        units: 4,
        customer: null,
        atMs: startMs + minute,
      })
      expectAllBilled()
      expect(outbox.metrics.delivered).toBe(3)
      expect(await openReports()).toMatchObject({ waiting: 0, setAside: 0, oldestAtMs: undefined })
    })

    test.each<FailureMode>(['hangs', 'resets', 'works and fails', 'works and hangs', { status: 503 }, { status: 404 }])(
      'loses nothing and bills nothing twice while the receiver %j',
      async (failureMode) => {
        const { outbox, use, fakeServer, clock, expectAllBilled } = await withSigned(300)
        for (let round = 1; round <= 6; round++) {
          await use(round)
          await use(1, 'org_2')
          fakeServer.failureMode = round % 3 === 0 ? 'works' : failureMode
          await outbox.round()
          clock.advance(hour)
        }
        fakeServer.failureMode = 'works'
        await use(1)
        for (let round = 0; round < 2; round++) {
          await outbox.round()
          clock.advance(hour)
        }
        expectAllBilled()
        expect(outbox.metrics.unknown).toBeGreaterThan(0)
      },
    )

    test('loses nothing while the receiver is unavailable, and retries less and less often', async () => {
      const { outbox, open: openReports, use, fakeServer, clock, sql, expectAllBilled } = await withSigned()
      await fakeServer.stop()
      const attempts: number[] = []
      for (let minutes = 0; minutes < 4 * 60; minutes++) {
        await use(1)
        const before = outbox.metrics['not-received']
        await outbox.round()
        if (outbox.metrics['not-received'] > before) attempts.push(minutes)
        clock.advance(minute)
      }
      expect(attempts).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183])
      expect(await pendingReports(sql)).toMatchObject([{ at_ms: startMs, failure: 'ECONNREFUSED' }])
      expect(await openReports()).toMatchObject({ waiting: 1, oldestAtMs: startMs })
      await fakeServer.start()
      clock.advance(hour)
      await outbox.round()
      await outbox.round()
      expectAllBilled()
    })

    test('sends the same each time', async () => {
      const { outbox, use, fakeServer, clock } = await withSigned()
      await use(2)
      fakeServer.failureMode = 'works and fails'
      for (let round = 0; round < 3; round++) {
        await outbox.round()
        await use(1)
        clock.advance(hour)
      }
      const [first, ...others] = fakeServer.requests.map(({ body, headers }) => [body, headers['webhook-id']])
      expect(others).toEqual([first, first])
    })

    test('stamps what is reported late with the end of its month', async () => {
      const { outbox, use, fakeServer, clock } = await withSigned()
      const midnight = Date.UTC(2026, 11, 1)
      clock.freezeAt(midnight - 1_000)
      await use(1)
      clock.freezeAt(midnight + 30_000)
      await use(2)
      await outbox.round()
      expect(fakeServer.bills.toSorted((a, b) => a.atMs - b.atMs)).toEqual([
        { id: 'org_1.2026-11.0-1', units: 1, customer: null, atMs: midnight - 1 },
        { id: 'org_1.2026-12.0-2', units: 2, customer: null, atMs: midnight + 30_000 },
      ])
    })

    test('does not report what was used before it was first there; a pause loses nothing', async () => {
      const { use, outbox: another, receiver, fakeServer, log } = await signed()
      await use(5)
      await (await another(receiver)).round()
      expect(fakeServer.requests).toEqual([])
      await use(3)
      await (await another(receiver)).round()
      expect(fakeServer.bills).toMatchObject([{ id: 'org_1.2026-11.5-8', units: 3 }])
      expect(log.filter((line) => line.includes('billing begins'))).toHaveLength(1)
    })

    test('sends no more than 8 at once', async () => {
      const { sql, use, another, receiver, expectAllBilled } = await withSigned()
      let atOnce = 0
      let most = 0
      const counting: BillingReceiver = {
        recognizesMs: receiver.recognizesMs,
        needsCustomer: false,
        async send(...args) {
          most = Math.max(most, ++atOnce)
          return receiver.send(...args).finally(() => atOnce--)
        },
      }
      for (let index = 0; index < 20; index++) {
        const id = `org_many_${index}`
        await sql.tx((tx) => insertOrganization(tx, { id, idpOrgId: id, slug: id, nowMs: startMs }))
        await use(1, id)
      }
      await (await another(counting)).round()
      expect(most).toBe(8)
      expectAllBilled()
    })
  })

  describe(`${name}: outboxes of several nodes`, () => {
    test('share the work: no unit under two ids', async () => {
      const { use, fakeServer, receiver, clock, another, expectAllBilled } = await withSigned()
      const nodes = await Promise.all([another(receiver), another(receiver), another(receiver)])
      const random = seeded(7)
      for (let round = 0; round < 12; round++) {
        fakeServer.failureMode = random() < 0.3 ? 'works and fails' : 'works'
        await Promise.all([
          use(1 + Math.floor(random() * 5)),
          use(1, 'org_2'),
          ...nodes.map((node) => node.round().catch(() => undefined)),
        ])
        clock.advance(10 * minute)
      }
      fakeServer.failureMode = 'works'
      for (let round = 0; round < 2; round++) {
        clock.advance(hour)
        for (const node of nodes) await node.round()
      }
      expectAllBilled()
    })

    test('one that saw less than another has taken takes nothing', async () => {
      const { sql, use, receiver, outbox, clock, another, expectAllBilled } = await withSigned()
      await use(5)
      const late = await another(receiver, {
        sql: storeThat(sql, async (transaction) => {
          // Another node reports more after this one has read the meter and before it creates its report.
          if (transaction !== 2) return
          await use(2)
          await outbox.round()
        }),
      })
      await late.round()
      await use(1)
      clock.advance(hour)
      await late.round()
      expectAllBilled()
    })

    test('one sends what another has left', async () => {
      const { use, receiver, outbox, clock, fakeServer, another, expectAllBilled } = await withSigned()
      const dead = await another({ recognizesMs: Infinity, needsCustomer: false, send: crash })
      await use(5)
      await expect(dead.round()).rejects.toThrow(/crash/i)
      await outbox.round()
      expect(fakeServer.requests).toEqual([])
      clock.advance(minute)
      await (await another(receiver)).round()
      expectAllBilled()
    })
  })

  describe(`${name}: a crash`, () => {
    test.each([
      ['after the cut', 3],
      ['before the delivery is recorded', 4],
    ])('%s costs nothing', async (_, transaction) => {
      const { sql, use, receiver, outbox, clock, another, expectAllBilled } = await withSigned()
      const dying = await another(receiver, {
        sql: storeThat(sql, (now) => (now >= transaction ? crash() : undefined)),
      })
      await use(5)
      await expect(dying.round()).rejects.toThrow(/crash/i)
      await use(2)
      clock.advance(minute)
      await outbox.round()
      await outbox.round()
      expectAllBilled()
    })

    test('in the cut leaves neither a report without its mark nor a mark without its report', async () => {
      const { sql, use, receiver, outbox, another, expectAllBilled } = await withSigned()
      const breaking: Sql = {
        ...storeThat(sql, () => undefined),
        tx: (work, durability) =>
          sql.tx(async (tx) => {
            const all: typeof tx.all = (text, ...params) =>
              text.includes('insert into usage_reports') ? crash() : tx.all(text, ...params)
            return work({ all, script: (text) => tx.script(text) })
          }, durability),
      }
      await use(5)
      await expect((await another(receiver, { sql: breaking })).round()).rejects.toThrow(/crash/i)
      await outbox.round()
      expectAllBilled()
    })

    test('of the store costs nothing that was cut', async () => {
      const { sql, use, receiver, clock, another, fakeServer, expectAllBilled } = await withSigned(300)
      await use(5)
      fakeServer.failureMode = 'hangs'
      await (await another(receiver)).round()
      clock.advance(hour)
      fakeServer.failureMode = 'works'
      await use(1, 'org_2')
      const failing = await another(receiver, { sql: storeThat(sql, (now) => (now === 2 ? crash() : undefined)) })
      await expect(failing.round()).rejects.toThrow(/crash/i)
      expect(fakeServer.bills).toMatchObject([{ id: 'org_1.2026-11.0-5' }])
      await failing.round()
      expectAllBilled()
    })
  })

  describe(`${name}: with Stripe`, () => {
    test('usage of an organization without a customer waits for one', async () => {
      const { outbox, use, used, fakeServer, clock, isCustomer, states } = await withStripe()
      await use(3)
      for (let days = 0; days < 40; days++) {
        await outbox.round()
        clock.advance(24 * hour)
      }
      expect([await states(), fakeServer.requests]).toEqual([[], []])
      await isCustomer()
      await use(2)
      await outbox.round()
      // 40 days later, but within 35 of the end of its month.
      expect(fakeServer.bills).toEqual([
        {
          id: 'org_1.2026-11.0-3',
          units: 3,
          customer: 'cus_1',
          atMs: Math.floor((Date.UTC(2026, 11, 1) - 1) / 1_000) * 1_000,
        },
        { id: 'org_1.2026-12.0-2', units: 2, customer: 'cus_1', atMs: clock.now() },
      ])
      expect(fakeServer.units).toBe(used())
    })

    test('what it refuses is set aside, and all that comes after waits, until a person has mended it', async () => {
      const {
        outbox,
        open: openReports,
        use,
        used,
        fakeServer,
        clock,
        sql,
        isCustomer,
        states,
        log,
      } = await withStripe()
      await isCustomer('cus_wrong')
      await use(3)
      for (let round = 0; round < 3; round++) {
        await outbox.round()
        await use(1)
        clock.advance(24 * hour)
      }
      expect(fakeServer.requests).toHaveLength(1)
      expect(await states()).toEqual([['refused', 1]])
      expect(outbox.metrics.refused).toBe(1)
      expect(await openReports()).toMatchObject({ setAside: 1, waiting: 0 })
      expect(await setAsideReports(sql)).toMatchObject([
        { id: 'org_1.2026-11.0-3', failure: 'status 400 resource_missing req_StandIn1', first_sent_at_ms: null },
      ])
      expect(log.filter((line) => line.includes('refused') && line.includes('org_1.2026-11.0-3'))).toHaveLength(1)
      await isCustomer('cus_1')
      await sql.tx((tx) => retryRefusedReports(tx, clock.now()))
      await outbox.round()
      await outbox.round()
      expectGapless(fakeServer)
      expect(fakeServer.units).toBe(used())
      expect(await billingOfMonth(sql, '2026-11')).toMatchObject([{ used: 6, delivered: 6, unreported: 0 }])
    })

    test('what it may have got a day ago is not sent again; what comes after is', async () => {
      const { outbox, open: openReports, use, fakeServer, clock, sql, isCustomer, states, log } = await withStripe()
      await isCustomer()
      await use(3)
      fakeServer.failureMode = 'works and fails'
      await outbox.round()
      clock.advance(23 * hour)
      await outbox.round()
      const before = fakeServer.requests.length
      fakeServer.failureMode = 'works'
      clock.advance(2 * hour)
      await use(2)
      await outbox.round()
      expect(await states()).toEqual([['unclear', 1]])
      expect(fakeServer.requests.slice(before).map(({ body }) => new URLSearchParams(body).get('identifier'))).toEqual(
        [],
      )
      await outbox.round()
      expect(fakeServer.bills.map(({ id }) => id)).toEqual(['org_1.2026-11.0-3', 'org_1.2026-11.3-5'])
      expect(outbox.metrics.unclear).toBe(1)
      expect(await openReports()).toMatchObject({ setAside: 1 })
      expect(log.filter((line) => line.includes('the outcome of a usage report is unknown'))).toHaveLength(1)
      await sql.tx((tx) => retryReport(tx, 'org_1.2026-11.0-3', clock.now()))
      await outbox.round()
      // A person said that it was not billed.
      expect(fakeServer.bills).toHaveLength(3)
    })

    test.each<[string, FailureMode]>([
      ['the receiver is unavailable', 'works'],
      ['the key is wrong', { status: 401 }],
      ['there are too many requests', { status: 429 }],
    ])('a report that was certainly not received is sent again forever: %s', async (_, failureMode) => {
      const { outbox, use, used, fakeServer, clock, isCustomer, states } = await withStripe()
      await isCustomer()
      await use(3)
      if (failureMode === 'works') await fakeServer.stop()
      fakeServer.failureMode = failureMode
      for (let hours = 0; hours < 30; hours++) {
        await outbox.round()
        clock.advance(hour)
      }
      expect(await states()).toEqual([['pending', 1]])
      fakeServer.failureMode = 'works'
      if (failureMode === 'works') await fakeServer.start()
      await outbox.round()
      expect(fakeServer.units).toBe(used())
    })

    test('what a node sent before it died counts as perhaps received', async () => {
      const { sql, outbox, use, fakeServer, clock, receiver, isCustomer, states, another } = await withStripe()
      await isCustomer()
      await use(3)
      const dying = await another(receiver, { sql: storeThat(sql, (now) => (now === 4 ? crash() : undefined)) })
      await expect(dying.round()).rejects.toThrow(/crash/i)
      expect(fakeServer.bills).toHaveLength(1)
      clock.advance(24 * hour)
      await outbox.round()
      expect(await states()).toEqual([['unclear', 1]])
      expect(fakeServer.bills).toHaveLength(1)
    })
  })

  describe(`${name}: a stop`, () => {
    test('does not wait for a receiver that hangs; the report is sent again under its id', async () => {
      const { use, receiver, fakeServer, clock, another, expectAllBilled } = await withSigned()
      const outbox = await another(receiver, { timeoutMs: 2_000_000_000 })
      fakeServer.failureMode = 'works and hangs'
      await use(3)
      const round = outbox.round()
      await expect.poll(() => fakeServer.requests.length).toBe(1)
      await outbox.close()
      await round
      await use(1)
      clock.advance(hour)
      fakeServer.failureMode = 'works'
      const next = await another(receiver)
      await next.round()
      await next.round()
      expectAllBilled()
    })
  })
}
