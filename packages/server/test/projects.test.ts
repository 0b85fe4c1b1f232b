import type { AuditAction, EndpointName } from '@rollkey/contract'
import { describe, expect, test } from 'vitest'
import { auditEntries } from '../testkit/audit.ts'
import { secret } from '../testkit/entries.ts'
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

/** Returns the projects as `project: stage revision, …` texts. */
async function projects({ at: { orgSlug }, token }: TestTenant, by = token): Promise<string[]> {
  const { projects: found } = await testEnv.client.must('projects', { orgSlug }, { token: by })
  return (found as { projectSlug: string; stages: { stageSlug: string; revision: number }[] }[]).map(
    ({ projectSlug, stages }) =>
      `${projectSlug}: ${stages.map(({ stageSlug, revision }) => `${stageSlug} ${revision}`).join(', ')}`,
  )
}

/** Writes once to each stage. */
async function fill(tenant: TestTenant, places: readonly string[]): Promise<void> {
  for (const place of places) {
    const [projectSlug = '', stageSlug = ''] = place.split('/')
    await write(testEnv, tenantAt(tenant, { projectSlug, stageSlug }), [secret('A', '1')])
  }
}

test('the list has projects by code point and stages by creation, and is current on every node', async () => {
  const tenant = await newTenant(testEnv)
  expect(await projects(tenant)).toEqual([])
  await fill(tenant, ['web/b', 'web/a', 'Web/prod', 'api/B', 'web/b', 'web/10', 'web/9'])
  const expected = ['Web: prod 1', 'api: B 1', 'web: b 2, a 1, 10 1, 9 1']
  expect([await projects(tenant), await projects(tenant)]).toEqual([expected, expected])
  for (let revision = 2; revision < 6; revision++) {
    await fill(tenant, ['api/B'])
    expect((await projects(tenant))[1]).toBe(`api: B ${revision}`)
  }
})

test('the list omits other organizations', async () => {
  const tenant = await newTenant(testEnv)
  await fill(await newTenant(testEnv), ['web/prod'])
  expect(await projects(tenant)).toEqual([])
  const { status, body } = await testEnv.client.call('projects', { orgSlug: 'other' }, { token: tenant.token })
  expect([status, body.error.code]).toEqual([403, 'INVALID_ORG_SCOPE'])
})

test('the list shows a service token its scope only', async () => {
  const tenant = await newOwner(testEnv)
  await fill(tenant, ['api/prod', 'api/test', 'web/prod'])
  const shown = async (reach: object) =>
    projects(tenant, (await newServiceToken(testEnv, tenant, reach)).token as string)
  expect(await shown({ readOnly: true })).toEqual(['api: prod 1, test 1', 'web: prod 1'])
  expect(await shown({ projectSlug: 'api' })).toEqual(['api: prod 1, test 1'])
  expect(await shown({ projectSlug: 'api', stageSlug: 'test' })).toEqual(['api: test 1'])
})

describe('a project or stage that is created by name', () => {
  const codeOf = async (name: EndpointName, input: object, token: string): Promise<string> => {
    const { status, body } = await testEnv.client.call(name, input, { token })
    return status === 200 ? 'ok' : `${body.error.code}: ${body.error.message}`
  }
  const listed = async ({ at: { orgSlug }, token }: TestTenant) =>
    (await testEnv.client.must('projects', { orgSlug }, { token })).projects

  test('exists on every node, with its display name', async () => {
    const { at, token, ...tenant } = await newTenant(testEnv)
    const { orgSlug } = at
    testEnv.clock.freezeAt(testEnv.clock.now())
    const nowMs = testEnv.clock.now()
    await testEnv.client.must('projectCreate', { orgSlug, projectSlug: 'api' }, { token })
    await testEnv.client.must('projectCreate', { ...at, name: 'The Shop' }, { token })
    expect(await projects({ ...tenant, at, token })).toEqual(['api: ', 'shop: '])
    await testEnv.client.must('stageCreate', { ...at, name: 'Production' }, { token })
    testEnv.clock.run()
    const expected = [
      { projectSlug: 'api', name: 'api', createdAtMs: nowMs, variables: 0, stages: [] },
      {
        projectSlug: 'shop',
        name: 'The Shop',
        createdAtMs: nowMs,
        variables: 0,
        stages: [
          {
            stageSlug: 'prod',
            name: 'Production',
            revision: 1,
            isProduction: true,
            variables: 0,
            createdAtMs: nowMs,
            updatedAtMs: nowMs,
          },
        ],
      },
    ]
    expect([await listed({ ...tenant, at, token }), await listed({ ...tenant, at, token })]).toEqual([
      expected,
      expected,
    ])
    for (let node = 0; node < 2; node++) {
      expect(await testEnv.client.must('list', at, { token })).toMatchObject({ variables: [], revision: 1 })
      expect(await testEnv.client.must('pull', at, { token })).toMatchObject({ variables: {}, revision: 1 })
    }
  })

  test('receives its first variables as revision 2, under its data key', async () => {
    const tenant = await newTenant(testEnv)
    const options = { token: tenant.token }
    // Each node has looked before and found nothing.
    for (let node = 0; node < 2; node++) {
      expect((await testEnv.client.must('list', tenant.at, options)).revision).toBe(0)
    }
    await testEnv.client.must('projectCreate', tenant.at, options)
    await testEnv.client.must('stageCreate', tenant.at, options)
    expect((await write(testEnv, tenant, [secret('A', 'value')], { ifRevision: 1 })).revision).toBe(2)
    for (let node = 0; node < 2; node++) {
      expect((await testEnv.client.must('pull', tenant.at, options)).variables).toEqual({ A: 'value' })
    }
    expect((await listed(tenant))[0].stages[0]).toMatchObject({ revision: 2, variables: 1 })
  })

  test('counts a variable once, also where several stages have it, without archived stages', async () => {
    const tenant = await newOwner(testEnv)
    const { at, token } = tenant
    const dev = { ...at, stageSlug: 'dev' }
    const counted = async () => (await listed(tenant))[0].variables
    await write(testEnv, tenant, [secret('A', '1'), secret('B', '2')])
    expect(await counted()).toBe(2)
    await testEnv.client.must(
      'write',
      { ...dev, mode: 'upsert', entries: [secret('B', '3'), secret('C', '4')] },
      { token },
    )
    expect([await counted(), await counted()]).toEqual([3, 3])
    const ofDev = await newServiceToken(testEnv, tenant, { projectSlug: at.projectSlug, stageSlug: 'dev' })
    expect((await listed({ ...tenant, token: ofDev.token as string }))[0].variables).toBe(2)
    await write(testEnv, tenant, [], { deletes: ['B'] })
    expect(await counted()).toBe(3)
    await write(testEnv, tenant, [], { deletes: ['A'] })
    expect(await counted()).toBe(2)
    await testEnv.client.must('stageUpdate', { ...dev, archived: true }, { token })
    expect(await counted()).toBe(0)
  })

  test('shows when it was last written, including deletions', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('A', '1'), secret('B', '2')])
    testEnv.clock.advance(60_000)
    const before = testEnv.clock.now()
    await write(testEnv, tenant, [], { deletes: ['A'] })
    const [stage] = (await listed(tenant))[0].stages
    expect(stage).toMatchObject({ variables: 1, revision: 2 })
    expect(stage.updatedAtMs).toBeGreaterThanOrEqual(before)
    expect(stage.createdAtMs).toBeLessThan(before)
  })

  test('is created once, within an existing parent', async () => {
    const { at, token } = await newTenant(testEnv)
    const make = (name: 'projectCreate' | 'stageCreate', more = {}) => codeOf(name, { ...at, ...more }, token)
    expect(await make('stageCreate')).toBe('NOT_FOUND: The organization has no project shop: list its projects.')
    expect([await make('projectCreate'), await make('projectCreate')]).toEqual([
      'ok',
      'INVALID_REQUEST: The project shop already exists: choose another slug.',
    ])
    expect([await make('stageCreate'), await make('stageCreate')]).toEqual([
      'ok',
      'INVALID_REQUEST: The stage prod already exists in the project: choose another slug.',
    ])
    expect(await make('projectCreate', { projectSlug: 'Shop' })).toBe('ok')
    for (const odd of ['', ' ', '-a', 'a/b', '\u0000', 'x'.repeat(65), 1]) {
      expect(await make('projectCreate', { projectSlug: odd })).toContain('INVALID_REQUEST')
      expect(await make('stageCreate', { stageSlug: odd })).toContain('INVALID_REQUEST')
      expect(await make('projectCreate', { projectSlug: 'new', name: odd === 'a/b' ? '' : '\u0007' })).toContain(
        'INVALID_REQUEST: name',
      )
    }
  })

  test.each(['projectCreate', 'stageCreate'] as const)('is created by exactly one of 64 calls of %s', async (name) => {
    const { at, token } = await newTenant(testEnv)
    if (name === 'stageCreate') await testEnv.client.must('projectCreate', at, { token })
    const codes = await Promise.all(Array.from({ length: 64 }, () => codeOf(name, at, token)))
    expect(codes.filter((code) => code === 'ok')).toHaveLength(1)
    expect(codes.filter((code) => code.startsWith('INVALID_REQUEST'))).toHaveLength(63)
  })

  test('is created once while writes also create it, and every write reaches it', async () => {
    const tenant = await newTenant(testEnv)
    const names = Array.from({ length: 16 }, (_, index) => `N${index}`)
    const makes = names.flatMap(() => [
      codeOf('projectCreate', tenant.at, tenant.token),
      codeOf('stageCreate', tenant.at, tenant.token),
    ])
    const writes = names.map((name) => write(testEnv, tenant, [secret(name, name)]))
    await Promise.all([...makes, ...writes])
    const { variables } = await testEnv.client.must('pull', tenant.at, { token: tenant.token })
    expect(variables).toEqual(Object.fromEntries(names.map((name) => [name, name])))
  })

  test('has a display name that can change and a slug that cannot', async () => {
    const tenant = await newTenant(testEnv)
    const { at, token } = tenant
    await write(testEnv, tenant, [secret('A', '1')])
    const names = async () => {
      const [project] = await listed(tenant)
      return [project.name, project.stages[0].name]
    }
    await testEnv.client.must('projectUpdate', { ...at, name: 'Лавка 🛒' }, { token })
    await testEnv.client.must('stageUpdate', { ...at, name: 'Live' }, { token })
    expect(await names()).toEqual(['Лавка 🛒', 'Live'])
    await testEnv.client.must('projectUpdate', at, { token })
    await testEnv.client.must('stageUpdate', at, { token })
    expect(await names()).toEqual(['Лавка 🛒', 'Live'])
    expect(await codeOf('projectUpdate', { ...at, projectSlug: 'Shop', name: 'x' }, token)).toBe(
      'NOT_FOUND: The organization has no project Shop: list its projects.',
    )
    expect(await codeOf('stageUpdate', { ...at, stageSlug: 'Prod' }, token)).toBe(
      'NOT_FOUND: The project has no stage Prod: list the projects to see its stages.',
    )
    expect(await codeOf('stageUpdate', { ...at, projectSlug: 'no' }, token)).toContain('NOT_FOUND: The organization')
  })

  test('requires a service token whose scope covers it and allows writing', async () => {
    const tenant = await newOwner(testEnv)
    const token = async (more: object) => (await newServiceToken(testEnv, tenant, more)).token as string
    await testEnv.client.must('projectCreate', tenant.at, { token: tenant.token })
    const ofProject = await token({ projectSlug: 'shop' })
    expect(await codeOf('stageCreate', tenant.at, ofProject)).toBe('ok')
    expect(await codeOf('projectCreate', { ...tenant.at, projectSlug: 'api' }, ofProject)).toContain('FORBIDDEN')
    expect(
      await codeOf('projectUpdate', { orgSlug: tenant.at.orgSlug, projectSlug: 'shop', name: 'x' }, ofProject),
    ).toBe('ok')
    const readOnly = await token({ readOnly: true })
    for (const name of ['projectCreate', 'projectUpdate', 'stageCreate', 'stageUpdate', 'stageOrder'] as const) {
      expect(await codeOf(name, { ...tenant.at, stageSlugs: ['prod'] }, readOnly)).toBe(
        'FORBIDDEN: The service token is read-only: use a token that may write.',
      )
    }
    const ofStage = await token({ projectSlug: 'shop', stageSlug: 'prod' })
    expect(await codeOf('stageUpdate', { ...tenant.at, name: 'x' }, ofStage)).toBe('ok')
    expect(await codeOf('stageCreate', { ...tenant.at, stageSlug: 'test' }, ofStage)).toContain('FORBIDDEN')
    const { stageSlug: _, ...project } = tenant.at
    expect(await codeOf('projectUpdate', { ...project, archived: true }, ofStage)).toContain('FORBIDDEN')
    expect(await codeOf('stageOrder', { ...project, stageSlugs: ['prod'] }, ofStage)).toContain('FORBIDDEN')
    expect(await codeOf('stageOrder', { ...project, stageSlugs: ['prod'] }, ofProject)).toBe('ok')
    expect(await projects(tenant, ofStage)).toEqual(['shop: prod 1'])
  })
})

describe('the stages of a project', () => {
  const codeOf = async (name: EndpointName, input: object, { token }: TestTenant): Promise<string> => {
    const { status, body } = await testEnv.client.call(name, input, { token })
    return status === 200 ? 'ok' : `${body.error.code}: ${body.error.message}`
  }
  const stagesOf = async ({ at, token }: TestTenant): Promise<string[]> => {
    const { projects: found } = await testEnv.client.must('projects', { orgSlug: at.orgSlug }, { token })
    return found[0].stages.map(
      ({ stageSlug, isProduction, revision }: { stageSlug: string; isProduction: boolean; revision: number }) =>
        `${stageSlug}${isProduction ? '*' : ''} ${revision}`,
    )
  }
  const factsOf = async (tenant: TestTenant, action: AuditAction) =>
    (await auditEntries(testEnv.client, tenant.at.orgSlug, tenant.token, { action })).map(({ facts }) => facts)
  const withStages = async (...stageSlugs: string[]): Promise<TestTenant> => {
    const tenant = await newOwner(testEnv)
    const stages = stageSlugs.map((stageSlug) => ({ stageSlug }))
    await testEnv.client.must('projectCreate', { ...tenant.at, stages }, { token: tenant.token })
    return tenant
  }

  test('are created with it in the order of the request, at revision 1 and with an audit entry each', async () => {
    const tenant = await newOwner(testEnv)
    const stages = [
      { stageSlug: 'staging', name: 'Staging' },
      { stageSlug: 'prod' },
      { stageSlug: 'eu', isProduction: true },
      { stageSlug: 'live', isProduction: false },
      { stageSlug: 'dev' },
    ]
    expect(await codeOf('projectCreate', { ...tenant.at, stages }, tenant)).toBe('ok')
    expect(await stagesOf(tenant)).toEqual(['staging 1', 'prod* 1', 'eu* 1', 'live 1', 'dev 1'])
    const created = await auditEntries(testEnv.client, tenant.at.orgSlug, tenant.token, { action: 'stage.create' })
    expect(created.map(({ stageSlug, revision }) => `${stageSlug} ${revision}`)).toEqual(
      stages.map(({ stageSlug }) => `${stageSlug} 1`),
    )
    await write(testEnv, tenantAt(tenant, { stageSlug: 'Qa' }), [secret('A', '1')])
    expect((await stagesOf(tenant)).at(-1)).toBe('Qa 1')
  })

  test('are created with it or not at all', async () => {
    const tenant = await newOwner(testEnv)
    const stages = (count: number) => Array.from({ length: count }, (_, index) => ({ stageSlug: `s${index}` }))
    const create = (more: object) => codeOf('projectCreate', { ...tenant.at, ...more }, tenant)
    expect(await create({ stages: [{ stageSlug: 'a' }, { stageSlug: 'a' }] })).toBe(
      'INVALID_REQUEST: stages must name a stage only once.',
    )
    expect(await create({ stages: [{ stageSlug: 'a' }, { stageSlug: '-' }] })).toContain('INVALID_REQUEST: stages[1]')
    expect(await create({ stages: stages(21) })).toBe('INVALID_REQUEST: stages must have at most 20 items.')
    expect(await projects(tenant)).toEqual([])
    expect(await create({ stages: stages(20) })).toBe('ok')
    expect(await create({ stages: [{ stageSlug: 'other' }] })).toContain('INVALID_REQUEST: The project shop already')
    expect(await stagesOf(tenant)).toHaveLength(20)
  })

  test('are listed in the order that was set last, and new ones follow', async () => {
    const tenant = await withStages('prod', 'dev', 'staging')
    await testEnv.client.must(
      'stageUpdate',
      { ...tenant.at, stageSlug: 'staging', archived: true },
      { token: tenant.token },
    )
    const { stageSlug: _, ...project } = tenant.at
    expect(await codeOf('stageOrder', { ...project, stageSlugs: ['dev', 'staging', 'prod'] }, tenant)).toBe('ok')
    expect(await stagesOf(tenant)).toEqual(['dev 1', 'staging 1', 'prod* 1'])
    expect(await codeOf('stageCreate', { ...tenant.at, stageSlug: 'A', isProduction: true }, tenant)).toBe('ok')
    expect(await stagesOf(tenant)).toEqual(['dev 1', 'staging 1', 'prod* 1', 'A* 1'])
    expect(await factsOf(tenant, 'stage.order')).toEqual([
      { before: { stageSlugs: ['prod', 'dev', 'staging'] }, after: { stageSlugs: ['dev', 'staging', 'prod'] } },
    ])
  })

  test('keep their order unless each is named once', async () => {
    const tenant = await withStages('prod', 'dev')
    const order = (...stageSlugs: string[]) => codeOf('stageOrder', { ...tenant.at, stageSlugs }, tenant)
    const refused =
      'INVALID_REQUEST: stageSlugs must name each stage of the project shop once, also the archived ones: list the projects, then repeat the request.'
    expect([await order('dev'), await order('dev', 'prod', 'none'), await order('dev', 'Prod'), await order()]).toEqual(
      Array(4).fill(refused),
    )
    expect(await order('dev', 'dev')).toBe('INVALID_REQUEST: stageSlugs must name a stage only once.')
    expect(await codeOf('stageOrder', { ...tenant.at, projectSlug: 'no', stageSlugs: ['dev'] }, tenant)).toContain(
      'NOT_FOUND',
    )
    expect(await stagesOf(tenant)).toEqual(['prod* 1', 'dev 1'])
    expect(await factsOf(tenant, 'stage.order')).toEqual([])
  })

  test('have distinct places when orders and creations race', async () => {
    const tenant = await withStages('a', 'b')
    const added = Array.from({ length: 16 }, (_, index) => `n${index}`)
    await Promise.all(
      added.flatMap((stageSlug, index) => [
        codeOf('stageCreate', { ...tenant.at, stageSlug }, tenant),
        codeOf('stageOrder', { ...tenant.at, stageSlugs: index % 2 === 0 ? ['a', 'b'] : ['b', 'a'] }, tenant),
      ]),
    )
    const slugs = (await stagesOf(tenant)).map((text) => text.split(' ')[0] ?? '')
    expect(slugs.toSorted()).toEqual(['a', 'b', ...added].toSorted())
    const reversed = slugs.toReversed()
    expect(await codeOf('stageOrder', { ...tenant.at, stageSlugs: reversed }, tenant)).toBe('ok')
    expect((await stagesOf(tenant)).map((text) => text.split(' ')[0])).toEqual(reversed)
  })

  test('have a production mark that can change', async () => {
    const tenant = await withStages('dev', 'prod')
    expect(await stagesOf(tenant)).toEqual(['dev 1', 'prod* 1'])
    await codeOf('stageUpdate', { ...tenant.at, isProduction: false }, tenant)
    await codeOf('stageUpdate', { ...tenant.at, stageSlug: 'dev', isProduction: true }, tenant)
    await codeOf('stageUpdate', { ...tenant.at, name: 'Production' }, tenant)
    expect(await stagesOf(tenant)).toEqual(['dev* 1', 'prod 1'])
    expect(await factsOf(tenant, 'stage.update')).toEqual([
      { before: { isProduction: true }, after: { isProduction: false } },
      { before: { isProduction: false }, after: { isProduction: true } },
      { after: { name: 'Production' } },
    ])
  })
})
