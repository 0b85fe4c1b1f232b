import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Patience, pause } from './patience.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('patience', () => {
  it('is over so long after what was heard last', () => {
    const patience = new Patience(1_000)
    vi.advanceTimersByTime(999)
    patience.renew()
    vi.advanceTimersByTime(999)
    expect(patience.signal.aborted).toBe(false)
    vi.advanceTimersByTime(1)
    expect(patience.signal.aborted).toBe(true)
  })

  it('is never over once it is stopped', () => {
    const patience = new Patience(1_000)
    patience.stop()
    vi.advanceTimersByTime(2_000)
    expect(patience.signal.aborted).toBe(false)
  })
})

describe('a pause', () => {
  it('ends after its time, or at once where nobody waits any more', async () => {
    const ended: string[] = []
    const abort = new AbortController()
    void pause(1_000, new AbortController().signal).then(() => ended.push('in time'))
    void pause(1_000, abort.signal).then(() => ended.push('at once'))
    abort.abort()
    await vi.advanceTimersByTimeAsync(0)
    expect(ended).toEqual(['at once'])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(ended).toEqual(['at once', 'in time'])
  })
})
