import { describe, expect, test } from 'vitest'
import type { Sql, Tx } from '../../../src/storage/sql.ts'
import type { OpenSql } from '../sql.suite.ts'
import { endsOf, platform, nowMs, written } from './ground.ts'
import type { Queries } from './modules.ts'

export function projectQueries(name: string, queries: Queries, open: OpenSql): void {
  const { organizations, projects, stages, variables } = queries
  const secret = { kind: 'secret', declaredType: null, attributes: '{}', sealed: Buffer.from('sealed') } as const

  const archive = (tx: Tx, orgId: string, archived: boolean, atMs = nowMs) =>
    projects.updateProject(tx, orgId, 'shop', { archived, nowMs: atMs })
  const archiveStage = (tx: Tx, projectId: string, archived: boolean, atMs = nowMs) =>
    projects.updateStage(tx, projectId, 'live', { archived, nowMs: atMs })
  const row = async (sql: Sql) => (await projects.projectsOf(sql, 'org_1'))[0]

  describe(`${name}: projects`, () => {
    test('of one organization are listed with their stages, also those without stages', async () => {
      const { sql, orgId, stageId } = await platform(queries, open)
      const by = { by: 'user_1', nowMs: nowMs + 1 }
      await sql.tx(async (tx) => {
        await organizations.insertOrganization(tx, { id: 'org_2', idpOrgId: 'idp_2', slug: 'other', nowMs })
        await stages.insertProject(tx, orgId, { id: 'prj_2', slug: 'api', name: 'The API', ...by })
        await stages.insertProject(tx, 'org_2', { id: 'prj_3', slug: 'shop', ...by })
        await stages.insertStage(tx, 'prj_3', { id: 'stg_3', slug: 'live', ...by })
        await stages.advanceRevision(tx, stageId, { from: 1, by: 1, bytes: 0, nowMs: nowMs + 7 })
        const at = written(stageId, 2, 7)
        for (const variable of ['A', 'B'])
          await variables.writeVariables(tx, [{ at, state: { ...secret, name: variable }, origin: 'created' }])
        await variables.writeVariables(tx, [
          { at: { ...at, stageId: 'stg_3' }, state: { ...secret, name: 'C' }, origin: 'created' },
        ])
      })
      const listed = await projects.projectsOf(sql, orgId)
      expect(listed).toHaveLength(2)
      expect({ ...listed.find((each) => each.project_slug === 'shop') }).toEqual({
        project_slug: 'shop',
        project_name: 'shop',
        project_created_at_ms: nowMs,
        project_archived_at_ms: null,
        stage_id: stageId,
        stage_slug: 'live',
        stage_name: 'live',
        revision: 2,
        created_at_ms: nowMs,
        updated_at_ms: nowMs + 7,
        archived_at_ms: null,
        is_production: 1,
        is_protected: 0,
        protection: null,
      })
      expect(listed.find((each) => each.project_slug === 'api')).toMatchObject({
        project_name: 'The API',
        project_created_at_ms: nowMs + 1,
        stage_slug: null,
      })
      expect(await projects.projectsOf(sql, 'org_none')).toEqual([])
    })

    test('are renamed and archived one by one, and only in their organization', async () => {
      const { sql, orgId } = await platform(queries, open)
      await sql.tx(async (tx) => {
        expect(await projects.updateProject(tx, orgId, 'shop', { name: 'Shop', nowMs })).toBe(true)
        expect(await projects.updateProject(tx, 'org_2', 'shop', { name: 'Theirs', nowMs })).toBe(false)
        expect(await projects.updateProject(tx, orgId, 'Shop', { name: 'Theirs', nowMs })).toBe(false)
      })
      expect(await row(sql)).toMatchObject({ project_name: 'Shop', project_archived_at_ms: null })
      for (const atMs of [nowMs + 1, nowMs + 2]) await sql.tx((tx) => archive(tx, orgId, true, atMs))
      expect(await row(sql)).toMatchObject({ project_name: 'Shop', project_archived_at_ms: nowMs + 1 })
      await sql.tx((tx) => projects.updateProject(tx, orgId, 'shop', { name: 'Old shop', nowMs }))
      expect(await row(sql)).toMatchObject({ project_name: 'Old shop', project_archived_at_ms: nowMs + 1 })
      await sql.tx((tx) => archive(tx, orgId, false))
      expect(await row(sql)).toMatchObject({ project_archived_at_ms: null, archived_at_ms: null })
    })

    test('have stages that are renamed and archived in the same way', async () => {
      const { sql, projectId } = await platform(queries, open)
      await sql.tx(async (tx) => {
        expect(await projects.updateStage(tx, projectId, 'live', { name: 'Live', nowMs })).toBe(true)
        expect(await projects.updateStage(tx, 'prj_2', 'live', { name: 'Other', nowMs })).toBe(false)
        expect(await projects.updateStage(tx, projectId, 'Live', { name: 'Other', nowMs })).toBe(false)
        await archiveStage(tx, projectId, true, nowMs + 1)
        await archiveStage(tx, projectId, true, nowMs + 2)
      })
      expect(await row(sql)).toMatchObject({ stage_name: 'Live', archived_at_ms: nowMs + 1 })
      await sql.tx((tx) => archiveStage(tx, projectId, false))
      expect(await row(sql)).toMatchObject({ stage_name: 'Live', archived_at_ms: null })
    })

    test('have stages in an order that can change, new ones last', async () => {
      const { sql, orgId, projectId, stageId } = await platform(queries, open)
      const slugs = async () => {
        const ordered = (await projects.orderedStages(sql, projectId)).map(({ slug }) => slug)
        expect((await projects.projectsOf(sql, orgId)).map(({ stage_slug: slug }) => slug)).toEqual(ordered)
        return ordered
      }
      const create = (id: string, slug: string) =>
        sql.tx((tx) => stages.insertStage(tx, projectId, { id, slug, by: 'user_1', nowMs }))
      await create('stg_2', 'dev')
      await create('stg_3', 'Test')
      expect(await slugs()).toEqual(['live', 'dev', 'Test'])
      await sql.tx((tx) =>
        Promise.all(
          [
            ['stg_2', 3],
            ['stg_3', 2],
            [stageId, 1],
          ].map(([id, at]) => projects.setStagePosition(tx, String(id), Number(at))),
        ),
      )
      await create('stg_4', 'api')
      expect(await slugs()).toEqual(['live', 'Test', 'dev', 'api'])
      expect(await projects.orderedStages(sql, 'prj_none')).toEqual([])
    })

    test('have stages with a production mark, by default by their slug', async () => {
      const { sql, projectId } = await platform(queries, open)
      const mark = (slug: string) => sql.tx((tx) => projects.lockProductionMark(tx, projectId, slug))
      const by = { by: 'user_1', nowMs }
      await sql.tx(async (tx) => {
        await stages.insertStage(tx, projectId, { id: 'stg_2', slug: 'dev', ...by })
        await stages.insertStage(tx, projectId, { id: 'stg_3', slug: 'prod', isProduction: false, ...by })
        await stages.insertStage(tx, projectId, { id: 'stg_4', slug: 'eu', isProduction: true, ...by })
      })
      expect([await mark('live'), await mark('dev'), await mark('prod'), await mark('eu')]).toEqual([
        true,
        false,
        false,
        true,
      ])
      await sql.tx((tx) => projects.updateStage(tx, projectId, 'dev', { isProduction: true, nowMs }))
      await sql.tx((tx) => projects.updateStage(tx, projectId, 'eu', { isProduction: false, nowMs }))
      await sql.tx((tx) => projects.updateStage(tx, projectId, 'live', { name: 'Live', nowMs }))
      expect([await mark('dev'), await mark('eu'), await mark('live'), await mark('none')]).toEqual([
        true,
        false,
        true,
        undefined,
      ])
      const change = (tx: Tx) => projects.updateStage(tx, projectId, 'dev', { isProduction: false, nowMs })
      expect(await endsOf(sql, (tx) => projects.lockProductionMark(tx, projectId, 'dev'), change)).toEqual([
        'first',
        'second',
      ])
    })

    test.each([
      ['a stage', [true, false]],
      ['a project', [false, true]],
      ['both', [true, true]],
    ] as const)('archived, %s moves no revision on', async (_, [ofStage, ofProject]) => {
      const { sql, orgId, projectId, stageId } = await platform(queries, open)
      const set = (archived: boolean) =>
        sql.tx(async (tx) => {
          if (ofStage) await archiveStage(tx, projectId, archived)
          if (ofProject) await archive(tx, orgId, archived)
        })
      const advance = (revision: number) =>
        sql.tx((tx) => stages.advanceRevision(tx, stageId, { from: revision, by: 1, bytes: 0, nowMs }))
      await set(true)
      expect([await projects.isArchived(sql, stageId), await advance(1)]).toEqual([true, false])
      await set(false)
      expect([await projects.isArchived(sql, stageId), await advance(1)]).toEqual([false, true])
      expect(await projects.isArchived(sql, 'stg_none')).toBe(false)
    })

    test('take a new stage only while they are not archived', async () => {
      const { sql, orgId, projectId } = await platform(queries, open)
      const isOpen = (id = projectId) => sql.tx((tx) => projects.lockOpenProject(tx, id))
      expect([await isOpen(), await isOpen('prj_none')]).toEqual([true, false])
      expect(await projects.isProjectArchived(sql, projectId)).toBe(false)
      await sql.tx((tx) => archive(tx, orgId, true, nowMs + 1))
      expect(await projects.isProjectArchived(sql, projectId)).toBe(true)
      expect([await isOpen(), await row(sql)]).toMatchObject([false, { project_archived_at_ms: nowMs + 1 }])
    })

    test('are not archived during a write or the creation of a stage', async () => {
      const { sql, orgId, projectId, stageId } = await platform(queries, open)
      const write = (tx: Tx) => stages.advanceRevision(tx, stageId, { from: 1, by: 1, bytes: 0, nowMs })
      const make = async (tx: Tx) => {
        await projects.lockOpenProject(tx, projectId)
        await stages.insertStage(tx, projectId, { id: 'stg_2', slug: 'test', by: 'user_1', nowMs })
      }
      expect(await endsOf(sql, write, (tx) => archive(tx, orgId, true))).toEqual(['first', 'second'])
      await sql.tx((tx) => archive(tx, orgId, false))
      expect(await endsOf(sql, make, (tx) => archive(tx, orgId, true))).toEqual(['first', 'second'])
      // The archiving has not overlooked the stage that it waited for.
      expect(await projects.isArchived(sql, 'stg_2')).toBe(true)
    })

    test('and their stages are locked, whether archived or not', async () => {
      const { sql, orgId, projectId, stageId } = await platform(queries, open)
      const before = await projects.projectsOf(sql, orgId)
      const write = (tx: Tx) => stages.advanceRevision(tx, stageId, { from: 1, by: 1, bytes: 0, nowMs })
      expect(await endsOf(sql, write, (tx) => projects.lockStage(tx, stageId))).toEqual(['first', 'second'])
      await sql.tx((tx) => tx.all('update stages set revision = 1 where id = $1', stageId))
      const make = (tx: Tx) => projects.lockOpenProject(tx, projectId)
      expect(await endsOf(sql, make, (tx) => projects.lockProject(tx, projectId))).toEqual(['first', 'second'])
      expect(await projects.projectsOf(sql, orgId)).toEqual(before)
    })
  })
}
