/** Operations that the tests disturb between their steps: how to tell whether each was done, and what it answers when sent again. */
import type { EndpointName } from '@rollkey/contract'
import { expect } from 'vitest'
import { usageOf } from '../../testkit/app.ts'
import type { Answer, Extras, TestClient } from '../../testkit/client.ts'
import { secret } from '../../testkit/entries.ts'
import { newIssuerKey, workloadToken } from '../../testkit/issuer.ts'
import type { TestProvider } from '../../testkit/provider.ts'
import { query } from '../../testkit/store.ts'
import { newOwner, newTenant, write, type TestTenant } from '../../testkit/test-env.ts'

export interface Scene {
  readonly client: TestClient
  readonly provider: TestProvider
  readonly dataDir: string
}

export interface Prepared {
  /** Sends the same request each time. A request id may carry a fault. */
  send(client: TestClient, requestId?: string): Promise<Answer>
  /**
   * Returns whether it was done, as the service reports it, or undefined if the service cannot report it. Fails if it was done in
   * part or more times than it was sent, or if the content of the answer does not work.
   */
  isDone(scene: Scene, answer?: Answer): Promise<boolean | undefined>
}

export interface Operation {
  readonly endpoint: EndpointName | 'tokenExchange'
  /** Statuses without a fault, the first time and when it was done before. */
  readonly statuses: readonly [first: number, again: number]
  /** Creates what the operation needs, with separate users and a separate organization. */
  prepare(scene: Scene): Promise<Prepared>
}

/** Settings with enough storage for the operations, but not for `tooMuch`. */
export const settings = { PLAN: 'free', FREE_STORAGE_BYTES: '20000' }
const tooMuch = 'x'.repeat(30_000)

function sending(endpoint: EndpointName, input: object, { token, headers }: Extras = {}): Prepared['send'] {
  return (client, requestId) =>
    client.call(endpoint, input, {
      ...(token !== undefined && { token }),
      headers: { ...headers, ...(requestId !== undefined && { 'x-request-id': requestId }) },
    })
}

/** Returns an operation that changes the values of the tenant's stage. */
function changing(
  endpoint: EndpointName,
  { at, token }: TestTenant,
  input: object,
  [before, after]: [Record<string, string>, Record<string, string>],
): Prepared {
  return {
    send: sending(endpoint, { ...at, ...input }, { token }),
    async isDone({ client }) {
      const { variables } = await client.must('pull', at, { token })
      if (JSON.stringify(variables) === JSON.stringify(after)) return true
      expect(variables).toEqual(before)
      return false
    },
  }
}

/** Returns an operation that is done each time it is sent. */
function counting(send: Prepared['send'], count: (scene: Scene) => Promise<number>): Prepared {
  let sent = 0
  return {
    send(client, requestId) {
      sent++
      return send(client, requestId)
    },
    async isDone(scene) {
      const done = await count(scene)
      expect(done).toBeLessThanOrEqual(sent)
      return done > 0
    },
  }
}

async function evaluation(scene: Scene, headers: Record<string, string> = {}): Promise<[Prepared['send'], string]> {
  const tenant = await newTenant(scene)
  await write(scene, tenant, [secret('A', '1')])
  // The answer means that the usage journal's events are in the tables, so the next event starts a new file.
  await usageOf(scene, tenant.at.orgSlug)
  return [sending('evaluate', { ...tenant.at, name: 'A' }, { token: tenant.token, headers }), tenant.at.orgSlug]
}

/** Returns the value of A, and whether it is the one that the change proposes. */
async function isWritten({ client }: Pick<Scene, 'client'>, { at, token }: TestTenant): Promise<boolean> {
  const { variables } = await client.must('pull', at, { token })
  expect(['1', '2']).toContain(variables.A)
  return variables.A === '2'
}

const proposals: Record<string, Operation> = {
  'a proposal': {
    endpoint: 'changePropose',
    statuses: [200, 200],
    async prepare(scene) {
      const tenant = await newTenant(scene)
      const { at, token } = tenant
      await write(scene, tenant, [secret('A', '1')])
      const input = { ...at, reason: 'Because', entries: [secret('A', '2')] }
      return counting(sending('changePropose', input, { token }), async ({ client }) => {
        const { changes: proposed } = await client.must('changeList', { orgSlug: at.orgSlug }, { token })
        return proposed.length
      })
    },
  },
  'the application of a change': {
    endpoint: 'changeApply',
    statuses: [200, 409],
    async prepare(scene) {
      const tenant = await newTenant(scene)
      const { at, token } = tenant
      await write(scene, tenant, [secret('A', '1')])
      const input = { ...at, reason: 'Because', entries: [secret('A', '2')] }
      const { id } = await scene.client.must('changePropose', input, { token })
      return {
        send: sending('changeApply', { ...at, id }, { token }),
        async isDone({ client }) {
          const { state } = await client.must('changeShow', { ...at, id }, { token })
          const isDone = await isWritten({ client }, tenant)
          expect(state).toBe(isDone ? 'applied' : 'open')
          return isDone
        },
      }
    },
  },
}

const device: Record<string, Operation> = {
  'the start of a login': {
    endpoint: 'deviceStart',
    statuses: [200, 200],
    prepare: async () => ({
      send: sending('deviceStart', { clientName: 'c' }),
      async isDone({ client }, answer) {
        if (answer?.status !== 200) return undefined
        return (await client.must('devicePoll', { deviceCode: answer.body.deviceCode })).status === 'pending'
      },
    }),
  },
  'an approval': {
    endpoint: 'deviceComplete',
    statuses: [200, 404],
    async prepare(scene) {
      const { user } = await newTenant(scene)
      const { deviceCode, userCode } = await scene.client.must('deviceStart', {})
      const token = await scene.provider.tokenOf(user)
      return {
        send: sending('deviceComplete', { userCode }, { token }),
        async isDone({ client }, answer) {
          if (answer?.status === 200) expect((await client.must('devicePoll', { deviceCode })).status).toBe('approved')
          const { status } = await client.call('deviceShow', { userCode }, { token })
          expect([200, 404]).toContain(status)
          return status === 404
        },
      }
    },
  },
  'an exchange': {
    endpoint: 'devicePoll',
    statuses: [200, 404],
    async prepare(scene) {
      const { user, at } = await newTenant(scene)
      const { deviceCode } = await scene.client.approved(user)
      return {
        send: sending('devicePoll', { deviceCode }),
        async isDone({ client, provider }, answer) {
          if (answer?.status === 200) await client.must('session', {}, { token: answer.body.accessToken })
          const token = await provider.tokenOf(user)
          const { sessions } = await client.must('sessionList', { orgSlug: at.orgSlug }, { token })
          expect([1, 2]).toContain(sessions.length)
          return sessions.length === 2
        },
      }
    },
  },
  'a refresh': {
    endpoint: 'tokenRefresh',
    statuses: [200, 401],
    async prepare(scene) {
      const { token, refreshToken } = await newTenant(scene)
      const expiry = async (client: TestClient): Promise<number> =>
        (await client.must('session', {}, { token })).refreshTokenExpiresAtMs
      const before = await expiry(scene.client)
      return {
        send: sending('tokenRefresh', { refreshToken }),
        async isDone({ client }, answer) {
          if (answer?.status === 200) await client.must('session', {}, { token: answer.body.accessToken })
          return (await expiry(client)) > before
        },
      }
    },
  },
}

const variables: Record<string, Operation> = {
  'a write of a new project': {
    endpoint: 'write',
    statuses: [200, 200],
    async prepare(scene) {
      const entries = [secret('A', '1'), secret('B', '2')]
      return changing('write', await newTenant(scene), { mode: 'upsert', entries }, [{}, { A: '1', B: '2' }])
    },
  },
  'a write of a stage': {
    endpoint: 'write',
    statuses: [200, 200],
    async prepare(scene) {
      const tenant = await newTenant(scene)
      await write(scene, tenant, [secret('A', '1'), secret('B', '2')])
      const input = { mode: 'upsert', entries: [secret('A', '3'), secret('C', '4')], deletes: ['B'] }
      return changing('write', tenant, input, [
        { A: '1', B: '2' },
        { A: '3', C: '4' },
      ])
    },
  },
  'a write over the limit': {
    endpoint: 'write',
    statuses: [402, 402],
    async prepare(scene) {
      const tenant = await newTenant(scene)
      await write(scene, tenant, [secret('A', '1')])
      const entries = [secret('A', '2'), secret('B', tooMuch)]
      return changing('write', tenant, { mode: 'upsert', entries }, [{ A: '1' }, { A: '2', B: tooMuch }])
    },
  },
  'a restore': {
    endpoint: 'restore',
    statuses: [200, 200],
    async prepare(scene) {
      const tenant = await newTenant(scene)
      await write(scene, tenant, [secret('A', '1')])
      await write(scene, tenant, [secret('A', '2'), secret('B', '2')])
      return changing('restore', tenant, { revision: 1 }, [{ A: '2', B: '2' }, { A: '1' }])
    },
  },
}

/** Returns the deletion of the stage or project of an owner with a value, an earlier value and a service token. */
async function deletion(scene: Scene, what: 'stage' | 'project'): Promise<Prepared> {
  const tenant = await newOwner(scene)
  const { at, token } = tenant
  await write(scene, tenant, [secret('A', '1'), secret('B', '1')])
  await write(scene, tenant, [secret('A', '2')])
  const { orgSlug, projectSlug, stageSlug } = at
  const scope = { projectSlug, ...(what === 'stage' && { stageSlug }) }
  const created = await scene.client.must('tokenCreate', { orgSlug, name: 'ci', ...scope }, { token })
  const confirm = what === 'stage' ? stageSlug : projectSlug
  const confirmed = await scene.provider.confirmedTokenOf(tenant.user)
  return {
    send: sending(`${what}Delete`, { ...at, confirm }, { token: confirmed }),
    async isDone({ client }) {
      const pulled = await client.must('pull', at, { token })
      const { status } = await client.call('pull', at, { token: created.token })
      const { storage } = await client.must('usage', { orgSlug }, { token })
      const { entries } = await client.must('audit', { orgSlug, action: `${what}.delete` }, { token })
      const isDone = pulled.revision === 0
      expect([pulled.variables, status, storage.bytes > 0, entries.length]).toEqual(
        isDone ? [{}, 401, false, 1] : [{ A: '2', B: '1' }, 200, true, 0],
      )
      return isDone
    },
  }
}

/** Returns the deletion of an organization whose owner has values, a service token and a command-line session. */
async function organizationDeletion(scene: Scene): Promise<Prepared> {
  const tenant = await newOwner(scene)
  const { at, token, user } = tenant
  const { orgSlug } = at
  await write(scene, tenant, [secret('A', '1')])
  await write(scene, tenant, [secret('A', '2')])
  const created = await scene.client.must('tokenCreate', { orgSlug, name: 'ci' }, { token })
  const confirmed = await scene.provider.confirmedTokenOf(user)
  return {
    send: sending('organizationDelete', { orgSlug, confirm: orgSlug }, { token: confirmed }),
    async isDone({ client, provider, dataDir }) {
      const statuses = await Promise.all(
        [token, created.token, await provider.tokenOf(user)].map(async (each) => {
          return (await client.call('pull', at, { token: each })).status
        }),
      )
      const of = 'from organizations o where o.slug = $1 and'
      const logged = await query(
        dataDir,
        `select a.seq from audit a where a.action = 'organization.delete' and a.org_id in (select o.id ${of} true)`,
        orgSlug,
      )
      const rows = await query(
        dataDir,
        `select o.id ${of} o.deleted_at_ms is null
         union all select k.id from data_keys k where k.project_id in
           (select p.id from projects p where p.org_id in (select o.id ${of} true))`,
        orgSlug,
      )
      const isDone = statuses[0] === 401
      expect([statuses, logged.length, rows.length]).toEqual(isDone ? [[401, 401, 403], 1, 0] : [[200, 200, 200], 0, 2])
      return isDone
    },
  }
}

/** Creates a trust, and a token of its issuer that it accepts. */
async function newTrust(scene: Scene) {
  const { at, token } = await newOwner(scene)
  const { orgSlug } = at
  const key = await newIssuerKey()
  const issuer = 'https://cluster.example'
  const audience = 'https://rollkey.example.com'
  const { id } = await scene.client.must(
    'trustCreate',
    {
      orgSlug,
      name: 'deploy',
      issuer,
      audience,
      claims: [{ name: 'sub', value: 'web' }],
      role: 'viewer',
      jwks: JSON.stringify({ keys: [key.publicJwk] }),
    },
    { token },
  )
  const outside = await workloadToken(key, scene.provider.clock, { iss: issuer, aud: audience, sub: 'web' })
  return { orgSlug, token, id: id as string, outside }
}

/** Returns the deletion or a change of a trust, of which there is a token. */
async function trustEnd(scene: Scene, endpoint: 'trustDelete' | 'trustUpdate'): Promise<Prepared> {
  const { orgSlug, token, id, outside } = await newTrust(scene)
  const { body } = await scene.client.exchange(outside, id)
  const changes = endpoint === 'trustUpdate' ? { name: 'renamed' } : {}
  return {
    send: sending(endpoint, { orgSlug, id, ...changes }, { token }),
    async isDone({ client }) {
      const { trusts } = await client.must('trustList', { orgSlug }, { token })
      const { status } = await client.call('whoami', {}, { token: body.access_token })
      const isDone = trusts[0]?.name !== 'deploy'
      expect([trusts.length, status]).toEqual([isDone && endpoint === 'trustDelete' ? 0 : 1, isDone ? 401 : 200])
      return isDone
    },
  }
}

/** Counts the tokens of a trust. Fails if one is not whole: session, secret, scope and entry of the audit log. */
async function tokensOf({ dataDir }: Scene, trustId: string): Promise<number> {
  const rows = await query(
    dataDir,
    `select 'session' as part, s.id from sessions s where s.user_id = $1
     union all select 'secret', t.session_id from access_tokens t where t.session_id in
       (select s.id from sessions s where s.user_id = $1)
     union all select 'scope', v.session_id from service_tokens v where v.trust_id = $1
     union all select 'entry', substr(a.subject, length('{"sessionId":"') + 1, 24) from audit a where a.action = 'trust.exchange' and a.actor = $1`,
    trustId,
  )
  const idsOf = (part: string) => rows.filter((row) => row['part'] === part).map(({ id }) => id as string)
  const sessions = new Set(idsOf('session'))
  for (const part of ['secret', 'scope', 'entry']) {
    expect([part, idsOf(part).length]).toEqual([part, sessions.size])
    expect([part, new Set(idsOf(part))]).toEqual([part, sessions])
  }
  return sessions.size
}

/** Returns the exchange of a token. `isKnown`: after another one, so that the trust is in memory. */
async function exchange(scene: Scene, isKnown: boolean): Promise<Prepared> {
  const { id, outside } = await newTrust(scene)
  if (isKnown) expect((await scene.client.exchange(outside, id)).status).toBe(200)
  const before = Number(isKnown)
  let sent = 0
  return {
    send(client, requestId) {
      sent++
      return client.exchange(outside, id, requestId === undefined ? {} : { 'x-request-id': requestId })
    },
    async isDone(where, answer) {
      if (answer?.status === 200) await where.client.must('whoami', {}, { token: answer.body.access_token })
      const done = (await tokensOf(where, id)) - before
      expect(done).toBeLessThanOrEqual(sent)
      return done > 0
    },
  }
}

const trusts: Record<string, Operation> = {
  'the first exchange of a token': {
    endpoint: 'tokenExchange',
    statuses: [200, 200],
    prepare: (scene) => exchange(scene, false),
  },
  'an exchange of a token': {
    endpoint: 'tokenExchange',
    statuses: [200, 200],
    prepare: (scene) => exchange(scene, true),
  },
  'the deletion of a trust': {
    endpoint: 'trustDelete',
    statuses: [200, 404],
    prepare: (scene) => trustEnd(scene, 'trustDelete'),
  },
  'a change of a trust': {
    endpoint: 'trustUpdate',
    statuses: [200, 200],
    prepare: (scene) => trustEnd(scene, 'trustUpdate'),
  },
}

const deletions: Record<string, Operation> = {
  'the deletion of an organization': {
    endpoint: 'organizationDelete',
    statuses: [200, 403],
    prepare: organizationDeletion,
  },
  'the deletion of a stage': {
    endpoint: 'stageDelete',
    statuses: [200, 404],
    prepare: (scene) => deletion(scene, 'stage'),
  },
  'the deletion of a project': {
    endpoint: 'projectDelete',
    statuses: [200, 404],
    prepare: (scene) => deletion(scene, 'project'),
  },
}

const counted: Record<string, Operation> = {
  'an evaluation': {
    endpoint: 'evaluate',
    statuses: [200, 200],
    async prepare(scene) {
      const [send, orgSlug] = await evaluation(scene)
      return counting(send, (where) => usageOf(where, orgSlug))
    },
  },
  'an evaluation with a request key': {
    endpoint: 'evaluate',
    statuses: [200, 200],
    async prepare(scene) {
      const [send, orgSlug] = await evaluation(scene, { 'x-service-request-key': crypto.randomUUID() })
      return {
        send,
        async isDone(where) {
          const units = await usageOf(where, orgSlug)
          expect(units).toBeLessThanOrEqual(1)
          return units === 1
        },
      }
    },
  },
  'a reveal': {
    endpoint: 'reveal',
    statuses: [200, 200],
    async prepare(scene) {
      const tenant = await newOwner(scene)
      await write(scene, tenant, [secret('A', '1')])
      const { at, token } = tenant
      return counting(sending('reveal', { ...at, names: ['A'] }, { token }), async ({ client }) => {
        const filter = { orgSlug: at.orgSlug, action: 'reveal' }
        return (await client.must('audit', filter, { token })).entries.length
      })
    },
  },
  'a new client key': {
    endpoint: 'keyCreate',
    statuses: [200, 200],
    async prepare(scene) {
      const tenant = await newOwner(scene)
      await write(scene, tenant, [secret('A', '1')])
      const { at, token } = tenant
      const { orgSlug } = at
      return counting(sending('keyCreate', { ...at, name: 'web', origins: [] }, { token }), async ({ client }) => {
        return (await client.must('keyList', { orgSlug }, { token })).keys.length
      })
    },
  },
  'a new service token': {
    endpoint: 'tokenCreate',
    statuses: [200, 200],
    async prepare(scene) {
      const { at, token } = await newOwner(scene)
      const { orgSlug } = at
      return counting(sending('tokenCreate', { orgSlug, name: 'ci' }, { token }), async ({ client }) => {
        return (await client.must('tokenList', { orgSlug }, { token })).tokens.length
      })
    },
  },
}

export const operations: Readonly<Record<string, Operation>> = {
  ...variables,
  ...device,
  ...proposals,
  ...deletions,
  ...trusts,
  ...counted,
}
