/** The credential that a command uses, and the exit status of every refusal. */
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { secret } from '../../../server/testkit/entries.ts'
import { newServiceToken, tenantAt, useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { useTestCli } from '../../testkit/cli.ts'
import { startHostileService } from '../../testkit/hostile-service.ts'
import { inProcess } from '../../testkit/run.ts'

const testEnv = useTestEnv({ PLAN: 'free', FREE_EVALUATIONS: '1000', FREE_STORAGE_BYTES: '2000' })
const cli = useTestCli(testEnv)

beforeAll(async () => {
  await write(testEnv, cli.tenant, [secret('A', 'of dev')])
  await write(testEnv, tenantAt(cli.tenant, { stageSlug: 'prod' }), [secret('A', 'of prod')])
})

/** Runs a command with a token in the environment and without a login. */
async function by(token: string, ...args: string[]) {
  const env = {
    ...cli.env,
    ROLLKEY_CONFIG_DIR: `${cli.cwd}/no-login`,
    ROLLKEY_TOKEN: token,
    ROLLKEY_URL: testEnv.app.url,
  }
  return inProcess(args, { cwd: cli.cwd, env })
}

describe('a service token in ROLLKEY_TOKEN', () => {
  test('reads the stages of its scope and no others', async () => {
    const { token, id } = await newServiceToken(testEnv, cli.tenant, {
      projectSlug: 'shop',
      stageSlug: 'dev',
      readOnly: true,
    })
    expect(await by(token, 'get', 'A')).toMatchObject({ status: 0, stdout: 'of dev' })
    const elsewhere = await by(token, 'get', 'A', '--stage', 'prod')
    expect(elsewhere.status, elsewhere.stderr).toBe(4)
    expect(elsewhere.stderr).toMatch(/^FORBIDDEN: .*; try: rollkey whoami$/m)
    expect((await by(token, 'set', 'B', 'x')).status).toBe(4)
    expect((await by(token, 'token', 'list')).status).toBe(4)
    expect((await by(token, 'whoami')).stdout).toContain('shop/dev')
    await cli.run('token', 'revoke', id, '--yes')
    const revoked = await by(token, 'get', 'A')
    expect(revoked.status).toBe(3)
    // A login does not help while the variable is set.
    expect(revoked.stderr).toMatch(
      /^UNAUTHORIZED: The service refused the token of ROLLKEY_TOKEN: .*; try: rollkey config$/m,
    )
    expect(revoked.stdout + revoked.stderr).not.toContain(token)
  })

  test('wins over the login, and needs no organization in the settings', async () => {
    const { token } = await newServiceToken(testEnv, cli.tenant, { name: 'ci' })
    const env = { ...cli.env, ROLLKEY_TOKEN: token, ROLLKEY_URL: testEnv.app.url }
    const who = await inProcess(['whoami', '--json'], { cwd: '/', env })
    expect(JSON.parse(who.stdout)).toMatchObject({ credential: 'service', orgSlug: cli.tenant.at.orgSlug })
    const got = await inProcess(['get', 'A', '--project', 'shop', '--stage', 'prod'], { cwd: '/', env })
    expect(got).toMatchObject({ status: 0, stdout: 'of prod', stderr: '' })
  })

  test('is created and revoked by the command line', async () => {
    const { stdout } = await cli.run('token', 'create', 'deploy', '--stage', 'prod', '--json')
    const { id, token } = JSON.parse(stdout)
    expect((await by(token, 'get', 'A', '--stage', 'prod')).stdout).toBe('of prod')
    expect((await cli.run('token', 'list')).stdout).toContain(`${id}\tdeploy\tshop/prod\tread`)
    expect((await cli.run('token', 'rotate', id)).status).toBe(0)
    expect((await cli.run('token', 'list')).stderr).toContain(`The former secret of ${id} works until `)
    expect((await cli.run('token', 'rotate', id, '--overlap', '0')).status).toBe(0)
    expect((await cli.run('token', 'list')).stderr).not.toContain('The former secret')
    expect((await cli.run('token', 'revoke', id, '--yes')).status).toBe(0)
    const again = await cli.run('token', 'revoke', id, '--yes')
    expect(again).toMatchObject({ status: 5, stderr: expect.stringMatching(/; try: rollkey token list\n$/) })
  })
})

test('no service token is created for a project or stage that does not exist', async () => {
  const stage = await cli.run('token', 'create', 'tmp', '--stage', 'prdo')
  expect(stage).toMatchObject({ status: 5, stdout: '', stderr: expect.stringContaining('Did you mean "prod"?') })
  for (const scope of ['stage', 'project']) {
    const project = await cli.run('token', 'create', 'tmp', '--project', 'shpo', '--scope', scope)
    expect(project).toMatchObject({ status: 5, stdout: '', stderr: expect.stringContaining('Did you mean "shop"?') })
  }
  expect((await cli.run('token', 'list')).stdout).not.toContain('tmp')
  expect(await cli.run('token', 'create', 'tmp', '--scope', 'project')).toMatchObject({ status: 0 })
})

test('a second service token of one name is created with a warning', async () => {
  expect((await cli.run('token', 'create', 'twice', '--stage', 'prod')).stderr).not.toContain('Another token')
  const second = await cli.run('token', 'create', 'twice', '--stage', 'prod')
  expect(second).toMatchObject({ status: 0, stdout: expect.stringMatching(/^svc_st_/) })
  expect(second.stderr).toContain('Another token has the name "twice"')
})

test('a person is shown by name and email if the service has them, else by id', async () => {
  const service = await startHostileService()
  onTestFinished(() => service.close())
  const who = { orgSlug: 'acme', idpUserId: '4vguqE2N', role: 'owner' }
  const env = {
    ...cli.env,
    ROLLKEY_CONFIG_DIR: `${cli.cwd}/no-login`,
    ROLLKEY_TOKEN: 'svc_st_x',
    ROLLKEY_URL: service.url,
  }
  for (const command of ['whoami', 'doctor']) {
    service.answers['/v1/whoami'] = { ...who, name: 'Ada Lovelace', email: 'ada@example.com' }
    const named = await inProcess([command], { cwd: '/', env })
    expect(named.stdout).toContain('Ada Lovelace <ada@example.com> (owner)')
    service.answers['/v1/whoami'] = who
    expect((await inProcess([command], { cwd: '/', env })).stdout).toContain('4vguqE2N (owner)')
  }
})

describe('the location of the credential', () => {
  test('is shown: a file if no keychain has the tokens', async () => {
    const file = `${cli.env['ROLLKEY_CONFIG_DIR']}/sessions.json`
    for (const command of ['doctor', 'config']) {
      const { stdout } = await cli.run(command)
      expect(stdout).toContain(`login to ${cli.tenant.at.orgSlug}, stored in the file ${file}`)
    }
  })

  test('is shown: ROLLKEY_TOKEN', async () => {
    const { token } = await newServiceToken(testEnv, cli.tenant, { name: 'ci' })
    const { stdout } = await by(token, 'doctor')
    expect(stdout).toMatch(/credential +environment ROLLKEY_TOKEN\n/)
    expect(stdout).toMatch(/login +service token ci in /)
  })

  test('doctor does not suggest doctor', async () => {
    const { stdout } = await by('svc_st_x', 'doctor', '--url', 'http://127.0.0.1:9')
    expect(stdout).toContain('UNREACHABLE')
    expect(stdout).not.toContain('try: rollkey doctor')
  })
})

describe('exit statuses', () => {
  test('3 for an invalid token', async () => {
    const { status, stderr } = await by('svc_at_nonsense', 'list')
    expect(status, stderr).toBe(3)
    expect(stderr).not.toContain('nonsense')
  })

  test('4 for another organization', async () => {
    const { token } = await newServiceToken(testEnv, cli.tenant, { name: 'ci' })
    expect(await by(token, 'list', '--org', 'other')).toMatchObject({ status: 4 })
  })

  test('7 over the plan', async () => {
    const { status, stderr } = await cli.feed('x'.repeat(3_000), 'set', 'LARGE')
    expect(status, stderr).toBe(7)
    expect(stderr).toMatch(/^USAGE_LIMIT_EXCEEDED: /)
  })

  test('8 if the service cannot be reached', async () => {
    const { status, stderr } = await by('svc_st_x', 'get', 'A', '--url', 'http://127.0.0.1:9')
    expect(status, stderr).toBe(8)
    expect(stderr).toMatch(/^UNREACHABLE: .*; try: rollkey doctor$/m)
  })

  test('2 for a missing or malformed setting', async () => {
    const nowhere = { cwd: '/', env: cli.env }
    expect(await inProcess(['list'], nowhere)).toMatchObject({ status: 2 })
    expect((await inProcess(['list'], nowhere)).stderr).toMatch(/^USAGE: No project is set.*; try: rollkey init$/m)
    const empty = await inProcess(['list', '--stage', ''], cli)
    expect(empty).toMatchObject({ status: 2 })
    expect(empty.stderr).toMatch(/^INVALID_SETTING: /)
  })
})

test('diagnostic output contains no token and no value', async () => {
  const { token } = await newServiceToken(testEnv, cli.tenant, { name: 'ci' })
  for (const args of [['config'], ['doctor'], ['whoami'], ['list'], ['set', 'C', 'canary-value']]) {
    const { stdout, stderr } = await by(token, ...args, '--json')
    expect(stdout + stderr).not.toMatch(/svc_|canary/)
  }
})
