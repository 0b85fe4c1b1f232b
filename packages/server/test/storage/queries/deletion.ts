import { describe, expect, test } from 'vitest'
import type { Sql } from '../../../src/storage/sql.ts'
import type { OpenSql } from '../sql.suite.ts'
import { endsOf, nowMs, platform, winnersOf, written } from './ground.ts'
import type { Queries } from './recorder.ts'

export function deletionQueries(name: string, queries: Queries, open: OpenSql): void {
  const { deletion, history, keys, projects, stages, variables } = queries
  const counts = queries['roll-counts']
  const state = { kind: 'secret', declaredType: null, attributes: '{}', sealed: Buffer.from('sealed') } as const

  const put = (sql: Sql, stageId: string, variable: string, revision = 2) =>
    sql.tx((tx) => variables.putVariable(tx, written(stageId, revision), { ...state, name: variable }, 'created'))
  const count = (sql: Sql, stageId: string) =>
    sql.tx((tx) => counts.addRollCount(tx, { stageId, name: 'R', hourMs: 0, a: 1, b: 0 }))

  describe(`${name}: deletion`, () => {
    test('marks a stage once, as its next revision, and hides it', async () => {
      const { sql, orgId, projectId, stageId } = await platform(queries, open)
      await sql.tx((tx) => projects.updateStage(tx, projectId, 'live', { name: 'Live', nowMs }))
      const mark = (slug: string, id = projectId) => sql.tx((tx) => deletion.markStageDeleted(tx, id, slug, nowMs + 1))
      expect([await mark('none'), await mark('live', 'prj_none')]).toEqual([undefined, undefined])
      const once = await winnersOf(sql, (tx) => deletion.markStageDeleted(tx, projectId, 'live', nowMs + 1))
      expect(once).toHaveLength(1)
      expect(await stages.stageBySlugs(sql, orgId, 'shop', 'live')).toBeUndefined()
      expect(await projects.projectsOf(sql, orgId)).toMatchObject([{ project_slug: 'shop', stage_slug: null }])
      expect(await projects.orderedStages(sql, projectId)).toEqual([])
      expect([await stages.everyStage(sql), await stages.stagesOf(sql, orgId)]).toEqual([[], []])
      expect(await sql.tx((tx) => stages.advanceRevision(tx, stageId, 1, nowMs))).toBe(false)
      expect(await sql.tx((tx) => projects.updateStage(tx, projectId, 'live', { archived: true, nowMs }))).toBe(false)
      expect({ ...(await deletion.deletedStage(sql, projectId, 'live')) }).toEqual({ id: stageId, revision: 2 })
      expect(await deletion.deletedStage(sql, projectId, 'none')).toBeUndefined()
      expect(await sql.all('select name, deleted_at_ms from stages')).toEqual([
        { name: 'live', deleted_at_ms: nowMs + 1 },
      ])
    })

    test('marks a project and its stages, and hides them', async () => {
      const { sql, orgId, projectId, stageId } = await platform(queries, open)
      await sql.tx(async (tx) => {
        await stages.insertStage(tx, projectId, { id: 'stg_2', slug: 'test', by: 'user_1', nowMs })
        await stages.insertProject(tx, orgId, { id: 'prj_2', slug: 'api', by: 'user_1', nowMs })
        await stages.insertStage(tx, 'prj_2', { id: 'stg_3', slug: 'live', by: 'user_1', nowMs })
        await deletion.markStageDeleted(tx, projectId, 'test', nowMs + 1)
      })
      const mark = (slug: string) => sql.tx((tx) => deletion.markProjectDeleted(tx, orgId, slug, nowMs + 2))
      expect([await mark('none'), { ...(await mark('shop')) }, await mark('shop')]).toEqual([
        undefined,
        { id: projectId },
        undefined,
      ])
      const marked = await sql.tx((tx) => deletion.markStagesDeleted(tx, projectId, nowMs + 2))
      expect(marked.map((row) => ({ ...row }))).toEqual([{ id: stageId, slug: 'live', revision: 2 }])
      expect(await stages.projectBySlug(sql, orgId, 'shop')).toBeUndefined()
      expect({ ...(await deletion.deletedProject(sql, orgId, 'shop')) }).toEqual({ id: projectId })
      expect(await deletion.deletedProject(sql, orgId, 'api')).toBeUndefined()
      expect((await projects.projectsOf(sql, orgId)).map((row) => row.project_slug)).toEqual(['api'])
      expect((await keys.keyedProjects(sql)).map((row) => row.projectSlug)).toEqual(['api'])
      expect(await sql.tx((tx) => projects.updateProject(tx, orgId, 'shop', { name: 'x', nowMs }))).toBe(false)
      expect(await sql.tx((tx) => projects.lockOpenProject(tx, projectId))).toBe(false)
      expect(await projects.isProjectArchived(sql, projectId)).toBe(false)
    })

    test('waits for a write of the stage, and a new stage waits for it', async () => {
      const { sql, orgId, projectId, stageId } = await platform(queries, open)
      expect(
        await endsOf(
          sql,
          (tx) => stages.advanceRevision(tx, stageId, 1, nowMs),
          (tx) => deletion.markStageDeleted(tx, projectId, 'live', nowMs),
        ),
      ).toEqual(['first', 'second'])
      expect(await deletion.deletedStage(sql, projectId, 'live')).toMatchObject({ revision: 3 })
      expect(
        await endsOf(
          sql,
          (tx) => deletion.markProjectDeleted(tx, orgId, 'shop', nowMs),
          (tx) => projects.lockOpenProject(tx, projectId),
        ),
      ).toEqual(['first', 'second'])
    })

    test('ends the history and destroys the keys of the project alone', async () => {
      const { sql, orgId, projectId, stageId } = await platform(queries, open)
      const key = (id: string) => ({ id: id.repeat(32), kms: 'local', wrapped: Buffer.from('wrapped') })
      await sql.tx(async (tx) => {
        await stages.insertProject(tx, orgId, { id: 'prj_2', slug: 'api', by: 'user_1', nowMs })
        await keys.insertDataKey(tx, projectId, key('a'), nowMs)
        await keys.insertDataKey(tx, 'prj_2', key('b'), nowMs)
        for (const revision of [3, 5]) await deletion.endHistory(tx, { id: stageId, slug: 'live', revision })
        await deletion.deleteDataKeys(tx, projectId)
      })
      expect(await history.historyFloor(sql, stageId)).toBe(5)
      expect(await keys.dataKeysOfProject(sql, projectId)).toEqual([])
      expect(await keys.dataKeysOfProject(sql, 'prj_2')).toHaveLength(1)
    })

    test('deletes the rows of deleted stages only, some at a time', async () => {
      const { sql, projectId, stageId } = await platform(queries, open)
      await sql.tx((tx) => stages.insertStage(tx, projectId, { id: 'stg_2', slug: 'test', by: 'user_1', nowMs }))
      for (const id of [stageId, 'stg_2']) {
        for (const variable of ['A', 'B', 'C']) await put(sql, id, variable)
        await count(sql, id)
      }
      expect([await deletion.storedBytesOf(sql, stageId), await deletion.storedBytesOf(sql, 'stg_none')]).toEqual([
        18, 0,
      ])
      const some = (id: string) => sql.tx((tx) => deletion.deleteSomeOfStage(tx, id, 2))
      expect([await some(stageId), await deletion.stagesToEmpty(sql)]).toEqual([false, []])
      await sql.tx((tx) => deletion.markStageDeleted(tx, projectId, 'live', nowMs))
      expect(await deletion.stagesToEmpty(sql)).toEqual([stageId])
      expect([await some(stageId), await some(stageId)]).toEqual([true, false])
      expect([await deletion.stagesToEmpty(sql), await deletion.storedBytesOf(sql, stageId)]).toEqual([[], 0])
      expect(await deletion.storedBytesOf(sql, 'stg_2')).toBe(18)
      expect(await counts.rollCountsOf(sql, 'stg_2', 'R', 0, 1)).toHaveLength(1)
      // A node may still have counts of the deleted stage in memory.
      await count(sql, stageId)
      expect(await counts.rollCountsOf(sql, stageId, 'R', 0, 1)).toEqual([])
    })

    test('is undone by creating the same again, after everything of it was deleted', async () => {
      const { sql, orgId, projectId, stageId } = await platform(queries, open)
      await put(sql, stageId, 'A')
      await sql.tx(async (tx) => {
        await projects.updateStage(tx, projectId, 'live', { archived: true, nowMs })
        await projects.updateProject(tx, orgId, 'shop', { archived: true, nowMs })
        await deletion.markProjectDeleted(tx, orgId, 'shop', nowMs)
        await deletion.markStagesDeleted(tx, projectId, nowMs)
      })
      const by = { by: 'user_2', nowMs: nowMs + 5 }
      const project = { id: projectId, slug: 'shop', name: 'Shop', ...by }
      const stage = { id: stageId, slug: 'live', isProduction: false, ...by }
      const revive = (revision: number) => sql.tx((tx) => stages.reviveStage(tx, projectId, { ...stage, revision }))
      expect(await winnersOf(sql, (tx) => stages.reviveProject(tx, project))).toHaveLength(1)
      expect([await revive(3), await sql.tx((tx) => deletion.deleteSomeOfStage(tx, stageId, 9))]).toEqual([
        false,
        false,
      ])
      expect([await revive(2), await revive(4), await revive(3), await revive(4)]).toEqual([false, false, true, false])
      expect(await sql.tx((tx) => stages.insertStage(tx, projectId, { ...stage, revision: 3 }))).toBe(false)
      expect(await stages.stageBySlugs(sql, orgId, 'shop', 'live')).toEqual({
        projectId,
        stageId,
        revision: 3,
        variables: [],
      })
      expect(await projects.projectsOf(sql, orgId)).toMatchObject([
        {
          project_name: 'Shop',
          project_archived_at_ms: null,
          stage_name: 'live',
          archived_at_ms: null,
          is_production: 0,
        },
      ])
      expect(await projects.isArchived(sql, stageId)).toBe(false)
      expect(await sql.tx((tx) => stages.reviveProject(tx, { ...project, id: 'prj_none' }))).toBe(false)
    })
  })
}
