/** Tests what callers notice of an identity provider that hangs, resets or drips. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { secret } from '../testkit/entries.ts'
import { peerTroubles } from '../testkit/slow-peer.ts'
import { newOwner, newServiceToken, useTestEnv, write, type TestTenant } from '../testkit/test-env.ts'

/** How long the service waits for the provider. */
const timeoutMs = 5_000

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

async function tookMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

describe.each(peerTroubles)('while the membership address %s', (trouble) => {
  test('people with a cached answer and service tokens are answered long before its timeout', async () => {
    testEnv.clock.advance(61_000)
    testEnv.provider.troubles.set('/members/', trouble)
    const tokens = [tenant.token, await testEnv.provider.tokenOf(tenant.user), serviceToken]
    const took = await tookMs(async () => {
      for (let i = 0; i < 5; i++) for (const token of tokens) expect(await evaluate(token)).toBe(200)
    })
    expect(took).toBeLessThan(timeoutMs / 2)
  })
})
