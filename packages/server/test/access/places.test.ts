/** Access is never given to a place that does not exist: each endpoint that names a place, at each kind of missing place. */
import type { EndpointName, Request } from '@rollkey/contract'
import { expect, test } from 'vitest'
import { secret } from '../../testkit/entries.ts'
import { query } from '../../testkit/store.ts'
import { tenantAt, useTestEnv, write } from '../../testkit/test-env.ts'
import { dev, prod, Scene, type Place } from './scene.ts'

const testEnv = useTestEnv()

type NamesPlace<Body> = 'projectSlug' extends keyof Body ? true : 'from' extends keyof Body ? true : false
type PlaceName = {
  [Name in EndpointName]: NamesPlace<Request<Name>> extends true ? Name : never
}[EndpointName]

/** `reads`: a missing place is empty or absent. `creates`: a write, which creates what its caller may create. `changes`: needs a place. */
type Effect = 'reads' | 'creates' | 'changes' | 'gives access'

/** An endpoint that names a place and is not here does not compile. */
const effects: Readonly<Record<PlaceName, Effect>> = {
  evaluate: 'reads',
  evaluateBatch: 'reads',
  pull: 'reads',
  ruleset: 'reads',
  report: 'reads',
  list: 'reads',
  pins: 'reads',
  explain: 'reads',
  reveal: 'reads',
  plain: 'reads',
  manifest: 'reads',
  digests: 'reads',
  history: 'reads',
  plainHistory: 'reads',
  changeList: 'reads',
  changeShow: 'reads',
  changeReveal: 'reads',
  rollCounts: 'reads',
  audit: 'reads',
  events: 'reads',
  session: 'reads',
  whoami: 'reads',
  webSettings: 'reads',
  accessList: 'reads',
  accessExplain: 'reads',
  accessHolders: 'reads',
  usageCallers: 'reads',
  declarationList: 'reads',
  declarationDocument: 'reads',
  declarationCheck: 'reads',
  write: 'creates',
  copy: 'creates',
  projectCreate: 'creates',
  stageCreate: 'creates',
  update: 'changes',
  restore: 'changes',
  changeEdit: 'changes',
  changeReview: 'changes',
  changeApply: 'changes',
  changePause: 'changes',
  changeResume: 'changes',
  changeSkip: 'changes',
  changeAbort: 'changes',
  changeWithdraw: 'changes',
  changeReschedule: 'changes',
  projectUpdate: 'changes',
  stageUpdate: 'changes',
  stageOrder: 'changes',
  stageDelete: 'changes',
  projectDelete: 'changes',
  declarationSet: 'changes',
  declarationDelete: 'changes',
  declarationReplace: 'changes',
  accessRevoke: 'changes',
  accessGrant: 'gives access',
  tokenCreate: 'gives access',
  keyCreate: 'gives access',
  trustCreate: 'gives access',
  stageProtect: 'gives access',
  changePropose: 'gives access',
}

const claims = [{ name: 'project_id', value: '1' }]
const freezes = [{ zone: 'UTC', from: 'fri 18:00', to: 'mon 08:00' }]
const entries = [secret('A', 'a')]

/** What each request says besides the place. Of a stage alone: it cannot name a project. */
const requests: readonly { name: EndpointName; input: (scene: Scene) => object; ofStageAlone?: true }[] = [
  { name: 'accessGrant', input: grantTo },
  { name: 'tokenCreate', input: () => ({ name: 'ci' }) },
  { name: 'trustCreate', input: () => ({ name: 'ci', role: 'viewer', issuer: 'https://gitlab.com', claims }) },
  { name: 'keyCreate', input: () => ({ name: 'web', origins: [] }), ofStageAlone: true },
  { name: 'stageProtect', input: () => ({ isProtected: true }), ofStageAlone: true },
  { name: 'stageProtect', input: () => ({ isProtected: true, freezes }), ofStageAlone: true },
  { name: 'stageProtect', input: () => ({ isProtected: true, dryRun: true }), ofStageAlone: true },
  { name: 'changePropose', input: () => ({ reason: 'why', entries }), ofStageAlone: true },
  { name: 'changePropose', input: scheduled, ofStageAlone: true },
  { name: 'changePropose', input: () => ({ reason: 'why', copy: { from: dev, names: ['A'] } }), ofStageAlone: true },
]

function grantTo(scene: Scene): object {
  return { principal: { kind: 'user', id: scene.owner.user.userId }, role: 'reader' }
}

function scheduled(): object {
  return { reason: 'why', entries, applyAtMs: testEnv.clock.now() + 3_600_000 }
}

/** Places that the scene does not have. */
const missing: Readonly<Record<string, Place>> = {
  'a missing project': { projectSlug: 'shpo' },
  'a stage of a missing project': { projectSlug: 'shpo', stageSlug: 'prod' },
  'a missing stage': { projectSlug: 'shop', stageSlug: 'no-such-stage' },
  'a stage of another project': { projectSlug: 'blog', stageSlug: 'dev' },
  'a project in upper case': { projectSlug: 'SHOP' },
  'a stage in upper case': { projectSlug: 'shop', stageSlug: 'PROD' },
  'a beginning of a slug': { projectSlug: 'shop', stageSlug: 'pro' },
  'a slug with an addition': { projectSlug: 'shop', stageSlug: 'prod.' },
  'a pattern': { projectSlug: 'shop', stageSlug: 'p_od' },
  'a deleted stage': { projectSlug: 'shop', stageSlug: 'deleted' },
  'a deleted project': { projectSlug: 'deleted' },
  'a stage of a deleted project': { projectSlug: 'deleted', stageSlug: 'prod' },
  "another organization's project": { projectSlug: 'theirs' },
  "another organization's stage": { projectSlug: 'theirs', stageSlug: 'prod' },
  "another organization's stage of a project with our slug": { projectSlug: 'shop', stageSlug: 'theirs' },
}

/** Opens a scene with places that were deleted, and another organization with its own places. */
async function openScene(): Promise<Scene> {
  const [scene, other] = [await Scene.open(testEnv), await Scene.open(testEnv)]
  const createIn = (each: Scene, place: Place) => write(testEnv, tenantAt(each.owner, place), [])
  const createStage = async (each: Scene, place: Required<Place>) => {
    await createIn(each, place)
    const { projects } = await each.asOwner('projects')
    if (!projects.some(({ projectSlug }: Place) => projectSlug === place.projectSlug))
      await each.asOwner('projectCreate', { projectSlug: place.projectSlug })
    await each.asOwner('stageCreate', place)
  }
  await createStage(scene, { projectSlug: 'shop', stageSlug: 'deleted' })
  await scene.asOwner('stageDelete', { projectSlug: 'shop', stageSlug: 'deleted', confirm: 'deleted' })
  await createStage(scene, { projectSlug: 'deleted', stageSlug: 'prod' })
  await scene.asOwner('projectDelete', { projectSlug: 'deleted', confirm: 'deleted' })
  await createStage(other, { projectSlug: 'theirs', stageSlug: 'prod' })
  await createStage(other, { projectSlug: 'shop', stageSlug: 'theirs' })
  return scene
}

test('the requests below include every endpoint that gives access', () => {
  const giving = Object.entries(effects).filter(([, effect]) => effect === 'gives access')
  expect([...new Set(requests.map(({ name }) => name))].toSorted()).toEqual(giving.map(([name]) => name).toSorted())
})

test('no endpoint gives access to a place that does not exist, and nothing is stored', async () => {
  const scene = await openScene()
  const token = await scene.tokenOf(scene.owner.user, true)
  const before = await stored(scene)
  const wrong: string[] = []
  for (const { name, input, ofStageAlone } of requests)
    for (const [kind, place] of Object.entries(missing)) {
      if (ofStageAlone && place.stageSlug === undefined) continue
      const { status, body } = await scene.call(name, { ...input(scene), ...place }, token)
      const found = `${status} ${body.error?.code} ${body.error?.message}`
      const slug = place.stageSlug ?? place.projectSlug ?? ''
      if (!(found.startsWith('404 NOT_FOUND') && found.includes(slug) && found.includes('list the projects')))
        wrong.push(`${name} at ${kind}: ${found}`)
    }
  expect(wrong).toEqual([])
  expect(await stored(scene)).toEqual(before)
})

/** Returns what of the organization gives access. */
async function stored(scene: Scene) {
  const { grants, protectedStages } = await scene.asOwner('accessList')
  const { tokens } = await scene.asOwner('tokenList')
  const { trusts } = await scene.asOwner('trustList')
  const { keys } = await scene.asOwner('keyList')
  const { changes } = await scene.asOwner('changeList')
  return { grants, protectedStages, tokens, trusts, keys, changes }
}

test('what exists takes access, archived or not', async () => {
  const scene = await Scene.open(testEnv)
  const token = await scene.tokenOf(scene.owner.user, true)
  await scene.asOwner('accessGrant', { ...grantTo(scene), role: 'developer' })
  const given = requests.filter(({ name }) => name !== 'changePropose')
  const codes = async (place: Place) => {
    const found: string[] = []
    for (const { name, input, ofStageAlone } of given)
      if (!ofStageAlone || place.stageSlug) found.push(await scene.codeOf(name, { ...input(scene), ...place }, token))
    return new Set(found)
  }
  await scene.asOwner('stageUpdate', { ...dev, archived: true })
  for (const place of [{}, { projectSlug: 'shop' }, dev, prod]) expect(await codes(place)).toEqual(new Set(['ok']))
})

test('a token or a trust whose place is gone is not issued again', async () => {
  const scene = await Scene.open(testEnv)
  const { id } = await scene.asOwner('tokenCreate', { name: 'ci', ...dev })
  const trust = await scene.asOwner('trustCreate', {
    name: 'ci',
    role: 'viewer',
    issuer: 'https://gitlab.com',
    claims,
    ...dev,
  })
  // As rows of an earlier version can be.
  const { dataDir } = testEnv.app
  await query(dataDir, "update service_tokens set stage_slug = 'no-such-stage' where session_id = $1", id)
  await query(dataDir, "update trusts set stage_slug = 'no-such-stage' where id = $1", trust.id)
  const token = await scene.tokenOf(scene.owner.user, true)
  expect(await scene.codeOf('tokenRotate', { id, overlapHours: 0 }, token)).toBe('NOT_FOUND')
  expect(await scene.codeOf('trustUpdate', { id: trust.id, name: 'other' }, token)).toBe('NOT_FOUND')
  expect(await query(dataDir, 'select 1 from access_tokens where session_id = $1', id)).toHaveLength(1)
})
