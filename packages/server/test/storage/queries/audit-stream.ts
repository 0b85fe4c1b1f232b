import { describe, expect, test } from 'vitest'
import type { LeasedStreamRow } from '../../../src/storage/audit-stream.ts'
import type { DueRow } from '../../../src/storage/leases.ts'
import { operatorActorOf } from '../../../src/storage/actor.ts'
import type { Sql } from '../../../src/storage/sql.ts'
import type { OpenSql } from '../sql.suite.ts'
import { dueIn, nowMs, platform, winnersOf } from './ground.ts'
import type { Queries } from './modules.ts'

export function auditStreamQueries(name: string, queries: Queries, open: OpenSql): void {
  const { audit, auditChain, leases, stream } = {
    ...queries,
    auditChain: queries['audit-chain'],
    stream: queries['audit-stream'],
  }

  async function filled(entries: number): Promise<Sql> {
    const { sql, orgId } = await platform(queries, open)
    for (let entry = 0; entry < entries; entry++)
      await sql.tx((tx) => audit.appendAudit(tx, operatorActorOf(orgId), { action: 'export', nowMs }))
    return sql
  }
  const { streamTable } = stream
  const dueAt = (sql: Sql, atMs: number) => dueIn(queries, sql, streamTable, atMs)
  const lease = async (sql: Sql, atMs: number): Promise<LeasedStreamRow[]> => {
    const [due] = await dueAt(sql, atMs)
    const times = { nowMs: atMs, untilMs: atMs + 1_000 }
    const leased = due && (await sql.tx((tx) => stream.leaseStream(tx, due, times)))
    return leased ? [leased] : []
  }
  const settle = (sql: Sql, leased: LeasedStreamRow, position: number, untilMs: number, checkpoint = 0) =>
    sql.tx((tx) => leases.settleRow(tx, streamTable, leased, { position, checkpoint, next_attempt_at_ms: untilMs }))

  describe(`${name}: the audit stream`, () => {
    test('leases a log that is behind to one caller until the lease ends, and settles it only then', async () => {
      const sql = await filled(2)
      const [due] = (await dueAt(sql, nowMs)) as [DueRow]
      const times = { nowMs, untilMs: nowMs + 1_000 }
      const won = await winnersOf(sql, async (tx) => (await stream.leaseStream(tx, due, times)) !== undefined)
      expect(won).toHaveLength(1)
      expect(await dueAt(sql, nowMs + 999)).toEqual([])
      expect(await lease(sql, nowMs + 999)).toEqual([])
      const [leased] = (await lease(sql, nowMs + 1_000)) as [LeasedStreamRow]
      expect({ ...leased }).toEqual({
        id: 'org_1',
        org_id: 'org_1',
        failing_since_ms: null,
        organization: 'acme',
        position: 0,
        checkpoint: 0,
        attempts: 0,
        next_attempt_at_ms: nowMs + 2_000,
      })
      expect(await settle(sql, { ...leased, next_attempt_at_ms: nowMs + 1_000 }, 1, nowMs)).toBe(false)
      expect(await settle(sql, leased, 1, nowMs)).toBe(true)
      expect(await lease(sql, nowMs)).toMatchObject([{ position: 1 }])
    })

    test('is behind until the last entry and the last checkpoint are settled', async () => {
      const sql = await filled(2)
      const [leased] = (await lease(sql, nowMs)) as [LeasedStreamRow]
      await settle(sql, leased, 2, nowMs)
      expect(await dueAt(sql, nowMs)).toEqual([])
      const [head] = await auditChain.headsAfter(sql, '')
      if (!head) throw new Error('no log')
      await sql.tx((tx) => auditChain.insertCheckpoint(tx, { ...head, at_ms: nowMs, signature: 's' }))
      expect(await auditChain.checkpointsBetween(sql, 'org_1', 1, 2)).toMatchObject([{ seq: 2, signature: 's' }])
      expect(await auditChain.checkpointsBetween(sql, 'org_1', 2, 9)).toEqual([])
      const [again] = (await lease(sql, nowMs)) as [LeasedStreamRow]
      await settle(sql, again, 2, nowMs, 2)
      expect(await dueAt(sql, nowMs)).toEqual([])
    })

    test('knows what waits, since when and why, and makes it due', async () => {
      const sql = await filled(3)
      expect(await stream.undelivered(sql)).toEqual([])
      const [leased] = (await lease(sql, nowMs + 5)) as [LeasedStreamRow]
      const failed = { attempts: 1, next_attempt_at_ms: nowMs + 90, failure: 'ECONNREFUSED' }
      const fail = () => sql.tx((tx) => leases.settleRow(tx, streamTable, leased, failed))
      expect([await fail(), await fail()]).toEqual([true, false])
      const [waiting] = await stream.undelivered(sql)
      expect(waiting).toMatchObject({ organization: 'acme', entries: 3, oldest_at_ms: nowMs, failure: 'ECONNREFUSED' })
      expect(waiting && stream.waitsSinceMs(waiting)).toBe(nowMs + 5)
      expect(await sql.tx((tx) => leases.retryRows(tx, streamTable, nowMs + 7))).toEqual(['org_1'])
      expect(await sql.tx((tx) => leases.retryRows(tx, streamTable, nowMs + 7))).toEqual([])
      const [again] = (await lease(sql, nowMs + 7)) as [LeasedStreamRow]
      expect(again.attempts).toBe(1)
      await settle(sql, again, 3, nowMs)
      expect(await stream.undelivered(sql)).toEqual([])
    })
  })
}
