/** Options that a program without types misspells. */
import { expect, expectTypeOf, onTestFinished, test } from 'vitest'
import { createClient, type Client, type ClientOptions, type Value } from '../src/index.ts'
import { connect } from '../src/node/index.ts'
import { openBench, refusal } from '../testkit/fetch.ts'

const variables = { R: { a: 'A', b: 'B', chance: 0.5 } }
const misspelled = { sed: 'user-1' } as object
const refused = { code: 'INVALID_REQUEST', message: 'Unknown option "sed": did you mean "seed"?' }

const calls: readonly (readonly [name: string, call: (client: Client) => unknown])[] = [
  ['get', (client) => client.get('R', misspelled)],
  ['inspect', (client) => client.inspect('R', misspelled)],
  ['getMany', (client) => client.getMany(['R'], misspelled)],
  ['pull', (client) => client.pull(misspelled)],
  ['explain', (client) => client.explain('R', misspelled)],
  ['for', (client) => client.for(misspelled)],
  ['local.get', async (client) => (await client.local()).get('R', misspelled)],
  [
    'local.inspect of a client with a roll',
    async (client) => (await client.for({ key: 'k' }).local()).inspect('R', misspelled),
  ],
]

test.each(calls)('%s refuses an option that does not exist, and names the nearest one', async (_, call) => {
  const { client, count } = openBench({ variables })
  onTestFinished(() => client.close())
  await expect((async () => call(client))()).rejects.toMatchObject(refused)
  expect(count('evaluate')).toBe(0)
})

test('watch, local and inspect say which options there are', async () => {
  const { client } = openBench({ variables })
  onTestFinished(() => client.close())
  const unknown = { everySec: 5 } as object
  const message = /^Unknown option "everySec" \(expected .*intervalMs.*\)$/
  expect(() => client.watch(() => {}, unknown)).toThrow(message)
  await expect(client.local(unknown)).rejects.toThrow(message)
  await expect(client.inspect('R', {}, unknown)).rejects.toThrow('Unknown option "everySec" (expected explain)')
})

test.each(['user-1', null, 5])('options that are not an object are refused: %s', async (options) => {
  const { client } = openBench({ variables })
  await expect(client.get('R', options as unknown as object)).rejects.toThrow(
    /^Options must be an object \(expected seed, key, context, default\)/,
  )
})

test('a client is not created with an option that does not exist, also of its cache and retries', async () => {
  const { service } = openBench({ variables })
  const invalid = (message: string) => expect.objectContaining({ code: 'INVALID_SETTING', message }) as Error
  const create = (more: object) => () => createClient({ ...service.options, ...(more as Partial<ClientOptions>) })
  expect(create({ timeoutMS: 5 })).toThrow(invalid('Unknown option "timeoutMS": did you mean "timeoutMs"?'))
  expect(create({ cache: { ttl: 5 } })).toThrow(invalid('Unknown option "ttl" (expected ttlMs, maxEntries, stale)'))
  expect(create({ retry: { maxAttempt: 1 } })).toThrow(
    invalid('Unknown option "maxAttempt": did you mean "maxAttempts"?'),
  )
  const connecting = connect({ ...service.options, env: {}, usesLogins: false, ...({ project2: 'shop' } as object) })
  await expect(connecting).rejects.toThrow('Unknown option "project2": did you mean "project"?')
  await expect(connect({ ...service.options, env: {}, usesLogins: false })).resolves.toBeDefined()
})

test.each([
  ['userId', 'seed'],
  ['user', 'seed'],
  ['targetingKey', 'seed'],
  ['distinctId', 'seed'],
])('a name of another product leads to the option: %s', async (word, option) => {
  const { client } = openBench({ variables })
  await expect(client.get('R', { [word]: 'user-1' })).rejects.toThrow(
    `Unknown option "${word}": did you mean "${option}"?`,
  )
  await expect(client.get('R', { everySec: 5 } as object)).rejects.toThrow(
    'Unknown option "everySec" (expected seed, key, context, default)',
  )
})

test.each([
  ['environment', 'stage'],
  ['env', 'stage'],
  ['workspace', 'project'],
  ['apiKey', 'token'],
])('a name of another product leads to the option of a client: %s', (word, option) => {
  const { service } = openBench({ variables })
  expect(() => createClient({ ...service.options, [word]: 'x' })).toThrow(
    `Unknown option "${word}": did you mean "${option}"?`,
  )
})

test.each(['url', 'org', 'project', 'stage', 'token'])('a client is not created without the option %s', (name) => {
  const { service } = openBench({ variables })
  const message = expect.stringMatching(`^The option "${name}" is missing: pass `) as string
  expect(() => createClient({ ...service.options, [name]: undefined })).toThrow(
    expect.objectContaining({ code: 'INVALID_SETTING', message }) as Error,
  )
})

test('a default replaces a variable that does not exist, and keeps the type of the others', async () => {
  const { client } = openBench({ variables: { A: 'a' } })
  expect(await client.get('NOPE', { default: false })).toBe(false)
  expect(await client.get('NOPE', { seed: 'user-1', default: undefined })).toBe(undefined)
  expect(await client.get('A', { default: 'b' })).toBe('a')
  expectTypeOf(client.get('A', { seed: 'user-1' })).resolves.toEqualTypeOf<Value>()
  expectTypeOf(client.get('A', { default: undefined })).resolves.toEqualTypeOf<Value | undefined>()
  await expect(client.get('NOPE', { seed: 'user-1' })).rejects.toMatchObject({ code: 'VARIABLE_NOT_FOUND' })
})

test('a default is for outages without a known value, not for what a person must mend', async () => {
  const { client, fates } = openBench({ variables: { A: 'a' } }, { retry: false, cache: false })
  const answers = async (fate: (typeof fates)[number]) => {
    fates.push(fate)
    return client.get('A', { default: 'b' }).catch((error: { code: string }) => error.code)
  }
  expect(await answers('refused')).toBe('b')
  expect(await answers(refusal(503, 'SERVICE_UNAVAILABLE'))).toBe('b')
  expect(await answers(refusal(401, 'UNAUTHORIZED'))).toBe('UNAUTHORIZED')
  expect(await answers(refusal(403, 'FORBIDDEN'))).toBe('FORBIDDEN')
  expect(await answers(refusal(400, 'INVALID_REQUEST'))).toBe('INVALID_REQUEST')
  await expect(client.get('A', { sed: 'x', default: 'b' } as object)).rejects.toMatchObject(refused)
  await expect(client.get('', { default: 'b' })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
})

test('only get takes a default, and the error says so', async () => {
  const { client } = openBench({ variables })
  await expect(client.getMany(['R'], { default: 'b' } as object)).rejects.toThrow(
    'Unknown option "default": only get of a client takes a default. Catch the error instead.',
  )
})
