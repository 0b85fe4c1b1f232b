import { describe, expect, test } from 'vitest'
import { operatorActorOf } from '../../../src/storage/actor.ts'
import { isDeleted } from '../../../src/storage/audit-content.ts'
import type { CheckpointRow } from '../../../src/storage/audit-chain.ts'
import type { Sql } from '../../../src/storage/sql.ts'
import type { OpenSql } from '../sql.suite.ts'
import { platform, nowMs, winnersOf } from './ground.ts'
import type { Queries } from './modules.ts'

export function auditChainQueries(name: string, queries: Queries, open: OpenSql): void {
  const { audit, auditChain, organizations } = { ...queries, auditChain: queries['audit-chain'] }

  async function withEntries(count: number) {
    const { sql, orgId } = await platform(queries, open)
    for (let i = 0; i < count; i++) {
      await sql.tx((tx) => audit.appendAudit(tx, operatorActorOf(orgId), { action: 'sign-out', nowMs }))
    }
    return { sql, orgId }
  }

  /** Returns the ends of the logs that have grown since their last checkpoint. */
  async function grown(sql: Sql) {
    const heads = await auditChain.headsAfter(sql, '')
    return heads.flatMap(({ has_grown: hasGrown, ...head }) => (hasGrown ? [head] : []))
  }

  describe(`${name}: the chain of an audit log`, () => {
    test('is read in pages, each entry with its link', async () => {
      const { sql, orgId } = await withEntries(5)
      const between = async (after: number, upTo: number, limit: number): Promise<string> =>
        (await auditChain.entriesBetween(sql, orgId, after, upTo, limit)).map(({ seq }) => seq).join(' ')
      expect(await between(0, 9, 9)).toBe('1 2 3 4 5')
      expect(await between(1, 4, 9)).toBe('2 3 4')
      expect(await between(1, 4, 2)).toBe('2 3')
      const [last] = await auditChain.entriesBetween(sql, orgId, 4, 5, 1)
      const head = await auditChain.headOf(sql, orgId)
      expect({ ...head }).toEqual({ seq: 5, chained_from: 0, chain: last?.chain, last_seq: 5 })
    })

    test('has no end while it has no entries', async () => {
      const { sql, orgId } = await withEntries(0)
      expect({ ...(await auditChain.headOf(sql, orgId)) }).toEqual({ seq: 0, chained_from: 0, chain: '', last_seq: 0 })
      expect(await auditChain.headOf(sql, 'org_none')).toBe(undefined)
      expect(await grown(sql)).toEqual([])
      expect((await organizations.everyOrganization(sql)).map(({ id }) => id)).toEqual([orgId])
    })

    test('needs a signature when it has grown, and one of 64 concurrent nodes stores the checkpoint', async () => {
      const { sql, orgId } = await withEntries(1)
      const [head] = await grown(sql)
      if (!head) throw new Error('nothing is to be signed')
      expect(head).toMatchObject({ org_id: orgId, seq: 1, chained_from: 0 })
      const checkpoint = (caller: number): CheckpointRow => ({ ...head, at_ms: nowMs + caller, signature: 's' })
      const [winner = -1, ...others] = await winnersOf(sql, (tx, caller) =>
        auditChain.insertCheckpoint(tx, checkpoint(caller)),
      )
      expect(others).toEqual([])
      expect((await auditChain.checkpointsOf(sql, orgId)).map((row) => ({ ...row }))).toEqual([checkpoint(winner)])
      expect(await grown(sql)).toEqual([])
      await sql.tx((tx) => audit.appendAudit(tx, operatorActorOf(orgId), { action: 'sign-out', nowMs }))
      expect(await grown(sql)).toMatchObject([{ seq: 2 }])
      expect(await auditChain.headsAfter(sql, orgId)).toEqual([])
    })

    test('stays valid when the content of old entries is deleted, in batches', async () => {
      const { sql, orgId } = await withEntries(3)
      await sql.tx((tx) => audit.appendAudit(tx, operatorActorOf(orgId), { action: 'export', nowMs }))
      const gone = (before: number): Promise<number> =>
        sql.tx((tx) => auditChain.deleteContentBefore(tx, 'sign-out', before, 2))
      expect([await gone(nowMs), await gone(nowMs + 1), await gone(nowMs + 1), await gone(nowMs + 1)]).toEqual([
        0, 2, 1, 0,
      ])
      const rows = await auditChain.entriesBetween(sql, orgId, 0, 4, 4)
      expect(rows.map(isDeleted)).toEqual([true, true, true, false])
      expect(rows.every((row) => row.chain !== null && row.content_digest !== null && row.at_ms === nowMs)).toBe(true)
    })

    test('keeps the last checkpoint of each day and deletes the others between two times', async () => {
      const { sql, orgId } = await withEntries(0)
      const day = 86_400_000
      const midnight = Math.floor(nowMs / day) * day
      const times = [midnight - 1, midnight, midnight + 1, midnight + day - 1, midnight + day, midnight + day + 1]
      for (const [index, at_ms] of times.entries()) {
        const row = { org_id: orgId, seq: index + 1, chained_from: 0, at_ms, chain: 'c', signature: 's' }
        await sql.tx((tx) => auditChain.insertCheckpoint(tx, row))
      }
      const first = { at_ms: midnight + 1, org_id: '', seq: 0 }
      expect(await sql.tx((tx) => auditChain.thinSomeCheckpoints(tx, midnight + day + 1, first))).toBeUndefined()
      const left = await auditChain.checkpointsOf(sql, orgId)
      expect(left.map(({ seq }) => seq)).toEqual([1, 2, 4, 6])
    })
  })
}
