import { describe, expect, test } from 'vitest'
import { openBench, refusal } from '../testkit/fetch.ts'
import { settled } from '../testkit/host.ts'

const intervalMs = 10_000

describe('a watch without a stream', () => {
  test('reports each new revision, and its requests are answered without a body', async () => {
    const { client, service, host, headers } = openBench({ variables: { A: '1' } })
    const seen: number[] = []
    client.watch(({ revision }) => seen.push(revision), { intervalMs })
    await settled()
    await host.advance(intervalMs)
    expect(seen).toEqual([])
    service.set('A', '2')
    service.set('A', '3')
    await host.advance(intervalMs)
    await host.advance(intervalMs)
    expect(seen).toEqual([3])
    const polls = headers.filter((header) => header.get('accept') === null)
    expect(polls.map((header) => header.get('if-none-match'))).toEqual([null, 'W/"1"', 'W/"1"', 'W/"3"'])
  })

  test('with `since` reports a later revision at once', async () => {
    const { client, service } = openBench({ variables: { A: '1' } })
    service.set('A', '2')
    const seen: number[] = []
    client.watch(({ revision }) => seen.push(revision), { intervalMs, since: 1 })
    client.watch(({ revision }) => seen.push(revision), { intervalMs, since: 2 })
    await settled()
    expect(seen).toEqual([2])
  })

  test('updates the values of the cache at once', async () => {
    const { client, service, host } = openBench({ variables: { A: '1' } })
    let read: Promise<unknown> | undefined
    client.watch(() => (read = client.get('A')), { intervalMs })
    await settled()
    expect(await client.get('A')).toBe('1')
    service.set('A', '2')
    await host.advance(intervalMs)
    expect(await read).toBe('2')
  })

  test('continues after failures and misses no revision', async () => {
    const { client, service, host, fates } = openBench({ variables: { A: '1' } }, { retry: false })
    const seen: number[] = []
    client.watch(({ revision }) => seen.push(revision), { intervalMs })
    await settled()
    fates.push('refused', refusal(401, 'UNAUTHORIZED'))
    service.set('A', '2')
    for (let i = 0; i < 3; i++) await host.advance(intervalMs)
    expect(seen).toEqual([2])
  })

  test('that has ended reports nothing, not even the answer to a request in progress', async () => {
    const { client, host, fates } = openBench({ variables: { A: '1' } })
    const ending = new AbortController()
    const seen: number[] = []
    client.watch(({ revision }) => seen.push(revision), { intervalMs, signal: ending.signal })
    await settled()
    const { promise, resolve } = Promise.withResolvers<Response>()
    fates.push(promise)
    await host.advance(intervalMs)
    ending.abort()
    resolve(Response.json({ manifestVersion: 1, variables: [], revision: 2, requestId: 'r' }))
    await settled()
    expect(seen).toEqual([])
  })

  test.each(['signal', 'close'])('ends by %s', async (by) => {
    const { client, service, host, count } = openBench({ variables: { A: '1' } })
    const ending = new AbortController()
    const seen: number[] = []
    client.watch(({ revision }) => seen.push(revision), { intervalMs, signal: ending.signal })
    await settled()
    if (by === 'signal') ending.abort()
    else client.close()
    service.set('A', '2')
    for (let i = 0; i < 3; i++) await host.advance(intervalMs)
    expect(seen).toEqual([])
    expect(count('manifest')).toBe(1)
  })
})
