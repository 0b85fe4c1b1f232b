import { describe, expect, test } from 'vitest'
import type { Sql, Tx } from '../../../src/storage/sql.ts'
import type { OpenSql } from '../sql.suite.ts'
import { byChance, endsOf, nowMs, platform, winnersOf, written } from './ground.ts'
import type { Queries } from './modules.ts'

export function deletionQueries(name: string, queries: Queries, open: OpenSql): void {
  const { deletion, history, keys, organizations, projects, sessions, stages, variables } = queries
  const counts = queries['roll-counts']
  const state = { kind: 'secret', declaredType: null, attributes: '{}', sealed: Buffer.from('sealed') } as const

  const put = (sql: Sql, stageId: string, variable: string, revision = 2) =>
    sql.tx((tx) =>
      variables.writeVariables(tx, [
        { at: written(stageId, revision), state: { ...state, name: variable }, origin: 'created' },
      ]),
    )
  const count = (sql: Sql, stageId: string) =>
    sql.tx((tx) => counts.addRollCounts(tx, [{ stageId, name: 'R', hourMs: 0, ...byChance(1, 0) }]))

  describe(`${name}: deletion`, () => {
    test('marks a stage once, as its next revision, and hides it', async () => {
      const { sql, orgId, projectId, stageId } = await platform(queries, open)
      await sql.tx((tx) => projects.updateStage(tx, projectId, 'live', { name: 'Live', nowMs }))
      const mark = (slug: string, id = projectId) => sql.tx((tx) => deletion.markStageDeleted(tx, id, slug, nowMs + 1))
      expect([await mark('none'), await mark('live', 'prj_none')]).toEqual([undefined, undefined])
      const once = await winnersOf(sql, (tx) => deletion.markStageDeleted(tx, projectId, 'live', nowMs + 1))
      expect(once).toHaveLength(1)
      expect(await stages.stageBySlugs(sql, orgId, 'shop', 'live')).toBeUndefined()
      expect(await projects.projectsOf(sql, orgId)).toMatchObject([{ project_slug: 'shop', stage_slug: null }])
      expect(await projects.orderedStages(sql, projectId)).toEqual([])
      expect([await stages.everyStage(sql), await stages.stagesOf(sql, orgId)]).toEqual([[], []])
      expect(await sql.tx((tx) => stages.advanceRevision(tx, stageId, { from: 1, by: 1, bytes: 0, nowMs }))).toBe(false)
      expect(await sql.tx((tx) => projects.updateStage(tx, projectId, 'live', { archived: true, nowMs }))).toBe(false)
      expect({ ...(await deletion.deletedStage(sql, projectId, 'live')) }).toEqual({ id: stageId, revision: 2 })
      expect(await deletion.deletedStage(sql, projectId, 'none')).toBeUndefined()
      expect(await sql.all('select name, deleted_at_ms from stages')).toEqual([
        { name: 'live', deleted_at_ms: nowMs + 1 },
      ])
    })

    test('marks a project and its stages, and hides them', async () => {
      const { sql, orgId, projectId, stageId } = await platform(queries, open)
      await sql.tx(async (tx) => {
        await stages.insertStage(tx, projectId, { id: 'stg_2', slug: 'test', by: 'user_1', nowMs })
        await stages.insertProject(tx, orgId, { id: 'prj_2', slug: 'api', by: 'user_1', nowMs })
        await stages.insertStage(tx, 'prj_2', { id: 'stg_3', slug: 'live', by: 'user_1', nowMs })
        await deletion.markStageDeleted(tx, projectId, 'test', nowMs + 1)
      })
      const mark = (slug: string) => sql.tx((tx) => deletion.markProjectDeleted(tx, orgId, slug, nowMs + 2))
      expect([await mark('none'), { ...(await mark('shop')) }, await mark('shop')]).toEqual([
        undefined,
        { id: projectId },
        undefined,
      ])
      const marked = await sql.tx((tx) => deletion.markStagesDeleted(tx, projectId, nowMs + 2))
      expect(marked.map((row) => ({ ...row }))).toEqual([{ id: stageId, slug: 'live', revision: 2, bytes: 0 }])
      expect(await stages.projectBySlug(sql, orgId, 'shop')).toBeUndefined()
      expect({ ...(await deletion.deletedProject(sql, orgId, 'shop')) }).toEqual({ id: projectId })
      expect(await deletion.deletedProject(sql, orgId, 'api')).toBeUndefined()
      expect((await projects.projectsOf(sql, orgId)).map((row) => row.project_slug)).toEqual(['api'])
      expect((await keys.keyedProjects(sql)).map((row) => row.projectSlug)).toEqual(['api'])
      expect(await sql.tx((tx) => projects.updateProject(tx, orgId, 'shop', { name: 'x', nowMs }))).toBe(false)
      expect(await sql.tx((tx) => projects.lockOpenProject(tx, projectId))).toBe(false)
      expect(await projects.isProjectArchived(sql, projectId)).toBe(false)
    })

    test('marks an organization once, and nothing is created in it any more', async () => {
      const { sql, orgId } = await platform(queries, open)
      await sql.tx((tx) => organizations.insertOrganization(tx, { id: 'org_2', idpOrgId: 'idp_2', slug: 'b', nowMs }))
      const isOpen = (id: string) => sql.tx((tx) => organizations.lockOrganization(tx, id))
      const mark = (id: string) => sql.tx((tx) => deletion.markOrganizationDeleted(tx, id, nowMs + 1))
      expect([await isOpen(orgId), await isOpen('org_none'), await mark('org_none')]).toEqual([true, false, false])
      expect(await deletion.deletedOrganizations(sql, '', 9)).toEqual([])
      expect(await winnersOf(sql, (tx) => deletion.markOrganizationDeleted(tx, orgId, nowMs + 1))).toHaveLength(1)
      expect([await isOpen(orgId), await isOpen('org_2')]).toEqual([false, true])
      await expect(sql.tx((tx) => organizations.requireOrganization(tx, orgId))).rejects.toThrow('was deleted')
      await sql.tx((tx) => organizations.requireOrganization(tx, 'org_2'))
      expect((await organizations.organizationByIdpId(sql, 'idp_1'))?.deleted_at_ms).toBe(nowMs + 1)
      expect((await organizations.everyOrganization(sql)).map((row) => row.deleted_at_ms)).toEqual([nowMs + 1, null])
      expect((await organizations.countAll(sql)).organizations).toBe(1)
      expect([await deletion.wasDeleted(sql, 'acme'), await deletion.wasDeleted(sql, 'b')]).toEqual([true, false])
      await mark('org_2')
      const page = (after: string, limit: number) => deletion.deletedOrganizations(sql, after, limit)
      expect([await page('', 9), await page('', 1), await page('idp_1', 9), await page('idp_2', 9)]).toEqual([
        ['idp_1', 'idp_2'],
        ['idp_1'],
        ['idp_2'],
        [],
      ])
      const reopen = (id: string) => sql.tx((tx) => deletion.reopenOrganization(tx, id))
      expect([await reopen(orgId), await reopen(orgId), await reopen('org_none')]).toEqual([true, false, false])
      expect([await isOpen(orgId), await isOpen('org_2')]).toEqual([true, false])
    })

    test('of an organization waits for what is created in it, and the other way around', async () => {
      const { sql, orgId } = await platform(queries, open)
      const lock = (tx: Tx) => organizations.lockOrganization(tx, orgId)
      const mark = (tx: Tx) => deletion.markOrganizationDeleted(tx, orgId, nowMs)
      expect(await endsOf(sql, lock, mark)).toEqual(['first', 'second'])
      await sql.tx((tx) => deletion.reopenOrganization(tx, orgId))
      expect(await endsOf(sql, mark, lock)).toEqual(['first', 'second'])
    })

    test('marks the projects of an organization, and ends its sessions and approved logins alone', async () => {
      const { sql, orgId } = await platform(queries, open)
      const codes = queries['device-codes']
      await sql.tx(async (tx) => {
        await organizations.insertOrganization(tx, { id: 'org_2', idpOrgId: 'idp_2', slug: 'b', nowMs })
        await stages.insertProject(tx, orgId, { id: 'prj_2', slug: 'api', by: 'user_1', nowMs })
        await stages.insertProject(tx, orgId, { id: 'prj_3', slug: 'old', by: 'user_1', nowMs })
        await stages.insertProject(tx, 'org_2', { id: 'prj_4', slug: 'api', by: 'user_1', nowMs })
        await deletion.markProjectDeleted(tx, orgId, 'old', nowMs)
        for (const id of [orgId, 'org_2']) {
          const session = { userId: 'user_1', clientName: null, nowMs, memberSeenAtMs: nowMs }
          await sessions.insertSession(tx, { ...session, id: `ses_${id}`, orgId: id })
          await sessions.insertSession(tx, { ...session, id: `out_${id}`, orgId: id })
          await sessions.revokeSession(tx, `out_${id}`, nowMs, 'logout')
          const code = { deviceCodeHash: `d ${id}`, userCodeHash: `u ${id}`, clientName: null, nowMs }
          await codes.insertDeviceCode(tx, { id: `dev_${id}`, ...code, expiresAtMs: nowMs + 9 })
          await codes.approveDeviceCode(tx, `u ${id}`, { userId: 'user_1', orgId: id }, nowMs)
        }
      })
      const marked = await sql.tx(async (tx) => {
        await codes.denyCodesOfOrganization(tx, orgId)
        await sessions.endSessionsOfOrganization(tx, orgId, nowMs + 1)
        return deletion.markProjectsDeleted(tx, orgId, nowMs + 1)
      })
      expect(marked.map(({ id, slug }) => `${id} ${slug}`).toSorted()).toEqual(['prj_1 shop', 'prj_2 api'])
      expect(await stages.projectBySlug(sql, orgId, 'api')).toBeUndefined()
      expect(await stages.projectBySlug(sql, 'org_2', 'api')).toBeDefined()
      const rows = await sql.all<Record<string, string>>('select id, revoked_because from sessions order by id')
      expect(rows.map((row) => Object.values(row).join(' ').trimEnd())).toEqual([
        'out_org_1 logout',
        'out_org_2 logout',
        'ses_org_1 deleted',
        'ses_org_2',
      ])
      const stateOf = async (id: string) => (await codes.deviceCodeByHash(sql, `d ${id}`))?.status
      expect([await stateOf(orgId), await stateOf('org_2')]).toEqual(['denied', 'approved'])
    })

    test('waits for a write of the stage, and a new stage waits for it', async () => {
      const { sql, orgId, projectId, stageId } = await platform(queries, open)
      expect(
        await endsOf(
          sql,
          (tx) => stages.advanceRevision(tx, stageId, { from: 1, by: 1, bytes: 0, nowMs }),
          (tx) => deletion.markStageDeleted(tx, projectId, 'live', nowMs),
        ),
      ).toEqual(['first', 'second'])
      expect(await deletion.deletedStage(sql, projectId, 'live')).toMatchObject({ revision: 3 })
      expect(
        await endsOf(
          sql,
          (tx) => deletion.markProjectDeleted(tx, orgId, 'shop', nowMs),
          (tx) => projects.lockOpenProject(tx, projectId),
        ),
      ).toEqual(['first', 'second'])
    })

    test('ends the history and destroys the keys of the project alone', async () => {
      const { sql, orgId, projectId, stageId } = await platform(queries, open)
      const key = (id: string) => ({ id: id.repeat(32), kms: 'local', wrapped: Buffer.from('wrapped') })
      await sql.tx(async (tx) => {
        await stages.insertProject(tx, orgId, { id: 'prj_2', slug: 'api', by: 'user_1', nowMs })
        await keys.insertDataKey(tx, projectId, key('a'), nowMs)
        await keys.insertDataKey(tx, 'prj_2', key('b'), nowMs)
        for (const revision of [3, 5]) await deletion.endHistory(tx, { id: stageId, revision })
        await deletion.deleteDataKeys(tx, projectId)
      })
      expect(await history.historyFloor(sql, stageId)).toBe(5)
      expect(await keys.dataKeysOfProject(sql, projectId)).toEqual([])
      expect(await keys.dataKeysOfProject(sql, 'prj_2')).toHaveLength(1)
    })

    test('deletes the rows of deleted stages only, some at a time', async () => {
      const { sql, projectId, stageId } = await platform(queries, open)
      await sql.tx((tx) => stages.insertStage(tx, projectId, { id: 'stg_2', slug: 'test', by: 'user_1', nowMs }))
      for (const id of [stageId, 'stg_2']) {
        for (const variable of ['A', 'B', 'C']) await put(sql, id, variable)
        await count(sql, id)
      }
      expect([await deletion.storedBytesOf(sql, stageId), await deletion.storedBytesOf(sql, 'stg_none')]).toEqual([
        18, 0,
      ])
      const some = (id: string) => sql.tx((tx) => deletion.deleteSomeOfStage(tx, id, 2))
      const toEmpty = async () =>
        (await deletion.deletedStages(sql, '')).flatMap(({ id, has_rows: hasRows }) => (hasRows ? [id] : []))
      expect([await some(stageId), await toEmpty()]).toEqual([false, []])
      // As an earlier version leaves it, which keeps no bytes.
      await sql.tx((tx) => tx.all('update stages set bytes_revision = null'))
      expect(await sql.tx((tx) => deletion.markStageDeleted(tx, projectId, 'live', nowMs))).toMatchObject({
        bytes: null,
      })
      expect(await toEmpty()).toEqual([stageId])
      expect([await some(stageId), await some(stageId)]).toEqual([true, false])
      expect([await toEmpty(), await deletion.storedBytesOf(sql, stageId)]).toEqual([[], 0])
      expect(await deletion.storedBytesOf(sql, 'stg_2')).toBe(18)
      expect(await deletion.deletedStages(sql, '')).toMatchObject([{ id: stageId, has_rows: 0 }])
      expect(await deletion.deletedStages(sql, stageId)).toEqual([])
      expect(await counts.rollCountsOf(sql, 'stg_2', 'R', 0, 1)).toHaveLength(1)
      // A node may still have counts of the deleted stage in memory.
      await count(sql, stageId)
      expect(await counts.rollCountsOf(sql, stageId, 'R', 0, 1)).toEqual([])
    })

    test('is undone by creating the same again, after everything of it was deleted', async () => {
      const { sql, orgId, projectId, stageId } = await platform(queries, open)
      await put(sql, stageId, 'A')
      await sql.tx(async (tx) => {
        await projects.updateStage(tx, projectId, 'live', { archived: true, nowMs })
        await projects.updateProject(tx, orgId, 'shop', { archived: true, nowMs })
        await deletion.markProjectDeleted(tx, orgId, 'shop', nowMs)
        await deletion.markStagesDeleted(tx, projectId, nowMs)
      })
      const by = { by: 'user_2', nowMs: nowMs + 5 }
      const project = { id: projectId, slug: 'shop', name: 'Shop', ...by }
      const stage = { id: stageId, slug: 'live', isProduction: false, ...by }
      const revive = (revision: number) => sql.tx((tx) => stages.reviveStage(tx, projectId, { ...stage, revision }))
      expect(await winnersOf(sql, (tx) => stages.reviveProject(tx, project))).toHaveLength(1)
      expect([await revive(3), await sql.tx((tx) => deletion.deleteSomeOfStage(tx, stageId, 9))]).toEqual([
        false,
        false,
      ])
      expect([await revive(2), await revive(4), await revive(3), await revive(4)]).toEqual([false, false, true, false])
      expect(await sql.tx((tx) => stages.insertStage(tx, projectId, { ...stage, revision: 3 }))).toBe(false)
      expect(await stages.stageBySlugs(sql, orgId, 'shop', 'live')).toEqual({
        projectId,
        stageId,
        revision: 3,
        variables: [],
      })
      expect(await projects.projectsOf(sql, orgId)).toMatchObject([
        {
          project_name: 'Shop',
          project_archived_at_ms: null,
          stage_name: 'live',
          archived_at_ms: null,
          is_production: 0,
        },
      ])
      expect(await projects.isArchived(sql, stageId)).toBe(false)
      expect(await sql.tx((tx) => stages.reviveProject(tx, { ...project, id: 'prj_none' }))).toBe(false)
    })
  })
}
