import { describe, expect, test } from 'vitest'
import type { OpenSql } from '../sql.suite.ts'
import { platform, nowMs, written } from './ground.ts'
import type { Queries } from './modules.ts'

export function missingQueries(name: string, queries: Queries, open: OpenSql): void {
  const { missing, stages, variables } = queries

  describe(`${name}: missing variables`, () => {
    test('are those that another stage has', async () => {
      const { sql, projectId, stageId } = await platform(queries, open)
      const put = (id: string, ...names: string[]) =>
        sql.tx(async (tx) => {
          for (const each of names) {
            const state = {
              name: each,
              kind: 'secret',
              declaredType: null,
              attributes: '{}',
              sealed: Buffer.from('s'),
            } as const
            await variables.writeVariables(tx, [{ at: written(id, 2), state, origin: 'created' }])
          }
        })
      await sql.tx(async (tx) => {
        for (const slug of ['stg_2', 'stg_3', 'stg_empty']) {
          await stages.insertStage(tx, projectId, { id: slug, slug, by: 'user_1', nowMs })
        }
      })
      await put(stageId, 'A', 'only')
      await put('stg_2', 'A', 'a', 'B', 'C')
      await put('stg_3', 'B', 'D')
      const find = async (id: string, others: string[], max = 10): Promise<string[]> =>
        (await missing.missingNames(sql, id, others, max)).map((row) => `${row.name} of ${row.total}`).toSorted()
      expect(await find(stageId, ['stg_2', 'stg_3'])).toEqual(['B of 4', 'C of 4', 'D of 4', 'a of 4'])
      expect(await find(stageId, ['stg_3'])).toEqual(['B of 2', 'D of 2'])
      expect(await find(stageId, ['stg_2', 'stg_3'], 2)).toHaveLength(2)
      expect(await find('stg_3', [stageId])).toEqual(['A of 2', 'only of 2'])
      expect(await find('stg_2', ['stg_2'])).toEqual([])
      expect(await find('stg_empty', [stageId, 'stg_2'])).toEqual([])
      expect(await missing.countNames(sql, [stageId, 'stg_2', 'stg_3'])).toBe(6)
      expect(await missing.countNames(sql, ['stg_2', 'stg_3'])).toBe(5)
      expect(await missing.countNames(sql, ['stg_none'])).toBe(0)
      expect(await missing.countVariables(sql, [stageId, 'stg_2', 'stg_empty'])).toEqual(
        new Map([
          [stageId, 2],
          ['stg_2', 4],
        ]),
      )
    })
  })
}
