import { describe, expect, test } from 'vitest'
import type { LeasedHookRow } from '../../../src/storage/hooks.ts'
import type { DueRow } from '../../../src/storage/leases.ts'
import type { Sql, Value } from '../../../src/storage/sql.ts'
import { hookRow } from '../../../testkit/hook-row.ts'
import type { OpenSql } from '../sql.suite.ts'
import { dueIn, nowMs, platform, winnersOf } from './ground.ts'
import type { Queries } from './modules.ts'

export function hookQueries(name: string, queries: Queries, open: OpenSql): void {
  const { audit, hooks, leases, organizations } = queries
  const { hookTable } = hooks
  const row = hookRow({
    id: 'hok_1',
    org_id: 'org_1',
    name: 'Deploys',
    url: Buffer.from([1, 2, 3]),
    events: '["change.*"]',
    project_slug: 'shop',
    created_at_ms: nowMs,
  })
  const dueAt = (sql: Sql, atMs: number, places?: number) => dueIn(queries, sql, hookTable, atMs, places)
  const lease = async (sql: Sql, atMs: number, untilMs: number) => {
    const [due] = await dueAt(sql, atMs)
    return due && sql.tx((tx) => leases.leaseRow<LeasedHookRow>(tx, hookTable, due, untilMs))
  }

  /** Opens a store with an audit log of some entries, and webhooks that have read none. */
  async function filled(entries: number, ...ids: string[]): Promise<Sql> {
    const { sql, orgId } = await platform(queries, open)
    const actor = { orgId, id: 'user_1', how: 'provider', client: 'dashboard', requestId: undefined } as const
    for (let entry = 0; entry < entries; entry++)
      await sql.tx((tx) => audit.appendAudit(tx, actor, { action: 'export', nowMs }))
    for (const id of ids) await sql.tx((tx) => hooks.insertHook(tx, { ...row, id }))
    return sql
  }
  const only = async (sql: Sql) => (await hooks.hooksOf(sql, 'org_1'))[0]

  describe(`${name}: webhooks`, () => {
    test('are stored, listed with the end of the log, changed, rotated, and deleted once', async () => {
      const sql = await filled(2, 'hok_2', 'hok_1')
      expect(await hooks.hooksOf(sql, 'org_1')).toEqual([
        { ...row, url: expect.anything() as Buffer, last_seq: 2 },
        { ...row, id: 'hok_2', url: expect.anything() as Buffer, last_seq: 2 },
      ])
      expect(Buffer.from((await only(sql))?.url ?? [])).toEqual(row.url)
      const changed = { id: 'hok_1', name: 'CI', target: 'https://b.example', url: Buffer.from([4]), events: '[]' }
      expect(await sql.tx((tx) => hooks.updateHook(tx, changed))).toBe(true)
      expect(await sql.tx((tx) => hooks.updateHook(tx, { ...changed, id: 'none' }))).toBe(false)
      expect(await sql.tx((tx) => hooks.rotateHook(tx, 'hok_1', nowMs + 5))).toBe(2)
      expect(await sql.tx((tx) => hooks.rotateHook(tx, 'none', nowMs))).toBeUndefined()
      expect(await only(sql)).toMatchObject({ name: 'CI', events: '[]', secrets: 2, former_until_ms: nowMs + 5 })
      expect(await winnersOf(sql, (tx) => hooks.deleteHook(tx, 'hok_1'))).toHaveLength(1)
      await sql.tx((tx) => hooks.deleteHooksOf(tx, 'org_1'))
      expect(await hooks.hooksOf(sql, 'org_1')).toEqual([])
    })

    test('are switched off once, and on from an entry on', async () => {
      const sql = await filled(1, 'hok_1')
      expect(await sql.tx((tx) => hooks.switchHookOn(tx, 'hok_1', 1, nowMs))).toBe(false)
      expect(await winnersOf(sql, (tx) => hooks.switchHookOff(tx, 'hok_1', nowMs))).toHaveLength(1)
      expect(await dueAt(sql, nowMs)).toEqual([])
      const due = { id: 'hok_1', next_attempt_at_ms: nowMs }
      expect(await sql.tx((tx) => leases.leaseRow(tx, hookTable, due, nowMs + 9))).toBeUndefined()
      expect(await sql.tx((tx) => leases.settleRow(tx, hookTable, due, { position: 9 }))).toBe(false)
      expect(await sql.tx((tx) => hooks.switchHookOn(tx, 'hok_1', 1, nowMs + 1))).toBe(true)
      expect(await only(sql)).toMatchObject({ position: 1, next_attempt_at_ms: nowMs + 1, off_since_ms: null })
    })

    test('are leased if they are behind and due, by one caller until the lease ends', async () => {
      const sql = await filled(1, 'hok_1')
      expect(await dueAt(sql, nowMs - 1)).toEqual([])
      const [due] = (await dueAt(sql, nowMs)) as [DueRow]
      expect({ ...due }).toEqual({
        outbox: 'hooks',
        id: 'hok_1',
        org_id: 'org_1',
        next_attempt_at_ms: nowMs,
        place: 1,
      })
      const won = await winnersOf(
        sql,
        async (tx) => (await leases.leaseRow(tx, hookTable, due, nowMs + 1_000)) !== undefined,
      )
      expect(won).toHaveLength(1)
      expect(await dueAt(sql, nowMs + 999)).toEqual([])
      const leased = await lease(sql, nowMs + 1_000, nowMs + 9_000)
      expect(leased).toMatchObject({ id: 'hok_1', org_slug: 'acme', next_attempt_at_ms: nowMs + 9_000 })
      const later = { position: 1, next_attempt_at_ms: nowMs + 2 }
      expect(await sql.tx((tx) => leases.settleRow(tx, hookTable, due, later))).toBe(false)
      expect(await sql.tx((tx) => leases.settleRow(tx, hookTable, leased as LeasedHookRow, later))).toBe(true)
      // It has read the whole log.
      expect(await dueAt(sql, nowMs + 10_000)).toEqual([])
    })

    test('are due in turns of their organizations, each the longest due first', async () => {
      const sql = await filled(1)
      const other = { id: 'org_2', idpOrgId: 'idp_2', slug: 'other', nowMs }
      await sql.tx((tx) => organizations.insertOrganization(tx, other))
      const actor = {
        orgId: 'org_2',
        id: 'user_1',
        how: 'provider',
        client: 'dashboard',
        requestId: undefined,
      } as const
      await sql.tx((tx) => audit.appendAudit(tx, actor, { action: 'export', nowMs }))
      for (const [id, org, dueMs] of [
        ['hok_1', 'org_1', 2],
        ['hok_2', 'org_1', 1],
        ['hok_3', 'org_1', 3],
        ['hok_4', 'org_2', 4],
      ] as const)
        await sql.tx((tx) => hooks.insertHook(tx, { ...row, id, org_id: org, next_attempt_at_ms: dueMs }))
      const due = await dueAt(sql, nowMs, 3)
      expect(due.map(({ id }) => id)).toEqual(['hok_2', 'hok_4', 'hok_1'])
    })

    test('keep their last messages, with the number of attempts', async () => {
      const sql = await filled(0, 'hok_1')
      const attempt = (id: number, at: number, failure: string | null) => ({
        event_id: `evt_${id}`,
        type: 'change.applied',
        at_ms: at,
        status: failure === null ? 200 : null,
        duration_ms: 3,
        failure,
      })
      await sql.tx((tx) => hooks.recordAttempts(tx, 'hok_1', [attempt(1, 1, 'ECONNRESET'), attempt(2, 2, null)], 2))
      const stored = await sql.tx((tx) => hooks.recordAttempts(tx, 'hok_1', [attempt(1, 3, null)], 2))
      expect(stored).toEqual([{ ...attempt(1, 3, null), attempts: 2 }])
      await sql.tx((tx) => hooks.recordAttempts(tx, 'hok_1', [attempt(3, 4, null)], 2))
      expect((await hooks.deliveriesOf(sql, 'hok_1')).map((each) => each.event_id)).toEqual(['evt_3', 'evt_1'])
    })

    test('are listed while they wait or are off, and made due after a failure', async () => {
      const sql = await filled(2, 'hok_1', 'hok_2')
      expect(await hooks.waitingHooks(sql)).toHaveLength(2)
      const failing = { next_attempt_at_ms: nowMs + 7, failure: 'status 500', failing_since_ms: nowMs }
      const settle = (id: string, changes: Record<string, Value>) =>
        sql.tx((tx) => leases.settleRow(tx, hookTable, { id, next_attempt_at_ms: nowMs }, changes))
      await settle('hok_1', failing)
      await settle('hok_2', { position: 2 })
      const waiting = { organization: 'acme', entries: 2, oldest_at_ms: nowMs, failing_since_ms: nowMs }
      expect(await hooks.waitingHooks(sql)).toMatchObject([{ id: 'hok_1', ...waiting, failure: 'status 500' }])
      expect(await sql.tx((tx) => leases.retryRows(tx, hookTable, nowMs))).toEqual(['hok_1'])
      expect(await only(sql)).toMatchObject({ next_attempt_at_ms: nowMs })
      expect(await sql.tx((tx) => leases.retryRows(tx, hookTable, nowMs))).toEqual([])
      await sql.tx((tx) => hooks.switchHookOff(tx, 'hok_2', nowMs))
      const rows = (await hooks.waitingHooks(sql)).toSorted((a, b) => (a.id < b.id ? -1 : 1))
      expect(rows).toMatchObject([{ id: 'hok_1' }, { id: 'hok_2', off_since_ms: nowMs }])
    })

    test('read the log after a position, oldest first', async () => {
      const sql = await filled(4)
      const entries = await hooks.entriesAfter(sql, 'org_1', 1, 2)
      expect(entries.map(({ seq, action }) => [seq, action])).toEqual([
        [2, 'export'],
        [3, 'export'],
      ])
    })
  })
}
