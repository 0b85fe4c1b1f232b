import { describe, expect, test } from 'vitest'
import type { OpenSql } from '../sql.suite.ts'
import { platform, winnersOf } from './ground.ts'
import type { Queries } from './modules.ts'

export function lastEvaluationQueries(name: string, queries: Queries, open: OpenSql): void {
  const { deletion } = queries
  const evaluations = queries['last-evaluations']

  describe(`${name}: last days of evaluation`, () => {
    test('keep the latest day of each variable, whichever node stores it', async () => {
      const { sql, stageId } = await platform(queries, open)
      const put = (days: Record<string, string>): Promise<void> =>
        sql.tx((tx) =>
          evaluations.putLastEvaluations(
            tx,
            Object.entries(days).map(([each, day]) => ({ stageId, name: each, day })),
          ),
        )
      const stored = async (): Promise<object> =>
        Object.fromEntries((await evaluations.lastEvaluationsOf(sql, stageId)).map((row) => [row.name, row.day]))
      await put({ A: '2026-11-02', B: '2026-11-02', a: '2026-11-01' })
      await put({ A: '2026-11-01', B: '2026-11-03' })
      expect(await stored()).toEqual({ A: '2026-11-02', B: '2026-11-03', a: '2026-11-01' })
      await winnersOf(sql, (tx) =>
        evaluations.putLastEvaluations(tx, [
          { stageId, name: 'A', day: '2026-11-04' },
          { stageId, name: 'B', day: '2026-11-04' },
        ]),
      )
      await sql.tx((tx) => evaluations.deleteLastEvaluationsBefore(tx, '2026-11-04'))
      expect(await stored()).toEqual({ A: '2026-11-04', B: '2026-11-04' })
    })

    test('are not stored for a deleted stage', async () => {
      const { sql, projectId, stageId } = await platform(queries, open)
      await sql.tx((tx) => deletion.markStagesDeleted(tx, projectId, 1))
      await sql.tx((tx) => evaluations.putLastEvaluations(tx, [{ stageId, name: 'A', day: '2026-11-01' }]))
      expect(await evaluations.lastEvaluationsOf(sql, stageId)).toEqual([])
    })

    test('are stored since the migration', async () => {
      const { sql } = await platform(queries, open)
      const [row] = await sql.all<{ at: number }>('select max(applied_at_ms) as at from migrations')
      expect(await evaluations.evaluationsStoredSince(sql)).toBe(row?.at)
    })
  })
}
