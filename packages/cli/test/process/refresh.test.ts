/** Many concurrent commands share one login, whose refresh token can be used once. */
import { expect, test } from 'vitest'
import { openCredentials } from '@rollkey/sdk/node'
import { secret } from '../../../server/testkit/entries.ts'
import { query } from '../../../server/testkit/store.ts'
import { tenantAt, useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { startTestCli } from '../../testkit/cli.ts'

const many = 20
const testEnv = useTestEnv()

async function refreshes(userId: string): Promise<number> {
  const [row] = await query(
    testEnv.app.dataDir,
    `select count(*) as n from refresh_tokens t join sessions s on s.id = t.session_id
     where s.user_id = $1 and t.used_at_ms is not null`,
    userId,
  )
  return Number(row?.['n'])
}

test.each([
  ['as this machine knows', true],
  ['as only the service knows', false],
])(`${many} runs at once with an expired access token, %s: one refresh, ${many} children`, async (_, isKnown) => {
  const cli = await startTestCli(testEnv)
  const { tenant, env } = cli
  await write(testEnv, tenantAt(tenant, { stageSlug: 'dev' }), [secret('A', 'of dev')])
  const credentials = openCredentials({ env })
  const session = await credentials.find(testEnv.app.url, tenant.at.orgSlug)
  if (!session) throw new Error('there is no login')
  if (isKnown) await credentials.save({ ...session, accessTokenExpiresAtMs: Date.now() - 1 })
  else testEnv.clock.advance(61 * 60_000)
  const runs = await Promise.all(Array.from({ length: many }, () => cli.run('run', '--', 'sh', '-c', 'echo "$A"')))
  for (const { status, stdout, stderr } of runs)
    expect({ status, stdout, stderr }).toMatchObject({ status: 0, stdout: 'of dev\n' })
  expect(await refreshes(tenant.user.userId)).toBe(1)
  const after = await credentials.find(testEnv.app.url, tenant.at.orgSlug)
  expect(after?.refreshToken).not.toBe(session.refreshToken)
})
