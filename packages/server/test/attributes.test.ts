/** Tests the attributes that every variable can have, description and exposure, in each place that shows or keeps them. */
import type { AttributeChanges } from '@rollkey/contract'
import { describe, expect, test } from 'vitest'
import { startTestApp, usageOf } from '../testkit/app.ts'
import type { Answer } from '../testkit/client.ts'
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
const key = { exposure: 'plain', description: 'The key of Stripe.\n\tRotate it in May: ü 🚀 */ <b>' } as const
const none = { exposure: null, description: null }

function codeOf({ status, body }: Answer): string {
  return `${status} ${body.error?.code ?? ''}`.trim()
}

/** Returns the answer of an endpoint of the stage. */
function ask({ at, token }: TestTenant, endpoint: 'list' | 'manifest' | 'digests' | 'history' | 'plain', more = {}) {
  return testEnv.client.must(endpoint, { ...at, ...more }, { token })
}

/** Returns the description and exposure that an answer shows of a variable, under their names. */
function shown(variables: ({ name: string } & AttributeChanges)[], name = 'KEY'): object {
  const { exposure, description } = variables.find((variable) => variable.name === name) ?? {}
  return { ...(exposure !== undefined && { exposure }), ...(description !== undefined && { description }) }
}

/** Returns what all places of a stage show of a variable, which must be the same. */
async function shownBy(tenant: TestTenant, name = 'KEY'): Promise<object> {
  const revealed = await testEnv.client.must('reveal', { ...tenant.at, names: [name] }, { token: tenant.token })
  const [first, ...others] = [
    shown((await ask(tenant, 'list')).variables, name),
    shown((await ask(tenant, 'manifest')).variables, name),
    shown((await ask(tenant, 'digests')).variables, name),
    shown((await ask(tenant, 'history', { name })).changes, name),
    shown(revealed.variables, name),
  ] as [object, ...object[]]
  for (const other of others) expect(other).toEqual(first)
  return first
}

describe('attributes', () => {
  test('are shown wherever a variable is described, before and after a restart', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [
      { ...secret('KEY', 'v'), ...key },
      { ...roll('R', 0.5), exposure: 'client' },
    ])
    expect(await shownBy(tenant)).toEqual(key)
    expect(await shownBy(tenant, 'R')).toEqual({ exposure: 'client' })
    await testEnv.restart()
    expect(await shownBy(tenant)).toEqual(key)
  })

  test('stay as stored if a write omits them, and null clears them', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [{ ...secret('KEY', '1'), ...key }])
    await write(testEnv, tenant, [secret('KEY', '2', 'int64')])
    expect(await shownBy(tenant)).toEqual(key)
    await write(testEnv, tenant, [{ ...secret('KEY', '2'), description: 'Another.' }])
    expect(await shownBy(tenant)).toEqual({ ...key, description: 'Another.' })
    await write(testEnv, tenant, [{ ...secret('KEY', '2'), description: null }])
    expect(await shownBy(tenant)).toEqual({ exposure: 'plain' })
    await write(testEnv, tenant, [{ ...secret('KEY', '2'), exposure: null }])
    expect(await shownBy(tenant)).toEqual({})
  })

  test('are absent if they say no more than their default', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [{ ...secret('KEY', '1'), exposure: 'secret', description: '' }, secret('B', '1')])
    expect([await shownBy(tenant), await shownBy(tenant, 'B')]).toEqual([{}, {}])
    await write(testEnv, tenant, [{ ...secret('KEY', '1'), ...key }])
    await write(testEnv, tenant, [{ ...secret('KEY', '1'), exposure: 'secret', description: '' }])
    expect(await shownBy(tenant)).toEqual({})
  })

  test('stay through a change of kind and of a chance, and a chance goes with the roll', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [{ ...roll('KEY', 0.5), ...key }])
    await testEnv.client.must(
      'update',
      { ...tenant.at, updates: [{ name: 'KEY', chance: 0.25 }] },
      { token: tenant.token },
    )
    expect((await ask(tenant, 'list')).variables).toMatchObject([{ chance: 0.25, ...key }])
    await write(testEnv, tenant, [secret('KEY', 'v')])
    const [variable] = (await ask(tenant, 'list')).variables
    expect(variable).toMatchObject({ kind: 'secret', ...key })
    expect(variable.chance).toBeUndefined()
  })

  test('are refused where they are too long, unknown or not text, and nothing is written', async () => {
    const tenant = await newTenant(testEnv)
    const written = async (more: object): Promise<string> =>
      codeOf(
        await testEnv.client.call(
          'write',
          { ...tenant.at, mode: 'upsert', entries: [{ ...secret('KEY', 'v'), ...more }] },
          { token: tenant.token },
        ),
      )
    for (const exposure of ['public', 'Plain', '', 1, true]) expect(await written({ exposure })).toMatch(/^400/)
    const descriptions = ['x'.repeat(1_001), '🚀'.repeat(1_001), '\u0000', '\u001b[31m', '\u0085', '\ud800', 1, {}]
    for (const description of descriptions) expect(await written({ description })).toBe('400 INVALID_REQUEST')
    expect((await ask(tenant, 'list')).revision).toBe(0)
    for (const description of ['🚀'.repeat(1_000), '\t\r\n']) {
      expect(await written({ description })).toBe('200')
      expect(await shownBy(tenant)).toEqual({ description })
    }
  })

  test('are in the history before and after a change', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [{ ...secret('KEY', 'v'), ...key }])
    await write(testEnv, tenant, [{ ...secret('KEY', 'v'), ...none }])
    await write(testEnv, tenant, [], { deletes: ['KEY'] })
    const [deleted, cleared, created] = (await ask(tenant, 'history')).changes
    expect(created).toMatchObject(key)
    expect(cleared.before).toMatchObject(key)
    for (const state of [cleared, deleted, deleted.before]) expect(shown([{ ...state, name: 'KEY' }])).toEqual({})
  })

  test('are copied, and replace those of the target', async () => {
    const tenant = await newTenant(testEnv)
    const target = tenantAt(tenant, { stageSlug: 'test' })
    await write(testEnv, tenant, [{ ...secret('KEY', 'v'), ...key }, secret('BARE', 'v')])
    await write(testEnv, target, [{ ...secret('BARE', 'v'), ...key }])
    const { orgSlug, ...from } = tenant.at
    const copy = { orgSlug, from, to: { ...from, stageSlug: 'test' }, names: ['KEY', 'BARE'] }
    await testEnv.client.must('copy', copy, { token: tenant.token })
    expect(await shownBy(target)).toEqual(key)
    expect(await shownBy(target, 'BARE')).toEqual({})
  })

  test('are restored, also if nothing else differs', async () => {
    const tenant = await newTenant(testEnv)
    const restore = async (revision: number) =>
      (await testEnv.client.must('restore', { ...tenant.at, revision }, { token: tenant.token })).revision as number
    await write(testEnv, tenant, [{ ...secret('KEY', 'v'), ...key }])
    await write(testEnv, tenant, [{ ...secret('KEY', 'v'), ...none }])
    expect(await restore(1)).toBe(3)
    expect(await shownBy(tenant)).toEqual(key)
    expect(await restore(1)).toBe(3)
    expect(await restore(2)).toBe(4)
    expect(await shownBy(tenant)).toEqual({})
  })

  test('are not billed as storage', async () => {
    const app = await startTestApp({ PLAN: 'free', FREE_STORAGE_BYTES: '100' }, { provider: testEnv.provider })
    const tenant = await newTenant(app)
    await write(app, tenant, [{ ...secret('KEY', 'v'), description: 'x'.repeat(1_000) }])
    const { storage } = await app.client.must('usage', { orgSlug: tenant.at.orgSlug }, { token: tenant.token })
    expect(storage.bytes).toBe(51)
  })
})

/** What a request says besides the attributes. */
interface Rest {
  readonly names?: readonly string[]
  readonly stageSlug?: string
  readonly ifRevision?: number
}

describe('a change of attributes without values', () => {
  const set = ({ at, token }: TestTenant, more: object, { names = ['KEY'], ...rest }: Rest = {}) => {
    const updates = names.map((name) => ({ name, exposure: 'plain', ...more }))
    return testEnv.client.call('update', { ...at, updates, ...rest }, { token })
  }

  test('keeps values, types and what it does not state, and makes one revision', async () => {
    const tenant = await newTenant(testEnv)
    const other = { ...roll('R', 1, 'on', 'off'), description: 'Kept' }
    await write(testEnv, tenant, [{ ...secret('KEY', '5', 'int64'), ...key }, other, secret('B', 'untouched')])
    expect((await set(tenant, { exposure: 'client' }, { names: ['R', 'KEY'] })).body.revision).toBe(2)
    expect(await shownBy(tenant)).toEqual({ ...key, exposure: 'client' })
    expect(await shownBy(tenant, 'R')).toEqual({ exposure: 'client', description: 'Kept' })
    expect((await set(tenant, { exposure: null, description: 'New' })).body.revision).toBe(3)
    expect(await shownBy(tenant)).toEqual({ description: 'New' })
    const { variables } = await testEnv.client.must('pull', tenant.at, { token: tenant.token })
    expect(variables).toEqual({ KEY: '5', R: 'on', B: 'untouched' })
    const [listed] = (await ask(tenant, 'list')).variables.slice(1)
    expect(listed).toMatchObject({ name: 'KEY', kind: 'secret', declaredType: 'int64' })
    await testEnv.restart()
    expect(await shownBy(tenant)).toEqual({ description: 'New' })
  })

  test('is all or nothing, and refused for an unknown name, a stale revision, no attribute or a reader', async () => {
    const tenant = await newOwner(testEnv)
    await write(testEnv, tenant, [secret('KEY', 'v')])
    expect(codeOf(await set(tenant, {}, { names: ['KEY', 'GONE'] }))).toBe('404 VARIABLE_NOT_FOUND')
    expect(codeOf(await set(tenant, {}, { stageSlug: 'none' }))).toBe('404 VARIABLE_NOT_FOUND')
    expect(codeOf(await set(tenant, {}, { ifRevision: 2 }))).toBe('409 REVISION_CONFLICT')
    for (const names of [[], ['KEY', 'KEY']])
      expect(codeOf(await set(tenant, {}, { names }))).toBe('400 INVALID_REQUEST')
    for (const wrong of [{ exposure: undefined }, { exposure: 'x' }, { description: 1 }])
      expect(codeOf(await set(tenant, wrong))).toBe('400 INVALID_REQUEST')
    const { token } = await newServiceToken(testEnv, tenant, { readOnly: true })
    expect(codeOf(await set({ ...tenant, token: token as string }, {}))).toBe('403 FORBIDDEN')
    expect((await ask(tenant, 'list')).revision).toBe(1)
    expect(codeOf(await set(tenant, {}, { ifRevision: 1 }))).toBe('200')
    const { entries } = await testEnv.client.must('audit', { orgSlug: tenant.at.orgSlug }, { token: tenant.token })
    expect(entries.slice(0, 2)).toMatchObject([
      {
        action: 'variable.expose',
        names: ['KEY'],
        facts: { before: { exposure: 'secret' }, after: { exposure: 'plain' } },
        revision: 2,
      },
      { action: 'variable.update', names: ['KEY'], facts: { parts: ['exposure'] }, revision: 2 },
    ])
  })

  test('works for a value that does not open', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('KEY', 'v')])
    await query(testEnv.app.dataDir, "update variables set name = 'MOVED' where name = 'KEY'")
    await testEnv.restart()
    expect(codeOf(await set(tenant, { exposure: undefined, description: 'Broken' }, { names: ['MOVED'] }))).toBe('200')
    expect((await ask(tenant, 'list')).variables).toMatchObject([{ name: 'MOVED', description: 'Broken' }])
  })
})

test('one update changes rolls and attributes of many variables in one revision, and the audit log says what', async () => {
  const tenant = await newOwner(testEnv)
  await write(testEnv, tenant, [secret('KEY', 'v'), roll('R', 0.5), roll('S', 0.5), roll('T', 0.5)])
  const described = { description: 'New' }
  const updates = [
    { name: 'S', chance: 0.2, ...described, exposure: 'plain' },
    { name: 'R', chance: 0.2 },
    { name: 'T', pin: { a: ['user-1'] } },
    { name: 'KEY', ...described, exposure: 'plain' },
  ]
  const { revision } = await testEnv.client.must('update', { ...tenant.at, updates }, { token: tenant.token })
  expect(revision).toBe(2)
  const { variables } = await ask(tenant, 'list')
  expect(variables).toMatchObject([
    { name: 'KEY', description: 'New', exposure: 'plain' },
    { name: 'R', chance: 0.2 },
    { name: 'S', chance: 0.2, description: 'New', exposure: 'plain' },
    { name: 'T', chance: 0.5, pinned: { a: 1, b: 0 } },
  ])
  const { entries } = await testEnv.client.must('audit', { orgSlug: tenant.at.orgSlug }, { token: tenant.token })
  const made = (entries as { action: string; names: string[]; facts: object; revision: number }[])
    .filter((entry) => entry.revision === 2)
    .map(({ action, names, facts }) => [action, names, facts])
  expect(made.toReversed()).toEqual([
    ['variable.update', ['KEY', 'S'], { parts: ['exposure', 'description'] }],
    ['variable.update', ['T'], { parts: ['pins'] }],
    ['chance', ['R', 'S'], { before: { chance: 0.5 }, after: { chance: 0.2 } }],
    ['variable.expose', ['KEY', 'S'], { before: { exposure: 'secret' }, after: { exposure: 'plain' } }],
  ])
})

describe('the last change', () => {
  test('is shown with its author by digests, for each way to write, and kept without its history', async () => {
    const tenant = await newOwner(testEnv)
    const { userId } = tenant.user
    const { id, token } = await newServiceToken(testEnv, tenant, { history: true })
    const service = { ...tenant, token: token as string }
    const last = async (more: object = {}) =>
      ((await ask(tenant, 'digests', more)).variables as { name: string; updatedBy: string }[]).map(
        ({ name, updatedBy }) => [name, updatedBy],
      )
    await write(testEnv, tenant, [secret('A', '1'), secret('B', '1')])
    expect(await last()).toEqual([
      ['A', userId],
      ['B', userId],
    ])
    await write(testEnv, service, [secret('B', '2'), roll('C', 0.5)])
    expect(await last()).toEqual([
      ['A', userId],
      ['B', id],
      ['C', id],
    ])
    await testEnv.client.must('update', { ...tenant.at, updates: [{ name: 'C', chance: 1 }] }, tenant)
    await testEnv.client.must('restore', { ...tenant.at, revision: 1, names: ['B'] }, tenant)
    expect(await last()).toEqual([
      ['A', userId],
      ['B', userId],
      ['C', userId],
    ])
    const { orgSlug, ...from } = tenant.at
    await testEnv.client.must('copy', { orgSlug, from, to: { ...from, stageSlug: 'test' }, names: ['A'] }, service)
    expect(await last({ stageSlug: 'test' })).toEqual([['A', id]])
    await query(testEnv.app.dataDir, 'delete from variable_history')
    await testEnv.restart()
    expect(await last()).toEqual([
      ['A', userId],
      ['B', userId],
      ['C', userId],
    ])
    const [variable] = (await ask(tenant, 'digests')).variables
    const [listed] = (await ask(tenant, 'list')).variables
    expect(variable.updatedAtMs).toBe(listed.updatedAtMs)
    expect(listed.updatedBy).toBeUndefined()
  })
})

describe('a raised exposure', () => {
  interface Exposing {
    readonly stageSlug: string
    readonly names: string[]
    readonly facts: { readonly before?: { readonly exposure: string }; readonly after: { readonly exposure: string } }
    readonly revision: number
  }

  test('is in the audit log with the exposure before and after, however it was raised', async () => {
    const tenant = await newOwner(testEnv)
    const exposed = async () => {
      const filter = { orgSlug: tenant.at.orgSlug, action: 'variable.expose' }
      const { entries } = await testEnv.client.must('audit', filter, { token: tenant.token })
      return (entries as Exposing[]).map(
        ({ stageSlug, names, facts: { before, after }, revision }) =>
          `${stageSlug} ${revision}: ${names.join()} ${before?.exposure ?? '-'} ${after.exposure}`,
      )
    }
    const at = (exposure: string | null, ...names: string[]) =>
      names.map((name) => ({ ...secret(name, 'v'), exposure }))
    await write(testEnv, tenant, [
      ...at('plain', 'B', 'A'),
      ...at('client', 'C'),
      ...at(null, 'D'),
      ...at('secret', 'E'),
    ])
    // A new variable was seen by no one, so only client programs are news.
    expect(await exposed()).toEqual(['prod 1: C - client'])
    await write(testEnv, tenant, [...at('plain', 'C'), ...at('secret', 'B'), secret('A', 'omitted')])
    expect(await exposed()).toHaveLength(1)
    await write(testEnv, tenant, [...at('client', 'A', 'D'), secret('B', 'v')])
    expect((await exposed()).slice(0, 2).toSorted()).toEqual(['prod 3: A plain client', 'prod 3: D secret client'])
    await testEnv.client.must('restore', { ...tenant.at, revision: 1, names: ['A', 'B', 'C'] }, tenant)
    expect((await exposed()).slice(0, 2).toSorted()).toEqual(['prod 4: B secret plain', 'prod 4: C plain client'])
    const { orgSlug, ...from } = tenant.at
    await testEnv.client.must('copy', { orgSlug, from, to: { ...from, stageSlug: 'test' }, names: ['C', 'E'] }, tenant)
    expect((await exposed())[0]).toBe('test 1: C - client')
    await testEnv.client.must('write', { ...tenant.at, mode: 'upsert', entries: [], deletes: ['B', 'C'] }, tenant)
    await testEnv.client.must('restore', { ...tenant.at, revision: 4, names: ['B', 'C'] }, tenant)
    expect((await exposed())[0]).toBe('prod 6: C - client')
    expect(await exposed()).toHaveLength(7)
  })
})

describe('plain', () => {
  const plain = ({ at, token }: TestTenant, more: object = {}) =>
    testEnv.client.call('plain', { ...at, ...more }, { token })

  test('shows all values that are not secret, both sides of a roll, and no other name', async () => {
    const tenant = await newOwner(testEnv)
    const entries = [
      { ...roll('R', 0.25, 'one', 'two'), exposure: 'client' },
      { ...secret('S', 'ü\n🚀', 'string'), ...key },
      { ...secret('T', ''), exposure: 'plain' },
    ]
    await write(testEnv, tenant, [secret('HIDDEN', 'canary'), { ...secret('Z', 'canary'), exposure: null }, ...entries])
    const answer = await plain(tenant)
    expect(answer.body).toMatchObject({ variables: entries, revision: 1 })
    expect(answer.body.variables).toHaveLength(3)
    expect(answer.text).not.toMatch(/canary|HIDDEN|"Z"/)
    await write(testEnv, tenant, [{ ...secret('S', 'now secret'), exposure: 'secret' }])
    expect((await plain(tenant)).body).toMatchObject({ variables: [entries[0], entries[2]], revision: 2 })
    expect(await usageOf(testEnv.app, tenant.at.orgSlug)).toBe(0)
    const { entries: audited } = await testEnv.client.must('audit', { orgSlug: tenant.at.orgSlug }, tenant)
    expect((audited as { action: string }[]).map(({ action }) => action)).not.toContain('reveal')
  })

  test('is for people: members and sessions, never service tokens or other organizations', async () => {
    const tenant = await newOwner(testEnv)
    await write(testEnv, tenant, [{ ...secret('S', 'v'), ...key }])
    testEnv.provider.setRole(tenant.user, 'member')
    expect(codeOf(await plain(tenant))).toBe('200')
    expect(codeOf(await plain({ ...tenant, token: await testEnv.provider.tokenOf(tenant.user) }))).toBe('200')
    testEnv.provider.setRole(tenant.user, 'owner')
    for (const more of [{}, { readOnly: true }, { projectSlug: 'shop' }]) {
      const { token } = await newServiceToken(testEnv, tenant, more)
      expect(codeOf(await plain({ ...tenant, token: token as string }))).toBe('403 FORBIDDEN')
    }
    expect(codeOf(await plain(tenant, { orgSlug: 'other' }))).toBe('403 INVALID_ORG_SCOPE')
    expect(codeOf(await plain({ ...tenant, token: 'none' }))).toBe('401 UNAUTHORIZED')
    expect(codeOf(await plain(tenant, { stageSlug: '-' }))).toBe('400 INVALID_REQUEST')
    expect((await plain(tenant, { stageSlug: 'none' })).body).toMatchObject({ variables: [], revision: 0 })
  })

  test('leaves out a value that does not open, and logs the reason once', async () => {
    const tenant = await newTenant(testEnv)
    const entries = ['WELL', 'BAD_1', 'BAD_2'].map((name) => ({ ...secret(name, 'v'), exposure: 'plain' }))
    await write(testEnv, tenant, entries)
    await testEnv.restart()
    await query(
      testEnv.app.dataDir,
      `update variables set sealed = (select w.sealed from variables w where w.name = 'WELL' and w.stage_id = variables.stage_id)
       where name like 'BAD%'`,
    )
    expect((await plain(tenant)).body.variables).toMatchObject([{ name: 'WELL' }])
    expect(testEnv.app.log.filter((line) => line.includes('stored value cannot be opened'))).toHaveLength(1)
  })
})
