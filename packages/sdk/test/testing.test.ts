import vectors from '@rollkey/contract/vectors/ab-roll.json' with { type: 'json' }
import { describe, expect, test } from 'vitest'
import { createClient } from '../src/index.ts'
import { createTestService } from '../src/testing/index.ts'

describe('the A/B choice', () => {
  test.each(vectors.vectors)('for $name, $seed, $key matches the vectors', async ({ name, seed, key, u }) => {
    if (!seed && !key) return
    const above = { a: 'A', b: 'B', chance: Math.min(1, u + 2 ** -53) }
    const service = createTestService({ variables: { [name]: above } })
    const { client } = service
    expect(await client.inspect(name, { seed, key })).toMatchObject({ value: 'A', decision: 'a' })
    service.set(name, { ...above, chance: u })
    expect(await client.inspect(name, { seed, key })).toMatchObject({ value: 'B', decision: 'b' })
  })

  test('without seed and key chooses both sides', async () => {
    const { client } = createTestService({ variables: { R: { a: 'A', b: 'B', chance: 0.5 } } })
    const values = await Promise.all(Array.from({ length: 100 }, () => client.get('R')))
    expect(new Set(values)).toEqual(new Set(['A', 'B']))
  })
})

describe('the in-memory service', () => {
  test('returns the value that was set last', async () => {
    const service = createTestService({ variables: { LIMIT: { value: '5', declaredType: 'int64' }, OLD: 'x' } })
    expect(await service.client.get('LIMIT')).toBe(5n)
    service.set('LIMIT', '6')
    service.delete('OLD')
    expect(await service.client.pull()).toEqual({ variables: { LIMIT: '6' }, revision: 3 })
    expect(await service.client.get('LIMIT')).toBe(6n)
  })

  test('takes values as the client gives them', async () => {
    const day = new Date('2027-01-31T00:00:00.000Z')
    const prices = [{ low: 1 }]
    const bare = { ON: true, SIZE: 5n, RATE: 0.5, DAY: day, NOTHING: null }
    const flow = { a: true, b: false, exposure: 'plain' } as const
    const service = createTestService({
      variables: { ...bare, PRICES: { value: prices }, FLOW: { ...flow, chance: 1 } },
    })
    const get = async (name: string): Promise<unknown> => service.client.get(name)
    for (const [name, value] of Object.entries({ ...bare, PRICES: prices, FLOW: true })) {
      expect(await get(name)).toEqual(value)
    }
    service.set('SIZE', 6n)
    service.set('FLOW', { ...flow, chance: 0 })
    expect([await get('SIZE'), await get('FLOW')]).toEqual([6n, false])
    expect(() => service.set('RATE', Number.NaN)).toThrow('must be a number (float)')
  })

  test('replaces the sources of templates, and refuses what the service would', async () => {
    const service = createTestService({
      variables: { PASSWORD: 'one', URL: { value: 'postgres://app:${PASSWORD}@db', template: true } },
    })
    const { client } = service
    service.set('NEXT', { a: '${URL}/a', b: '$${b}', chance: 0.5, template: true })
    await client.update([{ name: 'NEXT', chance: 1 }])
    const answer = await client.write({ mode: 'upsert', entries: [{ name: 'PASSWORD', kind: 'secret', value: 'two' }] })
    expect(answer).toMatchObject({ created: [], updated: ['NEXT', 'PASSWORD', 'URL'] })
    expect(await client.get('NEXT')).toBe('postgres://app:two@db/a')
    const { variables } = await client.list()
    expect(variables[0]).toMatchObject({ name: 'NEXT', template: true, sources: ['URL'] })
    const refused: [change: () => void, message: string][] = [
      [() => service.delete('PASSWORD'), '"PASSWORD" cannot be deleted, because templates name it: "URL".'],
      [() => service.set('PASSWORD', { value: '${URL}', template: true }), 'which needs "URL" itself'],
      [() => service.set('N', { value: '${NONE}', template: true }), 'names "NONE", which the stage does not have'],
      [() => service.set('N', { value: '${', template: true }), 'after 0 characters'],
      [() => service.set('N', { value: '${URL}', template: true, declaredType: 'int64' }), 'must be a whole number'],
      [() => service.set('N', { value: '${URL}', template: true, exposure: 'plain' }), 'lower the exposure of "N"'],
      [() => service.set('PASSWORD', { a: 'x', b: 'y', chance: 1 }), 'which is a roll'],
    ]
    for (const [change, message] of refused) expect(change).toThrow(message)
    service.set('URL', 'plain text')
    service.delete('PASSWORD')
    expect(await client.get('NEXT')).toBe('plain text/a')
  })

  test('refuses requests that the service would refuse', async () => {
    const service = createTestService({ variables: { ON: { value: 'true', declaredType: 'boolean' } } })
    expect(() => service.set('ON', 'yes')).toThrow(
      '"ON" must be true or false: correct the value, or change the declared type.',
    )
    expect(() => service.set('R', { a: '', b: '', chance: 2 })).toThrow('chance of "R" must be at most 1.')
    expect(() => service.set('', 'x')).toThrow('entries[0].name must not be empty.')
    await expect(service.client.at({ org: 'other' }).list()).rejects.toMatchObject({ code: 'INVALID_ORG_SCOPE' })
    await expect(service.client.whoami()).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test.each([
    ['test', 'LIMIT', "Add it to the test: createTestService({ variables: { LIMIT: '…' } })."],
    ['test', 'my-flag', `Add it to the test: createTestService({ variables: { "my-flag": '…' } }).`],
    [
      'test',
      'API_KYE',
      `Did you mean "API_KEY"? Otherwise add it to the test: createTestService({ variables: { API_KYE: '…' } }).`,
    ],
    [
      'prod',
      'LIMIT',
      "Add it to the test: createTestService({ project: 'test', stage: 'prod', variables: { LIMIT: '…' } }).",
    ],
  ])('in %s, says of the missing variable %s how a test creates it', async (stage, name, advice) => {
    const { client } = createTestService({ variables: { API_KEY: 'k' } })
    const place = client.at({ stage })
    const message = `The stage test/${stage} has no variable ${JSON.stringify(name)} that the token may read. ${advice}`
    await expect(place.get(name)).rejects.toMatchObject({ code: 'VARIABLE_NOT_FOUND', message })
    const both = await Promise.allSettled([place.get(name), place.get('OTHER')])
    expect(both[0]).toMatchObject({ reason: { message } })
  })

  test('records its requests', async () => {
    const { client, requests } = createTestService({ variables: { A: 'a' } })
    await client.get('A', { seed: 'u' })
    await client.list()
    const place = { orgSlug: 'test', projectSlug: 'test', stageSlug: 'test' }
    expect(requests).toEqual([
      { operation: 'evaluate', body: { ...place, name: 'A', seed: 'u' }, requestKey: expect.any(String) as string },
      { operation: 'list', body: place, requestKey: undefined },
    ])
  })

  test('fails on demand, and the client reacts as to the real service', async () => {
    const service = createTestService({ variables: { A: 'a' } })
    service.failNext('SERVICE_UNAVAILABLE', 3)
    expect(await service.client.get('A')).toBe('a')
    service.failNext('UNREACHABLE', 4)
    await expect(service.client.get('A')).rejects.toMatchObject({ code: 'UNREACHABLE' })
    service.failNext('FORBIDDEN')
    await expect(service.client.get('A')).rejects.toMatchObject({ code: 'FORBIDDEN', status: 403 })
    expect(await service.client.get('A')).toBe('a')
  })

  test('serves clients with other options', async () => {
    const service = createTestService({ variables: { A: 'a' }, stage: 'prod' })
    const client = createClient({ ...service.options, cache: { ttlMs: 60_000 } })
    await client.get('A')
    expect(await client.inspect('A')).toMatchObject({ value: 'a', source: 'cache' })
  })
})
