import { expect, test } from 'vitest'
import { ownFirst } from './account.ts'

test('the session of this browser is first, and after it the last used', () => {
  const session = (id: string, day: number) => ({ id, updatedAt: new Date(2026, 0, day) })
  const sessions = [session('older', 1), session('newer', 3), session('own', 2)]
  expect(ownFirst(sessions, 'own').map(({ id }) => id)).toEqual(['own', 'newer', 'older'])
  expect(ownFirst(sessions, undefined).map(({ id }) => id)).toEqual(['newer', 'own', 'older'])
})
