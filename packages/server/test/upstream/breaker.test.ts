import { beforeEach, describe, expect, test } from 'vitest'
import { Breaker, UpstreamUnavailable } from '../../src/upstream/breaker.ts'
import { ConcurrencyLimit } from '../../src/upstream/concurrency-limit.ts'
import { TestClock } from '../../testkit/clock.ts'
import { stopMachineClock } from '../../testkit/stopped-clock.ts'

let clock: TestClock
let breaker: Breaker
let calls: number
let pass: (ms: number) => void

beforeEach(() => {
  pass = stopMachineClock()
  clock = new TestClock()
  clock.freezeAt(0)
  breaker = new Breaker({ clock, slowMs: 10 })
  calls = 0
})

/** Fails in a later turn, after some milliseconds of the stopped clock. */
async function fail(ms: number): Promise<never> {
  calls++
  await Promise.resolve()
  pass(ms)
  throw new Error('away')
}

const failed = (ms: number): Promise<unknown> => breaker.run(() => fail(ms)).catch((error: unknown) => error)
const isRefused = async (): Promise<boolean> => (await failed(20)) instanceof UpstreamUnavailable

describe('a breaker', () => {
  test('lets no call through for a while after a slow failure, then one call at a time', async () => {
    expect(await isRefused()).toBe(false)
    expect(await isRefused()).toBe(true)
    clock.advance(2_000)
    expect(await Promise.all([isRefused(), isRefused(), isRefused()])).toEqual([false, true, true])
    expect(calls).toBe(2)
    clock.advance(2_000)
    expect(await breaker.run(async () => 'back')).toBe('back')
    expect(await Promise.all([isRefused(), isRefused()])).toEqual([false, false])
  })

  test('ignores a failure that comes at once, also of the call that it let through', async () => {
    await failed(0)
    expect(breaker.isOpen).toBe(false)
    await failed(20)
    clock.advance(2_000)
    await failed(0)
    expect(breaker.isOpen).toBe(false)
  })

  test('stays closed while other calls succeed, and for errors that are answers', async () => {
    const failing = failed(20)
    await breaker.run(async () => 'fine')
    await failing
    expect(breaker.isOpen).toBe(false)
    breaker = new Breaker({ clock, slowMs: 10, isAnswer: () => true })
    await failed(20)
    expect(breaker.isOpen).toBe(false)
  })

  test('does not stay open when the clock is set back', async () => {
    await failed(20)
    clock.advance(-3_600_000)
    expect(breaker.isOpen).toBe(false)
  })
})

describe('slots', () => {
  test('are limited in total and per key, and are passed on in order', async () => {
    const slots = new ConcurrencyLimit({ max: 3, maxPerKey: 2 })
    const never = new AbortController().signal
    const first = slots.tryAcquire('a')
    const second = slots.tryAcquire('a')
    expect(slots.tryAcquire('a')).toBeUndefined()
    const third = slots.tryAcquire('b')
    expect(slots.tryAcquire('c')).toBeUndefined()
    const order: string[] = []
    const waiting = ['a', 'b', 'a'].map(async (key, i) => {
      const release = await slots.acquire(key, never)
      order.push(`${key}${i}`)
      return release
    })
    third?.()
    const b = await waiting[1]
    first?.()
    second?.()
    await Promise.all(waiting)
    expect(order).toEqual(['b1', 'a0', 'a2'])
    expect(slots.tryAcquire('b')).toBeUndefined()
    b?.()
    expect(slots.tryAcquire('b')).toBeDefined()
  })

  test('are not given to a caller that no longer waits', async () => {
    const slots = new ConcurrencyLimit({ max: 1, maxPerKey: 1 })
    const release = slots.tryAcquire('a')
    const gone = new AbortController()
    const waiting = slots.acquire('b', gone.signal)
    gone.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    release?.()
    expect(slots.tryAcquire('c')).toBeDefined()
  })
})
