/** A service in a separate process, organizations with content, and credentials for some of them. */
import { rmSync } from 'node:fs'
import type { EndpointName, Response } from '@rollkey/contract'
import { canMove, changeStates, settledChangeStates } from '@rollkey/contract/rules'
import { roll, secret } from '../../testkit/entries.ts'
import { newFolder } from '../../testkit/folder.ts'
import { newUser, TestClient, type Answer } from '../../testkit/client.ts'
import { spawnServer, type ServerProcess } from '../../testkit/process.ts'
import { TestProvider, webClientId } from '../../testkit/provider.ts'
import { newOwner, newServiceToken, write, type TestTenant } from '../../testkit/test-env.ts'
import type { Json, Pools } from './valid.ts'

const names = ['SECRET', 'COUNT', 'ROLL', 'ROLL', 'SHAPE', 'NEW', 'GONE', 'peek', '__proto__']
const projectSlugs = ['shop', 'web', 'shop', 'gone']
const stageSlugs = ['prod', 'dev', 'prod', 'gone']

type Project = Response<'projects'>['projects'][number]

interface Listed {
  readonly sessions?: readonly { readonly id: string }[]
  readonly tokens?: readonly { readonly id: string }[]
  readonly trusts?: readonly { readonly id: string }[]
  readonly keys?: readonly { readonly id: string }[]
  readonly groups?: readonly { readonly id: string }[]
}

export const otherSecret = `other-${crypto.randomUUID()}`

export class Scene {
  readonly server: ServerProcess
  readonly client: TestClient
  readonly provider: TestProvider
  readonly owner: TestTenant
  /** Another organization, which no request of this one may see or affect. */
  readonly other: TestTenant
  #pools: Pools = {}
  #changePools: Pools = {}
  #credentials: readonly (string | undefined)[] = []
  readonly #dataDir: string

  private constructor(
    server: ServerProcess,
    provider: TestProvider,
    dataDir: string,
    owner: TestTenant,
    other: TestTenant,
  ) {
    this.server = server
    this.client = new TestClient(server.url, provider)
    this.provider = provider
    this.#dataDir = dataDir
    this.owner = owner
    this.other = other
  }

  static async start(): Promise<Scene> {
    const provider = new TestProvider()
    await provider.start()
    const dataDir = newFolder()
    const server = await spawnServer({
      DATA_DIR: dataDir,
      ...provider.settings,
      IDP_CLIENT_ID: webClientId,
      // All requests come from one address and few callers.
      RATE_LIMIT_REQUESTS: '0',
      RATE_LIMIT_EXPENSIVE: '0',
      RATE_LIMIT_IP: '0',
      MAX_PENDING_LOGINS_PER_IP: '1000000',
    })
    const client = new TestClient(server.url, provider)
    const [owner, other] = [await newOwner({ client, provider }), await newOwner({ client, provider })]
    await write({ client }, other, [secret('SECRET', otherSecret)])
    return new Scene(server, provider, dataDir, owner, other)
  }

  get pools(): Pools {
    return this.#pools
  }

  /** Pools for requests about one proposed change. */
  get changePools(): Pools {
    return this.#changePools
  }

  get credentials(): readonly (string | undefined)[] {
    return this.#credentials
  }

  /** Restores everything that earlier requests have used up, revoked or archived. */
  async renew(): Promise<void> {
    const { client, provider, owner } = this
    const { orgSlug } = owner.at
    // This user has not guessed any codes yet.
    const user = newUser(orgSlug)
    provider.setRole(user, 'owner')
    const jwt = await provider.tokenOf(user)
    const must = (name: EndpointName, body: object) => client.must(name, body, { token: jwt })
    await this.#revokeAll(must)
    await must('organizationUpdate', { orgSlug, createsOnWrite: true, defaultRole: 'developer' })
    const { projects } = await must('projects', { orgSlug })
    for (const { projectSlug, archivedAtMs, stages } of projects as Project[]) {
      if (archivedAtMs !== undefined) await must('projectUpdate', { orgSlug, projectSlug, archived: false })
      for (const { stageSlug } of stages.filter((stage) => stage.archivedAtMs !== undefined)) {
        await must('stageUpdate', { orgSlug, projectSlug, stageSlug, archived: false })
      }
      const confirmed = await provider.confirmedTokenOf(user)
      for (const { stageSlug } of stages.filter((stage) => stage.isProtected)) {
        const request = { orgSlug, projectSlug, stageSlug, isProtected: false }
        await client.must('stageProtect', request, { token: confirmed })
      }
    }
    const { accessToken, refreshToken } = await client.login(user)
    const tenant = { ...owner, token: jwt }
    const entries = [
      secret('SECRET', 's', 'string'),
      secret('COUNT', '42', 'int64'),
      // An earlier request may have declared another type.
      { ...roll('ROLL', 0.5), declaredType: 'string' },
      secret('SHAPE', '{}', 'json'),
    ]
    await write({ client }, tenant, entries)
    const { token, id } = await newServiceToken({ client }, tenant)
    const { token: readOnly } = await newServiceToken({ client }, tenant, { readOnly: true, projectSlug: 'shop' })
    const group = await must('groupCreate', { orgSlug, name: crypto.randomUUID() })
    const principal = { kind: 'user', id: user.userId }
    await must('accessGrant', { orgSlug, principal, role: 'reader', projectSlug: 'shop' })
    const trusted = { issuer: 'https://gitlab.com', claims: [{ name: 'project_id', value: '1' }] }
    const trust = await must('trustCreate', { orgSlug, name: 'ci', role: 'reader', ...trusted })
    await this.#propose(must)
    const { deviceCode, userCode } = await client.must('deviceStart', {})
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
      id: [id, group.id, trust.id, ...sessions.map((session: { id: string }) => session.id)] as Json[],
      issuer: [trusted.issuer],
      claims: [trusted.claims],
      origins: [['https://shop.example'], []],
      labels: [{ a: 'on', b: 'off' }, null],
      rules: [[{ when: { plan: { in: ['pro', 1] }, version: { semver: '^1.2' } }, then: 0.5 }], [], null],
      pins: [{ a: ['user-1'], b: ['user-2'] }, {}, null],
      pin: [{ a: ['user-3'] }, { b: ['user-1'] }],
      context: [{ plan: 'pro', version: '1.2.3' }, {}, { plan: null }],
      lifetimeSeconds: [60, 900],
      since: ['', 'prod:1', 'dev:3,prod:2'],
      archived: [false, false, false, true],
      ifRevision: [0, 1, 2],
      stageSlugs: [['prod'], ['dev', 'prod'], ['prod', 'dev', 'gone']],
      query: ['S', 'o', '%', '_'],
      declaredType: ['int64', 'json', 'string'],
      value: ['42', '{}', 'x'],
      role: ['viewer', 'reader', 'developer', 'maintainer', 'peek'],
      verbs: [['list'], ['list', 'read']],
      // Others would refuse most of what follows, until the next renewal.
      defaultRole: [...Array.from({ length: 30 }, () => 'developer'), 'viewer', 'none'],
      isProtected: [...Array.from({ length: 30 }, () => false), true],
      principal: [
        { kind: 'user', id: user.userId },
        { kind: 'token', id },
        { kind: 'trust', id: trust.id },
        { kind: 'group', id: group.id },
        { kind: 'email', id: 'a@b.c' },
      ],
    }
  }

  /** Proposes changes of variables, and ramps, in place of those that earlier requests have left. */
  async #propose(must: (name: EndpointName, body: object) => Promise<Answer['body']>): Promise<void> {
    const { at } = this.owner
    for (;;) {
      const states = changeStates.filter((state) => !settledChangeStates.includes(state))
      const list: Response<'changeList'> = await must('changeList', { orgSlug: at.orgSlug, states })
      if (list.changes.length === 0) break
      for (const { id, projectSlug, stageSlug, state } of list.changes) {
        const change = { ...at, projectSlug, stageSlug, id }
        if (canMove(state, 'withdraw')) await must('changeWithdraw', change)
        else await must('changeAbort', { ...change, chance: 0.5 })
      }
    }
    const atMs = Date.now() + 86_400_000
    const steps = [
      { atMs, chance: 0.1 },
      { atMs: atMs + 86_400_000, chance: 1 },
    ]
    const contents = [
      ...['SECRET', 'COUNT', 'SHAPE'].map((name) => ({ deletes: [name] })),
      { ramp: { name: 'ROLL', steps } },
      { ramp: { name: 'ROLL', steps }, zone: 'Europe/Berlin' },
    ]
    const proposed = await Promise.all(
      contents.map((content) => must('changePropose', { ...at, reason: 'fuzz', ...content })),
    )
    this.#changePools = {
      id: proposed.map(({ id }) => id),
      digest: proposed.map(({ digest }) => digest),
      applyAtMs: [atMs, null],
      steps: [steps],
      names: [['SECRET'], ['COUNT', 'ROLL']],
    }
  }

  /** Revokes everything that earlier requests have created, so that lists stay short. */
  async #revokeAll(must: (name: EndpointName, body: object) => Promise<Listed>): Promise<void> {
    const { orgSlug } = this.owner.at
    const { sessions = [] } = await must('sessionList', { orgSlug })
    for (const { id } of sessions) await must('sessionRevoke', { orgSlug, id })
    const { groups = [] } = await must('groups', { orgSlug })
    for (const { id } of groups) await must('groupDelete', { orgSlug, id })
    const { tokens = [] } = await must('tokenList', { orgSlug })
    for (const { id } of tokens) await must('tokenRevoke', { orgSlug, id })
    const { keys = [] } = await must('keyList', { orgSlug })
    for (const { id } of keys) await must('keyRevoke', { orgSlug, id })
    const { trusts = [] } = await must('trustList', { orgSlug })
    for (const { id } of trusts) await must('trustDelete', { orgSlug, id })
  }

  async close(): Promise<void> {
    await this.server.end('SIGKILL')
    await this.provider.close()
    rmSync(this.#dataDir, { recursive: true, force: true })
  }
}
