/** The in-memory service answers like the real service. */
import { expect, test } from 'vitest'
import { newTenant, useTestEnv } from '../../../server/testkit/test-env.ts'
import { createClient, RollkeyError, type Client, type WriteEntry } from '../../src/index.ts'
import { createTestService } from '../../src/testing/index.ts'

const testEnv = useTestEnv()

const secret = (name: string, value: string, more: object = {}): WriteEntry => ({
  name,
  kind: 'secret',
  value,
  ...more,
})
const roll = (name: string, chance: number): WriteEntry => ({ name, kind: 'ab_roll', valueA: 'A', valueB: 'B', chance })
const int64 = { declaredType: 'int64' }
const described = { exposure: 'plain', description: 'What it\nis for' } as const
const order = ['Z', 'a', '\uFB01', '\u{1F680}', 'A_1', 'A.1', '9'].map((name) => secret(name, name))

const rules = [
  { when: { plan: { in: ['pro', 'team'] } }, then: 'a' },
  { when: { age: { greaterThan: 17 } }, then: 0.5 },
] as const
const asked = [
  { seed: 'u1', context: { plan: 'pro' } },
  { seed: 'u4', context: { plan: 'pro' } },
  { seed: 'u4', context: { age: 18 } },
  { seed: 'u4', key: 'k' },
]

type Call = [about: string, call: (client: Client) => Promise<unknown>]

const calls: Call[] = [
  ['a stage that is not there', (client) => client.list()],
  ['a value of it', (client) => client.get('A')],
  [
    'the first write',
    (client) => client.write({ entries: [secret('N', '5', int64), roll('R', 0.5), secret('S', 'x')] }),
  ],
  ['a write that does nothing', (client) => client.write({ deletes: ['MISSING'] })],
  ['an empty write', (client) => client.write({})],
  ['a value of the wrong type', (client) => client.write({ entries: [secret('M', 'x', int64)] })],
  ['a value that does not fit the kept type', (client) => client.write({ entries: [secret('N', 'x')] })],
  ['a value that fits the kept type', (client) => client.write({ entries: [secret('N', '6')] })],
  ['a create of what is there', (client) => client.write({ entries: [secret('S', 'y')], mode: 'create_only' })],
  ['another revision', (client) => client.write({ entries: [secret('S', 'y')], ifRevision: 7 })],
  ['a name twice', (client) => client.write({ entries: [secret('S', 'y')], deletes: ['S'] })],
  ['an empty name', (client) => client.write({ entries: [secret('', 'y')] })],
  ['a chance of 2', (client) => client.write({ entries: [roll('R', 2)] })],
  ['a chance', (client) => client.update([{ name: 'R', chance: 0.25 }])],
  ['a chance of another revision', (client) => client.update([{ name: 'R', chance: 0.5 }], { ifRevision: 1 })],
  ['a chance of a secret', (client) => client.update([{ name: 'S', chance: 0.5 }])],
  ['a chance of what is not there', (client) => client.update([{ name: 'MISSING', chance: 0.5 }])],
  ['a value that is too long', (client) => client.write({ entries: [secret('S', 'x'.repeat(65_537))] })],
  ['names out of order', (client) => client.write({ entries: order, deletes: ['S'] })],
  [
    'attributes',
    (client) => client.write({ entries: [secret('K', '1', described), { ...roll('R', 0.25), ...described }] }),
  ],
  ['omitted attributes', (client) => client.write({ entries: [secret('K', '2'), roll('R', 0.25)] })],
  ['a cleared attribute', (client) => client.write({ entries: [secret('K', '2', { description: null })] })],
  ['a default', (client) => client.write({ entries: [secret('A_1', '2', { description: '', exposure: 'secret' })] })],
  [
    'attributes without values',
    (client) =>
      client.update([
        { name: 'K', exposure: 'client' },
        { name: 'A.1', exposure: 'client' },
      ]),
  ],
  ['a cleared one without values', (client) => client.update([{ name: 'K', exposure: null, description: '\t\n' }])],
  ['attributes of another revision', (client) => client.update([{ name: 'K', ...described }], { ifRevision: 1 })],
  [
    'attributes of what is not there',
    (client) =>
      client.update([
        { name: 'K', ...described },
        { name: 'MISSING', ...described },
      ]),
  ],
  [
    'attributes of a name twice',
    (client) =>
      client.update([
        { name: 'K', ...described },
        { name: 'K', ...described },
      ]),
  ],
  ['no attributes', (client) => client.update([{ name: 'K' }])],
  ['attributes of nothing', (client) => client.update([])],
  ['a description that is too long', (client) => client.update([{ name: 'K', description: '🚀'.repeat(1_001) }])],
  ['a description with an escape', (client) => client.write({ entries: [secret('K', '', { description: '\u001b' })] })],
  ['an unknown exposure', (client) => client.write({ entries: [secret('K', '', { exposure: 'public' })] })],
  [
    'pins and rules',
    (client) => client.update([{ name: 'R', pin: { a: ['u1'], b: ['u2'] }, rules, labels: { a: 'on', b: 'off' } }]),
  ],
  ['a moved pin', (client) => client.update([{ name: 'R', pin: { b: ['u1'] }, unpin: ['u2', 'u3'] }])],
  ['a write that keeps them', (client) => client.write({ entries: [roll('R', 0.25)] })],
  ['explanations', (client) => Promise.all(asked.map((each) => client.explain('R', each)))],
  ['an explanation of chance', (client) => client.explain('R')],
  ['decisions', (client) => Promise.all(asked.map((each) => client.inspect('R', each)))],
  ['explained decisions', (client) => Promise.all(asked.map((each) => client.inspect('R', each, { explain: true })))],
  ['an explained secret', (client) => client.inspect('K', {}, { explain: true })],
  ['a pull with a context', (client) => client.pull(asked[1])],
  ['an explanation of a secret', (client) => client.explain('K')],
  ['a change of a secret', (client) => client.update([{ name: 'K', chance: 1 }])],
  ['a change of what is not there', (client) => client.update([{ name: 'MISSING', chance: 1 }])],
  ['a change of another revision', (client) => client.update([{ name: 'R', chance: 1 }], { ifRevision: 1 })],
  ['a seed on both sides', (client) => client.update([{ name: 'R', pins: { a: ['u'], b: ['u'] } }])],
  [
    'too many pins',
    (client) => client.update([{ name: 'R', pins: { a: Array.from({ length: 1_001 }, (_, i) => `u${i}`) } }]),
  ],
  [
    'too many pins after all',
    (client) => client.update([{ name: 'R', pin: { b: Array.from({ length: 1_000 }, (_, i) => `v${i}`) } }]),
  ],
  [
    'an unknown operator',
    (client) => client.update([{ name: 'R', rules: [{ when: { x: { is: 1 } }, then: 'a' }] as never }]),
  ],
  [
    'a rule of a write without a side',
    (client) => client.write({ entries: [{ ...roll('R', 0), rules: [{ when: {} }] } as never] }),
  ],
  [
    'a range that is none',
    (client) => client.update([{ name: 'R', rules: [{ when: { x: { semver: 'new' } }, then: 'a' }] }]),
  ],
  ['equal labels', (client) => client.update([{ name: 'R', labels: { a: 'on', b: 'on' } }])],
  ['a label that is too long', (client) => client.update([{ name: 'R', labels: { a: 'x'.repeat(65), b: 'on' } }])],
  ['no change', (client) => client.update([{ name: 'R' }])],
  ['a context that is a list', (client) => client.get('R', { context: [] as never })],
  ['a stop', (client) => client.stopRoll('R')],
  ['a decision after it', (client) => client.inspect('R', asked[1])],
  ['the list', (client) => client.list()],
  ['the manifest', (client) => client.manifest()],
  ['a pull', (client) => client.pull({ seed: 'u7', key: 'k' })],
  ['rolls', (client) => Promise.all(Array.from({ length: 40 }, (_, i) => client.inspect('R', { seed: `u${i}` })))],
  ['a value with its type', (client) => client.inspect('N')],
  ['a missing variable', (client) => client.get('MISSING')],
  ['a batch with a missing variable', (client) => client.getMany(['N', 'MISSING'])],
  ['a seed that is too long', (client) => client.get('R', { seed: 'x'.repeat(1_025) })],
  ['another organization', (client) => client.at({ org: 'other' }).list()],
  ['a malformed stage slug', (client) => client.at({ stage: '-' }).list()],
  ['another stage', (client) => client.at({ stage: 'dev' }).write({ entries: [secret('N', '6'), roll('R', 1)] })],
  ['a misspelled stage', (client) => client.at({ stage: 'dve' }).digests()],
  ['projects', (client) => client.projects()],
]

/** What to do about a missing variable, which is another thing in a test. */
const advice = / (?:Compare with rollkey list|Add it to the test:) .*$/

/** Removes ids, times and advice. The organizations of the two have different names. */
function comparable(result: unknown): unknown {
  if (result instanceof RollkeyError)
    return { code: result.code, status: result.status, message: result.message.replace(advice, '') }
  return JSON.parse(
    JSON.stringify(result, (key, value: unknown) => {
      if (['requestId', 'createdAtMs', 'updatedAtMs'].includes(key)) return undefined
      return typeof value === 'bigint' ? String(value) : value
    }),
  )
}

async function resultsOf(client: Client, all = calls): Promise<unknown[]> {
  const results: unknown[] = []
  for (const [about, call] of all) {
    results.push([about, comparable(await call(client).catch((error: unknown) => error))])
  }
  return results
}

/** Returns which values of two stages are equal, which is all that digests say. */
async function equalValuesOf(client: Client): Promise<string[]> {
  const [here, there] = await Promise.all([client.digests(), client.at({ stage: 'dev' }).digests()])
  const known = new Map(here.variables.map(({ name, digests }) => [name, digests]))
  return there.variables.flatMap(({ name, digests }) =>
    Object.entries(digests).flatMap(([role, digest]) =>
      known.get(name)?.[role as keyof typeof digests] === digest ? [`${name}.${role}`] : [],
    ),
  )
}

const declarations = {
  properties: {
    PORT: { type: 'integer', minimum: 1, maximum: 65_535 },
    KEY: { pattern: '^k_[a-z]+$' },
    MODE: { enum: ['on', 'off'], 'x-rollkey': { required: 'production' } },
  },
}

const declaredCalls: Call[] = [
  [
    'values as declared',
    (client) => client.write({ entries: [secret('PORT', '80'), secret('KEY', 'k_a'), secret('MODE', 'on')] }),
  ],
  ['another type', (client) => client.write({ entries: [secret('PORT', '80', { declaredType: 'float' })] })],
  ['no number', (client) => client.write({ entries: [secret('PORT', 'x')] })],
  ['a number that is too large', (client) => client.write({ entries: [secret('PORT', '65536')] })],
  ['another pattern', (client) => client.write({ entries: [secret('KEY', 'K_a')] })],
  ['a side that is not listed', (client) => client.write({ entries: [roll('MODE', 0.5)] })],
  ['a description', (client) => client.update([{ name: 'KEY', description: 'What it is for' }])],
  ['a deletion of what is required', (client) => client.write({ deletes: ['MODE'] })],
  ['a deletion of what is not', (client) => client.write({ deletes: ['KEY'] })],
]

test('the same calls to a project with declarations return the same answers', async () => {
  const { at, token } = await newTenant(testEnv)
  const place = { org: at.orgSlug, project: at.projectSlug, stage: at.stageSlug }
  const real = createClient({ url: testEnv.app.url, ...place, token, cache: false })
  await real.manage.project.create()
  await real.manage.declarations.replace({ document: declarations })
  const inMemory = createTestService({ ...place, declarations }).client
  expect(await resultsOf(inMemory, declaredCalls)).toEqual(await resultsOf(real, declaredCalls))
})

test.each([
  [{ properties: { A: { const: 1 } } }, 'declarations: the property "A" has "const", which is not supported.'],
  [{ properties: { A: { pattern: '(?=a)' } } }, /^constraint\.pattern of "A" has lookaround/],
  [{ properties: { A: { 'x-rollkey': { required: 'dev' } } } }, /^required of "A" must be "all"/],
])('the declarations %j are refused', (refused, message) => {
  expect(() => createTestService({ declarations: refused })).toThrow(message)
})

test('the same calls return the same answers', async () => {
  const { at, token } = await newTenant(testEnv)
  const place = { org: at.orgSlug, project: at.projectSlug, stage: at.stageSlug }
  const real = createClient({ url: testEnv.app.url, ...place, token, cache: false })
  const inMemory = createTestService(place).client
  expect(await resultsOf(inMemory)).toEqual(await resultsOf(real))
  expect(await equalValuesOf(inMemory)).toEqual(['N.value', 'R.a', 'R.b'])
  expect(await equalValuesOf(real)).toEqual(['N.value', 'R.a', 'R.b'])
})
