import { describe, expect, test } from 'vitest'
import type { OpenSql } from '../sql.suite.ts'
import { platform, nowMs, written, winnersOf } from './ground.ts'
import type { Queries } from './modules.ts'

export function stageQueries(name: string, queries: Queries, open: OpenSql): void {
  const { organizations, stages, variables } = queries

  describe(`${name}: stages`, () => {
    test('are found by their slugs within the organization', async () => {
      const { sql, orgId, projectId, stageId } = await platform(queries, open)
      await sql.tx((tx) =>
        organizations.insertOrganization(tx, { id: 'org_2', idpOrgId: 'idp_2', slug: 'other', nowMs }),
      )
      const empty = { projectId, stageId, revision: 1, variables: [] }
      expect(await stages.stageBySlugs(sql, orgId, 'shop', 'live')).toEqual(empty)
      expect(await stages.stageBySlugs(sql, 'org_2', 'shop', 'live')).toBeUndefined()
      expect(await stages.stageBySlugs(sql, orgId, 'shop', 'Live')).toBeUndefined()
      expect(await stages.stageBySlugs(sql, orgId, 'live', 'shop')).toBeUndefined()
      expect({ ...(await stages.projectBySlug(sql, orgId, 'shop')) }).toEqual({ id: projectId })
      expect(await stages.projectBySlug(sql, 'org_2', 'shop')).toBeUndefined()
    })

    test('are all listed, of every organization', async () => {
      const { sql, orgId, projectId, stageId } = await platform(queries, open)
      await sql.tx(async (tx) => {
        await organizations.insertOrganization(tx, { id: 'org_2', idpOrgId: 'idp_2', slug: 'other', nowMs })
        await stages.insertProject(tx, 'org_2', { id: 'prj_2', slug: 'shop', by: 'user_1', nowMs })
        await stages.insertStage(tx, 'prj_2', { id: 'stg_2', slug: 'live', by: 'user_1', nowMs })
      })
      expect(await stages.everyStage(sql)).toEqual([
        { orgId, projectId, stageId },
        { orgId: 'org_2', projectId: 'prj_2', stageId: 'stg_2' },
      ])
    })

    test('come with their own variables and those of no other', async () => {
      const { sql, orgId, projectId, stageId } = await platform(queries, open)
      const state = { kind: 'secret', declaredType: null, attributes: '{}', sealed: Buffer.from('sealed') } as const
      await sql.tx(async (tx) => {
        await stages.insertStage(tx, projectId, { id: 'stg_2', slug: 'test', by: 'user_1', nowMs })
        await variables.writeVariables(tx, [
          { at: written(stageId, 2), state: { ...state, name: 'B' }, origin: 'created' },
        ])
        await variables.writeVariables(tx, [
          { at: written(stageId, 2), state: { ...state, name: 'A' }, origin: 'created' },
        ])
        const other = written('stg_2', 2)
        await variables.writeVariables(tx, [{ at: other, state: { ...state, name: 'C' }, origin: 'created' }])
      })
      const names = (await stages.stageBySlugs(sql, orgId, 'shop', 'live'))?.variables.map((row) => row.name)
      expect(names?.toSorted()).toEqual(['A', 'B'])
    })

    test('are inserted once per project, and projects once per organization', async () => {
      const { sql, orgId, projectId } = await platform(queries, open)
      const named = (caller: number, slug: string) => ({ id: `id_${slug}_${caller}`, slug, by: 'user_1', nowMs })
      expect(await winnersOf(sql, (tx, caller) => stages.insertProject(tx, orgId, named(caller, 'api')))).toHaveLength(
        1,
      )
      expect(
        await winnersOf(sql, (tx, caller) => stages.insertStage(tx, projectId, named(caller, 'test'))),
      ).toHaveLength(1)
      const api = await stages.projectBySlug(sql, orgId, 'api')
      expect(await sql.tx((tx) => stages.insertStage(tx, api?.id ?? '', named(99, 'test')))).toBe(true)
      expect(await stages.stageBySlugs(sql, orgId, 'api', 'test')).toMatchObject({ revision: 1, variables: [] })
    })

    test('move on from the revision that is named, once', async () => {
      const { sql, orgId, stageId } = await platform(queries, open)
      expect(
        await winnersOf(sql, (tx) =>
          stages.advanceRevision(tx, stageId, { from: 1, by: 1, bytes: 0, nowMs: nowMs + 1 }),
        ),
      ).toHaveLength(1)
      expect(await stages.stageBySlugs(sql, orgId, 'shop', 'live')).toMatchObject({ revision: 2 })
      expect(
        await sql.tx((tx) => stages.advanceRevision(tx, stageId, { from: 1, by: 1, bytes: 0, nowMs: nowMs + 1 })),
      ).toBe(false)
      expect(
        await sql.tx((tx) => stages.advanceRevision(tx, stageId, { from: 3, by: 1, bytes: 0, nowMs: nowMs + 1 })),
      ).toBe(false)
      expect(
        await sql.tx((tx) => stages.advanceRevision(tx, 'stg_none', { from: 1, by: 1, bytes: 0, nowMs: nowMs + 1 })),
      ).toBe(false)
      expect(await stages.stageBySlugs(sql, orgId, 'shop', 'live')).toMatchObject({ revision: 2 })
    })

    test('are all that an organization has', async () => {
      const { sql, orgId, projectId, stageId } = await platform(queries, open)
      await sql.tx(async (tx) => {
        await stages.insertStage(tx, projectId, { id: 'stg_2', slug: 'test', by: 'user_1', nowMs })
        await queries.projects.updateStage(tx, projectId, 'test', { archived: true, nowMs })
      })
      const all = await stages.stagesOf(sql, orgId)
      expect(all).toEqual([
        { stage_id: stageId, project_slug: 'shop', stage_slug: 'live', revision: 1, is_production: 1, is_archived: 0 },
        { stage_id: 'stg_2', project_slug: 'shop', stage_slug: 'test', revision: 1, is_production: 0, is_archived: 1 },
      ])
      await sql.tx((tx) => queries.projects.setStagePosition(tx, stageId, 9))
      expect((await stages.stagesOf(sql, orgId)).map((row) => row.stage_slug)).toEqual(['test', 'live'])
      await sql.tx((tx) => queries.projects.updateProject(tx, orgId, 'shop', { archived: true, nowMs }))
      expect((await stages.stagesOf(sql, orgId)).map((row) => row.is_archived)).toEqual([1, 1])
      expect(await stages.stagesOf(sql, 'org_2')).toEqual([])
    })
  })
}
