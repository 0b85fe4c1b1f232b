import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { noReads, ReadSet } from '../../src/consistency/read-set.ts'
import { CoherentCache } from '../../src/consistency/coherent-cache.ts'

interface Row {
  readonly version: number
}

/** A cache whose callers need no read set. */
class TestCache extends CoherentCache<Row> {
  override get(key: string, read: () => Promise<Row | undefined>, reads = noReads): Row | Promise<Row | undefined> {
    return super.get(key, read, reads)
  }

  override peek(key: string, reads = noReads): Row | undefined {
    return super.peek(key, reads)
  }
}

/** A store whose answers the test controls. */
function slowStore() {
  const loads: PromiseWithResolvers<Row | undefined>[] = []
  const read = (): Promise<Row | undefined> => {
    const answer = Promise.withResolvers<Row | undefined>()
    loads.push(answer)
    return answer.promise
  }
  return { loads, read }
}

const never = (): Promise<Row> => Promise.reject(new Error('read a second time'))

describe('an entry', () => {
  test('is read once, and then returned from memory', async () => {
    const cache = new TestCache({ max: 10 })
    const row = { version: 1 }
    await expect(cache.get('A', () => Promise.resolve(row))).resolves.toBe(row)
    expect(cache.get('A', never)).toBe(row)
  })

  test('that does not exist is read again each time', async () => {
    const cache = new TestCache({ max: 10 })
    await expect(cache.get('A', () => Promise.resolve(undefined))).resolves.toBeUndefined()
    await expect(cache.get('A', () => Promise.resolve({ version: 1 }))).resolves.toEqual({ version: 1 })
  })

  test('that was forgotten is read again', async () => {
    const cache = new TestCache({ max: 10 })
    await cache.get('A', () => Promise.resolve({ version: 1 }))
    await cache.get('B', () => Promise.resolve({ version: 1 }))
    cache.forget('A')
    await expect(cache.get('A', () => Promise.resolve({ version: 2 }))).resolves.toEqual({ version: 2 })
    expect(cache.get('B', never)).toEqual({ version: 1 })
  })
})

describe('a load', () => {
  test('is shared by all requests that arrive while it runs', async () => {
    const { loads, read } = slowStore()
    const cache = new TestCache({ max: 10 })
    const pending = Array.from({ length: 5 }, async () => cache.get('A', read))
    expect(loads).toHaveLength(1)
    loads[0]?.resolve({ version: 1 })
    const answers = await Promise.all(pending)
    expect(new Set(answers).size).toBe(1)
  })

  test('is not shared between keys', () => {
    const { loads, read } = slowStore()
    const cache = new TestCache({ max: 10 })
    void cache.get('A', read)
    void cache.get('B', read)
    expect(loads).toHaveLength(2)
  })

  test('that fails fails for all requests that share it, and is not kept', async () => {
    const { loads, read } = slowStore()
    const cache = new TestCache({ max: 10 })
    const pending = Array.from({ length: 2 }, async () => cache.get('A', read))
    loads[0]?.reject(new Error('gone'))
    const outcomes = await Promise.allSettled(pending)
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await expect(cache.get('A', () => Promise.resolve({ version: 1 }))).resolves.toEqual({ version: 1 })
  })

  test('that fails is not kept for a request that comes as it ends', async () => {
    const { loads, read } = slowStore()
    const cache = new TestCache({ max: 10 })
    const first = Promise.resolve(cache.get('A', read))
    loads[0]?.reject(new Error('gone'))
    await expect(first).rejects.toThrow('gone')
    const next = cache.get('A', read)
    expect(loads).toHaveLength(2)
    loads[1]?.resolve({ version: 1 })
    await expect(next).resolves.toEqual({ version: 1 })
  })

  test.each([
    ['forget', (cache: TestCache) => cache.forget('A')],
    ['forgetWhere', (cache: TestCache) => cache.forgetWhere(() => false)],
  ])('that began before %s serves who asked before; all who ask after share the next', async (_, forget) => {
    const { loads, read } = slowStore()
    const cache = new TestCache({ max: 10 })
    const before = cache.get('A', read)
    forget(cache)
    const after = Array.from({ length: 5 }, async () => cache.get('A', read))
    expect(loads).toHaveLength(1)
    loads[0]?.resolve({ version: 1 })
    await expect(before).resolves.toEqual({ version: 1 })
    await turn()
    expect(loads).toHaveLength(2)
    loads[1]?.resolve({ version: 2 })
    for (const entry of await Promise.all(after)) expect(entry).toEqual({ version: 2 })
    expect(cache.get('A', never)).toEqual({ version: 2 })
  })

  test('that is forgotten repeatedly serves every request, one load after the other', async () => {
    const { loads, read } = slowStore()
    const cache = new TestCache({ max: 10 })
    const pending: Promise<Row | undefined>[] = []
    for (let version = 0; version < 5; version++) {
      pending.push(Promise.resolve(cache.get('A', read)), Promise.resolve(cache.get('A', read)))
      expect(loads).toHaveLength(version + 1)
      cache.forget('A')
      pending.push(Promise.resolve(cache.get('A', read)))
      loads[version]?.resolve({ version })
      await turn()
    }
    loads[5]?.resolve({ version: 5 })
    const versions = (await Promise.all(pending)).map((row) => row?.version)
    expect(versions).toEqual([0, 1, 2, 3, 4].flatMap((version) => [version, version, version + 1]))
  })

  test('that fails also fails for requests that wait for the next one: they have waited as long', async () => {
    const { loads, read } = slowStore()
    const cache = new TestCache({ max: 10 })
    const before = Promise.resolve(cache.get('A', read))
    cache.forget('A')
    const after = Promise.resolve(cache.get('A', read))
    loads[0]?.reject(new Error('gone'))
    const outcomes = await Promise.allSettled([before, after])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(loads).toHaveLength(1)
    await expect(cache.get('A', () => Promise.resolve({ version: 1 }))).resolves.toEqual({ version: 1 })
  })

  test('that began before a forget leaves nothing behind if no request came after it', async () => {
    const { loads, read } = slowStore()
    const cache = new TestCache({ max: 10 })
    const before = cache.get('A', read)
    cache.forget('A')
    loads[0]?.resolve({ version: 1 })
    await before
    await expect(cache.get('A', () => Promise.resolve({ version: 2 }))).resolves.toEqual({ version: 2 })
  })
})

describe('an entry that a change replaced', () => {
  test('is in memory at once, whatever a load in progress finds', async () => {
    const { loads, read } = slowStore()
    const cache = new TestCache({ max: 10 })
    const before = cache.get('A', read)
    cache.replace('A', { version: 2 }, Infinity)
    expect(cache.get('A', never)).toEqual({ version: 2 })
    loads[0]?.resolve({ version: 1 })
    await expect(before).resolves.toEqual({ version: 1 })
    expect(cache.get('A', never)).toEqual({ version: 2 })
  })

  test('serves requests that wait for the next load', async () => {
    const { loads, read } = slowStore()
    const cache = new TestCache({ max: 10 })
    void cache.get('A', read)
    cache.forget('A')
    const waiting = cache.get('A', never)
    cache.replace('A', { version: 2 }, Infinity)
    loads[0]?.resolve({ version: 1 })
    await expect(waiting).resolves.toEqual({ version: 2 })
  })
})

/** Returns the read sets of requests to a node that is not the only writer. */
function shared(max = 10) {
  const logicalClock = {
    now: 0,
    voidUpTo: -Infinity,
    next: () => ++logicalClock.now,
  }
  const cache = new TestCache({ max: max, sizeOf: ({ version }) => version, kind: 'stage', logicalClock })
  const request = () => {
    const reads = new ReadSet(logicalClock.now)
    const get = (read: () => Promise<Row | undefined>) => Promise.resolve(cache.get('A', read, reads))
    return { reads, get }
  }
  return { logicalClock, cache, request }
}

describe('with several writers', () => {
  test('a load serves all requests that arrive while it runs, and joins their read sets', async () => {
    const { loads, read } = slowStore()
    const { request } = shared()
    const requests = Array.from({ length: 100 }, request)
    const pending = requests.map(({ get }) => get(read))
    const late = Array.from({ length: 100 }, request)
    const pendingLate = late.map(({ get }) => get(never))
    expect(loads).toHaveLength(1)
    loads[0]?.resolve({ version: 1 })
    await Promise.all([...pending, ...pendingLate])
    expect(requests.filter(({ reads }) => !reads.isValidated)).toEqual([])
    expect(late.filter(({ reads }) => reads.isValidated)).toEqual([])
    const claimed = new Set(late.map(({ reads }) => reads.stage))
    expect(claimed.size).toBe(1)
    const [item] = claimed
    expect(item).toMatchObject({ entry: { version: 1 }, asOf: 1 })
  })

  test('nothing that was read before the database was replaced serves a request, nor do loads that began before', async () => {
    const { loads, read } = slowStore()
    const { request, cache, logicalClock } = shared()
    cache.replace('A', { version: 1 }, logicalClock.next())
    await expect(request().get(never)).resolves.toEqual({ version: 1 })
    logicalClock.voidUpTo = logicalClock.now
    const { get } = request()
    const [first, second] = [get(read), get(read)]
    logicalClock.voidUpTo = logicalClock.now
    loads[0]?.resolve({ version: 2 })
    await expect.poll(() => loads).toHaveLength(2)
    logicalClock.voidUpTo = logicalClock.now
    loads[1]?.resolve(undefined)
    await expect.poll(() => loads).toHaveLength(3)
    loads[2]?.resolve({ version: 3 })
    await expect(Promise.all([first, second])).resolves.toEqual([{ version: 3 }, { version: 3 }])
    cache.replace('A', { version: 4 }, logicalClock.voidUpTo)
    expect(cache.peek('A', new ReadSet(logicalClock.now))).toBeUndefined()
  })

  test('a stale entry is forgotten once, and all requests that read it share the next load', async () => {
    const { loads, read } = slowStore()
    const { request, cache } = shared()
    cache.replace('A', { version: 1 }, 0)
    const requests = Array.from({ length: 100 }, request)
    for (const { get } of requests) await expect(get(never)).resolves.toEqual({ version: 1 })
    for (const { reads } of requests) reads.stage?.forget()
    for (const { reads } of requests) reads.markValidated()
    const pending = requests.map(({ get }) => get(read))
    expect(loads).toHaveLength(1)
    loads[0]?.resolve({ version: 2 })
    for (const row of await Promise.all(pending)) expect(row).toEqual({ version: 2 })
    expect(requests.filter(({ reads }) => !reads.isValidated)).toEqual([])
  })

  test('a load that found nothing answers requests that arrived before it; all others share the next', async () => {
    const { loads, read } = slowStore()
    const { request } = shared()
    const early = request().get(read)
    const late = Array.from({ length: 100 }, () => request().get(read))
    loads[0]?.resolve(undefined)
    await expect(early).resolves.toBeUndefined()
    await turn()
    expect(loads).toHaveLength(2)
    loads[1]?.resolve({ version: 1 })
    for (const row of await Promise.all(late)) expect(row).toEqual({ version: 1 })
  })

  test('a load that misses a change of this process does not serve requests that arrive after the change', async () => {
    const { loads, read } = slowStore()
    const { request, cache } = shared()
    const before = request()
    const pending = before.get(read)
    cache.forget('A')
    const after = request()
    const askedAfter = after.get(read)
    loads[0]?.resolve({ version: 1 })
    await expect(pending).resolves.toEqual({ version: 1 })
    await turn()
    loads[1]?.resolve({ version: 2 })
    await expect(askedAfter).resolves.toEqual({ version: 2 })
    expect(after.reads.isValidated).toBe(true)
  })

  test('an entry that is larger than the memory is loaded by one at a time', async () => {
    const { request } = shared(1)
    const counts = { underWay: 0, max: 0, all: 0 }
    const read = async (): Promise<Row> => {
      counts.all++
      counts.max = Math.max(counts.max, ++counts.underWay)
      await turn()
      counts.underWay--
      return { version: 2 }
    }
    const client = async (): Promise<void> => {
      for (let i = 0; i < 10; i++) await expect(request().get(read)).resolves.toEqual({ version: 2 })
    }
    await Promise.all(Array.from({ length: 50 }, client))
    expect(counts.max).toBe(1)
    expect(counts.all).toBeLessThan(30)
  })
})

describe('the cache', () => {
  test('forgets entries by their content', async () => {
    const cache = new TestCache({ max: 10 })
    for (const version of [1, 2, 3]) await cache.get(`${version}`, () => Promise.resolve({ version }))
    cache.forgetWhere(({ version }) => version === 2)
    expect([cache.get('1', never), cache.get('3', never)]).toEqual([{ version: 1 }, { version: 3 }])
    await expect(cache.get('2', () => Promise.resolve({ version: 4 }))).resolves.toEqual({ version: 4 })
  })

  test('stays within its size and evicts the least recently used entry first', async () => {
    const cache = new TestCache({ max: 10, sizeOf: ({ version }) => version })
    await cache.get('A', () => Promise.resolve({ version: 4 }))
    await cache.get('B', () => Promise.resolve({ version: 4 }))
    void cache.get('A', never)
    await cache.get('C', () => Promise.resolve({ version: 4 }))
    expect([cache.get('A', never), cache.get('C', never)]).toEqual([{ version: 4 }, { version: 4 }])
    expect(cache.get('B', () => Promise.resolve(undefined))).toBeInstanceOf(Promise)
  })

  test('does not keep an entry that is larger than its size, and still serves it', async () => {
    const cache = new TestCache({ max: 10, sizeOf: ({ version }) => version })
    await expect(cache.get('A', () => Promise.resolve({ version: 11 }))).resolves.toEqual({ version: 11 })
    await expect(cache.get('A', () => Promise.resolve({ version: 5 }))).resolves.toEqual({ version: 5 })
  })
})
