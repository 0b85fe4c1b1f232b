import { describe, expect, test } from 'vitest'
import type { OpenSql } from '../sql.suite.ts'
import { nowMs, platform, type Ground } from './ground.ts'
import type { Queries } from './modules.ts'

export function clientKeyQueries(name: string, queries: Queries, open: OpenSql): void {
  const { organizations, sessions, usage } = queries
  const keys = queries['client-keys']

  const place = { projectSlug: 'shop', stageSlug: 'live' }
  const insert = ({ sql, orgId }: Pick<Ground, 'sql' | 'orgId'>, id: string, more: Partial<typeof place> = {}) =>
    sql.tx(async (tx) => {
      await sessions.insertSession(tx, { id, orgId, userId: id, clientName: null, nowMs, memberSeenAtMs: nowMs })
      await sessions.insertAccessToken(tx, id, { hash: `hash of ${id}`, expiresAtMs: Number.MAX_SAFE_INTEGER })
      const terms = { origins: ['https://app.example'], evaluationsPerMonth: id === 'key_1' ? null : 5 }
      await keys.insertClientKey(tx, {
        id,
        clientKey: `text of ${id}`,
        name: `name of ${id}`,
        ...place,
        ...more,
        ...terms,
        createdBy: 'user_1',
      })
    })

  const row = {
    id: 'key_1',
    org_id: 'org_1',
    client_key: 'text of key_1',
    name: 'name of key_1',
    project_slug: 'shop',
    stage_slug: 'live',
    origins: '["https://app.example"]',
    evaluations_per_month: null,
    created_by: 'user_1',
    created_at_ms: nowMs,
    last_used_at_ms: nowMs,
  }

  describe(`${name}: client keys`, () => {
    test('are found by their id and their hash, and listed by their organization, until they are revoked', async () => {
      const found = await platform(queries, open)
      const { sql, orgId } = found
      for (const id of ['key_1', 'key_2']) await insert(found, id)
      const other = { id: 'org_2', idpOrgId: 'idp_2', slug: 'other', nowMs }
      await sql.tx((tx) => organizations.insertOrganization(tx, other))
      await insert({ sql, orgId: 'org_2' }, 'key_3')
      expect({ ...(await keys.clientKeyById(sql, 'key_1')) }).toEqual(row)
      expect(await keys.clientKeyById(sql, 'key_2')).toMatchObject({ evaluations_per_month: 5 })
      expect(await sessions.sessionByAccessToken(sql, 'hash of key_2')).toMatchObject({
        name: 'name of key_2',
        project_slug: 'shop',
        stage_slug: 'live',
        role: null,
        origins: row.origins,
        evaluations_per_month: 5,
      })
      const listed = async () => (await keys.clientKeysOf(sql, orgId)).map(({ id }) => id).toSorted()
      expect(await listed()).toEqual(['key_1', 'key_2'])
      await sql.tx((tx) => sessions.revokeSession(tx, 'key_1', nowMs, 'revoked'))
      expect([await listed(), await keys.clientKeyById(sql, 'key_1')]).toEqual([['key_2'], undefined])
    })

    test('end with their stage or project, and outlive a restored backup', async () => {
      const found = await platform(queries, open)
      const { sql, orgId } = found
      await insert(found, 'key_1')
      await insert(found, 'key_2', { stageSlug: 'test' })
      await insert(found, 'key_3', { projectSlug: 'api' })
      expect(await sql.tx((tx) => sessions.endEverySession(tx, nowMs))).toBe(0)
      const end = async (where: object) =>
        (await sql.tx((tx) => keys.endClientKeys(tx, { orgId, projectSlug: 'shop', ...where }, nowMs))).map((key) => ({
          ...key,
        }))
      expect(await end({ stageSlug: 'live', orgId: 'org_2' })).toEqual([])
      expect([await end({ stageSlug: 'live' }), await end({ stageSlug: 'live' })]).toEqual([
        [{ id: 'key_1', name: 'name of key_1' }],
        [],
      ])
      expect(await end({})).toEqual([{ id: 'key_2', name: 'name of key_2' }])
    })

    test('are deleted with their tokens and sessions some time after they were revoked', async () => {
      const found = await platform(queries, open)
      const { sql } = found
      for (const id of ['key_1', 'key_2']) await insert(found, id)
      await sql.tx((tx) => sessions.revokeSession(tx, 'key_1', nowMs, 'revoked'))
      const left = async (beforeMs: number) => {
        await sql.tx((tx) => sessions.deleteEndedSessions(tx, beforeMs, undefined))
        const tables = ['client_keys', 'access_tokens', 'sessions']
        return Promise.all(tables.map(async (table) => (await sql.all(`select * from ${table}`)).length))
      }
      expect(await left(nowMs)).toEqual([2, 2, 2])
      expect(await left(nowMs + 1)).toEqual([1, 1, 1])
    })

    test('have their evaluations of some days', async () => {
      const found = await platform(queries, open)
      const { sql, orgId, projectId, stageId } = found
      for (const id of ['key_1', 'key_2']) await insert(found, id)
      const count = (caller: string, day: string, evaluations: number) =>
        sql.tx((tx) =>
          usage.addCallerUsage(tx, { orgId, projectId, stageId, day, caller, how: 'service' }, evaluations),
        )
      await count('key_1', '2026-10-31', 1)
      await count('key_1', '2026-11-01', 2)
      await count('key_1', '2026-11-30', 4)
      await count('key_2', '2026-11-30', 8)
      await count('tok_1', '2026-11-30', 16)
      const used = async (id?: string) => {
        const rows = await usage.usageOfClientKeys(sql, orgId, '2026-11', id)
        return Object.fromEntries(rows.map((each) => [each.id, each.evaluations]))
      }
      expect(await used()).toEqual({ key_1: 6, key_2: 8 })
      expect(await used('key_2')).toEqual({ key_2: 8 })
    })
  })
}
