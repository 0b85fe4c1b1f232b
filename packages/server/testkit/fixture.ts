import { afterAll, beforeAll } from 'vitest'

/**
 * Returns an object that has its members during all tests of the file or the `describe` block: `start` creates them before, and
 * `close` is called after.
 */
export function useFixture<T extends { close(): unknown }>(start: () => Promise<T>): T {
  const fixture: Partial<T> = {}
  beforeAll(async () => void Object.assign(fixture, await start()))
  afterAll(() => fixture.close?.())
  return fixture as T
}
