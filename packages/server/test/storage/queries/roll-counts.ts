import { describe, expect, test } from 'vitest'
import type { OpenSql } from '../sql.suite.ts'
import { byChance, platform, winnersOf } from './ground.ts'
import type { Queries } from './modules.ts'

const hour = 3_600_000

export function rollCountQueries(name: string, queries: Queries, open: OpenSql): void {
  const { rolls, stages } = queries
  const counts = queries['roll-counts']

  describe(`${name}: counts of rolls`, () => {
    test('add up over callers, by stage, name and hour', async () => {
      const { sql, projectId, stageId } = await platform(queries, open)
      await sql.tx((tx) => stages.insertStage(tx, projectId, { id: 'stg_2', slug: 'test', by: 'user_1', nowMs: 0 }))
      const one = { stageId, name: 'R', hourMs: hour, ...byChance(2, 1) }
      await winnersOf(sql, (tx) => counts.addRollCounts(tx, [one]))
      await sql.tx(async (tx) => {
        await counts.addRollCounts(tx, [{ ...one, hourMs: 2 * hour }])
        await counts.addRollCounts(tx, [{ ...one, name: 'r' }])
        await counts.addRollCounts(tx, [{ ...one, stageId: 'stg_2' }])
      })
      const from = async (fromMs: number, toMs: number): Promise<unknown[]> =>
        (await counts.rollCountsOf(sql, stageId, 'R', fromMs, toMs))
          .toSorted((a, b) => a.hour_ms - b.hour_ms)
          .map(({ hour_ms, a, b }) => [hour_ms, a, b])
      expect(await from(0, 9 * hour)).toEqual([
        [hour, 128, 64],
        [2 * hour, 2, 1],
      ])
      expect(await from(hour + 1, 9 * hour)).toEqual([[2 * hour, 2, 1]])
      expect(await from(0, 2 * hour)).toEqual([[hour, 128, 64]])
    })

    test('are deleted when their hour began before a time', async () => {
      const { sql, stageId } = await platform(queries, open)
      const left = async (beforeMs: number): Promise<number[]> => {
        await sql.tx((tx) => counts.deleteRollCountsBefore(tx, beforeMs))
        return (await counts.rollCountsOf(sql, stageId, 'R', 0, 9 * hour))
          .map((row) => row.hour_ms)
          .toSorted((a, b) => a - b)
      }
      await sql.tx(async (tx) => {
        for (const hourMs of [hour, 2 * hour]) {
          await counts.addRollCounts(tx, [{ stageId, name: 'R', hourMs, ...byChance(1, 0) }])
        }
      })
      expect(await left(hour)).toEqual([hour, 2 * hour])
      expect(await left(hour + 1)).toEqual([2 * hour])
      const days = () => rolls.servedInDays(sql, 'all', [{ stageId, name: 'R', fromMs: 0, toMs: 9 * hour }])
      // The day is kept while it began late enough, and then goes with all its hours.
      await sql.tx((tx) => counts.addRollCounts(tx, [{ stageId, name: 'R', hourMs: 25 * hour, ...byChance(1, 0) }]))
      expect(await days()).toMatchObject([{ a: 0 }])
      const later = () => rolls.servedInDays(sql, 'all', [{ stageId, name: 'R', fromMs: 0, toMs: 99 * hour }])
      expect(await left(24 * hour)).toEqual([])
      expect(await later()).toMatchObject([{ a: 1, b: 0 }])
      await left(24 * hour + 1)
      expect(await later()).toMatchObject([{ a: 0, b: 0 }])
    })
  })
}
