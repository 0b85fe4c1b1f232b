import { describe, expect, test } from 'vitest'
import { operatorActorOf } from '../../../src/storage/actor.ts'
import type { OpenSql } from '../sql.suite.ts'
import { platform, nowMs } from './ground.ts'
import type { Queries } from './modules.ts'

export function revisionQueries(name: string, queries: Queries, open: OpenSql): void {
  const { audit, changes, organizations, revisions, stages, variables } = queries

  describe(`${name}: revisions`, () => {
    test('of all stages of some projects are returned together', async () => {
      const { sql, orgId, projectId, stageId } = await platform(queries, open)
      const by = { by: 'user_1', nowMs }
      await sql.tx(async (tx) => {
        await stages.insertStage(tx, projectId, { id: 'stg_2', slug: 'test', ...by })
        for (const number of [2, 3, 4]) {
          await stages.insertProject(tx, orgId, { id: `prj_${number}`, slug: `p${number}`, ...by })
          await stages.insertStage(tx, `prj_${number}`, { id: `stg_${number}0`, slug: 'live', ...by })
        }
        await stages.advanceRevision(tx, stageId, { from: 1, by: 1, bytes: 0, nowMs })
        await changes.noteMove(tx, stageId)
      })
      const shown = async (ids: string[]) =>
        (await revisions.stageHeads(sql, ids)).map((row) => Object.values(row).join(' ').trimEnd()).toSorted()
      expect(await shown([projectId])).toEqual([`prj_1 stg_1 live 2 ${nowMs}  1`, `prj_1 stg_2 test 1 ${nowMs}  0`])
      expect(await shown(['prj_2', 'prj_none', 'prj_4'])).toEqual([
        `prj_2 stg_20 live 1 ${nowMs}  0`,
        `prj_4 stg_40 live 1 ${nowMs}  0`,
      ])
      expect(await shown(['prj_1', 'prj_2', 'prj_3', 'prj_4', 'prj_5'])).toHaveLength(5)
    })

    test('move together with the end of the audit log of their organization', async () => {
      const { sql, orgId } = await platform(queries, open)
      const record = (id: string) =>
        sql.tx((tx) => audit.appendAudit(tx, operatorActorOf(id), { action: 'sign-out', nowMs }))
      const ends = (...ids: string[]) => revisions.logEnds(sql, ids)
      await sql.tx((tx) =>
        organizations.insertOrganization(tx, { id: 'org_2', idpOrgId: 'idp_2', slug: 'other', nowMs }),
      )
      expect(await ends(orgId)).toEqual(new Map())
      await record(orgId)
      await record('org_2')
      const first = await ends(orgId, 'org_2', 'org_none')
      expect([...first.keys()].toSorted()).toEqual([orgId, 'org_2'])
      await record('org_2')
      expect(await ends(orgId)).toEqual(new Map([[orgId, first.get(orgId)]]))
      expect((await ends('org_2')).get('org_2')).not.toBe(first.get('org_2'))
    })

    test('of a stage list what they touched, the earliest first', async () => {
      const { sql, stageId } = await platform(queries, open)
      const state = { kind: 'secret', declaredType: null, attributes: '{}', sealed: Buffer.from('s') } as const
      const at = (revision: number, id = stageId) => ({
        stageId: id,
        revision,
        by: 'user_1',
        client: 'dashboard',
        nowMs,
      })
      await sql.tx(async (tx) => {
        await stages.insertStage(tx, 'prj_1', { id: 'stg_2', slug: 'test', by: 'user_1', nowMs })
        for (const variable of ['A', 'B'])
          await variables.writeVariables(tx, [{ at: at(2), state: { ...state, name: variable }, origin: 'created' }])
        await variables.writeVariables(tx, [{ at: at(3), state: { ...state, name: 'B' }, origin: 'updated' }])
        await variables.writeVariables(tx, [{ at: at(4), origin: 'deleted', name: 'A' }])
        await variables.writeVariables(tx, [{ at: at(3, 'stg_2'), state: { ...state, name: 'C' }, origin: 'created' }])
      })
      const touched = async (after: number, upTo: number, limit = 10) =>
        (await revisions.changedNamesBetween(sql, stageId, after, upTo, limit)).map(
          (row) => `${row.revision} ${row.name}`,
        )
      expect((await touched(1, 4)).toSorted()).toEqual(['2 A', '2 B', '3 B', '4 A'])
      expect(await touched(2, 4)).toEqual(['3 B', '4 A'])
      expect([await touched(2, 3), await touched(2, 4, 1), await touched(4, 9)]).toEqual([['3 B'], ['3 B'], []])
    })
  })
}
