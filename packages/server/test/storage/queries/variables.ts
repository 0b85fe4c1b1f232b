import { describe, expect, test } from 'vitest'
import type { Sql } from '../../../src/storage/sql.ts'
import type { VariableState } from '../../../src/storage/variables.ts'
import type { OpenSql } from '../sql.suite.ts'
import { ground, nowMs } from './ground.ts'
import type { Queries } from './recorder.ts'

const secret: VariableState = {
  name: 'KEY',
  kind: 'secret',
  declaredType: null,
  facets: '{}',
  sealed: Buffer.from('sealed secret'),
}
const roll: VariableState = {
  name: 'KEY',
  kind: 'ab_roll',
  declaredType: 'int64',
  facets: '{"chance":0.5}',
  sealed: Buffer.from('sealed roll'),
}

/** The history as short texts, by name and revision. */
async function historyOf(sql: Sql): Promise<string[]> {
  const rows = await sql.all<{ name: string; revision: number; sealed: Uint8Array | null }>(
    'select name, revision, sealed from variable_history',
  )
  return rows.map((row) => `${row.name} ${row.revision}${row.sealed ? '' : ' deleted'}`).toSorted()
}

export function variableQueries(name: string, queries: Queries, open: OpenSql): void {
  const { stages, variables } = queries

  describe(`${name}: variables`, () => {
    test('are stored whole, and replaced whole but for the time of creation', async () => {
      const { sql, orgId, stageId } = await ground(queries, open)
      const at = (revision: number) => ({ stageId, revision, by: `user_${revision}`, nowMs: nowMs + revision })
      const stored = async () => (await stages.stageBySlugs(sql, orgId, 'shop', 'live'))?.variables
      await sql.tx((tx) => variables.putVariable(tx, at(2), secret))
      expect(await stored()).toMatchObject([
        { name: 'KEY', kind: 'secret', declared_type: null, facets: '{}', created_at_ms: nowMs + 2 },
      ])
      await sql.tx((tx) => variables.putVariable(tx, at(3), roll))
      const [row, ...others] = (await stored()) ?? []
      expect(others).toEqual([])
      expect(row).toMatchObject({
        kind: 'ab_roll',
        declared_type: 'int64',
        facets: '{"chance":0.5}',
        created_at_ms: nowMs + 2,
        updated_at_ms: nowMs + 3,
      })
      expect(Buffer.from(row?.sealed ?? []).toString()).toBe('sealed roll')
      expect(await sql.all('select updated_by from variables')).toMatchObject([{ updated_by: 'user_3' }])
    })

    test('that are deleted are gone from their own stage only', async () => {
      const { sql, orgId, projectId, stageId } = await ground(queries, open)
      const at = { stageId, revision: 2, by: 'user_1', nowMs }
      await sql.tx(async (tx) => {
        await stages.insertStage(tx, projectId, { id: 'stg_2', slug: 'test', by: 'user_1', nowMs })
        for (const each of ['stg_1', 'stg_2']) await variables.putVariable(tx, { ...at, stageId: each }, secret)
        await variables.putVariable(tx, at, { ...secret, name: 'OTHER' })
        await variables.deleteVariable(tx, { ...at, revision: 3 }, 'KEY')
      })
      expect((await stages.stageBySlugs(sql, orgId, 'shop', 'live'))?.variables).toMatchObject([{ name: 'OTHER' }])
      expect((await stages.stageBySlugs(sql, orgId, 'shop', 'test'))?.variables).toMatchObject([{ name: 'KEY' }])
    })

    test('leave a row of history for each revision that touched them', async () => {
      const { sql, stageId } = await ground(queries, open)
      const at = (revision: number) => ({ stageId, revision, by: `user_${revision}`, nowMs: nowMs + revision })
      await sql.tx((tx) => variables.putVariable(tx, at(2), secret))
      await sql.tx((tx) => variables.putVariable(tx, at(3), roll))
      await sql.tx((tx) => variables.deleteVariable(tx, at(4), 'KEY'))
      const rows = await sql.all<object>(
        `select name, revision, kind, declared_type, facets, written_at_ms, written_by from variable_history
         order by revision`,
      )
      expect(rows.map((row) => Object.values(row))).toEqual([
        ['KEY', 2, 'secret', null, '{}', nowMs + 2, 'user_2'],
        ['KEY', 3, 'ab_roll', 'int64', '{"chance":0.5}', nowMs + 3, 'user_3'],
        ['KEY', 4, null, null, null, nowMs + 4, 'user_4'],
      ])
      const sealed = await sql.all<{ sealed: Uint8Array | null }>(
        'select sealed from variable_history order by revision',
      )
      expect(sealed.map((row) => row.sealed && Buffer.from(row.sealed).toString())).toEqual([
        'sealed secret',
        'sealed roll',
        null,
      ])
    })
  })

  describe(`${name}: old history`, () => {
    test('goes as far as no moment since can ask for it', async () => {
      const { sql, stageId } = await ground(queries, open)
      const at = (revision: number) => ({ stageId, revision, by: 'user_1', nowMs: nowMs + revision * 10 })
      await sql.tx(async (tx) => {
        for (const [revision, variable] of [
          [2, 'KEPT'],
          [3, 'CHANGED'],
          [4, 'CHANGED'],
          [5, 'CHANGED'],
          [6, 'DELETED'],
        ] as const) {
          await variables.putVariable(tx, at(revision), { ...secret, name: variable })
        }
        await variables.deleteVariable(tx, at(7), 'DELETED')
        await variables.putVariable(tx, at(8), { ...secret, name: 'AGAIN' })
        await variables.deleteVariable(tx, at(9), 'AGAIN')
        await variables.putVariable(tx, at(10), { ...secret, name: 'AGAIN' })
      })
      const sweepBefore = async (revision: number): Promise<string[]> => {
        await sql.tx((tx) => variables.deleteHistoryBefore(tx, nowMs + revision * 10))
        return historyOf(sql)
      }
      const late = ['DELETED 6', 'DELETED 7 deleted', 'KEPT 2']
      const again = ['AGAIN 10', 'AGAIN 8', 'AGAIN 9 deleted']
      const changed = (...revisions: number[]): string[] => revisions.map((revision) => `CHANGED ${revision}`)
      expect(await sweepBefore(4)).toEqual([...again, ...changed(3, 4, 5), ...late])
      expect(await sweepBefore(5)).toEqual([...again, ...changed(4, 5), ...late])
      expect(await sweepBefore(7)).toEqual([...again, ...changed(5), ...late])
      expect(await sweepBefore(8)).toEqual([...again, ...changed(5), 'KEPT 2'])
      expect(await sweepBefore(10)).toEqual(['AGAIN 10', ...changed(5), 'KEPT 2'])
      expect(await sweepBefore(1_000)).toEqual(['AGAIN 10', ...changed(5), 'KEPT 2'])
    })

    test('goes for each variable of each stage by itself', async () => {
      const { sql, projectId, stageId } = await ground(queries, open)
      await sql.tx(async (tx) => {
        await stages.insertStage(tx, projectId, { id: 'stg_2', slug: 'test', by: 'user_1', nowMs })
        await variables.putVariable(tx, { stageId, revision: 2, by: 'user_1', nowMs }, secret)
        await variables.putVariable(tx, { stageId, revision: 3, by: 'user_1', nowMs }, { ...secret, name: 'OTHER' })
        await variables.putVariable(tx, { stageId: 'stg_2', revision: 9, by: 'user_1', nowMs }, secret)
        await variables.deleteHistoryBefore(tx, nowMs + 1)
      })
      expect(await historyOf(sql)).toEqual(['KEY 2', 'KEY 9', 'OTHER 3'])
    })
  })
}
