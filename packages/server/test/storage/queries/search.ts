import { describe, expect, test } from 'vitest'
import type { OpenSql } from '../sql.suite.ts'
import { platform, nowMs } from './ground.ts'
import type { Queries } from './modules.ts'

export function searchQueries(name: string, queries: Queries, open: OpenSql): void {
  const { projects, search, stages, variables } = queries

  /** The stages live and test of shop, live of api, each with these variables. */
  async function withVariables(...names: string[]) {
    const found = await platform(queries, open)
    await found.sql.tx(async (tx) => {
      await stages.insertStage(tx, found.projectId, { id: 'stg_2', slug: 'test', by: 'user_1', nowMs })
      await stages.insertProject(tx, found.orgId, { id: 'prj_2', slug: 'api', by: 'user_1', nowMs })
      await stages.insertStage(tx, 'prj_2', { id: 'stg_3', slug: 'live', by: 'user_1', nowMs })
      for (const stageId of [found.stageId, 'stg_2', 'stg_3']) {
        for (const variable of names) {
          const state = { name: variable, declaredType: 'int64', attributes: '{}', sealed: Buffer.from('s') } as const
          const at = { stageId, revision: 2, by: 'user_1', client: 'dashboard', nowMs }
          await variables.writeVariables(tx, [{ at, state: { ...state, kind: 'secret' }, origin: 'created' }])
        }
      }
    })
    const find = async (part: string, { max = 100, projectSlug }: { max?: number; projectSlug?: string } = {}) => {
      const stagesFound = await search.stagesToSearch(found.sql, found.orgId)
      const searched = stagesFound.filter(({ project_slug: project }) => project === (projectSlug ?? project))
      const inEach = searched.map(async ({ stage_id: id, project_slug: project, stage_slug: stage }) => {
        const rows = await search.searchVariables(found.sql, id, part, max)
        return rows.map((row) => `${project}/${stage} ${row.name}`)
      })
      return (await Promise.all(inEach)).flat().toSorted()
    }
    return { ...found, find }
  }

  describe(`${name}: search`, () => {
    test('finds a part of a name in any case, and treats no character as special', async () => {
      const { find } = await withVariables('API_URL', 'a%b', 'a\\b', 'Ää')
      const live = (part: string) => find(part, { projectSlug: 'api' })
      expect(await live('pi_u')).toEqual(['api/live API_URL'])
      expect([await live('_'), await live('%'), await live('\\'), await live('\\b')]).toEqual([
        ['api/live API_URL'],
        ['api/live a%b'],
        ['api/live a\\b'],
        ['api/live a\\b'],
      ])
      expect(await live('a')).toHaveLength(3)
      expect(await find('a', { projectSlug: 'api', max: 2 })).toHaveLength(2)
      expect([await live('Ä'), await live('ä'), await live('none')]).toEqual([['api/live Ää'], ['api/live Ää'], []])
    })

    test('is not slowed down by a part that nearly matches everywhere', async () => {
      const names = Array.from({ length: 300 }, (_, index) => `${'N'.repeat(230)}_${index}`)
      const { find } = await withVariables(...names)
      const timeOf = async (part: string): Promise<number> => {
        const from = performance.now()
        expect(await find(part)).toEqual([])
        return performance.now() - from
      }
      // Other processes may disturb any measurement, but not all: a search that is slowed down never gets this near.
      let [near, far] = [Infinity, Infinity]
      const isNear = async (): Promise<boolean> => {
        near = Math.min(near, await timeOf(`${'N'.repeat(200)}x`))
        far = Math.min(far, await timeOf('zzz'))
        return near < 10 * far
      }
      await expect.poll(isNear).toBe(true)
    })

    test('is limited to one organization, and skips archived stages', async () => {
      const { sql, orgId, projectId, find } = await withVariables('A')
      expect(await find('a')).toEqual(['api/live A', 'shop/live A', 'shop/test A'])
      const all = await search.stagesToSearch(sql, orgId)
      const stage = all.find(({ project_slug: project }) => project === 'api')
      expect(stage).toMatchObject({ project_slug: 'api', stage_slug: 'live' })
      const [row] = await search.searchVariables(sql, stage?.stage_id ?? '', 'A', 1)
      expect(row).toMatchObject({ kind: 'secret', declared_type: 'int64' })
      const picks = all.map((each) => ({ stage_id: each.stage_id, name: 'A' }))
      expect(await search.foundAttributes(sql, picks)).toHaveLength(3)
      const [pick] = picks
      expect(await search.foundAttributes(sql, pick ? [pick, { ...pick, name: 'gone' }] : [])).toEqual([
        { ...pick, facets: '{}' },
      ])
      expect(await search.stagesToSearch(sql, 'org_2')).toEqual([])
      await sql.tx((tx) => projects.updateStage(tx, projectId, 'test', { archived: true, nowMs }))
      await sql.tx((tx) => projects.updateProject(tx, orgId, 'api', { archived: true, nowMs }))
      expect(await find('a')).toEqual(['shop/live A'])
    })
  })
}
