/** Tests that the audit log counts the refusals of known callers. */
import { expect, test } from 'vitest'
import { auditEntries } from '../testkit/audit.ts'
import { newUser } from '../testkit/client.ts'
import { secret } from '../testkit/entries.ts'
import { newOwner, newServiceToken, tenantAt, useTestEnv, write, type TestTenant } from '../testkit/test-env.ts'
import { VaultClient } from '../testkit/vault.ts'

const testEnv = useTestEnv({ PLAN: 'free', FREE_EVALUATIONS: '1' })

/** Returns `actor endpoint code count` over all entries. Each node writes its own, and a slow machine may flush early. */
async function refusalsOf({ user, at }: TestTenant): Promise<string[]> {
  const token = await testEnv.provider.tokenOf(user)
  const entries = await auditEntries(testEnv.client, at.orgSlug, token, { action: 'refusal' })
  const counts = new Map<string, number>()
  for (const { actor, facts, nameCount = 0 } of entries) {
    const what = [actor, facts?.endpoint, facts?.code].join(' ')
    counts.set(what, (counts.get(what) ?? 0) + nameCount)
  }
  return [...counts].map(([what, count]) => `${what} ${count}`).toSorted()
}

test('the log records who was refused what and how often, at the latest when the service stops', async () => {
  // The limit is that of a month.
  testEnv.clock.freezeAt(testEnv.clock.now())
  const tenant = await newOwner(testEnv)
  const { at, token, user } = tenant
  await write(testEnv, tenant, [secret('A', '1')])
  const { token: service, id } = await newServiceToken(testEnv, tenant)
  const stranger = newUser('elsewhere')
  const removed = { ...newUser(), orgId: user.orgId, orgSlug: user.orgSlug }
  testEnv.provider.remove(removed)
  const provider = await testEnv.provider.tokenOf(user)
  const vault = new VaultClient(testEnv.app.url)
  for (let time = 0; time < 3; time++) {
    await testEnv.client.call('evaluate', { ...at, name: 'A' }, { token })
    expect((await vault.get('shop/data/prod', { token })).status).toBe(402)
    await vault.put('auth/token/revoke-self', {}, { token: service as string })
    await testEnv.client.call('reveal', { ...at, names: ['A'] }, { token: service as string })
    await testEnv.client.call('list', at, { token: await testEnv.provider.tokenOf(stranger) })
    await testEnv.client.call('list', at, { token: await testEnv.provider.tokenOf(removed) })
    await testEnv.client.call('deviceComplete', { userCode: `ZZZZZZZ${'ABC'[time]}` }, { token: provider })
    // These three are not recorded: an unknown caller, a request that fails without a refusal, and a success.
    await testEnv.client.call('list', at, { token: `svc_at_${'x'.repeat(43)}` })
    await testEnv.client.call('evaluate', { ...at, name: 'B' }, { token })
    await testEnv.client.call('list', at, { token })
  }
  await testEnv.restart()
  expect(await refusalsOf(tenant)).toEqual(
    [
      `${user.userId} evaluate USAGE_LIMIT_EXCEEDED 2`,
      `${user.userId} deviceComplete DEVICE_CODE_NOT_FOUND 3`,
      `${user.userId} vaultRead USAGE_LIMIT_EXCEEDED 3`,
      `${id} vaultToken FORBIDDEN 3`,
      `${id} reveal FORBIDDEN 3`,
      `${removed.userId} list ORG_SCOPE_INVALID 3`,
    ].toSorted(),
  )
  testEnv.provider.setRole(stranger, 'owner')
  const theirs = { ...tenantAt(tenant, { orgSlug: 'elsewhere' }), user: stranger }
  expect(await refusalsOf(theirs)).toEqual([`${stranger.userId} list INVALID_ORG_SCOPE 3`])
})
