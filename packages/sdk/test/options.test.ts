/** Options that a program without types misspells. */
import { expect, onTestFinished, test } from 'vitest'
import { createClient, type Client, type ClientOptions } from '../src/index.ts'
import { connect } from '../src/node/index.ts'
import { openBench } from '../testkit/fetch.ts'

const variables = { R: { a: 'A', b: 'B', chance: 0.5 } }
const misspelled = { sed: 'user-1' } as object
const refused = { code: 'INVALID_REQUEST', message: 'unknown option "sed": did you mean "seed"?' }

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
  const message = /^unknown option "everySec" \(expected .*intervalMs.*\)$/
  expect(() => client.watch(() => {}, unknown)).toThrow(message)
  await expect(client.local(unknown)).rejects.toThrow(message)
  await expect(client.inspect('R', {}, unknown)).rejects.toThrow('unknown option "everySec" (expected explain)')
})

test.each(['user-1', null, 5])('options that are not an object are refused: %s', async (options) => {
  const { client } = openBench({ variables })
  await expect(client.get('R', options as unknown as object)).rejects.toThrow(
    /^Options must be an object \(expected seed, key, context\)/,
  )
})

test('a client is not created with an option that does not exist, also of its cache and retries', async () => {
  const { service } = openBench({ variables })
  const refusal = (message: string) => expect.objectContaining({ code: 'INVALID_SETTING', message }) as Error
  const create = (more: object) => () => createClient({ ...service.options, ...(more as Partial<ClientOptions>) })
  expect(create({ timeoutMS: 5 })).toThrow(refusal('unknown option "timeoutMS": did you mean "timeoutMs"?'))
  expect(create({ cache: { ttl: 5 } })).toThrow(refusal('unknown option "ttl" (expected ttlMs, maxEntries, stale)'))
  expect(create({ retry: { maxAttempt: 1 } })).toThrow(
    refusal('unknown option "maxAttempt": did you mean "maxAttempts"?'),
  )
  const connecting = connect({ ...service.options, env: {}, usesLogins: false, ...({ project2: 'shop' } as object) })
  await expect(connecting).rejects.toThrow('unknown option "project2": did you mean "project"?')
  await expect(connect({ ...service.options, env: {}, usesLogins: false })).resolves.toBeDefined()
})
