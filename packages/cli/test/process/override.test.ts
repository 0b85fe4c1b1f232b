/** Values of one machine in place of those of a stage. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { secret } from '../../../server/testkit/entries.ts'
import { tenantAt, useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { startTestCli } from '../../testkit/cli.ts'
import { inProcess, type Ended } from '../../testkit/run.ts'

const testEnv = useTestEnv()

/** Returns a command line at a stage with A and B. */
async function startStage() {
  const cli = await startTestCli(testEnv)
  await write(testEnv, cli.tenant, [secret('A', 'of the stage'), secret('B', 'b')])
  await write(testEnv, tenantAt(cli.tenant, { stageSlug: 'test' }), [secret('A', 'of test')])
  const folder = path.join(cli.cwd, '.config', 'overrides')
  const withEnv = (env: Record<string, string>, ...args: string[]): Promise<Ended> =>
    inProcess(args, { env: { ...cli.env, ...env }, cwd: cli.cwd })
  const run = (...args: string[]): Promise<Ended> => withEnv({}, ...args)
  return { ...cli, folder, withEnv, run }
}

const pull = ['pull', '--format', 'json']

test('go over those of the stage in run and pull, and stay on the machine', async () => {
  const { run, folder, tenant, ...cli } = await startStage()
  expect(await cli.feed('canary-a\n', 'override', 'set', 'A')).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('A of shop/dev is overridden on this machine: 1 overridden here.') as string,
  })
  expect(await run('override', 'set', 'NEW', 'canary-new', '--json')).toMatchObject({
    status: 0,
    stdout: '{"name":"NEW","overridden":2}\n',
  })
  const started = await run('run', '--', 'sh', '-c', 'echo "$A $B $NEW"')
  expect(started).toMatchObject({ status: 0, stdout: 'canary-a b canary-new\n', stderr: '2 overridden here: A, NEW\n' })
  const pulled = await run(...pull)
  expect(JSON.parse(pulled.stdout)).toEqual({ A: 'canary-a', B: 'b', NEW: 'canary-new' })
  expect(pulled.stderr).toBe('2 overridden here: A, NEW\n')
  // The service has its own values, and those of other stages stay.
  expect(await run('get', 'A')).toMatchObject({ stdout: 'of the stage' })
  expect((await testEnv.client.must('list', tenant.at, tenant)).variables).toHaveLength(2)
  expect(await run(...pull, '--stage', 'test')).toMatchObject({ stdout: '{\n  "A": "of test"\n}\n', stderr: '' })
  for (const file of readdirSync(folder)) {
    expect(readFileSync(path.join(folder, file)).includes('canary')).toBe(false)
    expect(statSync(path.join(folder, file)).mode & 0o777).toBe(0o600)
  }
})

test('are listed by name, and unset one by one or together', async () => {
  const { run, folder } = await startStage()
  for (const name of ['A', 'B', 'C']) await run('override', 'set', name, 'canary')
  expect(await run('override', 'list')).toMatchObject({ status: 0, stdout: 'A\nB\nC\n', stderr: '' })
  expect(await run('override', 'unset', 'B')).toMatchObject({ status: 0 })
  expect(await run('override', 'list', '--json')).toMatchObject({ stdout: '{"overrides":["A","C"]}\n' })
  expect(await run('override', 'unset', 'B')).toMatchObject({
    status: 5,
    stderr: 'NOT_FOUND: Not overridden in shop/dev on this machine: B; try: rollkey override list\n',
  })
  expect(await run('override', 'unset')).toMatchObject({ status: 2 })
  expect(await run('override', 'unset', '--all')).toMatchObject({ status: 0 })
  expect(await run('override', 'list')).toMatchObject({ status: 0, stdout: '' })
  expect(readdirSync(folder)).toEqual(['key'])
})

test('are set only where the stage exists and is not protected, with a valid name, and not in CI', async () => {
  const { run, withEnv } = await startStage()
  expect(await run('override', 'set', 'A', 'x', '--stage', 'dve')).toMatchObject({
    status: 5,
    stderr: expect.stringContaining('"dev"') as string,
  })
  expect(await run('override', 'set', 'A-B', 'x')).toMatchObject({ status: 6 })
  expect(await run('override', 'set', 'A-B', 'x', '--any-name')).toMatchObject({ status: 0 })
  expect(await withEnv({ CI: 'true' }, 'override', 'set', 'A', 'x')).toMatchObject({ status: 2 })
  await run('stage', 'protect', 'test', '--yes')
  expect(await run('override', 'set', 'A', 'x', '--stage', 'test')).toMatchObject({
    status: 4,
    stderr: expect.stringContaining('The stage shop/test is protected and takes no overrides') as string,
  })
})

test('are not used in CI, nor once the stage is protected, and a line says so', async () => {
  const { run, withEnv, tenant } = await startStage()
  await run('override', 'set', 'A', 'canary')
  const inCi = await withEnv({ CI: 'true' }, ...pull)
  expect(JSON.parse(inCi.stdout)).toEqual({ A: 'of the stage', B: 'b' })
  expect(inCi.stderr).toBe('Overrides of this machine are not used in CI: A\n')
  const { orgSlug, projectSlug, stageSlug } = tenant.at
  const token = await testEnv.provider.confirmedTokenOf(tenant.user)
  const created = await testEnv.client.must('tokenCreate', { ...tenant.at, name: 'ci', role: 'reader' }, { token })
  const asToken = { ROLLKEY_TOKEN: created.token, ROLLKEY_URL: testEnv.app.url }
  expect(JSON.parse((await withEnv(asToken, ...pull)).stdout)).toMatchObject({ A: 'canary' })
  await testEnv.client.must('stageProtect', { orgSlug, projectSlug, stageSlug, isProtected: true }, { token })
  const refused = await withEnv(asToken, ...pull)
  expect(JSON.parse(refused.stdout)).toEqual({ A: 'of the stage', B: 'b' })
  expect(refused.stderr).toBe('Overrides of this machine are not used in shop/dev, which is protected: A\n')
})

test('go over the last values too, which do not have them', async () => {
  const { run, withEnv } = await startStage()
  const fallback = { ROLLKEY_FALLBACK: 'on' }
  await run('override', 'set', 'A', 'canary')
  await withEnv(fallback, ...pull)
  const offline = await withEnv(fallback, ...pull, '--offline')
  expect(JSON.parse(offline.stdout)).toEqual({ A: 'canary', B: 'b' })
  expect(offline.stderr).toMatch(/^Offline: using .*\n1 overridden here: A\n$/)
  await run('override', 'unset', '--all')
  const { stdout } = await withEnv(fallback, ...pull, '--offline')
  expect(JSON.parse(stdout)).toEqual({ A: 'of the stage', B: 'b' })
})

test('that cannot be decrypted are an error, and no value is used in their place', async () => {
  const { run, folder } = await startStage()
  await run('override', 'set', 'A', 'canary')
  writeFileSync(path.join(folder, 'key'), 'another')
  const line = expect.stringContaining('INVALID_OVERRIDES: The overrides of shop/dev on this machine') as string
  expect(await run(...pull)).toMatchObject({ status: 6, stdout: '', stderr: line })
  expect(await run('override', 'set', 'B', 'x')).toMatchObject({ status: 6, stderr: line })
  await run('override', 'unset', '--all')
  expect(await run(...pull)).toMatchObject({ status: 0, stderr: '' })
})

test('of several commands at once are all kept', async () => {
  const { run } = await startStage()
  const names = Array.from({ length: 8 }, (_, index) => `N${index}`)
  await Promise.all(names.map((name) => run('override', 'set', name, 'x')))
  const { stdout } = await run('override', 'list')
  expect(stdout.trim().split('\n').toSorted()).toEqual(names)
})

test('do not reach templates, which set marks, list shows and delete names before it asks', async () => {
  const { run } = await startStage()
  const created = await run('set', 'URL', 'db://${A}', '--template')
  expect(created).toMatchObject({ status: 0, stderr: expect.stringContaining('URL created') as string })
  expect(await run('get', 'URL')).toMatchObject({ stdout: 'db://of the stage' })
  expect((await run('list')).stdout).toContain('URL\tsecret, template\t')
  expect((await run('set', 'A', 'next')).stderr).toContain('Templates that follow it: URL.')
  expect(JSON.parse((await run('set', 'A', 'other', '--json')).stdout)).toMatchObject({ templates: ['URL'] })
  const overridden = await run('override', 'set', 'A', 'mine')
  expect(overridden.stderr).toContain('These templates keep the value of the stage: URL.')
  const refused = await run('delete', 'A')
  expect(refused.stderr).toContain('INVALID_REQUEST: Templates need what would be deleted: URL. Delete them too')
  expect(await run('delete', 'A', 'URL', '--yes')).toMatchObject({ status: 0 })
  expect((await run('set', 'A', 'x', '--keep-value', '--template')).status).toBe(2)
})
