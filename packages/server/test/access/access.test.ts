/** Grants, groups, roles, protected stages and service tokens: what each of them does, and when it ends. */
import type { Digested } from '@rollkey/contract'
import { describe, expect, onTestFinished, test } from 'vitest'
import { auditEntries } from '../../testkit/audit.ts'
import { roll, secret } from '../../testkit/entries.ts'
import { EventReader } from '../../testkit/events.ts'
import { useTestEnv } from '../../testkit/test-env.ts'
import { blog, canaryOf, dev, prod, Scene, shop, type Place } from './scene.ts'

const testEnv = useTestEnv()
const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Returns a scene in which members have nothing without a grant. */
async function closedScene(): Promise<Scene> {
  const scene = await Scene.open(testEnv)
  await scene.setDefaultRole('none')
  return scene
}

/** An item of a shown change. */
interface Shown {
  readonly before: Digested
  readonly after: Digested
}

const evaluate = (scene: Scene, at: Place, token: string) => scene.codeOf('evaluate', { ...at, name: 'A' }, token)

describe('an organization without rules', () => {
  test('is what it was: members do everything but manage, owners and admins manage too', async () => {
    const scene = await Scene.open(testEnv)
    const member = await scene.tokenOf(scene.member())
    expect(await evaluate(scene, prod, member)).toBe('ok')
    expect(await scene.codeOf('projectUpdate', { ...shop, name: 'Shop' }, member)).toBe('ok')
    expect(await scene.codeOf('tokenList', {}, member)).toBe('FORBIDDEN')
    const verbsOf = async (token: string) => (await testEnv.client.must('whoami', {}, { token })).verbs
    expect(await verbsOf(member)).toEqual([{ verbs: ['list', 'read', 'write'] }])
    expect(await verbsOf(scene.owner.token)).toEqual([{ verbs: ['list', 'read', 'write', 'manage'] }])
    expect(await scene.asOwner('accessList')).toMatchObject({
      defaultRole: 'developer',
      grants: [],
      protectedStages: [],
    })
  })
})

describe('a grant', () => {
  test('holds from the next request on, and so does its end', async () => {
    const scene = await closedScene()
    const user = scene.member()
    const token = await scene.tokenOf(user)
    for (let round = 0; round < 5; round++) {
      expect(await evaluate(scene, dev, token)).toBe('VARIABLE_NOT_FOUND')
      await scene.grant(user, 'reader', dev)
      expect(await evaluate(scene, dev, token)).toBe('ok')
      expect(await scene.codeOf('write', { ...dev, mode: 'upsert', entries: [] }, token)).toBe('FORBIDDEN')
      await scene.grant(user, 'developer', dev)
      expect(await scene.codeOf('write', { ...dev, mode: 'upsert', entries: [] }, token)).toBe('ok')
      await scene.revoke(user, dev)
    }
    expect(
      await scene.codeOf('accessRevoke', { principal: { kind: 'user', id: user.userId }, ...dev }, scene.owner.token),
    ).toBe('NOT_FOUND')
  })

  test('ends at its very millisecond', async () => {
    const scene = await closedScene()
    const user = scene.member()
    const token = await scene.tokenOf(user)
    testEnv.clock.freezeAt(testEnv.clock.now())
    await scene.grant(user, 'reader', dev, { expiresAtMs: testEnv.clock.now() + 1_000 })
    testEnv.clock.advance(999)
    expect(await evaluate(scene, dev, token)).toBe('ok')
    testEnv.clock.advance(1)
    expect(await evaluate(scene, dev, token)).toBe('VARIABLE_NOT_FOUND')
    expect((await scene.asOwner('accessList')).grants).toEqual([])
    testEnv.clock.run()
  })

  test('is given by those who manage the place, and by no one else', async () => {
    const scene = await closedScene()
    const [manager, other] = [scene.member(), scene.member()]
    await scene.grant(manager, 'maintainer', shop)
    const token = await scene.tokenOf(manager)
    const give = (place: Place, role = 'developer') =>
      scene.codeOf('accessGrant', { principal: { kind: 'user', id: other.userId }, role, ...place }, token)
    expect([await give(shop), await give(dev), await give({}), await give(blog)]).toEqual([
      'ok',
      'ok',
      'FORBIDDEN',
      'FORBIDDEN',
    ])
    expect(await give({ projectSlug: 'shop', stageSlug: 'none' })).toBe('NOT_FOUND')
    expect(await give(dev, 'no-such-role')).toBe('INVALID_REQUEST')
    testEnv.provider.remove(other)
    expect(await give(dev)).toBe('NOT_FOUND')
    const { grants } = await testEnv.client.must('accessList', { orgSlug: scene.orgSlug, ...shop }, { token })
    const shown = grants.map(
      ({ role, stageSlug }: { role: string; stageSlug?: string }) => `${stageSlug ?? '*'} ${role}`,
    )
    expect(shown.toSorted()).toEqual(['* developer', '* maintainer', 'dev developer'])
  })

  test('goes with the project or stage that it is on', async () => {
    const scene = await closedScene()
    const user = scene.member()
    await scene.grant(user, 'developer', dev)
    await scene.grant(user, 'developer', blog)
    await scene.asOwner('stageDelete', { ...dev, confirm: dev.stageSlug })
    await scene.asOwner('projectDelete', { projectSlug: 'blog', confirm: 'blog' })
    expect((await scene.asOwner('accessList')).grants).toEqual([])
    await scene.grant(scene.owner.user, 'developer')
    await scene.asOwner('write', { ...dev, mode: 'upsert', entries: [secret('A', 'a')] })
    expect(await evaluate(scene, dev, await scene.tokenOf(user))).toBe('VARIABLE_NOT_FOUND')
  })

  test('is in the audit log with the role before and after', async () => {
    const scene = await closedScene()
    const user = scene.member()
    await scene.grant(user, 'reader', dev)
    await scene.grant(user, 'developer', dev, { expiresAtMs: 4_000_000_000_000 })
    await scene.revoke(user, dev)
    const entries = await auditEntries(testEnv.client, scene.orgSlug, scene.owner.token)
    const found = entries
      .filter(({ action }) => action.startsWith('access.'))
      .map((entry) => [entry.action, entry.facts])
    const principal = { kind: 'user', id: user.userId }
    const developer = { role: 'developer', expiresAtMs: 4_000_000_000_000 }
    expect(found).toEqual([
      ['access.grant', { principal, after: { role: 'reader' } }],
      ['access.grant', { principal, before: { role: 'reader' }, after: developer }],
      ['access.revoke', { principal, before: developer }],
    ])
    expect(entries.find(({ action }) => action === 'access.grant')).toMatchObject(dev)
  })
})

describe('the end of a grant', () => {
  test('ends the live events of its reader', async () => {
    const scene = await closedScene()
    const user = scene.member()
    await scene.grant(user, 'viewer', dev)
    const query = { orgSlug: scene.orgSlug, projectSlug: 'shop' }
    const token = await testEnv.client.login(user)
    const reader = await EventReader.open(testEnv.app.url, query, token.accessToken)
    onTestFinished(() => reader.close())
    expect((await reader.next())?.id).toBe('dev:1')
    await scene.revoke(user, dev)
    await scene.grant(user, 'viewer', blog)
    testEnv.clock.advance(10_000)
    const events = []
    for (let event = await reader.next(); event; event = await reader.next()) events.push(event)
    expect(events.at(-1)).toMatchObject({ event: 'end', data: { error: { code: 'NOT_FOUND' } } })
    expect(reader.text).not.toContain('prod')
  })
})

describe('a group', () => {
  test('gives its members what is granted to it, until they leave or it is deleted', async () => {
    const scene = await closedScene()
    const user = scene.member()
    const token = await scene.tokenOf(user)
    const person = { kind: 'user', id: user.userId }
    const { id } = await scene.asOwner('groupCreate', { name: 'Ops' })
    const group = { kind: 'group', id }
    await scene.asOwner('accessGrant', { principal: group, role: 'reader', ...dev })
    await scene.asOwner('groupMembers', { id, add: [person] })
    expect(await evaluate(scene, dev, token)).toBe('ok')
    expect(await scene.asOwner('groups')).toMatchObject({ groups: [{ id, name: 'Ops', members: [person] }] })
    await scene.asOwner('groupMembers', { id, remove: [person] })
    expect(await evaluate(scene, dev, token)).toBe('VARIABLE_NOT_FOUND')
    await scene.asOwner('groupMembers', { id, add: [person] })
    await scene.asOwner('groupUpdate', { id, name: 'Operations' })
    expect(await evaluate(scene, dev, token)).toBe('ok')
    await scene.asOwner('groupDelete', { id })
    expect(await evaluate(scene, dev, token)).toBe('VARIABLE_NOT_FOUND')
    expect((await scene.asOwner('accessList')).grants).toEqual([])
  })

  test('is shown to those who list the organization, and else only where it matters to what they manage', async () => {
    const scene = await closedScene()
    const user = scene.member()
    const token = await scene.tokenOf(user)
    const names = async (): Promise<string[]> => {
      const { groups } = await scene.testEnv.client.must('groups', { orgSlug: scene.orgSlug }, { token })
      return (groups as { name: string }[]).map(({ name }) => name)
    }
    const create = async (name: string, ...grants: object[]): Promise<string> => {
      const { id } = await scene.asOwner('groupCreate', { name })
      for (const at of grants)
        await scene.asOwner('accessGrant', { principal: { kind: 'group', id }, role: 'viewer', ...at })
      return id
    }
    await create('Around', {})
    await create('Blog team', blog)
    await create('Dev', dev)
    await create('Prod', prod)
    const unused = await create('Unused')
    await create('Shop', shop)
    expect(await scene.codeOf('groups', {}, token)).toBe('FORBIDDEN')
    await scene.grant(user, 'maintainer', prod)
    expect(await names()).toEqual(['Around', 'Prod', 'Shop'])
    // Who knows the id of another one can grant to it.
    const principal = { kind: 'group', id: unused }
    expect(await scene.codeOf('accessGrant', { principal, role: 'reader', ...prod }, token)).toBe('ok')
    expect(await names()).toEqual(['Around', 'Prod', 'Shop', 'Unused'])
    await scene.grant(user, 'maintainer', shop)
    expect(await names()).toEqual(['Around', 'Dev', 'Prod', 'Shop', 'Unused'])
    await scene.asOwner('groupMembers', { id: await create('Own'), add: [{ kind: 'user', id: user.userId }] })
    expect(await names()).toContain('Own')
    await scene.setDefaultRole('viewer')
    expect(await names()).toContain('Blog team')
  })

  test('has a unique name', async () => {
    const scene = await closedScene()
    await scene.asOwner('groupCreate', { name: 'Ops' })
    expect(await scene.codeOf('groupCreate', { name: 'Ops' }, scene.owner.token)).toBe('INVALID_REQUEST')
  })
})

describe('a role of the organization', () => {
  test('allows what its verbs allow, also when they change, and is kept while it is granted', async () => {
    const scene = await closedScene()
    const user = scene.member()
    const token = await scene.tokenOf(user)
    await scene.asOwner('roleSet', { name: 'auditor', verbs: ['list'] })
    await scene.grant(user, 'auditor', dev)
    expect(await evaluate(scene, dev, token)).toBe('FORBIDDEN')
    await scene.asOwner('roleSet', { name: 'auditor', verbs: ['list', 'read'] })
    expect(await evaluate(scene, dev, token)).toBe('ok')
    expect(await scene.codeOf('roleDelete', { name: 'auditor' }, scene.owner.token)).toBe('INVALID_REQUEST')
    await scene.revoke(user, dev)
    await scene.asOwner('roleDelete', { name: 'auditor' })
    const { roles } = await scene.asOwner('roles')
    expect(roles.map(({ name }: { name: string }) => name)).toEqual([
      'viewer',
      'reader',
      'developer',
      'releaser',
      'maintainer',
    ])
  })

  test.each([
    ['without list', { name: 'x', verbs: ['read'] }],
    ['with the name of a built-in one', { name: 'reader', verbs: ['list'] }],
    ['with an unknown verb', { name: 'x', verbs: ['list', 'own'] }],
  ])('%s is refused', async (_, role) => {
    const scene = await closedScene()
    expect(await scene.codeOf('roleSet', role, scene.owner.token)).toBe('INVALID_REQUEST')
  })
})

describe('a protected stage', () => {
  test('takes read and write only from grants on itself, and tells before who loses them', async () => {
    const scene = await Scene.open(testEnv)
    const [member, granted] = [scene.member(), scene.member()]
    await scene.grant(granted, 'developer', prod)
    const protect = { ...prod, isProtected: true }
    const tokenOf = (name: string, more: object) => scene.asOwner('tokenCreate', { name, role: 'reader', ...more })
    const wide = await tokenOf('wide', shop)
    for (const [name, place] of Object.entries({ narrow: prod, other: dev, elsewhere: blog }))
      await tokenOf(name, place)
    const { losing } = await scene.asOwner('stageProtect', { ...protect, dryRun: true })
    expect(losing).toEqual([
      { verbs: ['read', 'write'] },
      { principal: { kind: 'token', id: wide.id, name: 'wide' }, verbs: ['read'] },
    ])
    const [by, other] = [await scene.tokenOf(granted, true), await scene.tokenOf(member, true)]
    expect([await evaluate(scene, prod, by), await evaluate(scene, prod, other)]).toEqual(['ok', 'ok'])
    await scene.asOwner('stageProtect', protect)
    expect([await evaluate(scene, prod, by), await evaluate(scene, prod, other)]).toEqual(['ok', 'FORBIDDEN'])
    expect(await scene.codeOf('list', prod, other)).toBe('ok')
    expect(await scene.codeOf('copy', { from: prod, to: dev, names: ['A'] }, other)).toBe('FORBIDDEN')
    const { projects } = await scene.asOwner('projects')
    const stages = projects.flatMap((project: { stages: { isProtected?: true }[] }) => project.stages)
    expect(stages.filter(({ isProtected }: { isProtected?: true }) => isProtected)).toHaveLength(1)
  })

  test('shows values to people for 15 minutes after a confirmation, and to machines at any time', async () => {
    const scene = await Scene.open(testEnv)
    await scene.grant(scene.owner.user, 'developer', prod)
    const { token: machine } = await scene.asOwner('tokenCreate', { name: 'ci', ...prod })
    await scene.protect(prod)
    const confirmed = await scene.tokenOf(scene.owner.user, true)
    for (const [name, more] of [
      ['evaluate', { name: 'A' }],
      ['evaluateBatch', { entries: [{ name: 'A' }] }],
      ['pull', {}],
      ['reveal', { names: ['A'] }],
      ['plain', {}],
      ['plainHistory', {}],
      ['copy', { from: prod, to: dev, names: ['A'] }],
    ] as const) {
      const input = { ...prod, ...more }
      expect([name, await scene.codeOf(name, input, scene.owner.token)]).toEqual([name, 'CONFIRMATION_REQUIRED'])
      expect([name, await scene.codeOf(name, input, confirmed)]).toEqual([name, 'ok'])
    }
    expect(await evaluate(scene, prod, machine)).toBe('ok')
    expect(await scene.codeOf('write', { ...prod, mode: 'upsert', entries: [] }, scene.owner.token)).toBe('ok')
  })

  test('shows values in a command-line session that its person has confirmed in the web application', async () => {
    const scene = await Scene.open(testEnv)
    await scene.grant(scene.owner.user, 'developer', prod)
    await scene.protect(prod)
    const { accessToken } = await testEnv.client.login(scene.owner.user)
    const { sessions } = await testEnv.client.must('sessionList', { orgSlug: scene.orgSlug }, { token: accessToken })
    const { id } = sessions.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent)
    expect(await evaluate(scene, prod, accessToken)).toBe('CONFIRMATION_REQUIRED')
    expect(await scene.codeOf('sessionConfirm', { id }, await scene.tokenOf(scene.owner.user))).toBe(
      'CONFIRMATION_REQUIRED',
    )
    expect(await scene.codeOf('sessionConfirm', { id }, await scene.tokenOf(scene.member(), true))).toBe('NOT_FOUND')
    await scene.asOwner('sessionConfirm', { id })
    expect(await evaluate(scene, prod, accessToken)).toBe('ok')
    testEnv.clock.advance(15 * minuteMs)
    expect(await evaluate(scene, prod, accessToken)).toBe('CONFIRMATION_REQUIRED')
  })

  test('needs a confirmation for a service token that reads it, also from its command-line session', async () => {
    const scene = await Scene.open(testEnv)
    await scene.grant(scene.owner.user, 'developer', prod)
    const { id } = await scene.asOwner('tokenCreate', { name: 'ci', role: 'viewer', ...shop })
    const machine = { kind: 'token', id }
    await scene.asOwner('accessGrant', { principal: machine, role: 'reader', ...prod })
    await scene.protect(prod)
    const create = (token: string, role = 'reader') => scene.codeOf('tokenCreate', { name: 'ci', role, ...prod }, token)
    const rotate = (token: string) => scene.codeOf('tokenRotate', { id }, token)
    const { accessToken } = await testEnv.client.login(scene.owner.user)
    const confirmed = await scene.tokenOf(scene.owner.user, true)
    for (const token of [scene.owner.token, accessToken]) {
      expect([await create(token), await rotate(token)]).toEqual(['CONFIRMATION_REQUIRED', 'CONFIRMATION_REQUIRED'])
      expect(await create(token, 'viewer')).toBe('ok')
    }
    expect([await create(confirmed), await rotate(confirmed)]).toEqual(['ok', 'ok'])
    const { sessions } = await testEnv.client.must('sessionList', { orgSlug: scene.orgSlug }, { token: accessToken })
    const session = sessions.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent)
    await scene.asOwner('sessionConfirm', { id: session.id })
    expect([await create(accessToken), await rotate(accessToken)]).toEqual(['ok', 'ok'])
  })

  test('needs a confirmation for a grant on it, for members of a group that has one, for a wider role, and for its end', async () => {
    const scene = await Scene.open(testEnv)
    const user = scene.member()
    const person = { kind: 'user', id: user.userId }
    const { id } = await scene.asOwner('groupCreate', { name: 'Ops' })
    await scene.asOwner('roleSet', { name: 'peek', verbs: ['list'] })
    await scene.asOwner('accessGrant', { principal: { kind: 'group', id }, role: 'peek', ...prod })
    await scene.protect(prod)
    const { token } = scene.owner
    const codes = [
      await scene.codeOf('accessGrant', { principal: person, role: 'viewer', ...prod }, token),
      await scene.codeOf('groupMembers', { id, add: [person] }, token),
      await scene.codeOf('roleSet', { name: 'peek', verbs: ['list', 'read'] }, token),
      await scene.codeOf('stageProtect', { ...prod, isProtected: false }, token),
    ]
    expect(codes).toEqual(Array.from({ length: 4 }, () => 'CONFIRMATION_REQUIRED'))
    expect(await scene.codeOf('accessGrant', { principal: person, role: 'viewer', ...dev }, token)).toBe('ok')
    await scene.asOwner('groupMembers', { id, add: [person] })
    await scene.protect(prod, false)
    expect(await evaluate(scene, prod, await scene.tokenOf(scene.member()))).toBe('ok')
  })
})

describe('who changes a stage', () => {
  test('copies only what they read, and only to where they write', async () => {
    const scene = await closedScene()
    const user = scene.member()
    const token = await scene.tokenOf(user)
    const copy = (from: Place, to: Place) => scene.codeOf('copy', { from, to, names: [canaryOf(from)] }, token)
    await scene.grant(user, 'developer', dev)
    expect(await copy(prod, dev)).toBe('VARIABLE_NOT_FOUND')
    await scene.grant(user, await scene.role('write'), prod)
    expect(await copy(prod, dev)).toBe('FORBIDDEN')
    expect(await copy(dev, prod)).toBe('ok')
    await scene.grant(user, 'reader', prod)
    expect(await copy(dev, prod)).toBe('FORBIDDEN')
    expect(await copy(prod, dev)).toBe('ok')
  })

  test('reads no value by restoring it', async () => {
    const scene = await closedScene()
    const user = scene.member()
    const token = await scene.tokenOf(user)
    const restore = () => scene.codeOf('restore', { ...dev, revision: 1 }, token)
    await scene.asOwner('organizationUpdate', { defaultRole: 'developer' })
    await scene.asOwner('write', { ...dev, mode: 'upsert', entries: [secret('A', 'later')] })
    await scene.setDefaultRole('none')
    await scene.grant(user, 'reader', dev)
    expect(await restore()).toBe('FORBIDDEN')
    await scene.grant(user, await scene.role('write'), dev)
    expect(await restore()).toBe('ok')
    for (const name of ['list', 'history', 'manifest', 'digests'] as const) {
      const { status, text } = await scene.call(name, dev, token)
      expect([name, status]).toEqual([name, 200])
      expect(text).not.toContain(`value of ${canaryOf(dev)}`)
    }
    expect(await evaluate(scene, dev, token)).toBe('FORBIDDEN')
    expect(await scene.codeOf('reveal', { ...dev, names: ['A'] }, token)).toBe('FORBIDDEN')
  })
})

describe('a service token', () => {
  test('is one after a rotation, also while both of its secrets end together', async () => {
    const scene = await Scene.open(testEnv)
    const { id } = await scene.asOwner('tokenCreate', { name: 'ci', role: 'reader', ...dev, expiresInDays: 2 })
    await scene.asOwner('tokenRotate', { id, overlapHours: 24, expiresInDays: 1 })
    const { tokens } = await scene.asOwner('tokenList')
    expect(tokens.filter((token: { id: string }) => token.id === id)).toHaveLength(1)
  })

  test('is never stronger than its creator, wherever it is', async () => {
    const scene = await closedScene()
    const manager = scene.member()
    await scene.asOwner('roleSet', { name: 'head', verbs: ['list', 'read', 'manage'] })
    await scene.grant(manager, 'head', shop)
    const token = await scene.tokenOf(manager, true)
    const create = (more: object) => scene.codeOf('tokenCreate', { name: 'ci', ...more }, token)
    expect(await create({ role: 'reader', ...shop })).toBe('ok')
    expect(await create({ readOnly: true, ...dev })).toBe('ok')
    expect(await create({ ...dev })).toBe('FORBIDDEN')
    expect(await create({ role: 'reader' })).toBe('FORBIDDEN')
    expect(await create({ role: 'reader', readOnly: true, ...dev })).toBe('INVALID_REQUEST')
    await scene.protect(prod)
    expect(await create({ role: 'reader', ...prod })).toBe('FORBIDDEN')
    expect(await create({ role: 'viewer', ...prod })).toBe('ok')
    const { tokens } = await testEnv.client.must('tokenList', { orgSlug: scene.orgSlug }, { token })
    const { id } = tokens.find(({ projectSlug, stageSlug }: Place) => projectSlug === 'shop' && stageSlug === undefined)
    const widen = (role: string, by: string) =>
      scene.codeOf('accessGrant', { principal: { kind: 'token', id }, role, ...dev }, by)
    expect([await widen('developer', token), await widen('reader', token)]).toEqual(['FORBIDDEN', 'ok'])
    expect(await widen('maintainer', token)).toBe('INVALID_REQUEST')
    const beyond = { principal: { kind: 'token', id }, role: 'viewer' }
    for (const at of [{}, blog])
      expect(await scene.codeOf('accessGrant', { ...beyond, ...at }, scene.owner.token)).toBe('INVALID_REQUEST')
    await scene.grant(scene.owner.user, 'developer', dev)
    expect(await widen('developer', scene.owner.token)).toBe('ok')
    const made = await scene.asOwner('tokenCreate', { name: 'wide', role: 'viewer' })
    const write = (at: Place) => scene.codeOf('write', { ...at, mode: 'upsert', entries: [] }, made.token)
    await scene.asOwner('accessGrant', { principal: { kind: 'token', id: made.id }, role: 'developer', ...dev })
    expect([await write(dev), await write(blog)]).toEqual(['ok', 'FORBIDDEN'])
    expect(await scene.codeOf('tokenRotate', { id }, token)).toBe('FORBIDDEN')
  })

  test('can be replaced with an overlap', async () => {
    const scene = await Scene.open(testEnv)
    const made = await scene.asOwner('tokenCreate', { name: 'ci', ...dev })
    expect(await evaluate(scene, dev, made.token)).toBe('ok')
    const { id } = made
    const next = await scene.asOwner('tokenRotate', { id, overlapHours: 1, expiresInDays: 30 })
    expect(next).toMatchObject({ id, name: 'ci', role: 'developer', stageSlug: 'dev' })
    expect([await evaluate(scene, dev, made.token), await evaluate(scene, dev, next.token)]).toEqual(['ok', 'ok'])
    const { tokens } = await scene.asOwner('tokenList')
    expect(tokens).toMatchObject([{ id, expiresAtMs: next.expiresAtMs, formerExpiresAtMs: next.formerExpiresAtMs }])
    testEnv.clock.advance(hourMs)
    expect((await scene.asOwner('tokenList')).tokens[0].formerExpiresAtMs).toBeUndefined()
    expect([await evaluate(scene, dev, made.token), await evaluate(scene, dev, next.token)]).toEqual([
      'UNAUTHORIZED',
      'ok',
    ])
    const last = await scene.asOwner('tokenRotate', { id, overlapHours: 0 })
    expect([await evaluate(scene, dev, next.token), await evaluate(scene, dev, last.token)]).toEqual([
      'UNAUTHORIZED',
      'ok',
    ])
    await scene.asOwner('tokenRevoke', { id })
    expect(await evaluate(scene, dev, last.token)).toBe('UNAUTHORIZED')
    expect(await scene.codeOf('tokenRotate', { id }, await scene.tokenOf(scene.owner.user))).toBe('NOT_FOUND')
  })
})

describe('an explanation', () => {
  test('names everything that gives a verb, and what protection takes away', async () => {
    const scene = await Scene.open(testEnv)
    const user = scene.member()
    const { id } = await scene.asOwner('groupCreate', { name: 'Ops' })
    await scene.asOwner('groupMembers', { id, add: [{ kind: 'user', id: user.userId }] })
    await scene.asOwner('accessGrant', { principal: { kind: 'group', id }, role: 'maintainer', ...shop })
    await scene.protect(prod)
    await scene.grant(user, 'reader', prod)
    const question = { principal: { kind: 'user', id: user.userId }, ...prod }
    const expected = {
      verbs: ['list', 'read', 'manage'],
      isProtected: true,
      sources: [
        { from: 'default', role: 'developer', verbs: ['list'] },
        {
          from: 'grant',
          principal: { kind: 'user', id: user.userId },
          ...prod,
          role: 'reader',
          verbs: ['list', 'read'],
        },
        { from: 'grant', principal: { kind: 'group', id }, ...shop, role: 'maintainer', verbs: ['list', 'manage'] },
      ],
    }
    expect(await scene.asOwner('accessExplain', question)).toMatchObject(expected)
    const token = await scene.tokenOf(user)
    expect(await testEnv.client.must('accessExplain', { orgSlug: scene.orgSlug, ...prod }, { token })).toMatchObject(
      expected,
    )
    expect(await scene.codeOf('accessExplain', question, await scene.tokenOf(scene.member()))).toBe('FORBIDDEN')
  })
})

describe('who could read a stage', () => {
  test('is known for each time since it exists, from the audit log', async () => {
    const scene = await Scene.open(testEnv)
    const [ada, bob] = [scene.member(), scene.member()]
    const times: number[] = []
    const mark = (): void => {
      testEnv.clock.advance(1_000)
      times.push(testEnv.clock.now())
      testEnv.clock.advance(1_000)
    }
    mark()
    const { id } = await scene.asOwner('groupCreate', { name: 'Ops' })
    await scene.asOwner('accessGrant', { principal: { kind: 'group', id }, role: 'reader', ...prod })
    await scene.asOwner('groupMembers', { id, add: [{ kind: 'user', id: ada.userId }] })
    await scene.asOwner('roleSet', { name: 'peek', verbs: ['list', 'read'] })
    await scene.grant(bob, 'peek', prod)
    await scene.protect(prod)
    mark()
    await scene.asOwner('roleSet', { name: 'peek', verbs: ['list'] })
    await scene.setDefaultRole('none')
    mark()
    await scene.asOwner('groupDelete', { id })
    await scene.revoke(bob, prod)
    await scene.asOwner('roleDelete', { name: 'peek' })
    await scene.protect(prod, false)
    await scene.setDefaultRole('viewer')
    mark()
    const answers = []
    for (const atMs of times) {
      const { members, isProtected, holders } = await scene.asOwner('accessHolders', { ...prod, atMs })
      const names = holders.map(({ principal, via }: { principal: { id: string }; via?: string }) =>
        via === undefined ? principal.id : `${principal.id} via ${via}`,
      )
      answers.push([members, isProtected, ...names.toSorted()])
    }
    expect(answers).toEqual([
      [true, false],
      [false, true, ...[`${ada.userId} via ${id}`, bob.userId].toSorted()],
      [false, true, `${ada.userId} via ${id}`],
      [false, false],
    ])
    expect(await scene.codeOf('accessHolders', { ...prod, atMs: 1 }, scene.owner.token)).toBe('NOT_FOUND')
  })
})

test('values never leave with what a person may only list', async () => {
  const scene = await closedScene()
  const user = scene.member()
  await scene.grant(user, 'viewer')
  const token = await scene.tokenOf(user, true)
  for (const name of ['list', 'digests', 'history', 'manifest', 'plain', 'plainHistory', 'pull'] as const) {
    const { text } = await scene.call(name, prod, token)
    expect(text).not.toContain(`value of ${canaryOf(prod)}`)
  }
})

test('digests say nothing about other values to a person who may only list', async () => {
  const scene = await Scene.open(testEnv)
  const [lister, reader] = [scene.member(), scene.member()]
  await scene.grant(lister, 'viewer', prod)
  await scene.grant(reader, 'reader', prod)
  const write = (at: Place, entries: readonly object[]) => scene.asOwner('write', { ...at, mode: 'upsert', entries })
  await write(prod, [
    secret('A', 'same'),
    secret('B', 'same'),
    { ...roll('R', 0.5, 'same', 'same'), pins: { '7': 'a' } },
  ])
  await write(dev, [secret('A', 'same')])
  await write(prod, [secret('A', 'same'), secret('B', 'other')])
  await scene.asOwner('changePropose', { ...prod, reason: 'Try', entries: [secret('A', 'same'), secret('B', 'new')] })
  const { changes: open } = await scene.asOwner('changeList')
  await scene.setDefaultRole('none')
  const seenBy = async (user: typeof lister) => {
    const token = await scene.tokenOf(user, true)
    const ask = (name: 'digests' | 'history' | 'changeShow', more: object = {}) =>
      testEnv.client.must(name, { orgSlug: scene.orgSlug, ...prod, ...more }, { token })
    const { variables, valuesHidden } = await ask('digests')
    const { changes } = await ask('history')
    const { items } = await ask('changeShow', { id: open[0].id })
    const states = [...variables, ...changes, ...items.flatMap(({ before, after }: Shown) => [before, after])]
    const digests = states.flatMap((state: { digests?: object }) => Object.values(state.digests ?? {}))
    return { valuesHidden, variables, changes, items, digests: new Set<string>(digests) }
  }
  const hidden = await seenBy(lister)
  const readable = await seenBy(reader)
  expect([hidden.valuesHidden, readable.valuesHidden]).toEqual([true, undefined])
  // None is that of a value, so none can be made by writing a guess elsewhere.
  expect([...hidden.digests].filter((digest) => readable.digests.has(digest))).toEqual([])
  const ofName = (name: string) => hidden.variables.find((each: { name: string }) => each.name === name).digests
  expect(ofName('R').a).toBe(ofName('R').b)
  expect(new Set([ofName('A').value, ofName('B').value, ofName('R').a]).size).toBe(3)
  // Of one variable they still say whether it has changed.
  const [again, other] = hidden.changes
  expect(again).toMatchObject({ name: 'A', digests: again.before.digests })
  expect(other.digests).not.toEqual(other.before.digests)
  expect(hidden.items.map(({ before, after }: Shown) => before.digests.value === after.digests.value)).toEqual([
    true,
    false,
  ])
})
