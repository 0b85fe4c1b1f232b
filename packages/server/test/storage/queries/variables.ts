import { describe, expect, test } from 'vitest'
import type { VariableState } from '../../../src/storage/variables.ts'
import type { OpenSql } from '../sql.suite.ts'
import { platform, nowMs, written } from './ground.ts'
import type { Queries } from './recorder.ts'

const secret: VariableState = {
  name: 'KEY',
  kind: 'secret',
  declaredType: null,
  attributes: '{}',
  sealed: Buffer.from('sealed secret'),
}
const roll: VariableState = {
  name: 'KEY',
  kind: 'ab_roll',
  declaredType: 'int64',
  attributes: '{"chance":0.5}',
  sealed: Buffer.from('sealed roll'),
}

export function variableQueries(name: string, queries: Queries, open: OpenSql): void {
  const { stages, variables } = queries

  describe(`${name}: variables`, () => {
    test('are stored whole, and replaced whole but for the time of creation', async () => {
      const { sql, orgId, stageId } = await platform(queries, open)
      const at = (revision: number) => ({
        stageId,
        revision,
        by: `user_${revision}`,
        client: 'cli session',
        nowMs: nowMs + revision,
      })
      const stored = async () => (await stages.stageBySlugs(sql, orgId, 'shop', 'live'))?.variables
      await sql.tx((tx) => variables.putVariable(tx, at(2), secret, 'created'))
      expect(await stored()).toMatchObject([
        { name: 'KEY', kind: 'secret', declared_type: null, facets: '{}', created_at_ms: nowMs + 2 },
      ])
      await sql.tx((tx) => variables.putVariable(tx, at(3), roll, 'created'))
      const [row, ...others] = (await stored()) ?? []
      expect(others).toEqual([])
      expect(row).toMatchObject({
        kind: 'ab_roll',
        declared_type: 'int64',
        facets: '{"chance":0.5}',
        created_at_ms: nowMs + 2,
        updated_at_ms: nowMs + 3,
        updated_by: 'user_3',
      })
      expect(Buffer.from(row?.sealed ?? []).toString()).toBe('sealed roll')
    })

    test('that are deleted are gone from their own stage only', async () => {
      const { sql, orgId, projectId, stageId } = await platform(queries, open)
      const at = written(stageId, 2)
      await sql.tx(async (tx) => {
        await stages.insertStage(tx, projectId, { id: 'stg_2', slug: 'test', by: 'user_1', nowMs })
        for (const each of ['stg_1', 'stg_2'])
          await variables.putVariable(tx, { ...at, stageId: each }, secret, 'created')
        await variables.putVariable(tx, at, { ...secret, name: 'OTHER' }, 'created')
        await variables.deleteVariable(tx, { ...at, revision: 3 }, 'KEY')
      })
      expect((await stages.stageBySlugs(sql, orgId, 'shop', 'live'))?.variables).toMatchObject([{ name: 'OTHER' }])
      expect((await stages.stageBySlugs(sql, orgId, 'shop', 'test'))?.variables).toMatchObject([{ name: 'KEY' }])
    })

    test('leave a row of history for each revision that touched them', async () => {
      const { sql, stageId } = await platform(queries, open)
      const at = (revision: number) => ({
        stageId,
        revision,
        by: `user_${revision}`,
        client: 'cli session',
        nowMs: nowMs + revision,
      })
      await sql.tx((tx) => variables.putVariable(tx, at(2), secret, 'created'))
      await sql.tx((tx) => variables.putVariable(tx, at(3), roll, 'created'))
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
}
