/** Tests that doctor ends, however long a check takes. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { ok } from '../../src/doctor/finding.ts'
import { examine, type CheckResult } from '../../src/doctor/report.ts'
import { TestClock } from '../../testkit/clock.ts'

test('a check that does not end is given up, and those before it are reported at once', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const subject = {
    config: readConfig({}),
    publicUrl: 'http://localhost:3000',
    clock: new TestClock(),
    sql: undefined,
    openReplica: () => undefined,
    openKeyring: () => Promise.reject(new Error('not used')),
  }
  const checks = {
    quick: () => ok('fine'),
    endless: () => Promise.withResolvers<never>().promise,
    last: () => ok('too'),
  }
  const findings = examine(subject, checks)
  const next = async (): Promise<CheckResult> => (await findings.next()).value as CheckResult
  expect(await next()).toEqual({ check: 'quick', result: 'ok', found: 'fine' })
  const late = next()
  await vi.advanceTimersByTimeAsync(20_000)
  expect(await late).toMatchObject({
    check: 'endless',
    result: 'warn',
    found: expect.stringContaining('longer than 20 s'),
  })
  expect(await next()).toEqual({ check: 'last', result: 'ok', found: 'too' })
})
