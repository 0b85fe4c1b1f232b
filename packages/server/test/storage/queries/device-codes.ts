import { describe, expect, test } from 'vitest'
import type { Sql } from '../../../src/storage/sql.ts'
import type { OpenSql } from '../sql.suite.ts'
import { platform, nowMs, winnersOf } from './ground.ts'
import type { Queries } from './modules.ts'

const lifetime = 600_000
const by = { userId: 'user_1', orgId: 'org_1' }

export function deviceCodeQueries(name: string, queries: Queries, open: OpenSql): void {
  const codes = queries['device-codes']

  const insert = (sql: Sql, index: number, userCodeHash = `user_${index}`): Promise<boolean> =>
    sql.tx((tx) =>
      codes.insertDeviceCode(tx, {
        id: `dev_${index}`,
        deviceCodeHash: `device_${index}`,
        userCodeHash,
        clientName: index === 1 ? 'laptop' : null,
        nowMs,
        expiresAtMs: nowMs + lifetime,
      }),
    )
  const approve = (sql: Sql, userCodeHash: string, atMs = nowMs + 1): Promise<boolean> =>
    sql.tx(async (tx) => (await codes.approveDeviceCode(tx, userCodeHash, by, atMs)) !== undefined)
  const exchange = (sql: Sql, deviceCodeHash: string, atMs = nowMs + 2) =>
    sql.tx((tx) => codes.exchangeDeviceCode(tx, deviceCodeHash, atMs))

  /** The code `dev_1`, pending. */
  async function withCode(): Promise<Sql> {
    const { sql } = await platform(queries, open)
    await insert(sql, 1)
    return sql
  }

  describe(`${name}: device codes`, () => {
    test('are pending at first and are found by either hash', async () => {
      const sql = await withCode()
      const pending = { id: 'dev_1', status: 'pending', expires_at_ms: nowMs + lifetime, org_id: null }
      expect({ ...(await codes.deviceCodeByHash(sql, 'device_1')) }).toEqual(pending)
      expect((await codes.deviceCodesByUserCode(sql, 'user_1')).map((row) => ({ ...row }))).toEqual([pending])
      expect(await codes.deviceCodeByHash(sql, 'user_1')).toBeUndefined()
      expect(await codes.deviceCodesByUserCode(sql, 'device_1')).toEqual([])
    })

    test('are unique by user code while pending', async () => {
      const { sql } = await platform(queries, open)
      const outcomes = await Promise.all(Array.from({ length: 64 }, (_, index) => insert(sql, index, 'user')))
      expect(outcomes.filter(Boolean)).toHaveLength(1)
      await approve(sql, 'user')
      expect(await insert(sql, 100, 'user')).toBe(true)
      const statuses = (await codes.deviceCodesByUserCode(sql, 'user')).map(({ status }) => status)
      expect(statuses.toSorted()).toEqual(['approved', 'pending'])
    })

    test('are approved once and keep who approved them', async () => {
      const sql = await withCode()
      const winners = winnersOf(sql, (tx, caller) =>
        codes.approveDeviceCode(tx, 'user_1', { ...by, userId: `user_${caller}` }, nowMs + 1),
      )
      const [winner, ...others] = await winners
      expect(others).toEqual([])
      expect(await codes.deviceCodeByHash(sql, 'device_1')).toMatchObject({ status: 'approved' })
      const row = await exchange(sql, 'device_1')
      expect(row).toMatchObject({ id: 'dev_1', org_id: 'org_1', approved_at_ms: nowMs + 1, client_name: 'laptop' })
      expect(row?.approved_by).toBe(`user_${winner}`)
    })

    test('are not approved at or after their expiry, or by another code', async () => {
      const sql = await withCode()
      expect(await approve(sql, 'user_1', nowMs + lifetime)).toBe(false)
      expect(await approve(sql, 'user_2')).toBe(false)
      expect(await approve(sql, 'user_1', nowMs + lifetime - 1)).toBe(true)
    })

    test('are shown while they are pending', async () => {
      const sql = await withCode()
      const show = (userCodeHash: string, atMs: number) => codes.pendingDeviceCode(sql, userCodeHash, atMs)
      const shown = { client_name: 'laptop', created_at_ms: nowMs, expires_at_ms: nowMs + lifetime }
      expect({ ...(await show('user_1', nowMs + lifetime - 1)) }).toEqual(shown)
      expect(await show('user_1', nowMs + lifetime)).toBeUndefined()
      expect(await show('user_2', nowMs)).toBeUndefined()
      await approve(sql, 'user_1')
      expect(await show('user_1', nowMs)).toBeUndefined()
    })

    test('are either approved or denied, by one of many concurrent requests', async () => {
      const sql = await withCode()
      const winners = await winnersOf(sql, (tx, caller) =>
        caller % 2 === 0
          ? codes.denyDeviceCode(tx, 'user_1', nowMs + 1)
          : codes.approveDeviceCode(tx, 'user_1', by, nowMs + 1),
      )
      expect(winners).toHaveLength(1)
      const status = winners[0] === undefined || winners[0] % 2 === 0 ? 'denied' : 'approved'
      expect(await codes.deviceCodeByHash(sql, 'device_1')).toMatchObject({ status })
    })

    test('are not denied at or after their expiry, and not approved after a denial', async () => {
      const sql = await withCode()
      const deny = (atMs: number) => sql.tx((tx) => codes.denyDeviceCode(tx, 'user_1', atMs))
      expect(await deny(nowMs + lifetime)).toBeUndefined()
      expect(await deny(nowMs + lifetime - 1)).toEqual({ id: 'dev_1' })
      expect(await approve(sql, 'user_1')).toBe(false)
      expect(await exchange(sql, 'device_1')).toBeUndefined()
    })

    test('are denied even after the approval, for all clients of one user', async () => {
      const sql = await withCode()
      await insert(sql, 2)
      await approve(sql, 'user_1')
      await sql.tx((tx) => codes.denyApprovedCodes(tx, 'someone else'))
      expect(await codes.deviceCodeByHash(sql, 'device_1')).toMatchObject({ status: 'approved' })
      await sql.tx((tx) => codes.denyApprovedCodes(tx, by.userId))
      expect(await codes.deviceCodeByHash(sql, 'device_1')).toMatchObject({ status: 'denied' })
      expect(await codes.deviceCodeByHash(sql, 'device_2')).toMatchObject({ status: 'pending' })
      expect(await exchange(sql, 'device_1')).toBeUndefined()
    })

    test('are exchanged once, after the approval', async () => {
      const sql = await withCode()
      expect(await exchange(sql, 'device_1')).toBeUndefined()
      await approve(sql, 'user_1')
      expect(await winnersOf(sql, (tx) => codes.exchangeDeviceCode(tx, 'device_1', nowMs + 2))).toHaveLength(1)
      expect(await codes.deviceCodeByHash(sql, 'device_1')).toMatchObject({ status: 'exchanged' })
      expect(await approve(sql, 'user_1')).toBe(false)
    })

    test('are not exchanged at or after their expiry', async () => {
      const sql = await withCode()
      await approve(sql, 'user_1')
      expect(await exchange(sql, 'device_1', nowMs + lifetime)).toBeUndefined()
      expect(await exchange(sql, 'device_1', nowMs + lifetime - 1)).toBeDefined()
    })

    test('record the session that they became', async () => {
      const { sql, orgId } = await platform(queries, open)
      await insert(sql, 1)
      await insert(sql, 2)
      await sql.tx(async (tx) => {
        const row = { id: 'ses_1', orgId, userId: 'user_1', clientName: null, nowMs, memberSeenAtMs: nowMs }
        await queries.sessions.insertSession(tx, row)
        await codes.linkSession(tx, 'dev_1', 'ses_1')
      })
      expect(await sql.all('select id, session_id from device_codes order by id')).toMatchObject([
        { id: 'dev_1', session_id: 'ses_1' },
        { id: 'dev_2', session_id: null },
      ])
    })

    test('are deleted some time after their expiry', async () => {
      const sql = await withCode()
      await sql.tx((tx) => codes.deleteDeviceCodesBefore(tx, nowMs + lifetime))
      expect(await codes.deviceCodeByHash(sql, 'device_1')).toBeDefined()
      await sql.tx((tx) => codes.deleteDeviceCodesBefore(tx, nowMs + lifetime + 1))
      expect(await codes.deviceCodeByHash(sql, 'device_1')).toBeUndefined()
    })
  })

  describe(`${name}: wrong user codes`, () => {
    test('are kept separately for each user', async () => {
      const { sql } = await platform(queries, open)
      await sql.tx(async (tx) => {
        expect(await codes.lockWrongUserCodes(tx, 'user_1', nowMs)).toEqual([])
        await codes.saveWrongUserCodes(tx, 'user_1', [nowMs - 1, nowMs])
      })
      expect(await sql.tx((tx) => codes.lockWrongUserCodes(tx, 'user_1', nowMs))).toEqual([nowMs - 1, nowMs])
      expect(await sql.tx((tx) => codes.lockWrongUserCodes(tx, 'user_2', nowMs))).toEqual([])
    })

    test('are all counted when 64 arrive at once', async () => {
      const { sql } = await platform(queries, open)
      await winnersOf(sql, async (tx, caller) => {
        const times = await codes.lockWrongUserCodes(tx, 'user_1', nowMs + caller)
        await codes.saveWrongUserCodes(tx, 'user_1', [...times, nowMs + caller])
      })
      const times = await sql.tx((tx) => codes.lockWrongUserCodes(tx, 'user_1', nowMs))
      expect(times.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 64 }, (_, caller) => nowMs + caller))
    })

    test('are deleted when the user has not tried for a long time', async () => {
      const { sql } = await platform(queries, open)
      await sql.tx(async (tx) => {
        for (const [user, atMs] of [
          ['early', nowMs - 1],
          ['late', nowMs],
        ] as const) {
          await codes.lockWrongUserCodes(tx, user, atMs)
          await codes.saveWrongUserCodes(tx, user, [atMs])
        }
        await codes.deleteWrongUserCodesBefore(tx, nowMs)
      })
      expect(await sql.tx((tx) => codes.lockWrongUserCodes(tx, 'early', nowMs))).toEqual([])
      expect(await sql.tx((tx) => codes.lockWrongUserCodes(tx, 'late', nowMs))).toEqual([nowMs])
    })
  })
}
