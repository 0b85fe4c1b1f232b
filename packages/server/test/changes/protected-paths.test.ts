/** Tests every way to change a protected stage without a write of its variables (docs/change.md). */
import type { EndpointName } from '@rollkey/contract'
import { expect, test } from 'vitest'
import { useTestEnv } from '../../testkit/test-env.ts'
import { blog, dev, prod, shop } from '../access/scene.ts'
import { Colleague, open } from './colleagues.ts'

const testEnv = useTestEnv()
const hourMs = 3_600_000

/** What archives, restores or marks the stage, with a request that undoes it. */
const paths: readonly (readonly [what: string, endpoint: EndpointName, input: object])[] = [
  ['archives the stage', 'stageUpdate', { ...prod, archived: true }],
  ['restores the stage', 'stageUpdate', { ...prod, archived: false }],
  ['renames and archives the stage', 'stageUpdate', { ...prod, name: 'Live', archived: true }],
  ['marks the stage', 'stageUpdate', { ...prod, isProduction: true }],
  ['takes the mark from the stage', 'stageUpdate', { ...prod, isProduction: false }],
  ['archives the project', 'projectUpdate', { ...shop, archived: true }],
  ['restores the project', 'projectUpdate', { ...shop, archived: false }],
]

/** Opens an organization with a protected stage, and people with a role there, on the project, or on both. */
async function protectedStage(rules: object) {
  const { scene } = await open(testEnv)
  await scene.setDefaultRole('viewer')
  await scene.grant(scene.owner.user, 'maintainer')
  await scene.asOwner('stageProtect', { ...prod, isProtected: true, ...rules })
  const member = async (...places: object[]): Promise<Colleague> => {
    const user = scene.member()
    for (const place of places) await scene.grant(user, 'developer', place)
    return new Colleague(scene, user)
  }
  const codeOf = async (who: Colleague, endpoint: EndpointName, input: object): Promise<string> =>
    scene.codeOf(endpoint, input, await scene.tokenOf(who.user, true))
  const people = { ofStage: await member(prod), ofProject: await member(shop), ofBoth: await member(prod, shop) }
  return { scene, codeOf, ...people }
}

function freezeNow() {
  const minute = (ms: number): string => new Date(ms).toISOString().slice(0, 16)
  const nowMs = testEnv.clock.now()
  return { zone: 'UTC', from: minute(nowMs - hourMs), to: minute(nowMs + hourMs) }
}

test.each([
  ['protected', {}, 'ok'],
  ['with approvals', { approvals: 1 }, 'APPROVAL_REQUIRED'],
  ['frozen', { freezes: [] }, 'STAGE_FROZEN'],
])('a stage that is %s', async (_, rules, outcome) => {
  const all = 'freezes' in rules ? { freezes: [freezeNow()] } : rules
  const { scene, codeOf, ofStage, ofProject, ofBoth } = await protectedStage(all)
  const { token } = await scene.asOwner('tokenCreate', { name: 'ci', role: 'developer' })
  for (const [what, endpoint, input] of paths) {
    const isOfStage = endpoint === 'stageUpdate'
    const outcomes = [
      await codeOf(ofStage, endpoint, input),
      await codeOf(ofProject, endpoint, input),
      await scene.codeOf(endpoint, input, token),
      await codeOf(ofBoth, endpoint, input),
    ]
    expect([what, outcomes]).toEqual([what, [isOfStage ? outcome : 'FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN', outcome]])
  }
  // Other stages and names are as before.
  expect(await codeOf(ofProject, 'stageUpdate', { ...dev, archived: true })).toBe('ok')
  expect(await codeOf(ofProject, 'projectUpdate', { ...shop, name: 'The shop' })).toBe('ok')
  expect(await codeOf(ofStage, 'stageUpdate', { ...prod, name: 'Live' })).toBe('ok')
  await scene.grant(ofProject.user, 'developer', { projectSlug: 'blog' })
  expect(await codeOf(ofProject, 'projectUpdate', { projectSlug: blog.projectSlug, archived: true })).toBe('ok')
})

test('a refusal says what to do, which is not to propose it', async () => {
  const { scene, ofBoth } = await protectedStage({ approvals: 1 })
  const input = { ...prod, archived: true }
  const { body } = await scene.call('stageUpdate', input, await scene.tokenOf(ofBoth.user))
  expect(body.error.message).toBe(
    'Changes of the stage prod of the project shop need an approval, which its archive and its production mark cannot get: ask someone with "manage" there to end the protection first.',
  )
  await scene.asOwner('stageProtect', { ...prod, isProtected: true, approvals: 0 })
  expect(await scene.codeOf('stageUpdate', input, await scene.tokenOf(ofBoth.user))).toBe('ok')
})

test('only who manages the project moves a protected stage in its order', async () => {
  const { scene, codeOf, ofProject } = await protectedStage({})
  const manager = scene.member()
  await scene.grant(manager, 'maintainer', shop)
  await scene.asOwner('stageCreate', { ...shop, stageSlug: 'test' })
  const order = (who: Colleague, ...stageSlugs: string[]) => codeOf(who, 'stageOrder', { ...shop, stageSlugs })
  expect(await order(ofProject, 'test', 'prod', 'dev')).toBe('FORBIDDEN')
  expect(await order(ofProject, 'dev', 'test', 'prod')).toBe('FORBIDDEN')
  expect(await order(new Colleague(scene, manager), 'dev', 'test', 'prod')).toBe('ok')
  // The protected stage stays after both others.
  expect(await order(ofProject, 'test', 'dev', 'prod')).toBe('ok')
  expect(await order(ofProject, 'test', 'dev')).toBe('INVALID_REQUEST')
})
