import { describe, expect, test } from 'vitest'
import type { TrustRow } from '../../../src/storage/trusts.ts'
import { trustRow } from '../../../testkit/trust-row.ts'
import type { OpenSql } from '../sql.suite.ts'
import { nowMs, platform, winnersOf, type Ground } from './ground.ts'
import type { Queries } from './modules.ts'

const lifetime = 1_000

export function trustQueries(name: string, queries: Queries, open: OpenSql): void {
  const { organizations, sessions, trusts, access } = queries
  const tokens = queries['service-tokens']

  const row = trustRow(nowMs)
  const insert = ({ sql }: Pick<Ground, 'sql'>, more: Partial<TrustRow> = {}) =>
    sql.tx((tx) => trusts.insertTrust(tx, { ...row, ...more }))

  /** Inserts a token that was exchanged for a trust. */
  async function exchange({ sql, orgId }: Pick<Ground, 'sql' | 'orgId'>, id: string, trustId = 'tru_1'): Promise<void> {
    await sql.tx(async (tx) => {
      await sessions.insertSession(tx, { id, orgId, userId: trustId, clientName: null, nowMs, memberSeenAtMs: nowMs })
      await sessions.insertAccessToken(tx, id, { hash: `hash of ${id}`, expiresAtMs: nowMs + lifetime })
      const scope = { projectSlug: 'shop', stageSlug: 'live', role: 'reader', history: false } as const
      await tokens.insertServiceToken(tx, { id, name: 'deploy', ...scope, createdBy: trustId, trustId })
    })
  }

  const revoked = ({ sql }: Pick<Ground, 'sql'>) =>
    sql.all<{ id: string }>('select id from sessions where revoked_at_ms is not null order by id')

  describe(`${name}: trusts`, () => {
    test('are found by their id and listed by their organization', async () => {
      const found = await platform(queries, open)
      const { sql, orgId } = found
      await insert(found)
      await sql.tx((tx) =>
        organizations.insertOrganization(tx, { id: 'org_2', idpOrgId: 'idp_2', slug: 'other', nowMs }),
      )
      await insert(found, { id: 'tru_2', org_id: 'org_2', project_slug: null, stage_slug: null, jwks: '{"keys":[]}' })
      expect({ ...(await trusts.trustById(sql, 'tru_1')) }).toEqual(row)
      expect(await trusts.trustById(sql, 'tru_3')).toBeUndefined()
      expect((await trusts.trustsOf(sql, orgId)).map(({ id }) => id)).toEqual(['tru_1'])
      expect(await trusts.trustsOf(sql, 'org_2')).toMatchObject([{ id: 'tru_2', jwks: '{"keys":[]}' }])
      expect(await trusts.isTrustOf(sql, 'tru_2', 'other')).toBe(true)
      expect(await trusts.isTrustOf(sql, 'tru_1', 'other')).toBe(false)
      expect(await trusts.isTrustOf(sql, 'tru_3', 'other')).toBe(false)
    })

    test('are a part of the rules of their organization', async () => {
      const found = await platform(queries, open)
      await insert(found)
      const rules = await access.policyRows(found.sql, found.orgId)
      expect(rules.map((each) => ({ ...each }))).toContainEqual({
        part: 'trust',
        subject: 'tru_1',
        project_slug: 'shop',
        stage_slug: 'live',
        detail: 'reader',
        number: null,
      })
    })

    test('change once from each version, and not after their deletion', async () => {
      const found = await platform(queries, open)
      const { sql } = found
      await insert(found)
      const changed: TrustRow = {
        ...row,
        name: 'other',
        role: 'viewer',
        history: 1,
        forks: 1,
        updated_at_ms: nowMs + 1,
      }
      expect(await winnersOf(sql, (tx) => trusts.updateTrust(tx, changed))).toHaveLength(1)
      expect({ ...(await trusts.trustById(sql, 'tru_1')) }).toEqual({ ...changed, version: 1 })
      expect(await sql.tx((tx) => trusts.useTrust(tx, 'tru_1', 0, nowMs + 2))).toBe(false)
      expect(await sql.tx((tx) => trusts.useTrust(tx, 'tru_1', 1, nowMs + 2))).toBe(true)
      expect(await trusts.trustById(sql, 'tru_1')).toMatchObject({ last_used_at_ms: nowMs + 2 })
      expect(await winnersOf(sql, (tx) => trusts.deleteTrust(tx, 'tru_1'))).toHaveLength(1)
      expect(await sql.tx((tx) => trusts.updateTrust(tx, { ...changed, version: 1 }))).toBe(false)
      expect(await sql.tx((tx) => trusts.useTrust(tx, 'tru_1', 1, nowMs))).toBe(false)
    })

    test('end all their tokens, and no others', async () => {
      const found = await platform(queries, open)
      const { sql } = found
      for (const id of ['ses_1', 'ses_2']) await exchange(found, id)
      await exchange(found, 'ses_3', 'tru_2')
      await sql.tx((tx) => trusts.endTokensOfTrust(tx, 'tru_1', nowMs))
      expect((await revoked(found)).map(({ id }) => id)).toEqual(['ses_1', 'ses_2'])
    })

    test('have tokens that are not service tokens, and end with a restored backup', async () => {
      const found = await platform(queries, open)
      const { sql, orgId } = found
      await exchange(found, 'ses_1')
      expect(await sessions.sessionByAccessToken(sql, 'hash of ses_1')).toMatchObject({
        user_id: 'tru_1',
        trust_id: 'tru_1',
        role: 'reader',
        name: 'deploy',
      })
      expect(await tokens.serviceTokenById(sql, 'ses_1', nowMs)).toBeUndefined()
      expect(await tokens.serviceTokensOf(sql, orgId, nowMs)).toEqual([])
      expect(await tokens.serviceTokensAt(sql, orgId, nowMs)).toEqual([])
      const place = { orgId, projectSlug: 'shop' }
      expect(await sql.tx((tx) => tokens.endServiceTokens(tx, place, nowMs))).toEqual([])
      expect(await sql.tx((tx) => sessions.endEverySession(tx, nowMs))).toBe(1)
    })

    test('are deleted with the place to which they are limited, or with their organization', async () => {
      const found = await platform(queries, open)
      const { sql, orgId } = found
      await insert(found)
      await insert(found, { id: 'tru_2', stage_slug: null })
      await insert(found, { id: 'tru_3', stage_slug: null, project_slug: null })
      const deleted = async (place: object) =>
        (await sql.tx((tx) => trusts.deleteTrustsAt(tx, { orgId, projectSlug: 'shop', ...place }))).map(({ id }) => id)
      expect(await deleted({ stageSlug: 'other' })).toEqual([])
      expect(await deleted({ orgId: 'org_2' })).toEqual([])
      expect(await deleted({ stageSlug: 'live' })).toEqual(['tru_1'])
      expect(await deleted({})).toEqual(['tru_2'])
      await sql.tx((tx) => trusts.deleteTrustsOf(tx, orgId))
      expect(await trusts.trustsOf(sql, orgId)).toEqual([])
    })
  })
}
