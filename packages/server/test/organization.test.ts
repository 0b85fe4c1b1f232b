/** Tests the settings of an organization. */
import { describe, expect, test } from 'vitest'
import { secret } from '../testkit/entries.ts'
import { newOwner, newServiceToken, newTenant, useTestEnv, write, type TestTenant } from '../testkit/test-env.ts'

const testEnv = useTestEnv()

async function shown({ at: { orgSlug }, token }: TestTenant): Promise<object> {
  const { requestId: _, ...rest } = await testEnv.client.must('organization', { orgSlug }, { token })
  return rest
}

function set({ at: { orgSlug }, token }: TestTenant, createsOnWrite: boolean, by = token) {
  return testEnv.client.call('organizationUpdate', { orgSlug, createsOnWrite }, { token: by })
}

/** Writes to a stage that was not written before. Returns 'ok' or the code of the refusal. */
async function writing({ at, token }: TestTenant, place: object, mode = 'upsert'): Promise<string> {
  const body = { ...at, ...place, mode, entries: [secret('A', 'a')] }
  const answer = await testEnv.client.call('write', body, { token })
  return answer.status === 200 ? 'ok' : answer.body.error.code
}

describe('an organization', () => {
  test('is visible to its members and service tokens', async () => {
    const tenant = await newOwner(testEnv)
    const { orgSlug } = tenant.at
    const expected = {
      orgSlug,
      name: orgSlug,
      createsOnWrite: true,
      defaultRole: 'developer',
      plan: { name: 'unlimited' },
    }
    expect(await shown(tenant)).toEqual(expected)
    await write(testEnv, tenant, [secret('A', 'a')])
    const { token } = await newServiceToken(testEnv, tenant, { projectSlug: 'shop', readOnly: true })
    expect(await shown({ ...tenant, token })).toEqual(expected)
    const foreign = await testEnv.client.call('organization', { orgSlug: 'other' }, { token: tenant.token })
    expect(foreign.body.error.code).toBe('INVALID_ORG_SCOPE')
  })

  test('can be changed by owners and admins only', async () => {
    const tenant = await newTenant(testEnv)
    expect((await set(tenant, false)).body.error.code).toBe('FORBIDDEN')
    testEnv.provider.setRole(tenant.user, 'admin')
    expect((await set(tenant, false)).status).toBe(200)
    expect([await shown(tenant), await shown(tenant)]).toMatchObject([
      { createsOnWrite: false },
      { createsOnWrite: false },
    ])
    const { token } = await newServiceToken(testEnv, tenant)
    expect((await set(tenant, true, token)).body.error.code).toBe('FORBIDDEN')
  })
})

describe('writes that may not create', () => {
  test('are refused for an unknown project or stage on every node, and succeed for existing ones', async () => {
    const tenant = await newOwner(testEnv)
    const other = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('A', '1')])
    await set(tenant, false)
    const unknown = [{ stageSlug: 'new' }, { projectSlug: 'new' }]
    for (const place of [...unknown, ...unknown]) expect(await writing(tenant, place)).toBe('INVALID_REQUEST')
    const answer = await testEnv.client.call(
      'write',
      { ...tenant.at, stageSlug: 'new', mode: 'upsert', entries: [secret('A', 'a')] },
      { token: tenant.token },
    )
    expect(answer.body.error.message).toBe(
      'The project or stage does not exist, and a setting of the organization prevents writes from creating it: create it first.',
    )
    expect([await writing(tenant, {}), await writing(tenant, {})]).toEqual(['ok', 'ok'])
    expect(await writing(other, {})).toBe('ok')
    const { orgSlug } = tenant.at
    const { projects } = await testEnv.client.must('projects', { orgSlug }, { token: tenant.token })
    expect(projects).toMatchObject([{ projectSlug: 'shop', stages: [{ stageSlug: 'prod' }] }])
    await testEnv.client.must('stageCreate', { ...tenant.at, stageSlug: 'new' }, { token: tenant.token })
    expect(await writing(tenant, { stageSlug: 'new' }, 'create_only')).toBe('ok')
    await set(tenant, true)
    expect([await writing(tenant, { stageSlug: 'b' }), await writing(tenant, { projectSlug: 'c' })]).toEqual([
      'ok',
      'ok',
    ])
  })

  test('create nothing as soon as the setting is acknowledged', async () => {
    const tenant = await newOwner(testEnv)
    let forbidden = false
    const forbidding = Promise.withResolvers<void>()
    const outcomes: { wasForbidden: boolean; outcome: string }[] = []
    const writeOn = async (_: unknown, writer: number): Promise<void> => {
      for (let count = 0; count < 8; count++) {
        // The last one certainly comes after the setting.
        if (count === 7) await forbidding.promise
        const wasForbidden = forbidden
        outcomes.push({ wasForbidden, outcome: await writing(tenant, { stageSlug: `s${writer}-${count}` }) })
      }
    }
    const forbid = async (): Promise<void> => {
      await writing(tenant, { stageSlug: 'first' })
      await set(tenant, false)
      forbidden = true
      forbidding.resolve()
    }
    await Promise.all([...Array.from({ length: 8 }, writeOn), forbid()])
    const late = outcomes.filter(({ wasForbidden }) => wasForbidden)
    expect(new Set(late.map(({ outcome }) => outcome))).toEqual(new Set(['INVALID_REQUEST']))
    const { projects } = await testEnv.client.must('projects', { orgSlug: tenant.at.orgSlug }, { token: tenant.token })
    expect(projects[0].stages).toHaveLength(1 + outcomes.filter(({ outcome }) => outcome === 'ok').length)
  })
})
