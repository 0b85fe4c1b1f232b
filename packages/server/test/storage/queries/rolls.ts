import { describe, expect, test } from 'vitest'
import { maxPicked } from '../../../src/storage/picked.ts'
import type { VariableState } from '../../../src/storage/variables.ts'
import type { OpenSql } from '../sql.suite.ts'
import { byChance, platform, nowMs, written } from './ground.ts'
import type { Queries } from './modules.ts'

const hour = 3_600_000
const day = 24 * hour

export function rollQueries(name: string, queries: Queries, open: OpenSql): void {
  const { history, organizations, rolls, stages, variables } = queries
  const counts = queries['roll-counts']

  /** The stages live and test of shop, live of api, and live of another organization. */
  async function filled() {
    const found = await platform(queries, open)
    const { sql, orgId, projectId } = found
    await sql.tx(async (tx) => {
      const by = { by: 'user_1', nowMs }
      await stages.insertStage(tx, projectId, { id: 'stg_2', slug: 'test', ...by })
      await stages.insertProject(tx, orgId, { id: 'prj_2', slug: 'api', ...by })
      await stages.insertStage(tx, 'prj_2', { id: 'stg_3', slug: 'live', ...by })
      await organizations.insertOrganization(tx, { id: 'org_2', idpOrgId: 'idp_2', slug: 'other', nowMs })
      await stages.insertProject(tx, 'org_2', { id: 'prj_9', slug: 'shop', ...by })
      await stages.insertStage(tx, 'prj_9', { id: 'stg_9', slug: 'live', ...by })
    })
    const put = (stageId: string, more: Partial<VariableState>, revision = 2) =>
      sql.tx((tx) =>
        variables.writeVariables(tx, [
          {
            at: written(stageId, revision, revision),
            state: {
              name: 'R',
              kind: 'ab_roll',
              declaredType: null,
              attributes: '{}',
              sealed: Buffer.from('s'),
              ...more,
            },
            origin: 'created',
          },
        ]),
      )
    return { ...found, put }
  }

  describe(`${name}: rolls`, () => {
    test('are those of the picked stages', async () => {
      const { sql, stageId, put } = await filled()
      for (const id of [stageId, 'stg_2', 'stg_3', 'stg_9']) await put(id, {})
      await put(stageId, { name: 'SECRET', kind: 'secret' }, 3)
      await put(stageId, { name: 'R', declaredType: 'int64', attributes: '{"chance":0.2}' }, 4)
      const found = await rolls.rollsOf(sql, [stageId, 'stg_2', 'stg_3'])
      expect(found.map((row) => `${row.stage_id} ${row.name}`).toSorted()).toEqual(
        [`${stageId} R`, 'stg_2 R', 'stg_3 R'].toSorted(),
      )
      expect(found.find((row) => row.stage_id === stageId)).toMatchObject({
        declared_type: 'int64',
        facets: '{"chance":0.2}',
        created_at_ms: nowMs + 2,
        updated_at_ms: nowMs + 4,
      })
      expect(await rolls.rollsOf(sql, [])).toEqual([])
    })

    test('have the history of each that is picked', async () => {
      const { sql, stageId, put } = await filled()
      await put(stageId, { attributes: '{"chance":0.2}' })
      await put(stageId, { attributes: '{"chance":0.3}' }, 3)
      await put(stageId, { name: 'OTHER' }, 4)
      await put('stg_2', { attributes: '{"chance":0.4}' })
      await sql.tx((tx) => variables.writeVariables(tx, [{ at: written('stg_2', 5, 5), origin: 'deleted', name: 'R' }]))
      let max = 9
      const historyOf = async (...ids: string[]): Promise<string[]> => {
        const picked = ids.map((id) => ({ stageId: id, name: 'R' }))
        const rows = await rolls.rollHistory(sql, picked, max)
        return rows
          .map((row) => `${row.stage_id} ${row.revision} ${row.facets} ${row.written_at_ms - nowMs}`)
          .toSorted()
      }
      const live = [`${stageId} 2 {"chance":0.2} 2`, `${stageId} 3 {"chance":0.3} 3`]
      const tested = ['stg_2 2 {"chance":0.4} 2', 'stg_2 5 null 5']
      expect(await historyOf(stageId)).toEqual(live)
      expect(await historyOf(stageId, 'stg_2', 'stg_3')).toEqual([...live, ...tested])
      max = 1
      expect(await historyOf(stageId, 'stg_2')).toEqual([...live.slice(1), ...tested.slice(1)])
      expect(await history.attributeHistory(sql, stageId, 'R', { max })).toHaveLength(1)
    })

    test('add up what was served within a span of each', async () => {
      const { sql, stageId } = await filled()
      await sql.tx(async (tx) => {
        for (const [id, roll, hourMs, a, b] of [
          [stageId, 'R', 0, 1, 2],
          [stageId, 'R', 23 * hour, 10, 20],
          [stageId, 'R', day, 100, 200],
          [stageId, 'r', day, 5, 0],
          ['stg_2', 'R', day, 7, 7],
        ] as const) {
          await counts.addRollCounts(tx, [{ stageId: id, name: roll, hourMs, ...byChance(a, b) }])
        }
      })
      const one = { stageId, name: 'R', fromMs: 0, toMs: 9 * day }
      const days = (...spans: Parameters<typeof rolls.servedInDays>[2]) => rolls.servedInDays(sql, 'all', spans)
      const hours = (...spans: Parameters<typeof rolls.servedInHours>[2]) => rolls.servedInHours(sql, 'all', spans)
      expect(await days(one)).toEqual([{ stage_id: stageId, name: 'R', a: 111, b: 222 }])
      expect(await days({ ...one, toMs: day })).toMatchObject([{ a: 11, b: 22 }])
      expect(await days({ ...one, fromMs: 1 })).toMatchObject([{ a: 100, b: 200 }])
      expect(await hours({ ...one, fromMs: 1, toMs: day })).toMatchObject([{ a: 10, b: 20 }])
      expect(await hours({ ...one, fromMs: 9 * day, toMs: Number.MAX_SAFE_INTEGER })).toMatchObject([{ a: 0, b: 0 }])
      const three = await days(one, { ...one, name: 'r', fromMs: day }, { ...one, stageId: 'stg_2' })
      expect(three.map((row) => `${row.stage_id} ${row.name} ${row.a}`).toSorted()).toEqual([
        `${stageId} R 111`,
        `${stageId} r 5`,
        'stg_2 R 7',
      ])
      const most = Array.from({ length: maxPicked }, (_, index) => ({ ...one, name: `N${index}` }))
      const counted = (await days(...most.slice(1), one)).filter(({ a }) => a > 0)
      expect(counted).toMatchObject([{ name: 'R', a: 111 }])
    })

    test('add up what the chance decided apart from pins and rules', async () => {
      const { sql, stageId } = await filled()
      const at = { stageId, name: 'R', hourMs: 0 }
      const sides = { pin: { a: 1, b: 2 }, rule: { a: 10, b: 20 }, chance: { a: 100, b: 200 } }
      const steps = { ...sides, reported: { a: 3, b: 5 } }
      for (let i = 0; i < 2; i++) await sql.tx((tx) => counts.addRollCounts(tx, [{ ...at, ...steps }]))
      const span = { stageId, name: 'R', fromMs: 0, toMs: day }
      expect(await rolls.servedInDays(sql, 'all', [span])).toMatchObject([{ a: 222, b: 444 }])
      expect(await rolls.servedInDays(sql, 'chance', [span])).toMatchObject([{ a: 200, b: 400 }])
      expect(await rolls.servedInHours(sql, 'chance', [span])).toMatchObject([{ a: 200, b: 400 }])
      const stored = { a: 222, b: 444, pin_a: 2, pin_b: 4, rule_a: 20, rule_b: 40, reported_a: 6, reported_b: 10 }
      expect(await counts.rollCountsOf(sql, stageId, 'R', 0, day)).toMatchObject([stored])
    })
  })
}
