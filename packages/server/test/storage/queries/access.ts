import { describe, expect, test } from 'vitest'
import type { NewGrant, SignInRules } from '../../../src/storage/access.ts'
import type { AuditEvent } from '../../../src/storage/audit.ts'
import type { OpenSql } from '../sql.suite.ts'
import { platform, nowMs, winnersOf } from './ground.ts'
import type { Queries } from './modules.ts'

export function accessQueries(name: string, queries: Queries, open: OpenSql): void {
  const { access, audit, deletion, organizations, stages } = queries
  const tokens = queries['service-tokens']
  const { sessions } = queries
  const live = { projectSlug: 'shop', stageSlug: 'live' }

  function grantOf(principal: string, more: Partial<NewGrant> = {}): NewGrant {
    return { principal, place: {}, role: 'reader', expiresAtMs: undefined, nowMs, by: 'user_1', ...more }
  }

  async function ground() {
    const found = await platform(queries, open)
    const { sql, orgId } = found
    const grant = (...given: Parameters<typeof grantOf>) =>
      sql.tx((tx) => access.putGrant(tx, orgId, grantOf(...given)))
    const listed = async () => {
      const rows = await access.grantsOf(sql, orgId)
      return rows.map((row) => `${row.principal} ${row.project_slug}/${row.stage_slug} ${row.role}`).toSorted()
    }
    return { ...found, grant, listed }
  }

  describe(`${name}: rules of sign-in`, () => {
    test('require the company with exceptions, or a second factor, until they do not', async () => {
      const { sql, orgId } = await ground()
      const none = { isCompanyOnly: false, breakGlass: [], needsSecondFactor: false }
      const set = (given: Partial<SignInRules>) =>
        sql.tx((tx) => access.setSignInRules(tx, orgId, { ...none, ...given }))
      const except = (...breakGlass: string[]) => ({ isCompanyOnly: true, breakGlass })
      const rules = async () => {
        const rows = await access.policyRows(sql, orgId)
        return rows
          .map(({ part, subject }) => `${part} ${subject}`.trim())
          .filter((row) => row !== 'organization')
          .toSorted()
      }
      const found = async () => {
        const rows = await access.signInRulesOf(sql, ['idp_0', 'idp_1', 'idp_2'])
        return rows
          .map((row) => `${row.idp_org_id} ${row.company_sign_in}${row.second_factor} ${row.user_id}`)
          .toSorted()
      }
      expect([await rules(), await found()]).toEqual([[], []])
      await set(except('user_1', 'user_2'))
      expect(await rules()).toEqual(['break-glass user_1', 'break-glass user_2', 'company-only'])
      expect(await found()).toEqual(['idp_1 10 user_1', 'idp_1 10 user_2'])
      await set({ ...except('user_3'), needsSecondFactor: true })
      expect(await found()).toEqual(['idp_1 11 user_3'])
      expect(await rules()).toEqual(['break-glass user_3', 'company-only', 'second-factor'])
      await set({ needsSecondFactor: true })
      expect([await rules(), await found()]).toEqual([['second-factor'], ['idp_1 01 null']])
      expect(await access.signInRulesOf(sql, [])).toEqual([])
      await set({})
      expect([await rules(), await found()]).toEqual([[], []])
    })

    test('are none of a deleted organization', async () => {
      const { sql, orgId } = await ground()
      const rules = { isCompanyOnly: true, breakGlass: [], needsSecondFactor: true }
      await sql.tx((tx) => access.setSignInRules(tx, orgId, rules))
      expect((await access.signInRulesOf(sql, ['idp_1'])).map((row) => row.user_id)).toEqual([null])
      await sql.tx((tx) => deletion.markOrganizationDeleted(tx, orgId, nowMs))
      expect(await access.signInRulesOf(sql, ['idp_1'])).toEqual([])
    })
  })

  describe(`${name}: access`, () => {
    test('has one grant of a principal at a place, which the next one replaces', async () => {
      const { sql, orgId, grant, listed } = await ground()
      await grant('user:ada')
      await grant('user:ada', { place: { projectSlug: 'shop' } })
      await grant('user:ada', { place: live })
      await grant('user:ada', {
        place: live,
        role: 'developer',
        expiresAtMs: nowMs + 1,
        nowMs: nowMs + 2,
        by: 'user_2',
      })
      expect(await listed()).toEqual(['user:ada / reader', 'user:ada shop/ reader', 'user:ada shop/live developer'])
      const row = (await access.grantsOf(sql, orgId)).find(({ stage_slug: stage }) => stage === 'live')
      expect(row).toMatchObject({ expires_at_ms: nowMs + 1, granted_at_ms: nowMs + 2, granted_by: 'user_2' })
      expect(await access.grantsOf(sql, 'org_2')).toEqual([])
      await sql.tx((tx) => access.deleteGrant(tx, orgId, 'user:ada', { projectSlug: 'shop' }))
      expect(await listed()).toEqual(['user:ada / reader', 'user:ada shop/live developer'])
    })

    test('deletes the grants of a principal, or those on a project or stage', async () => {
      const { sql, orgId, grant, listed } = await ground()
      await grant('user:ada')
      await grant('user:ada', { place: live })
      await grant('user:bob', { place: { projectSlug: 'shop' } })
      await grant('user:bob', { place: live })
      await grant('user:bob', { place: { projectSlug: 'api' } })
      const onStage = await sql.tx((tx) => access.deleteGrantsAt(tx, orgId, live))
      expect(onStage.map(({ principal }) => principal).toSorted()).toEqual(['user:ada', 'user:bob'])
      expect(await listed()).toEqual(['user:ada / reader', 'user:bob api/ reader', 'user:bob shop/ reader'])
      await grant('user:ada', { place: live })
      expect(await sql.tx((tx) => access.deleteGrantsAt(tx, orgId, { projectSlug: 'shop' }))).toHaveLength(2)
      expect(await sql.tx((tx) => access.deleteGrantsOf(tx, orgId, 'user:ada'))).toHaveLength(1)
      expect(await listed()).toEqual(['user:bob api/ reader'])
    })

    test('is read as a whole', async () => {
      const { sql, orgId, projectId, grant } = await ground()
      await grant('group:g', { place: live, role: 'lister', expiresAtMs: nowMs })
      await sql.tx(async (tx) => {
        await access.insertGroup(tx, orgId, { id: 'g', name: 'Team', idp_group: 'team', created_at_ms: nowMs })
        await access.addGroupMember(tx, { groupId: 'g', member: 'user:ada', nowMs, by: 'user_1' })
        expect(await access.advanceReport(tx, orgId, 'user:ada', nowMs)).toBe(true)
        await access.putRole(tx, orgId, { name: 'lister', verbs: 'list' })
        await access.putRole(tx, orgId, { name: 'lister', verbs: 'list,write' })
        await access.setDefaultRole(tx, orgId, 'viewer')
        expect(await access.setProtected(tx, orgId, 'shop', 'live', true, '{"approvals":1}')).toBe(true)
        expect(await access.setProtected(tx, orgId, 'shop', 'none', true, null)).toBe(false)
        expect(await access.setProtected(tx, 'org_2', 'shop', 'live', true, null)).toBe(false)
      })
      const empty = { subject: '', project_slug: '', stage_slug: '', detail: '', number: null }
      const rows = (await access.policyRows(sql, orgId)).map((row) => ({ ...row }))
      expect(rows.toSorted((a, b) => (a.part < b.part ? -1 : 1))).toEqual([
        { ...empty, part: 'grant', subject: 'group:g', project_slug: 'shop', stage_slug: 'live', detail: 'lister', number: nowMs },
        { ...empty, part: 'idp-group', subject: 'team', detail: 'g' },
        { ...empty, part: 'member', subject: 'user:ada', detail: 'g' },
        { ...empty, part: 'organization', detail: 'viewer', number: 0 },
        { ...empty, part: 'protected', project_slug: 'shop', stage_slug: 'live', detail: '{"approvals":1}' },
        { ...empty, part: 'report', subject: 'user:ada', number: nowMs },
        { ...empty, part: 'role', subject: 'lister', detail: 'list,write' },
      ]) // prettier-ignore
      await sql.tx((tx) => deletion.markStageDeleted(tx, projectId, 'live', nowMs))
      expect((await access.policyRows(sql, orgId)).map(({ part }) => part)).not.toContain('protected')
      await sql.tx((tx) => deletion.markOrganizationDeleted(tx, orgId, nowMs))
      await sql.tx((tx) => access.deleteAccess(tx, orgId))
      expect(await access.policyRows(sql, orgId)).toEqual([])
      await sql.tx((tx) => deletion.reopenOrganization(tx, orgId))
      const [organization] = await access.policyRows(sql, orgId)
      expect(organization).toMatchObject({ detail: 'developer', number: 1 })
    })

    test('is changed by one of many who decided on the same revision, and by no one in a deleted organization', async () => {
      const { sql, orgId } = await ground()
      expect(await winnersOf(sql, (tx) => access.advanceAccessFrom(tx, orgId, 0, 1))).toHaveLength(1)
      expect(await sql.tx((tx) => access.advanceAccessFrom(tx, orgId, 1, 0))).toBe(true)
      expect(await sql.tx((tx) => access.advanceAccessFrom(tx, orgId, 1, 1))).toBe(true)
      expect(await sql.tx((tx) => access.advanceAccess(tx, orgId))).toBe(true)
      const [organization] = await access.policyRows(sql, orgId)
      expect(organization?.number).toBe(3)
      await sql.tx((tx) => deletion.markOrganizationDeleted(tx, orgId, nowMs))
      expect(await sql.tx((tx) => access.advanceAccess(tx, orgId))).toBe(false)
      expect(await sql.tx((tx) => access.advanceAccessFrom(tx, orgId, 4, 0))).toBe(false)
    })

    test('knows which places exist, and when a stage was created', async () => {
      const { sql, orgId, projectId } = await ground()
      const exists = (place: object) => access.placeExists(sql, orgId, place)
      expect([await exists({}), await exists({ projectSlug: 'shop' }), await exists(live)]).toEqual([true, true, true])
      const missing = [{ projectSlug: 'api' }, { ...live, stageSlug: 'dev' }, { projectSlug: 'api', stageSlug: 'live' }]
      const alike = ['LIVE', 'liv', 'live.', 'l_ve', 'l%'].map((stageSlug) => ({ ...live, stageSlug }))
      for (const place of [...missing, ...alike, { projectSlug: 'SHOP' }]) expect(await exists(place)).toBe(false)
      await expect(access.requirePlace(sql, orgId, { projectSlug: 'api' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
      await access.requirePlace(sql, orgId, live)
      expect(await access.placeExists(sql, 'org_2', live)).toBe(false)
      expect(await access.stageCreatedAt(sql, orgId, 'shop', 'live')).toBe(nowMs)
      await sql.tx((tx) =>
        stages.insertStage(tx, projectId, { id: 'stg_2', slug: 'dev', by: 'user_1', nowMs: nowMs + 5 }),
      )
      expect(await access.stageCreatedAt(sql, orgId, 'shop', 'dev')).toBe(nowMs + 5)
      await sql.tx((tx) => deletion.markStageDeleted(tx, projectId, 'live', nowMs))
      expect([await exists(live), await access.stageCreatedAt(sql, orgId, 'shop', 'live')]).toEqual([false, undefined])
    })

    test('has groups with a unique name in their organization', async () => {
      const { sql, orgId } = await ground()
      await sql.tx((tx) => organizations.insertOrganization(tx, { id: 'org_2', idpOrgId: 'idp_2', slug: 'b', nowMs }))
      const insert = (org: string, id: string, group: string, idpGroup: string | null = null) =>
        sql.tx((tx) => access.insertGroup(tx, org, { id, name: group, idp_group: idpGroup, created_at_ms: nowMs }))
      expect(await insert(orgId, 'g1', 'Team')).toBe(true)
      expect(await insert(orgId, 'g2', 'Team')).toBe(false)
      expect([await insert(orgId, 'g3', 'Ops', 'ops'), await insert('org_2', 'g4', 'Team', 'ops')]).toEqual([
        true,
        true,
      ])
      expect(await insert(orgId, 'g5', 'Other', 'ops')).toBe(false)
      const update = (id: string, to: string, idpGroup: string | null = null) =>
        sql.tx((tx) => access.updateGroup(tx, orgId, { id, name: to, idp_group: idpGroup }))
      expect([await update('g1', 'Ops'), await update('g1', 'Team'), await update('g1', 'Crew', 'crew')]).toEqual([
        false,
        true,
        true,
      ])
      expect([await update('g4', 'Crew'), await update('g1', 'Crew', 'ops')]).toEqual([false, false])
      const shown = (await access.groupsOf(sql, orgId)).map((row) => `${row.id} ${row.name} ${row.idp_group}`)
      expect(shown.toSorted()).toEqual(['g1 Crew crew', 'g3 Ops ops'])
      await sql.tx((tx) => access.deleteGroup(tx, 'g1'))
      expect((await access.groupsOf(sql, orgId)).map(({ id }) => id)).toEqual(['g3'])
    })

    test('has each member once in a group', async () => {
      const { sql, orgId } = await ground()
      await sql.tx(async (tx) => {
        for (const id of ['g1', 'g2'])
          await access.insertGroup(tx, orgId, { id, name: id, idp_group: null, created_at_ms: nowMs })
      })
      const add = (groupId: string, member: string) =>
        sql.tx((tx) => access.addGroupMember(tx, { groupId, member, nowMs, by: 'user_1' }))
      expect([await add('g1', 'user:ada'), await add('g1', 'user:ada'), await add('g2', 'user:ada')]).toEqual([
        true,
        false,
        true,
      ])
      await add('g1', 'user:bob')
      const members = async () =>
        (await access.groupMembersOf(sql, orgId)).map(({ group_id: id, member }) => `${id} ${member}`).toSorted()
      expect(await members()).toEqual(['g1 user:ada', 'g1 user:bob', 'g2 user:ada'])
      expect(await access.groupMembersOf(sql, 'org_2')).toEqual([])
      const remove = () => sql.tx((tx) => access.removeGroupMember(tx, 'g1', 'user:bob'))
      expect([await remove(), await remove()]).toEqual([true, false])
      expect((await sql.tx((tx) => access.removeFromGroups(tx, orgId, 'user:ada'))).toSorted()).toEqual(['g1', 'g2'])
      await add('g1', 'user:bob')
      await add('g2', 'user:bob')
      expect(await sql.tx((tx) => access.removeGroupMembers(tx, 'g2'))).toEqual(['user:bob'])
      expect(await members()).toEqual(['g1 user:bob'])
      await sql.tx((tx) => access.deleteGroup(tx, 'g1'))
      expect(await members()).toEqual([])
    })

    test('has the last report about each member, and the groups that it is about', async () => {
      const { sql, orgId } = await ground()
      const report = (asOfMs: number) => sql.tx((tx) => access.advanceReport(tx, orgId, 'user:ada', asOfMs))
      expect([await report(5), await report(4), await report(5), await report(6)]).toEqual([true, false, true, true])
      await sql.tx(async (tx) => {
        for (const [id, idpGroup] of [
          ['g1', 'ops'],
          ['g2', 'dev'],
          ['g3', null],
        ] as const) {
          await access.insertGroup(tx, orgId, { id, name: id, idp_group: idpGroup, created_at_ms: nowMs })
          for (const member of ['user:ada', 'user:bob'])
            if (id !== 'g2') await access.addGroupMember(tx, { groupId: id, member, nowMs, by: 'user_1' })
        }
      })
      const groups = await sql.tx((tx) => access.reportedGroupsOf(tx, orgId, 'user:ada'))
      expect(groups.map((row) => ({ ...row })).toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
        { id: 'g1', idp_group: 'ops', is_member: 1 },
        { id: 'g2', idp_group: 'dev', is_member: 0 },
      ])
      expect(await sql.tx((tx) => access.reportedGroupsOf(tx, 'org_2', 'user:ada'))).toEqual([])
    })

    test('has roles that are deleted once', async () => {
      const { sql, orgId } = await ground()
      await sql.tx((tx) => access.putRole(tx, orgId, { name: 'lister', verbs: 'list' }))
      const remove = () => sql.tx((tx) => access.deleteRole(tx, orgId, 'lister'))
      expect([await remove(), await remove()]).toEqual([true, false])
    })

    test('has a log of its changes after a time, the newest first, without other entries', async () => {
      const { sql, orgId } = await ground()
      const actor = { orgId, id: 'user_1', how: 'provider', client: 'dashboard', requestId: 'r' } as const
      const principal = { kind: 'user', id: 'ada' } as const
      const events: AuditEvent[] = [
        { action: 'access.grant', facts: { principal } },
        { action: 'reveal' },
        { action: 'stage.protect', facts: { after: { isProtected: true } } },
        { action: 'organization.update', facts: { after: { defaultRole: 'none' } } },
      ]
      for (const [index, event] of events.entries())
        await sql.tx((tx) => audit.appendAudit(tx, actor, { ...event, ...live, nowMs: nowMs + index }))
      expect((await audit.accessEntriesAfter(sql, orgId, nowMs)).map((row) => ({ ...row }))).toEqual([
        { action: 'organization.update', how: 'provider', project_slug: 'shop', stage_slug: 'live', subject: '{"after":{"defaultRole":"none"}}' },
        { action: 'stage.protect', how: 'provider', project_slug: 'shop', stage_slug: 'live', subject: '{"after":{"isProtected":true}}' },
      ]) // prettier-ignore
      expect(await audit.accessEntriesAfter(sql, orgId, nowMs - 1)).toHaveLength(3)
    })

    test('knows the service tokens that were valid at a time', async () => {
      const { sql, orgId } = await ground()
      const insert = (id: string, fromMs: number, toMs: number) =>
        sql.tx(async (tx) => {
          const row = { id, orgId, userId: id, clientName: null, nowMs: fromMs, memberSeenAtMs: fromMs }
          await sessions.insertSession(tx, row)
          await sessions.insertAccessToken(tx, id, { hash: id, expiresAtMs: toMs })
          const scope = { projectSlug: 'shop', stageSlug: null, role: 'reader', history: false } as const
          await tokens.insertServiceToken(tx, { id, name: id, ...scope, createdBy: 'user_1', trustId: null })
        })
      await insert('tok_1', nowMs, nowMs + 10)
      await insert('tok_2', nowMs + 5, nowMs + 100)
      await sql.tx((tx) => sessions.revokeSession(tx, 'tok_2', nowMs + 20, 'revoked'))
      const at = async (ms: number) => (await tokens.serviceTokensAt(sql, orgId, nowMs + ms)).map(({ id }) => id)
      expect([await at(-1), await at(0), await at(5), await at(10), await at(19), await at(20)]).toEqual([
        [],
        ['tok_1'],
        ['tok_1', 'tok_2'],
        ['tok_2'],
        ['tok_2'],
        [],
      ])
      const [row] = await tokens.serviceTokensAt(sql, orgId, nowMs)
      expect(row).toMatchObject({ project_slug: 'shop', stage_slug: null, role: 'reader' })
    })

    test('a rotation caps the former token and leaves one row for each service token', async () => {
      const { sql, orgId } = await ground()
      await sql.tx(async (tx) => {
        const row = { id: 'tok_1', orgId, userId: 'tok_1', clientName: null, nowMs, memberSeenAtMs: nowMs }
        await sessions.insertSession(tx, row)
        await sessions.insertAccessToken(tx, 'tok_1', { hash: 'a', expiresAtMs: nowMs + 100 })
        const scope = { projectSlug: null, stageSlug: null, role: 'viewer', history: false } as const
        await tokens.insertServiceToken(tx, { id: 'tok_1', name: 'n', ...scope, createdBy: 'user_1', trustId: null })
        expect(await sessions.changeSession(tx, 'tok_1')).toBe(true)
        await sessions.capAccessTokens(tx, 'tok_1', nowMs + 10)
        await sessions.insertAccessToken(tx, 'tok_1', { hash: 'b', expiresAtMs: nowMs + 200 })
      })
      expect((await tokens.serviceTokensOf(sql, orgId, nowMs)).map((row) => row.expires_at_ms)).toEqual([nowMs + 200])
      expect((await sessions.sessionByAccessToken(sql, 'a'))?.expires_at_ms).toBe(nowMs + 10)
      expect((await sessions.sessionByAccessToken(sql, 'b'))?.version).toBe(1)
      await sql.tx((tx) => sessions.revokeSession(tx, 'tok_1', nowMs, 'revoked'))
      expect(await sql.tx((tx) => sessions.changeSession(tx, 'tok_1'))).toBe(false)
    })

    test('a token that an older version made read-only is a reader', async () => {
      const { sql, orgId } = await ground()
      await sql.tx(async (tx) => {
        const row = { id: 'tok_1', orgId, userId: 'tok_1', clientName: null, nowMs, memberSeenAtMs: nowMs }
        await sessions.insertSession(tx, row)
        await sessions.insertAccessToken(tx, 'tok_1', { hash: 'a', expiresAtMs: nowMs + 100 })
        await tx.all(
          `insert into service_tokens (session_id, name, read_only, history, created_by) values ('tok_1', 'n', 1, 0, 'user_1')`,
        )
      })
      expect((await sessions.sessionByAccessToken(sql, 'a'))?.role).toBe('reader')
      expect((await tokens.serviceTokenById(sql, 'tok_1', nowMs))?.role).toBe('reader')
      expect((await tokens.serviceTokensAt(sql, orgId, nowMs))[0]?.role).toBe('reader')
    })

    test('a session is confirmed by its person only', async () => {
      const { sql, orgId } = await ground()
      await sql.tx(async (tx) => {
        const row = { id: 'ses_1', orgId, userId: 'ada', clientName: null, nowMs, memberSeenAtMs: nowMs }
        await sessions.insertSession(tx, row)
        await sessions.insertAccessToken(tx, 'ses_1', { hash: 'a', expiresAtMs: nowMs + 100 })
      })
      const confirm = (who: object) =>
        sql.tx((tx) => sessions.confirmSession(tx, { orgId, userId: 'ada', id: 'ses_1', ...who }, nowMs + 3))
      expect([await confirm({ userId: 'bob' }), await confirm({ orgId: 'org_2' }), await confirm({})]).toEqual([
        false,
        false,
        true,
      ])
      expect(await sessions.sessionByAccessToken(sql, 'a')).toMatchObject({ confirmed_at_ms: nowMs + 3, version: 1 })
    })
  })
}
