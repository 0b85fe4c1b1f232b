import { describe, expect, test } from 'vitest'
import { createClient } from '../src/index.ts'
import { createTestService } from '../src/testing/index.ts'
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
    expect(headers.map((header) => header.get('if-none-match'))).toEqual([null, 'W/"1"', 'W/"1"', 'W/"3"'])
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

/** Long enough that only a stream reports a change during a test. */
const never = 3_600_000

/** Opens a client whose stream a test ends, and refuses or begins. */
function flaky() {
  let first: string | undefined = 'id: test:1\n\n'
  let controller: ReadableStreamDefaultController<Uint8Array>
  const streams = async (): Promise<Response> => {
    if (first === undefined) return refusal(503, 'SERVICE_UNAVAILABLE')
    const body = new ReadableStream<Uint8Array>({ start: (its) => void (controller = its) })
    controller.enqueue(new TextEncoder().encode(first))
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
  const bench = openBench({ variables: { A: '1' } }, { retry: false }, undefined, streams)
  return {
    ...bench,
    fail: async () => {
      controller.error(new TypeError('terminated'))
      await settled()
    },
    send: async (text: string) => {
      controller.enqueue(new TextEncoder().encode(text))
      await settled()
    },
    refuse: () => void (first = undefined),
    /** Opens further streams with this text. */
    accept: (text: string) => void (first = text),
  }
}

describe('a watch with a stream', () => {
  test('reports each change at once, without a request', async () => {
    const service = createTestService({ variables: { A: '1' } })
    const { client, requests } = service
    const seen: number[] = []
    client.watch(({ revision }) => seen.push(revision), { intervalMs: never })
    await settled()
    const before = requests.length
    service.set('A', '2')
    await settled()
    await client.write({ entries: [{ kind: 'secret', name: 'A', value: '3' }] })
    await settled()
    expect(seen).toEqual([2, 3])
    expect(requests.slice(before).map(({ operation }) => operation)).toEqual(['write'])
    client.close()
  })

  test('reports only its stage, and once what `since` missed', async () => {
    const service = createTestService({ variables: { A: '1' } })
    const { client } = service
    const seen: string[] = []
    const dev = client.at({ stage: 'dev' })
    dev.watch(({ revision }) => seen.push(`dev ${revision}`), { intervalMs: never })
    service.set('A', '2')
    client.watch(({ revision }) => seen.push(`test ${revision}`), { intervalMs: never, since: 1 })
    await settled()
    await dev.write({ entries: [{ kind: 'secret', name: 'B', value: '1' }] })
    await settled()
    expect(seen).toEqual(['test 2', 'dev 1'])
    client.close()
  })

  test('updates the values of the cache', async () => {
    const service = createTestService({ variables: { A: '1' } })
    const client = createClient({ ...service.options, cache: {} })
    let read: Promise<unknown> | undefined
    client.watch(() => (read = client.get('A')), { intervalMs: never })
    expect(await client.get('A')).toBe('1')
    service.set('A', '2')
    await settled()
    expect(await read).toBe('2')
    client.close()
  })

  test('is shared by all watches of a project, and closed with the last one', async () => {
    const service = createTestService({ variables: { A: '1' } })
    const signals: AbortSignal[] = []
    const client = createClient({
      ...service.options,
      fetch: (url, init) => {
        if (url.includes('/v1/events')) signals.push(init.signal)
        return service.options.fetch!(url, init)
      },
    })
    const endings = [new AbortController(), new AbortController()]
    for (const { signal } of endings) client.watch(() => {}, { signal, intervalMs: never })
    client.at({ stage: 'dev' }).watch(() => {}, { signal: endings[0]!.signal, intervalMs: never })
    await settled()
    expect(signals).toHaveLength(1)
    endings[0]!.abort()
    expect(signals[0]!.aborted).toBe(false)
    endings[1]!.abort()
    expect(signals[0]!.aborted).toBe(true)
    client.watch(() => {}, { intervalMs: never })
    await settled()
    expect(signals).toHaveLength(2)
    client.close()
    expect(signals[1]!.aborted).toBe(true)
  })

  test('names what changed since the last report, and not what it may have missed', async () => {
    const service = createTestService({ variables: { A: '1' } })
    const { client } = service
    const seen: unknown[] = []
    client.watch((change) => seen.push(change), { intervalMs: never })
    await settled()
    service.set('B', '1')
    await settled()
    client.watch((change) => seen.push(change), { intervalMs: never, since: 1 })
    service.delete('A')
    await settled()
    const [second, third] = [
      { revision: 2, names: ['B'] },
      { revision: 3, names: ['A'] },
    ]
    expect(seen).toEqual([second, { revision: 2 }, third, third])
    client.close()
  })

  test('names what changed while its stream was away, unless polling has reported a part of it', async () => {
    for (const hasPolled of [false, true]) {
      const { client, host, service, fail, accept } = flaky()
      const seen: unknown[] = []
      client.watch((change) => seen.push(change), { intervalMs: hasPolled ? 100 : never })
      await settled()
      await fail()
      service.set('A', '2')
      await host.advance(500)
      service.set('B', '2')
      accept('event: revision\nid: test:3\ndata: {"stageSlug":"test","revision":3,"names":["A","B"]}\n\n')
      await host.advance(500)
      const last = { revision: 3, names: ['A', 'B'] }
      expect(seen).toEqual(hasPolled ? [{ revision: 2 }, last] : [last])
      client.close()
    }
  })

  test('polls as soon as a stream that has ended cannot be opened again', async () => {
    const { client, host, service, fail, refuse } = flaky()
    const seen: number[] = []
    client.watch(({ revision }) => seen.push(revision), { intervalMs: never })
    await settled()
    refuse()
    await fail()
    service.set('A', '2')
    expect(seen).toEqual([])
    await host.advance(1_000)
    expect(seen).toEqual([2])
    client.close()
  })

  describe('of a project with many stages, whose cursor names no revisions,', () => {
    const cursor = (digit: string): string => `${digit.repeat(64)}!:1000`
    const event = (revision: number, names: string[]): string =>
      `event: revision\nid: ${cursor(String(revision))}\ndata: ${JSON.stringify({ stageSlug: 'test', revision, names })}\n\n`
    const other = `event: revision\nid: ${cursor('9')}\ndata: {"stageSlug":"other","revision":9,"names":["A"]}\n\n`

    test('asks once for the revision, then reports what the stream tells of its stage', async () => {
      const { client, count, accept, send } = flaky()
      accept(`id: ${cursor('1')}\n\n`)
      const seen: unknown[] = []
      client.watch((change) => seen.push(change), { intervalMs: never })
      await settled()
      const asked = count('manifest')
      await send(other)
      await send(event(2, ['A']))
      await send(event(3, ['B']) + other)
      expect(seen).toEqual([
        { revision: 2, names: ['A'] },
        { revision: 3, names: ['B'] },
      ])
      expect(count('manifest')).toBe(asked)
      client.watch((change) => seen.push(change), { intervalMs: never, since: 3 })
      await settled()
      expect(count('manifest')).toBeGreaterThan(asked)
      client.close()
    })

    test('asks again after a reset and whenever the stream was away, and misses nothing', async () => {
      const { client, host, service, accept, fail, send } = flaky()
      accept(`id: ${cursor('1')}\n\n`)
      const seen: number[] = []
      client.watch(({ revision }) => seen.push(revision), { intervalMs: never })
      await settled()
      service.set('A', '2')
      await send(`event: reset\nid: ${cursor('2')}\ndata: {}\n\n`)
      expect(seen).toEqual([2])
      await fail()
      service.set('A', '3')
      await host.advance(1_000)
      expect(seen).toEqual([2, 3])
      client.close()
    })

    test('asks after the request in progress, whose answer may be older than the stream', async () => {
      const { client, service, fates, accept } = flaky()
      accept(`id: ${cursor('1')}\n\n`)
      const { promise, resolve } = Promise.withResolvers<Response>()
      fates.push(promise)
      const seen: number[] = []
      client.watch(({ revision }) => seen.push(revision), { intervalMs: never, since: 1 })
      await settled()
      service.set('A', '2')
      resolve(Response.json({ manifestVersion: 1, variables: [], revision: 1, requestId: 'r' }))
      await settled()
      expect(seen).toEqual([2])
      client.close()
    })

    test('polls if it cannot ask, until it can', async () => {
      const { client, host, service, fates, accept } = flaky()
      accept(`id: ${cursor('1')}\n\n`)
      fates.push('refused', 'refused')
      const seen: number[] = []
      client.watch(({ revision }) => seen.push(revision), { intervalMs: 20_000, since: 1 })
      await settled()
      service.set('A', '2')
      await host.advance(20_000)
      expect(seen).toEqual([2])
      client.close()
    })
  })

  test('reports when the service is lost and found', async () => {
    const { client, host, fates, count, fail, refuse, accept } = flaky()
    const seen: boolean[] = []
    client.watch(() => {}, { intervalMs: 20_000, onReachable: (isReachable) => seen.push(isReachable) })
    await settled()
    refuse()
    fates.push('refused')
    await fail()
    expect(seen).toEqual([])
    await host.advance(1_000)
    expect(seen).toEqual([false])
    accept('id: test:1\n\n')
    await host.advance(2_000)
    expect(seen).toEqual([false, true])
    const polls = count('manifest')
    await host.advance(30_000)
    expect(count('manifest')).toBe(polls)
    client.close()
  })

  test('polls while the stream is away, and not while it is open', async () => {
    const service = createTestService({ variables: { A: '1' } })
    const answers = [refusal(503, 'SERVICE_UNAVAILABLE'), refusal(429, 'RATE_LIMITED', { 'retry-after': '20' })]
    const bench = openBench({ variables: { A: '1' } }, {}, undefined, async (url, init) => {
      return answers.shift() ?? (service.options.fetch as typeof fetch)(url, init)
    })
    bench.client.watch(() => {}, { intervalMs })
    await settled()
    for (let count = 0; count < 4; count++) await bench.host.advance(intervalMs)
    expect(answers).toEqual([])
    const polls = bench.count('manifest')
    expect(polls).toBeGreaterThan(3)
    for (let count = 0; count < 3; count++) await bench.host.advance(intervalMs)
    expect(bench.count('manifest')).toBe(polls)
  })

  test('polls while a proxy holds the stream back', async () => {
    const held = async (): Promise<Response> =>
      new Response(new ReadableStream({}), { headers: { 'content-type': 'text/event-stream' } })
    const { client, host, service, count } = openBench({ variables: { A: '1' } }, {}, undefined, held)
    const seen: number[] = []
    client.watch(({ revision }) => seen.push(revision), { intervalMs })
    await settled()
    service.set('A', '2')
    for (let index = 0; index < 12; index++) await host.advance(intervalMs)
    expect(seen).toEqual([2])
    expect(count('manifest')).toBeGreaterThan(12)
    client.close()
  })

  test('tries the stream again after some minutes if the service has none', async () => {
    let isOld = true
    const other = createTestService({ variables: { A: '1' } })
    const bench = openBench({ variables: { A: '1' } }, {}, undefined, async (url, init) => {
      return isOld ? refusal(404, 'NOT_FOUND') : (other.options.fetch as typeof fetch)(url, init)
    })
    const seen: number[] = []
    bench.client.watch(({ revision }) => seen.push(revision), { intervalMs: never })
    await settled()
    isOld = false
    await bench.host.advance(300_000)
    other.set('A', '2')
    await settled()
    expect(seen).toEqual([2])
  })

  test('ends with an error that the listener throws, and no other watch does', async () => {
    const service = createTestService({ variables: { A: '1' } })
    const { client } = service
    const seen: number[] = []
    const rejections: unknown[] = []
    const listeners = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection')
    process.on('unhandledRejection', (reason) => rejections.push(reason))
    const error = new Error('of the listener')
    client.watch(
      () => {
        throw error
      },
      { intervalMs: never },
    )
    client.watch(({ revision }) => seen.push(revision), { intervalMs: never })
    await settled()
    service.set('A', '2')
    await settled()
    service.set('A', '3')
    await settled()
    process.removeAllListeners('unhandledRejection')
    for (const listener of listeners) process.on('unhandledRejection', listener)
    expect(seen).toEqual([2, 3])
    expect(rejections).toEqual([error])
    client.close()
  })
})
