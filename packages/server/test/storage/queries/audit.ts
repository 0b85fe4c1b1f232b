import { describe, expect, test } from 'vitest'
import type { Actor } from '../../../src/storage/actor.ts'
import { splitNames } from '../../../src/storage/audit-content.ts'
import type { AuditEvent, AuditFilter } from '../../../src/storage/audit.ts'
import type { Sql } from '../../../src/storage/sql.ts'
import type { OpenSql } from '../sql.suite.ts'
import { platform, nowMs, winnersOf } from './ground.ts'
import type { Queries } from './modules.ts'

const actor: Actor = {
  orgId: 'org_1',
  id: 'user_1',
  how: 'session',
  client: 'cli session laptop',
  requestId: 'request-1',
}

export function auditQueries(name: string, queries: Queries, open: OpenSql): void {
  const { audit, organizations } = queries
  const auditChain = queries['audit-chain']

  const append = (
    sql: Sql,
    event: Partial<AuditEvent> & { readonly nowMs?: number },
    by: Partial<Actor> = {},
  ): Promise<void> =>
    sql.tx((tx) =>
      audit.appendAudit(tx, { ...actor, ...by }, { action: 'write', nowMs, ...event } as AuditEvent & {
        nowMs: number
      }),
    )

  describe(`${name}: the audit log`, () => {
    test('stores all given fields, and null for the others', async () => {
      const { sql, orgId } = await platform(queries, open)
      const place = { projectSlug: 'shop', stageSlug: 'live' }
      await append(sql, {
        ...place,
        names: ['B', 'A'],
        revision: 7,
        action: 'variable.update',
        facts: { parts: ['rules'] },
      })
      await append(sql, { action: 'organization.update' }, { how: 'operator', requestId: undefined })
      const [second, first] = await audit.auditOf(sql, orgId, {}, 10)
      expect({ ...first, names: splitNames(first?.names ?? '') }).toEqual({
        seq: 1,
        at_ms: nowMs,
        actor: 'user_1',
        how: 'session',
        client: 'cli session laptop',
        action: 'variable.update',
        project_slug: 'shop',
        stage_slug: 'live',
        names: ['B', 'A'],
        name_count: 2,
        revision: 7,
        subject: '{"parts":["rules"]}',
        request_id: 'request-1',
      })
      const nulls = Object.entries(second ?? {}).flatMap(([key, value]) => (value === null ? [key] : []))
      expect(nulls.join(' ')).toBe('project_slug stage_slug names name_count revision subject request_id')
    })

    test('returns the entries of revisions, newest first', async () => {
      const { sql, orgId } = await platform(queries, open)
      const place = { projectSlug: 'shop', stageSlug: 'live' }
      await append(sql, { ...place, action: 'stage.create', revision: 1 })
      await append(sql, { ...place, action: 'variable.create', revision: 2, names: ['A', 'B'] })
      await append(sql, { ...place, action: 'variable.delete', revision: 2, names: ['C'] })
      await append(sql, { ...place, action: 'reveal', revision: 2, names: ['A'] })
      for (const [index, action] of (['chance', 'copy', 'restore', 'variable.update', 'write'] as const).entries()) {
        await append(sql, { ...place, action, revision: index + 3 })
      }
      const revisions = async (before: number, limit: number): Promise<(number | null)[]> =>
        (await audit.revisionEntries(sql, orgId, before, limit)).map((row) => (row.how === '' ? null : row.revision))
      expect(await revisions(99, 99)).toEqual([7, 6, 5, 4, 3, 2, 2])
      expect(await revisions(99, 2)).toEqual([7, 6])
      expect(await audit.revisionEntries(sql, orgId, 4, 1)).toEqual([
        {
          seq: 3,
          how: 'session',
          at_ms: nowMs,
          actor: 'user_1',
          client: 'cli session laptop',
          project_slug: 'shop',
          stage_slug: 'live',
          revision: 2,
          name_count: 1,
        },
      ])
      await sql.tx((tx) => auditChain.deleteContentBefore(tx, 'variable.delete', nowMs + 1, 99))
      expect(await revisions(5, 99)).toEqual([null, 2])
      expect(await audit.revisionEntries(sql, 'org_2', 99, 99)).toEqual([])
    })

    test('numbers its entries without gaps, despite concurrent writes and rollbacks', async () => {
      const { sql, orgId } = await platform(queries, open)
      const other = 'org_2'
      await sql.tx((tx) => organizations.insertOrganization(tx, { id: other, idpOrgId: 'idp_2', slug: 'o', nowMs }))
      await append(sql, {}, { orgId: other })
      await winnersOf(sql, async (tx, caller) => {
        await audit.appendAudit(tx, actor, { action: 'write', nowMs: nowMs + caller })
        return true
      })
      const undone = sql.tx(async (tx) => {
        await audit.appendAudit(tx, actor, { action: 'write', nowMs })
        throw new Error('rolled back')
      })
      await expect(undone).rejects.toThrow('rolled back')
      await append(sql, {})
      const seqs = (await audit.auditOf(sql, orgId, {}, 100)).map(({ seq }) => seq)
      expect(seqs).toEqual(Array.from({ length: 65 }, (_, index) => 65 - index))
      expect((await audit.auditOf(sql, orgId, { after: 3, before: 6 }, 100)).map(({ seq }) => seq)).toEqual([5, 4])
      expect((await audit.auditOf(sql, other, {}, 100)).map(({ seq }) => seq)).toEqual([1])
      expect([await audit.lastEntry(sql, orgId), await audit.lastEntry(sql, 'org_none')]).toEqual([65, 0])
    })

    test('is filtered by all given fields', async () => {
      const { sql, orgId } = await platform(queries, open)
      const place = { projectSlug: 'shop', stageSlug: 'live' }
      await append(sql, { ...place, names: ['A', 'B,C', '%'] })
      await append(sql, { ...place, stageSlug: 'test', names: ['AB', 'a'], nowMs: nowMs + 1 })
      await append(sql, { action: 'reveal', ...place, names: ['B'], nowMs: nowMs + 2 }, { id: 'user_2' })
      await append(sql, { action: 'sign-out', nowMs: nowMs + 3 })
      const found = async (filter: AuditFilter, limit = 10): Promise<string> =>
        (await audit.auditOf(sql, orgId, filter, limit)).map(({ seq }) => seq).join(' ')
      expect(await found({})).toBe('4 3 2 1')
      expect(await found({}, 2)).toBe('4 3')
      expect(await found({ before: 3 }, 1)).toBe('2')
      expect(await found({ actor: 'user_2' })).toBe('3')
      expect(await found({ action: 'write' })).toBe('2 1')
      expect(await found({ projectSlug: 'shop' })).toBe('3 2 1')
      expect(await found({ stageSlug: 'live', action: 'write' })).toBe('1')
      expect(await found({ fromMs: nowMs + 1, toMs: nowMs + 3 })).toBe('3 2')
      const named = ['A', 'B', 'a', 'AB', 'B,C', '%', ',', 'C'].map((each) => found({ name: each }))
      expect(await Promise.all(named)).toEqual(['1', '3', '2', '2', '1', '1', '', ''])
    })

    test('counts the names of many variables instead of keeping them', async () => {
      const { sql, orgId } = await platform(queries, open)
      for (const length of [100, 101, 0]) {
        await append(sql, { names: Array.from({ length }, (_, index) => `N${index}`) })
      }
      const rows = await audit.auditOf(sql, orgId, {}, 3)
      expect(rows.map((row) => [row.name_count, row.names === null])).toEqual([
        [0, true],
        [101, true],
        [100, false],
      ])
    })
  })
}
