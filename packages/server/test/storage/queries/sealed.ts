import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { OpenSql } from '../sql.suite.ts'
import { platform, nowMs, written } from './ground.ts'
import type { Queries } from './modules.ts'

const [older, newer] = [randomBytes(16).toString('hex'), randomBytes(16).toString('hex')]

/** As `stages/payloads.ts` packs what a key has sealed. */
function sealedBy(keyId: string, text: string): Buffer {
  return Buffer.concat([Buffer.from('000000ff0101', 'hex'), Buffer.from(keyId, 'hex'), Buffer.from(text)])
}

export function sealedQueries(name: string, queries: Queries, open: OpenSql): void {
  const { keys, sealed, stages, variables } = queries

  /** A stage in which A is of the older key at revisions 2 and 3, B of both, C is deleted; and another with A. */
  async function filled() {
    const found = await platform(queries, open)
    const { sql, projectId, stageId } = found
    const state = (variable: string, keyId: string, text: string) =>
      ({
        name: variable,
        kind: 'secret',
        declaredType: null,
        attributes: '{}',
        sealed: sealedBy(keyId, text),
      }) as const
    await sql.tx(async (tx) => {
      await stages.insertStage(tx, projectId, { id: 'stg_2', slug: 'test', by: 'user_1', nowMs })
      for (const revision of [2, 3]) {
        await variables.writeVariables(tx, [
          { at: written(stageId, revision), state: state('A', older, `a${revision}`), origin: 'updated' },
        ])
      }
      await variables.writeVariables(tx, [
        { at: written(stageId, 4), state: state('B', older, 'b4'), origin: 'created' },
      ])
      await variables.writeVariables(tx, [
        { at: written(stageId, 5), state: state('B', newer, 'b5'), origin: 'updated' },
      ])
      await variables.writeVariables(tx, [
        { at: written(stageId, 6), state: state('C', older, 'c6'), origin: 'created' },
      ])
      await variables.writeVariables(tx, [{ at: written(stageId, 7), origin: 'deleted', name: 'C' }])
      await variables.writeVariables(tx, [
        { at: written('stg_2', 2), state: state('A', older, 'other'), origin: 'created' },
      ])
    })
    return found
  }

  const start = { name: '', revision: 0 }

  describe(`${name}: what a key has sealed`, () => {
    test('shows that it is in use, in the present and in the history', async () => {
      const { sql } = await filled()
      expect([await sealed.isKeyInUse(sql, older), await sealed.isKeyInUse(sql, newer)]).toEqual([true, true])
      expect(await sealed.isKeyInUse(sql, randomBytes(16).toString('hex'))).toBe(false)
      await sql.tx((tx) => tx.all('delete from variables'))
      expect(await sealed.isKeyInUse(sql, older)).toBe(true)
      await sql.tx((tx) => tx.all('delete from variable_history'))
      expect(await sealed.isKeyInUse(sql, older)).toBe(false)
    })

    test('is returned by stage and in order, among what others have sealed', async () => {
      const { sql, stageId } = await filled()
      const next = { stageId, keyId: older, after: start, limit: 10 }
      const shown = (rows: readonly { name: string; revision: number; sealed: Uint8Array | null }[]) =>
        rows.map(
          (row) => `${row.name} ${row.revision} ${row.sealed ? Buffer.from(row.sealed.subarray(22)).toString() : '-'}`,
        )
      expect(shown(await sealed.variablesUnderKey(sql, next))).toEqual(['A 0 a3', 'B 0 -'])
      expect(shown(await sealed.variablesUnderKey(sql, { ...next, keyId: newer }))).toEqual(['A 0 -', 'B 0 b5'])
      expect(await sealed.variablesUnderKey(sql, { ...next, after: { name: 'B', revision: 0 } })).toEqual([])
      const history = ['A 2 a2', 'A 3 a3', 'B 4 b4', 'B 5 -', 'C 6 c6', 'C 7 -']
      expect(shown(await sealed.historyUnderKey(sql, next))).toEqual(history)
      const after = { name: 'A', revision: 2 }
      expect(shown(await sealed.historyUnderKey(sql, { ...next, after, limit: 2 }))).toEqual(['A 3 a3', 'B 4 b4'])
    })

    test('is replaced once by the same value under another key', async () => {
      const { sql, orgId, stageId } = await filled()
      const row = (variable: string, revision: number, text: string) =>
        ({ name: variable, revision, kind: 'secret', sealed: sealedBy(newer, text) }) as const
      await sql.tx(async (tx) => {
        await sealed.resealVariable(tx, stageId, older, row('A', 0, 'again'))
        // Another key has sealed it by now.
        await sealed.resealVariable(tx, stageId, older, row('B', 0, 'never'))
        await sealed.resealHistory(tx, stageId, older, row('A', 2, 'again'))
        await sealed.resealHistory(tx, stageId, older, row('B', 5, 'never'))
      })
      const stored = await stages.stageBySlugs(sql, orgId, 'shop', 'live')
      expect(stored?.revision).toBe(1)
      const texts = stored?.variables.map((each) => Buffer.from(each.sealed.subarray(22)).toString())
      expect(texts?.toSorted()).toEqual(['again', 'b5'])
      const past = await sql.all<{ sealed: Uint8Array }>(
        "select sealed from variable_history where stage_id = $1 and name in ('A', 'B') order by revision",
        stageId,
      )
      expect(past.map((each) => Buffer.from(each.sealed.subarray(22)).toString())).toEqual(['again', 'a3', 'b4', 'b5'])
    })

    test('keeps the retired key until nothing that it sealed is left', async () => {
      const { sql, projectId } = await filled()
      const row = (id: string) => ({ id, kms: 'local:12345678', wrapped: Buffer.from('wrapped') })
      const remove = (id: string) => sql.tx((tx) => sealed.deleteUnusedKey(tx, id))
      await sql.tx(async (tx) => {
        await keys.insertDataKey(tx, projectId, row(older), nowMs)
        await tx.all("delete from variables where name <> 'B'")
      })
      expect(await remove(older)).toBe(false)
      await sql.tx((tx) => keys.retireDataKey(tx, projectId, nowMs + 1, nowMs))
      await sql.tx((tx) => tx.all("delete from variable_history where name <> 'C' and revision < 5"))
      expect(await remove(older)).toBe(false)
      await sql.tx((tx) => tx.all("delete from variable_history where name = 'C'"))
      expect(await remove(older)).toBe(true)
      expect(await keys.dataKeysOfProject(sql, projectId)).toEqual([])
      const unused = randomBytes(16).toString('hex')
      await sql.tx((tx) => keys.insertDataKey(tx, projectId, row(unused), nowMs))
      expect(await remove(unused)).toBe(false)
    })
  })
}
