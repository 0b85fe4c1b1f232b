/** Effects on members of a provider that answers late, partially or not at all. */
import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ExternalMembers } from '../../src/auth/external-members.ts'
import { createLog } from '../../src/base/log.ts'
import { TestClock } from '../../testkit/clock.ts'
import { peerTroubles, SlowPeer } from '../../testkit/slow-peer.ts'
import { stopMachineClock, stopTimeLimits } from '../../testkit/stopped-clock.ts'

let clock: TestClock
let peer: SlowPeer
let members: ExternalMembers
/** Responses that the peer has not sent yet. */
let pending: ServerResponse[]

/** A timeout longer than any test, so that a wait for it fails the test. */
const waits = { timeoutMs: 120_000, refreshTimeoutMs: 50 }

function membersOf(its = waits): ExternalMembers {
  const url = `${peer.url}/{orgId}/{userId}`
  return new ExternalMembers({ url, token: undefined }, clock, createLog('silent'), its)
}

beforeEach(async () => {
  clock = new TestClock()
  clock.freezeAt(Date.now())
  pending = []
  peer = await SlowPeer.start((response) => pending.push(response))
  members = membersOf()
})
afterEach(() => peer.close())

const requestsSent = async (count: number): Promise<void> => {
  await expect.poll(() => peer.requests).toBe(count)
}

/** Returns the membership, or the code of the error that a caller gets. */
function outcomeOf(checking: Promise<string>): Promise<string> {
  return checking.catch((error: { code: string }) => error.code)
}

function check(userId = 'ada', seenAtMs = clock.now() - 120_000, orgId = 'acme'): Promise<string> {
  return outcomeOf(members.check(orgId, userId, seenAtMs))
}

describe('a member with a valid last answer', () => {
  test.each(peerTroubles)('waits only a moment for a provider that %s', async (trouble) => {
    peer.answer = trouble
    expect(await Promise.all(Array.from({ length: 1_000 }, () => check()))).toEqual(Array(1_000).fill('member'))
    await requestsSent(1)
  })

  test('does not wait for a request for which others have waited', async () => {
    await check()
    await requestsSent(1)
    for (let i = 0; i < 100; i++) expect(await Promise.race([check(), Promise.resolve().then(ticks)])).toBe('member')
    expect(peer.requests).toBe(1)
  })

  test('is requested once after 2 seconds since a failure, and not before', async () => {
    members = membersOf({ ...waits, refreshTimeoutMs: 10_000 })
    peer.answer = 'resets'
    await check()
    clock.advance(2_000)
    await check()
    expect(peer.requests).toBe(1)
    clock.advance(1)
    expect(await Promise.all([check(), check()])).toEqual(['member', 'member'])
    await requestsSent(2)
  })

  test('is refreshed in the background in the second half of the minute', async () => {
    const fresh = (): number | undefined => members.freshAtMs('acme', 'ada', seenAtMs)
    const seenAtMs = clock.now()
    clock.advance(30_000)
    expect(fresh()).toBe(seenAtMs)
    clock.advance(20_001)
    expect(fresh()).toBe(seenAtMs)
    expect(fresh()).toBe(seenAtMs)
    await requestsSent(1)
    const askedAtMs = clock.now()
    clock.advance(5_000)
    pending[0]?.end('{}')
    await expect.poll(() => fresh()).toBe(askedAtMs)
    expect(peer.requests).toBe(1)
  })

  test('is refused from a late removal answer on, whatever older and newer tokens say', async () => {
    expect(await check()).toBe('member')
    await requestsSent(1)
    pending[0]?.writeHead(404).end()
    await expect.poll(() => members.freshAtMs('acme', 'ada', clock.now())).toBeUndefined()
    expect(await check()).toBe('removed')
    expect(await check('ada', clock.now() + 1_000)).toBe('removed')
    await requestsSent(2)
    clock.advance(1_000)
    pending[1]?.end('{}')
    await expect.poll(() => check()).toBe('member')
  })

  test('has the answer of the later of two requests', async () => {
    const early = members.checkNow('acme', 'ada')
    await requestsSent(1)
    const late = members.checkNow('acme', 'ada')
    await requestsSent(2)
    pending[1]?.writeHead(404).end()
    expect(await late).toBe('removed')
    pending[0]?.end('{}')
    expect(await early).toBe('member')
    expect(await check()).toBe('removed')
  })

  test('is accepted for 15 minutes, also by a clock that was set back', async () => {
    members = membersOf({ timeoutMs: 100, refreshTimeoutMs: 20 })
    const seenAtMs = clock.now()
    clock.advance(15 * 60_000)
    expect(await check('ada', seenAtMs)).toBe('member')
    clock.advance(2_001)
    expect(await check('ada', seenAtMs)).toBe('SERVICE_UNAVAILABLE')
    clock.advance(-31 * 60_000)
    expect(members.freshAtMs('acme', 'ada', seenAtMs)).toBeUndefined()
    expect(await check('ada', seenAtMs)).toBe('SERVICE_UNAVAILABLE')
  })
})

async function ticks(): Promise<string> {
  for (let i = 0; i < 20; i++) await Promise.resolve()
  return 'waits'
}

describe('a member without a valid answer', () => {
  const ofNothing = (userId: string, orgId = 'acme'): Promise<string> => check(userId, -Infinity, orgId)

  test.each(['hangs', 'drips'] as const)(
    'waits for the timeout of a provider that %s; later ones do not, and one at a time tries again',
    async (trouble) => {
      const pass = stopMachineClock()
      // Lets the time limit of a request run out, once the provider has it.
      const runOut = async <T>(call: () => Promise<T>): Promise<T> => {
        const resume = stopTimeLimits()
        const called = call()
        await requestsSent(peer.requests + 1)
        pass(waits.timeoutMs)
        resume()
        return called
      }
      peer.answer = trouble
      expect(await runOut(() => ofNothing('ada'))).toBe('SERVICE_UNAVAILABLE')
      const others = (): Promise<string[]> => Promise.all(Array.from({ length: 100 }, (_, i) => ofNothing(`user-${i}`)))
      expect(new Set(await others())).toEqual(new Set(['SERVICE_UNAVAILABLE']))
      expect(await outcomeOf(members.checkNow('acme', 'ada'))).toBe('SERVICE_UNAVAILABLE')
      expect(peer.requests).toBe(1)
      clock.advance(2_000)
      await runOut(others)
      expect(peer.requests).toBe(2)
      peer.answer = (response) => response.end('{"role":"admin"}')
      clock.advance(2_000)
      expect(await ofNothing('ada')).toBe('member')
      expect(await members.checkNow('acme', 'ada')).toBe('admin')
    },
  )

  test('is requested again at once after a fast failure', async () => {
    peer.answer = 'resets'
    expect(await ofNothing('ada')).toBe('SERVICE_UNAVAILABLE')
    peer.answer = (response) => response.end('{}')
    expect(await ofNothing('ada')).toBe('member')
  })

  test('is answered while the provider hangs for another organization', async () => {
    peer.answer = (response, { url }) => (url?.startsWith('/slow/') ? pending.push(response) : response.end('{}'))
    const slow = Array.from({ length: 200 }, (_, i) => ofNothing(`user-${i}`, 'slow'))
    await requestsSent(32)
    expect(await Promise.all(Array.from({ length: 200 }, (_, i) => ofNothing(`user-${i}`)))).toEqual(
      Array(200).fill('member'),
    )
    peer.answer = (response) => response.end('{}')
    for (const response of pending) response.end('{}')
    expect(await Promise.all(slow)).toEqual(Array(200).fill('member'))
    expect(peer.maxOpen).toBeLessThanOrEqual(64)
  })
})

test('10,000 members of an organization whose minute ends together are requested a few at a time', async () => {
  const seenAtMs = clock.now()
  const users = Array.from({ length: 10_000 }, (_, i) => `user-${i}`)
  const isFresh = (user: string): boolean => members.freshAtMs('acme', user, seenAtMs) === seenAtMs
  clock.advance(40_000)
  // Refreshes are spread over the end of the minute, so some of these few are not due yet.
  const due = users.slice(0, 32).filter((user) => isFresh(user))
  expect(due).toHaveLength(32)
  await expect.poll(() => peer.requests).toBeGreaterThan(4)
  expect(peer.requests).toBeLessThan(28)
  clock.advance(19_000)
  expect(users.every(isFresh)).toBe(true)
  await requestsSent(32)
  expect(users.every(isFresh)).toBe(true)
  expect(peer.maxOpen).toBe(32)
})

test('without a membership endpoint, the owners are those of the settings', async () => {
  const without = new ExternalMembers(
    { url: undefined, token: undefined, ownerIds: ['ada'] },
    clock,
    createLog('silent'),
  )
  expect(await without.checkNow('acme', 'ada')).toBe('owner')
  expect(await without.checkNow('acme', 'grace')).toBe('member')
})
