import { describe, expect, test } from 'vitest'
import type { Tx } from '../../../src/storage/sql.ts'
import type { OpenSql } from '../sql.suite.ts'
import { endsOf, platform, nowMs, winnersOf, written } from './ground.ts'
import type { Queries } from './modules.ts'

export function organizationQueries(name: string, queries: Queries, open: OpenSql): void {
  const { organizations, stages, variables } = queries

  describe(`${name}: organizations`, () => {
    test('are found only by the id of the provider', async () => {
      const { sql, orgId } = await platform(queries, open)
      expect({ ...(await organizations.organizationByIdpId(sql, 'idp_1')) }).toEqual({
        id: orgId,
        slug: 'acme',
        deleted_at_ms: null,
      })
      expect(await organizations.organizationByIdpId(sql, orgId)).toBeUndefined()
      expect(await organizations.organizationByIdpId(sql, 'IDP_1')).toBeUndefined()
    })

    test('are inserted once and keep their first id and slug', async () => {
      const { sql } = await platform(queries, open)
      const winners = await winnersOf(sql, (tx, caller) =>
        organizations.insertOrganization(tx, { id: `org_new_${caller}`, idpOrgId: 'idp_new', slug: 'new', nowMs }),
      )
      expect(winners).toHaveLength(1)
      expect((await organizations.countAll(sql)).organizations).toBe(2)
      const first = await organizations.organizationByIdpId(sql, 'idp_new')
      await sql.tx((tx) =>
        organizations.insertOrganization(tx, { id: 'org_late', idpOrgId: 'idp_new', slug: 'late', nowMs }),
      )
      expect(await organizations.organizationByIdpId(sql, 'idp_new')).toEqual(first)
    })

    test('may share a slug, which is only the name of the provider', async () => {
      const { sql } = await platform(queries, open)
      await sql.tx((tx) =>
        organizations.insertOrganization(tx, { id: 'org_2', idpOrgId: 'idp_2', slug: 'acme', nowMs }),
      )
      expect(await organizations.organizationByIdpId(sql, 'idp_2')).toMatchObject({ id: 'org_2' })
      const ids = async (slug: string) => (await organizations.organizationsNamed(sql, slug)).map(({ id }) => id)
      expect((await ids('acme')).toSorted()).toEqual(['org_1', 'org_2'])
      expect([await ids('org_2'), await ids('Acme')]).toEqual([['org_2'], []])
    })

    test('allow writes to create stages until the setting is turned off', async () => {
      const { sql, orgId } = await platform(queries, open)
      await sql.tx((tx) =>
        organizations.insertOrganization(tx, { id: 'org_2', idpOrgId: 'idp_2', slug: 'other', nowMs }),
      )
      const mayCreate = (id: string) => sql.tx((tx) => organizations.lockCreatesOnWrite(tx, id))
      expect({ ...(await organizations.organizationSettings(sql, orgId)) }).toEqual({
        name: 'acme',
        creates_on_write: 1,
        default_role: 'developer',
      })
      expect(await organizations.organizationSettings(sql, 'org_none')).toBeUndefined()
      await sql.tx((tx) => organizations.setCreatesOnWrite(tx, orgId, false))
      expect([await mayCreate(orgId), await mayCreate('org_2'), await mayCreate('org_none')]).toEqual([
        false,
        true,
        false,
      ])
      expect(await organizations.organizationSettings(sql, orgId)).toMatchObject({ creates_on_write: 0 })
      await sql.tx((tx) => organizations.setCreatesOnWrite(tx, orgId, true))
      expect(await mayCreate(orgId)).toBe(true)
    })

    test('turn the setting off after a write that is creating a stage', async () => {
      const { sql, orgId } = await platform(queries, open)
      const create = (tx: Tx) => organizations.lockCreatesOnWrite(tx, orgId)
      const forbid = (tx: Tx) => organizations.setCreatesOnWrite(tx, orgId, false)
      expect(await endsOf(sql, create, forbid)).toEqual(['first', 'second'])
    })

    test('are counted with their projects, stages and variables', async () => {
      const { sql, projectId, stageId } = await platform(queries, open)
      await sql.tx(async (tx) => {
        await stages.insertStage(tx, projectId, { id: 'stg_2', slug: 'test', by: 'user_1', nowMs })
        for (const variable of ['A', 'B', 'C']) {
          const state = {
            name: variable,
            kind: 'secret',
            declaredType: null,
            attributes: '{}',
            sealed: Buffer.from('s'),
          }
          await variables.writeVariables(tx, [
            { at: written(stageId, 2), state: { ...state, kind: 'secret' }, origin: 'created' },
          ])
        }
      })
      expect({ ...(await organizations.countAll(sql)) }).toEqual({
        organizations: 1,
        projects: 1,
        stages: 2,
        variables: 3,
      })
      const rows = await organizations.rowsOfTables(sql, 2)
      expect([rows['stages'], rows['variables'], rows['sessions']]).toEqual([2, 2, 0])
    })
  })
}
