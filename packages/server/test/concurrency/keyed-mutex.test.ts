import { pause } from '../../testkit/pause.ts'
import { describe, expect, test } from 'vitest'
import { KeyedMutex } from '../../src/concurrency/keyed-mutex.ts'

describe('work of one key', () => {
  test('runs one after the other, in the order of arrival', async () => {
    const turns = new KeyedMutex()
    const events: string[] = []
    const work = (name: string, ms: number) =>
      turns.run('A', async () => {
        events.push(`${name} begins`)
        await pause(ms)
        events.push(`${name} ends`)
        return name
      })
    const results = await Promise.all([work('first', 10), work('second', 1), work('third', 0)])
    expect(results).toEqual(['first', 'second', 'third'])
    expect(events).toEqual(['first begins', 'first ends', 'second begins', 'second ends', 'third begins', 'third ends'])
  })

  test('continues after work that failed, and only its caller sees the failure', async () => {
    const turns = new KeyedMutex()
    const failed = turns.run('A', () => Promise.reject(new Error('lost')))
    const next = turns.run('A', () => Promise.resolve('done'))
    await expect(failed).rejects.toThrow('lost')
    await expect(next).resolves.toBe('done')
  })

  test('also waits for work that arrived while the last one was ending', async () => {
    const turns = new KeyedMutex()
    let running = 0
    const alone = async (): Promise<void> => {
      running++
      expect(running).toBe(1)
      await pause(0)
      running--
    }
    const chained = turns.run('A', alone).then(() => turns.run('A', alone))
    await Promise.all([chained, turns.run('A', alone), turns.run('A', alone)])
  })
})

describe('work of different keys', () => {
  test('does not wait for each other', async () => {
    const turns = new KeyedMutex()
    const slow = Promise.withResolvers<void>()
    const waiting = turns.run('A', () => slow.promise)
    await expect(turns.run('B', () => Promise.resolve('done'))).resolves.toBe('done')
    slow.resolve()
    await waiting
  })
})
