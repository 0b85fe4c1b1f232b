import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { singleWriter } from '../../src/consistency/read-validator.ts'
import type { Reader } from '../../src/storage/sql.ts'
import { insertStage } from '../../src/storage/stages.ts'
import type { ChangeEvent } from '../../src/live/change-events.ts'
import { visibleStages, type Subscriber } from '../../src/live/subscriber.ts'
import { Subscriptions } from '../../src/live/subscriptions.ts'
import { stopMachineClock } from '../../testkit/stopped-clock.ts'
import { silent, temporaryShared, temporaryStore } from '../storage/temporary.ts'
import { live, newNode, newSharedNode, newStore, secret, startMs } from '../stages/node.ts'

/** Opens subscriptions on a store that counts its statements and their rows, and fails while it is down. */
async function opened(open = temporaryStore) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { sql, clock } = await newStore(open)
  const node = await (open === temporaryShared ? newSharedNode : newNode)(sql, clock)
  await node.write({ entries: [secret('A')] })
  const projectId = (await node.stages.current(live))?.projectId ?? ''
  const state = { questions: 0, rows: 0, isDown: false, afterAnswer: (): void => {} }
  const counting: Reader = {
    all: async <Row>(...args: Parameters<Reader['all']>) => {
      state.questions++
      if (state.isDown) throw new Error('down')
      const rows = await sql.all<Row>(...args)
      state.rows += rows.length
      state.afterAnswer()
      return rows
    },
  }
  const logicalClock = { now: 0, voidUpTo: 0, next: () => 0 }
  const watch = new Subscriptions({ sql: counting, log: silent, logicalClock })
  let subscribers = 0
  const newWatcher = (
    orgId = 'org_1',
    origin = { credential: `credential ${subscribers++}`, address: '192.0.2.1' },
  ): Subscriber & { events: ChangeEvent[]; ticks: number; ended: boolean } => ({
    filter: { orgId, projectId, since: undefined, visible: () => visibleStages('all') },
    origin,
    id: undefined,
    events: [],
    ticks: 0,
    ended: false,
    notify(event) {
      this.events.push(event)
    },
    tick() {
      this.ticks++
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
  /** Changes the store as another database would be, which has another audit log. */
  const change = (script: string) => sql.tx((tx) => tx.script(`${script}; update audit_heads set chain = 'other'`))
  return { sql, clock, projectId, change, node, watch, newWatcher, state, second, logicalClock }
}

describe('subscriptions', () => {
  test('poll once a second for all subscribers, read each change once, and do not poll without subscribers', async () => {
    const { node, watch, newWatcher, state, second } = await opened()
    await second()
    expect(state.questions).toBe(0)
    const subscribers = Array.from({ length: 50 }, () => newWatcher())
    await Promise.all(subscribers.map((subscriber) => watch.start(subscriber)))
    // The end of the audit log, and the stages.
    expect(state.questions).toBe(2)
    for (let count = 0; count < 3; count++) await second()
    expect(state.questions).toBe(5)
    await node.write({ entries: [secret('B')] })
    await second()
    // Also the touched names, and the start of the history.
    expect(state.questions).toBe(9)
    const event = [{ stageSlug: 'live', revision: 2, names: ['B'] }]
    expect(subscribers.map(({ events }) => events)).toEqual(subscribers.map(() => event))
    for (const subscriber of subscribers) watch.stop(subscriber)
    await second()
    expect(state.questions).toBe(9)
  })

  test.each([
    ['the embedded store', temporaryStore],
    ['PostgreSQL', temporaryShared],
  ])('read one row of an organization while nothing changes, however many stages it has, on %s', async (_, open) => {
    const { sql, projectId, node, watch, newWatcher, state } = await opened(open)
    await sql.tx(async (tx) => {
      for (let index = 0; index < 1_000; index++) {
        const stage = { id: `stg_preview_${index}`, slug: `preview-${index}`, by: 'user_1', nowMs: startMs }
        await insertStage(tx, projectId, stage)
      }
    })
    const subscriber = newWatcher()
    await watch.start(subscriber)
    expect(state.rows).toBe(1 + 1_001)
    /** Lets a second pass. The start of another subscriber shares its poll, and shows that it has ended. */
    const poll = async (): Promise<[questions: number, rows: number]> => {
      Object.assign(state, { questions: 0, rows: 0 })
      vi.advanceTimersByTime(1_000)
      const last = newWatcher()
      await watch.start(last)
      watch.stop(last)
      return [state.questions, state.rows]
    }
    expect(await poll()).toEqual([1, 1])
    await node.write({ entries: [secret('B')] })
    await poll()
    expect(subscriber.events).toEqual([{ stageSlug: 'live', revision: 2, names: ['B'] }])
    expect(await poll()).toEqual([1, 1])
  })

  test.each([
    ['the same number', 'updated_at_ms = updated_at_ms + 1'],
    ['a lower number', 'revision = revision - 1'],
    ['another id', "id = 'stg_other'"],
  ])('send a reset where the store has another revision of %s', async (_, changes) => {
    const { change, node, watch, newWatcher, second } = await opened()
    await node.write({ entries: [secret('B')] })
    const [subscriber, newer] = [newWatcher(), newWatcher()]
    await watch.start(subscriber)
    await change(`delete from variables; delete from variable_history; update stages set ${changes}`)
    await second()
    const reset = { stageSlug: 'live', revision: changes.startsWith('revision') ? 1 : 2, names: undefined }
    expect(subscriber.events).toEqual([reset])
    Object.assign(newer.filter, { since: new Map([['live', 3]]) })
    await watch.start(newer)
    expect(newer.events).toEqual([reset])
  })

  test('send a reset for what changed with the database, whatever its number is, and nothing for what did not', async () => {
    const { clock, node, watch, newWatcher, state, second, logicalClock } = await opened()
    const subscriber = newWatcher()
    await watch.start(subscriber)
    logicalClock.voidUpTo++
    await second()
    expect(subscriber.events).toEqual([])
    // The lost revision 2 is not the one that this node sees.
    await node.write({ entries: [secret('B')] })
    clock.advance(1)
    await node.write({ entries: [secret('C')] })
    logicalClock.voidUpTo++
    await second()
    await node.write({ entries: [secret('D')] })
    await second()
    // The answer may be that of the former database.
    state.afterAnswer = () => logicalClock.voidUpTo++
    await second()
    state.afterAnswer = () => {}
    await node.write({ entries: [secret('E')] })
    await second()
    expect(subscriber.events).toEqual([
      { stageSlug: 'live', revision: 3, names: undefined },
      { stageSlug: 'live', revision: 4, names: ['D'] },
      { stageSlug: 'live', revision: 5, names: undefined },
    ])
  })

  test('end when a stage is not there any more, and begin with a reset where the cursor has more than the store', async () => {
    const { change, node, watch, newWatcher, second } = await opened()
    const [subscriber, newer, equal] = [newWatcher(), newWatcher(), newWatcher()]
    await node.write({ entries: [secret('A')] }, { ...live, stageSlug: 'dev' })
    await watch.start(subscriber)
    await change("delete from variables; delete from variable_history; delete from stages where slug = 'dev'")
    await second()
    expect([subscriber.ended, subscriber.events]).toEqual([true, []])
    await node.write({ entries: [secret('B')] })
    await second()
    expect(subscriber.events).toEqual([])
    Object.assign(newer.filter, {
      since: new Map([
        ['dev', 1],
        ['live', 2],
      ]),
    })
    await watch.start(newer)
    expect(newer.events).toEqual([{ stageSlug: undefined, revision: undefined, names: undefined }])
    // Clients know stages that do not exist yet at revision 0.
    Object.assign(equal.filter, {
      since: new Map([
        ['dev', 0],
        ['live', 2],
      ]),
    })
    await watch.start(equal)
    expect(equal.events).toEqual([])
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

  test('allow 8,000 per node, 6,000 per organization, and none after close', async () => {
    const { watch, newWatcher } = await opened()
    const start = (orgId: string) =>
      watch.start(newWatcher(orgId)).then(
        () => 'ok',
        ({ code }: { code: string }) => code,
      )
    const startAll = (count: number, orgId: string) => Promise.all(Array.from({ length: count }, () => start(orgId)))
    const served = async (count: number, orgId: string) =>
      (await startAll(count, orgId)).filter((outcome) => outcome === 'ok').length
    expect(await served(6_010, 'org_1')).toBe(6_000)
    expect(await served(2_010, 'org_2')).toBe(2_000)
    expect(await start('org_3')).toBe('RATE_LIMITED')
    watch.close()
    expect(await start('org_11')).toBe('SERVICE_UNAVAILABLE')
  })

  test('allow 250 per credential and IP address, 1,000 per credential, and new ones when others have ended', async () => {
    const { watch, newWatcher } = await opened()
    const startAll = async (count: number, credential: string, address: string) => {
      const subscribers = Array.from({ length: count }, () => newWatcher('org_1', { credential, address }))
      const outcomes = await Promise.allSettled(subscribers.map((subscriber) => watch.start(subscriber)))
      return subscribers.filter((_, index) => outcomes[index]?.status === 'fulfilled')
    }
    const [first] = await startAll(251, 'one', 'here')
    for (const address of ['there', 'elsewhere', 'anywhere'])
      expect(await startAll(251, 'one', address)).toHaveLength(250)
    expect(await startAll(1, 'one', 'far')).toHaveLength(0)
    expect(await startAll(251, 'two', 'here')).toHaveLength(250)
    watch.stop(first as Subscriber)
    expect(await startAll(2, 'one', 'here')).toHaveLength(1)
  })

  test('tick all subscribers each second', async () => {
    const { watch, newWatcher, second } = await opened()
    const subscribers = [newWatcher(), newWatcher()]
    for (const subscriber of subscribers) await watch.start(subscriber)
    await second()
    await second()
    expect(subscribers.map(({ ticks }) => ticks)).toEqual([2, 2])
  })

  test('serve other requests between the subscribers of an event', async () => {
    const { node, watch, newWatcher, second } = await opened()
    const pass = stopMachineClock()
    const subscribers = Array.from({ length: 100 }, () => newWatcher())
    let turns = 0
    const turnsAtEvents: number[] = []
    for (const subscriber of subscribers) {
      subscriber.notify = () => {
        pass(0.2)
        turnsAtEvents.push(turns)
      }
    }
    await Promise.all(subscribers.map((subscriber) => watch.start(subscriber)))
    await node.write({ entries: [secret('B')] })
    let isOver = false
    const countTurns = (): void => {
      turns++
      if (!isOver) setImmediate(countTurns)
    }
    countTurns()
    await second()
    await expect.poll(() => turnsAtEvents).toHaveLength(subscribers.length)
    isOver = true
    // 20 ms of work, in slices of a millisecond.
    expect(new Set(turnsAtEvents).size).toBe(20)
  })

  test('read a view once for all who share it, and notify them only of its new versions', async () => {
    const { node, watch, newWatcher, second } = await opened()
    const shared = { version: 'v1', reads: 0 }
    const view = {
      key: 'shared',
      version: async () => {
        shared.reads++
        return shared.version
      },
    }
    const broken = { key: 'broken', version: () => Promise.reject(new Error('no key')) }
    const watchers = Array.from({ length: 20 }, () => Object.assign(newWatcher(), { view }))
    await Promise.all(watchers.map((watcher) => watch.start(watcher)))
    expect([shared.reads, watchers[0]?.id]).toEqual([1, 'v1'])
    const unlucky = Object.assign(newWatcher(), { view: broken })
    await watch.start(unlucky)
    expect(unlucky.ended).toBe(true)
    await node.write({ entries: [secret('HIDDEN')] })
    await second()
    expect([shared.reads, watchers.flatMap(({ events }) => events)]).toEqual([2, []])
    shared.version = 'v2'
    await node.write({ entries: [secret('SHOWN')] })
    await second()
    const event = { stageSlug: 'live', revision: 3, names: undefined }
    expect([shared.reads, watchers.map(({ events }) => events)]).toEqual([3, watchers.map(() => [event])])
    await second()
    expect(shared.reads).toBe(3)
  })

  test('compare the stages of a project once and make each event once, however many subscribers it has', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const count = { revisions: 0, visible: 0, messages: 0, bytes: 0 }
    const revisions = Array.from({ length: 1_000 }, () => 1)
    let logEnd = 0
    const headOf = (revision: number, index: number) => ({
      project_id: 'prj_1',
      stage_id: `stg_${index}`,
      stage_slug: `preview-of-a-branch-with-a-long-name-${index}`,
      deleted_at_ms: null,
      changes_moved: 0,
      get revision(): number {
        count.revisions++
        return revision
      },
    })
    const sql = {
      all: async (text: string) => {
        if (text.includes('from audit_heads')) return [{ org_id: 'org_1', chain: String(logEnd) }]
        if (text.includes('from stages')) return revisions.map(headOf)
        return text.includes('history_floors') ? [] : [{ revision: 2, name: 'A' }]
      },
    } as unknown as Reader
    const subscriptions = new Subscriptions({
      sql,
      log: silent,
      logicalClock: singleWriter.logicalClock,
      perHolder: 5_000,
    })
    const all = visibleStages('all')
    const visible = {
      key: all.key,
      includes: (slug: string) => {
        count.visible++
        return all.includes(slug)
      },
    }
    const subscribers = Array.from({ length: 5_000 }, (_, index): Subscriber => {
      const origin = { credential: `credential ${index}`, address: '192.0.2.1' }
      const filter = { orgId: 'org_1', projectId: 'prj_1', since: undefined, visible: () => visible }
      return {
        filter,
        origin,
        id: undefined,
        notify() {
          count.messages++
          count.bytes += this.id?.length ?? 0
        },
        tick() {},
        end() {},
      }
    })
    await Promise.all(subscribers.map((subscriber) => subscriptions.start(subscriber)))
    expect(new Set(subscribers.map(({ id }) => id)).size).toBe(1)
    const second = async (): Promise<typeof count> => {
      Object.assign(count, { revisions: 0, visible: 0, messages: 0, bytes: 0 })
      vi.advanceTimersByTime(1_000)
      // A start that waits for its turn shows that the poll before it has ended.
      const last = { ...(subscribers[0] as Subscriber), filter: { ...(subscribers[0] as Subscriber).filter } }
      await subscriptions.start(last)
      subscriptions.stop(last)
      return { ...count }
    }
    // Two polls: that of the second, and that of the start.
    const idle = await second()
    expect(idle).toEqual({ revisions: 0, visible: 0, messages: 0, bytes: 0 })
    logEnd++
    revisions[0] = 2
    const busy = await second()
    expect(busy.revisions).toBeLessThanOrEqual(4 * 1_000 + 10)
    expect(busy.visible).toBeLessThanOrEqual(5)
    expect(busy.messages).toBe(5_000)
    expect(busy.bytes).toBeLessThanOrEqual(5_000 * 256)
  })

  test('tell a subscriber that sees other stages than before that any may have changed, and no hidden change', async () => {
    const { node, watch, newWatcher, second } = await opened()
    const subscriber = newWatcher()
    let slugs: 'all' | Set<string> = new Set(['other'])
    Object.assign(subscriber.filter, { visible: () => visibleStages(slugs) })
    await watch.start(subscriber)
    await node.write({ entries: [secret('HIDDEN')] })
    await second()
    expect([subscriber.events, subscriber.id]).toEqual([[], ''])
    slugs = 'all'
    await second()
    const anything = { stageSlug: undefined, revision: undefined, names: undefined }
    expect([subscriber.events.splice(0), subscriber.id]).toEqual([[anything], 'live:2'])
    slugs = new Set()
    await node.write({ entries: [secret('HIDDEN')] })
    await second()
    expect([subscriber.events.splice(0), subscriber.id]).toEqual([[anything], ''])
    await node.write({ entries: [secret('HIDDEN')] })
    await second()
    expect(subscriber.events).toEqual([])
  })

  test('end all subscribers on close', async () => {
    const { watch, newWatcher } = await opened()
    const subscriber = newWatcher()
    await watch.start(subscriber)
    watch.close()
    expect(subscriber.ended).toBe(true)
  })
})
