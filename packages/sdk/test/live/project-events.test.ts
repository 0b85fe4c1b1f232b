/** The events of a project, from a service that a test controls byte by byte. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { Connection } from '../../src/connection.ts'
import type { Fetch } from '../../src/index.ts'
import { ProjectEvents } from '../../src/live/project-events.ts'
import type { TokenSource } from '../../src/types.ts'
import { refusal } from '../../testkit/fetch.ts'
import { settled, TestHost } from '../../testkit/host.ts'

/** A stream that the test writes. */
interface Stream {
  readonly send: (text: string) => Promise<void>
  readonly end: () => Promise<void>
  readonly breakOff: () => Promise<void>
  readonly isCanceled: () => boolean
}

function follow({
  refusals = [],
  since,
  token = 'test',
}: { refusals?: Response[]; since?: string; token?: string | TokenSource } = {}) {
  const host = new TestHost()
  const log: string[] = []
  const requests: string[] = []
  const streams: Stream[] = []
  const fetch: Fetch = async (url, { headers, signal }) => {
    requests.push(`${new URL(url).searchParams.get('since')} ${headers['authorization']?.replace('Bearer ', '')}`)
    const refused = refusals.shift()
    if (refused) return refused
    let controller!: ReadableStreamDefaultController<Uint8Array>
    const body = new ReadableStream<Uint8Array>({ start: (its) => void (controller = its) })
    signal.addEventListener('abort', () => controller.error(signal.reason))
    streams.push({
      send: async (text) => {
        controller.enqueue(new TextEncoder().encode(text))
        await settled()
      },
      end: async () => {
        controller.close()
        await settled()
      },
      breakOff: async () => {
        controller.error(new TypeError('terminated'))
        await settled()
      },
      isCanceled: () => signal.aborted,
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
  }
  const connection = new Connection({ url: 'https://rollkey.test', token, fetch }, host)
  const events = new ProjectEvents(connection, { orgSlug: 'acme', projectSlug: 'shop', ...(since && { since }) })
  const ending = new AbortController()
  onTestFinished(() => ending.abort())
  const listener = {
    onConnected: (isConnected: boolean) => void log.push(isConnected ? 'connected' : 'waiting'),
    onEvents: (changes: readonly { stageSlug: string; revision: number }[], cursor: string) =>
      void log.push(`${changes.map(({ stageSlug, revision }) => `${stageSlug} ${revision}`).join()} at ${cursor}`),
  }
  const withProposals = {
    ...listener,
    onReset: () => void log.push('reset'),
    onProposals: (stages: readonly string[]) => void log.push(`moved ${stages.join()}`),
  }
  const start = (signal = ending.signal): Promise<void> => events.follow(withProposals, signal)
  const followed = start()
  followed.catch(() => {})
  return { host, log, requests, streams, ending, followed, start }
}

function event(stage: string, revision: number, id: string, type = 'revision'): string {
  return `event: ${type}\nid: ${id}\ndata: ${JSON.stringify({ stageSlug: stage, revision })}\n\n`
}

describe('the events of a project', () => {
  test('report stages whose proposed changes moved, and a cursor that continues after that', async () => {
    const { log, requests, streams } = follow()
    await settled()
    await streams[0]!.send('id: dev:1\n\n')
    await streams[0]!.send('event: change\nid: dev:1,dev!:4\ndata: {"stageSlug":"dev"}\n\n')
    expect(log.slice(2)).toEqual([' at dev:1', ' at dev:1,dev!:4', 'moved dev'])
    expect(requests).toHaveLength(1)
  })

  test('report a reset of all stages before what comes with it, and events that share an id', async () => {
    const { log, streams } = follow()
    await settled()
    await streams[0]!.send('id: x!:1\n\n')
    await streams[0]!.send(`event: reset\nid: y!:1\ndata: {}\n\n${event('dev', 2, 'z!:1')}`)
    await streams[0]!.send(event('dev', 3, 'z!:1'))
    expect(log.slice(2)).toEqual([' at x!:1', 'reset', 'dev 2 at z!:1', 'dev 3 at z!:1'])
  })

  test('arrive one by one or together, and end with the signal', async () => {
    const { log, requests, streams, ending, followed } = follow()
    await settled()
    expect(log).toEqual(['waiting'])
    await streams[0]!.send('id: dev:1\n\n')
    for (const byte of event('dev', 2, 'dev:2')) await streams[0]!.send(byte)
    await streams[0]!.send(event('dev', 3, 'dev:3') + event('qa', 1, 'dev:3,qa:1', 'reset'))
    await streams[0]!.send(':\n\nevent: end\ndata: {}\n\n')
    expect(log).toEqual(['waiting', 'connected', ' at dev:1', 'dev 2 at dev:2', 'dev 3,qa 1 at dev:3,qa:1'])
    ending.abort()
    await followed
    expect(streams[0]!.isCanceled()).toBe(true)
    expect(requests).toEqual(['null test'])
  })

  test('continue after the last one when the stream ends or breaks, and within one that was cut off', async () => {
    const { host, log, requests, streams } = follow({ since: 'dev:1' })
    await settled()
    await streams[0]!.send(event('dev', 2, 'dev:2') + 'event: revision\nid: dev:3\ndata: {"stage')
    await streams[0]!.breakOff()
    expect(log.splice(0)).toEqual(['waiting', 'connected', 'dev 2 at dev:2', 'waiting'])
    await host.advance(1_000)
    await streams[1]!.send(event('dev', 3, 'dev:3'))
    await streams[1]!.end()
    await host.advance(2_000)
    expect(log).toEqual(['connected', 'dev 3 at dev:3', 'waiting'])
    expect(requests).toEqual(['dev:1 test', 'dev:2 test', 'dev:3 test'])
  })

  test('continue from where an earlier call ended', async () => {
    const { requests, streams, ending, followed, start } = follow()
    await settled()
    await streams[0]!.send('id: dev:7\n\n')
    ending.abort()
    await followed
    const later = new AbortController()
    const again = start(later.signal)
    await settled()
    expect(requests).toEqual(['null test', 'dev:7 test'])
    later.abort()
    await again
  })

  test('are requested again after 35 seconds of silence, not while heartbeats arrive', async () => {
    const { host, streams } = follow()
    await settled()
    await streams[0]!.send('id: dev:1\n\n')
    for (let count = 0; count < 4; count++) {
      await host.advance(30_000)
      await streams[0]!.send(':\n\n')
    }
    expect(streams).toHaveLength(1)
    await host.advance(35_000)
    expect(streams[0]!.isCanceled()).toBe(true)
    await host.advance(1_000)
    expect(streams).toHaveLength(2)
  })

  test('are requested with longer waits after each failure, and as long as the service asks', async () => {
    const refusals = [
      refusal(503, 'SERVICE_UNAVAILABLE'),
      new Response('<html>', { status: 502 }),
      refusal(429, 'RATE_LIMITED', { 'retry-after': '10' }),
      new Response('<html>', { status: 500 }),
      ...Array.from({ length: 4 }, () => refusal(500, 'INTERNAL')),
    ]
    const { host, streams } = follow({ refusals })
    for (let count = 0; count < 8; count++) {
      await settled()
      await host.advance(45_000)
    }
    expect(host.waits.slice(0, 8)).toEqual([1_000, 2_000, 14_000, 8_000, 16_000, 30_000, 30_000, 30_000])
    expect(streams).toHaveLength(1)
  })

  test('are requested soon after a stream that lasted', async () => {
    const { host, streams } = follow({ refusals: [refusal(503, 'SERVICE_UNAVAILABLE')] })
    await settled()
    await host.advance(1_000)
    await streams[0]!.send('id: dev:1\n\n')
    await host.advance(6_000)
    await streams[0]!.end()
    expect(host.waits.at(-1)).toBe(1_000)
  })

  test('are requested once more with another token if the service refuses one', async () => {
    let count = 0
    const token: TokenSource = { token: async () => `t${count}`, renew: async () => `t${++count}` }
    const { requests, streams } = follow({ token, refusals: [refusal(401, 'UNAUTHORIZED')] })
    await settled()
    await streams[0]!.send('id: dev:1\n\n')
    expect(requests).toEqual(['null t0', 'null t1'])
    const second = follow({ token, refusals: [refusal(401, 'UNAUTHORIZED'), refusal(401, 'UNAUTHORIZED')] })
    await expect(second.followed).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })

  test.each([
    ['a refusal that does not pass', refusal(403, 'FORBIDDEN'), 'FORBIDDEN'],
    ['an older service', refusal(404, 'NOT_FOUND'), 'NOT_FOUND'],
    [
      'a page in place of a stream',
      new Response('<html>', { headers: { 'content-type': 'text/html' } }),
      'INVALID_ANSWER',
    ],
  ])('end with %s', async (_, response, code) => {
    const { followed, host } = follow({ refusals: [response] })
    await expect(followed).rejects.toMatchObject({ code })
    expect(host.waits).toEqual([])
  })

  test('end with an event that is not JSON', async () => {
    const { streams, followed } = follow()
    await settled()
    await streams[0]!.send('event: revision\nid: dev:1\ndata: {\n\n')
    await expect(followed).rejects.toMatchObject({ code: 'INVALID_ANSWER' })
  })
})
