import { describe, expect, test } from 'vitest'
import type { Tx } from '../../../src/storage/sql.ts'
import type { OpenSql } from '../sql.suite.ts'
import { platform, nowMs, winnersOf } from './ground.ts'
import type { Queries } from './modules.ts'

const row = (id: string) => ({ id, kms: 'local:12345678', wrapped: Buffer.from(`wrapped ${id}`) })

export function keyQueries(name: string, queries: Queries, open: OpenSql): void {
  const { keys, stages } = queries

  describe(`${name}: data keys`, () => {
    test('of a project are returned oldest first, wrapped', async () => {
      const { sql, orgId, projectId } = await platform(queries, open)
      await sql.tx(async (tx) => {
        await stages.insertProject(tx, orgId, { id: 'prj_2', slug: 'api', by: 'user_1', nowMs })
        expect(await keys.insertDataKey(tx, projectId, row('bb'), nowMs + 1)).toBe(true)
        await keys.retireDataKey(tx, projectId, nowMs + 2, nowMs + 2)
        expect(await keys.insertDataKey(tx, projectId, row('aa'), nowMs + 2)).toBe(true)
        expect(await keys.insertDataKey(tx, 'prj_2', row('cc'), nowMs)).toBe(true)
        expect(await keys.insertDataKey(tx, null, row('dd'), nowMs)).toBe(true)
      })
      const found = await keys.dataKeysOfProject(sql, projectId)
      expect(
        found.map(({ id, kms, wrapped, retired_at_ms }) => [id, kms, Buffer.from(wrapped).toString(), retired_at_ms]),
      ).toEqual([
        ['bb', 'local:12345678', 'wrapped bb', nowMs + 2],
        ['aa', 'local:12345678', 'wrapped aa', null],
      ])
      expect(await keys.dataKeysOfProject(sql, 'prj_none')).toEqual([])
    })

    test('of the installation is unique, whichever node inserts it first', async () => {
      const { sql, projectId } = await platform(queries, open)
      expect(await keys.installationKey(sql)).toBeUndefined()
      await sql.tx((tx) => keys.insertDataKey(tx, projectId, row('project'), nowMs))
      expect(await keys.installationKey(sql)).toBeUndefined()
      expect(await winnersOf(sql, (tx, caller) => keys.insertDataKey(tx, null, row(`${caller}`), nowMs))).toHaveLength(
        1,
      )
      const found = await keys.installationKey(sql)
      expect(Buffer.from(found?.wrapped ?? []).toString()).toBe(`wrapped ${found?.id}`)
    })

    test('of another KMS are found, wrapped again once, and counted', async () => {
      const { sql, orgId, projectId } = await platform(queries, open)
      const own = { ...row('bb'), kms: 'local:new' }
      await sql.tx(async (tx) => {
        for (const each of [row('cc'), row('aa'), own]) {
          await keys.retireDataKey(tx, projectId, nowMs + 1, nowMs)
          await keys.insertDataKey(tx, projectId, each, nowMs)
        }
        await keys.insertDataKey(tx, null, row('dd'), nowMs)
      })
      const others = await keys.dataKeysOfOtherKms(sql, 'local:new', 10)
      expect(others.map((each) => [each.id, each.projectId, each.orgId, each.kms])).toEqual([
        ['aa', projectId, orgId, 'local:12345678'],
        ['cc', projectId, orgId, 'local:12345678'],
        ['dd', null, null, 'local:12345678'],
      ])
      expect(await keys.dataKeysOfOtherKms(sql, 'local:new', 1)).toHaveLength(1)
      const rewrapped = (by: number) => ({ id: 'aa', kms: 'local:new', wrapped: Buffer.from(`by ${by}`) })
      const [winner, ...losers] = await winnersOf(sql, (tx, caller) =>
        keys.rewrapDataKey(tx, 'local:12345678', rewrapped(caller)),
      )
      expect(losers).toEqual([])
      const first = (await keys.dataKeysOfProject(sql, projectId)).find(({ id }) => id === 'aa')
      expect([first?.kms, Buffer.from(first?.wrapped ?? []).toString()]).toEqual(['local:new', `by ${winner}`])
      expect(await keys.dataKeysByKms(sql)).toEqual([
        { kms: 'local:12345678', keys: 2 },
        { kms: 'local:new', keys: 2 },
      ])
    })

    test('are retired once they are old enough, and a project always has one current key', async () => {
      const { sql, orgId, projectId } = await platform(queries, open)
      await sql.tx(async (tx) => {
        await stages.insertProject(tx, orgId, { id: 'prj_2', slug: 'api', by: 'user_1', nowMs })
        await keys.insertDataKey(tx, 'prj_2', row('ee'), nowMs)
        await keys.insertDataKey(tx, projectId, row('aa'), nowMs)
      })
      const replace = (tx: Tx, id: string, madeBeforeMs: number): Promise<boolean> =>
        keys
          .retireDataKey(tx, projectId, madeBeforeMs, nowMs + 5)
          .then(() => keys.insertDataKey(tx, projectId, row(id), nowMs + 5))
      expect(await sql.tx((tx) => replace(tx, 'bb', nowMs))).toBe(false)
      expect(await keys.isCurrentKey(sql, 'aa')).toBe(true)
      expect(await winnersOf(sql, (tx, caller) => replace(tx, `b${caller}`, nowMs + 1))).toHaveLength(1)
      expect(await keys.isCurrentKey(sql, 'aa')).toBe(false)
      expect(await keys.isCurrentKey(sql, 'none')).toBe(false)
      expect(await keys.isCurrentKey(sql, 'ee')).toBe(true)
      const retired = { id: 'aa', projectId, orgId, retiredAtMs: nowMs + 5 }
      expect(await keys.retiredKeys(sql)).toEqual([retired])
      expect(await keys.retiredKeys(sql, { orgId, projectSlug: 'shop' })).toEqual([retired])
      expect(await keys.retiredKeys(sql, { orgId, projectSlug: 'api' })).toEqual([])
      expect(await keys.retiredKeys(sql, { orgId: 'org_2' })).toEqual([])
    })

    test('are listed by project with the time of the current key, in the order of ids', async () => {
      const { sql, orgId, projectId } = await platform(queries, open)
      await sql.tx(async (tx) => {
        await stages.insertProject(tx, orgId, { id: 'prj_0', slug: 'api', by: 'user_1', nowMs })
        await keys.insertDataKey(tx, projectId, row('aa'), nowMs)
        await keys.retireDataKey(tx, projectId, nowMs + 1, nowMs + 1)
        await keys.insertDataKey(tx, projectId, row('bb'), nowMs + 1)
      })
      const shop = { orgId, orgSlug: 'acme', projectId, projectSlug: 'shop', madeAtMs: nowMs + 1 }
      const api = { orgId, orgSlug: 'acme', projectId: 'prj_0', projectSlug: 'api', madeAtMs: null }
      expect(await keys.keyedProjects(sql)).toEqual([api, shop])
      expect(await keys.keyedProjects(sql, { orgId })).toEqual([api, shop])
      expect(await keys.keyedProjects(sql, { orgId, projectSlug: 'shop' })).toEqual([shop])
      expect(await keys.keyedProjects(sql, { orgId: 'org_2' })).toEqual([])
    })

    test('are inserted once by their id', async () => {
      const { sql, projectId } = await platform(queries, open)
      expect(await winnersOf(sql, (tx) => keys.insertDataKey(tx, projectId, row('aa'), nowMs))).toHaveLength(1)
      expect(await keys.dataKeysOfProject(sql, projectId)).toHaveLength(1)
    })
  })
}
