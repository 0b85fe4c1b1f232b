import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { FairQueue } from '../../src/concurrency/fair-queue.ts'
import { LightWork, RequestLoad, Requests } from '../../src/concurrency/light-work.ts'

const maxWaiting = 3

describe('fair turns', () => {
  test('run one at a time, and holders alternate', async () => {
    const turns = new FairQueue({ light: new LightWork(), maxWaiting })
    const order: string[] = []
    let running = 0
    const work = async (holder: string): Promise<void> => {
      const end = await turns.begin(holder)
      expect(++running).toBe(1)
      order.push(holder)
      await nextTurn()
      running--
      end()
    }
    await Promise.all(['greedy', 'greedy', 'greedy', 'greedy', 'polite', 'other', 'polite'].map(work))
    expect(order).toEqual(['greedy', 'greedy', 'polite', 'other', 'greedy', 'polite', 'greedy'])
  })

  test('are refused to a holder with too many waiting pieces, and to no other', async () => {
    const turns = new FairQueue({ light: new LightWork(), maxWaiting })
    const end = await turns.begin('greedy')
    const waiting = Array.from({ length: maxWaiting }, () => turns.begin('greedy'))
    await expect(turns.begin('greedy')).rejects.toMatchObject({ code: 'RATE_LIMITED', headers: { 'retry-after': '1' } })
    waiting.push(turns.begin('polite'))
    end()
    for (const turn of waiting) void turn.then((endOfIt) => endOfIt())
    await Promise.all(waiting)
  })

  test.each([
    ['rest for four times their work beside light work', true, 80],
    ['do not rest without light work', false, 0],
  ])('%s', async (_, isLightWork, restMs) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const light = new LightWork()
    let workedMs = 0
    const turns = new FairQueue({ light, workedMs: () => workedMs })
    const end = await turns.begin('one')
    vi.advanceTimersByTime(1_000)
    workedMs += 20
    if (isLightWork) {
      light.begin()
      light.end()
    }
    end()
    let isNext = false
    void turns.begin('two').then(() => (isNext = true))
    await vi.advanceTimersByTimeAsync(Math.max(0, restMs - 1))
    expect(isNext).toBe(restMs === 0)
    await vi.advanceTimersByTimeAsync(1)
    expect(isNext).toBe(true)
  })
})

test('requests are a load while they are recent, and the event loop is busy or many are under way', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  let utilization = 0
  const usage = vi.spyOn(performance, 'eventLoopUtilization')
  usage.mockImplementation(() => ({ idle: 0, active: 0, utilization }))
  onTestFinished(() => usage.mockRestore())
  const requests = new Requests()
  const load = new RequestLoad(requests)
  const isLoad = (busy: number): boolean => {
    utilization = busy
    load.measure()
    return load.isRecent
  }
  expect(isLoad(0.9)).toBe(false)
  for (let begun = 0; begun < 9; begun++) requests.begin()
  requests.end()
  expect([isLoad(0.9), isLoad(0.4)]).toEqual([true, true])
  requests.end()
  expect([isLoad(0.9), isLoad(0.4)]).toEqual([true, false])
  vi.advanceTimersByTime(501)
  expect(isLoad(0.9)).toBe(false)
})
