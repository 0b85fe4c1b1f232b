/** Organizations with things to name, and credentials that are good for some of them. */
import type { EndpointName, Response } from '@rollkey/contract'
import { newUser } from '../../testkit/client.ts'
import {
  newOwner,
  newServiceToken,
  roll,
  secret,
  startWorld,
  write,
  type Desk,
  type World,
} from '../../testkit/world.ts'
import { webClientId } from '../../testkit/provider.ts'
import type { Json, Pools } from './valid.ts'

const names = ['SECRET', 'COUNT', 'ROLL', 'ROLL', 'SHAPE', 'NEW', 'GONE', '__proto__']
const projectSlugs = ['shop', 'web', 'shop', 'gone']
const stageSlugs = ['prod', 'dev', 'prod', 'gone']

type Project = Response<'projects'>['projects'][number]

export const otherSecret = `other-${crypto.randomUUID()}`

export class Scene {
  readonly world: World
  readonly owner: Desk
  /** Of another organization, which nothing of this one may see or disturb. */
  readonly other: Desk
  #pools: Pools = {}
  #credentials: readonly (string | undefined)[] = []

  private constructor(world: World, owner: Desk, other: Desk) {
    this.world = world
    this.owner = owner
    this.other = other
  }

  static async start(): Promise<Scene> {
    // All of them come from one address and few callers.
    const unlimited = { RATE_LIMIT_REQUESTS: '0', RATE_LIMIT_ADDRESS: '0' }
    const world = await startWorld({ IDP_CLIENT_ID: webClientId, ...unlimited })
    const scene = new Scene(world, await newOwner(world), await newOwner(world))
    await write(world, scene.other, [secret('SECRET', otherSecret)])
    return scene
  }

  get pools(): Pools {
    return this.#pools
  }

  get credentials(): readonly (string | undefined)[] {
    return this.#credentials
  }

  /** Puts back what the requests so far have used up, revoked or archived. */
  async renew(): Promise<void> {
    const { world, owner } = this
    const { orgSlug } = owner.at
    // Of a user who has not yet guessed codes.
    const user = newUser(orgSlug)
    world.provider.setRole(user, 'owner')
    const jwt = await world.provider.tokenOf(user)
    const must = (name: EndpointName, body: object) => world.client.must(name, body, { token: jwt })
    await must('organizationUpdate', { orgSlug, createsOnWrite: true })
    const { projects } = await must('projects', { orgSlug })
    for (const { projectSlug, archivedAtMs, stages } of projects as Project[]) {
      if (archivedAtMs !== undefined) await must('projectUpdate', { orgSlug, projectSlug, archived: false })
      for (const { stageSlug } of stages.filter((stage) => stage.archivedAtMs !== undefined)) {
        await must('stageUpdate', { orgSlug, projectSlug, stageSlug, archived: false })
      }
    }
    const { accessToken, refreshToken } = await world.client.login(user)
    const desk = { ...owner, token: jwt }
    const entries = [
      secret('SECRET', 's', 'string'),
      secret('COUNT', '42', 'int64'),
      roll('ROLL', 0.5),
      secret('SHAPE', '{}', 'json'),
    ]
    await write(world, desk, entries)
    const { token, id } = await newServiceToken(world, desk)
    const { token: readOnly } = await newServiceToken(world, desk, { readOnly: true, projectSlug: 'shop' })
    const { deviceCode, userCode } = await world.client.must('deviceStart', {})
    const { sessions } = await must('sessionList', { orgSlug })
    this.#credentials = [jwt, jwt, accessToken, accessToken, token, readOnly, refreshToken, undefined]
    this.#pools = {
      orgSlug: [...Array.from({ length: 12 }, () => orgSlug), this.other.at.orgSlug],
      projectSlug: projectSlugs,
      stageSlug: stageSlugs,
      from: [{ projectSlug: 'shop', stageSlug: 'prod' }],
      to: [{ projectSlug: 'web', stageSlug: 'dev' }],
      revision: [1, 2, 3],
      'names[]': names,
      'deletes[]': names,
      name: names,
      deviceCode: [deviceCode, 'x'],
      userCode: [userCode, 'ABCD2345'],
      refreshToken: [refreshToken, accessToken],
      id: [id, ...sessions.map((session: { id: string }) => session.id)] as Json[],
      since: ['', 'prod:1', 'dev:3,prod:2'],
      archived: [false, false, false, true],
      ifRevision: [0, 1, 2],
      query: ['S', 'o', '%', '_'],
      declaredType: ['int64', 'json', 'string'],
      value: ['42', '{}', 'x'],
    }
  }

  close(): Promise<void> {
    return this.world.close()
  }
}
