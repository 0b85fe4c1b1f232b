/** Tests webhooks: what happened reaches their receivers, in order, under ids that stay the same (docs/notifications.md). */
import path from 'node:path'
import { hookEvent, type Hook } from '@rollkey/contract'
import { Webhook } from 'standardwebhooks'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { Canaries } from '../testkit/canaries.ts'
import { roll, secret } from '../testkit/entries.ts'
import { temporaryFolder } from '../testkit/folder.ts'
import { HookReceiver } from '../testkit/hook-receiver.ts'
import { byOperator } from '../testkit/operator.ts'
import { query } from '../testkit/store.ts'
import { newOwner, useTestEnv, type TestTenant } from '../testkit/test-env.ts'

const dayMs = 24 * 60 * 60_000
const testEnv = useTestEnv({ HOOK_NETWORKS: '127.0.0.0/8', RATE_LIMIT_EXPENSIVE: '0' })
let receiver: HookReceiver
let ada: TestTenant

beforeEach(async () => {
  receiver = new HookReceiver(testEnv.clock)
  await receiver.start()
  ada = await newOwner(testEnv)
  await set(secret('OLD', '1'), roll('R', 0.5))
  return () => receiver.stop()
})

async function must(name: Parameters<typeof testEnv.client.must>[0], input: object = {}) {
  const token = await testEnv.provider.confirmedTokenOf(ada.user)
  return testEnv.client.must(name, { orgSlug: ada.at.orgSlug, ...input }, { token })
}

/** Writes entries. Returns the revision. */
async function set(...entries: object[]): Promise<number> {
  return (await must('write', { ...ada.at, mode: 'upsert', entries })).revision
}

async function hook(more: object = {}) {
  const created = await must('hookCreate', { name: 'Deploys', url: `${receiver.url}/hooks/path-4711`, ...more })
  if (created.format === 'standard') receiver.secret = created.secret
  return created
}

/** Sends what webhooks have to receive, until all are as they should be: by default, none is behind. */
async function told(isThere = ({ waiting }: Hook) => waiting === 0): Promise<void> {
  await expect
    .poll(async () => {
      testEnv.clock.doPeriodicWork()
      const { hooks } = (await must('hookList')) as { hooks: Hook[] }
      return hooks.every(isThere)
    })
    .toBe(true)
}

const isOff = ({ offSinceMs }: Hook): boolean => offSinceMs !== undefined

/** Waits until the last message of a webhook failed for this time. */
async function failed(id: string, attempts: number): Promise<void> {
  await expect
    .poll(async () => {
      testEnv.clock.doPeriodicWork()
      return (await must('hookDeliveries', { id })).deliveries[0]
    })
    .toMatchObject({ attempts, failure: expect.any(String) })
}

describe('a message', () => {
  test('tells names, place, revision and who, once for each revision, and is verified by the standard library', async () => {
    const { secret: secretOfHook } = await hook()
    const entries = [secret('NEW', '2'), secret('OLD', '2')]
    const { revision } = await must('write', { ...ada.at, mode: 'upsert', entries, deletes: ['R'] })
    await told()
    const [first] = receiver.accepted
    expect(receiver.requests).toHaveLength(1)
    const { body = '', headers } = receiver.requests[0] ?? {}
    // The library takes no other clock.
    vi.useFakeTimers({ toFake: ['Date'], now: testEnv.clock.now() })
    onTestFinished(() => void vi.useRealTimers())
    const verified = new Webhook(secretOfHook).verify(body, headers as Record<string, string>)
    expect(hookEvent.strict().parse(verified)).toEqual(verified)
    expect(first).toMatchObject({
      id: expect.stringMatching(/^evt_org_[\w-]+_\d+$/),
      type: 'variables.changed',
      data: {
        ...ada.at,
        names: ['NEW', 'OLD', 'R'],
        nameCount: 3,
        revision,
        actor: ada.user.userId,
        how: 'provider',
        actions: ['variable.create', 'variable.update', 'variable.delete'],
        url: `http://localhost:${new URL(testEnv.app.url).port}/o/${ada.at.orgSlug}/p/shop/history?stage=prod`,
      },
    })
  })

  test('passes the filters of types and places', async () => {
    await hook({ events: ['change.*'] })
    const dev = { projectSlug: 'shop', stageSlug: 'dev' }
    await must('write', { ...dev, mode: 'upsert', entries: [secret('A', '1')] })
    await hook({ events: ['variables.changed'], within: dev })
    receiver.secret = undefined
    await set(secret('A', '1'))
    await must('write', { ...dev, mode: 'upsert', entries: [secret('B', '1')] })
    await must('changePropose', { ...ada.at, reason: 'why', deletes: ['A'] })
    await told()
    expect(receiver.types.toSorted()).toEqual(['change.proposed', 'variables.changed'])
    expect(receiver.accepted.find(({ type }) => type === 'variables.changed')?.data.stageSlug).toBe('dev')
  })

  test('is sent again under its id until it is accepted, before what came later', async () => {
    const { id } = await hook()
    receiver.nextFailureModes.push('resets', { status: 500 }, 'works and fails')
    for (const value of ['2', '3']) await set(secret('OLD', value))
    for (let attempts = 1; attempts <= 3; attempts++) {
      await failed(id, attempts)
      const { hooks } = await must('hookList')
      expect(hooks[0]).toMatchObject({ waiting: 2, failure: attempts === 1 ? 'ECONNRESET' : 'status 500' })
      // The pause doubles.
      testEnv.clock.advance(5_000 * 2 ** (attempts - 1))
    }
    await told()
    const ids = receiver.requests.map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids.slice(0, 4)).size).toBe(1)
    expect(ids[4]).not.toBe(ids[0])
    expect(receiver.accepted.map(({ data }) => data.revision)).toEqual([2, 2, 3])
    const { deliveries } = await must('hookDeliveries', { id })
    expect(deliveries).toMatchObject([
      { attempts: 1, status: 200 },
      { attempts: 4, status: 200 },
    ])
  })

  test('is sent again on request', async () => {
    const { id } = await hook()
    await set(secret('OLD', '2'))
    await told()
    const [event] = receiver.accepted
    expect(await must('hookRedeliver', { id, eventId: event?.id })).toMatchObject({ attempts: 2, status: 200 })
    expect(receiver.accepted).toEqual([event, event])
    const token = await testEnv.provider.tokenOf(ada.user)
    const unknown = { orgSlug: ada.at.orgSlug, id, eventId: `${event?.id}0` }
    expect((await testEnv.client.call('hookRedeliver', unknown, { token })).status).toBe(404)
  })

  test.each(['slack', 'mattermost', 'discord', 'teams'])(
    'for %s is a text with a link, which mentions no one',
    async (format) => {
      await hook({ format })
      await set(secret('@everyone <!here> *B* [x](y)', '1'))
      await told()
      const body = receiver.requests[0]?.body ?? ''
      expect(receiver.requests[0]?.headers['webhook-signature']).toBeUndefined()
      expect(body).toContain(
        `http://localhost:${new URL(testEnv.app.url).port}/o/${ada.at.orgSlug}/p/shop/history?stage=prod`,
      )
      // Slack has no links in brackets, and bold harms no one.
      expect(body).not.toMatch(format === 'slack' ? /@everyone|<!here>/ : /@everyone|<!here>|[^\\]\*B|\]\(y/)
      expect(body).toContain('shop/prod')
    },
  )
})

describe('a webhook', () => {
  test('is tested, and says what came back', async () => {
    const { id } = await hook({ events: ['change.*'] })
    expect(await must('hookTest', { id })).toMatchObject({ type: 'hook.tested', status: 200, attempts: 1 })
    expect(receiver.types).toEqual(['hook.tested'])
    receiver.failureMode = { status: 302, headers: { location: 'https://example.com/' } }
    expect(await must('hookTest', { id })).toMatchObject({ failure: 'status 302: redirects are not followed' })
  })

  test('has two secrets for a day after a rotation', async () => {
    const { id, secret: former } = await hook()
    const { secret: current } = await must('hookRotate', { id })
    expect(current).not.toBe(former)
    for (const each of [former, current]) {
      receiver.secret = each
      expect(await must('hookTest', { id })).toMatchObject({ status: 200 })
    }
    testEnv.clock.advance(dayMs + 1)
    await must('hookTest', { id })
    expect(receiver.requests.at(-1)?.headers['webhook-signature']).toMatch(/^v1,[^ ]+$/)
    expect(receiver.requests[0]?.headers['webhook-signature']).toMatch(/^v1,[^ ]+ v1,[^ ]+$/)
  })

  test('is switched off when it failed for three days, or is gone, and goes on with what comes after it is on again', async () => {
    const { id } = await hook()
    receiver.failureMode = { status: 500 }
    await set(secret('OLD', '2'))
    await failed(id, 1)
    testEnv.clock.advance(3 * dayMs)
    await told(isOff)
    const { hooks } = await must('hookList')
    expect(hooks[0]).toMatchObject({ offSinceMs: expect.any(Number), failure: 'status 500' })
    const { entries } = await must('audit', { action: 'hook.off' })
    expect(entries).toMatchObject([{ how: 'system', facts: { hookId: id, name: 'Deploys' } }])
    receiver.failureMode = 'works'
    receiver.secret = undefined
    await set(secret('OLD', '3'))
    await must('hookUpdate', { id, isOn: true })
    await set(secret('OLD', '4'))
    await told()
    expect(receiver.accepted.map(({ data }) => data.revision)).toEqual([4])
    receiver.failureMode = { status: 410 }
    await set(secret('OLD', '5'))
    await told(isOff)
    expect((await must('hookList')).hooks[0]).toMatchObject({ offSinceMs: expect.any(Number), failure: 'status 410' })
  })

  test('receives nothing more once it is deleted, and leaves nothing', async () => {
    const { id } = await hook()
    await must('hookTest', { id })
    await must('hookDelete', { id })
    await set(secret('OLD', '2'))
    await told()
    expect(receiver.types).toEqual(['hook.tested'])
    const [row] = await query(testEnv.app.dataDir, `select count(*) as n from hook_deliveries where hook_id = '${id}'`)
    expect(Number(row?.['n'])).toBe(0)
  })

  test('is refused where it may not send, for places that are not there, and beyond the maximum', async () => {
    const token = await testEnv.provider.tokenOf(ada.user)
    const refusal = async (more: object) => {
      const body = { orgSlug: ada.at.orgSlug, name: 'x', url: 'https://example.com/', ...more }
      const { status, body: answer } = await testEnv.client.call('hookCreate', body, { token })
      return [status, answer.error?.code]
    }
    expect(await refusal({ url: 'http://example.com/' })).toEqual([200, undefined])
    expect(await refusal({ url: 'http://10.0.0.1/' })).toEqual([400, 'INVALID_REQUEST'])
    expect(await refusal({ url: 'https://user:canary@example.com/' })).toEqual([400, 'INVALID_REQUEST'])
    expect(await refusal({ within: { projectSlug: 'nothing' } })).toEqual([404, 'NOT_FOUND'])
    expect(await refusal({ events: ['nothing'] })).toEqual([400, 'INVALID_REQUEST'])
  })
})

/** Lets a secret be due in two days, and a roll serve another split than its chance. */
async function neglect(): Promise<void> {
  await must('declarationSet', {
    projectSlug: 'shop',
    declarations: [{ name: 'OLD', rotateEveryDays: 2, owner: 'Payments' }],
  })
  // One seed always gets the same side.
  for (let count = 0; count < 20; count++)
    await testEnv.client.must('evaluate', { ...ada.at, name: 'R', seed: 'one' }, { token: ada.token })
  await expect
    .poll(async () => (testEnv.clock.doPeriodicWork(), (await must('attention')).misfits))
    .toMatchObject([{ name: 'R' }])
}

/** What a gradual rotation that is ended early sends. */
const rotated = ['change.proposed', 'change.applied', 'variables.changed', 'ramp.aborted', 'variables.changed']

/** Every path that changes variables, what time does to them, and what webhooks receive of it. */
const paths: Readonly<Record<string, readonly [() => Promise<unknown>, ...(readonly string[])]>> = {
  'a direct write': [() => set(secret('OLD', '2')), 'variables.changed'],
  'a deletion': [
    () => must('write', { ...ada.at, mode: 'upsert', entries: [], deletes: ['OLD'] }),
    'variables.changed',
  ],
  'an update without values': [
    () => must('update', { ...ada.at, updates: [{ name: 'R', chance: 0.7 }] }),
    'variables.changed',
  ],
  'a copy': [
    () => must('copy', { from: ada.at, to: { ...ada.at, stageSlug: 'dev' }, names: ['OLD'] }),
    'variables.changed',
  ],
  'a promotion for review': [
    async () => {
      const at = { ...ada.at, stageSlug: 'dev' }
      await must('stageCreate', { ...at, name: 'Development' })
      const copied = { ...at, reason: 'why', copy: { from: ada.at, names: ['OLD'] } }
      await must('changeApply', { ...at, id: (await must('changePropose', copied)).id })
    },
    'change.proposed',
    'change.applied',
    'variables.changed',
  ],
  'an import of a file': [
    () => must('write', { ...ada.at, mode: 'create_only', entries: [secret('A', '1'), secret('B', '1')] }),
    'variables.changed',
  ],
  'the import of an operator': [
    async () => {
      const file = path.join(temporaryFolder(), 'export.json')
      await byOperator(testEnv, 'export', ada.at.orgSlug, file)
      await set(secret('OLD', '2'))
      await byOperator(testEnv, 'import', file, ada.at.orgSlug)
    },
    'variables.changed',
    'variables.changed',
  ],
  'a restore': [
    async () => {
      await set(secret('OLD', '2'))
      await must('restore', { ...ada.at, revision: 1 })
    },
    'variables.changed',
    'variables.changed',
  ],
  'a change that a person applies': [
    async () => must('changeApply', { ...ada.at, id: (await propose({ deletes: ['OLD'] })).id }),
    'change.proposed',
    'change.applied',
    'variables.changed',
  ],
  'a change that is applied without its approval': [
    async () => {
      await must('accessGrant', { ...ada.at, principal: { kind: 'user', id: ada.user.userId }, role: 'releaser' })
      await must('stageProtect', { ...ada.at, isProtected: true, approvals: 1, bypassRole: 'releaser' })
      const { id } = await propose({ deletes: ['OLD'] })
      await must('changeApply', { ...ada.at, id, bypass: 'It burns' })
    },
    'access.changed',
    'access.changed',
    'access.changed',
    'change.applied',
    'change.proposed',
    'variables.changed',
  ],
  'a change at its time': [
    async () => {
      const applyAtMs = testEnv.clock.now() + dayMs
      await propose({ deletes: ['OLD'], applyAtMs, zone: 'UTC' })
      testEnv.clock.advance(dayMs)
    },
    'change.applied',
    'change.proposed',
    'variables.changed',
  ],
  'the steps of a ramp': [
    async () => {
      const startMs = testEnv.clock.now() + dayMs
      const steps = [0.6, 1].map((chance, index) => ({ atMs: startMs + index * dayMs, chance }))
      await propose({ ramp: { name: 'R', steps }, zone: 'UTC' })
      for (const { chance } of steps) {
        testEnv.clock.advance(dayMs)
        await expect.poll(async () => (await must('list', ada.at)).variables.find(isRoll)?.chance).toBe(chance)
      }
    },
    'change.applied',
    'change.proposed',
    'ramp.stepped',
    'variables.changed',
    'variables.changed',
  ],
  'gradual rotations, one finished and one taken back': [
    async () => {
      await set(secret('KEY', '1'))
      for (const chance of [1, 0]) {
        const steps = [0.5, 1].map((of, step) => ({ atMs: testEnv.clock.now() + (step + 1) * dayMs, chance: of }))
        const { id } = await propose({ ramp: { name: 'KEY', value: '2', steps } })
        testEnv.clock.advance(dayMs)
        await expect.poll(async () => (await must('changeShow', { ...ada.at, id })).state).toBe('running')
        await must('changeAbort', { ...ada.at, id, chance })
      }
    },
    'variables.changed',
    ...rotated,
    ...rotated,
  ],
  'a secret that is due and a roll that does not fit': [
    async () => {
      await neglect()
      testEnv.clock.advance(2 * dayMs)
    },
    'declarations.changed',
    'roll.misfit',
    'secret.due',
  ],
  'the deletion of the stage': [
    () => must('stageDelete', { ...ada.at, confirm: ada.at.stageSlug }),
    'variables.changed',
  ],
}

const isRoll = ({ name }: { name: string }): boolean => name === 'R'
const propose = (content: object) => must('changePropose', { ...ada.at, reason: 'why', ...content })

test.each(Object.entries(paths))('%s is sent', async (_, [act, ...types]) => {
  await hook()
  await act()
  await expect
    .poll(async () => {
      await told()
      return receiver.types.toSorted()
    })
    .toEqual(types.toSorted())
})

test('no value, and no path of a URL, is in a message, an answer, the audit log, the log or the store in plain text', async () => {
  const canaries = new Canaries()
  const value = canaries.plant('a value')
  const pathOfUrl = canaries.plant('the path of the URL')
  const { id } = await must('hookCreate', { name: 'Deploys', url: `${receiver.url}/${pathOfUrl}` })
  await set(secret('A', value), roll('R2', 0.5, value, value))
  await must('changePropose', { ...ada.at, reason: 'why', entries: [secret('A', `${value}2`)] })
  receiver.nextFailureModes.push('resets')
  await failed(id, 1)
  testEnv.clock.advance(10_000)
  await told()
  expect(receiver.types).toEqual(['variables.changed', 'change.proposed'])
  const answers = [await must('hookList'), await must('hookDeliveries', { id }), await must('audit')]
  const rows = await query(testEnv.app.dataDir, `select * from hooks where id = '${id}'`)
  canaries.expectNoneIn(
    'messages',
    receiver.requests.map(({ body, headers }) => body + JSON.stringify(headers)).join('\n'),
  )
  canaries.expectNoneIn('answers', JSON.stringify(answers))
  canaries.expectNoneIn('the store', Buffer.from(JSON.stringify(rows)).toString('latin1'))
  canaries.expectNoneIn('the log', testEnv.app.log.join('\n'))
})

test('a webhook learns once, seven days before, that a service token ends', async () => {
  const { id } = await must('tokenCreate', { name: 'ci', expiresInDays: 8 })
  await must('tokenCreate', { name: 'short', expiresInDays: 7 })
  await hook({ events: ['token.expiring'] })
  await told()
  expect(receiver.types).toEqual([])
  testEnv.clock.advance(dayMs + 1)
  await expect.poll(() => (testEnv.clock.doPeriodicWork(), receiver.types)).toEqual(['token.expiring'])
  expect(receiver.accepted[0]?.data).toMatchObject({ how: 'system', facts: { tokenId: id, name: 'ci' } })
  await told()
  const { entries } = await must('audit', { action: 'token.expiring' })
  expect(entries).toHaveLength(1)
  expect(receiver.types).toHaveLength(1)
})

test('a webhook learns once that a secret is due and that a roll does not fit, and again when the next rotation is due', async () => {
  await hook({ events: ['secret.due', 'roll.misfit'] })
  await neglect()
  const learned = async (types: readonly string[]): Promise<void> => {
    await expect.poll(() => (testEnv.clock.doPeriodicWork(), receiver.types.toSorted())).toEqual(types)
  }
  testEnv.clock.advance(2 * dayMs)
  await learned(['roll.misfit', 'secret.due'])
  const page = `/o/${ada.at.orgSlug}/p/shop`
  const dataOf = (of: string) => receiver.accepted.find(({ type }) => type === of)?.data
  expect(dataOf('secret.due')).toMatchObject({
    stageSlug: 'prod',
    names: ['OLD'],
    how: 'system',
    facts: { owner: 'Payments' },
    url: expect.stringMatching(new RegExp(`${page}$`)),
  })
  const { facts } = dataOf('roll.misfit') ?? {}
  expect(dataOf('roll.misfit')).toMatchObject({
    names: ['R'],
    facts: { chance: 0.5 },
    url: expect.stringContaining(`${page}/roll?stage=prod&name=R`),
  })
  expect(new Set([facts?.servedA, facts?.servedB])).toEqual(new Set([0, 20]))
  await set(secret('OLD', '2'))
  await testEnv.restart()
  for (let day = 0; day < 2; day++) {
    await told()
    testEnv.clock.advance(dayMs)
  }
  await learned(['roll.misfit', 'secret.due', 'secret.due'])
  const counted = await Promise.all(['secret.due', 'roll.misfit'].map((action) => must('audit', { action })))
  expect(counted.map(({ entries }) => entries.length)).toEqual([2, 1])
})
