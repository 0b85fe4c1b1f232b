/** Tests what callers notice of an identity provider that hangs, resets or drips. */
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { secret } from '../testkit/entries.ts'
import { peerTroubles } from '../testkit/slow-peer.ts'
import { newOwner, newServiceToken, useTestEnv, write, type TestTenant } from '../testkit/test-env.ts'

const testEnv = useTestEnv()
let tenant: TestTenant
let serviceToken: string

beforeAll(async () => {
  tenant = await newOwner(testEnv)
  await write(testEnv, tenant, [secret('A', '1')])
  serviceToken = (await newServiceToken(testEnv, tenant)).token as string
})
beforeEach(() => testEnv.provider.troubles.clear())

function evaluate(token: string): Promise<number> {
  return testEnv.client.call('evaluate', { ...tenant.at, name: 'A' }, { token }).then(({ status }) => status)
}

describe.each(peerTroubles)('while the membership address %s', (trouble) => {
  test('people with a cached answer and service tokens are answered without waiting for it', async () => {
    testEnv.clock.advance(61_000)
    testEnv.provider.troubles.set('/members/', trouble)
    const tokens = [tenant.token, await testEnv.provider.tokenOf(tenant.user), serviceToken]
    // The service gives up after a time that does not come, so an answer that waited for it would not come either.
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal)
    onTestFinished(() => timeout.mockRestore())
    for (let i = 0; i < 5; i++) for (const token of tokens) expect(await evaluate(token)).toBe(200)
  })
})
