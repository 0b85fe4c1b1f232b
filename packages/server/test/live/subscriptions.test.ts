import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Reader } from '../../src/storage/sql.ts'
import type { ChangeEvent } from '../../src/live/change-events.ts'
import { Subscriptions, type Subscriber } from '../../src/live/subscriptions.ts'
import { silent } from '../storage/temporary.ts'
import { live, newNode, newStore, secret } from '../stages/node.ts'

/** Opens subscriptions on a store that counts its statements and fails while it is down. */
async function opened() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { sql, clock } = await newStore()
  const node = await newNode(sql, clock)
  await node.write({ entries: [secret('A')] })
  const projectId = (await node.stages.current(live))?.projectId ?? ''
  const state = { questions: 0, isDown: false }
  const counting: Reader = {
    all: (...args) => {
      state.questions++
      return state.isDown ? Promise.reject(new Error('down')) : sql.all(...args)
    },
  }
  const watch = new Subscriptions({ sql: counting, log: silent })
  let subscribers = 0
  const newWatcher = (
    orgId = 'org_1',
    origin = { credential: `credential ${subscribers++}`, address: '192.0.2.1' },
  ): Subscriber & { events: ChangeEvent[]; ended: boolean } => ({
    filter: { orgId, projectId, since: undefined, includes: () => true },
    origin,
    cursor: undefined,
    events: [],
    ended: false,
    notify(event) {
      this.events.push(event)
    },
    end() {
      this.ended = true
    },
  })
  /** Lets one second pass, and waits for the work that it starts. */
  const second = async (): Promise<void> => {
    vi.advanceTimersByTime(1_000)
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  }
  return { node, watch, newWatcher, state, second }
}

describe('subscriptions', () => {
  test('poll once a second for all subscribers, read each change once, and do not poll without subscribers', async () => {
    const { node, watch, newWatcher, state, second } = await opened()
    await second()
    expect(state.questions).toBe(0)
    const subscribers = Array.from({ length: 50 }, () => newWatcher())
    await Promise.all(subscribers.map((subscriber) => watch.start(subscriber)))
    expect(state.questions).toBe(1)
    for (let count = 0; count < 3; count++) await second()
    expect(state.questions).toBe(4)
    await node.write({ entries: [secret('B')] })
    await second()
    // The poll, the touched names, and the start of the history.
    expect(state.questions).toBe(7)
    const event = [{ stageSlug: 'live', revision: 2, names: ['B'] }]
    expect(subscribers.map(({ events }) => events)).toEqual(subscribers.map(() => event))
    for (const subscriber of subscribers) watch.stop(subscriber)
    await second()
    expect(state.questions).toBe(7)
  })

  test('continue after an outage of the store without missing an event', async () => {
    const { node, watch, newWatcher, state, second } = await opened()
    const subscriber = newWatcher()
    await watch.start(subscriber)
    state.isDown = true
    await node.write({ entries: [secret('B')] })
    await second()
    await expect(watch.start(newWatcher())).rejects.toThrow('down')
    state.isDown = false
    await second()
    expect(subscriber.events).toEqual([{ stageSlug: 'live', revision: 2, names: ['B'] }])
  })

  test('allow 1,000 per node, 100 per organization, and none after close', async () => {
    const { watch, newWatcher } = await opened()
    const start = (orgId: string) =>
      watch.start(newWatcher(orgId)).then(
        () => 'ok',
        ({ code }: { code: string }) => code,
      )
    const outcomes = await Promise.all(Array.from({ length: 10 * 101 }, (_, index) => start(`org_${index % 10}`)))
    expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(1_000)
    expect(new Set(outcomes.slice(1_000))).toEqual(new Set(['RATE_LIMITED']))
    expect(await start('org_11')).toBe('RATE_LIMITED')
    watch.close()
    expect(await start('org_11')).toBe('SERVICE_UNAVAILABLE')
  })

  test('allow 10 per credential and IP address, 25 per credential, and new ones when others have ended', async () => {
    const { watch, newWatcher } = await opened()
    const startAll = async (count: number, credential: string, address: string) => {
      const subscribers = Array.from({ length: count }, () => newWatcher('org_1', { credential, address }))
      const outcomes = await Promise.allSettled(subscribers.map((subscriber) => watch.start(subscriber)))
      return subscribers.filter((_, index) => outcomes[index]?.status === 'fulfilled')
    }
    const [first] = await startAll(11, 'one', 'here')
    expect(await startAll(11, 'one', 'there')).toHaveLength(10)
    expect(await startAll(11, 'one', 'elsewhere')).toHaveLength(5)
    expect(await startAll(11, 'two', 'here')).toHaveLength(10)
    watch.stop(first as Subscriber)
    expect(await startAll(2, 'one', 'here')).toHaveLength(1)
  })

  test('end all subscribers on close', async () => {
    const { watch, newWatcher } = await opened()
    const subscriber = newWatcher()
    await watch.start(subscriber)
    watch.close()
    expect(subscriber.ended).toBe(true)
  })
})
