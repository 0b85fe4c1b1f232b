/** Every command about a stage says which stages exist if there is none of the name. */
import { beforeAll, expect, test } from 'vitest'
import { secret } from '../../../server/testkit/entries.ts'
import { newServiceToken, tenantAt, useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { useTestCli } from '../../testkit/cli.ts'
import { inProcess } from '../../testkit/run.ts'

const testEnv = useTestEnv()
const cli = useTestCli(testEnv)

beforeAll(async () => {
  for (const stageSlug of ['dev', 'prod']) await write(testEnv, tenantAt(cli.tenant, { stageSlug }), [secret('A', 'x')])
})

const propose = ['--propose', '--reason', 'r']

test.each([
  [['list', '--stage', 'qa']],
  [['get', 'A', '--stage', 'qa']],
  [['set', 'A', 'x', '--stage', 'qa']],
  [['set', 'A', '--keep-value', '--plain', '--stage', 'qa']],
  [['set', 'A', '--keep-value', '--plain', ...propose, '--stage', 'qa']],
  [['set', 'A', '--chance', '1%', '--stage', 'qa']],
  [['delete', 'A', '--yes', '--stage', 'qa']],
  [['roll', 'stop', 'A', '--stage', 'qa']],
  [['roll', 'set', 'A', '--chance', '1%', ...propose, '--stage', 'qa']],
  [['ramp', 'A', '1%', '2%', '--every', '1d', '--yes', '--stage', 'qa']],
  [['promote', 'qa']],
  [['copy', 'dev', 'qa']],
  [['open', 'A', '--stage', 'qa']],
  [['key', 'create', 'web', '--any-origin', '--stage', 'qa']],
  [['token', 'create', 'ci', '--stage', 'qa']],
  [['trust', 'create', 'qa', '--issuer', 'https://ci.example', '--claim', 'a=b']],
  [['access', 'list', 'qa']],
  [['access', 'grant', 'ada@example.com', 'viewer', 'qa']],
  [['access', 'revoke', 'ada@example.com', 'qa', '--yes']],
  [['access', 'explain', 'ada@example.com', 'qa']],
  [['access', 'holders', 'qa']],
  [['change', 'list', '--project', 'shop', '--stage', 'qa']],
  [['stage', 'protect', 'qa', '--yes']],
  [['stage', 'unprotect', 'qa', '--yes']],
])('%j', async (args) => {
  const { status, stderr } = await cli.run(...args)
  expect(status, stderr).toBe(5)
  expect(stderr).toMatch(
    /^STAGE_NOT_FOUND: The project "shop" has no stage "qa"\. It has "dev", "prod".*; try: rollkey stage list --project shop$/m,
  )
})

test.each([
  [['--stage', 'Not a stage'], 'stage'],
  [['--stage', 'dev', '--project', 'Not a project'], 'project'],
])('a name that no %j can have is called what the option calls it', async (args, what) => {
  const { stderr } = await cli.run('list', ...args)
  expect(stderr).toMatch(new RegExp(`^INVALID_REQUEST: The ${what} must `))
  expect(stderr).not.toContain('Slug')
})

test('an organization of which one has no token is named', async () => {
  const { token } = await newServiceToken(testEnv, cli.tenant)
  const env = { ...cli.env, ROLLKEY_TOKEN: token, ROLLKEY_URL: testEnv.app.url }
  const { stderr } = await inProcess(['list', '--org', 'other'], { cwd: cli.cwd, env })
  expect(stderr).toMatch(/^INVALID_ORG_SCOPE: The organization "other" is not the organization of the token/)
})
