/** Tests how rolls decide over HTTP: pins, targeting rules and labels, who sees them, and where they are kept. */
import type { EndpointName } from '@rollkey/contract'
import { describe, expect, test } from 'vitest'
import { startTestApp } from '../testkit/app.ts'
import type { Answer } from '../testkit/client.ts'
import { roll, secret } from '../testkit/entries.ts'
import {
  newOwner,
  newServiceToken,
  newTenant,
  tenantAt,
  useTestEnv,
  write,
  type TestTenant,
} from '../testkit/test-env.ts'

const testEnv = useTestEnv()
const labels = { a: 'on', b: 'off' }
const rules = [
  { when: { plan: { in: ['pro', 'team'] } }, then: 'a' },
  { when: { country: { equals: 'CH' } }, then: 0.5 },
] as const
const pins = { a: ['seed-2', 'seed-1'], b: ['seed-3'] }
const sortedPins = { a: ['seed-1', 'seed-2'], b: ['seed-3'] }
const shownAttributes = { chance: 0, labels, rules, pinned: { a: 2, b: 1 } }
const full = { ...roll('R', 0), labels, rules, pins }

function ask({ at, token }: TestTenant, endpoint: EndpointName, more = {}) {
  return testEnv.client.must(endpoint, { ...at, ...more }, { token })
}

function codeOf({ status, body }: Answer): string {
  return `${status} ${body.error?.code ?? ''}`.trim()
}

async function codeFor({ at, token }: TestTenant, endpoint: EndpointName, more = {}): Promise<string> {
  return codeOf(await testEnv.client.call(endpoint, { ...at, ...more }, { token }))
}

/** Returns what an answer shows of the roll. */
function shown(variables: Record<string, unknown>[]): object {
  const { chance, labels: names, rules: found, pinned } = variables.find(({ name }) => name === 'R') ?? {}
  return JSON.parse(JSON.stringify({ chance, labels: names, rules: found, pinned })) as object
}

async function shownBy(tenant: TestTenant): Promise<object> {
  const [first, ...others] = [
    shown((await ask(tenant, 'list')).variables),
    shown((await ask(tenant, 'manifest')).variables),
    shown((await ask(tenant, 'digests')).variables),
    shown((await ask(tenant, 'history', { name: 'R' })).changes),
  ] as [object, ...object[]]
  for (const other of others) expect(other).toEqual(first)
  return first
}

const decisionOf = async (tenant: TestTenant, more: object): Promise<string> =>
  (await ask(tenant, 'evaluate', { name: 'R', ...more })).decision as string

describe('labels, rules and pins', () => {
  test('are shown wherever a roll is described, before and after a restart; pins only as their number', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [full, secret('S', 's')])
    expect(await shownBy(tenant)).toEqual(shownAttributes)
    for (const endpoint of ['list', 'manifest', 'digests', 'history'] as const)
      expect(JSON.stringify(await ask(tenant, endpoint))).not.toContain('seed-')
    expect(await ask(tenant, 'pins', { name: 'R' })).toMatchObject({ ...sortedPins, revision: 1 })
    await testEnv.restart()
    expect(await shownBy(tenant)).toEqual(shownAttributes)
    expect(await ask(tenant, 'pins', { name: 'R' })).toMatchObject(sortedPins)
    const { variables } = await ask(tenant, 'reveal', { names: ['R'] })
    const { pinned: _, ...written } = shownAttributes
    expect(variables).toEqual([{ ...roll('R', 0), ...written, pins: sortedPins }])
  })

  test('stay as stored if a write omits them, null clears them, and a change of kind drops them', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [full])
    await write(testEnv, tenant, [roll('R', 0.5, 'x', 'y')])
    expect(await shownBy(tenant)).toEqual({ ...shownAttributes, chance: 0.5 })
    expect(await ask(tenant, 'pins', { name: 'R' })).toMatchObject(sortedPins)
    await write(testEnv, tenant, [{ ...roll('R', 0.5), pins: null, labels: null }])
    expect(await shownBy(tenant)).toEqual({ chance: 0.5, rules })
    await write(testEnv, tenant, [{ ...roll('R', 0.5), rules: [], pins: { b: ['user-9'] } }])
    expect(await shownBy(tenant)).toEqual({ chance: 0.5, pinned: { a: 0, b: 1 } })
    await write(testEnv, tenant, [{ ...roll('R', 0.5), pins: { a: [], b: [] } }])
    expect(await shownBy(tenant)).toEqual({ chance: 0.5 })
    await write(testEnv, tenant, [full])
    await write(testEnv, tenant, [{ ...secret('R', 'v'), pins, rules, labels }])
    expect(await shownBy(tenant)).toEqual({})
    await write(testEnv, tenant, [roll('R', 0)])
    expect(await shownBy(tenant)).toEqual({ chance: 0 })
    expect(await decisionOf(tenant, { seed: 'seed-1' })).toBe('b')
  })

  test('are kept by a change of chance and of attributes', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [full])
    await ask(tenant, 'update', { updates: [{ name: 'R', chance: 1 }] })
    await ask(tenant, 'update', { updates: [{ name: 'R', exposure: 'plain' }] })
    expect(await shownBy(tenant)).toEqual({ ...shownAttributes, chance: 1 })
    expect(await decisionOf(tenant, { seed: 'seed-3' })).toBe('b')
  })

  test('are copied, and replace those of the target', async () => {
    const tenant = await newTenant(testEnv)
    const target = tenantAt(tenant, { stageSlug: 'test', projectSlug: 'other' })
    await write(testEnv, tenant, [full, roll('BARE', 1)])
    await write(testEnv, target, [{ ...full, name: 'BARE' }])
    const { orgSlug, ...from } = tenant.at
    const { orgSlug: _, ...to } = target.at
    await testEnv.client.must('copy', { orgSlug, from, to, names: ['R', 'BARE'] }, { token: tenant.token })
    expect(await shownBy(target)).toEqual(shownAttributes)
    expect(await ask(target, 'pins', { name: 'R' })).toMatchObject(sortedPins)
    expect(await ask(target, 'pins', { name: 'BARE' })).toMatchObject({ a: [], b: [] })
    const digests = async (of: TestTenant) =>
      (await ask(of, 'digests')).variables.map((each: { digests: object }) => each.digests)
    expect(await digests(target)).toEqual(await digests(tenant))
  })

  test('are in the history, where a change of pins alone changes their digest, and are restored', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [full])
    await write(testEnv, tenant, [{ ...roll('R', 0), pins: { ...pins, b: ['seed-4'] } }])
    await write(testEnv, tenant, [{ ...roll('R', 0), pins: null, rules: null, labels: null }])
    const [cleared, changed, created] = (await ask(tenant, 'history')).changes
    expect(created).toMatchObject(shownAttributes)
    expect(changed).toMatchObject(shownAttributes)
    expect(cleared.before.digests).toEqual(changed.digests)
    expect(changed.digests.pins).not.toBe(created.digests.pins)
    expect(cleared.digests.pins).toBeUndefined()
    const restore = async (revision: number) => (await ask(tenant, 'restore', { revision })).revision as number
    expect(await restore(1)).toBe(4)
    expect(await ask(tenant, 'pins', { name: 'R' })).toMatchObject(sortedPins)
    expect(await restore(1)).toBe(4)
    expect(await restore(2)).toBe(5)
    expect(await ask(tenant, 'pins', { name: 'R' })).toMatchObject({ b: ['seed-4'] })
    expect(await decisionOf(tenant, { seed: 'seed-4' })).toBe('b')
  })

  test('are refused beyond their limits and where they are malformed, with what to do and without quoting them', async () => {
    const tenant = await newTenant(testEnv)
    const messageOf = async (more: object): Promise<string> => {
      const request = { ...tenant.at, mode: 'upsert', entries: [{ ...roll('R', 0), ...more }] }
      const { status, body } = await testEnv.client.call('write', request, { token: tenant.token })
      return `${status} ${body.error?.message ?? ''}`
    }
    const seeds = (count: number) => Array.from({ length: count }, (_, index) => `user-${index}`)
    expect(await messageOf({ pins: { a: seeds(1_001) } })).toBe(
      '400 pins.a of "R" is not a list of at most 1000 seeds: pin fewer, or use a rule.',
    )
    expect(await messageOf({ pins: { a: ['seed-1'], b: ['seed-1'] } })).toBe(
      '400 pins.b[0] of "R" is pinned already: name each seed once over a and b.',
    )
    expect(await messageOf({ rules: [{ when: { plan: { equal: 'seed-1' } }, then: 'a' }] })).toMatch(
      /^400 rules\[0\]\.when\.plan of "R" has an unknown operator \(expected in, .+\): correct it\.$/,
    )
    expect(await messageOf({ rules: [{ when: { v: { semver: 'seed-1' } }, then: 'a' }] })).toMatch(
      /^400 rules\[0\]\.when\.v\.semver of "R" is not a range of versions \(expected .+\): correct it\.$/,
    )
    const wrongLabels = [
      { a: 'on' },
      { a: 'on', b: 'on' },
      { a: '', b: 'x' },
      { a: 'x'.repeat(65), b: 'y' },
      { a: 'x\u202e', b: 'y' },
      'on',
    ]
    for (const wrong of wrongLabels) expect(await messageOf({ labels: wrong })).toMatch(/^400 labels.* of "R" /)
    expect((await ask(tenant, 'list')).revision).toBe(0)
    expect(await messageOf({ pins: { a: seeds(1_000), b: ['ü'.repeat(512)] } })).toBe('200 ')
    expect(await decisionOf(tenant, { seed: 'user-999' })).toBe('a')
  })
})

describe('a decision', () => {
  const cases = [
    [{ seed: 'seed-1' }, 'a', 'pin'],
    [{ seed: 'seed-3', context: { plan: 'pro' } }, 'b', 'pin'],
    [{ seed: 'user-9', context: { plan: 'pro' } }, 'a', 'rule 1'],
    [{ seed: 'user-9' }, 'b', 'chance: 0.49 ≥ 0'],
    [{ seed: 'user-9', context: {} }, 'b', 'chance: 0.49 ≥ 0'],
    [{ seed: 'user-9', context: { country: 'CH' } }, 'a', 'rule 2: 0.49 < 0.5'],
    [{ seed: 'user-8', context: { plan: 'free', country: 'CH' } }, 'b', 'rule 2: 0.56 ≥ 0.5'],
    [{ context: { plan: 'team' } }, 'a', 'rule 1'],
  ] as const

  test('is the same by evaluate, batch, pull and explain, and explain tells the step', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [full])
    const entries = cases.map(([more]) => ({ name: 'R', ...more }))
    const { results } = await ask(tenant, 'evaluateBatch', { entries })
    for (const [index, [more, decision, text]] of cases.entries()) {
      expect(await decisionOf(tenant, more)).toBe(decision)
      expect(results[index].decision).toBe(decision)
      expect((await ask(tenant, 'pull', more)).variables).toEqual({ R: decision.toUpperCase() })
      expect(await ask(tenant, 'explain', { name: 'R', ...more })).toMatchObject({ decision, text, revision: 1 })
    }
  })

  test('comes with its label and step by evaluate and batch, if the request asks for them', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [{ ...full, labels }, secret('S', 's')])
    const entries = cases.map(([more]) => ({ name: 'R', ...more, explain: true }))
    const { results } = await ask(tenant, 'evaluateBatch', { entries })
    for (const [index, [more, side]] of cases.entries()) {
      const explained = await ask(tenant, 'explain', { name: 'R', ...more })
      const { requestId: _, ...evaluated } = await ask(tenant, 'evaluate', { name: 'R', ...more, explain: true })
      const expected = {
        name: 'R',
        kind: 'ab_roll',
        value: side.toUpperCase(),
        decision: side,
        label: labels[side],
        step: explained.step,
        ...(explained.rule !== undefined && { rule: explained.rule }),
        ...(explained.chance !== undefined && { chance: explained.chance }),
      }
      expect(evaluated).toEqual(expected)
      expect(results[index]).toEqual(expected)
      const unasked = await ask(tenant, 'evaluate', { name: 'R', ...more })
      expect(Object.keys(unasked)).toEqual(['name', 'kind', 'value', 'decision', 'requestId'])
    }
    const { requestId: _, ...ofSecret } = await ask(tenant, 'evaluate', { name: 'S', explain: true })
    expect(ofSecret).toEqual({ name: 'S', kind: 'secret', value: 's' })
    expect(await codeFor(tenant, 'evaluate', { name: 'R', explain: 'yes' })).toBe('400 INVALID_REQUEST')
  })

  test('of a large batch comes with the step of each entry, although equal answers share their text', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [{ ...full, valueA: 'A'.repeat(60_000) }])
    const steps = ['pin', 'rule', undefined, 'pin', 'rule']
    const entries = Array.from({ length: 50 }, (_, index) => {
      const isPinned = steps[index % 5] === 'pin'
      const who = isPinned ? { seed: 'seed-1' } : { seed: 'user-9', context: { plan: 'pro' } }
      return { name: 'R', ...who, explain: steps[index % 5] !== undefined }
    })
    const { results } = await ask(tenant, 'evaluateBatch', { entries })
    expect(results.map(({ step }: { step?: string }) => step)).toEqual(entries.map((_, index) => steps[index % 5]))
  })

  test('of a batch takes the context of the entry, otherwise that of the request', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [full])
    const entries = [
      { name: 'R', seed: 's' },
      { name: 'R', seed: 's', context: {} },
    ]
    const { results } = await ask(tenant, 'evaluateBatch', { entries, context: { plan: 'pro' } })
    expect(results.map(({ decision }: { decision: string }) => decision)).toEqual(['a', 'b'])
  })

  test('follows each change at once', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [roll('R', 0)])
    for (let i = 0; i < 20; i++) {
      const side = i % 2 === 0 ? 'a' : 'b'
      await ask(tenant, 'update', { updates: [{ name: 'R', pin: { [side]: ['seed-1'] } }] })
      expect(await decisionOf(tenant, { seed: 'seed-1' })).toBe(side)
    }
    await ask(tenant, 'update', { updates: [{ name: 'R', unpin: ['seed-1'], chance: 1 }] })
    expect(await decisionOf(tenant, { seed: 'seed-1' })).toBe('a')
  })

  test('is not explained for what is not a roll, and random without seed and key', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [{ ...full, chance: 0.5 }, secret('S', 's')])
    expect(await codeFor(tenant, 'explain', { name: 'S' })).toBe('400 INVALID_REQUEST')
    expect(await codeFor(tenant, 'explain', { name: 'GONE' })).toBe('404 VARIABLE_NOT_FOUND')
    const { requestId: _, ...explained } = await ask(tenant, 'explain', { name: 'R' })
    expect(explained).toEqual({
      name: 'R',
      step: 'chance',
      chance: 0.5,
      text: 'chance: random, A with probability 0.5',
      revision: 1,
    })
  })

  test.each([[[]], ['x'], [1], [null], [{ plan: '\ud800' }]])('refuses %j as a context', async (context) => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [full])
    for (const endpoint of ['evaluate', 'pull', 'explain'] as const)
      expect(await codeFor(tenant, endpoint, { name: 'R', context })).toBe('400 INVALID_REQUEST')
    const entries = [{ name: 'R', context }]
    expect(await codeFor(tenant, 'evaluateBatch', { entries })).toBe('400 INVALID_REQUEST')
    expect(await codeFor(tenant, 'evaluateBatch', { entries: [], context })).toBe('400 INVALID_REQUEST')
  })
})

describe('a change of a roll without values', () => {
  test('pins, moves and unpins seeds, and keeps everything else', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [{ ...full, declaredType: 'string', exposure: 'plain' }])
    const change = async (more: object) =>
      (await ask(tenant, 'update', { updates: [{ name: 'R', ...more }] })).revision as number
    expect(await change({ pin: { b: ['seed-1', 'seed-5'] }, unpin: ['seed-3', 'unknown'] })).toBe(2)
    expect(await ask(tenant, 'pins', { name: 'R' })).toMatchObject({ a: ['seed-2'], b: ['seed-1', 'seed-5'] })
    expect(await change({ pins: { a: ['seed-7'] } })).toBe(3)
    expect(await change({ rules: null, labels: { a: '1', b: '2' }, chance: 0.25 })).toBe(4)
    const { variables } = await ask(tenant, 'reveal', { names: ['R'] })
    expect(variables).toEqual([
      {
        ...roll('R', 0.25),
        declaredType: 'string',
        exposure: 'plain',
        labels: { a: '1', b: '2' },
        pins: { a: ['seed-7'], b: [] },
      },
    ])
  })

  test('stops it with everyone on B, and history undoes that', async () => {
    const tenant = await newOwner(testEnv)
    await write(testEnv, tenant, [{ ...full, chance: 0.5 }])
    await ask(tenant, 'update', { updates: [{ name: 'R', chance: 0, pins: null, rules: null }] })
    expect(await shownBy(tenant)).toEqual({ chance: 0, labels })
    expect(await decisionOf(tenant, { seed: 'seed-1', context: { plan: 'pro' } })).toBe('b')
    const { entries } = await testEnv.client.must('audit', { orgSlug: tenant.at.orgSlug }, { token: tenant.token })
    expect(entries[0]).toMatchObject({
      action: 'chance',
      names: ['R'],
      facts: { before: { chance: 0.5 }, after: { chance: 0 } },
      revision: 2,
    })
    await ask(tenant, 'restore', { revision: 1, names: ['R'] })
    expect(await shownBy(tenant)).toEqual({ ...shownAttributes, chance: 0.5 })
    expect(await decisionOf(tenant, { seed: 'seed-1' })).toBe('a')
  })

  test('is in the audit log with what it changes', async () => {
    const tenant = await newOwner(testEnv)
    await write(testEnv, tenant, [full])
    await ask(tenant, 'update', { updates: [{ name: 'R', rules: null, unpin: ['seed-1'] }] })
    await ask(tenant, 'update', { updates: [{ name: 'R', labels: null }] })
    const { entries } = await testEnv.client.must('audit', { orgSlug: tenant.at.orgSlug, name: 'R' }, tenant)
    expect((entries as { facts?: object }[]).map(({ facts }) => facts)).toEqual([
      { parts: ['labels'] },
      { parts: ['rules', 'pins'] },
      undefined,
    ])
  })

  test('is refused for a secret, an unknown name, a stale revision, too many pins, nothing, or both ways to pin', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [full, secret('S', 's')])
    const code = (more: object, rest = {}) => codeFor(tenant, 'update', { updates: [{ name: 'R', ...more }], ...rest })
    expect(await code({ name: 'S', chance: 1 })).toBe('400 INVALID_REQUEST')
    expect(await code({ name: 'GONE', chance: 1 })).toBe('404 VARIABLE_NOT_FOUND')
    expect(await code({ chance: 1 }, { ifRevision: 9 })).toBe('409 REVISION_CONFLICT')
    expect(await code({})).toBe('400 INVALID_REQUEST')
    expect(await code({ pins: {}, pin: { a: ['x'] } })).toBe('400 INVALID_REQUEST')
    const most = Array.from({ length: 999 }, (_, index) => `more-${index}`)
    expect(await code({ pin: { a: most } })).toBe('400 INVALID_REQUEST')
    expect(await code({ pin: { b: most } })).toBe('200')
  })
})

test('without read, a caller sees neither pins nor what decides; a service token sees no pins', async () => {
  const tenant = await newOwner(testEnv)
  await write(testEnv, tenant, [full])
  const tokenOf = async (role: string): Promise<TestTenant> => {
    const { token } = await newServiceToken(testEnv, tenant, { role, history: true })
    return { ...tenant, token: token as string }
  }
  const [viewer, reader, developer] = [await tokenOf('viewer'), await tokenOf('reader'), await tokenOf('developer')]
  expect(await shownBy(viewer)).toEqual(shownAttributes)
  expect(await codeFor(viewer, 'explain', { name: 'R', seed: 'seed-1' })).toBe('403 FORBIDDEN')
  expect(await codeFor(reader, 'explain', { name: 'R', seed: 'seed-1' })).toBe('200')
  for (const token of [viewer, reader, developer])
    expect(await codeFor(token, 'pins', { name: 'R' })).toMatch(/^40[13]/)
  expect(await codeFor(reader, 'update', { updates: [{ name: 'R', pin: { a: ['x'] } }] })).toBe('403 FORBIDDEN')
  expect(await codeFor(developer, 'update', { updates: [{ name: 'R', pin: { a: ['x'] } }] })).toBe('200')
  await ask(tenant, 'pins', { name: 'R' })
  const { entries } = await testEnv.client.must('audit', { orgSlug: tenant.at.orgSlug }, { token: tenant.token })
  expect(entries[0]).toMatchObject({ action: 'reveal', names: ['R'], facts: { parts: ['pins'] } })
})

test('served counts tell what pins and rules decided, and the list of rolls compares only the chance', async () => {
  const tenant = await newTenant(testEnv)
  await write(testEnv, tenant, [{ ...full, chance: 1 }])
  for (const more of [{ seed: 'seed-3' }, { seed: 'seed-1' }, { seed: 'x' }, { seed: 'x', context: { plan: 'pro' } }])
    await decisionOf(tenant, more)
  await testEnv.restart()
  const { hours } = await ask(tenant, 'rollCounts', { name: 'R' })
  expect(hours).toMatchObject([{ a: 3, b: 1, pins: { a: 1, b: 1 }, rules: { a: 1, b: 0 }, chance: 1 }])
  const { rolls } = await testEnv.client.must('rolls', { orgSlug: tenant.at.orgSlug }, { token: tenant.token })
  expect(rolls).toMatchObject([{ served: { a: 3, b: 1 }, sinceChance: { a: 1, b: 0 } }])
})

test('pins count as stored bytes, and labels and rules for the size of a stage', async () => {
  const settings = { PLAN: 'free', FREE_STORAGE_BYTES: '1000', STAGE_BYTES: '1000' }
  const app = await startTestApp(settings, { provider: testEnv.provider })
  const tenant = await newTenant(app)
  const { orgSlug } = tenant.at
  const storedBytes = async () =>
    ((await app.client.must('usage', { orgSlug }, { token: tenant.token })).storage as { bytes: number }).bytes
  await write(app, tenant, [roll('R', 0)])
  const bare = await storedBytes()
  await write(app, tenant, [{ ...roll('R', 0), labels }])
  expect(await storedBytes()).toBe(bare)
  await write(app, tenant, [{ ...roll('R', 0), pins: { a: ['seed-1'] } }])
  expect(await storedBytes()).toBe(bare + 50 + JSON.stringify({ a: ['seed-1'], b: [] }).length)
  const codeOfWrite = async (more: object) => {
    const request = { ...tenant.at, mode: 'upsert', entries: [{ ...roll('R', 0), ...more }] }
    const { status, body } = await app.client.call('write', request, { token: tenant.token })
    return `${status} ${body.error?.message ?? ''}`
  }
  const large = [{ when: { x: { equals: 'x'.repeat(900) } }, then: 'a' }]
  expect(await codeOfWrite({ rules: large })).toMatch(
    /^400 .+ bytes of sealed values, descriptions, labels, pins and rules/,
  )
  expect(await codeOfWrite({ pins: { a: ['x'.repeat(900)] } })).toMatch(/^400 /)
})
