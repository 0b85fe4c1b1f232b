/** Deletes organizations: who may do it, what ends with the answer, and what stays. */
import { describe, expect, test } from 'vitest'
import { sweep } from '../src/compose/housekeeping.ts'
import { contentTables } from '../src/storage/deletion.ts'
import { roll, secret } from '../testkit/entries.ts'
import { inServer } from '../testkit/operator.ts'
import { onPostgres, openStore, query } from '../testkit/store.ts'
import {
  newOwner,
  newServiceToken,
  newTenant,
  tenantAt,
  useTestEnv,
  write,
  type TestTenant,
} from '../testkit/test-env.ts'
import { expectWholeStore } from './failpoints/whole.ts'

const testEnv = useTestEnv()
const minuteMs = 60_000

function codeOf({ status, body }: { status: number; body: { error?: { code: string } } }): string {
  return status === 200 ? 'ok' : `${status} ${body.error?.code}`
}

/** Deletes with a token of a fresh sign-in. Returns 'ok', or the status and the code of the error. */
async function remove({ at: { orgSlug }, user }: TestTenant, more: object = {}, token?: string): Promise<string> {
  const body = { orgSlug, confirm: orgSlug, ...more }
  const bearer = token ?? (await testEnv.provider.confirmedTokenOf(user))
  return codeOf(await testEnv.client.call('organizationDelete', body, { token: bearer }))
}

async function filled(): Promise<TestTenant> {
  const tenant = await newOwner(testEnv)
  await write(testEnv, tenant, [secret('A', 'value of A'), roll('R', 1)])
  await write(testEnv, tenant, [secret('A', 'second value of A')])
  await write(testEnv, tenantAt(tenant, { stageSlug: 'test' }), [secret('A', 'test')])
  await write(testEnv, tenantAt(tenant, { projectSlug: 'blog' }), [secret('A', 'blog')])
  return tenant
}

/** Returns what a pull with a token answers. */
async function pulling({ at }: TestTenant, token: string): Promise<string> {
  return codeOf(await testEnv.client.call('pull', at, { token }))
}

/** Counts rows of an organization. `tail` continues the statement after `from organizations o`. */
async function count({ at: { orgSlug } }: TestTenant, tail: string, where = 'true'): Promise<number> {
  const text = `select count(*) as n from organizations o ${tail} where o.slug = $1 and (${where})`
  const [row] = await query(testEnv.app.dataDir, text, orgSlug)
  return Number(row?.['n'])
}

const ofProject = 'join projects p on p.org_id = o.id'
const ofStage = `${ofProject} join stages s on s.project_id = p.id`

async function swept(): Promise<void> {
  await testEnv.app.stop()
  const sql = await openStore(testEnv.app.dataDir)
  await sweep(sql, testEnv.clock.now(), 90)
  await sql.close()
  await testEnv.restart()
}

describe('deleting an organization', () => {
  test('is for owners who proved who they are in the last 15 minutes', async () => {
    const tenant = await filled()
    const { user, token } = tenant
    const at15 = await testEnv.provider.confirmedTokenOf(user, 15 * minuteMs)
    const at14 = await testEnv.provider.confirmedTokenOf(user, 14 * minuteMs)
    const unknown = await testEnv.provider.tokenOf(user)
    const { token: service } = await newServiceToken(testEnv, tenant)
    const outcomes = async (): Promise<string[]> => [
      await remove(tenant, {}, token),
      await remove(tenant, {}, at15),
      await remove(tenant, {}, unknown),
      await remove(tenant, {}, service),
      await remove(tenant, {}, 'svc_at_unknown'),
      await remove(tenant, { orgSlug: 'other', confirm: 'other' }),
      await remove(tenant, { confirm: tenant.at.orgSlug.toUpperCase() }),
      await remove(tenant, { confirm: undefined }),
    ]
    const common = ['403 FORBIDDEN', '401 UNAUTHORIZED', '403 INVALID_ORG_SCOPE']
    const invalid = ['400 INVALID_REQUEST', '400 INVALID_REQUEST']
    const unconfirmed = '403 CONFIRMATION_REQUIRED'
    expect(await outcomes()).toEqual([unconfirmed, unconfirmed, unconfirmed, ...common, ...invalid])
    const forbidden = '403 FORBIDDEN'
    for (const role of ['admin', 'member']) {
      testEnv.provider.setRole(user, role)
      expect(await outcomes()).toEqual([forbidden, forbidden, forbidden, ...common, ...invalid])
      expect([await remove(tenant), await pulling(tenant, token)]).toEqual([forbidden, 'ok'])
    }
    testEnv.provider.setRole(user, 'owner')
    expect(await remove(tenant, {}, at14)).toBe('ok')
    expect(await remove(tenant)).toBe('403 ORG_SCOPE_INVALID')
  })

  test('refuses every credential of it on every node at once, and none of another', async () => {
    const tenant = await filled()
    const other = await filled()
    const { user, token, refreshToken, at } = tenant
    const service = (await newServiceToken(testEnv, tenant, { projectSlug: 'shop' })).token as string
    const { deviceCode } = await testEnv.client.approved(user)
    const provider = await testEnv.provider.tokenOf(user)
    const answers = async (): Promise<string[]> => [
      await pulling(tenant, provider),
      await pulling(tenant, token),
      await pulling(tenant, service),
      codeOf(await testEnv.client.call('projects', { orgSlug: at.orgSlug }, { token: provider })),
    ]
    for (let node = 0; node < 2; node++) expect(await answers()).toEqual(['ok', 'ok', 'ok', 'ok'])
    expect(await remove(tenant)).toBe('ok')
    const [gone, unknown] = ['403 ORG_SCOPE_INVALID', '401 UNAUTHORIZED']
    for (let node = 0; node < 2; node++) {
      expect(await answers()).toEqual([gone, unknown, unknown, gone])
      expect(codeOf(await testEnv.client.refresh(refreshToken))).toBe('401 INVALID_REFRESH_TOKEN')
      expect((await testEnv.client.call('devicePoll', { deviceCode })).status).not.toBe(200)
      expect(await pulling(other, other.token)).toBe('ok')
    }
    const { userCode } = await testEnv.client.must('deviceStart', {})
    const fresh = await testEnv.provider.tokenOf(user)
    expect((await testEnv.client.call('deviceComplete', { userCode }, { token: fresh })).status).toBe(403)
    const { body } = await testEnv.client.call('pull', at, { token: fresh })
    expect(body.error.message).toContain('was deleted')
  })

  test('leaves usage and the audit log, and no value, key or credential', async () => {
    const tenant = await filled()
    await newServiceToken(testEnv, tenant)
    await testEnv.client.must('evaluate', { ...tenant.at, name: 'A' }, { token: tenant.token })
    await testEnv.client.must('usage', { orgSlug: tenant.at.orgSlug }, { token: tenant.token })
    const days = await count(tenant, 'join usage_days u on u.org_id = o.id')
    const entries = await count(tenant, 'join audit a on a.org_id = o.id')
    expect([await count(tenant, `${ofProject} join data_keys k on k.project_id = p.id`), days > 0]).toEqual([2, true])
    expect(await remove(tenant)).toBe('ok')
    await swept()
    for (const table of contentTables)
      expect(await count(tenant, `${ofStage} join ${table} t on t.stage_id = s.id`), table).toBe(0)
    expect(await count(tenant, `${ofProject} join data_keys k on k.project_id = p.id`)).toBe(0)
    expect(await count(tenant, ofStage, 's.deleted_at_ms is null or p.deleted_at_ms is null')).toBe(0)
    expect(await count(tenant, 'join sessions t on t.org_id = o.id', 't.revoked_at_ms is null')).toBe(0)
    expect(await count(tenant, 'join usage_days u on u.org_id = o.id')).toBe(days)
    expect(await count(tenant, 'join meters m on m.org_id = o.id', "m.meter = 'storage' and m.used <> 0")).toBe(0)
    const log = await query(
      testEnv.app.dataDir,
      `select a.action, a.actor, a.how from audit a join organizations o on o.id = a.org_id
       where o.slug = $1 and a.seq > $2 order by a.seq`,
      tenant.at.orgSlug,
      entries,
    )
    const by = { actor: tenant.user.userId, how: 'provider' }
    expect(log.map(({ action }) => String(action)).toSorted((a, b) => a.localeCompare(b))).toEqual([
      'organization.delete',
      'project.delete',
      'project.delete',
      'stage.delete',
      'stage.delete',
      'stage.delete',
    ])
    expect(log.at(-1)).toEqual({ action: 'organization.delete', ...by })
    await expectWholeStore(testEnv.app.dataDir)
  })

  test('lets nothing of it begin while it happens', async () => {
    for (let round = 0; round < 6; round++) {
      const tenant = await filled()
      const { at, token, user } = tenant
      const { orgSlug } = at
      const provider = await testEnv.provider.tokenOf(user)
      const second = await testEnv.client.login(user)
      const { deviceCode } = await testEnv.client.approved(user)
      const { userCode } = await testEnv.client.must('deviceStart', {})
      const acknowledged: string[] = []
      const started = [
        ['write', { ...at, mode: 'upsert', entries: [secret('NEW', '1')] }, provider],
        ['write', { ...at, projectSlug: 'new', mode: 'upsert', entries: [secret('NEW', '1')] }, provider],
        ['write', { ...at, stageSlug: 'new', mode: 'upsert', entries: [secret('NEW', '1')] }, token],
        ['projectCreate', { orgSlug, projectSlug: 'made' }, provider],
        ['tokenCreate', { orgSlug, name: 'late' }, provider],
        ['organizationUpdate', { orgSlug, createsOnWrite: true }, provider],
        ['tokenRefresh', { refreshToken: second.refreshToken }, undefined],
        ['devicePoll', { deviceCode }, undefined],
        ['deviceComplete', { userCode }, provider],
      ] as const
      const calls = started.map(async ([name, body, bearer]) => {
        const { status, body: answer } = await testEnv.client.call(
          name,
          body,
          bearer === undefined ? {} : { token: bearer },
        )
        expect([200, 400, 401, 403, 404, 410], `${name} ${status}`).toContain(status)
        if (status === 200)
          acknowledged.push(...[answer.token, answer.accessToken].filter((each) => each !== undefined))
      })
      const deleted = remove(tenant)
      await Promise.all([...calls, deleted])
      expect(await deleted).toBe('ok')
      for (const credential of [...acknowledged, token, provider])
        expect((await testEnv.client.call('pull', at, { token: credential })).status).not.toBe(200)
      expect(await count(tenant, 'join sessions t on t.org_id = o.id', 't.revoked_at_ms is null')).toBe(0)
      expect(await count(tenant, 'join device_codes d on d.org_id = o.id', "d.status = 'approved'")).toBe(0)
      expect(await count(tenant, ofProject, 'p.deleted_at_ms is null')).toBe(0)
      expect(await count(tenant, ofStage, 's.deleted_at_ms is null')).toBe(0)
      expect(await count(tenant, `${ofProject} join data_keys k on k.project_id = p.id`)).toBe(0)
    }
    await expectWholeStore(testEnv.app.dataDir)
  })

  test('is checked again by what creates a project, a token or a session', async () => {
    const tenant = await filled()
    const { at, token, user } = tenant
    const { orgSlug } = at
    const { deviceCode } = await testEnv.client.approved(user)
    // A request that was admitted just before the deletion: its session is still valid, but the organization is not.
    await query(testEnv.app.dataDir, 'update organizations set deleted_at_ms = 1 where slug = $1 returning id', orgSlug)
    const entries = [secret('NEW', '1')]
    const calls = [
      ['write', { ...at, projectSlug: 'new', mode: 'upsert', entries }],
      ['projectCreate', { orgSlug, projectSlug: 'made' }],
      ['tokenCreate', { orgSlug, name: 'late' }],
      ['organizationUpdate', { orgSlug, createsOnWrite: true }],
    ] as const
    for (const [name, body] of calls)
      expect(codeOf(await testEnv.client.call(name, body, { token })), name).toBe('403 ORG_SCOPE_INVALID')
    expect(codeOf(await testEnv.client.call('devicePoll', { deviceCode }))).toBe('404 DEVICE_CODE_NOT_FOUND')
  })

  test('happens once, however many ask for it', async () => {
    const tenant = await filled()
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => remove(tenant)))
    expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === '403 ORG_SCOPE_INVALID')).toHaveLength(7)
  })
})

describe.skipIf(onPostgres)('an organization of an external provider that was deleted', () => {
  test('stays deleted until the operator opens it again, and then continues its revisions', async () => {
    const tenant = await filled()
    const { user, at } = tenant
    const { orgSlug } = at
    const reopen = (org: string) => inServer(testEnv.app.dataDir, ['reopen', org])
    const listed = async (): Promise<object | undefined> => {
      const { organizations } = (await inServer(testEnv.app.dataDir, ['organizations'])) as {
        organizations: { id: string; slug: string }[]
      }
      return organizations.find(({ slug }) => slug === orgSlug)
    }
    await expect(reopen(orgSlug)).rejects.toThrow('is not deleted')
    expect(await listed()).not.toHaveProperty('deletedAtMs')
    await remove(tenant)
    expect(await listed()).toMatchObject({ deletedAtMs: expect.any(Number) })
    const token = await testEnv.provider.tokenOf(user)
    expect(await pulling(tenant, token)).toBe('403 ORG_SCOPE_INVALID')
    await expect(reopen('nothing')).rejects.toThrow('No organization')
    expect(await reopen(orgSlug)).toMatchObject({ reopened: { slug: orgSlug } })
    const again = { ...tenant, token }
    expect(await testEnv.client.must('projects', { orgSlug }, { token })).toMatchObject({ projects: [] })
    expect(await pulling(tenant, tenant.token)).toBe('401 UNAUTHORIZED')
    expect((await write(testEnv, again, [secret('A', 'new')])).revision).toBe(4)
    expect((await testEnv.client.must('pull', at, { token })).variables).toEqual({ A: 'new' })
  })

  test('is unknown to a new member too', async () => {
    const tenant = await newTenant(testEnv)
    testEnv.provider.setRole(tenant.user, 'owner')
    await remove(tenant)
    const other = { ...tenant.user, userId: `${tenant.user.userId}-friend` }
    expect(await pulling(tenant, await testEnv.provider.tokenOf(other))).toBe('403 ORG_SCOPE_INVALID')
  })
})
