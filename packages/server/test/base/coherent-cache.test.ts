import { describe, expect, test } from 'vitest'
import { CoherentCache } from '../../src/base/coherent-cache.ts'

interface Row {
  readonly version: number
}

/** A store whose answers come when the test says so. */
function slowStore() {
  const reads: PromiseWithResolvers<Row | undefined>[] = []
  const read = (): Promise<Row | undefined> => {
    const answer = Promise.withResolvers<Row | undefined>()
    reads.push(answer)
    return answer.promise
  }
  return { reads, read }
}

const never = (): Promise<Row> => Promise.reject(new Error('read a second time'))

describe('an entry', () => {
  test('is read once, and then given at once', async () => {
    const cache = new CoherentCache<Row>({ most: 10 })
    const row = { version: 1 }
    await expect(cache.get('A', () => Promise.resolve(row))).resolves.toBe(row)
    expect(cache.get('A', never)).toBe(row)
  })

  test('that does not exist is read again each time', async () => {
    const cache = new CoherentCache<Row>({ most: 10 })
    await expect(cache.get('A', () => Promise.resolve(undefined))).resolves.toBeUndefined()
    await expect(cache.get('A', () => Promise.resolve({ version: 1 }))).resolves.toEqual({ version: 1 })
  })

  test('that was forgotten is read again', async () => {
    const cache = new CoherentCache<Row>({ most: 10 })
    await cache.get('A', () => Promise.resolve({ version: 1 }))
    await cache.get('B', () => Promise.resolve({ version: 1 }))
    cache.forget('A')
    await expect(cache.get('A', () => Promise.resolve({ version: 2 }))).resolves.toEqual({ version: 2 })
    expect(cache.get('B', never)).toEqual({ version: 1 })
  })
})

describe('a load', () => {
  test('is shared by all who ask meanwhile', async () => {
    const { reads, read } = slowStore()
    const cache = new CoherentCache<Row>({ most: 10 })
    const asked = Array.from({ length: 5 }, async () => cache.get('A', read))
    expect(reads).toHaveLength(1)
    reads[0]?.resolve({ version: 1 })
    const answers = await Promise.all(asked)
    expect(new Set(answers).size).toBe(1)
  })

  test('is not shared between keys', () => {
    const { reads, read } = slowStore()
    const cache = new CoherentCache<Row>({ most: 10 })
    void cache.get('A', read)
    void cache.get('B', read)
    expect(reads).toHaveLength(2)
  })

  test('that fails fails for all who share it, and is not kept', async () => {
    const { reads, read } = slowStore()
    const cache = new CoherentCache<Row>({ most: 10 })
    const asked = Array.from({ length: 2 }, async () => cache.get('A', read))
    reads[0]?.reject(new Error('gone'))
    const outcomes = await Promise.allSettled(asked)
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await expect(cache.get('A', () => Promise.resolve({ version: 1 }))).resolves.toEqual({ version: 1 })
  })

  test.each([
    ['forget', (cache: CoherentCache<Row>) => cache.forget('A')],
    ['forgetWhere', (cache: CoherentCache<Row>) => cache.forgetWhere(() => false)],
  ])('that began before %s serves who asked before, and nobody after', async (_, forget) => {
    const { reads, read } = slowStore()
    const cache = new CoherentCache<Row>({ most: 10 })
    const before = cache.get('A', read)
    forget(cache)
    const after = cache.get('A', read)
    expect(reads).toHaveLength(2)
    reads[0]?.resolve({ version: 1 })
    await expect(before).resolves.toEqual({ version: 1 })
    expect(cache.get('A', never)).toBe(after)
    reads[1]?.resolve({ version: 2 })
    await expect(after).resolves.toEqual({ version: 2 })
    expect(cache.get('A', never)).toEqual({ version: 2 })
  })

  test('that began before a forget is not kept if it ends last', async () => {
    const { reads, read } = slowStore()
    const cache = new CoherentCache<Row>({ most: 10 })
    const before = cache.get('A', read)
    cache.forget('A')
    const after = cache.get('A', read)
    reads[1]?.resolve({ version: 2 })
    await after
    reads[0]?.resolve({ version: 1 })
    await before
    expect(cache.get('A', never)).toEqual({ version: 2 })
  })

  test('that began before a forget leaves nothing behind if nobody asked after it', async () => {
    const { reads, read } = slowStore()
    const cache = new CoherentCache<Row>({ most: 10 })
    const before = cache.get('A', read)
    cache.forget('A')
    reads[0]?.resolve({ version: 1 })
    await before
    await expect(cache.get('A', () => Promise.resolve({ version: 2 }))).resolves.toEqual({ version: 2 })
  })
})

describe('what is kept', () => {
  test('is forgotten by what it holds', async () => {
    const cache = new CoherentCache<Row>({ most: 10 })
    for (const version of [1, 2, 3]) await cache.get(`${version}`, () => Promise.resolve({ version }))
    cache.forgetWhere(({ version }) => version === 2)
    expect([cache.get('1', never), cache.get('3', never)]).toEqual([{ version: 1 }, { version: 3 }])
    await expect(cache.get('2', () => Promise.resolve({ version: 4 }))).resolves.toEqual({ version: 4 })
  })

  test('stays within its size, the least recently used going first', async () => {
    const cache = new CoherentCache<Row>({ most: 10, sizeOf: ({ version }) => version })
    await cache.get('A', () => Promise.resolve({ version: 4 }))
    await cache.get('B', () => Promise.resolve({ version: 4 }))
    void cache.get('A', never)
    await cache.get('C', () => Promise.resolve({ version: 4 }))
    expect([cache.get('A', never), cache.get('C', never)]).toEqual([{ version: 4 }, { version: 4 }])
    expect(cache.get('B', () => Promise.resolve(undefined))).toBeInstanceOf(Promise)
  })

  test('has no entry that is larger than all of it, and still serves one', async () => {
    const cache = new CoherentCache<Row>({ most: 10, sizeOf: ({ version }) => version })
    await expect(cache.get('A', () => Promise.resolve({ version: 11 }))).resolves.toEqual({ version: 11 })
    await expect(cache.get('A', () => Promise.resolve({ version: 5 }))).resolves.toEqual({ version: 5 })
  })
})
