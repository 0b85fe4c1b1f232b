/** Tests that every meter must pass (src/metering/meter.ts). */
import { describe, expect, onTestFinished, test } from 'vitest'
import { noReads } from '../../src/consistency/read-set.ts'
import { dayOf, monthOf } from '../../src/base/clock.ts'
import { StoreUnavailable } from '../../src/base/api-error.ts'
import type { ChargeResult, Meter } from '../../src/metering/meter.ts'
import type { BillingEvent, UsageCaller } from '../../src/storage/usage.ts'
import { freePlan, unlimited, type Plan } from '../../src/metering/plans.ts'
import { insertOrganization } from '../../src/storage/organizations.ts'
import { insertProject, insertStage } from '../../src/storage/stages.ts'
import type { Sql } from '../../src/storage/sql.ts'
import { callersBetween } from '../../src/metering/usage.ts'
import { readMeter, usageBetween } from '../../src/storage/usage.ts'
import { TestClock } from '../../testkit/clock.ts'
import { seeded } from '../../testkit/random.ts'

export interface MeterUnderTest {
  /** The store that it keeps its counts in, of this build's schema. */
  readonly sql: Sql
  /** A meter on this store; several are several nodes, or one before and after a restart. */
  readonly meter: (plan: Plan) => Meter
  /** Resolves when the tables have everything that was counted. */
  readonly settle: () => Promise<void>
  /** From now on the store cannot be written, until it is mended. */
  readonly breakStore: () => Promise<void>
  readonly mendStore: () => Promise<void>
  readonly close: () => Promise<void>
}

export type OpenMeter = (clock: TestClock) => Promise<MeterUnderTest>

const startMs = Date.UTC(2026, 8, 21, 12)
const day = 24 * 60 * 60_000
const free = (evaluations: number, bytes = 0): Plan => freePlan(evaluations, bytes)

const places = [
  { orgId: 'org_1', projectId: 'prj_1', stageId: 'stg_1' },
  { orgId: 'org_1', projectId: 'prj_1', stageId: 'stg_2' },
  { orgId: 'org_1', projectId: '', stageId: '' },
  { orgId: 'org_2', projectId: 'prj_2', stageId: 'stg_3' },
] as const
const [live, , , ofOther] = places

const ada = { caller: 'user_1', how: 'session' } as const

const event = (
  requestKey?: string,
  place: Omit<BillingEvent, 'requestKey' | keyof UsageCaller> = live,
  by: UsageCaller = ada,
): BillingEvent => ({ ...place, ...by, requestKey })

async function insertPlaces(sql: Sql): Promise<void> {
  const named = (id: string) => ({ id, slug: id, by: 'user_1', nowMs: startMs })
  await sql.tx(async (tx) => {
    for (const [org, project, stages] of [
      ['org_1', 'prj_1', ['stg_1', 'stg_2']],
      ['org_2', 'prj_2', ['stg_3']],
    ] as const) {
      await insertOrganization(tx, { id: org, idpOrgId: org, slug: org, nowMs: startMs })
      await insertProject(tx, org, named(project))
      for (const stage of stages) await insertStage(tx, project, named(stage))
    }
  })
}

export function meterSuite(name: string, open: OpenMeter): void {
  async function opened() {
    const clock = new TestClock()
    clock.freezeAt(startMs)
    const found = await open(clock)
    onTestFinished(() => found.close())
    await insertPlaces(found.sql)
    const { sql } = found
    return {
      ...found,
      clock,
      used: async (orgId = 'org_1', period = monthOf(clock.now())) => {
        await found.settle()
        return readMeter(sql, { orgId, meter: 'evaluations', period })
      },
      stored: (orgId = 'org_1') => readMeter(sql, { orgId, meter: 'storage', period: '' }),
      /** Usage of all days as `org project stage day` → evaluations. */
      usage: async () => {
        await found.settle()
        const rows = await usageBetween(sql, '0000-01-01', '9999-12-31')
        return new Map(
          rows.map((row) => [`${row.organization} ${row.project} ${row.stage} ${row.day}`, row.evaluations]),
        )
      },
      /** Usage of all days as `how caller project stage` → evaluations. */
      callers: async (orgId = 'org_1') => {
        await found.settle()
        const { callers: rows } = await callersBetween(sql, orgId, { from: '0000-01-01', to: '9999-12-31' })
        return new Map(rows.map((row) => [`${row.how} ${row.caller} ${row.project} ${row.stage}`, row.evaluations]))
      },
    }
  }

  const count = (charges: readonly ChargeResult[], charge: ChargeResult): number =>
    charges.filter((each) => each === charge).length
  const atOnce = (length: number, charge: (index: number) => Promise<ChargeResult>): Promise<ChargeResult[]> =>
    Promise.all(Array.from({ length }, (_, index) => charge(index)))

  describe(`${name}: an event`, () => {
    test('is exactly one unit', async () => {
      const { meter, used, usage } = await opened()
      const ledger = meter(unlimited)
      for (let counted = 1; counted <= 10; counted++) {
        expect(await ledger.charge(event(), noReads)).toBe('counted')
        expect(await used()).toBe(counted)
      }
      expect(await usage()).toEqual(new Map([['org_1 prj_1 stg_1 2026-09-21', 10]]))
    })

    test('is one unit of its caller, however many come at once', async () => {
      const { meter, callers, usage } = await opened()
      const ledgers = [meter(unlimited), meter(unlimited)]
      const people = [
        ada,
        { caller: 'a person | of "another" provider', how: 'provider' },
        { caller: 'tok_1', how: 'service' },
        { ...ada, how: 'provider' },
      ] as const
      await atOnce(400, async (index) => {
        const place = places[index < 300 ? 0 : 2]
        return (ledgers[index % 2] as Meter).charge(event(undefined, place, people[index % 4]), noReads)
      })
      const refused = meter(free(0))
      expect(await refused.charge(event(undefined, ofOther), noReads)).toBe('refused')
      expect(await callers()).toEqual(
        new Map(
          people.flatMap(({ caller, how }) => [
            [`${how} ${caller} prj_1 stg_1`, 75],
            [`${how} ${caller} null null`, 25],
          ]),
        ),
      )
      expect([await callers('org_2'), new Set((await usage()).values())]).toEqual([new Map(), new Set([100, 300])])
    })

    test('is exactly one unit, whether 1,000 come at once or over two nodes', async () => {
      const { meter, used, usage } = await opened()
      const ledgers = [meter(unlimited), meter(unlimited)]
      const charges = await atOnce(1_000, async (index) => (ledgers[index % 2] as Meter).charge(event(), noReads))
      expect(count(charges, 'counted')).toBe(1_000)
      expect([await used(), ...(await usage()).values()]).toEqual([1_000, 1_000])
    })

    test('of a stage that does not exist is a unit of its organization', async () => {
      const { meter, used, usage } = await opened()
      await meter(unlimited).charge(event(undefined, places[2]), noReads)
      expect(await used()).toBe(1)
      expect([...(await usage()).keys()]).toEqual(['org_1 null null 2026-09-21'])
    })

    test('gets its own result: the results of concurrent events do not mix', async () => {
      const { meter } = await opened()
      const ledger = meter(free(2))
      await ledger.charge(event('known'), noReads)
      const charges = await Promise.all([
        ledger.charge(event('known'), noReads),
        ledger.charge(event(), noReads),
        ledger.charge(event(undefined, ofOther), noReads),
        ledger.charge(event('new'), noReads),
        ledger.charge(event('known'), noReads),
        ledger.charge(event('known', ofOther), noReads),
      ])
      expect(charges).toEqual(['repeated', 'counted', 'counted', 'refused', 'repeated', 'counted'])
    })
  })

  describe(`${name}: a request key`, () => {
    test('is one unit, however many come at once with it', async () => {
      const { meter, used } = await opened()
      const ledger = meter(unlimited)
      const charges = await atOnce(100, () => ledger.charge(event('key'), noReads))
      expect([count(charges, 'counted'), count(charges, 'repeated')]).toEqual([1, 99])
      expect(await used()).toBe(1)
    })

    test('is one unit over several nodes, and after a restart', async () => {
      const { meter, used } = await opened()
      const ledgers = [meter(unlimited), meter(unlimited), meter(unlimited)]
      const charges = await atOnce(99, async (index) => (ledgers[index % 3] as Meter).charge(event('key'), noReads))
      expect(count(charges, 'counted')).toBe(1)
      expect(await meter(unlimited).charge(event('key'), noReads)).toBe('repeated')
      expect(await used()).toBe(1)
    })

    test('is one unit whatever it is used for: the key alone decides', async () => {
      const { meter, usage } = await opened()
      const ledger = meter(unlimited)
      const charges = [
        await ledger.charge(event('key'), noReads),
        await ledger.charge(event('key', places[1]), noReads),
      ]
      expect(charges).toEqual(['counted', 'repeated'])
      expect([...(await usage()).keys()]).toEqual(['org_1 prj_1 stg_1 2026-09-21'])
    })

    test('is compared exactly as written', async () => {
      const { meter } = await opened()
      const ledger = meter(unlimited)
      const keys = ['key', 'Key', 'key ', 'key~', 'k'.repeat(255), 'k'.repeat(254), '__proto__', 'constructor']
      expect(await atOnce(keys.length, (index) => ledger.charge(event(keys[index]), noReads))).toEqual(
        keys.map(() => 'counted'),
      )
    })

    test('belongs to its organization', async () => {
      const { meter, used } = await opened()
      const ledger = meter(unlimited)
      const charges = await Promise.all([
        ledger.charge(event('key'), noReads),
        ledger.charge(event('key', ofOther), noReads),
      ])
      expect(charges).toEqual(['counted', 'counted'])
      expect([await used('org_1'), await used('org_2')]).toEqual([1, 1])
    })

    test('is remembered for 600 seconds at least, also into the next month', async () => {
      const { meter, clock } = await opened()
      clock.freezeAt(Date.UTC(2026, 8, 30, 23, 59, 59))
      const ledger = meter(free(1))
      expect(await ledger.charge(event('key'), noReads)).toBe('counted')
      clock.advance(599_999)
      expect(await ledger.charge(event('key'), noReads)).toBe('repeated')
    })
  })

  describe(`${name}: the limit of evaluations`, () => {
    test('is reached exactly by 1,000 events at once', async () => {
      const { meter, used, usage } = await opened()
      const ledger = meter(free(300))
      const charges = await atOnce(1_000, (index) =>
        ledger.charge(event(index % 2 === 0 ? `key ${index}` : undefined), noReads),
      )
      expect([count(charges, 'counted'), count(charges, 'refused')]).toEqual([300, 700])
      expect([await used(), ...(await usage()).values()]).toEqual([300, 300])
    })

    test('is reached exactly over two nodes, by events that come one after the other', async () => {
      const { meter, used } = await opened()
      const ledgers = [meter(free(25)), meter(free(25))]
      const wave = () => atOnce(8, async (index) => (ledgers[index % 2] as Meter).charge(event(), noReads))
      const charges = [...(await wave()), ...(await wave()), ...(await wave()), ...(await wave())]
      expect([count(charges, 'counted'), count(charges, 'refused')]).toEqual([25, 7])
      expect(await used()).toBe(25)
    })

    test('belongs to an organization', async () => {
      const { meter } = await opened()
      const ledger = meter(free(1))
      expect(await ledger.charge(event(), noReads)).toBe('counted')
      expect(await ledger.charge(event(), noReads)).toBe('refused')
      expect(await ledger.charge(event(undefined, ofOther), noReads)).toBe('counted')
    })

    test('can be nothing, and can be below what is used already', async () => {
      const { meter, used } = await opened()
      for (let times = 0; times < 5; times++) await meter(unlimited).charge(event(), noReads)
      expect(await atOnce(5, () => meter(free(3)).charge(event(), noReads))).toEqual(Array(5).fill('refused'))
      expect(await used()).toBe(5)
      expect(await meter(free(0)).charge({ ...event(), orgId: 'org_2' }, noReads)).toBe('refused')
    })

    test('lets a key that was counted answer again', async () => {
      const { meter } = await opened()
      const ledger = meter(free(1))
      expect(await ledger.charge(event('key'), noReads)).toBe('counted')
      expect(await atOnce(3, (index) => ledger.charge(event(['key', undefined, 'other'][index]), noReads))).toEqual([
        'repeated',
        'refused',
        'refused',
      ])
    })

    test('bills nothing of what it refuses, and leaves its key unused', async () => {
      const { meter, used, usage, clock } = await opened()
      const ledger = meter(free(1))
      await ledger.charge(event(), noReads)
      expect(await atOnce(4, () => ledger.charge(event('key'), noReads))).toEqual(Array(4).fill('refused'))
      expect(await ledger.charge(event('key'), noReads)).toBe('refused')
      expect([await used(), ...(await usage()).values()]).toEqual([1, 1])
      clock.freezeAt(Date.UTC(2026, 9, 1))
      expect(await ledger.charge(event('key'), noReads)).toBe('counted')
      expect(await ledger.charge(event('key'), noReads)).toBe('repeated')
    })

    test('starts again with the month, in UTC and to the millisecond', async () => {
      const { meter, used, clock } = await opened()
      const ledger = meter(free(2))
      const nextMonth = Date.UTC(2026, 9, 1)
      clock.freezeAt(nextMonth - 1)
      expect(await atOnce(3, () => ledger.charge(event(), noReads))).toEqual(['counted', 'counted', 'refused'])
      clock.freezeAt(nextMonth)
      expect(await atOnce(3, () => ledger.charge(event(), noReads))).toEqual(['counted', 'counted', 'refused'])
      expect([await used('org_1', '2026-09'), await used('org_1', '2026-10')]).toEqual([2, 2])
    })
  })

  describe(`${name}: usage`, () => {
    test('is, per organization, project, stage and day, the number of events that were counted', async () => {
      const { meter, used, usage, clock } = await opened()
      const random = seeded(20_260_921)
      const ledgers = [meter(free(150)), meter(free(150))]
      const expected = new Map<string, number>()
      const slugs = (place: Omit<BillingEvent, 'requestKey'>): string =>
        `${place.orgId} ${place.projectId || null} ${place.stageId || null}`
      for (let round = 0; round < 12; round++) {
        clock.freezeAt(startMs + Math.floor(round / 4) * day)
        const events = Array.from({ length: 40 }, () => {
          const place = places[Math.floor(random() * places.length)] as (typeof places)[number]
          return event(random() < 0.5 ? `key ${Math.floor(random() * 60)}` : undefined, place)
        })
        const charges = await atOnce(events.length, async (index) =>
          (ledgers[index % 2] as Meter).charge(events[index] as BillingEvent, noReads),
        )
        for (const [index, charge] of charges.entries()) {
          const key = `${slugs(events[index] as BillingEvent)} ${dayOf(clock.now())}`
          if (charge === 'counted') expected.set(key, (expected.get(key) ?? 0) + 1)
        }
      }
      const found = await usage()
      expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected))
      const sum = (orgId: string): number =>
        [...expected].reduce((total, [key, number]) => total + (key.startsWith(orgId) ? number : 0), 0)
      expect([await used('org_1'), await used('org_2')]).toEqual([sum('org_1'), sum('org_2')])
      // The numbers are such that one organization reached its limit and the other did not.
      expect(sum('org_1')).toBe(150)
      expect(sum('org_2')).toBeLessThan(150)
    })
  })

  describe(`${name}: storage`, () => {
    const reserve = (sql: Sql, meter: Meter, bytes: number, orgId = 'org_1') =>
      sql.tx((tx) => meter.reserve(tx, orgId, bytes))

    test('is reserved up to the limit exactly', async () => {
      const { sql, meter, stored } = await opened()
      const ledger = meter(free(0, 1_000))
      expect(await reserve(sql, ledger, 1_001)).toBeUndefined()
      expect(await reserve(sql, ledger, 600)).toEqual({ orgId: 'org_1', bytes: 600 })
      expect(await reserve(sql, ledger, 401)).toBeUndefined()
      expect(await reserve(sql, ledger, 400)).toEqual({ orgId: 'org_1', bytes: 400 })
      expect(await reserve(sql, ledger, 1)).toBeUndefined()
      expect(await reserve(sql, ledger, 1_000, 'org_2')).toBeDefined()
      expect(await stored()).toBe(1_000)
    })

    test('may always shrink or stay, also above the limit', async () => {
      const { sql, meter, stored } = await opened()
      await reserve(sql, meter(unlimited), 5_000)
      const ledger = meter(free(0, 1_000))
      expect(await reserve(sql, ledger, 1)).toBeUndefined()
      expect(await reserve(sql, ledger, 0)).toBeDefined()
      expect(await reserve(sql, ledger, -100)).toEqual({ orgId: 'org_1', bytes: -100 })
      expect(await stored()).toBe(4_900)
    })

    test('is released by the rollback of the write', async () => {
      const { sql, meter, stored } = await opened()
      const ledger = meter(free(0, 1_000))
      const write = sql.tx(async (tx) => {
        const reservation = await ledger.reserve(tx, 'org_1', 900)
        if (reservation) ledger.release(reservation)
        throw new Error('the write failed')
      })
      await expect(write).rejects.toThrow('the write failed')
      expect(await stored()).toBe(0)
      const reservation = await reserve(sql, ledger, 1_000)
      if (reservation) ledger.settle(reservation)
      expect(await stored()).toBe(1_000)
    })

    test('is reserved by 64 writes at once up to the limit and no further', async () => {
      const { sql, meter, stored } = await opened()
      const ledger = meter(free(0, 1_000))
      const outcomes = await Promise.all(Array.from({ length: 64 }, () => reserve(sql, ledger, 30)))
      expect(outcomes.filter((outcome) => outcome !== undefined)).toHaveLength(33)
      expect(await stored()).toBe(990)
    })

    test('is another limit than that of evaluations', async () => {
      const { sql, meter, used } = await opened()
      const ledger = meter(free(1, 1_000))
      await reserve(sql, ledger, 1_000)
      expect(await ledger.charge(event(), noReads)).toBe('counted')
      expect(await used()).toBe(1)
    })
  })

  describe(`${name}: a store that fails`, () => {
    test('fails every event that waits for it, and counts none', async () => {
      const { meter, used, usage, breakStore, mendStore } = await opened()
      const ledger = meter(unlimited)
      await breakStore()
      const outcomes = await Promise.allSettled(
        Array.from({ length: 50 }, (_, index) => ledger.charge(event(`key ${index}`), noReads)),
      )
      await mendStore()
      const reasons = outcomes.map((outcome) => outcome.status === 'rejected' && (outcome.reason as unknown))
      expect(reasons.every((reason) => reason instanceof StoreUnavailable)).toBe(true)
      expect([await used(), (await usage()).size]).toEqual([0, 0])
    })

    test('is used again when it works again, with the same keys', async () => {
      const { meter, used, breakStore, mendStore } = await opened()
      const ledger = meter(unlimited)
      await breakStore()
      await expect(ledger.charge(event('key'), noReads)).rejects.toBeInstanceOf(StoreUnavailable)
      await mendStore()
      expect(await atOnce(3, () => ledger.charge(event('key'), noReads))).toEqual(['counted', 'repeated', 'repeated'])
      expect(await used()).toBe(1)
    })
  })
}
