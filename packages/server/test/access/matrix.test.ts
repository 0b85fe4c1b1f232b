/**
 * Every endpoint, called by people and service tokens with each verb at each place. What must come of it is computed here from the
 * table of verbs, by other code than the service's.
 */
import { endpoints, isScoped, type Endpoint, type EndpointName, type Request, type Verb } from '@rollkey/contract'
import { expect, test } from 'vitest'
import { isLong } from '../../testkit/long.ts'
import type { TestUser } from '../../testkit/provider.ts'
import { useTestEnv } from '../../testkit/test-env.ts'
import { VaultClient } from '../../testkit/vault.ts'
import { blog, canaryOf, dev, prod, Scene, shop, type Place } from './scene.ts'

const testEnv = useTestEnv()

type ScopedName = { [Name in EndpointName]: Request<Name> extends { orgSlug: string } ? Name : never }[EndpointName]

/** What a call needs: verbs at places, all of them. `any`: a verb anywhere. `hides`: a place that is hidden looks absent. */
interface Case {
  readonly input: (stage: { readonly projectSlug: string; readonly stageSlug: string }) => object
  readonly needs: readonly (readonly [Verb, 'stage' | 'project' | 'organization' | 'dev' | 'any'])[]
  readonly hides?: true
}

const stage =
  (more: object = {}): Case['input'] =>
  (at) => ({ ...at, ...more })
const project =
  (more: object = {}): Case['input'] =>
  ({ projectSlug }) => ({ projectSlug, ...more })
const nowhere =
  (more: object = {}): Case['input'] =>
  () =>
    more
/** Ids of a change of each stage in the latest scene: for an id that does not exist, all places look absent. */
const changeIds = new Map<string, string>()
const stageOfChange =
  (more: object = {}): Case['input'] =>
  (at) => ({ ...at, id: changeIds.get(JSON.stringify(at)) ?? 'none', ...more })
const someone = { principal: { kind: 'user', id: 'someone' } }
/** A revision that no stage reaches here, so that nothing changes. */
const never = { ifRevision: 999 }

/** Written by hand. A new endpoint without a row here does not compile. */
const cases: Readonly<Record<ScopedName, Case | 'everyone' | 'no one'>> = {
  evaluate: { input: stage({ name: 'A' }), needs: [['read', 'stage']], hides: true },
  evaluateBatch: { input: stage({ entries: [{ name: 'A' }] }), needs: [['read', 'stage']], hides: true },
  pull: { input: stage(), needs: [['read', 'stage']], hides: true },
  ruleset: { input: stage(), needs: [['read', 'stage']], hides: true },
  report: { input: stage({ decisions: [{ name: 'A', count: 1 }] }), needs: [['read', 'stage']], hides: true },
  list: { input: stage(), needs: [['list', 'stage']], hides: true },
  write: { input: stage({ mode: 'upsert', entries: [] }), needs: [['write', 'stage']] },
  update: { input: stage({ updates: [{ name: 'A', description: 'a' }], ...never }), needs: [['write', 'stage']] },
  pins: { input: stage({ name: 'R' }), needs: [['read', 'stage']], hides: true },
  explain: { input: stage({ name: 'R' }), needs: [['read', 'stage']], hides: true },
  copy: {
    input: (to) => ({ from: dev, to, names: ['A'], ...never }),
    needs: [
      ['read', 'dev'],
      ['write', 'stage'],
    ],
  },
  reveal: { input: stage({ names: ['A'] }), needs: [['read', 'stage']], hides: true },
  plain: { input: stage(), needs: [['read', 'stage']], hides: true },
  manifest: { input: stage(), needs: [['list', 'stage']], hides: true },
  digests: { input: stage(), needs: [['list', 'stage']], hides: true },
  history: { input: stage(), needs: [['list', 'stage']], hides: true },
  plainHistory: { input: stage(), needs: [['read', 'stage']], hides: true },
  recentHistory: { input: nowhere(), needs: [] },
  changePropose: {
    input: stage({ reason: 'why', copy: { from: dev, names: ['A'] }, ifRevision: 999 }),
    needs: [
      ['read', 'dev'],
      ['write', 'stage'],
    ],
  },
  changeList: { input: nowhere(), needs: [] },
  changeShow: { input: stageOfChange(), needs: [['list', 'stage']], hides: true },
  changeReveal: { input: stageOfChange({ names: ['A'] }), needs: [['read', 'stage']], hides: true },
  changeEdit: { input: stage({ id: 'none', reason: 'why' }), needs: [['write', 'stage']] },
  changeReview: { input: stage({ id: 'none', digest: 'none', verdict: 'approve' }), needs: [['approve', 'stage']] },
  changeApply: { input: stage({ id: 'none' }), needs: [['write', 'stage']] },
  changePause: { input: stage({ id: 'none' }), needs: [['write', 'stage']] },
  changeResume: { input: stage({ id: 'none' }), needs: [['write', 'stage']] },
  changeSkip: { input: stage({ id: 'none' }), needs: [['write', 'stage']] },
  changeAbort: { input: stage({ id: 'none', chance: 0 }), needs: [['write', 'stage']] },
  changeWithdraw: { input: stage({ id: 'none' }), needs: [['write', 'stage']] },
  changeReschedule: { input: stage({ id: 'none', applyAtMs: null }), needs: [['write', 'stage']] },
  restore: { input: stage({ revision: 999 }), needs: [['write', 'stage']] },
  rollCounts: { input: stage({ name: 'R' }), needs: [['list', 'stage']], hides: true },
  rolls: { input: nowhere(), needs: [] },
  audit: { input: stage(), needs: [['manage', 'stage']] },
  projects: { input: nowhere(), needs: [] },
  projectCreate: { input: project(), needs: [['write', 'project']] },
  projectUpdate: { input: project(), needs: [['write', 'project']] },
  stageCreate: { input: stage(), needs: [['write', 'stage']] },
  stageUpdate: { input: stage(), needs: [['write', 'stage']] },
  stageOrder: { input: project({ stageSlugs: [] }), needs: [['write', 'project']] },
  stageDelete: { input: (at) => ({ ...at, confirm: at.stageSlug }), needs: [['manage', 'project']] },
  projectDelete: {
    input: ({ projectSlug }) => ({ projectSlug, confirm: projectSlug }),
    needs: [['manage', 'organization']],
  },
  declarationList: { input: project(), needs: [['list', 'any']], hides: true },
  declarationSet: { input: project({ declarations: [{ name: 'A' }] }), needs: [['write', 'project']] },
  declarationDelete: { input: project({ names: ['none'] }), needs: [['write', 'project']] },
  declarationDocument: { input: project(), needs: [['list', 'any']], hides: true },
  declarationReplace: { input: project({ document: {} }), needs: [['write', 'project']] },
  declarationCheck: { input: stage(), needs: [['list', 'stage']], hides: true },
  organization: 'everyone',
  organizationUpdate: { input: nowhere(), needs: [['manage', 'organization']] },
  organizationDelete: 'no one',
  organizationMembers: { input: nowhere(), needs: [] },
  signInRules: { input: nowhere(), needs: [['manage', 'organization']] },
  signInRulesSet: 'no one',
  usage: { input: nowhere(), needs: [] },
  usageCallers: { input: nowhere({ from: '2026-01-01', to: '2026-01-02' }), needs: [['manage', 'organization']] },
  attention: { input: nowhere(), needs: [] },
  search: { input: nowhere({ query: 'CANARY' }), needs: [] },
  // An open stream has no end to compare.
  events: { input: project({ since: 'not a cursor' }), needs: [['list', 'any']], hides: true },
  accessList: { input: stage(), needs: [['manage', 'stage']] },
  accessGrant: { input: stage({ ...someone, role: 'no-such-role' }), needs: [['manage', 'stage']] },
  accessRevoke: { input: stage(someone), needs: [['manage', 'stage']] },
  accessExplain: { input: stage(someone), needs: [['manage', 'stage']] },
  accessHolders: { input: stage(), needs: [['manage', 'stage']] },
  groups: { input: nowhere(), needs: [['manage', 'any']] },
  groupCreate: { input: nowhere({ name: 'Team' }), needs: [['manage', 'organization']] },
  groupUpdate: { input: nowhere({ id: 'none', name: 'None' }), needs: [['manage', 'organization']] },
  groupDelete: { input: nowhere({ id: 'none' }), needs: [['manage', 'organization']] },
  groupMembers: { input: nowhere({ id: 'none' }), needs: [['manage', 'organization']] },
  roles: 'everyone',
  roleSet: { input: nowhere({ name: 'matrix', verbs: ['list'] }), needs: [['manage', 'organization']] },
  roleDelete: { input: nowhere({ name: 'unused' }), needs: [['manage', 'organization']] },
  stageProtect: { input: stage({ isProtected: true, dryRun: true }), needs: [['manage', 'stage']] },
  tokenCreate: { input: stage({ name: 'ci', role: 'viewer' }), needs: [['manage', 'stage']] },
  tokenList: { input: nowhere(), needs: [['manage', 'any']] },
  tokenRotate: { input: nowhere({ id: 'none' }), needs: [['manage', 'any']] },
  tokenRevoke: { input: nowhere({ id: 'none' }), needs: [['manage', 'any']] },
  keyCreate: {
    input: stage({ name: 'web', origins: [] }),
    needs: [
      ['manage', 'stage'],
      ['read', 'stage'],
    ],
  },
  keyList: { input: nowhere(), needs: [['manage', 'any']] },
  keyRevoke: { input: nowhere({ id: 'none' }), needs: [['manage', 'any']] },
  trustCreate: {
    input: stage({
      name: 'ci',
      role: 'viewer',
      issuer: 'https://gitlab.com',
      claims: [{ name: 'project_id', value: '1' }],
    }),
    needs: [['manage', 'stage']],
  },
  hookCreate: {
    input: nowhere({ name: 'Deploys', url: 'https://example.com/hook' }),
    needs: [['manage', 'organization']],
  },
  hookList: { input: nowhere(), needs: [['manage', 'organization']] },
  hookUpdate: { input: nowhere({ id: 'none' }), needs: [['manage', 'organization']] },
  hookRotate: { input: nowhere({ id: 'none' }), needs: [['manage', 'organization']] },
  hookDelete: { input: nowhere({ id: 'none' }), needs: [['manage', 'organization']] },
  hookTest: { input: nowhere({ id: 'none' }), needs: [['manage', 'organization']] },
  hookDeliveries: { input: nowhere({ id: 'none' }), needs: [['manage', 'organization']] },
  hookRedeliver: { input: nowhere({ id: 'none', eventId: 'none' }), needs: [['manage', 'organization']] },
  trustList: { input: nowhere(), needs: [['manage', 'any']] },
  trustUpdate: { input: nowhere({ id: 'none' }), needs: [['manage', 'any']] },
  trustDelete: { input: nowhere({ id: 'none' }), needs: [['manage', 'any']] },
  trustTest: { input: nowhere({ id: 'none', token: 'none' }), needs: [['manage', 'any']] },
  sessionList: 'everyone',
  sessionRevoke: 'everyone',
  sessionConfirm: 'everyone',
}

/** Requests of the Vault protocol that are an endpoint in another form. */
const atTheDoor: Partial<Readonly<Record<ScopedName, readonly [method: string, path: string, body?: object]>>> = {
  pull: ['GET', 'data/STAGE'],
  evaluate: ['GET', 'data/STAGE/A'],
  list: ['LIST', 'metadata/STAGE'],
  manifest: ['GET', 'subkeys/STAGE'],
  write: ['PATCH', 'data/STAGE', { data: {} }],
}

/** What a caller has been given. */
interface Given {
  readonly verbs: readonly Verb[]
  /** Undefined: nothing was given. */
  readonly at: Place | undefined
}

const guarded: readonly Verb[] = ['read', 'write', 'approve']

/** Returns whether what was given reaches a place. Nothing here is shared with the service. */
function has({ verbs, at }: Given, verb: Verb, place: Place, isProtected: boolean): boolean {
  if (!at || !verbs.includes(verb)) return false
  if (at.projectSlug !== undefined && at.projectSlug !== place.projectSlug) return false
  if (at.stageSlug !== undefined && at.stageSlug !== place.stageSlug) return false
  return !(isProtected && at.stageSlug === undefined && guarded.includes(verb))
}

/** Returns 'ok', 'FORBIDDEN' or 'absent'. */
function expectedOf({ needs, hides }: Case, given: Given, at: typeof prod, isProtected: boolean): string {
  for (const [verb, where] of needs) {
    if (where === 'any') {
      const isInside = given.at?.projectSlug === undefined || given.at.projectSlug === at.projectSlug
      const found = given.at !== undefined && given.verbs.includes(verb) && (verb === 'manage' || isInside)
      if (!found) return hides ? 'absent' : 'FORBIDDEN'
      continue
    }
    const place = { stage: at, project: { projectSlug: at.projectSlug }, organization: {}, dev }[where]
    if (has(given, verb, place, isProtected && where === 'stage')) continue
    // A source that is hidden looks absent, and then the target decides.
    if (where === 'dev' && !has(given, 'list', place, false)) continue
    return hides && !has(given, 'list', place, false) ? 'absent' : 'FORBIDDEN'
  }
  return 'ok'
}

const withoutId = (text: string): string => text.replace(/"requestId":"[^"]*"/g, '')

/** Returns what came of a call: 'FORBIDDEN', 'absent' if it is what a place that does not exist answers, otherwise 'ok'. */
async function outcomeOf(scene: Scene, name: EndpointName, row: Case, at: typeof prod, token: string): Promise<string> {
  const answer = await scene.call(name, row.input(at), token)
  if (answer.body.error?.code === 'FORBIDDEN') return 'FORBIDDEN'
  if (answer.status === 401 || answer.status >= 429) return String(answer.status)
  if (!row.hides) return 'ok'
  const none = { projectSlug: 'no-such-project', stageSlug: 'no-such-stage' }
  const absent = await scene.call(name, row.input(none), token)
  const expected = withoutId(absent.text).replaceAll(none.projectSlug, at.projectSlug)
  const isSame = expected === withoutId(answer.text) && absent.status === answer.status
  const hasSameHeaders = absent.headers.get('etag') === answer.headers.get('etag')
  return isSame && hasSameHeaders ? 'absent' : 'ok'
}

/** Returns what came of the same by the Vault protocol, which never says that what the caller may not see is absent. */
async function outcomeAtDoor(
  name: ScopedName,
  { projectSlug, stageSlug }: typeof prod,
  token: string,
): Promise<string> {
  const [method, path, body] = atTheDoor[name] ?? ['', '']
  const vault = new VaultClient(testEnv.app.url)
  const { status } = await vault.send(method, `${projectSlug}/${path.replace('STAGE', stageSlug)}`, {
    token,
    ...(body && { body }),
  })
  return status === 200 ? 'ok' : status === 403 ? 'FORBIDDEN' : String(status)
}

/** Returns a session of the person, confirmed in the web application. */
async function confirmedSessionOf(scene: Scene, user: TestUser, confirmed: string): Promise<string> {
  const { accessToken } = await testEnv.client.login(user)
  const { sessions } = (await scene.call('sessionList', {}, accessToken)).body
  const { id } = (sessions as { id: string; isCurrent: boolean }[]).find(({ isCurrent }) => isCurrent) as { id: string }
  expect(await scene.call('sessionConfirm', { id }, confirmed)).toMatchObject({ status: 200 })
  return accessToken
}

/** Returns whether a cell is tested: all of them in the long form, otherwise a tenth. */
function isPicked(cell: number): boolean {
  return isLong || cell % 10 === 3
}

/** Opens a scene with a change of each stage. */
async function openScene(): Promise<Scene> {
  const scene = await Scene.open(testEnv)
  for (const at of [prod, dev, blog]) {
    const content = { reason: 'why', updates: [{ name: 'R', chance: 0.5 }] }
    const { id } = await scene.asOwner('changePropose', { ...at, ...content })
    changeIds.set(JSON.stringify(at), id)
  }
  return scene
}

const rows = Object.entries(cases).filter((entry): entry is [ScopedName, Case] => typeof entry[1] === 'object')

test('the table has every endpoint of an organization', () => {
  const scoped = Object.entries(endpoints as Record<string, Endpoint>).filter(([, row]) => isScoped(row))
  expect(Object.keys(cases).toSorted()).toEqual(scoped.map(([name]) => name).toSorted())
})

/** What copies from the stage dev. */
const copies: ReadonlySet<string> = new Set(['copy', 'changePropose'])

const verbSets: Verb[][] = [['list'], ['list', 'read'], ['list', 'write'], ['list', 'approve'], ['list', 'manage']]
const scopes: Place[] = [{}, shop, prod]

test.each([[false], [true]])('people get what their verbs allow; stage protected: %s', async (isProtected) => {
  const scene = await openScene()
  await scene.setDefaultRole('none')
  if (isProtected) await scene.protect(prod)
  await scene.asOwner('groupCreate', { name: 'Team' })
  const callers: { given: Given; user: TestUser }[] = []
  callers.push({ given: { verbs: [], at: undefined }, user: scene.member() })
  const expired = scene.member()
  await scene.grant(expired, 'maintainer', prod, { expiresAtMs: testEnv.clock.now() + 1_000 })
  callers.push({ given: { verbs: [], at: undefined }, user: expired })
  for (const verbs of verbSets) {
    const role = await scene.role(...verbs)
    for (const at of scopes) {
      const user = scene.member()
      await scene.grant(user, role, at)
      callers.push({ given: { verbs, at }, user })
    }
  }
  for (const at of scopes) {
    const user = scene.member()
    const { id } = await scene.asOwner('groupCreate', { name: `Of ${JSON.stringify(at)}` })
    await scene.asOwner('accessGrant', { principal: { kind: 'group', id }, role: 'maintainer', ...at })
    await scene.asOwner('groupMembers', { id, add: [{ kind: 'user', id: user.userId }] })
    callers.push({ given: { verbs: ['list', 'read', 'write', 'approve', 'manage'], at }, user })
  }
  testEnv.clock.advance(1_000)
  const wrong: string[] = []
  let cells = 0
  for (const { given, user } of callers) {
    const tokens = { confirmed: await scene.tokenOf(user, true), other: await scene.tokenOf(user) }
    const session = await confirmedSessionOf(scene, user, tokens.confirmed)
    for (const [name, row] of rows) {
      // Deletions stop at the confirmation that they need.
      const token = (endpoints[name] as Endpoint).confirmation ? tokens.other : tokens.confirmed
      for (const at of [prod, dev, blog]) {
        // A copy onto itself is not a valid request.
        if (!isPicked(cells++) || (copies.has(name) && at === dev)) continue
        const expected = expectedOf(row, given, at, isProtected && at === prod)
        const found = await outcomeOf(scene, name, row, at, token)
        if (found !== expected)
          wrong.push(`${name} at ${JSON.stringify(at)} with ${JSON.stringify(given)}: ${found}, not ${expected}`)
      }
    }
    for (const name of Object.keys(atTheDoor) as (keyof typeof atTheDoor)[]) {
      for (const at of [prod, dev, blog]) {
        const row = cases[name] as Case
        const expected = expectedOf(row, given, at, isProtected && at === prod) === 'ok' ? 'ok' : 'FORBIDDEN'
        const found = await outcomeAtDoor(name, at, session)
        if (found !== expected)
          wrong.push(
            `${name} at the door, ${JSON.stringify(at)} with ${JSON.stringify(given)}: ${found}, not ${expected}`,
          )
      }
    }
  }
  expect(wrong).toEqual([])
  expect(cells).toBeGreaterThan(1_000)
})

test.each([['service token'], ['token of a trust']] as const)(
  'a %s is refused outside its scope, and within it gets what its role allows',
  async (kind) => {
    const scene = await openScene()
    await scene.protect(prod)
    const wrong: string[] = []
    let cells = 0
    const verbsOf = { viewer: ['list'], reader: ['list', 'read'], developer: ['list', 'read', 'write'] } as const
    await scene.grant(scene.owner.user, 'maintainer', prod)
    for (const [role, verbs] of Object.entries(verbsOf)) {
      for (const scope of scopes) {
        const token = await scene.machine(kind, { name: 'ci', role, history: true, ...scope })
        const given: Given = { verbs, at: scope }
        for (const [name, row] of rows) {
          const { auth } = endpoints[name] as Endpoint
          for (const at of [prod, blog]) {
            if (!isPicked(cells++)) continue
            const input = row.input(at) as Place
            const isOutside = !has({ verbs: ['list'], at: scope }, 'list', at, false) && 'projectSlug' in input
            const byVerbs = expectedOf(row, given, at, at === prod)
            const wholeOnly = name === 'usage' && scope.projectSlug !== undefined
            const isCopy = copies.has(name) && !(has(given, 'read', dev, false) && has(given, 'write', at, at === prod))
            const expected = auth !== 'caller' || isOutside || wholeOnly || isCopy ? 'FORBIDDEN' : byVerbs
            const answer = await scene.call(name, input, token)
            const found = answer.body.error?.code === 'FORBIDDEN' ? 'FORBIDDEN' : 'ok'
            if (found !== expected)
              wrong.push(`${name} at ${JSON.stringify(at)} with ${JSON.stringify(given)}: ${found}, not ${expected}`)
          }
        }
        for (const name of Object.keys(atTheDoor) as (keyof typeof atTheDoor)[]) {
          for (const at of [prod, blog]) {
            const expected = expectedOf(cases[name] as Case, given, at, at === prod) === 'ok' ? 'ok' : 'FORBIDDEN'
            const found = await outcomeAtDoor(name, at, token)
            if (found !== expected)
              wrong.push(
                `${name} at the door, ${JSON.stringify(at)} with ${JSON.stringify(given)}: ${found}, not ${expected}`,
              )
          }
        }
      }
    }
    expect(wrong).toEqual([])
  },
)

test('everyone of another organization is refused everywhere, in the same words', async () => {
  const [scene, other] = [await Scene.open(testEnv), await Scene.open(testEnv)]
  const { token: machine } = await other.asOwner('tokenCreate', { name: 'ci', history: true })
  const { accessToken: session } = await testEnv.client.login(other.owner.user)
  const person = await other.tokenOf(other.owner.user, true)
  // Valid requests of the endpoints that no verb decides about.
  const rest: Partial<Record<ScopedName, object>> = {
    organizationDelete: { confirm: scene.orgSlug },
    signInRulesSet: { isCompanyOnly: false },
    sessionRevoke: { id: 'none' },
    sessionConfirm: { id: 'none' },
  }
  for (const name of Object.keys(cases) as ScopedName[]) {
    const row = cases[name]
    const input = typeof row === 'object' ? row.input(prod) : rest[name]
    const { auth } = endpoints[name] as Endpoint
    const tokens = [person, ...(auth === 'provider' ? [] : [session]), ...(auth === 'caller' ? [machine] : [])]
    for (const token of tokens) {
      const found = await scene.call(name, input ?? {}, token)
      expect([name, found.status, found.body.error?.code]).toEqual([name, 403, 'INVALID_ORG_SCOPE'])
      const absent = {
        ...input,
        orgSlug: 'no-such-org',
        ...(name === 'organizationDelete' && { confirm: 'no-such-org' }),
      }
      const unknown = await testEnv.client.call(name, absent, { token })
      expect([name, withoutId(found.text)]).toEqual([name, withoutId(unknown.text)])
    }
  }
})

test('no answer to anyone names what does not exist for them', async () => {
  const scene = await Scene.open(testEnv)
  await scene.setDefaultRole('none')
  const callers = [undefined, dev, prod, blog, shop] as const
  for (const at of callers) {
    const user = scene.member()
    // Everything that can be done, but not in the organization as a whole.
    if (at) await scene.grant(user, 'maintainer', at)
    const token = await scene.tokenOf(user)
    const hidden = [dev, prod, blog].filter((each) => !at || !has({ verbs: ['list'], at }, 'list', each, false))
    const canaries = hidden.map(canaryOf)
    for (const [name, row] of rows) {
      for (const each of [dev, prod, blog]) {
        const { text } = await scene.call(name, row.input(each), token)
        for (const canary of canaries) expect(text, `${name} by ${JSON.stringify(at)}`).not.toContain(canary)
      }
    }
    const lists = (
      await Promise.all(
        (['projects', 'rolls', 'recentHistory', 'usage', 'attention', 'search'] as const).map(async (name) => {
          const { text } = await scene.call(name, name === 'search' ? { query: 'A' } : {}, token)
          return text
        }),
      )
    ).join()
    const projects = ['shop', 'blog'].filter((slug) => !at || at.projectSlug !== slug)
    for (const slug of projects) expect(lists).not.toContain(`"${slug}"`)
  }
})

test('an answer about what is hidden is byte for byte that about what does not exist, and so is a refusal', async () => {
  const scene = await Scene.open(testEnv)
  await scene.setDefaultRole('none')
  await scene.protect(prod)
  const ofDev = scene.member()
  await scene.grant(ofDev, 'maintainer', dev)
  await scene.grant(scene.owner.user, 'maintainer', dev)
  const { token: machine } = await scene.asOwner('tokenCreate', { name: 'ci', history: true, ...dev })
  const tokens = [await scene.tokenOf(scene.member(), true), await scene.tokenOf(ofDev, true), machine]
  const copyFrom = { input: (from: object) => ({ from, to: dev, names: ['A'], ...never }) }
  const withCopy = [...rows, ['copy', copyFrom] as const]
  for (const [hidden, absent] of [
    [prod, { projectSlug: 'shop', stageSlug: 'nope' }],
    [blog, { projectSlug: 'none', stageSlug: 'prod' }],
  ] as const) {
    for (const token of tokens) {
      for (const [name, { input }] of withCopy) {
        const [found, expected] = [
          await scene.call(name, input(hidden), token),
          await scene.call(name, input(absent), token),
        ]
        const asHidden = expected.text
          .replaceAll(absent.projectSlug, hidden.projectSlug)
          .replaceAll(absent.stageSlug, hidden.stageSlug)
        expect([name, found.status, withoutId(found.text)]).toEqual([name, expected.status, withoutId(asHidden)])
        expect([name, found.headers.get('etag')]).toEqual([name, expected.headers.get('etag')])
      }
    }
  }
})
