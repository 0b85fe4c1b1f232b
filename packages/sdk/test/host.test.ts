import { describe, expect, test } from 'vitest'
import { system } from '../src/host.ts'

/** Returns the number of timers that keep the process alive. */
function timers(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
}

describe('a wait', () => {
  test('keeps the process alive unless it is idle', () => {
    const ending = new AbortController()
    const before = timers()
    void system.wait(60_000, { signal: ending.signal, idle: true })
    expect(timers()).toBe(before)
    void system.wait(60_000, { signal: ending.signal })
    expect(timers()).toBe(before + 1)
    ending.abort()
    expect(timers()).toBe(before)
  })

  test('ends by its time or its signal, and does not begin with an aborted signal', async () => {
    await system.wait(1)
    const ending = new AbortController()
    const waited = system.wait(60_000, { signal: ending.signal })
    ending.abort()
    await waited
    await system.wait(60_000, { signal: ending.signal })
    expect(ending.signal.aborted).toBe(true)
  })
})

test('`soon` runs after the current turn of the event loop', async () => {
  const order: string[] = []
  const soon = new Promise<void>((resolve) => system.afterTurn(() => resolve()))
  await Promise.all([soon.then(() => order.push('soon')), Promise.resolve().then(() => order.push('first'))])
  expect(order).toEqual(['first', 'soon'])
})
