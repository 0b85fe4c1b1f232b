/** Deletes stages and projects: who may do it, what is gone with the answer, and what stays. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { sweep } from '../src/compose/housekeeping.ts'
import { contentTables } from '../src/storage/deletion.ts'
import { usageOf } from '../testkit/app.ts'
import { auditEntries } from '../testkit/audit.ts'
import { roll, secret } from '../testkit/entries.ts'
import { EventReader, useFrequentPolls } from '../testkit/events.ts'
import { onPostgres, openStore, query, tablesOf } from '../testkit/store.ts'
import { newOwner, newServiceToken, tenantAt, useTestEnv, write, type TestTenant } from '../testkit/test-env.ts'

useFrequentPolls()
const testEnv = useTestEnv()
const minuteMs = 60_000

const endpoints = { stage: 'stageDelete', project: 'projectDelete' } as const
type What = keyof typeof endpoints
const whats = Object.keys(endpoints) as What[]

/** Deletes with a token of a fresh sign-in. Returns the status and the code of an error. */
async function remove({ at, user }: TestTenant, what: What, more: object = {}, token?: string): Promise<string> {
  const body = { ...at, confirm: what === 'stage' ? at.stageSlug : at.projectSlug, ...more }
  const answer = await testEnv.client.call(endpoints[what], body, {
    token: token ?? (await testEnv.provider.confirmedTokenOf(user)),
  })
  return answer.status === 200 ? 'ok' : `${answer.status} ${answer.body.error.code}`
}

async function filled(): Promise<TestTenant> {
  const tenant = await newOwner(testEnv)
  await write(testEnv, tenant, [secret('A', 'value of A'), roll('R', 1)])
  await write(testEnv, tenant, [secret('A', 'second value of A')])
  await write(testEnv, tenantAt(tenant, { stageSlug: 'test' }), [secret('A', 'test')])
  await write(testEnv, tenantAt(tenant, { projectSlug: 'blog' }), [secret('A', 'blog')])
  return tenant
}

/** Returns what a client finds at a stage: the revision, and the evaluation of A as a value or error code. */
async function found({ at, token }: TestTenant): Promise<string> {
  const { revision, variables } = await testEnv.client.must('list', at, { token })
  const { status, body } = await testEnv.client.call('evaluate', { ...at, name: 'A' }, { token })
  return `${revision} ${variables.length} ${status === 200 ? body.value : body.error.code}`
}

async function stagesOf({ at: { orgSlug }, token }: TestTenant): Promise<string[]> {
  const { projects } = await testEnv.client.must('projects', { orgSlug }, { token })
  return projects.flatMap(({ projectSlug, stages }: { projectSlug: string; stages: { stageSlug: string }[] }) =>
    stages.map(({ stageSlug }) => `${projectSlug}/${stageSlug}`),
  )
}

async function swept(): Promise<void> {
  await testEnv.app.stop()
  const sql = await openStore(testEnv.app.dataDir)
  await sweep(sql, testEnv.clock.now(), 90)
  await sql.close()
  await testEnv.restart()
}

async function rowsOf(orgSlug: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of contentTables) {
    const [row] = await query(
      testEnv.app.dataDir,
      `select count(*) as n from ${table} t join stages s on s.id = t.stage_id join projects p on p.id = s.project_id
       join organizations o on o.id = p.org_id where o.slug = $1 and p.slug = 'shop' and s.slug = 'prod'`,
      orgSlug,
    )
    counts[table] = Number(row?.['n'])
  }
  return counts
}

test('a table with rows of stages is emptied by a deletion, unless its rows stay', async () => {
  // Usage is billed, a floor ends the history, and a change ends with its stage.
  const stay = ['changes', 'history_floors', 'node_usage', 'usage_callers', 'usage_days']
  const tables = [...(await tablesOf(testEnv.app.dataDir))].filter(([, columns]) => columns.includes('stage_id'))
  expect(tables.map(([name]) => name).toSorted()).toEqual([...contentTables, ...stay].toSorted())
})

describe.each(whats)('deleting a %s', (what) => {
  test('is for owners and admins who proved who they are in the last 15 minutes', async () => {
    const tenant = await filled()
    const { user, token, at } = tenant
    const at15 = await testEnv.provider.confirmedTokenOf(user, 15 * minuteMs)
    const at14 = await testEnv.provider.confirmedTokenOf(user, 14 * minuteMs)
    const unknown = await testEnv.provider.tokenOf(user)
    const { token: service } = await newServiceToken(testEnv, tenant)
    const readOnly = (await newServiceToken(testEnv, tenant, { readOnly: true })).token
    const outcomes = async (): Promise<string[]> => [
      await remove(tenant, what, {}, token),
      await remove(tenant, what, {}, at15),
      await remove(tenant, what, {}, unknown),
      await remove(tenant, what, {}, service),
      await remove(tenant, what, {}, readOnly),
      await remove(tenant, what, {}, 'svc_at_unknown'),
      await remove(tenant, what, { orgSlug: 'other' }),
      await remove(tenant, what, { confirm: 'Prod' }),
      await remove(tenant, what, { confirm: undefined }),
    ]
    const common = ['403 FORBIDDEN', '403 FORBIDDEN', '401 UNAUTHORIZED', '403 INVALID_ORG_SCOPE']
    const invalid = ['400 INVALID_REQUEST', '400 INVALID_REQUEST']
    const unconfirmed = '403 CONFIRMATION_REQUIRED'
    for (const role of ['owner', 'admin']) {
      testEnv.provider.setRole(user, role)
      expect(await outcomes()).toEqual([unconfirmed, unconfirmed, unconfirmed, ...common, ...invalid])
    }
    testEnv.provider.setRole(user, 'member')
    const forbidden = '403 FORBIDDEN'
    expect(await outcomes()).toEqual([forbidden, forbidden, forbidden, ...common, ...invalid])
    expect([await remove(tenant, what), await found(tenant)]).toEqual([forbidden, '2 2 second value of A'])
    testEnv.provider.setRole(user, 'admin')
    expect(await remove(tenant, what, {}, at14)).toBe('ok')
    expect(await remove(tenant, what)).toBe('404 NOT_FOUND')
    const missing = what === 'stage' ? { stageSlug: 'no', confirm: 'no' } : { projectSlug: 'no', confirm: 'no' }
    expect(await remove(tenant, what, { ...at, ...missing })).toBe('404 NOT_FOUND')
  })

  test('takes it from every list and every node at once, and nothing else', async () => {
    const tenant = await filled()
    const { at, token } = tenant
    const { orgSlug } = at
    const whole = (await newServiceToken(testEnv, tenant)).token as string
    for (let node = 0; node < 2; node++) expect(await found(tenant)).toBe('2 2 second value of A')
    const usage = await usageOf(testEnv.app, orgSlug)
    expect(await remove(tenant, what)).toBe('ok')
    for (let node = 0; node < 2; node++) {
      expect(await found(tenant)).toBe('0 0 VARIABLE_NOT_FOUND')
      expect(await found({ ...tenant, token: whole })).toBe('0 0 VARIABLE_NOT_FOUND')
      expect(await stagesOf(tenant)).toEqual(what === 'stage' ? ['blog/prod', 'shop/test'] : ['blog/prod'])
      expect((await testEnv.client.must('history', at, { token })).changes).toEqual([])
      expect((await testEnv.client.call('restore', { ...at, revision: 1 }, { token })).status).not.toBe(200)
      const searched = await testEnv.client.must('search', { orgSlug, query: 'R' }, { token })
      expect(searched.variables).toEqual([])
      expect((await testEnv.client.must('rolls', { orgSlug }, { token })).rolls).toEqual([])
      expect((await testEnv.client.call('reveal', { ...at, names: ['A'] }, { token })).status).toBe(404)
    }
    const other = tenantAt(tenant, { stageSlug: 'test' })
    expect(await found(other)).toBe(what === 'stage' ? '1 1 test' : '0 0 VARIABLE_NOT_FOUND')
    expect(await found(tenantAt(tenant, { projectSlug: 'blog' }))).toBe('1 1 blog')
    const shown = await testEnv.client.must('usage', { orgSlug }, { token })
    expect(await usageOf(testEnv.app, orgSlug)).toBeGreaterThanOrEqual(usage)
    expect(shown.days).toContainEqual(expect.objectContaining({ projectSlug: 'shop', stageSlug: 'prod' }))
    const places = shown.storage.byStage.map(
      ({ projectSlug, stageSlug }: TestTenant['at']) => `${projectSlug}/${stageSlug}`,
    )
    expect(places).toEqual(await stagesOf(tenant))
    const stored = shown.storage.byStage.reduce((sum: number, { bytes }: { bytes: number }) => sum + bytes, 0)
    expect(shown.storage.bytes).toBe(stored)
  })

  test('ends the service tokens that are limited to it, and no other', async () => {
    const tenant = await filled()
    const tokenFor = async (scope: object) => (await newServiceToken(testEnv, tenant, scope)).token as string
    const scopes = {
      organization: {},
      project: { projectSlug: 'shop' },
      stage: { projectSlug: 'shop', stageSlug: 'prod' },
      other: { projectSlug: 'shop', stageSlug: 'test' },
      blog: { projectSlug: 'blog', stageSlug: 'prod' },
    }
    const tokens: Record<string, string> = {}
    for (const [name, scope] of Object.entries(scopes)) tokens[name] = await tokenFor(scope)
    const statuses = async () => {
      const all: Record<string, number> = {}
      for (const [name, token] of Object.entries(tokens))
        all[name] = (await testEnv.client.call('whoami', {}, { token })).status
      return all
    }
    for (let node = 0; node < 2; node++) await statuses()
    expect(await remove(tenant, what)).toBe('ok')
    const expected =
      what === 'stage'
        ? { organization: 200, project: 200, stage: 401, other: 200, blog: 200 }
        : { organization: 200, project: 401, stage: 401, other: 401, blog: 200 }
    for (let node = 0; node < 2; node++) expect(await statuses()).toEqual(expected)
    await write(testEnv, tenant, [secret('A', 'new')])
    expect(await statuses()).toEqual(expected)
    const revoked = await auditEntries(testEnv.client, tenant.at.orgSlug, tenant.token, { action: 'token.revoke' })
    expect(revoked).toHaveLength(Object.values(expected).filter((status) => status === 401).length)
    for (const { facts } of revoked) expect(facts).toEqual({ tokenId: expect.stringMatching(/^tok_/), name: 'ci' })
  })

  test('continues the revisions of a stage that is created again, so that no ETag lies', async () => {
    const tenant = await filled()
    const { at, token } = tenant
    const path = `/v1/typegen/manifest?${new URLSearchParams(at).toString()}`
    const manifest = (etag: string) =>
      fetch(testEnv.app.url + path, { headers: { authorization: `Bearer ${token}`, 'if-none-match': etag } })
    const revisions = [2]
    for (let time = 0; time < 2; time++) {
      const before = (await manifest('')).headers.get('etag') ?? ''
      expect((await manifest(before)).status).toBe(304)
      expect(await remove(tenant, what)).toBe('ok')
      for (let node = 0; node < 2; node++) expect((await manifest(before)).status).toBe(200)
      const { revision } = await write(testEnv, tenant, [secret('B', 'new')])
      revisions.push(revision)
      for (let node = 0; node < 2; node++) {
        expect((await manifest(before)).status).toBe(200)
        const { variables } = await testEnv.client.must('pull', at, { token })
        expect(variables).toEqual({ B: 'new' })
        const { changes } = await testEnv.client.must('history', at, { token })
        expect(changes).toMatchObject([{ name: 'B', revision, change: 'created' }])
      }
      expect((await testEnv.client.call('restore', { ...at, revision: 1 }, { token })).status).toBe(400)
    }
    expect(revisions).toEqual([2, 4, 6])
    expect(await remove(tenant, what)).toBe('ok')
    if (what === 'project') {
      const stages = [{ stageSlug: 'prod', isProduction: false }, { stageSlug: 'new' }]
      await testEnv.client.must('projectCreate', { ...at, name: 'Shop', stages }, { token })
    } else await testEnv.client.must('stageCreate', { ...at, isProduction: false }, { token })
    const { projects } = await testEnv.client.must('projects', { orgSlug: at.orgSlug }, { token })
    const shop = projects.find(({ projectSlug }: { projectSlug: string }) => projectSlug === 'shop')
    const created = shop.stages.find(({ stageSlug }: { stageSlug: string }) => stageSlug === 'prod')
    expect(created).toMatchObject({ name: 'prod', revision: 8, variables: 0, isProduction: false })
    expect(created.archivedAtMs).toBeUndefined()
    expect((await write(testEnv, tenant, [secret('A', 'last')])).revision).toBe(9)
    expect(await found(tenant)).toBe('9 1 last')
  })

  test('tells subscribers, and continues for them when it is created again', async () => {
    const tenant = await filled()
    const { orgSlug, projectSlug } = tenant.at
    const reader = await EventReader.open(testEnv.app.url, { orgSlug, projectSlug }, tenant.token)
    onTestFinished(() => reader.close())
    const next = async (): Promise<string> => {
      for (;;) {
        const { event, data } = (await reader.nextNamed()) ?? { event: 'over' }
        if (event === 'over') return event
        if (data?.stageSlug === 'prod') return `${data.revision} ${data.names ?? 'everything'}`
      }
    }
    await reader.next()
    expect(await remove(tenant, what)).toBe('ok')
    expect(await next()).toBe('3 everything')
    await write(testEnv, tenant, [secret('B', 'new')])
    expect(await next()).toBe('4 B')
  })

  test('leaves no row of its values, history and counts, and no key of a project', async () => {
    const tenant = await filled()
    const { orgSlug } = tenant.at
    await remove(tenant, what)
    await swept()
    const none = Object.fromEntries(contentTables.map((table) => [table, 0]))
    expect(await rowsOf(orgSlug)).toEqual(none)
    const keys = await query(
      testEnv.app.dataDir,
      `select k.id from data_keys k join projects p on p.id = k.project_id join organizations o on o.id = p.org_id
       where o.slug = $1 and p.slug = 'shop'`,
      orgSlug,
    )
    expect(keys).toHaveLength(what === 'stage' ? 1 : 0)
    expect(await found(tenantAt(tenant, { projectSlug: 'blog' }))).toBe('1 1 blog')
    await write(testEnv, tenant, [secret('A', 'new')])
    await swept()
    expect(await rowsOf(orgSlug)).toEqual({ ...none, variables: 1, variable_history: 1 })
  })

  test('is in the audit log with what it was', async () => {
    const tenant = await filled()
    await remove(tenant, what)
    const entries = await auditEntries(testEnv.client, tenant.at.orgSlug, tenant.token)
    const deleted = entries.filter(({ action }) => action.endsWith('.delete'))
    expect(deleted.every(({ how, actor }) => how === 'provider' && actor === tenant.user.userId)).toBe(true)
    const texts = deleted.map(({ action, projectSlug, stageSlug, revision }) =>
      [action, projectSlug, stageSlug, revision].filter((part) => part !== undefined).join(' '),
    )
    const ofProject = ['project.delete shop', 'stage.delete shop prod 3', 'stage.delete shop test 2']
    expect(texts.toSorted((a, b) => a.localeCompare(b))).toEqual(
      what === 'stage' ? ['stage.delete shop prod 3'] : ofProject,
    )
  })

  test('answers from nothing deleted once it is acknowledged, whatever runs at the time', async () => {
    const tenant = await filled()
    const { at, token } = tenant
    let deleted = false
    const late: string[] = []
    const readOn = async (): Promise<void> => {
      for (let lateReads = 0; lateReads < 10; lateReads += Number(deleted)) {
        const wasDeleted = deleted
        const { status } = await testEnv.client.call('evaluate', { ...at, name: 'R' }, { token })
        const { variables } = await testEnv.client.must('pull', at, { token })
        if (wasDeleted) late.push(`${status} ${Object.keys(variables).filter((name) => name !== 'NEW').length}`)
      }
    }
    const writeOn = async (): Promise<void> => {
      for (let count = 0; count < 20; count++) await write(testEnv, tenant, [secret('NEW', String(count))])
    }
    const removeSoon = async (): Promise<void> => {
      await found(tenant)
      expect(await remove(tenant, what)).toBe('ok')
      deleted = true
    }
    await Promise.all([readOn(), readOn(), readOn(), writeOn(), removeSoon()])
    expect(new Set(late)).toEqual(new Set(['404 0']))
    const { revision, variables } = await testEnv.client.must('pull', at, { token })
    expect(Object.keys(variables).length).toBeLessThanOrEqual(1)
    expect((await testEnv.client.must('list', at, { token })).revision).toBe(revision)
  })

  test('happens once, however many ask for it', async () => {
    const tenant = await filled()
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => remove(tenant, what)))
    expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === '404 NOT_FOUND')).toHaveLength(7)
  })
})

test('a large stage is deleted at once, its rows later, and it is created again', async () => {
  const tenant = await newOwner(testEnv)
  if (onPostgres) {
    // PostgreSQL then expects every stage to be small, as it does until it looks at the tables again.
    for (let count = 0; count < 40; count++) await filled()
    await query(testEnv.app.dataDir, 'analyze')
  }
  for (let round = 0; round < 2; round++) {
    for (let part = 0; part < 3; part++) {
      const entries = Array.from({ length: 1_000 }, (_, index) => secret(`N${part}_${index}`, `${round}`))
      await write(testEnv, tenant, entries)
    }
  }
  expect(await remove(tenant, 'stage')).toBe('ok')
  // The answer does not wait until each row is deleted.
  expect(await rowsOf(tenant.at.orgSlug)).toMatchObject({ variables: 3_000, variable_history: 6_000 })
  const { at, token } = tenant
  const create = async (): Promise<unknown> => {
    const entries = [secret('A', 'new')]
    return (await testEnv.client.call('write', { ...at, mode: 'upsert', entries }, { token })).body
  }
  // It empties the former stage first. If that takes a busy database too long, the next attempt continues it.
  await expect.poll(create).toMatchObject({ revision: 8 })
  expect(await rowsOf(tenant.at.orgSlug)).toMatchObject({ variables: 1, variable_history: 1 })
})
