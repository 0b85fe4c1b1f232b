/** Archived projects and stages refuse every write and are still evaluated. */
import { describe, expect, test } from 'vitest'
import { roll, secret } from '../testkit/entries.ts'
import { newTenant, tenantAt, useTestEnv, write, type TestTenant } from '../testkit/test-env.ts'

const testEnv = useTestEnv()

const whats = ['project', 'stage'] as const

function set({ at, token }: TestTenant, what: (typeof whats)[number], archived: boolean) {
  const { stageSlug, ...project } = at
  const place = what === 'project' ? project : { ...project, stageSlug }
  return testEnv.client.must(`${what}Update`, { ...place, archived }, { token })
}

/** Returns 'ok', or the code and message of the refusal. */
async function writing({ at, token }: TestTenant, more: object = {}): Promise<string> {
  const body = { ...at, mode: 'upsert', entries: [secret('B', 'b')], ...more }
  const answer = await testEnv.client.call('write', body, { token })
  return answer.status === 200 ? 'ok' : `${answer.body.error.code}: ${answer.body.error.message}`
}

async function tenantWithVariables(): Promise<TestTenant> {
  const tenant = await newTenant(testEnv)
  await write(testEnv, tenant, [secret('A', 'value of A'), roll('R', 1)])
  return tenant
}

const refused =
  'INVALID_REQUEST: The stage or its project is archived and cannot be changed: restore it from the archive first.'

describe.each(whats)('an archived %s', (what) => {
  test('refuses writes on every node until it is restored', async () => {
    const tenant = await tenantWithVariables()
    for (let round = 0; round < 2; round++) {
      await set(tenant, what, true)
      expect([await writing(tenant), await writing(tenant, { entries: [], deletes: ['A'] })]).toEqual([
        refused,
        refused,
      ])
      await set(tenant, what, false)
      expect([await writing(tenant), await writing(tenant)]).toEqual(['ok', 'ok'])
    }
  })

  test('is still evaluated on every node', async () => {
    const tenant = await tenantWithVariables()
    await set(tenant, what, true)
    for (let node = 0; node < 2; node++) {
      const options = { token: tenant.token }
      expect((await testEnv.client.must('evaluate', { ...tenant.at, name: 'A' }, options)).value).toBe('value of A')
      expect((await testEnv.client.must('pull', tenant.at, options)).variables).toEqual({ A: 'value of A', R: 'A' })
      expect((await testEnv.client.must('list', tenant.at, options)).revision).toBe(1)
    }
  })

  test('shows in the list when it was first archived', async () => {
    const tenant = await tenantWithVariables()
    testEnv.clock.freezeAt(testEnv.clock.now())
    const nowMs = testEnv.clock.now()
    await set(tenant, what, true)
    testEnv.clock.advance(1_000)
    await set(tenant, what, true)
    testEnv.clock.run()
    const found = async () => {
      const { projects } = await testEnv.client.must(
        'projects',
        { orgSlug: tenant.at.orgSlug },
        { token: tenant.token },
      )
      return { project: projects[0].archivedAtMs, stage: projects[0].stages[0].archivedAtMs }
    }
    expect(await found()).toEqual({ project: undefined, stage: undefined, [what]: nowMs })
    await set(tenant, what, false)
    expect(await found()).toEqual({ project: undefined, stage: undefined })
  })

  test('refuses every write that starts after archiving was acknowledged', async () => {
    const tenant = await tenantWithVariables()
    let archived = false
    const outcomes: { wasArchived: boolean; outcome: string }[] = []
    const writeOn = async (): Promise<void> => {
      for (let count = 0; count < 12; count++) {
        const wasArchived = archived
        outcomes.push({ wasArchived, outcome: await writing(tenant) })
      }
    }
    const archive = async (): Promise<void> => {
      await writing(tenant)
      await set(tenant, what, true)
      archived = true
    }
    await Promise.all([...Array.from({ length: 8 }, writeOn), archive()])
    const late = outcomes.filter(({ wasArchived }) => wasArchived)
    expect(new Set(late.map(({ outcome }) => outcome))).toEqual(new Set([refused]))
    expect(outcomes.some(({ outcome }) => outcome === 'ok')).toBe(true)
    const { revision } = await testEnv.client.must('list', tenant.at, { token: tenant.token })
    // One revision from the variables, one from the archiver, and one for each acknowledged write.
    expect(revision).toBe(2 + outcomes.filter(({ outcome }) => outcome === 'ok').length)
  })
})

test('an archived project refuses new stages, both by a write and by name', async () => {
  const tenant = await tenantWithVariables()
  await set(tenant, 'project', true)
  const other = tenantAt(tenant, { stageSlug: 'other' })
  const expected = 'INVALID_REQUEST: The project is archived and cannot be changed: restore it from the archive first.'
  expect([await writing(other), await writing(other)]).toEqual([expected, expected])
  const { status, body } = await testEnv.client.call('stageCreate', other.at, { token: tenant.token })
  expect([status, body.error.message]).toEqual([400, expected.replace('INVALID_REQUEST: ', '')])
  await set(tenant, 'project', false)
  expect(await writing(other)).toBe('ok')
})

test('a stage that was archived separately stays archived when its project is restored', async () => {
  const tenant = await tenantWithVariables()
  await set(tenant, 'stage', true)
  await set(tenant, 'project', true)
  await set(tenant, 'project', false)
  expect(await writing(tenant)).toBe(refused)
  await set(tenant, 'project', true)
  await set(tenant, 'stage', false)
  expect(await writing(tenant)).toBe(refused)
})

test('a write checks the revision before the archive, and an empty write is accepted', async () => {
  const tenant = await tenantWithVariables()
  await set(tenant, 'stage', true)
  expect(await writing(tenant, { ifRevision: 7 })).toContain('REVISION_CONFLICT')
  expect(await writing(tenant, { entries: [] })).toBe('ok')
})
