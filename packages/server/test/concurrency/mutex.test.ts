import { pause } from '../../testkit/pause.ts'
import { expect, test } from 'vitest'
import { Mutex } from '../../src/concurrency/mutex.ts'

test('work runs one after the other, in the order of arrival, also after a failure', async () => {
  const mutex = new Mutex()
  const events: string[] = []
  const work = (name: string, ms: number) =>
    mutex.run(async () => {
      events.push(`${name} begins`)
      await pause(ms)
      events.push(`${name} ends`)
      if (name === 'first') throw new Error('lost')
      return name
    })
  const first = work('first', 10)
  const later = first.catch(() => work('fourth', 0))
  await expect(first).rejects.toThrow('lost')
  await expect(Promise.all([work('second', 1), work('third', 0), later])).resolves.toEqual([
    'second',
    'third',
    'fourth',
  ])
  const names = events.filter((_, at) => at % 2 === 0).map((event) => event.split(' ')[0])
  expect(events).toEqual(names.flatMap((name) => [`${name} begins`, `${name} ends`]))
  expect(names).toHaveLength(4)
})
