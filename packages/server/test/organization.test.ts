/** The settings of an organization. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  newDesk,
  newOwner,
  newServiceToken,
  secret,
  startWorld,
  write,
  type Desk,
  type World,
} from '../testkit/world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

async function shown({ at: { orgSlug }, token }: Desk): Promise<object> {
  const { requestId: _, ...rest } = await world.client.must('organization', { orgSlug }, { token })
  return rest
}

function set({ at: { orgSlug }, token }: Desk, createsOnWrite: boolean, by = token) {
  return world.client.call('organizationUpdate', { orgSlug, createsOnWrite }, { token: by })
}

/** A write to a place that nothing was written to before: 'ok', or the code of the refusal. */
async function writing({ at, token }: Desk, place: object, mode = 'upsert'): Promise<string> {
  const body = { ...at, ...place, mode, entries: [secret('A', 'a')] }
  const answer = await world.client.call('write', body, { token })
  return answer.status === 200 ? 'ok' : answer.body.error.code
}

describe('an organization', () => {
  test('is shown to its members and service tokens', async () => {
    const desk = await newOwner(world)
    const { orgSlug } = desk.at
    const expected = { orgSlug, name: orgSlug, createsOnWrite: true, plan: { name: 'unlimited' } }
    expect(await shown(desk)).toEqual(expected)
    const { token } = await newServiceToken(world, desk, { projectSlug: 'shop', readOnly: true })
    expect(await shown({ ...desk, token })).toEqual(expected)
    const foreign = await world.client.call('organization', { orgSlug: 'other' }, { token: desk.token })
    expect(foreign.body.error.code).toBe('INVALID_ORG_SCOPE')
  })

  test('is changed by owners and admins only', async () => {
    const desk = await newDesk(world)
    expect((await set(desk, false)).body.error.code).toBe('FORBIDDEN')
    world.provider.setRole(desk.user, 'admin')
    expect((await set(desk, false)).status).toBe(200)
    expect([await shown(desk), await shown(desk)]).toMatchObject([{ createsOnWrite: false }, { createsOnWrite: false }])
    const { token } = await newServiceToken(world, desk)
    expect((await set(desk, true, token)).body.error.code).toBe('FORBIDDEN')
  })
})

describe('writes that may not create', () => {
  test('are refused for an unknown project and stage, on every node, and done where they are known', async () => {
    const desk = await newOwner(world)
    const other = await newDesk(world)
    await write(world, desk, [secret('A', '1')])
    await set(desk, false)
    const unknown = [{ stageSlug: 'new' }, { projectSlug: 'new' }]
    for (const place of [...unknown, ...unknown]) expect(await writing(desk, place)).toBe('INVALID_REQUEST')
    const answer = await world.client.call(
      'write',
      { ...desk.at, stageSlug: 'new', mode: 'upsert', entries: [secret('A', 'a')] },
      { token: desk.token },
    )
    expect(answer.body.error.message).toBe(
      'There is no such project and stage, and a setting of the organization forbids that writes create them: create them first.',
    )
    expect([await writing(desk, {}), await writing(desk, {})]).toEqual(['ok', 'ok'])
    expect(await writing(other, {})).toBe('ok')
    const { orgSlug } = desk.at
    const { projects } = await world.client.must('projects', { orgSlug }, { token: desk.token })
    expect(projects).toMatchObject([{ projectSlug: 'shop', stages: [{ stageSlug: 'prod' }] }])
    await world.client.must('stageCreate', { ...desk.at, stageSlug: 'new' }, { token: desk.token })
    expect(await writing(desk, { stageSlug: 'new' }, 'create_only')).toBe('ok')
    await set(desk, true)
    expect([await writing(desk, { stageSlug: 'b' }), await writing(desk, { projectSlug: 'c' })]).toEqual(['ok', 'ok'])
  })

  test('create nothing any more as soon as the setting is answered', async () => {
    const desk = await newOwner(world)
    let forbidden = false
    const outcomes: { wasForbidden: boolean; outcome: string }[] = []
    const writeOn = async (_: unknown, writer: number): Promise<void> => {
      for (let count = 0; count < 8; count++) {
        const wasForbidden = forbidden
        outcomes.push({ wasForbidden, outcome: await writing(desk, { stageSlug: `s${writer}-${count}` }) })
      }
    }
    const forbid = async (): Promise<void> => {
      await writing(desk, { stageSlug: 'first' })
      await set(desk, false)
      forbidden = true
    }
    await Promise.all([...Array.from({ length: 8 }, writeOn), forbid()])
    const late = outcomes.filter(({ wasForbidden }) => wasForbidden)
    expect(new Set(late.map(({ outcome }) => outcome))).toEqual(new Set(['INVALID_REQUEST']))
    const { projects } = await world.client.must('projects', { orgSlug: desk.at.orgSlug }, { token: desk.token })
    expect(projects[0].stages).toHaveLength(1 + outcomes.filter(({ outcome }) => outcome === 'ok').length)
  })
})
