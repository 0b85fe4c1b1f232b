import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { storedText } from '../../testkit/store.ts'
import { cases } from './case.ts'
import { play } from './play.ts'
import { startHostileEnv } from './test-env.ts'

let testEnv: Awaited<ReturnType<typeof startHostileEnv>>

beforeAll(async () => {
  testEnv = await startHostileEnv()
})
// After all cases, in whatever order they ran.
afterAll(async () => {
  try {
    expectNoHarm()
    await expectNothingKept()
  } finally {
    await testEnv.close()
  }
})

describe.each([...Map.groupBy(cases, ({ group }) => group)])('hostile requests: %s', (_, group) => {
  test.each(group.map((hostile) => [hostile.id, hostile] as const))('%s', async (_id, hostile) => {
    await play(testEnv, testEnv.appFor(hostile.fixture), hostile)
  })
})

test('every case is played', () => {
  expect(cases.length).toBeGreaterThanOrEqual(494)
})

function expectNoHarm(): void {
  expect(testEnv.listenerHits(), 'a URL from a token was fetched').toBe(0)
  for (const { log } of testEnv.apps) {
    const bad = log.filter((line) => (JSON.parse(line) as { level: string }).level === 'error')
    expect(bad).toEqual([])
  }
}

async function expectNothingKept(): Promise<void> {
  const canaries = [testEnv.a, testEnv.b].flatMap(({ secretValue, protoValue }) => [secretValue, protoValue])
  const patterns = [/svc_(at|rt|dc|st)_[A-Za-z0-9_-]{20,}/, /eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}/]
  for (const { log, dataDir } of testEnv.apps) {
    for (const text of [log.join(''), await storedText(dataDir)]) {
      for (const canary of canaries) expect(text.includes(canary)).toBe(false)
      for (const pattern of patterns) expect(pattern.exec(text)?.[0]).toBeUndefined()
    }
  }
}
