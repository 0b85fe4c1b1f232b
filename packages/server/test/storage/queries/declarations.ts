import { describe, expect, test } from 'vitest'
import type { OpenSql } from '../sql.suite.ts'
import { nowMs, platform } from './ground.ts'
import type { Queries } from './modules.ts'

export function declarationQueries(name: string, queries: Queries, open: OpenSql): void {
  const { declarations, projects, stages } = queries
  const row = (of: string, content = '{}') => ({ name: of, content, updated_at_ms: nowMs, updated_by: 'user_1' })

  describe(`${name}: declarations`, () => {
    test('are inserted, replaced, found by their names and deleted', async () => {
      const { sql, orgId, projectId } = await platform(queries, open)
      await sql.tx(async (tx) => {
        await stages.insertProject(tx, orgId, { id: 'prj_2', slug: 'blog', by: 'user_1', nowMs })
        await declarations.putDeclarations(
          tx,
          projectId,
          ['A', 'B', 'C'].map((each) => row(each)),
        )
        await declarations.putDeclarations(tx, projectId, [row('A', '{"owner":"Ops"}')])
        await declarations.putDeclarations(tx, 'prj_2', [row('A')])
      })
      const all = async (project: string) => {
        const rows = (await declarations.declarationsOf(sql, project))?.rows ?? []
        return rows
          .map(({ name: of, content, updated_at_ms, updated_by }) => ({ name: of, content, updated_at_ms, updated_by }))
          .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      }
      const version = async () => (await declarations.declarationsOf(sql, projectId))?.version
      expect([await version(), await declarations.declarationsOf(sql, 'none')]).toEqual([0, undefined])
      expect(await all(projectId)).toEqual([row('A', '{"owner":"Ops"}'), row('B'), row('C')])
      await sql.tx((tx) => declarations.deleteDeclarations(tx, projectId, ['A', 'none']))
      expect((await all(projectId)).map((each) => each.name)).toEqual(['B', 'C'])
      await sql.tx((tx) => declarations.deleteDeclarationsOf(tx, projectId))
      expect([await all(projectId), await all('prj_2')]).toEqual([[], [row('A')]])
    })

    test('count their changes', async () => {
      const { sql, projectId } = await platform(queries, open)
      await sql.tx((tx) => declarations.advanceDeclarations(tx, projectId))
      const at = (version: number) => declarations.areDeclarationsAt(sql, projectId, version)
      expect([await at(0), await at(1)]).toEqual([false, true])
      await sql.tx((tx) => declarations.deleteDeclarationsOf(tx, projectId))
      expect([await at(1), await at(2)]).toEqual([false, true])
    })

    test('know the stages that are marked as production', async () => {
      const { sql, projectId, stageId } = await platform(queries, open)
      const marked = [
        await declarations.isProductionStage(sql, stageId),
        await declarations.isProductionStage(sql, 'none'),
      ]
      await sql.tx((tx) => projects.updateStage(tx, projectId, 'live', { isProduction: false, nowMs }))
      expect([...marked, await declarations.isProductionStage(sql, stageId)]).toEqual([true, false, false])
    })
  })
}
