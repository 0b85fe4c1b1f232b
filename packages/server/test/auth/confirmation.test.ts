import { expect, test } from 'vitest'
import { confirmationLifetimeMs, isConfirmed } from '../../src/auth/confirmation.ts'

const nowMs = Date.UTC(2026, 10, 22)

test('a confirmation is valid for 15 minutes, to the millisecond', () => {
  expect(confirmationLifetimeMs).toBe(15 * 60_000)
  const isFresh = (ageMs: number): boolean => isConfirmed(nowMs - ageMs, nowMs)
  expect([0, confirmationLifetimeMs - 1, confirmationLifetimeMs].map(isFresh)).toEqual([true, true, false])
})

test('a provider whose clock is ahead is accepted within the leeway of its tokens', () => {
  expect([isConfirmed(nowMs + 9_999, nowMs), isConfirmed(nowMs + 10_000, nowMs)]).toEqual([true, false])
})

test('a provider that reports no time does not confirm', () => {
  expect(isConfirmed(undefined, nowMs)).toBe(false)
})
