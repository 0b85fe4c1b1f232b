import { describe, expect, test } from 'vitest'
import type { Sql } from '../../../src/storage/sql.ts'
import type { HistoryPosition } from '../../../src/storage/history.ts'
import { maxPicked } from '../../../src/storage/picked.ts'
import type { VariableState } from '../../../src/storage/variables.ts'
import type { OpenSql } from '../sql.suite.ts'
import { platform, nowMs, written } from './ground.ts'
import type { Queries } from './modules.ts'

const secret: VariableState = {
  name: 'KEY',
  kind: 'secret',
  declaredType: null,
  attributes: '{}',
  sealed: Buffer.from('sealed'),
}

/** The history as short texts, by name and revision. */
async function historyOf(sql: Sql): Promise<string[]> {
  const rows = await sql.all<{ name: string; revision: number; sealed: Uint8Array | null }>(
    'select name, revision, sealed from variable_history',
  )
  return rows.map((row) => `${row.name} ${row.revision}${row.sealed ? '' : ' deleted'}`).toSorted()
}

export function historyQueries(name: string, queries: Queries, open: OpenSql): void {
  const { history, stages, variables } = queries

  /** Deletes all history from before a time that nothing needs, in several transactions. */
  async function deleteBefore(sql: Sql, beforeMs: number): Promise<void> {
    let next: HistoryPosition | undefined = { written_at_ms: 0, stage_id: '', name: '', revision: 0 }
    while (next) {
      const after: HistoryPosition = next
      next = await sql.tx((tx) => history.deleteSomeHistory(tx, beforeMs, after))
    }
  }

  /** A stage whose revisions 2 to 6 create A, create B, update A, delete A, create A again. */
  async function filled() {
    const found = await platform(queries, open)
    const { sql, projectId, stageId } = found
    const state = (variable: string, text: string): VariableState => ({
      ...secret,
      name: variable,
      attributes: `{"chance":${text}}`,
      sealed: Buffer.from(text),
    })
    await sql.tx(async (tx) => {
      await stages.insertStage(tx, projectId, { id: 'stg_2', slug: 'test', by: 'user_1', nowMs })
      await variables.writeVariables(tx, [{ at: written(stageId, 2, 20), state: state('A', '0.2'), origin: 'created' }])
      await variables.writeVariables(tx, [{ at: written(stageId, 3, 30), state: state('B', '0.3'), origin: 'created' }])
      await variables.writeVariables(tx, [{ at: written(stageId, 4, 40), state: state('A', '0.4'), origin: 'updated' }])
      await variables.writeVariables(tx, [{ at: written(stageId, 5, 50), origin: 'deleted', name: 'A' }])
      await variables.writeVariables(tx, [
        { at: written(stageId, 6, 60), state: state('A', '0.6'), origin: 'restored' },
      ])
      await variables.writeVariables(tx, [{ at: written('stg_2', 2, 20), state: state('A', '0.9'), origin: 'created' }])
    })
    return found
  }

  describe(`${name}: history`, () => {
    test('and the current variables contain everything that was sealed and is kept', async () => {
      const { sql, stageId } = await filled()
      const rows = await history.sealedStates(sql, stageId)
      const shown = rows.map((row) => `${row.kind} ${row.name} ${Buffer.from(row.sealed).toString()}`)
      const past = ['secret A 0.2', 'secret A 0.4', 'secret A 0.6', 'secret B 0.3']
      expect(shown.toSorted()).toEqual([...past, 'secret A 0.6', 'secret B 0.3'].toSorted())
    })

    test('lists what each revision did, with the state before', async () => {
      const { sql, stageId } = await filled()
      const rows = (await history.changesOf(sql, stageId, {}, 10)).toSorted((a, b) => a.revision - b.revision)
      expect(rows.map((row) => [row.revision, row.name, row.change, row.facets, row.before_facets])).toEqual([
        [2, 'A', 'created', '{"chance":0.2}', null],
        [3, 'B', 'created', '{"chance":0.3}', null],
        [4, 'A', 'updated', '{"chance":0.4}', '{"chance":0.2}'],
        [5, 'A', 'deleted', null, '{"chance":0.4}'],
        [6, 'A', 'restored', '{"chance":0.6}', null],
      ])
      const [, , third] = rows
      expect(third).toMatchObject({
        written_at_ms: nowMs + 40,
        written_by: 'user_1',
        client: 'cli session laptop',
        kind: 'secret',
        declared_type: null,
        before_kind: 'secret',
        before_declared_type: null,
      })
      expect([third?.sealed, third?.before_sealed].map((each) => Buffer.from(each ?? []).toString())).toEqual([
        '0.4',
        '0.2',
      ])
    })

    test('is returned in whole revisions, before a revision and for one variable', async () => {
      const { sql, stageId } = await filled()
      await sql.tx(async (tx) => {
        for (const each of ['X', 'Y', 'Z']) {
          await variables.writeVariables(tx, [
            { at: written(stageId, 7), state: { ...secret, name: each }, origin: 'created' },
          ])
        }
      })
      const revisions = async (filter: object, least: number): Promise<number[]> =>
        (await history.changesOf(sql, stageId, filter, least)).map(({ revision }) => revision).toSorted((a, b) => a - b)
      expect(await revisions({}, 1)).toEqual([7, 7, 7])
      expect(await revisions({}, 3)).toEqual([7, 7, 7])
      expect(await revisions({}, 4)).toEqual([6, 7, 7, 7])
      expect(await revisions({ before: 7 }, 2)).toEqual([5, 6])
      expect(await revisions({ name: 'A' }, 2)).toEqual([5, 6])
      expect(await revisions({ name: 'A', before: 5 }, 9)).toEqual([2, 4])
      expect(await revisions({ name: 'a' }, 9)).toEqual([])
      expect(await revisions({ before: 2 }, 9)).toEqual([])
    })

    test('returns the first changes of each picked revision, with the attributes before', async () => {
      const { sql, stageId } = await filled()
      await sql.tx(async (tx) => {
        for (const each of ['E', 'D', 'C', 'B', 'A', 'F']) {
          await variables.writeVariables(tx, [
            { at: written(stageId, 7), state: { ...secret, name: each }, origin: 'restored' },
          ])
        }
      })
      const firstOf = async (...revisions: Parameters<typeof history.firstChangesOf>[1]): Promise<string[]> =>
        (await history.firstChangesOf(sql, revisions, 5))
          .map(
            (row) =>
              `${row.stage_id} ${row.revision} ${row.name} ${row.change} ${row.before_facets ?? '-'} ${row.facets ?? '-'}`,
          )
          .toSorted()
      const updated = `${stageId} 4 A updated {"chance":0.2} {"chance":0.4}`
      expect(await firstOf({ stageId, revision: 4 })).toEqual([updated])
      const revisions = [2, 4, 5, 6].map((revision) => ({ stageId, revision }))
      expect(await firstOf(...revisions, { stageId: 'stg_2', revision: 2 }, { stageId: 'stg_2', revision: 4 })).toEqual(
        [
          `${stageId} 2 A created - {"chance":0.2}`,
          updated,
          `${stageId} 5 A deleted {"chance":0.4} -`,
          `${stageId} 6 A restored - {"chance":0.6}`,
          'stg_2 2 A created - {"chance":0.9}',
        ],
      )
      const five = ['A', 'B', 'C', 'D', 'E']
      const names = (await history.firstChangesOf(sql, [{ stageId, revision: 7 }], 5)).map((row) => row.name)
      expect(names.toSorted()).toEqual(five)
    })

    test('returns the variables of a revision as they were', async () => {
      const { sql, stageId } = await filled()
      const at = async (revision: number): Promise<string[]> =>
        (await history.variablesAt(sql, stageId, revision, ['A', 'B', 'NONE']))
          .map((row) => `${row.name} ${row.facets}`)
          .toSorted()
      expect(await at(1)).toEqual([])
      expect(await at(2)).toEqual(['A {"chance":0.2}'])
      expect(await at(3)).toEqual(['A {"chance":0.2}', 'B {"chance":0.3}'])
      expect(await at(4)).toEqual(['A {"chance":0.4}', 'B {"chance":0.3}'])
      expect(await at(5)).toEqual(['B {"chance":0.3}'])
      expect(await at(9)).toEqual(['A {"chance":0.6}', 'B {"chance":0.3}'])
      const names = (after: string) => history.namesInHistory(sql, stageId, after)
      expect([await names(''), await names('A'), await names('B')]).toEqual([['A', 'B'], ['B'], []])
    })

    test('returns the last attributes of each variable, also of one that was deleted', async () => {
      const { sql, stageId } = await filled()
      await sql.tx((tx) =>
        variables.writeVariables(tx, [{ at: written(stageId, 7, 70), origin: 'deleted', name: 'B' }]),
      )
      const latest = async (...names: string[]): Promise<string[]> =>
        (await history.latestAttributes(sql, stageId, names)).map((row) => `${row.name} ${row.facets}`).toSorted()
      expect(await latest('A', 'B')).toEqual(['A {"chance":0.6}', 'B {"chance":0.3}'])
      expect(await latest('A')).toEqual(['A {"chance":0.6}'])
      expect(await latest('NONE')).toEqual([])
    })

    test('returns each of the attributes that a variable had as a template once', async () => {
      const { sql, stageId } = await filled()
      const ofA = '{"template":true,"sources":["A"]}'
      const none = '{"template":true,"sources":[]}'
      for (const [at, attributes] of [ofA, ofA, none, '{"description":"d"}'].entries()) {
        const state = { name: 'T', kind: 'secret', declaredType: null, attributes, sealed: Buffer.from('x') } as const
        const change = { at: written(stageId, 7 + at, 70 + at), origin: 'updated', state } as const
        await sql.tx((tx) => variables.writeVariables(tx, [change]))
      }
      const rows = await history.templateHistory(sql, stageId, ['A', 'T', 'NONE'])
      expect(rows.map((row) => `${row.name} ${row.facets}`).toSorted()).toEqual([`T ${ofA}`, `T ${none}`])
    })

    test('returns the attributes that a variable had, and when', async () => {
      const { sql, stageId } = await filled()
      const rows = await history.attributeHistory(sql, stageId, 'A', { max: 9 })
      expect(rows.map((row) => [row.revision, row.facets, row.written_at_ms - nowMs])).toEqual([
        [6, '{"chance":0.6}', 60],
        [5, null, 50],
        [4, '{"chance":0.4}', 40],
        [2, '{"chance":0.2}', 20],
      ])
      const before = await history.attributeHistory(sql, stageId, 'A', { before: 6, max: 2 })
      expect(before.map(({ revision }) => revision)).toEqual([5, 4])
    })

    test('is complete from the revision that replaced the latest deleted state', async () => {
      const { sql, stageId } = await filled()
      const floorAfter = async (laterMs: number): Promise<number> => {
        await deleteBefore(sql, nowMs + laterMs)
        return history.historyFloor(sql, stageId)
      }
      expect(await history.historyFloor(sql, stageId)).toBe(1)
      // Revision 4 is as old as it may be, so revision 2 is still known by the row that it replaced.
      expect(await floorAfter(40)).toBe(1)
      expect(await floorAfter(41)).toBe(4)
      expect(await floorAfter(51)).toBe(5)
      expect(await floorAfter(30)).toBe(5)
      expect(await floorAfter(1_000)).toBe(5)
      expect(await history.historyFloor(sql, 'stg_2')).toBe(1)
      expect((await history.variablesAt(sql, stageId, 5, ['A', 'B'])).map((row) => row.name)).toEqual(['B'])
    })
  })

  describe(`${name}: old history`, () => {
    test('is deleted if no later time needs it', async () => {
      const { sql, stageId } = await platform(queries, open)
      const at = (revision: number) => written(stageId, revision, revision * 10)
      await sql.tx(async (tx) => {
        for (const [revision, variable] of [
          [2, 'KEPT'],
          [3, 'CHANGED'],
          [4, 'CHANGED'],
          [5, 'CHANGED'],
          [6, 'DELETED'],
        ] as const) {
          await variables.writeVariables(tx, [
            { at: at(revision), state: { ...secret, name: variable }, origin: 'created' },
          ])
        }
        await variables.writeVariables(tx, [{ at: at(7), origin: 'deleted', name: 'DELETED' }])
        await variables.writeVariables(tx, [{ at: at(8), state: { ...secret, name: 'AGAIN' }, origin: 'created' }])
        await variables.writeVariables(tx, [{ at: at(9), origin: 'deleted', name: 'AGAIN' }])
        await variables.writeVariables(tx, [{ at: at(10), state: { ...secret, name: 'AGAIN' }, origin: 'created' }])
      })
      const sweepBefore = async (revision: number): Promise<string[]> => {
        await deleteBefore(sql, nowMs + revision * 10)
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

    test('has the revisions of a stage and of a variable, the newest first', async () => {
      const { sql, stageId } = await platform(queries, open)
      await sql.tx(async (tx) => {
        for (const [revision, variable] of [
          [2, 'KEY'],
          [2, 'OTHER'],
          [3, 'OTHER'],
          [5, 'KEY'],
        ] as const)
          await variables.writeVariables(tx, [
            { at: written(stageId, revision), state: { ...secret, name: variable }, origin: 'updated' },
          ])
      })
      const revisionsOf = async (filter: Parameters<typeof history.revisionsOf>[2], max = 9) =>
        (await history.revisionsOf(sql, stageId, filter, max)).map(({ revision }) => revision)
      expect(await revisionsOf({ upTo: 9 })).toEqual([5, 3, 2])
      expect(await revisionsOf({ upTo: 4 }, 1)).toEqual([3])
      expect(await revisionsOf({ name: 'KEY', upTo: 4 })).toEqual([2])
      expect(await revisionsOf({ name: 'NONE', upTo: 9 })).toEqual([])
    })

    test('is deleted separately for each variable of each stage', async () => {
      const { sql, projectId, stageId } = await platform(queries, open)
      await sql.tx(async (tx) => {
        await stages.insertStage(tx, projectId, { id: 'stg_2', slug: 'test', by: 'user_1', nowMs })
        await variables.writeVariables(tx, [{ at: written(stageId, 2), state: secret, origin: 'created' }])
        await variables.writeVariables(tx, [
          { at: written(stageId, 3), state: { ...secret, name: 'OTHER' }, origin: 'created' },
        ])
        await variables.writeVariables(tx, [{ at: written('stg_2', 9), state: secret, origin: 'created' }])
      })
      await deleteBefore(sql, nowMs + 1)
      expect(await historyOf(sql)).toEqual(['KEY 2', 'KEY 9', 'OTHER 3'])
    })

    test('is deleted from where it was left, page by page', async () => {
      const { sql, stageId } = await platform(queries, open)
      const last = 2 * maxPicked
      await sql.tx(async (tx) => {
        for (let revision = 2; revision <= last; revision++) {
          const at = written(stageId, revision, Math.floor(revision / 4))
          const state = revision < 4 ? { ...secret, name: 'OLD' } : secret
          await variables.writeVariables(tx, [{ at, state, origin: 'updated' }])
        }
      })
      const some = (after: HistoryPosition) => sql.tx((tx) => history.deleteSomeHistory(tx, nowMs + 100, after))
      // OLD was looked at before.
      const first: HistoryPosition = { written_at_ms: nowMs + 1, stage_id: '', name: '', revision: 0 }
      const next = await some(first)
      expect(next).toMatchObject({ stage_id: stageId, name: 'KEY', revision: 3 + maxPicked })
      expect(await some(next ?? first)).toBeUndefined()
      expect(await historyOf(sql)).toEqual([`KEY ${last}`, 'OLD 2', 'OLD 3'])
      expect(await history.historyFloor(sql, stageId)).toBe(last)
    })
  })
}
