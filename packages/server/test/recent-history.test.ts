import { expect, test } from 'vitest'
import { roll, secret } from '../testkit/entries.ts'
import { query } from '../testkit/store.ts'
import {
  newOwner,
  newServiceToken,
  newTenant,
  tenantAt,
  useTestEnv,
  write,
  type TestTenant,
} from '../testkit/test-env.ts'

const testEnv = useTestEnv()

interface Revision {
  readonly projectSlug: string
  readonly stageSlug: string
  readonly revision: number
  readonly changes: readonly object[]
  readonly changeCount: number
}

async function recent({ at: { orgSlug }, token }: TestTenant, more: object = {}) {
  const { revisions, next } = await testEnv.client.must('recentHistory', { orgSlug, ...more }, { token })
  return { revisions: revisions as Revision[], next: next as number | undefined }
}

/** Returns texts such as `shop/prod 2`. */
function texts(revisions: readonly Revision[]): string[] {
  return revisions.map(({ projectSlug, stageSlug, revision }) => `${projectSlug}/${stageSlug} ${revision}`)
}

function at(tenant: TestTenant, place: string): TestTenant {
  const [projectSlug = '', stageSlug = ''] = place.split('/')
  return tenantAt(tenant, { projectSlug, stageSlug })
}

test('the recent history has the latest revisions of all stages, with what each changed first and by whom', async () => {
  const tenant = await newTenant(testEnv)
  const shop = at(tenant, 'shop/prod')
  const { token } = tenant
  await write(testEnv, shop, [roll('R', 0.2), secret('B', 'b'), secret('a', 'a')])
  await write(
    testEnv,
    at(tenant, 'api/dev'),
    ['F', 'E', 'D', 'C', 'B', 'A'].map((name) => secret(name, 'x')),
  )
  await testEnv.client.must('update', { ...shop.at, updates: [{ name: 'R', chance: 0.5 }] }, { token })
  await write(testEnv, shop, [secret('N', 'n'), secret('B', 'b2')], { deletes: ['R', 'a'] })
  await testEnv.client.must('restore', { ...shop.at, revision: 2 }, { token })
  await testEnv.client.must('reveal', { ...shop.at, names: ['B'] }, { token })
  await write(testEnv, at(await newTenant(testEnv), 'shop/prod'), [secret('OTHER', 'x')])

  const { revisions, next } = await recent(tenant)
  expect(texts(revisions)).toEqual(['shop/prod 4', 'shop/prod 3', 'shop/prod 2', 'api/dev 1', 'shop/prod 1'])
  expect(next).toBeUndefined()
  expect(revisions[0]).toEqual({
    projectSlug: 'shop',
    stageSlug: 'prod',
    revision: 4,
    writtenAtMs: expect.any(Number),
    writtenBy: tenant.user.userId,
    client: expect.stringMatching(/^cli session/),
    changes: [
      { name: 'B', change: 'restored' },
      { name: 'N', change: 'deleted' },
      { name: 'R', change: 'restored', chance: 0.5 },
      { name: 'a', change: 'restored' },
    ],
    changeCount: 4,
  })
  expect(revisions[1]).toMatchObject({
    changes: [
      { name: 'B', change: 'updated' },
      { name: 'N', change: 'created' },
      { name: 'R', change: 'deleted', chanceBefore: 0.5 },
      { name: 'a', change: 'deleted' },
    ],
    changeCount: 4,
  })
  expect(revisions[2]).toMatchObject({
    changes: [{ name: 'R', change: 'updated', chance: 0.5, chanceBefore: 0.2 }],
    changeCount: 1,
  })
  expect(revisions[3]).toMatchObject({
    changes: ['A', 'B', 'C', 'D', 'E'].map((name) => ({ name, change: 'created' })),
    changeCount: 6,
  })
})

test('a roll whose chance and description change at once is one variable of its revision', async () => {
  const tenant = await newTenant(testEnv)
  const { token } = tenant
  await write(testEnv, tenant, [roll('R', 0.2), roll('S', 0.2)])
  const change = { chance: 0.5, description: 'The new checkout' }
  await testEnv.client.must('update', { ...tenant.at, updates: [{ name: 'R', ...change }] }, { token })
  const names = ['R', 'S'].map((name) => ({ name, chance: 0.7, description: 'Other' }))
  await testEnv.client.must('update', { ...tenant.at, updates: names }, { token })
  const { revisions } = await recent(tenant)
  expect(revisions.map(({ changeCount }) => changeCount)).toEqual([2, 1, 2])
})

test('the recent history comes in pages without gaps, each before the last revision of the one before', async () => {
  const tenant = await newTenant(testEnv)
  const expected: string[] = []
  for (let revision = 1; revision <= 7; revision++) {
    for (const place of ['shop/prod', 'shop/dev']) {
      const deletes = revision === 1 ? [] : [`N${revision - 1}`]
      const entries = [secret(`N${revision}`, 'x'), secret('SAME', String(revision))]
      await write(testEnv, at(tenant, place), entries, { deletes })
      expected.unshift(`${place} ${revision}`)
    }
  }
  for (const limit of [1, 3, 7, 14]) {
    const read: string[] = []
    let before: number | undefined
    do {
      const page = await recent(tenant, { limit, ...(before !== undefined && { before }) })
      expect(page.revisions.length).toBeLessThanOrEqual(limit)
      read.push(...texts(page.revisions))
      before = page.next
    } while (before !== undefined)
    expect(read).toEqual(expected)
  }
  expect((await recent(tenant, { before: 1 })).revisions).toEqual([])
  for (const wrong of [{ limit: 0 }, { limit: 51 }, { before: 0 }]) {
    const input = { orgSlug: tenant.at.orgSlug, ...wrong }
    const { body } = await testEnv.client.call('recentHistory', input, { token: tenant.token })
    expect(body.error.code).toBe('INVALID_REQUEST')
  }
})

test('a service token needs the right to read the history, and sees the revisions within its scope', async () => {
  const tenant = await newOwner(testEnv)
  for (const place of ['shop/prod', 'shop/dev', 'api/prod']) await write(testEnv, at(tenant, place), [secret('A', 'a')])
  for (let i = 0; i < 10; i++) await write(testEnv, at(tenant, 'api/prod'), [secret('A', String(i))])
  await testEnv.client.must('projectCreate', { orgSlug: tenant.at.orgSlug, projectSlug: 'none' }, tenant)
  const seen = async (reach: object): Promise<string[]> => {
    const { token } = await newServiceToken(testEnv, tenant, { readOnly: true, history: true, ...reach })
    return texts((await recent({ ...tenant, token }, { limit: 2 })).revisions)
  }
  expect(await seen({})).toEqual(['api/prod 11', 'api/prod 10'])
  expect(await seen({ projectSlug: 'shop' })).toEqual(['shop/dev 1', 'shop/prod 1'])
  expect(await seen({ projectSlug: 'shop', stageSlug: 'prod' })).toEqual(['shop/prod 1'])
  expect(await seen({ projectSlug: 'none' })).toEqual([])
  const { token } = await newServiceToken(testEnv, tenant, {})
  const refused = await testEnv.client.call('recentHistory', { orgSlug: tenant.at.orgSlug }, { token })
  expect([refused.status, refused.body.error.code]).toEqual([403, 'FORBIDDEN'])
})

test('a caller of a quiet stage of a busy organization continues where the request stopped reading', async () => {
  const tenant = await newOwner(testEnv)
  await write(testEnv, at(tenant, 'shop/quiet'), [secret('A', 'a')])
  await write(testEnv, at(tenant, 'shop/busy'), [secret('A', 'a')])
  const { token } = await newServiceToken(testEnv, tenant, { projectSlug: 'shop', stageSlug: 'quiet', history: true })
  const { dataDir } = testEnv.app
  await testEnv.app.stop()
  // Entries without a chain are enough here: nothing verifies the log.
  await query(
    dataDir,
    `insert into audit (org_id, seq, at_ms, actor, how, client, action, project_slug, stage_slug, name_count, revision)
     with recursive n (i) as (select 1 union all select i + 1 from n where i < 6000)
     select o.id, 1000 + i, 0, 'user_1', 'session', 'cli', 'variable.update', 'shop', 'busy', 1, 1 + i
     from n, organizations o where o.slug = $1`,
    tenant.at.orgSlug,
  )
  await testEnv.restart()
  const first = await recent({ ...tenant, token }, { limit: 50 })
  expect(first.revisions).toEqual([])
  expect(first.next).toBeGreaterThan(1_000)
  const second = await recent({ ...tenant, token }, { before: first.next })
  expect([texts(second.revisions), second.next]).toEqual([['shop/quiet 1'], undefined])
})

test('the latest revisions are all found where one has more entries of the audit log than a page reads', async () => {
  const tenant = await newOwner(testEnv)
  const names = Array.from({ length: 40 }, (_, index) => `R${index}`)
  await write(
    testEnv,
    tenant,
    names.map((name, index) => roll(name, index / 100)),
  )
  const updates = names.map((name) => ({ name, chance: 0.9 }))
  await testEnv.client.must('update', { ...tenant.at, updates }, tenant)
  await write(testEnv, tenant, [secret('LAST', '1')])
  const found: string[] = []
  let before: number | undefined
  do {
    const { revisions, next } = await recent(tenant, { limit: 1, before })
    found.push(...texts(revisions))
    before = next
  } while (before !== undefined && found.length < 4)
  expect(found).toEqual(['shop/prod 3', 'shop/prod 2', 'shop/prod 1'])
})
