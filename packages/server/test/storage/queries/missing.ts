import { describe, expect, test } from 'vitest'
import type { NameRange } from '../../../src/storage/missing.ts'
import type { Reader } from '../../../src/storage/sql.ts'
import type { OpenSql } from '../sql.suite.ts'
import { platform, nowMs, written } from './ground.ts'
import type { Queries } from './modules.ts'

export function missingQueries(name: string, queries: Queries, open: OpenSql): void {
  const { missing, stages, variables } = queries

  async function rangesOf(sql: Reader, ids: readonly string[]): Promise<NameRange[]> {
    const ranges: NameRange[] = []
    for await (const range of missing.nameRanges(sql, ids)) ranges.push(range)
    return ranges
  }

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
      const all = { after: '', upTo: null }
      const find = async (id: string, others: string[], max = 10): Promise<string[]> =>
        (await missing.missingNames(sql, id, others, all, max)).map((row) => `${row.name} of ${row.total}`).toSorted()
      expect(await find(stageId, ['stg_2', 'stg_3'])).toEqual(['B of 4', 'C of 4', 'D of 4', 'a of 4'])
      expect(await find(stageId, ['stg_3'])).toEqual(['B of 2', 'D of 2'])
      expect(await find(stageId, ['stg_2', 'stg_3'], 2)).toHaveLength(2)
      expect(await find('stg_3', [stageId])).toEqual(['A of 2', 'only of 2'])
      expect(await find('stg_2', ['stg_2'])).toEqual([])
      expect(await find('stg_empty', [stageId, 'stg_2'])).toEqual([])
      expect(await missing.countNames(sql, [stageId, 'stg_2', 'stg_3'], all)).toBe(6)
      expect(await missing.countNames(sql, ['stg_2', 'stg_3'], all)).toBe(5)
      expect(await missing.countNames(sql, ['stg_none'], all)).toBe(0)
      const ranges = await rangesOf(sql, [stageId, 'stg_2', 'stg_3'])
      expect(ranges).toEqual([all])
      const having = await missing.stagesThatHave(sql, 'stg_3', ['A', 'D', 'none'])
      const places = having.map((row) => `${row.name} in ${row.stage_id}`).toSorted()
      expect(places).toEqual([`A in stg_2`, `A in ${stageId}`, 'D in stg_3'].toSorted())
      expect(await missing.countVariables(sql, 'stg_2')).toBe(4)
      expect(await missing.countVariables(sql, 'stg_empty')).toBe(0)
    })

    test('are counted in ranges of names, each of few variables', async () => {
      const { sql, projectId } = await platform(queries, open)
      const ids = Array.from({ length: 300 }, (_, index) => `stg_${index + 10}`)
      await sql.tx(async (tx) => {
        for (const id of ids) await stages.insertStage(tx, projectId, { id, slug: id, by: 'user_1', nowMs })
        for (const [index, id] of ids.slice(0, 10).entries()) {
          const states = Array.from({ length: 10 }, (_, at) => ({
            name: `N${at + index}`,
            kind: 'secret' as const,
            declaredType: null,
            attributes: '{}',
            sealed: Buffer.from('s'),
          }))
          await variables.writeVariables(
            tx,
            states.map((state) => ({ at: written(id, 2), state, origin: 'created' as const })),
          )
        }
      })
      const ranges = await rangesOf(sql, ids)
      expect(ranges.length).toBeGreaterThan(2)
      let names = 0
      for (const range of ranges) {
        const found = await missing.countNames(sql, ids, range)
        expect(found).toBeLessThanOrEqual(10 * 3)
        names += found
      }
      // N0 to N18.
      expect(names).toBe(19)
      const lacked: string[] = []
      for (const range of ranges) {
        const rows = await missing.missingNames(sql, ids[0] ?? '', ids.slice(1), range, 100)
        lacked.push(...rows.map((row) => row.name))
      }
      expect(lacked.toSorted()).toEqual(Array.from({ length: 9 }, (_, index) => `N${index + 10}`))
    })
  })
}
