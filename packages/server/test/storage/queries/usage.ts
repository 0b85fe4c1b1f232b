import { describe, expect, test } from 'vitest'
import type { Sql } from '../../../src/storage/sql.ts'
import type { OpenSql } from '../sql.suite.ts'
import { platform, nowMs, winnersOf } from './ground.ts'
import type { Queries } from './modules.ts'

export function usageQueries(name: string, queries: Queries, open: OpenSql): void {
  const { organizations, stages, usage } = queries
  const month = { orgId: 'org_1', meter: 'evaluations', period: '2026-09' } as const
  const storage = { orgId: 'org_1', meter: 'storage', period: '' } as const

  async function withTwoOrganizations() {
    const found = await platform(queries, open)
    await found.sql.tx((tx) =>
      organizations.insertOrganization(tx, { id: 'org_2', idpOrgId: 'idp_2', slug: 'other', nowMs }),
    )
    return found
  }

  const add = (sql: Sql, counter: Parameters<typeof usage.addToMeter>[1], amount: number, limit: number) =>
    sql.tx((tx) => usage.addToMeter(tx, counter, amount, limit))

  describe(`${name}: meters`, () => {
    test('begin at nothing', async () => {
      const { sql } = await platform(queries, open)
      expect(await usage.readMeter(sql, month)).toBe(0)
    })

    test('count per organization, meter and period', async () => {
      const { sql } = await withTwoOrganizations()
      const counters = [month, { ...month, period: '2026-10' }, { ...month, orgId: 'org_2' }, storage]
      for (const [index, counter] of counters.entries()) await add(sql, counter, index + 1, 100)
      expect(await Promise.all(counters.map((counter) => usage.readMeter(sql, counter)))).toEqual([1, 2, 3, 4])
    })

    test('count nothing when the store is probed', async () => {
      const { sql } = await platform(queries, open)
      await add(sql, month, 3, 100)
      for (let i = 0; i < 3; i++) await sql.tx((tx) => usage.writeProbe(tx))
      expect(await sql.all('select meter, used from meters order by meter')).toMatchObject([
        { meter: 'evaluations', used: 3 },
        { meter: 'probe', used: 0 },
      ])
      expect(await usage.usageByMonth(sql, month.orgId, '')).toHaveLength(1)
    })

    test('reach their limit exactly and never pass it: at the first addition', async () => {
      const { sql } = await platform(queries, open)
      expect(await add(sql, storage, 11, 10)).toBe(false)
      expect(await usage.readMeter(sql, storage)).toBe(0)
      expect(await add(sql, storage, 10, 10)).toBe(true)
      expect(await usage.readMeter(sql, storage)).toBe(10)
    })

    test('reach their limit exactly and never pass it: later', async () => {
      const { sql } = await platform(queries, open)
      const outcomes = [await add(sql, storage, 6, 10), await add(sql, storage, 5, 10), await add(sql, storage, 4, 10)]
      expect(outcomes).toEqual([true, false, true])
      expect(await usage.readMeter(sql, storage)).toBe(10)
      expect(await add(sql, storage, 1, 10)).toBe(false)
    })

    test('let pass what shrinks or changes nothing, also above the limit', async () => {
      const { sql } = await platform(queries, open)
      await add(sql, storage, 100, 100)
      expect(await add(sql, storage, 0, 10)).toBe(true)
      expect(await add(sql, storage, -1, 10)).toBe(true)
      expect(await usage.readMeter(sql, storage)).toBe(99)
      expect(await add(sql, storage, 1, 10)).toBe(false)
      expect(await add(sql, { ...storage, orgId: 'org_1', period: 'other' }, 0, 0)).toBe(true)
    })

    test('count far and exactly', async () => {
      const { sql } = await platform(queries, open)
      const most = Number.MAX_SAFE_INTEGER
      expect(await add(sql, storage, most - 1, most)).toBe(true)
      expect(await add(sql, storage, 2, most)).toBe(false)
      expect(await add(sql, storage, 1, most)).toBe(true)
      expect(await usage.readMeter(sql, storage)).toBe(most)
    })

    test('give 64 at once no more than the limit leaves', async () => {
      const { sql } = await platform(queries, open)
      expect(await winnersOf(sql, (tx) => usage.addToMeter(tx, month, 1, 10))).toHaveLength(10)
      expect(await winnersOf(sql, (tx) => usage.addToMeter(tx, storage, 3, 32))).toHaveLength(10)
      expect([await usage.readMeter(sql, month), await usage.readMeter(sql, storage)]).toEqual([10, 30])
    })
  })

  describe(`${name}: usage by days`, () => {
    const live = { orgId: 'org_1', projectId: 'prj_1', stageId: 'stg_1', day: '2026-09-21' }

    test('adds up per organization, project, stage and day', async () => {
      const { sql } = await withTwoOrganizations()
      const nowhere = { ...live, projectId: '', stageId: '' }
      await sql.tx(async (tx) => {
        for (const count of [1, 2, 3]) await usage.addUsage(tx, live, count)
        await usage.addUsage(tx, { ...live, day: '2026-09-22' }, 10)
        await usage.addUsage(tx, { ...nowhere, orgId: 'org_2' }, 20)
      })
      const rows = (await usage.usageBetween(sql, '2026-09-01', '2026-09-31')).map((row) => ({ ...row }))
      expect(rows).toHaveLength(3)
      expect(rows).toEqual(
        expect.arrayContaining([
          { organization: 'acme', project: 'shop', stage: 'live', day: '2026-09-21', evaluations: 6 },
          { organization: 'acme', project: 'shop', stage: 'live', day: '2026-09-22', evaluations: 10 },
          { organization: 'other', project: null, stage: null, day: '2026-09-21', evaluations: 20 },
        ]),
      )
    })

    test('is given from the first day to the last, both included', async () => {
      const { sql } = await platform(queries, open)
      const days = ['2026-08-31', '2026-09-01', '2026-09-30', '2026-10-01']
      await sql.tx(async (tx) => {
        for (const day of days) await usage.addUsage(tx, { ...live, day }, 1)
      })
      const found = await usage.usageBetween(sql, '2026-09-01', '2026-09-30')
      expect(found.map(({ day }) => day).toSorted()).toEqual(['2026-09-01', '2026-09-30'])
    })

    test('is reported to one organization, by day from a given one, and by month', async () => {
      const { sql } = await withTwoOrganizations()
      await sql.tx(async (tx) => {
        for (const day of ['2026-08-31', '2026-09-01']) await usage.addUsage(tx, { ...live, day }, 2)
        await usage.addUsage(tx, { ...live, projectId: '', stageId: '', day: '2026-09-02' }, 3)
        await usage.addUsage(tx, { ...live, orgId: 'org_2', day: '2026-09-02' }, 4)
        for (const period of ['2026-07', '2026-08', '2026-09']) {
          await usage.addToMeter(tx, { ...month, period }, 5, 100)
          await usage.addToMeter(tx, { ...month, orgId: 'org_2', period }, 6, 100)
        }
        await usage.addToMeter(tx, storage, 7, 100)
      })
      const start = { day: '2026-09-01', project_id: '', stage_id: '' }
      const days = (await usage.usageByDay(sql, 'org_1', start, 10)).map((row) => ({ ...row }))
      expect(days).toMatchObject([
        { project: 'shop', stage: 'live', day: '2026-09-01', evaluations: 2 },
        { project: null, stage: null, day: '2026-09-02', evaluations: 3 },
      ])
      const [first, second] = days
      expect(await usage.usageByDay(sql, 'org_1', start, 1)).toEqual([first])
      expect(await usage.usageByDay(sql, 'org_1', first ?? start, 2)).toEqual([first, second])
      expect(await usage.usageByDay(sql, 'org_1', second ?? start, 2)).toEqual([second])
      const months = (await usage.usageByMonth(sql, 'org_1', '2026-08')).map((row) => ({ ...row }))
      expect(months.toSorted((a, b) => (a.month < b.month ? -1 : 1))).toEqual([
        { month: '2026-08', evaluations: 5 },
        { month: '2026-09', evaluations: 5 },
      ])
    })

    test('has decisions that programs reported beside the evaluations of a day', async () => {
      const { sql } = await withTwoOrganizations()
      const place = { orgId: live.orgId, projectId: live.projectId, stageId: live.stageId, day: '2026-09-03' }
      for (const decisions of [40, 2]) await sql.tx((tx) => usage.addReported(tx, place, decisions))
      await sql.tx((tx) => usage.addReported(tx, { ...place, orgId: 'org_2' }, 9))
      const start = { day: '2026-09-01', project_id: '', stage_id: '' }
      expect(await usage.usageByDay(sql, 'org_1', start, 10)).toMatchObject([
        { project: 'shop', stage: 'live', day: '2026-09-03', evaluations: 0, reported: 42 },
      ])
    })

    test('of each day is deleted by organization and day, some rows at a time', async () => {
      const { sql } = await withTwoOrganizations()
      await sql.tx(async (tx) => {
        for (const orgId of ['org_1', 'org_2'])
          for (const day of ['2026-09-01', '2026-09-02', '2026-09-03'])
            for (let stage = 0; stage < (day === '2026-09-01' ? 128 : 1); stage++)
              await usage.addUsage(tx, { orgId, projectId: 'prj_1', stageId: `stg_${stage}`, day }, 1)
      })
      const left = async (day: string) => {
        const mayBeMore = await sql.tx((tx) => usage.deleteUsageDaysBefore(tx, 'org_1', day))
        const rows = await sql.all<{ org_id: string }>('select org_id from usage_days')
        return [mayBeMore, ...['org_1', 'org_2'].map((id) => rows.filter((row) => row.org_id === id).length)]
      }
      expect(await left('2026-09-01')).toEqual([false, 130, 130])
      expect(await left('2026-09-03')).toEqual([true, 2, 130])
      expect(await left('2026-09-03')).toEqual([false, 1, 130])
    })

    test('is reported by day, caller and stage from a position on, and deleted by day', async () => {
      const { sql } = await withTwoOrganizations()
      const ada = { caller: 'user a', how: 'session' }
      const count = (of: Partial<Parameters<typeof usage.addCallerUsage>[1]>, evaluations: number) =>
        sql.tx((tx) => usage.addCallerUsage(tx, { ...live, ...ada, ...of }, evaluations))
      for (const units of [1, 2]) await count({}, units)
      await count({ day: '2026-09-22' }, 4)
      await count({ day: '2026-09-20' }, 100)
      await count({ how: 'provider' }, 9)
      await count({ caller: 'tok_1', how: 'service', projectId: '', stageId: '' }, 8)
      await count({ orgId: 'org_2' }, 50)
      const shown = async (day: string, toDay: string, max = 10) => {
        const from = { day, caller: '', how: '', project_id: '', stage_id: '' }
        const rows = await usage.usageByCaller(sql, 'org_1', { from, toDay, max })
        return rows.map((row) => `${row.day} ${row.caller} ${row.how} ${row.project} ${row.stage} ${row.evaluations}`)
      }
      expect(await shown('2026-09-21', '2026-09-22')).toEqual([
        '2026-09-21 tok_1 service null null 8',
        '2026-09-21 user a provider shop live 9',
        '2026-09-21 user a session shop live 3',
        '2026-09-22 user a session shop live 4',
      ])
      expect(await shown('2026-09-21', '2026-09-22', 1)).toHaveLength(1)
      await sql.tx((tx) => usage.deleteCallerUsageBefore(tx, '2026-09-22'))
      expect(await shown('2026-09-01', '2026-09-30')).toEqual(['2026-09-22 user a session shop live 4'])
    })

    test('loses nothing of callers, 64 at once', async () => {
      const { sql } = await platform(queries, open)
      const of = { ...live, caller: 'user_1', how: 'session' }
      await Promise.all(Array.from({ length: 64 }, () => sql.tx((tx) => usage.addCallerUsage(tx, of, 2))))
      const from = { day: live.day, caller: '', how: '', project_id: '', stage_id: '' }
      expect(await usage.usageByCaller(sql, 'org_1', { from, toDay: live.day, max: 10 })).toMatchObject([
        { evaluations: 128 },
      ])
    })

    test('of storage is kept with the revision of each stage, and unknown after a write that does not keep it', async () => {
      const { sql, projectId, stageId } = await withTwoOrganizations()
      const shown = async () =>
        (await usage.storageByStage(sql, 'org_1')).map(({ stage, bytes }) => `${stage} ${bytes}`).toSorted()
      await sql.tx(async (tx) => {
        await stages.insertStage(tx, projectId, {
          id: 'stg_2',
          slug: 'new',
          revision: 3,
          bytes: 5,
          by: 'user_1',
          nowMs,
        })
        await stages.advanceRevision(tx, stageId, { from: 1, by: 2, bytes: 70_006, nowMs })
      })
      expect(await shown()).toEqual(['live 70006', 'new 5'])
      await sql.tx((tx) => tx.all("update stages set revision = revision + 1 where id = 'stg_2'"))
      await sql.tx((tx) => tx.all('update stages set bytes_revision = null where id = $1', stageId))
      const keepAt = (...revisions: [id: string, revision: number][]) =>
        sql.tx((tx) =>
          usage.keepStoredBytes(
            tx,
            revisions.map(([id, revision]) => ({ stage_id: id, revision, bytes: revision })),
          ),
        )
      await keepAt(['stg_2', 3], ['stg_none', 4])
      expect(await shown()).toEqual(['live null', 'new null'])
      await keepAt(['stg_2', 3], [stageId, 3])
      expect(await shown()).toEqual(['live 3', 'new null'])
      await keepAt([stageId, 2], ['stg_2', 4], ['stg_none', 4])
      expect(await shown()).toEqual(['live 3', 'new 4'])
      expect(await usage.storageByStage(sql, 'org_2')).toEqual([])
    })

    test('loses nothing of 64 at once', async () => {
      const { sql } = await platform(queries, open)
      await Promise.all(Array.from({ length: 64 }, () => sql.tx((tx) => usage.addUsage(tx, live, 2))))
      expect(await usage.usageBetween(sql, live.day, live.day)).toMatchObject([{ evaluations: 128 }])
    })
  })

  describe(`${name}: request keys`, () => {
    test('are inserted once per organization', async () => {
      const { sql } = await withTwoOrganizations()
      const insert = (orgId: string, key: string): Promise<boolean> =>
        sql.tx((tx) => usage.insertRequestKey(tx, orgId, key, nowMs + 1))
      expect(await winnersOf(sql, (tx) => usage.insertRequestKey(tx, 'org_1', 'key', nowMs + 1))).toHaveLength(1)
      expect([await insert('org_1', 'key'), await insert('org_2', 'key'), await insert('org_1', 'Key')]).toEqual([
        false,
        true,
        true,
      ])
    })

    test('that are taken back are as if they had never been', async () => {
      const { sql } = await withTwoOrganizations()
      await sql.tx(async (tx) => {
        for (const orgId of ['org_1', 'org_2']) await usage.insertRequestKey(tx, orgId, 'key', nowMs)
        await usage.deleteRequestKey(tx, 'org_1', 'key')
        expect(await usage.insertRequestKey(tx, 'org_2', 'key', nowMs)).toBe(false)
        expect(await usage.insertRequestKey(tx, 'org_1', 'key', nowMs)).toBe(true)
      })
    })

    test('expire at their very millisecond', async () => {
      const { sql } = await platform(queries, open)
      await sql.tx(async (tx) => {
        for (const expiry of [-1, 0, 1]) await usage.insertRequestKey(tx, 'org_1', `key ${expiry}`, nowMs + expiry)
        await usage.deleteExpiredRequestKeys(tx, nowMs)
      })
      expect(await sql.all('select key_hash from request_keys')).toMatchObject([{ key_hash: 'key 1' }])
    })

    test('are known until they expire', async () => {
      const { sql } = await withTwoOrganizations()
      await sql.tx((tx) => usage.rememberRequestKey(tx, 'org_1', 'key', nowMs))
      const known = (orgId: string, key: string, atMs: number) => usage.hasRequestKey(sql, orgId, key, atMs)
      expect(await known('org_1', 'key', nowMs - 1)).toBe(true)
      expect(await known('org_1', 'key', nowMs)).toBe(false)
      expect(await known('org_1', 'Key', nowMs - 1)).toBe(false)
      expect(await known('org_2', 'key', nowMs - 1)).toBe(false)
      await sql.tx((tx) => usage.rememberRequestKey(tx, 'org_1', 'key', nowMs + 1))
      expect(await known('org_1', 'key', nowMs)).toBe(true)
    })
  })

  describe(`${name}: files of the usage journal`, () => {
    test('are noted once, until they are forgotten', async () => {
      const { sql } = await platform(queries, open)
      const insert = (number: number) => sql.tx((tx) => usage.insertUsageJournal(tx, number))
      await insert(1)
      await insert(2)
      await expect(insert(2)).rejects.toThrow(/unique/i)
      expect(new Set(await usage.usageJournals(sql))).toEqual(new Set([1, 2]))
      await sql.tx((tx) => usage.deleteUsageJournal(tx, 1))
      expect(await usage.usageJournals(sql)).toEqual([2])
    })
  })
}
