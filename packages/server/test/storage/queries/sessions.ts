import { describe, expect, test } from 'vitest'
import { maxPicked } from '../../../src/storage/picked.ts'
import type { Tx } from '../../../src/storage/sql.ts'
import type { OpenSql } from '../sql.suite.ts'
import { platform, nowMs, winnersOf, type Ground } from './ground.ts'
import type { Queries } from './modules.ts'

const accessLifetime = 1_000
const refreshLifetime = 10_000

export function sessionQueries(name: string, queries: Queries, open: OpenSql): void {
  const { sessions } = queries

  /** A session `ses_1` with the tokens `access_1` and `refresh_1`. */
  async function withSession(): Promise<Ground> {
    const found = await platform(queries, open)
    await insert(found, 1)
    return found
  }

  function insert({ sql, orgId }: Ground, index: number, createdAtMs = nowMs): Promise<void> {
    return sql.tx(async (tx) => {
      const times = { nowMs: createdAtMs, memberSeenAtMs: createdAtMs - 5 }
      const client = { clientName: index === 1 ? 'laptop' : null }
      await sessions.insertSession(tx, { id: `ses_${index}`, orgId, userId: `user_${index}`, ...client, ...times })
      await sessions.insertTokenPair(
        tx,
        `ses_${index}`,
        { hash: `access_${index}`, expiresAtMs: createdAtMs + accessLifetime },
        { hash: `refresh_${index}`, expiresAtMs: createdAtMs + refreshLifetime },
      )
    })
  }

  const session = {
    id: 'ses_1',
    org_id: 'org_1',
    org_slug: 'acme',
    idp_org_id: 'idp_1',
    user_id: 'user_1',
    last_used_at_ms: nowMs,
    member_seen_at_ms: nowMs - 5,
    confirmed_at_ms: null,
    version: 0,
    revoked_at_ms: null,
  }

  describe(`${name}: sessions`, () => {
    test('are found by the hash of either token, with the times of that token', async () => {
      const { sql } = await withSession()
      expect({ ...(await sessions.sessionByAccessToken(sql, 'access_1')) }).toEqual({
        ...session,
        hash: 'access_1',
        expires_at_ms: nowMs + accessLifetime,
        name: 'laptop',
        project_slug: null,
        stage_slug: null,
        role: null,
        history: null,
        trust_id: null,
        origins: null,
        evaluations_per_month: null,
      })
      expect({ ...(await sessions.sessionByRefreshToken(sql, 'refresh_1')) }).toEqual({
        ...session,
        client_name: 'laptop',
        expires_at_ms: nowMs + refreshLifetime,
        used_at_ms: null,
      })
      expect(await sessions.sessionByAccessToken(sql, 'refresh_1')).toBeUndefined()
      const { id } = session
      expect(await sessions.sessionWithAccessTokens(sql, id)).toEqual([
        await sessions.sessionByAccessToken(sql, 'access_1'),
      ])
      expect(await sessions.sessionWithAccessTokens(sql, 'ses_none')).toEqual([])
      expect(await sessions.sessionByRefreshToken(sql, 'access_1')).toBeUndefined()
    })

    test('are listed for one user or the whole organization while they can be refreshed', async () => {
      const found = await withSession()
      const { sql, orgId } = found
      await insert(found, 2, nowMs + 1)
      const listed = async (only: { id?: string; userId?: string } = {}, atMs = nowMs, org = orgId) =>
        (await sessions.liveSessions(sql, org, only, atMs)).map(({ id }) => id).toSorted()
      const [row] = await sessions.liveSessions(sql, orgId, { id: 'ses_1' }, nowMs)
      expect({ ...row }).toEqual({
        id: 'ses_1',
        user_id: 'user_1',
        client_name: 'laptop',
        created_at_ms: nowMs,
        last_used_at_ms: nowMs,
        refresh_expires_at_ms: nowMs + refreshLifetime,
      })
      expect([await listed(), await listed({ userId: 'user_2' })]).toEqual([['ses_1', 'ses_2'], ['ses_2']])
      expect([await listed({ id: 'ses_1', userId: 'user_2' }), await listed({}, nowMs, 'org_2')]).toEqual([[], []])
      expect(await listed({}, nowMs + refreshLifetime)).toEqual(['ses_2'])
      await sql.tx((tx) => sessions.useRefreshToken(tx, 'refresh_1', 'ses_1', nowMs))
      expect(await listed()).toEqual(['ses_2'])
      await sql.tx((tx) => sessions.revokeSession(tx, 'ses_2', nowMs, 'revoked'))
      expect(await listed()).toEqual([])
    })

    test('end once and keep the reason', async () => {
      const { sql } = await withSession()
      const reasons = ['logout', 'removed member'] as const
      const revoke = winnersOf(sql, (tx, caller) =>
        sessions.revokeSession(tx, 'ses_1', nowMs + 7, reasons[caller % 2] ?? 'logout'),
      )
      const [winner, ...others] = await revoke
      expect(others).toEqual([])
      expect(await sql.tx((tx) => sessions.revokeSession(tx, 'ses_none', nowMs, 'logout'))).toBe(false)
      expect(await sessions.sessionByAccessToken(sql, 'access_1')).toMatchObject({ revoked_at_ms: nowMs + 7 })
      const because = reasons[(winner ?? 0) % 2]
      expect(await sql.all('select revoked_because from sessions')).toMatchObject([{ revoked_because: because }])
    })

    test('of one user end together in all organizations', async () => {
      const found = await withSession()
      const { sql } = found
      await insert(found, 2)
      const end = (userId: string, atMs = nowMs) => sql.tx((tx) => sessions.endSessionsOf(tx, userId, atMs))
      const count = (userId: string, atMs = nowMs) => sessions.countSessionsOf(sql, userId, atMs)
      expect([await count('user_1'), await count('user_2'), await count('user_3')]).toEqual([1, 1, 0])
      expect([await count('user_1', nowMs + refreshLifetime), await end('user_1', nowMs + refreshLifetime)]).toEqual([
        0,
        [],
      ])
      const ended = await winnersOf(
        sql,
        async (tx) => (await sessions.endSessionsOf(tx, 'user_1', nowMs + 1)).length > 0,
      )
      expect(ended).toHaveLength(1)
      expect([await count('user_1'), await count('user_2')]).toEqual([0, 1])
      expect((await end('user_2')).map((row) => ({ ...row }))).toEqual([{ id: 'ses_2', org_id: 'org_1' }])
      expect(await sessions.sessionByAccessToken(sql, 'access_1')).toMatchObject({ revoked_at_ms: nowMs + 1 })
    })

    test('of an organization end but for those of some users', async () => {
      const found = await withSession()
      const { sql } = found
      await insert(found, 2)
      const revoked = async (access: string) => (await sessions.sessionByAccessToken(sql, access))?.revoked_at_ms
      await sql.tx((tx) => sessions.endPersonSessions(tx, 'org_1', ['user_1', 'user_9'], nowMs))
      expect([await revoked('access_1'), await revoked('access_2')]).toEqual([null, nowMs])
      await sql.tx((tx) => sessions.endPersonSessions(tx, 'org_1', [], nowMs + 1))
      expect([await revoked('access_1'), await revoked('access_2')]).toEqual([nowMs + 1, nowMs])
    })

    test('keep their latest time of use', async () => {
      const found = await withSession()
      await insert(found, 2)
      const { sql } = found
      const touch = async (usedAtMs: number, seenAtMs: number) => {
        await sql.tx((tx) => sessions.touchSession(tx, 'ses_1', usedAtMs, seenAtMs))
        const row = await sessions.sessionByAccessToken(sql, 'access_1')
        return [row?.last_used_at_ms, row?.member_seen_at_ms]
      }
      expect(await touch(nowMs + 10, nowMs + 20)).toEqual([nowMs + 10, nowMs + 20])
      expect(await touch(nowMs + 5, nowMs + 30)).toEqual([nowMs + 10, nowMs + 30])
      expect(await touch(nowMs + 40, nowMs)).toEqual([nowMs + 40, nowMs + 30])
      expect(await sessions.sessionByAccessToken(sql, 'access_2')).toMatchObject({ last_used_at_ms: nowMs })
    })
  })

  describe(`${name}: refresh tokens`, () => {
    test('are used once', async () => {
      const { sql } = await withSession()
      expect(await winnersOf(sql, (tx) => sessions.useRefreshToken(tx, 'refresh_1', 'ses_1', nowMs + 3))).toHaveLength(
        1,
      )
      expect(await sessions.sessionByRefreshToken(sql, 'refresh_1')).toMatchObject({
        used_at_ms: nowMs + 3,
        member_seen_at_ms: nowMs + 3,
      })
    })

    test('are not used at or after their expiry', async () => {
      const { sql } = await withSession()
      const use = (atMs: number): Promise<boolean> =>
        sql.tx((tx) => sessions.useRefreshToken(tx, 'refresh_1', 'ses_1', atMs))
      expect(await use(nowMs + refreshLifetime + 1)).toBe(false)
      expect(await use(nowMs + refreshLifetime)).toBe(false)
      expect(await use(nowMs + refreshLifetime - 1)).toBe(true)
    })

    test('are not used after their session has ended', async () => {
      const { sql } = await withSession()
      await sql.tx((tx) => sessions.revokeSession(tx, 'ses_1', nowMs, 'logout'))
      expect(await winnersOf(sql, (tx) => sessions.useRefreshToken(tx, 'refresh_1', 'ses_1', nowMs))).toHaveLength(0)
      expect(await sessions.sessionByRefreshToken(sql, 'refresh_1')).toMatchObject({ used_at_ms: null })
    })

    test('report their expiry while one of the session is unused', async () => {
      const { sql } = await withSession()
      expect(await sessions.refreshTokenExpiry(sql, 'ses_1')).toBe(nowMs + refreshLifetime)
      await sql.tx((tx) => sessions.useRefreshToken(tx, 'refresh_1', 'ses_1', nowMs))
      expect(await sessions.refreshTokenExpiry(sql, 'ses_1')).toBeUndefined()
      expect(await sessions.refreshTokenExpiry(sql, 'ses_none')).toBeUndefined()
    })
  })

  describe(`${name}: old tokens`, () => {
    async function deleteBefore(tx: Tx, beforeMs: number): Promise<void> {
      expect(await sessions.deleteTokensBefore(tx, beforeMs)).toBe(false)
      expect(await sessions.deleteEndedSessions(tx, beforeMs, undefined)).toBeUndefined()
    }

    test('are deleted a page at a time, and sessions in the order of their creation', async () => {
      const { sql, orgId } = await platform(queries, open)
      const ids = Array.from({ length: maxPicked + 1 }, (_, index) => `ses_${1_000 + index}`)
      await sql.tx(async (tx) => {
        for (const id of ids) {
          const row = { id, orgId, userId: 'user_1', clientName: null, nowMs, memberSeenAtMs: nowMs }
          await sessions.insertSession(tx, row)
          await sessions.insertAccessToken(tx, id, { hash: id, expiresAtMs: nowMs })
        }
      })
      const left = async (table: string) => (await sql.all(`select 1 from ${table}`)).length
      const some = () => sql.tx((tx) => sessions.deleteTokensBefore(tx, nowMs + 1))
      expect([await some(), await left('access_tokens'), await some(), await left('access_tokens')]).toEqual([
        true,
        1,
        false,
        0,
      ])
      const next = await sql.tx((tx) => sessions.deleteEndedSessions(tx, nowMs + 1, undefined))
      expect([next?.id, await left('sessions')]).toEqual([ids.at(-2), 1])
      expect(await sql.tx((tx) => sessions.deleteEndedSessions(tx, nowMs + 1, next))).toBeUndefined()
      expect(await left('sessions')).toBe(0)
    })

    test('are deleted after their expiry, and sessions with their last token', async () => {
      const found = await withSession()
      await insert(found, 2, nowMs + 5_000)
      const { sql } = found
      const left = async (beforeMs: number): Promise<string[]> => {
        await sql.tx((tx) => deleteBefore(tx, beforeMs))
        const rows = await sql.all<{ id: string }>(
          'select hash as id from access_tokens union all select hash from refresh_tokens union all select id from sessions',
        )
        return rows.map(({ id }) => id).toSorted()
      }
      const second = ['access_2', 'refresh_2', 'ses_2']
      expect(await left(nowMs + accessLifetime)).toEqual([
        'access_1',
        'access_2',
        'refresh_1',
        'refresh_2',
        'ses_1',
        'ses_2',
      ])
      expect(await left(nowMs + accessLifetime + 1)).toEqual(['access_2', 'refresh_1', 'refresh_2', 'ses_1', 'ses_2'])
      expect(await left(nowMs + refreshLifetime)).toEqual(['refresh_1', 'refresh_2', 'ses_1', 'ses_2'])
      expect(await left(nowMs + refreshLifetime + 1)).toEqual(second.slice(1))
      expect(await left(nowMs + 5_000 + refreshLifetime + 1)).toEqual([])
    })

    test('do not take a session with them that a device code still names', async () => {
      const { sql } = await withSession()
      const codes = queries['device-codes']
      await sql.tx(async (tx) => {
        const times = { nowMs, expiresAtMs: nowMs + 1 }
        const hashes = { deviceCodeHash: 'device', userCodeHash: 'user' }
        await codes.insertDeviceCode(tx, { id: 'dev_1', ...hashes, clientName: null, ...times })
        await codes.linkSession(tx, 'dev_1', 'ses_1')
        await deleteBefore(tx, nowMs + 100_000)
      })
      expect(await sql.all('select id from sessions')).toHaveLength(1)
      await sql.tx((tx) => codes.deleteDeviceCodesBefore(tx, nowMs + 100_000))
      await sql.tx((tx) => deleteBefore(tx, nowMs + 100_000))
      expect(await sql.all('select id from sessions')).toEqual([])
    })

    test('do not take a session with them whose tokens are not stored yet', async () => {
      const { sql, orgId } = await platform(queries, open)
      await sql.tx(async (tx) => {
        const row = { id: 'ses_1', orgId, userId: 'user_1', clientName: null, nowMs, memberSeenAtMs: nowMs }
        await sessions.insertSession(tx, row)
        await deleteBefore(tx, nowMs)
      })
      expect(await sql.all('select id from sessions')).toHaveLength(1)
    })
  })
}
