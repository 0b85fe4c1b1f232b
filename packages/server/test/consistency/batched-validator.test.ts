/** The statement of a round, which validates read sets and counts usage, on PostgreSQL. */
import { describe, expect, test } from 'vitest'
import { ReadSet, type CacheEntry, type ReadKind } from '../../src/consistency/read-set.ts'
import { StaleRead } from '../../src/consistency/read-validator.ts'
import { countingValidator } from '../../src/metering/joined-counting.ts'
import { NodeRows } from '../../src/metering/node-rows.ts'
import { freePlan, unlimited } from '../../src/metering/plans.ts'
import { hashOfRequestKey } from '../../src/metering/request-key.ts'
import { callersBetween } from '../../src/metering/usage.ts'
import { insertRequestKey, type BillingEvent } from '../../src/storage/usage.ts'
import type { Reader, Sql, Value } from '../../src/storage/sql.ts'
import { dayOf } from '../../src/base/clock.ts'
import type { TestClock } from '../../testkit/clock.ts'
import { newStore, startMs } from '../stages/node.ts'
import { temporaryShared } from '../storage/temporary.ts'

const rowsPerTable = 1_000
const event: BillingEvent = {
  orgId: 'org_1',
  projectId: 'prj_1',
  stageId: 'stg_1',
  caller: 'user_1',
  how: 'session',
  requestKey: undefined,
}

const current = {
  stage: { stageId: 'stg_1', revision: 1 },
  session: { id: 'ses_1', version: 1 },
  member: { orgId: 'org_1', userId: 'user_1' },
  organization: { id: 'org_1', accessRevision: 0 },
}
const stale: typeof current = {
  stage: { stageId: 'stg_1', revision: 2 },
  session: { id: 'ses_1', version: 2 },
  member: { orgId: 'org_1', userId: 'user_2' },
  organization: { id: 'org_1', accessRevision: 1 },
}

const withLimit = freePlan(100, 0)
const plans = [
  ['without a limit', unlimited],
  ['with a limit', withLimit],
] as const

async function newDatabase(): Promise<{ sql: Sql; clock: TestClock }> {
  const { sql, clock } = await newStore(temporaryShared)
  const numbers = `from generate_series(1, ${rowsPerTable}) as g(i)`
  await sql.tx((tx) =>
    tx.script(`
      insert into projects (id, org_id, slug, name, created_at_ms, created_by) values ('prj_1', 'org_1', 'shop', 'shop', 0, 'user_1');
      insert into stages (id, project_id, slug, name, revision, created_at_ms, created_by)
        select 'stg_' || i, 'prj_1', 'slug-' || i, '', 1, 0, 'user_1' ${numbers};
      insert into sessions (id, org_id, user_id, created_at_ms, last_used_at_ms, member_seen_at_ms, version)
        select 'ses_' || i, 'org_1', 'user_1', 0, 0, 0, 1 ${numbers};
      insert into request_keys (org_id, key_hash, expires_at_ms) select 'org_1', 'hash-' || i, 0 ${numbers};
      create table member ("organizationId" text, "userId" text);
      create index on member ("organizationId", "userId");
      insert into member select 'org_1', 'user_' || i ${numbers.replace('(1,', '(3,')};
      insert into member values ('org_1', 'user_1');
      analyze`),
  )
  return { sql, clock }
}

/** `store`: that of `sql`. */
function validatorOn(store: Sql, clock: TestClock, sql: Reader = store, plan = unlimited) {
  const rows = new NodeRows({ sql: store, plan, clock })
  return countingValidator({ sql, clock, rows, memberTable: 'member' })
}

/** Adds what was counted to the tables. */
async function fold(sql: Sql, clock: TestClock): Promise<void> {
  await new NodeRows({ sql, plan: unlimited, clock }).fold()
}

/** Returns the entries of a cache, and which of them the validator removed. */
function newEntries(objects: typeof current): { entries: Record<ReadKind, CacheEntry<object>>; forgotten: ReadKind[] } {
  const forgotten: ReadKind[] = []
  const entryOf = (kind: ReadKind) => ({ entry: objects[kind], asOf: 0, forget: () => void forgotten.push(kind) })
  const [stage, session, member, organization] = (['stage', 'session', 'member', 'organization'] as const).map(entryOf)
  return { entries: { stage, session, member, organization } as Record<ReadKind, CacheEntry<object>>, forgotten }
}

function readSetOf(entries: Partial<Record<ReadKind, CacheEntry<object>>>): ReadSet {
  return Object.assign(new ReadSet(0), entries)
}

test.each(['stage', 'session', 'member', 'organization'] as const)(
  'events of one caller that differ only in the %s are decided separately',
  async (kind) => {
    const { sql, clock } = await newDatabase()
    const validator = validatorOn(sql, clock)
    const [fresh, old] = [newEntries(current), newEntries({ ...current, [kind]: stale[kind] })]
    const mixed = { ...fresh.entries, [kind]: old.entries[kind] }
    const results = await Promise.allSettled([
      validator.run(readSetOf(mixed), event),
      validator.run(readSetOf(fresh.entries), event),
      validator.run(readSetOf(mixed), event),
      validator.run(readSetOf({}), event),
      validator.run(readSetOf(fresh.entries), event),
    ])
    expect(validator.counts).toEqual({ rounds: 1, requests: 5 })
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason))).toEqual([
      expect.any(StaleRead),
      'counted',
      expect.any(StaleRead),
      'counted',
      'counted',
    ])
    expect([fresh.forgotten, old.forgotten]).toEqual([[], [kind]])
    await fold(sql, clock)
    const day = dayOf(startMs)
    const { callers } = await callersBetween(sql, 'org_1', { from: day, to: day })
    expect(callers[0]?.evaluations).toBe(3)
  },
)

test('events with different callers, ways and places of one round are counted separately', async () => {
  const { sql, clock } = await newDatabase()
  const validator = validatorOn(sql, clock)
  const events: BillingEvent[] = [
    event,
    { ...event, caller: 'user_2' },
    { ...event, how: 'provider' },
    { ...event, stageId: 'stg_2' },
    { ...event, projectId: '', stageId: '' },
    { ...event, orgId: 'org_2', projectId: '', stageId: '' },
    { ...event, requestKey: 'key' },
  ]
  await Promise.all([...events, ...events.slice(0, -1)].map((each) => validator.run(readSetOf({}), each)))
  expect(validator.counts.rounds).toBe(1)
  await fold(sql, clock)
  const rows = await sql.all<{ counted: string }>(
    `select concat_ws(' ', org_id, caller, how, stage_id, evaluations) as counted from usage_callers order by 1`,
  )
  expect(rows.map(({ counted }) => counted)).toEqual([
    'org_1 user_1 provider stg_1 2',
    'org_1 user_1 session  2',
    'org_1 user_1 session stg_1 3',
    'org_1 user_1 session stg_2 2',
    'org_1 user_2 session stg_1 2',
    'org_2 user_1 session  2',
  ])
})

test('an event whose request key another transaction counts at the same time is repeated, in the same round', async () => {
  const { sql, clock } = await newDatabase()
  const validator = validatorOn(sql, clock)
  const others = { ...event, orgId: 'org_2', projectId: '', stageId: '' }
  const isStored = Promise.withResolvers<void>()
  const isWaitedFor = Promise.withResolvers<void>()
  const other = sql.tx(async (tx) => {
    await insertRequestKey(tx, 'org_1', hashOfRequestKey('key'), startMs)
    isStored.resolve()
    await isWaitedFor.promise
  })
  await isStored.promise
  const results = Promise.all(
    [{ ...event, requestKey: 'key' }, { ...event, requestKey: 'another' }, event, others].map((each) =>
      validator.run(readSetOf({}), each),
    ),
  )
  const waiting = `
    select pid from pg_locks join pg_stat_activity using (pid)
    where not granted and locktype = 'transactionid' and datname = current_database()`
  await expect.poll(() => sql.all(waiting)).toHaveLength(1)
  isWaitedFor.resolve()
  await other
  expect(await results).toEqual(['repeated', 'counted', 'counted', 'counted'])
  expect(validator.counts.rounds).toBe(1)
  await fold(sql, clock)
  expect(await sql.all("select org_id, used from meters where meter = 'evaluations' order by org_id")).toEqual([
    { org_id: 'org_1', used: 2 },
    { org_id: 'org_2', used: 1 },
  ])
})

describe('a round that waits for another transaction', () => {
  const heldKey = 'of another transaction'

  /** Returns a validator with a round under way, of `requests` requests, which waits until the returned function is called. */
  async function waiting(requests: number, plan = unlimited) {
    const { sql, clock } = await newDatabase()
    const rows = new NodeRows({ sql, plan, clock })
    const validator = countingValidator({ sql, clock, rows, memberTable: 'member' })
    const [isHeld, isReleased] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const other = sql.tx(async (tx) => {
      await insertRequestKey(tx, 'org_1', hashOfRequestKey(heldKey), startMs)
      isHeld.resolve()
      await isReleased.promise
    })
    await isHeld.promise
    const run = (more: Partial<BillingEvent> = {}) => validator.run(readSetOf({}), { ...event, ...more })
    const first = Promise.all([run({ requestKey: heldKey }), ...Array.from({ length: requests - 1 }, () => run())])
    const locks = "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
    await expect.poll(() => sql.all(locks)).toHaveLength(1)
    const end = async () => {
      isReleased.resolve()
      await other
      return first
    }
    const used = async () => {
      await fold(sql, clock)
      return sql.all("select used from meters where meter = 'evaluations'")
    }
    return { sql, validator, run, end, used }
  }

  test('does not hold up the next one, if it is small', async () => {
    const { validator, run, end, used } = await waiting(8)
    expect(await run()).toBe('counted')
    expect(validator.counts.rounds).toBe(2)
    expect(await end()).toEqual(['repeated', ...Array.from({ length: 7 }, () => 'counted')])
    expect(await run()).toBe('counted')
    expect(await used()).toEqual([{ used: 9 }])
  })

  test.each([
    ['is large', 9, unlimited],
    ['the plan has a limit', 1, withLimit],
  ])('is the only one if %s', async (_, requests, plan) => {
    const { sql, validator, run, end, used } = await waiting(requests, plan)
    const next = run()
    // A round that begins has sent its statement before the answer of this one.
    await sql.all('select 1 as one')
    expect(validator.counts.rounds).toBe(1)
    await end()
    expect(await next).toBe('counted')
    expect(await used()).toEqual([{ used: requests }])
  })
})

test('an answer that comes after that of a later round does not make an entry older', async () => {
  const { sql, clock } = await newDatabase()
  const isAnswered = Promise.withResolvers<void>()
  let statements = 0
  const reader: Reader = {
    all: async (...statement) => {
      const isFirst = statement[0].includes('with stale') && ++statements === 1
      const rows = await sql.all(...statement)
      if (isFirst) await isAnswered.promise
      return rows as never[]
    },
  }
  const validator = validatorOn(sql, clock, reader)
  const { entries } = newEntries(current)
  const first = validator.run(readSetOf(entries), event)
  await expect.poll(() => statements).toBe(1)
  expect(await validator.run(readSetOf(entries), event)).toBe('counted')
  expect(entries.stage.asOf).toBe(2)
  isAnswered.resolve()
  expect(await first).toBe('counted')
  expect(entries.stage.asOf).toBe(2)
})

describe('when the database is replaced', () => {
  /** Returns a validator, and what happens around its statements. */
  async function opened(plan = unlimited) {
    const { sql, clock } = await newDatabase()
    const around: { before: () => void; after: (text: string) => void } = { before: () => {}, after: () => {} }
    const reader: Reader = {
      all: async (...statement) => {
        around.before()
        const rows = await sql.all(...statement)
        around.after(statement[0])
        return rows as never[]
      },
    }
    const validator = validatorOn(sql, clock, reader, plan)
    const counted = async (): Promise<number> => {
      await fold(sql, clock)
      return (await sql.all<{ used: number }>("select used from meters where meter = 'evaluations'"))[0]?.used ?? 0
    }
    /** Returns what was read just now. */
    const readNow = () => {
      const { entries } = newEntries(current)
      for (const entry of Object.values(entries)) entry.asOf = validator.logicalClock.next()
      return entries
    }
    /** Sends two requests of what was read before, one of which counts. */
    const outcomes = (entries = readNow()) =>
      Promise.all([
        validator.validate(readSetOf(entries)),
        validator.run(readSetOf(entries), event).catch((error: unknown) => error),
      ])
    return { sql, validator, around, counted, readNow, outcomes }
  }

  test('what was read before is not validated and nothing is counted for it, even if the revisions are equal', async () => {
    const { validator, counted, readNow, outcomes } = await opened()
    const entries = readNow()
    expect(await outcomes(entries)).toEqual([true, 'counted'])
    validator.databaseReplaced()
    expect(await outcomes(entries)).toEqual([false, expect.any(StaleRead)])
    const waiting = outcomes()
    validator.databaseReplaced()
    expect(await waiting).toEqual([false, expect.any(StaleRead)])
    expect(await counted()).toBe(1)
  })

  test('a round on the way starts over: it has just created a meter, finds no connection, or has its answer from the former one', async () => {
    const { validator, around, counted, outcomes } = await opened(withLimit)
    const restarted = [false, expect.any(StaleRead)]
    around.after = () => validator.databaseReplaced()
    expect(await outcomes()).toEqual(restarted)
    expect(await counted()).toBe(0)
    around.after = () => {}
    around.before = () => {
      validator.databaseReplaced()
      throw new Error('no connection')
    }
    expect(await outcomes()).toEqual(restarted)
    around.before = () => {}
    around.after = (text) => text.includes('with stale') && validator.databaseReplaced()
    expect(await outcomes()).toEqual(restarted)
    expect(await counted()).toBe(1)
    around.after = () => {}
    expect(await outcomes()).toEqual([true, 'counted'])
  })

  test.each(plans)('meters and the lease are created again, %s', async (_, plan) => {
    const { sql, validator, counted } = await opened(plan)
    expect(await validator.run(readSetOf({}), event)).toBe('counted')
    for (const table of ['meters', 'node_usage', 'counting_nodes']) await sql.all(`delete from ${table}`)
    validator.databaseReplaced()
    expect(await validator.run(readSetOf({}), event)).toBe('counted')
    expect(await counted()).toBe(1)
  })
})

test.each(plans)('a round reads tables of any size by their indexes, %s', async (_, plan) => {
  const { sql, clock } = await newDatabase()
  let sent: [string, ...Value[]] | undefined
  const recording: Reader = {
    all: (...statement) => {
      sent = statement
      return sql.all(...statement)
    },
  }
  const validator = validatorOn(sql, clock, recording, plan)
  await validator.run(readSetOf(newEntries(current).entries), { ...event, requestKey: 'key' })
  const [text, ...params] = sent ?? ['']
  const lines = await sql.all<Record<string, string>>(`explain ${text}`, ...params)
  const read = lines.map((line) => line['QUERY PLAN']).join('\n')
  for (const table of ['stages', 'sessions', 'request_keys', 'member']) {
    expect(read).toMatch(new RegExp(`Index (Only )?Scan using \\S+ on ${table} `))
    expect(read).not.toContain(`Seq Scan on ${table} `)
  }
})

test('a round in which nothing is counted writes nothing, so it waits for no disk', async () => {
  const { sql, clock } = await newDatabase()
  const readOnly: Reader = {
    all: (...statement) =>
      sql.tx(async (tx) => {
        await tx.all('set transaction read only')
        return tx.all(...statement)
      }),
  }
  const validator = validatorOn(sql, clock, readOnly)
  expect(await validator.validate(readSetOf(newEntries(current).entries))).toBe(true)
  expect(await validator.validate(readSetOf(newEntries(stale).entries))).toBe(false)
  expect(validator.counts.rounds).toBe(2)
})
