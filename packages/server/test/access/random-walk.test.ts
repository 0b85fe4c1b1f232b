/**
 * A random walk through changes of access, by people with all kinds of roles. A model, which shares no code with the service, says
 * which changes are allowed. After each one, no service token that was created, rotated or given a role may do more than the person
 * who did that.
 */
import { verbs as allVerbs, type Verb } from '@rollkey/contract'
import { expect, test } from 'vitest'
import { isLong } from '../../testkit/long.ts'
import type { TestUser } from '../../testkit/provider.ts'
import { useTestEnv } from '../../testkit/test-env.ts'
import { Random } from '../../testkit/random.ts'
import { blog, dev, prod, Scene, shop, type Place } from './scene.ts'

const testEnv = useTestEnv({ RATE_LIMIT_REQUESTS: '0', RATE_LIMIT_IP: '0' })
const places: readonly Place[] = [{}, shop, dev, prod, { projectSlug: 'blog' }, blog]
const machineRoles = ['viewer', 'reader', 'developer']
const guarded: readonly string[] = ['read', 'write', 'approve']

const nameOf = ({ projectSlug = '', stageSlug = '' }: Place): string => `${projectSlug}/${stageSlug}`

class Model {
  readonly people: readonly string[]
  defaultRole = 'none'
  readonly roles = new Map<string, readonly string[]>([
    ['none', []],
    ['viewer', ['list']],
    ['reader', ['list', 'read']],
    ['developer', ['list', 'read', 'write']],
    ['releaser', ['list', 'read', 'write', 'approve']],
    ['maintainer', ['list', 'read', 'write', 'approve', 'manage']],
  ])
  /** Role by principal and place. */
  readonly grants = new Map<string, string>()
  readonly members = new Set<string>()
  readonly protectedStages = new Set<string>()
  readonly tokens = new Map<string, { readonly place: Place; readonly role: string }>()

  constructor(people: readonly string[]) {
    this.people = people
  }

  /** Returns what a role on `outer` gives at a place. */
  #given(role: string, outer: Place, place: Place): readonly string[] {
    const isAround =
      nameOf(outer) === '/' || nameOf(outer) === nameOf(place) || nameOf(outer) === `${place.projectSlug}/`
    if (!isAround) return []
    const isGuarded = this.protectedStages.has(nameOf(place)) && outer.stageSlug === undefined
    return (this.roles.get(role) ?? []).filter((verb) => !isGuarded || !guarded.includes(verb))
  }

  #ofGrants(principal: string, place: Place): readonly string[] {
    return places.flatMap((outer) => {
      const role = this.grants.get(`${principal} ${nameOf(outer)}`)
      return role === undefined ? [] : this.#given(role, outer, place)
    })
  }

  verbsOf(userId: string, place: Place): Set<string> {
    const byGroup = this.members.has(userId) ? this.#ofGrants('group', place) : []
    return new Set([...this.#given(this.defaultRole, {}, place), ...this.#ofGrants(userId, place), ...byGroup])
  }

  /** Returns whether a place is in the scope of a service token. */
  reaches(id: string, place: Place): boolean {
    const token = this.tokens.get(id)
    return token !== undefined && this.#given('viewer', token.place, place).length > 0
  }

  verbsOfToken(id: string, place: Place): Set<string> {
    const token = this.tokens.get(id)
    if (!token || !this.reaches(id, place)) return new Set()
    return new Set([...this.#given(token.role, token.place, place), ...this.#ofGrants(id, place)])
  }

  covers(userId: string, role: string, place: Place): boolean {
    const own = this.verbsOf(userId, place)
    return (this.roles.get(role) ?? []).every((verb) => own.has(verb))
  }

  manages(userId: string, place: Place): boolean {
    return this.verbsOf(userId, place).has('manage')
  }
}

/** A change: the request, whether the model allows it, and what it does to the model. */
interface Step {
  readonly name: Parameters<Scene['call']>[0]
  readonly input: object
  readonly isAllowed: boolean
  readonly apply: (body: { readonly id?: string }) => void
  /** Id of the service token that is rotated or given a role, or `new`. */
  readonly token?: string
}

function stepBy(by: string, groupId: string, model: Model, random: Random): Step {
  const place = random.pick(places)
  const at = { ...place }
  const roles = [...model.roles.keys()].filter((role) => role !== 'none')
  const role = random.pick(roles)
  const token = random.pick([...model.tokens.keys()])
  const key = (principal: string): string => `${principal} ${nameOf(place)}`
  const someone = random.pick(model.people)
  const principals = [
    [someone, { kind: 'user', id: someone }],
    ['group', { kind: 'group', id: groupId }],
    [token, { kind: 'token', id: token }],
  ] as const
  const [principal, named] = random.pick(principals)
  const isToken = principal === token
  const managesAll = model.manages(by, {})
  const stage = random.pick([dev, prod, blog])
  const verbs = allVerbs.filter((verb: Verb) => verb === 'list' || random.once(2))
  const steps: Step[] = [
    {
      name: 'accessGrant',
      input: { principal: named, role, ...at },
      isAllowed:
        model.manages(by, place) &&
        (!isToken || (machineRoles.includes(role) && model.covers(by, role, place) && model.reaches(token, place))),
      apply: () => model.grants.set(key(principal), role),
      ...(isToken && { token }),
    },
    {
      name: 'accessRevoke',
      input: { principal: named, ...at },
      isAllowed: model.manages(by, place) && model.grants.has(key(principal)),
      apply: () => model.grants.delete(key(principal)),
    },
    {
      name: 'tokenCreate',
      input: { name: 'ci', role: random.pick(machineRoles), ...at },
      isAllowed: false,
      apply: () => {},
      token: 'new',
    },
    {
      name: 'tokenRotate',
      input: { id: token, overlapHours: 0 },
      isAllowed: rotates(by, token, model),
      apply: () => {},
      token,
    },
    {
      name: 'groupMembers',
      input: { id: groupId, add: [{ kind: 'user', id: someone }] },
      isAllowed: managesAll,
      apply: () => model.members.add(someone),
    },
    {
      name: 'groupMembers',
      input: { id: groupId, remove: [{ kind: 'user', id: someone }] },
      isAllowed: managesAll,
      apply: () => model.members.delete(someone),
    },
    {
      name: 'roleSet',
      input: { name: 'custom', verbs },
      isAllowed: managesAll,
      apply: () => model.roles.set('custom', verbs),
    },
    ...[true, false].map((isProtected) => ({
      name: 'stageProtect' as const,
      input: { ...stage, isProtected },
      isAllowed: model.manages(by, stage),
      apply: () => {
        if (isProtected) model.protectedStages.add(nameOf(stage))
        else model.protectedStages.delete(nameOf(stage))
      },
    })),
    ...['developer', 'viewer', 'none', 'none'].map((defaultRole) => ({
      name: 'organizationUpdate' as const,
      input: { defaultRole },
      isAllowed: managesAll,
      apply: () => {
        model.defaultRole = defaultRole
      },
    })),
  ]
  const step = random.pick(steps)
  if (step.token !== 'new') return step
  const tokenRole = (step.input as { role: string }).role
  return {
    ...step,
    isAllowed: model.manages(by, place) && model.covers(by, tokenRole, place),
    apply: ({ id = '' }) => model.tokens.set(id, { place, role: tokenRole }),
  }
}

function rotates(by: string, id: string, model: Model): boolean {
  const token = model.tokens.get(id)
  if (!token || !model.manages(by, token.place) || !model.covers(by, token.role, token.place)) return false
  return places.every((place) => {
    const role = model.grants.get(`${id} ${nameOf(place)}`)
    return role === undefined || model.covers(by, role, place)
  })
}

/** Returns verbs with their places. */
function verbsAt(verbsOf: (place: Place) => Iterable<string>): Set<string> {
  return new Set(places.flatMap((place) => [...verbsOf(place)].map((verb) => `${verb} ${nameOf(place)}`)))
}

/** Compares what the service says of a person or a service token at a place with the model. */
async function expectExplained(scene: Scene, model: Model, told: string, random: Random): Promise<void> {
  const place = random.pick(places)
  const token = random.once(2) ? random.pick([...model.tokens.keys()]) : undefined
  const id = token ?? random.pick(model.people)
  const input = { principal: { kind: token === undefined ? 'user' : 'token', id }, ...place }
  const { verbs } = (await scene.asOwner('accessExplain', input)) as { readonly verbs: readonly Verb[] }
  const expected = token === undefined ? model.verbsOf(id, place) : model.verbsOfToken(token, place)
  expect([told, input, verbs]).toEqual([told, input, allVerbs.filter((verb) => expected.has(verb))])
}

const walks = Array.from({ length: isLong ? 100 : 1 }, (_, walk) => [walk])

test.each(walks)('no one gains a verb that they may not give, walk %i', async (walk) => {
  const scene = await Scene.open(testEnv)
  const random = new Random(7 + walk)
  const users: TestUser[] = Array.from({ length: 5 }, () => scene.member())
  const model = new Model(users.map(({ userId }) => userId))
  await scene.setDefaultRole('none')
  const { id: groupId } = await scene.asOwner('groupCreate', { name: 'Team' })
  await scene.asOwner('roleSet', { name: 'custom', verbs: ['list'] })
  model.roles.set('custom', ['list'])
  const [first] = users as [TestUser]
  await scene.grant(first, 'maintainer')
  model.grants.set(`${first.userId} /`, 'maintainer')
  const { id } = await scene
    .asOwner('organizationUpdate', { defaultRole: 'developer' })
    .then(() => scene.asOwner('tokenCreate', { name: 'ci', role: 'viewer' }))
  await scene.setDefaultRole('none')
  model.tokens.set(id, { place: {}, role: 'viewer' })
  const tokens = new Map<TestUser, string>()
  for (const user of users) tokens.set(user, await scene.tokenOf(user, true))
  let done = 0
  for (let count = 0; count < (isLong ? 1_000 : 400) || done < 100; count++) {
    // Someone can always go on.
    if (count % 50 === 49) {
      await scene.grant(first, 'maintainer')
      model.grants.set(`${first.userId} /`, 'maintainer')
    }
    const user = random.once(2) ? first : random.pick(users)
    const by = user.userId
    const step = stepBy(by, groupId, model, random)
    const { status, body } = await scene.call(step.name, step.input, tokens.get(user) as string)
    const told = `${count}: ${step.name} ${JSON.stringify(step.input)} ${JSON.stringify(body.error ?? {})}`
    expect([told, status === 200]).toEqual([told, step.isAllowed])
    if (!step.isAllowed) continue
    done++
    const changed = step.token === 'new' ? (body.id as string) : step.token
    const own = verbsAt((place) => model.verbsOf(by, place))
    // Who creates or rotates a service token gets its secret, and with it everything that it may do.
    const had = verbsAt((place) => (step.name === 'accessGrant' && changed ? model.verbsOfToken(changed, place) : []))
    step.apply(body)
    const has = verbsAt((place) => (changed === undefined ? [] : model.verbsOfToken(changed, place)))
    expect([told, [...has].filter((verb) => !had.has(verb) && !own.has(verb))]).toEqual([told, []])
    await expectExplained(scene, model, told, random)
  }
})
