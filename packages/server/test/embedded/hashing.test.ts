import { availableParallelism } from 'node:os'
import { expect, test } from 'vitest'
import { Hashing, HashingIsBusy, hashesAtOnce } from '../../src/identity/hashing.ts'

test('so many hashes are computed at once, sixteen times as many wait, and no more', async () => {
  const hashing = new Hashing(2)
  let running = 0
  let most = 0
  const gate = Promise.withResolvers<void>()
  const hash = async (): Promise<void> => {
    most = Math.max(most, ++running)
    await gate.promise
    running--
  }
  const inside = Array.from({ length: 34 }, () => hashing.enter(() => hashing.run(hash)))
  await expect(hashing.enter(() => hashing.run(hash))).rejects.toThrow(HashingIsBusy)
  gate.resolve()
  await Promise.all(inside)
  expect([most, running]).toEqual([2, 0])
})

test('a hash that fails gives its place on', async () => {
  const hashing = new Hashing(1)
  const fails = (): Promise<never> => hashing.enter(() => hashing.run(() => Promise.reject(new Error('no memory'))))
  const outcomes = await Promise.allSettled(Array.from({ length: 17 }, fails))
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
  await expect(hashing.enter(() => hashing.run(async () => 'hash'))).resolves.toBe('hash')
})

test('by default a core and a thread are left to the rest, also of several processes', () => {
  expect(hashesAtOnce(0, 1)).toBe(Math.max(1, Math.min(3, availableParallelism() - 1)))
  expect(hashesAtOnce(0, 0)).toBe(1)
  expect(hashesAtOnce(0, 1_000)).toBe(1)
  expect(hashesAtOnce(7, 4)).toBe(7)
})
