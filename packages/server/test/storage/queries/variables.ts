import { describe, expect, test } from 'vitest'
import type { VariableState } from '../../../src/storage/variables.ts'
import type { OpenSql } from '../sql.suite.ts'
import { platform, nowMs, written } from './ground.ts'
import type { Queries } from './modules.ts'

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
      await sql.tx((tx) => variables.writeVariables(tx, [{ at: at(2), state: secret, origin: 'created' }]))
      expect(await stored()).toMatchObject([
        { name: 'KEY', kind: 'secret', declared_type: null, facets: '{}', created_at_ms: nowMs + 2 },
      ])
      await sql.tx((tx) => variables.writeVariables(tx, [{ at: at(3), state: roll, origin: 'created' }]))
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
          await variables.writeVariables(tx, [{ at: { ...at, stageId: each }, state: secret, origin: 'created' }])
        await variables.writeVariables(tx, [{ at, state: { ...secret, name: 'OTHER' }, origin: 'created' }])
        await variables.writeVariables(tx, [{ at: { ...at, revision: 3 }, origin: 'deleted', name: 'KEY' }])
      })
      expect((await stages.stageBySlugs(sql, orgId, 'shop', 'live'))?.variables).toMatchObject([{ name: 'OTHER' }])
      expect((await stages.stageBySlugs(sql, orgId, 'shop', 'test'))?.variables).toMatchObject([{ name: 'KEY' }])
    })

    test('are what their last change in a call made them, and keep their creation unless they are deleted', async () => {
      const { sql, orgId, stageId } = await platform(queries, open)
      const at = (revision: number) => ({ ...written(stageId, revision), nowMs: nowMs + revision })
      const put = (revision: number, each: string, origin: 'created' | 'updated') =>
        ({
          at: at(revision),
          origin,
          state: { ...secret, name: each, sealed: Buffer.from(`${each}${revision}`) },
        }) as const
      const deletion = (revision: number, each: string) =>
        ({ at: at(revision), origin: 'deleted', name: each }) as const
      // More rows than one statement has, and not a power of two.
      const many = Array.from({ length: 37 }, (_, index) => `N${index}`)
      await sql.tx((tx) => variables.writeVariables(tx, [put(2, 'A', 'created'), put(2, 'B', 'created')]))
      const changes = [
        put(3, 'A', 'updated'),
        ...many.map((each) => put(3, each, 'created')),
        put(4, 'A', 'updated'),
        deletion(4, 'B'),
        put(5, 'N0', 'updated'),
        put(5, 'B', 'created'),
        deletion(6, 'N1'),
      ]
      await sql.tx((tx) => variables.writeVariables(tx, changes))
      const stored = (await stages.stageBySlugs(sql, orgId, 'shop', 'live'))?.variables ?? []
      const shown = stored.map(
        ({ name: each, sealed, created_at_ms: createdAtMs, updated_at_ms: updatedAtMs }) =>
          `${each} ${Buffer.from(sealed).toString()} ${createdAtMs - nowMs} ${updatedAtMs - nowMs}`,
      )
      expect(shown.toSorted()).toEqual(
        ['A A4 2 4', 'B B5 5 5', 'N0 N05 3 5', ...many.slice(2).map((each) => `${each} ${each}3 3 3`)].toSorted(),
      )
      const history = await sql.all<{ name: string; revision: number; change: string }>(
        'select name, revision, change from variable_history',
      )
      const lines = history.map(({ name: each, revision, change }) => `${revision} ${each} ${change}`)
      expect(lines.toSorted()).toEqual(
        [
          '2 A created',
          '2 B created',
          ...changes.map((each) => {
            const of = each.origin === 'deleted' ? each.name : each.state.name
            return `${each.at.revision} ${of} ${each.origin}`
          }),
        ].toSorted(),
      )
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
      await sql.tx((tx) => variables.writeVariables(tx, [{ at: at(2), state: secret, origin: 'created' }]))
      await sql.tx((tx) => variables.writeVariables(tx, [{ at: at(3), state: roll, origin: 'created' }]))
      await sql.tx((tx) => variables.writeVariables(tx, [{ at: at(4), origin: 'deleted', name: 'KEY' }]))
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
