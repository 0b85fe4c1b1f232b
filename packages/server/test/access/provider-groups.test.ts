/** Groups of the identity provider: whom it reports is a member, from the next sign-in or membership answer on. */
import { expect, test } from 'vitest'
import { auditEntries } from '../../testkit/audit.ts'
import type { TestUser } from '../../testkit/provider.ts'
import { startTestEnv, useTestEnv } from '../../testkit/test-env.ts'
import { dev, prod, Scene } from './scene.ts'

const testEnv = useTestEnv({ IDP_GROUPS_CLAIM: 'realm.groups' })
const minuteMs = 60_000

/** Returns an organization with a group for `ops` of the provider, which reads one stage, and someone without other access. */
async function newScene(): Promise<{ scene: Scene; user: TestUser; id: string }> {
  const scene = await Scene.open(testEnv)
  await scene.setDefaultRole('none')
  const { id } = await scene.asOwner('groupCreate', { name: 'Operations', idpGroup: 'ops' })
  await scene.asOwner('accessGrant', { principal: { kind: 'group', id }, role: 'reader', ...dev })
  return { scene, user: scene.member(), id }
}

/** Returns a token of a sign-in at which the person had these groups. */
function signedIn(user: TestUser, groups: unknown): Promise<string> {
  return testEnv.provider.sign({ ...testEnv.provider.claimsOf(user), realm: { groups } })
}

const evaluate = (scene: Scene, token: string) => scene.codeOf('evaluate', { ...dev, name: 'A' }, token)

test('a person has the groups of the last sign-in, whichever token comes after it', async () => {
  const { scene, user, id } = await newScene()
  const joined = await signedIn(user, ['staff', 'ops'])
  expect(await evaluate(scene, joined)).toBe('ok')
  expect((await scene.asOwner('groups')).groups).toMatchObject([
    { id, idpGroup: 'ops', members: [{ kind: 'user', id: user.userId }] },
  ])
  testEnv.clock.advance(2_000)
  const left = await signedIn(user, ['staff'])
  expect(await evaluate(scene, left)).toBe('VARIABLE_NOT_FOUND')
  expect(await evaluate(scene, joined)).toBe('VARIABLE_NOT_FOUND')
  testEnv.clock.advance(2_000)
  expect(await evaluate(scene, await signedIn(user, 'ops'))).toBe('ok')
  testEnv.clock.advance(2_000)
  expect(await evaluate(scene, await signedIn(user, undefined))).toBe('VARIABLE_NOT_FOUND')
  const entries = await auditEntries(testEnv.client, scene.orgSlug, scene.owner.token)
  const changes = entries.filter(({ action, facts }) => facts?.groupId === id && action !== 'group.create')
  expect(changes.map(({ action, how }) => [action, how])).toEqual(
    ['join', 'leave', 'join', 'leave'].map((what) => [`group.${what}`, 'system']),
  )
})

test('a command-line session has the groups of the last sign-in, and then those of the membership answers', async () => {
  const { scene, user } = await newScene()
  const { accessToken } = await testEnv.client.login(user)
  expect(await evaluate(scene, accessToken)).toBe('VARIABLE_NOT_FOUND')
  testEnv.clock.advance(2_000)
  expect(await evaluate(scene, await signedIn(user, ['ops']))).toBe('ok')
  expect(await evaluate(scene, accessToken)).toBe('ok')
  testEnv.provider.setGroups(user, [])
  testEnv.clock.advance(2 * minuteMs)
  await expect.poll(() => evaluate(scene, accessToken)).toBe('VARIABLE_NOT_FOUND')
  testEnv.provider.setGroups(user, ['ops'])
  testEnv.clock.advance(2 * minuteMs)
  await expect.poll(() => evaluate(scene, accessToken)).toBe('ok')
})

test('the members of such a group are not changed here, and a group that becomes one starts without members', async () => {
  const { scene, user, id } = await newScene()
  const person = { kind: 'user', id: user.userId }
  const asOwner = await scene.tokenOf(scene.owner.user, true)
  expect(await scene.codeOf('groupMembers', { id, add: [person] }, asOwner)).toBe('INVALID_REQUEST')
  expect(await scene.codeOf('groupCreate', { name: 'Others', idpGroup: 'ops' }, asOwner)).toBe('INVALID_REQUEST')
  await scene.asOwner('groupUpdate', { id, idpGroup: null })
  await scene.asOwner('groupMembers', { id, add: [person] })
  const token = await signedIn(user, ['admins'])
  expect(await evaluate(scene, token)).toBe('ok')
  await scene.asOwner('groupUpdate', { id, idpGroup: 'ops' })
  expect(await evaluate(scene, token)).toBe('VARIABLE_NOT_FOUND')
  await scene.asOwner('groupUpdate', { id, name: 'Admins', idpGroup: 'admins' })
  expect(await evaluate(scene, token)).toBe('ok')
  expect((await scene.asOwner('groups')).groups).toMatchObject([{ name: 'Admins', idpGroup: 'admins' }])
  await scene.asOwner('accessGrant', { principal: { kind: 'group', id }, role: 'reader', ...prod })
  await scene.protect(prod)
  const update = { id, idpGroup: 'everyone' }
  expect(await scene.codeOf('groupUpdate', update, await scene.tokenOf(scene.owner.user))).toBe('CONFIRMATION_REQUIRED')
  expect(await scene.codeOf('groupUpdate', { id, name: 'Admins again' }, await scene.tokenOf(scene.owner.user))).toBe(
    'ok',
  )
})

test('who could read a stage is known of its members too', async () => {
  const { scene, user, id } = await newScene()
  testEnv.clock.advance(1_000)
  await evaluate(scene, await signedIn(user, ['ops']))
  testEnv.clock.advance(1_000)
  const atMs = testEnv.clock.now()
  testEnv.clock.advance(2_000)
  await evaluate(scene, await signedIn(user, []))
  expect((await scene.asOwner('accessHolders', { ...dev, atMs })).holders).toEqual([
    expect.objectContaining({ principal: expect.objectContaining({ id: user.userId }), via: id }),
  ])
  expect((await scene.asOwner('accessHolders', dev)).holders).toEqual([])
})

test('people who sign in at once all get their groups', async () => {
  const { scene } = await newScene()
  const tokens = await Promise.all(Array.from({ length: 30 }, () => signedIn(scene.member(), ['ops'])))
  expect(new Set(await Promise.all(tokens.map((token) => evaluate(scene, token))))).toEqual(new Set(['ok']))
})

test('a service that reads no claim refuses such groups', async () => {
  const other = await startTestEnv()
  const scene = await Scene.open(other)
  const code = await scene.codeOf('groupCreate', { name: 'Team', idpGroup: 'ops' }, scene.owner.token)
  expect(code).toBe('INVALID_REQUEST')
  expect(await scene.codeOf('groupCreate', { name: 'Team' }, scene.owner.token)).toBe('ok')
})
