import { describe, expect, test } from 'vitest'
import { openBench, refusal } from '../testkit/fetch.ts'
import { TestHost } from '../testkit/host.ts'

const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `N${i}`)
const variablesOf = (count: number): Record<string, string> =>
  Object.fromEntries(names(count).map((name) => [name, name]))

describe('calls of one tick', () => {
  test('are one request, and a single call is a plain evaluation', async () => {
    const { client, service } = openBench({ variables: variablesOf(3) }, { cache: false })
    expect(await client.get('N0')).toBe('N0')
    expect(await Promise.all([client.get('N0'), client.get('N1'), client.getMany(['N1', 'N2'])])).toEqual([
      'N0',
      'N1',
      { N1: 'N1', N2: 'N2' },
    ])
    expect(service.requests.map(({ operation }) => operation)).toEqual(['evaluate', 'evaluateBatch'])
  })

  test('of different stages are a request each', async () => {
    const { client, count } = openBench({ variables: { A: 'here' } }, { cache: false })
    const other = client.at({ stage: 'other' })
    await other.write({ entries: [{ name: 'A', kind: 'secret', value: 'there' }] })
    expect(await Promise.all([client.get('A'), other.get('A')])).toEqual(['here', 'there'])
    expect(count('evaluate')).toBe(2)
  })

  test('of one name share an entry only if the roll has a seed or key', async () => {
    const { client, service } = openBench({ variables: { R: { a: 'A', b: 'B', chance: 0.5 } } }, { cache: false })
    const one = client.for({ seed: 'u', key: 'k' })
    await Promise.all([one.get('R'), one.get('R'), one.get('R', { key: 'other' }), client.get('R'), client.get('R')])
    expect(service.requests[0]?.body['entries']).toEqual([
      { name: 'R', seed: 'u', key: 'k' },
      { name: 'R', seed: 'u', key: 'other' },
      { name: 'R' },
      { name: 'R' },
    ])
  })

  test('are several requests if they exceed the maximum of one', async () => {
    const { client, service } = openBench({ variables: variablesOf(1000) }, { cache: false })
    const wanted = [...names(1000), 'N7']
    expect(await Promise.all(wanted.map((name) => client.get(name)))).toEqual(wanted)
    expect(service.requests.map(({ operation }) => operation)).toEqual(['evaluateBatch', 'evaluate'])
  })
})

describe('a batch that one entry fails', () => {
  test('fails only for that entry', async () => {
    const { client, service } = openBench({ variables: variablesOf(8) }, { cache: false })
    const results = await Promise.allSettled([...names(8), 'MISSING'].map((name) => client.get(name)))
    expect(results.slice(0, 8)).toEqual(names(8).map((value) => ({ status: 'fulfilled', value })))
    expect(results[8]).toMatchObject({ status: 'rejected', reason: { code: 'VARIABLE_NOT_FOUND' } })
    const keys = service.requests.map(({ requestKey }) => requestKey)
    expect(new Set(keys).size).toBe(keys.length)
  })

  test('is not retried as a whole', async () => {
    const { client, fates, host } = openBench(
      { variables: variablesOf(2) },
      { cache: false },
      new TestHost({ isHasty: true }),
    )
    fates.push(refusal(500, 'EVALUATION_FAILED'))
    expect(await client.getMany(['N0', 'N1'])).toEqual({ N0: 'N0', N1: 'N1' })
    expect(host.waits).toEqual([])
  })

  test('that fails for another reason fails for all entries', async () => {
    const { client, fates, service } = openBench({ variables: variablesOf(2) }, { cache: false })
    fates.push(refusal(402, 'USAGE_LIMIT_EXCEEDED'))
    const results = await Promise.allSettled(names(2).map((name) => client.get(name)))
    expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected'])
    expect(service.requests).toEqual([])
  })
})

test('an answer without a result for each entry is invalid', async () => {
  const { client, fates } = openBench({ variables: variablesOf(2) }, { cache: false })
  fates.push(Response.json({ results: [], requestId: 'r' }))
  await expect(client.getMany(['N0', 'N1'])).rejects.toMatchObject({ code: 'INVALID_ANSWER' })
})
