/** Trusts: jobs that read with the token of their platform, and the commands that manage them. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { secret } from '../../../server/testkit/entries.ts'
import { newIssuerKey } from '../../../server/testkit/issuer.ts'
import { write } from '../../../server/testkit/test-env.ts'
import { audience, useTrustScene } from '../../../server/test/trusts/scene.ts'
import { useTestCli } from '../../testkit/cli.ts'
import { inProcess } from '../../testkit/run.ts'

const scene = useTrustScene()
const cli = useTestCli(scene.testEnv)

beforeAll(() => write(scene.testEnv, cli.tenant, [secret('A', 'value of A')]))

function rules(): string[] {
  const claims = ['--claim', 'repository_id=424242', 'ref=refs/heads/*']
  return ['--issuer', scene.issuer.url, '--audience', audience, ...claims]
}

async function newTrust(...more: string[]): Promise<string> {
  const { status, stdout, stderr } = await cli.run('trust', 'create', 'dev', ...rules(), ...more)
  expect(status, stderr).toBe(0)
  expect(stdout).toMatch(/^tru_[\w-]+\n$/)
  return stdout.trim()
}

/** Runs a command in a job that has no login and no token of Rollkey. */
async function inJob(trust: string, idToken: string, ...args: string[]) {
  const { PATH = '', HOME = '' } = cli.env
  const { orgSlug, projectSlug } = cli.tenant.at
  const machine = { PATH, HOME, CI: 'true', ROLLKEY_CONFIG_DIR: path.join(cli.cwd, 'job') }
  const target = { ROLLKEY_ORG: orgSlug, ROLLKEY_PROJECT: projectSlug, ROLLKEY_STAGE: 'dev' }
  const identity = { ROLLKEY_URL: scene.testEnv.app.url, ROLLKEY_TRUST: trust, ROLLKEY_ID_TOKEN: idToken }
  const env = { ...machine, ...target, ...identity }
  return inProcess(args, { ...cli, env })
}

describe('a job', () => {
  test('reads with the token of its platform, and passes it to no command', async () => {
    const id = await newTrust()
    const token = await scene.token()
    expect(await inJob(id, token, 'get', 'A')).toMatchObject({ status: 0, stdout: 'value of A' })
    expect((await inJob(id, token, 'run', '--', 'printenv', 'ROLLKEY_ID_TOKEN')).stdout).toBe('')
    const { stdout } = await inJob(id, token, 'config')
    expect(stdout).toContain('environment ROLLKEY_TRUST')
    expect((await inJob(id, token, 'delete', 'A', '--yes')).status).toBe(4)
  })

  test('whose token is refused says which claims did not match, and never the token', async () => {
    const id = await newTrust()
    const token = await scene.token({ ref: 'refs/tags/v1' })
    const { status, stdout, stderr } = await inJob(id, token, 'get', 'A')
    expect([status, stdout]).toEqual([3, ''])
    expect(stderr).toContain('EXCHANGE_REFUSED')
    expect(stderr).toContain('refs/tags/v1')
    expect(stderr).toContain('try: rollkey trust test --help')
    expect(stderr).not.toContain(token)
  })

  test('loses access when its trust is deleted', async () => {
    const id = await newTrust()
    expect((await inJob(id, await scene.token(), 'list')).status).toBe(0)
    expect((await cli.run('trust', 'delete', id, '--yes')).status).toBe(0)
    expect((await inJob(id, await scene.token(), 'list')).status).toBe(3)
  })
})

describe('trust test', () => {
  test('shows claim by claim what a trust accepts, by its status too', async () => {
    const id = await newTrust()
    const good = await cli.feed(await scene.token(), 'trust', 'test', id, '-')
    expect([good.status, good.stderr]).toEqual([0, 'The trust accepts this token.\n'])
    expect(good.stdout).toContain('ref\tyes\trefs/heads/*\trefs/heads/main\n')
    const bad = await cli.feed(await scene.token({ ref: 'refs/tags/v1' }), 'trust', 'test', id, '-')
    expect(bad.status).toBe(6)
    expect(bad.stdout).toContain('ref\tno\trefs/heads/*\trefs/tags/v1\n')
  })

  test.each([
    [['trust', 'test', 'tru_x', '-'], '', 'There is no token in stdin'],
    [['trust', 'test', 'tru_x', 'none.txt'], '', 'cannot be read (ENOENT)'],
  ])('%j is refused', async (args, input, message) => {
    const { status, stderr } = await cli.feed(input, ...args)
    expect([status, stderr.includes(message)]).toEqual([2, true])
  })
})

describe('trust create', () => {
  test('fills in what a platform needs, and lists it', async () => {
    const fields = ['--set', 'repositoryId=424242', 'ref=refs/heads/main']
    const args = ['trust', 'create', 'dev', '--github', 'acme/shop', '--environment', 'production', ...fields, '--json']
    const { status, stdout, stderr } = await cli.run(...args)
    expect(status, stderr).toBe(0)
    const created = JSON.parse(stdout) as { id: string }
    expect(created).toMatchObject({
      name: 'GitHub Actions acme/shop',
      issuer: 'https://token.actions.githubusercontent.com',
      claims: [
        { name: 'repository_id', value: '424242' },
        { name: 'environment', value: 'production' },
        { name: 'ref', value: 'refs/heads/main' },
      ],
      role: 'reader',
      lifetimeSeconds: 900,
    })
    const listed = (await cli.run('trust', 'list')).stdout
    expect(listed).toContain(`${created.id}\tGitHub Actions acme/shop\t`)
    expect(listed).toContain(
      'repository_id=424242 environment=production ref=refs/heads/main\tshop/dev\treader\tnever\n',
    )
  })

  test.each([
    [['--github', 'acme/shop'], 'GitHub Actions needs --set repositoryId=… (gh api repos/acme/shop --jq .id)'],
    [['--platform', 'jenkins'], '--platform must be github, gitlab'],
    [['--platform', 'gitlab', '--set', 'project=1'], 'GitLab has no field "project" (expected projectId'],
    [['--platform', 'gitlab', '--set', 'projectId'], '--set "projectId" is not a pair (expected name=value)'],
    [['--issuer', 'https://ci.example.com'], '--issuer needs --claim'],
    [['--issuer', 'nowhere', '--claim', 'a=b'], 'is not a URL (expected https://…)'],
    [['--github', 'a/b', '--issuer', 'https://c.example'], 'One of --github, --platform and --issuer is required'],
    [[], 'One of --github, --platform and --issuer is required'],
    [['--github', 'a/b', '--role', 'owner'], '--role must be viewer, reader or developer, not owner'],
    [['--github', 'a/b', '--minutes', '90'], '--minutes must be a number from 1 to 60'],
  ])('%j is refused: %s', async (args, message) => {
    const { status, stderr } = await cli.run('trust', 'create', 'dev', ...args)
    expect([status, stderr.includes(message)], stderr).toEqual([2, true])
  })
})

describe('trust update', () => {
  test('changes only what its options name, and ends the tokens of the trust', async () => {
    const id = await newTrust('--history', '--forks')
    const changes = ['--claim', 'repository_id=424242', '--no-history', '--minutes', '5']
    const { status, stdout, stderr } = await cli.run('trust', 'update', id, ...changes, '--json')
    expect(status, stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      id,
      claims: [{ name: 'repository_id', value: '424242' }],
      role: 'reader',
      history: false,
      forks: true,
      lifetimeSeconds: 300,
    })
    expect((await inJob(id, await scene.token({ ref: 'refs/tags/v1' }), 'list')).status).toBe(0)
    const narrowed = await cli.run('trust', 'update', id, '--role', 'viewer', '--no-forks')
    expect([narrowed.status, narrowed.stderr]).toEqual([
      0,
      `Changed role, forks of ${id}. Jobs get new tokens if they meet the new terms.\n`,
    ])
    expect((await inJob(id, await scene.token(), 'get', 'A')).status).toBe(4)
  })

  test('replaces and removes pasted keys', async () => {
    const { publicJwk } = await newIssuerKey('pasted')
    writeFileSync(path.join(cli.cwd, 'keys.json'), JSON.stringify({ keys: [publicJwk] }))
    const id = await newTrust()
    const jwksOf = async (...args: string[]) => {
      const { stdout } = await cli.run('trust', 'update', id, ...args, '--json')
      return (JSON.parse(stdout) as { jwks?: string }).jwks
    }
    expect(await jwksOf('--keys', 'keys.json')).toContain('pasted')
    expect(await jwksOf('--no-keys')).toBeUndefined()
  })

  test.each([
    [[], 2, 'There is nothing to change'],
    [['--role', 'owner'], 2, '--role must be viewer, reader or developer, not owner'],
    [['--minutes', '0'], 2, '--minutes must be a number from 1 to 60'],
    [['--claim', 'ref'], 2, '--claim "ref" is not a pair (expected name=value)'],
    [['--keys', 'none.json'], 2, 'cannot be read (ENOENT)'],
    [['--name', 'x'], 5, 'NOT_FOUND'],
  ])('%j is refused', async (args, expected, message) => {
    const { status, stderr } = await cli.run('trust', 'update', 'tru_unknown', ...args)
    expect([status, stderr.includes(message)], stderr).toEqual([expected, true])
  })
})
