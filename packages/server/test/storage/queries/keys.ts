import { describe, expect, test } from 'vitest'
import type { OpenSql } from '../sql.suite.ts'
import { ground, nowMs, winnersOf } from './ground.ts'
import type { Queries } from './recorder.ts'

const row = (id: string) => ({ id, kms: 'local:12345678', wrapped: Buffer.from(`wrapped ${id}`) })

export function keyQueries(name: string, queries: Queries, open: OpenSql): void {
  const { keys, stages } = queries

  describe(`${name}: data keys`, () => {
    test('of a project come the oldest first, with what was wrapped', async () => {
      const { sql, orgId, projectId } = await ground(queries, open)
      await sql.tx(async (tx) => {
        await stages.insertProject(tx, orgId, { id: 'prj_2', slug: 'api', by: 'user_1', nowMs })
        expect(await keys.insertDataKey(tx, projectId, row('aa'), nowMs + 2)).toBe(true)
        expect(await keys.insertDataKey(tx, projectId, row('bb'), nowMs + 1)).toBe(true)
        expect(await keys.insertDataKey(tx, 'prj_2', row('cc'), nowMs)).toBe(true)
        expect(await keys.insertDataKey(tx, null, row('dd'), nowMs)).toBe(true)
      })
      const found = await keys.dataKeysOfProject(sql, projectId)
      expect(found.map(({ id, kms, wrapped }) => [id, kms, Buffer.from(wrapped).toString()])).toEqual([
        ['bb', 'local:12345678', 'wrapped bb'],
        ['aa', 'local:12345678', 'wrapped aa'],
      ])
      expect(await keys.dataKeysOfProject(sql, 'prj_none')).toEqual([])
    })

    test('of the installation is one, whoever inserts it first', async () => {
      const { sql, projectId } = await ground(queries, open)
      expect(await keys.installationKey(sql)).toBeUndefined()
      await sql.tx((tx) => keys.insertDataKey(tx, projectId, row('project'), nowMs))
      expect(await keys.installationKey(sql)).toBeUndefined()
      expect(await winnersOf(sql, (tx, caller) => keys.insertDataKey(tx, null, row(`${caller}`), nowMs))).toHaveLength(
        1,
      )
      const found = await keys.installationKey(sql)
      expect(Buffer.from(found?.wrapped ?? []).toString()).toBe(`wrapped ${found?.id}`)
    })

    test('of another KMS are found, wrapped anew once, and counted', async () => {
      const { sql, projectId } = await ground(queries, open)
      const own = { ...row('bb'), kms: 'local:new' }
      await sql.tx(async (tx) => {
        for (const each of [row('cc'), row('aa'), own]) await keys.insertDataKey(tx, projectId, each, nowMs)
        await keys.insertDataKey(tx, null, row('dd'), nowMs)
      })
      const others = await keys.dataKeysOfOthers(sql, 'local:new', 10)
      expect(others.map(({ id, projectId: owner, kms }) => [id, owner, kms])).toEqual([
        ['aa', projectId, 'local:12345678'],
        ['cc', projectId, 'local:12345678'],
        ['dd', null, 'local:12345678'],
      ])
      expect(await keys.dataKeysOfOthers(sql, 'local:new', 1)).toHaveLength(1)
      const anew = (by: number) => ({ id: 'aa', kms: 'local:new', wrapped: Buffer.from(`by ${by}`) })
      const [winner, ...losers] = await winnersOf(sql, (tx, caller) =>
        keys.rewrapDataKey(tx, 'local:12345678', anew(caller)),
      )
      expect(losers).toEqual([])
      const [first] = await keys.dataKeysOfProject(sql, projectId)
      expect([first?.kms, Buffer.from(first?.wrapped ?? []).toString()]).toEqual(['local:new', `by ${winner}`])
      expect(await keys.dataKeysByKms(sql)).toEqual([
        { kms: 'local:12345678', keys: 2 },
        { kms: 'local:new', keys: 2 },
      ])
    })

    test('are inserted once by their id', async () => {
      const { sql, projectId } = await ground(queries, open)
      expect(await winnersOf(sql, (tx) => keys.insertDataKey(tx, projectId, row('aa'), nowMs))).toHaveLength(1)
      expect(await keys.dataKeysOfProject(sql, projectId)).toHaveLength(1)
    })
  })
}
