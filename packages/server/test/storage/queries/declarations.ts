import { describe, expect, test } from 'vitest'
import type { OpenSql } from '../sql.suite.ts'
import { maxPicked } from '../../../src/storage/picked.ts'
import { announceVariables } from '../../../src/notifications/variable-notices.ts'
import type { Reader, Sql } from '../../../src/storage/sql.ts'
import { TestClock } from '../../../testkit/clock.ts'
import { nowMs, platform, winnersOf, written } from './ground.ts'
import type { Queries } from './modules.ts'

/** Returns a store whose methods can be replaced. */
function methodsOf(sql: Sql): Sql {
  return {
    all: (text, ...params) => sql.all(text, ...params),
    tx: (work, durability) => sql.tx(work, durability),
    atOnce: (send, durability) => sql.atOnce(send, durability),
    alone: (work) => sql.alone(work),
    close: () => sql.close(),
  }
}

export function declarationQueries(name: string, queries: Queries, open: OpenSql): void {
  const { declarations, projects, stages, variables } = queries
  const by = 'user_1'
  const row = (of: string, content = '{}') => ({ name: of, content, updated_at_ms: nowMs, updated_by: by })

  describe(`${name}: declarations`, () => {
    test('are inserted, replaced, found by their names and deleted', async () => {
      const { sql, orgId, projectId } = await platform(queries, open)
      await sql.tx(async (tx) => {
        await stages.insertProject(tx, orgId, { id: 'prj_2', slug: 'blog', by: 'user_1', nowMs })
        await declarations.putDeclarations(
          tx,
          projectId,
          ['A', 'B', 'C'].map((each) => row(each)),
          { nowMs, by },
        )
        await declarations.putDeclarations(tx, projectId, [row('A', '{"owner":"Ops"}')], { nowMs, by })
        await declarations.putDeclarations(tx, 'prj_2', [row('A')], { nowMs, by })
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

    test('are read in pages, and again from the first if they change between two', async () => {
      const { sql, projectId } = await platform(queries, open)
      const names = Array.from({ length: 2_001 }, (_, index) => `N${String(index).padStart(4, '0')}`)
      await sql.tx(async (tx) => {
        for (let at = 0; at < names.length; at += maxPicked) {
          const page = names.slice(at, at + maxPicked).map((each) => row(each))
          await declarations.putDeclarations(tx, projectId, page, { nowMs, by })
        }
      })
      let reads = 0
      const changing: Reader = {
        all: async (text, ...params) => {
          if (++reads === 2)
            await sql.tx(async (tx) => {
              await declarations.deleteDeclarations(tx, projectId, ['N0000'])
              await declarations.advanceDeclarations(tx, projectId)
            })
          return sql.all(text, ...params)
        },
      }
      const found = await declarations.declarationsOf(changing, projectId)
      expect([found?.version, found?.rows.length, reads]).toEqual([1, 2_000, 5])
      expect(new Set(found?.rows.map((each) => each.name))).toEqual(new Set(names.slice(1)))
    })

    test('count their changes', async () => {
      const { sql, projectId } = await platform(queries, open)
      await sql.tx((tx) => declarations.advanceDeclarations(tx, projectId))
      const at = (version: number) => declarations.areDeclarationsAt(sql, projectId, version)
      expect([await at(0), await at(1)]).toEqual([false, true])
      await sql.tx((tx) => declarations.deleteDeclarationsOf(tx, projectId))
      expect([await at(1), await at(2)]).toEqual([false, true])
    })

    test('know when a variable got its value, and which variables have had theirs since before a time', async () => {
      const { sql, orgId, projectId, stageId } = await platform(queries, open)
      const write = (revision: number, change: { readonly name: string; readonly keepsValue?: boolean }) => {
        const at = { ...written(stageId, revision), nowMs: nowMs + revision }
        const state = {
          ...change,
          kind: 'secret',
          declaredType: null,
          attributes: '{}',
          sealed: Buffer.from('x'),
        } as const
        return { at, origin: 'updated', state, keepsValue: change.keepsValue ?? false } as const
      }
      const age = (of: string, since: number) => ({ stage_slug: 'live', name: of, value_at_ms: nowMs + since })
      const aged = (names: readonly string[], since: number) =>
        declarations.agedValues(
          sql,
          projectId,
          names.map((of) => ({ name: of, atMs: nowMs + since })),
        )
      await sql.tx((tx) => variables.writeVariables(tx, [write(2, { name: 'A' }), write(2, { name: 'B' })]))
      await sql.tx((tx) =>
        variables.writeVariables(tx, [
          write(3, { name: 'A', keepsValue: true }),
          write(3, { name: 'B' }),
          write(4, { name: 'B', keepsValue: true }),
        ]),
      )
      // A row from before the column.
      await sql.tx((tx) => variables.writeVariables(tx, [write(5, { name: 'OLD' })]))
      await sql.tx((tx) => tx.all('update variables set value_at_ms = null where name = $1', 'OLD'))
      const times = (names: readonly string[]) => declarations.valueTimes(sql, stageId, names)
      expect(new Map(await times(['A', 'B', 'OLD', 'NONE']))).toEqual(
        new Map([
          ['A', nowMs + 2],
          ['B', nowMs + 3],
          ['OLD', nowMs + 5],
        ]),
      )
      await sql.tx((tx) => variables.writeVariables(tx, [write(6, { name: 'OLD', keepsValue: true })]))
      expect(await times(['OLD'])).toEqual([['OLD', nowMs + 5]])
      expect(await aged(['A', 'B', 'NONE'], 2)).toEqual([age('A', 2)])
      expect(new Set(await aged(['A', 'B'], 3))).toEqual(new Set([age('A', 2), age('B', 3)]))
      expect(await declarations.declaredProjects(sql, orgId)).toEqual([])
      await sql.tx((tx) => declarations.advanceDeclarations(tx, projectId))
      const project = { id: projectId, slug: 'shop', declarations_version: 1 }
      const found = () => declarations.declaredProjects(sql, orgId)
      expect([await found(), await declarations.declaredProjects(sql, 'org_2')]).toEqual([[project], []])
      await sql.tx((tx) => tx.all('update stages set archived_at_ms = 1 where id = $1', stageId))
      await sql.tx((tx) => tx.all('update projects set archived_at_ms = 1 where id = $1', projectId))
      expect([await aged(['A'], 9), await found()]).toEqual([[], []])
    })

    test('have one notice for each time that a rotation is due or a chance is not kept, unless another value came', async () => {
      const { sql, orgId, stageId } = await platform(queries, open)
      const state = {
        name: 'A',
        kind: 'secret',
        declaredType: null,
        attributes: '{}',
        sealed: Buffer.from('x'),
      } as const
      const write = (revision: number, keepsValue: boolean) =>
        sql.tx((tx) => {
          const at = { ...written(stageId, revision), nowMs: nowMs + revision }
          return variables.writeVariables(tx, [{ at, origin: 'updated', state, keepsValue }])
        })
      const place = { orgId, projectSlug: 'shop', stageSlug: 'live', name: 'A' }
      const told = async (what: 'due' | 'misfit', ofMs: number, since: number): Promise<number> => {
        const times = { ofMs, writtenAtMs: nowMs + since }
        const isUntold = await declarations.isUntold(sql, place, what, times)
        const { length } = await winnersOf(sql, (tx) => declarations.markTold(tx, place, what, times))
        expect(isUntold).toBe(length > 0)
        return length
      }
      await write(2, false)
      await write(3, true)
      const killed = sql.tx(async (tx) => {
        await declarations.markTold(tx, place, 'due', { ofMs: 10, writtenAtMs: nowMs + 2 })
        throw new Error('killed')
      })
      await expect(killed).rejects.toThrow('killed')
      expect([await told('due', 10, 2), await told('due', 10, 2), await told('due', 9, 2)]).toEqual([1, 0, 0])
      expect([await told('misfit', 10, 2), await told('misfit', 10, 3)]).toEqual([0, 1])
      await write(4, false)
      expect([await told('due', 11, 2), await told('due', 11, 4), await told('misfit', 10, 4)]).toEqual([0, 1, 0])
      // A look at what was announced writes nothing.
      let writes = 0
      const announce = (dueAtMs: number): Promise<void> =>
        announceVariables({
          sql: { ...methodsOf(sql), tx: (work) => (writes++, sql.tx(work)) },
          clock: new TestClock(nowMs),
          overdueOf: async () => [{ ...place, valueAtMs: nowMs + 4, dueAtMs, owner: undefined }],
          misfitsOf: async () => [],
        })
      for (const dueAtMs of [11, 12, 12]) await announce(dueAtMs)
      expect(writes).toBe(1)
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
