import { describe, expect, test } from 'vitest'
import { trustRow } from '../../../testkit/trust-row.ts'
import type { OpenSql } from '../sql.suite.ts'
import { nowMs, platform, type Ground } from './ground.ts'
import type { Queries } from './modules.ts'

export function makerQueries(name: string, queries: Queries, open: OpenSql): void {
  const { makers, sessions, trusts } = queries
  const tokens = queries['service-tokens']

  /** Inserts a service token with a secret of its creator and one for each rotation. */
  async function insertToken({ sql, orgId }: Ground, rotations: readonly (readonly [by: string, endsAtMs: number])[]) {
    const id = 'tok_1'
    await sql.tx(async (tx) => {
      await sessions.insertSession(tx, { id, orgId, userId: id, clientName: null, nowMs, memberSeenAtMs: nowMs })
      await sessions.insertAccessToken(tx, id, { hash: 'first', expiresAtMs: nowMs - 1 })
      for (const [madeBy, expiresAtMs] of rotations)
        await sessions.insertAccessToken(tx, id, { hash: `of ${madeBy}`, expiresAtMs, madeBy })
      const scope = { projectSlug: null, stageSlug: null, role: 'reader', history: false } as const
      await tokens.insertServiceToken(tx, { id, name: 'ci', ...scope, createdBy: 'ann', trustId: null })
    })
  }
  const of = async ({ sql }: Ground, id: string) =>
    (await makers.makersOf(sql, [id, 'user_1'], nowMs)).get(id)?.toSorted()

  describe(`${name}: makers`, () => {
    test('of a service token are its creator and who rotated it to a secret that works', async () => {
      const found = await platform(queries, open)
      await insertToken(found, [
        ['bob', nowMs],
        ['carl', nowMs + 1],
        ['dan', nowMs + 2],
      ])
      expect(await of(found, 'tok_1')).toEqual(['ann', 'carl', 'dan'])
      await found.sql.tx((tx) => sessions.revokeSession(tx, 'tok_1', nowMs, 'revoked'))
      expect(await of(found, 'tok_1')).toEqual(['ann'])
    })

    test('of a trust are its creator and everyone who changed what it accepts, until it is deleted', async () => {
      const found = await platform(queries, open)
      await found.sql.tx((tx) => trusts.insertTrust(tx, trustRow(nowMs)))
      expect(await of(found, 'tru_1')).toEqual(['user_1'])
      for (const userId of ['mia', 'mia', 'ann']) await found.sql.tx((tx) => makers.addTrustMaker(tx, 'tru_1', userId))
      expect(await of(found, 'tru_1')).toEqual(['ann', 'mia', 'user_1'])
      await found.sql.tx((tx) => trusts.deleteTrust(tx, 'tru_1'))
      expect(await of(found, 'tru_1')).toBeUndefined()
    })

    test('of people and of what does not exist are none', async () => {
      const { sql } = await platform(queries, open)
      expect(await makers.makersOf(sql, [], nowMs)).toEqual(new Map())
      expect(await makers.makersOf(sql, ['user_1', 'tok_9', 'tru_9'], nowMs)).toEqual(new Map())
    })
  })
}
