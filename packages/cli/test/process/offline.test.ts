/** The last values of a stage on this machine: kept, used while the service cannot be reached, and erased. */
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileSnapshot, openCredentials } from '@rollkey/sdk/node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { secret } from '../../../server/testkit/entries.ts'
import { temporaryFolder } from '../../../server/testkit/folder.ts'
import { useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { startTestCli } from '../../testkit/cli.ts'
import { environmentAt, startHostileService, type HostileService } from '../../testkit/hostile-service.ts'
import { inProcess, type Ended } from '../../testkit/run.ts'

const canary = 's3cret-canary'
const print = ['--', process.execPath, '-p', 'process.env.API_KEY']
const pulled = { revision: 7, variables: { API_KEY: canary } }

interface Machine {
  readonly service: HostileService
  /** The folder of the snapshots. */
  readonly folder: string
  readonly run: (...args: string[]) => Promise<Ended>
  /** Runs a command with other variables in its environment. */
  readonly with: (env: Record<string, string>, ...args: string[]) => Promise<Ended>
  /** Returns the paths of all snapshots. */
  readonly kept: () => string[]
}

/** Returns a machine with a service token and a service with two stages. */
async function startMachine(): Promise<Machine> {
  const service = await startHostileService()
  onTestFinished(() => service.close())
  const cwd = temporaryFolder()
  const base = { ...environmentAt(service), HOME: cwd, ROLLKEY_CONFIG_DIR: path.join(cwd, 'config') }
  const folder = path.join(cwd, 'config', 'snapshots')
  const withEnv = (env: Record<string, string>, ...args: string[]): Promise<Ended> =>
    inProcess(args, { env: { ...base, ...env }, cwd })
  service.answers['/v1/env/pull'] = pulled
  service.answers['/v1/projects/list'] = { projects: [projectOf({ stageSlug: 'dev' }, { stageSlug: 'test' })] }
  return {
    service,
    folder,
    run: (...args) => withEnv({}, ...args),
    with: withEnv,
    kept: () => {
      const files = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
      return files.map((file) => path.join(folder, file)).filter((file) => statSync(file).isFile())
    },
  }
}

function projectOf(...stages: object[]): object {
  return { projectSlug: 'shop', stages }
}

function refusal(code: string): object {
  return { error: { code, message: 'No.', requestId: 'r' } }
}

const pull = ['pull', '--format', 'json']

/** Changes what a snapshot contains. */
async function edit(file: string, change: (contents: Record<string, unknown>) => object): Promise<void> {
  const snapshot = fileSnapshot({ file, secret: 'svc_st_x' })
  const contents = JSON.parse((await snapshot.load()) ?? '') as Record<string, unknown>
  await snapshot.save(JSON.stringify(change(contents)))
}

test('the last values are kept encrypted, for their owner alone', async () => {
  const { run, kept, folder } = await startMachine()
  expect(await run('run', ...print)).toMatchObject({ status: 0, stdout: `${canary}\n`, stderr: '' })
  const [file = '', ...more] = kept()
  expect(more).toEqual([])
  expect(readFileSync(file).includes(canary)).toBe(false)
  expect([file, path.dirname(file), folder].map((each) => statSync(each).mode & 0o777)).toEqual([0o600, 0o700, 0o700])
})

describe('the last values are used, with one line that says how old they are,', () => {
  test.each([
    ['if nothing listens', undefined, 'UNREACHABLE: .* cannot be reached \\(ECONNREFUSED\\): .* correct the address'],
    ['if no answer comes', 'none', 'UNREACHABLE: .* did not answer within 2000 ms'],
    ['if a proxy answers in place of the service', 502, 'UNREACHABLE: .* returned 502.*'],
    ['if the service has lost its store', refusal('BILLING_UNAVAILABLE'), 'BILLING_UNAVAILABLE: No'],
    ['after an error of the service', refusal('INTERNAL'), 'INTERNAL: No'],
    ['if there were too many requests', refusal('RATE_LIMITED'), 'RATE_LIMITED: No'],
  ] as const)('%s', async (_, answer, error) => {
    const { run, service } = await startMachine()
    await run(...pull)
    if (answer === undefined) await service.close()
    else service.answers['/v1/env/pull'] = answer
    const line = new RegExp(`^${error}\\. Using the values of shop/dev from just now \\(revision 7\\)\\n$`)
    const ended = await run(...pull)
    expect(ended.stderr).toMatch(line)
    expect(ended).toMatchObject({ status: 0, stdout: `${JSON.stringify(pulled.variables, null, 2)}\n` })
  })

  test('by run too', async () => {
    const { run, service } = await startMachine()
    await run(...pull)
    await service.close()
    const { status, stdout, stderr } = await run('run', ...print)
    expect({ status, stdout }).toEqual({ status: 0, stdout: `${canary}\n` })
    expect(stderr).toMatch(/^UNREACHABLE: .*\. Using the values of shop\/dev from just now \(revision 7\)\n$/)
  })
})

test('what needs the service says during an outage that run and pull have the last values', async () => {
  const { run, with: runWith, service } = await startMachine()
  await run(...pull)
  await service.close()
  const hint = 'Without the service, rollkey run and rollkey pull use the values of shop/dev from just now'
  for (const args of [['get', 'API_KEY'], ['list']]) {
    expect(await run(...args), args[0]).toMatchObject({ status: 8, stderr: expect.stringContaining(hint) as string })
    expect((await run(...args, '--stage', 'test')).stderr, args[0]).not.toContain('rollkey pull')
  }
  expect((await runWith({ ROLLKEY_FALLBACK: 'off' }, 'list')).stderr).not.toContain('rollkey pull')
})

describe('values that the service refuses are not used, and erased:', () => {
  test.each([
    ['a revoked token', 'UNAUTHORIZED', 3],
    ['a member who was removed', 'ORG_SCOPE_INVALID', 3],
    ['access that was taken away', 'FORBIDDEN', 4],
    ['a stage that is hidden or gone', 'STAGE_NOT_FOUND', 5],
  ])('%s', async (_, code, status) => {
    const { run, service, kept } = await startMachine()
    await run(...pull)
    // A stage at revision 0 does not exist.
    service.answers['/v1/env/pull'] = code === 'STAGE_NOT_FOUND' ? { revision: 0, variables: {} } : refusal(code)
    expect(await run(...pull)).toMatchObject({ status, stdout: '' })
    expect(kept()).toEqual([])
    await service.close()
    expect(await run(...pull)).toMatchObject({ status: 8, stdout: '' })
  })

  test('a revoked token erases the values of all its stages, whichever command learns of it', async () => {
    const { run, service, kept } = await startMachine()
    await run(...pull)
    await run(...pull, '--stage', 'test')
    expect(kept()).toHaveLength(2)
    service.answers['/v1/env/list'] = refusal('UNAUTHORIZED')
    expect(await run('list')).toMatchObject({ status: 3 })
    expect(kept()).toEqual([])
  })

  test('access that was taken away from one stage leaves the values of others', async () => {
    const { run, service, kept } = await startMachine()
    await run(...pull)
    await run(...pull, '--stage', 'test')
    service.answers['/v1/env/pull'] = refusal('FORBIDDEN')
    await run(...pull)
    expect(kept()).toHaveLength(1)
  })
})

describe('a protected stage', () => {
  test('keeps none', async () => {
    const { run, service, kept } = await startMachine()
    service.answers['/v1/projects/list'] = { projects: [projectOf({ stageSlug: 'dev', isProtected: true })] }
    expect(await run(...pull)).toMatchObject({ status: 0 })
    expect(kept()).toEqual([])
  })

  test('erases those of the time before', async () => {
    const { run, service, kept } = await startMachine()
    await run(...pull)
    service.answers['/v1/projects/list'] = { projects: [projectOf({ stageSlug: 'dev', isProtected: true })] }
    await run(...pull)
    expect(kept()).toEqual([])
  })

  test('is one until the service says that it is none', async () => {
    const { run, service, kept } = await startMachine()
    for (const answer of [refusal('FORBIDDEN'), { projects: [] }]) {
      service.answers['/v1/projects/list'] = answer
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await run(...pull)
      expect(kept()).toEqual([])
    }
  })
})

describe('values that are too old', () => {
  test('are not used, and the error says so', async () => {
    const { run, service, kept } = await startMachine()
    await run(...pull)
    await edit(kept()[0] ?? '', (contents) => ({ ...contents, atMs: Date.now() - 25 * 3_600_000 }))
    await service.close()
    const late = 'from 1 d ago, and --max-age is 24h'
    expect(await run(...pull)).toMatchObject({ status: 8, stderr: expect.stringContaining(late) as string })
    expect(await run(...pull, '--offline')).toMatchObject({
      status: 8,
      stderr: expect.stringContaining(late) as string,
    })
    expect(await run(...pull, '--max-age', '2d')).toMatchObject({ status: 0 })
    expect(await run(...pull, '--max-age', 'old')).toMatchObject({ status: 2 })
  })

  test('may seem to be new: values of the future are not used', async () => {
    const { run, service, kept } = await startMachine()
    await run(...pull)
    await edit(kept()[0] ?? '', (contents) => ({ ...contents, atMs: Date.now() + 3_600_000 }))
    await service.close()
    expect(await run(...pull)).toMatchObject({ status: 8 })
  })
})

test('a file that was changed, or moved to another stage, is not used', async () => {
  const { run, service, kept } = await startMachine()
  await run(...pull)
  const [dev = ''] = kept()
  await run(...pull, '--stage', 'test')
  const other = kept().find((file) => file !== dev) ?? ''
  const bytes = readFileSync(other)
  bytes[40] = (bytes[40] ?? 0) ^ 1
  writeFileSync(other, bytes)
  await service.close()
  expect(await run(...pull, '--stage', 'test')).toMatchObject({ status: 8 })
  renameSync(dev, other)
  expect(await run(...pull, '--stage', 'test')).toMatchObject({ status: 8 })
})

test('another credential, seed or address does not get the values', async () => {
  const { run, with: withEnv, service } = await startMachine()
  await run(...pull)
  await service.close()
  expect(await run(...pull)).toMatchObject({ status: 0 })
  expect(await withEnv({ ROLLKEY_TOKEN: 'svc_st_y' }, ...pull)).toMatchObject({ status: 8 })
  expect(await withEnv({ ROLLKEY_URL: 'http://127.0.0.1:9' }, ...pull)).toMatchObject({ status: 8 })
  expect(await run(...pull, '--seed', 'user-1')).toMatchObject({ status: 8 })
})

describe('--offline', () => {
  test('uses them without a request', async () => {
    const { run, service } = await startMachine()
    await run(...pull)
    const requests = service.seen.length
    expect(await run('run', '--offline', ...print)).toMatchObject({
      status: 0,
      stdout: `${canary}\n`,
      stderr: 'Offline: using the values of shop/dev from just now (revision 7)\n',
    })
    expect(service.seen).toHaveLength(requests)
  })

  test('says what is missing, and does not go together with what contradicts it', async () => {
    const { run, with: withEnv } = await startMachine()
    expect(await run(...pull, '--offline')).toMatchObject({
      status: 8,
      stderr: expect.stringContaining('NO_LAST_VALUES: The last values of shop/dev on this machine are none') as string,
    })
    expect(await run(...pull, '--offline', '--no-fallback')).toMatchObject({ status: 2 })
    expect(await withEnv({ CI: 'true' }, ...pull, '--offline')).toMatchObject({ status: 2 })
    expect(await run('run', '--offline', '--watch', ...print)).toMatchObject({ status: 2 })
  })
})

describe('nothing is kept and nothing is used', () => {
  test.each([
    ['with --no-fallback', {}, ['--no-fallback']],
    ['with ROLLKEY_FALLBACK=off', { ROLLKEY_FALLBACK: 'off' }, []],
    ['in CI', { CI: 'true' }, []],
    ['with a trust, whose tokens do not last', { ROLLKEY_TRUST: 'tru_x', ROLLKEY_ID_TOKEN: 'x.y.z' }, []],
  ])('%s', async (_, env, args) => {
    const { run, with: withEnv, service, kept } = await startMachine()
    service.answers['/oauth/token'] = { access_token: 'svc_at_x', expires_in: 600 }
    const token = 'ROLLKEY_TRUST' in env ? { ROLLKEY_TOKEN: undefined as unknown as string } : {}
    const limited = (): Promise<Ended> => withEnv({ ...env, ...token }, ...pull, ...args)
    expect(await limited()).toMatchObject({ status: 0 })
    expect(kept()).toEqual([])
    await run(...pull)
    await service.close()
    expect(await limited()).toMatchObject({ status: 8, stdout: '' })
    expect(await run(...pull)).toMatchObject({ status: 0 })
  })
})

test('a folder that cannot be written stops nothing', async () => {
  const { with: withEnv } = await startMachine()
  const folder = path.join(import.meta.filename, 'rollkey')
  expect(await withEnv({ ROLLKEY_CONFIG_DIR: folder }, ...pull)).toMatchObject({ status: 0, stderr: '' })
})

describe('the values of a login', () => {
  const testEnv = useTestEnv()

  async function startLogin() {
    const cli = await startTestCli(testEnv)
    await write(testEnv, cli.tenant, [secret('API_KEY', canary)])
    const { ROLLKEY_FALLBACK: _, ...env } = cli.env
    const run = (...args: string[]): Promise<Ended> => inProcess(args, { ...cli, env })
    const folder = path.join(cli.cwd, '.config', 'snapshots')
    const find = () => openCredentials({ env }).find(testEnv.app.url, cli.tenant.at.orgSlug)
    expect(await run(...pull)).toMatchObject({ status: 0, stderr: '' })
    expect(await run('run', '--offline', ...print)).toMatchObject({ status: 0, stdout: `${canary}\n` })
    return { cli, env, run, folder, find }
  }

  test('are erased by a logout, with their key', async () => {
    const { run, folder, find } = await startLogin()
    expect(readdirSync(folder)).toHaveLength(1)
    await run('logout')
    expect(readdirSync(folder)).toEqual([])
    expect(await find()).toBeUndefined()
    expect(await run(...pull, '--offline')).toMatchObject({ status: 8, stdout: '' })
  })

  test('outlive a refresh, and are erased once the session was revoked', async () => {
    const { cli, env, run, folder, find } = await startLogin()
    const session = await find()
    if (!session) throw new Error('there is no login')
    await openCredentials({ env }).save({ ...session, accessTokenExpiresAtMs: Date.now() - 1 })
    expect(await run('whoami')).toMatchObject({ status: 0 })
    const renewed = await find()
    expect(renewed?.refreshToken).not.toBe(session.refreshToken)
    expect(renewed?.snapshotKey).toBe(session.snapshotKey)
    expect(await run(...pull, '--offline')).toMatchObject({ status: 0 })
    const { refreshToken = '', accessToken = '' } = renewed ?? {}
    await testEnv.client.must('logout', { refreshToken }, { token: accessToken })
    expect(await run(...pull)).toMatchObject({ status: 3, stdout: '' })
    expect(readdirSync(folder)).toEqual([])
    expect(cli.tenant.at.orgSlug).toBe(session.orgSlug)
  })

  test('are those of one login: a new one has another key', async () => {
    const { env, run, find } = await startLogin()
    const session = await find()
    if (!session) throw new Error('there is no login')
    const { snapshotKey: _, ...again } = session
    await openCredentials({ env }).save(again)
    expect(await run(...pull, '--offline')).toMatchObject({ status: 8, stdout: '' })
  })
})
