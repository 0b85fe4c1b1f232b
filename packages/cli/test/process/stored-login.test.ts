/** Commands in a folder without rollkey.json, where only the logins say where the service is. */
import { openCredentials } from '@rollkey/sdk/node'
import { expect, test } from 'vitest'
import { secret } from '../../../server/testkit/entries.ts'
import { temporaryFolder } from '../../../server/testkit/folder.ts'
import { useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { startTestCli } from '../../testkit/cli.ts'
import { inProcess, type Ended } from '../../testkit/run.ts'

const testEnv = useTestEnv()

/** Returns a login with one variable in `shop/dev`, and commands that run elsewhere. */
async function newLogin() {
  const cli = await startTestCli(testEnv)
  await write(testEnv, cli.tenant, [secret('A', 'one')])
  const cwd = temporaryFolder()
  return { ...cli, run: (...args: string[]): Promise<Ended> => inProcess(args, { env: cli.env, cwd }) }
}

test('the only login is used, by init too', async () => {
  const { run, tenant } = await newLogin()
  const { orgSlug } = tenant.at
  const { url } = testEnv.app
  const config = await run('config', '--json')
  expect(JSON.parse(config.stdout)).toMatchObject({
    url: { value: url, source: 'login' },
    org: { value: orgSlug, source: 'login' },
  })
  const place = ['--project', 'shop', '--stage', 'dev']
  expect(await run('get', 'A', ...place)).toMatchObject({ status: 0, stdout: 'one' })
  expect((await run('doctor', ...place)).stdout).toContain(`shop/dev at ${url}`)
  const { status, stdout, stderr } = await run('init', ...place, '--json')
  expect(status, stderr).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ url, org: orgSlug, project: 'shop', stage: 'dev' })
  expect(await run('get', 'A')).toMatchObject({ status: 0, stdout: 'one' })
})

test('of several logins none is guessed: the error names them', async () => {
  const { run, env, tenant } = await newLogin()
  const times = { accessTokenExpiresAtMs: Date.now() + 3_600_000, refreshTokenExpiresAtMs: Date.now() + 3_600_000 }
  const other = { url: 'http://127.0.0.1:9', orgSlug: 'other', accessToken: 'svc_at_x', refreshToken: 'svc_rt_x' }
  await openCredentials({ env }).save({ ...other, ...times })
  const both = `You are logged in to ${testEnv.app.url}, http://127.0.0.1:9: choose one with --url`
  for (const command of ['whoami', 'init', 'config', 'logout'])
    expect(await run(command), command).toMatchObject({ status: 2, stderr: expect.stringContaining(both) })
  const { stdout } = await run('doctor')
  expect(stdout).toMatch(/^✗ settings +INVALID_SETTING: You are logged in to .*\n$/)
  const chosen = await run('whoami', '--url', testEnv.app.url)
  expect(chosen.stdout).toContain(`organization\t${tenant.at.orgSlug}\n`)
})
