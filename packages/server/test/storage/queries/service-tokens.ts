import { describe, expect, test } from 'vitest'
import type { OpenSql } from '../sql.suite.ts'
import { platform, nowMs, winnersOf, type Ground } from './ground.ts'
import type { Queries } from './modules.ts'

const lifetime = 1_000

export function serviceTokenQueries(name: string, queries: Queries, open: OpenSql): void {
  const { organizations, sessions } = queries
  const tokens = queries['service-tokens']

  interface Reach {
    readonly projectSlug: string | null
    readonly stageSlug: string | null
    readonly role: 'reader' | 'developer'
    readonly history: boolean
  }
  const whole: Reach = { projectSlug: null, stageSlug: null, role: 'developer', history: true }
  const narrow: Reach = { projectSlug: 'shop', stageSlug: 'live', role: 'reader', history: false }

  async function insert({ sql, orgId }: Pick<Ground, 'sql' | 'orgId'>, id: string, reach = whole): Promise<void> {
    await sql.tx(async (tx) => {
      const row = { id, orgId, userId: id, clientName: null, nowMs, memberSeenAtMs: nowMs }
      await sessions.insertSession(tx, row)
      await sessions.insertAccessToken(tx, id, { hash: `hash of ${id}`, expiresAtMs: nowMs + lifetime })
      await tokens.insertServiceToken(tx, { id, name: `name of ${id}`, ...reach, createdBy: 'user_1', trustId: null })
    })
  }

  describe(`${name}: service tokens`, () => {
    test('outlive the end of every session', async () => {
      const found = await platform(queries, open)
      const { sql, orgId } = found
      await insert(found, 'tok_1')
      const session = { orgId, userId: 'user_1', clientName: null, nowMs, memberSeenAtMs: nowMs }
      await sql.tx((tx) => sessions.insertSession(tx, { ...session, id: 'ses_1' }))
      await sql.tx((tx) => sessions.insertSession(tx, { ...session, id: 'ses_2' }))
      await sql.tx((tx) => sessions.revokeSession(tx, 'ses_2', nowMs, 'logout'))
      expect(await sql.tx((tx) => sessions.endEverySession(tx, nowMs + 1))).toBe(1)
      const rows = await sql.all('select id, revoked_at_ms, revoked_because from sessions')
      expect(rows).toHaveLength(3)
      expect(rows).toContainEqual({ id: 'tok_1', revoked_at_ms: null, revoked_because: null })
      expect(rows).toContainEqual({ id: 'ses_1', revoked_at_ms: nowMs + 1, revoked_because: 'restored' })
      expect(rows).toContainEqual({ id: 'ses_2', revoked_at_ms: nowMs, revoked_because: 'logout' })
    })

    test('end with the project or stage to which they are limited, if they are valid', async () => {
      const found = await platform(queries, open)
      const { sql, orgId } = found
      await insert(found, 'tok_whole')
      await insert(found, 'tok_project', { ...narrow, stageSlug: null })
      await insert(found, 'tok_stage', narrow)
      await insert(found, 'tok_ended', narrow)
      await insert(found, 'tok_test', { ...narrow, stageSlug: 'test' })
      await insert(found, 'tok_api', { ...narrow, projectSlug: 'api' })
      await sql.tx((tx) => sessions.revokeSession(tx, 'tok_ended', nowMs, 'revoked'))
      const end = async (place: object, atMs = nowMs) =>
        (await sql.tx((tx) => tokens.endServiceTokens(tx, { orgId, projectSlug: 'shop', ...place }, atMs)))
          .map(({ id, name: given }) => `${id}: ${given}`)
          .toSorted()
      expect(await end({ stageSlug: 'live' }, nowMs + lifetime)).toEqual([])
      expect(await end({ stageSlug: 'live', orgId: 'org_2' })).toEqual([])
      expect([await end({ stageSlug: 'live' }), await end({ stageSlug: 'live' })]).toEqual([
        ['tok_stage: name of tok_stage'],
        [],
      ])
      expect(await end({})).toEqual(['tok_project: name of tok_project', 'tok_test: name of tok_test'])
      const left = await tokens.serviceTokensOf(sql, orgId, nowMs)
      expect(left.map(({ id }) => id).toSorted()).toEqual(['tok_api', 'tok_whole'])
    })

    test('are found by their id, with their scope and the times of creation and use', async () => {
      const found = await platform(queries, open)
      await insert(found, 'tok_1')
      await insert(found, 'tok_2', narrow)
      const row = {
        id: 'tok_1',
        org_id: 'org_1',
        idp_org_id: 'idp_1',
        name: 'name of tok_1',
        project_slug: null,
        stage_slug: null,
        role: 'developer',
        history: 1,
        created_by: 'user_1',
        created_at_ms: nowMs,
        expires_at_ms: nowMs + lifetime,
        former_expires_at_ms: null,
        last_used_at_ms: nowMs,
      }
      expect({ ...(await tokens.serviceTokenById(found.sql, 'tok_1', nowMs)) }).toEqual(row)
      const second = { project_slug: 'shop', stage_slug: 'live', role: 'reader', history: 0 }
      expect(await tokens.serviceTokenById(found.sql, 'tok_2', nowMs)).toMatchObject(second)
      expect(await sessions.sessionByAccessToken(found.sql, 'hash of tok_2')).toMatchObject({
        ...second,
        user_id: 'tok_2',
        expires_at_ms: nowMs + lifetime,
      })
      expect(await tokens.serviceTokenById(found.sql, 'tok_none', nowMs)).toBeUndefined()
    })

    test('whose end is near are found until it is announced, once for each end', async () => {
      const found = await platform(queries, open)
      const { sql } = found
      await insert(found, 'tok_1', narrow)
      await insert(found, 'tok_revoked')
      await sql.tx((tx) => sessions.revokeSession(tx, 'tok_revoked', nowMs, 'revoked'))
      const near = async (atMs: number, withinMs: number) =>
        (await tokens.expiringTokens(sql, { nowMs: atMs, withinMs, limit: 9 })).map((row) => ({ ...row }))
      const token = { id: 'tok_1', org_id: 'org_1', name: 'name of tok_1', project_slug: 'shop', stage_slug: 'live' }
      expect(await near(nowMs + 1, 900)).toEqual([])
      expect(await near(nowMs + 100, 900)).toEqual([
        { ...token, created_by: 'user_1', expires_at_ms: nowMs + lifetime },
      ])
      // It never lives for longer than that.
      expect(await near(nowMs + 100, lifetime)).toEqual([])
      expect(await near(nowMs + lifetime, 900)).toEqual([])
      expect(await winnersOf(sql, (tx) => tokens.markAnnounced(tx, 'tok_1', nowMs + lifetime))).toHaveLength(1)
      expect(await near(nowMs + 100, 900)).toEqual([])
      await sql.tx((tx) => sessions.insertAccessToken(tx, 'tok_1', { hash: 'second', expiresAtMs: nowMs + 2_000 }))
      expect(await near(nowMs + 100, 900)).toEqual([])
      expect(await near(nowMs + 1_200, 900)).toMatchObject([{ id: 'tok_1', expires_at_ms: nowMs + 2_000 }])
    })

    test('have the end of the secret before the last one, also if both end together', async () => {
      const found = await platform(queries, open)
      const { sql, orgId } = found
      await insert(found, 'tok_1')
      const rotate = (hash: string, formerMs: number, expiresAtMs: number) =>
        sql.tx(async (tx) => {
          await sessions.capAccessTokens(tx, 'tok_1', formerMs)
          await sessions.insertAccessToken(tx, 'tok_1', { hash, expiresAtMs })
        })
      const ends = async () => {
        const row = await tokens.serviceTokenById(sql, 'tok_1', nowMs)
        expect((await tokens.serviceTokensOf(sql, orgId, nowMs))[0]).toEqual(row)
        return [row?.former_expires_at_ms, row?.expires_at_ms]
      }
      await rotate('second', nowMs + 500, nowMs + 2_000)
      expect(await ends()).toEqual([nowMs + 500, nowMs + 2_000])
      await rotate('third', nowMs + 700, nowMs + 700)
      expect(await ends()).toEqual([nowMs + 700, nowMs + 700])
      await rotate('fourth', nowMs - 1, nowMs + 3_000)
      expect(await ends()).toEqual([nowMs - 1, nowMs + 3_000])
    })

    test('are listed by their organization, while they are neither revoked nor expired', async () => {
      const found = await platform(queries, open)
      const { sql, orgId } = found
      await sql.tx((tx) =>
        organizations.insertOrganization(tx, { id: 'org_2', idpOrgId: 'idp_2', slug: 'other', nowMs }),
      )
      for (const id of ['tok_1', 'tok_2']) await insert(found, id)
      await insert({ sql, orgId: 'org_2' }, 'tok_3')
      // A command-line session is not a service token.
      const client = { id: 'ses_1', orgId, userId: 'user_1', clientName: null, nowMs, memberSeenAtMs: nowMs }
      await sql.tx(async (tx) => {
        await sessions.insertSession(tx, client)
        await sessions.insertAccessToken(tx, 'ses_1', { hash: 'hash', expiresAtMs: nowMs + lifetime })
      })
      const live = async (atMs: number) => (await tokens.serviceTokensOf(sql, orgId, atMs)).map(({ id }) => id)
      expect((await live(nowMs + lifetime - 1)).toSorted()).toEqual(['tok_1', 'tok_2'])
      expect(await live(nowMs + lifetime)).toEqual([])
      await sql.tx((tx) => sessions.revokeSession(tx, 'tok_1', nowMs, 'revoked'))
      expect(await live(nowMs)).toEqual(['tok_2'])
      expect(await tokens.serviceTokenById(sql, 'tok_1', nowMs)).toBeUndefined()
      expect(await tokens.serviceTokenById(sql, 'tok_2', nowMs + lifetime)).toBeUndefined()
      expect(await tokens.serviceTokenById(sql, 'ses_1', nowMs)).toBeUndefined()
    })

    test('are deleted with their sessions after their expiry, not before', async () => {
      const found = await platform(queries, open)
      const { sql } = found
      await insert(found, 'tok_1')
      const left = async (beforeMs: number): Promise<unknown[]> => {
        await sql.tx((tx) => sessions.deleteTokensBefore(tx, beforeMs))
        await sql.tx((tx) => sessions.deleteEndedSessions(tx, beforeMs, undefined))
        return sql.all('select session_id as id from service_tokens union all select id from sessions')
      }
      expect(await left(nowMs + lifetime)).toHaveLength(2)
      expect(await left(nowMs + lifetime + 1)).toEqual([])
    })
  })
}
