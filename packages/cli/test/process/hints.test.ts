/** What errors of commands tell to try, so that it runs and helps. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { roll, secret } from '../../../server/testkit/entries.ts'
import { useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { startTestCli } from '../../testkit/cli.ts'

const testEnv = useTestEnv()

test('a stage that does not exist leads to the stages of its project, and a project to the projects', async () => {
  const cli = await startTestCli(testEnv)
  await write(testEnv, cli.tenant, [secret('KEY', 'x')])
  const { projectSlug } = cli.tenant.at
  for (const args of [
    ['get', 'KEY'],
    ['set', 'KEY', 'y'],
    ['access', 'list'],
  ])
    expect((await cli.run(...args, '--stage', 'qa')).stderr, args.join(' ')).toContain(
      `; try: rollkey stage list --project ${projectSlug}\n`,
    )
  expect((await cli.run('get', 'KEY', '--project', 'qa')).stderr).toContain('; try: rollkey project list\n')
})

test('the second word of a command leads to it, unless many have it', async () => {
  const cli = await startTestCli(testEnv)
  expect((await cli.run('explain')).stderr).toContain(
    "unknown command 'explain' (Did you mean roll explain, access explain?)",
  )
  expect((await cli.run('protect', 'prod')).stderr).toContain('stage protect')
  expect((await cli.run('revoke')).stderr).toContain('(Did you mean ')
  expect((await cli.run('import', '.env', '--overwrite')).stderr).toContain('import replaces what differs')
})

test('a misspelled command leads to the help of the one that it means', async () => {
  const cli = await startTestCli(testEnv)
  for (const [args, help] of [
    [['lst'], 'rollkey list --help'],
    [['token', 'lisst'], 'rollkey token list --help'],
    [['pin'], 'rollkey roll pin --help'],
    [['status'], 'rollkey --help'],
    [['unheard'], 'rollkey --help'],
  ] as const)
    expect((await cli.run(...args)).stderr, args.join(' ')).toMatch(new RegExp(`; try: ${help}\\n$`))
})

test('init names its file as it is named in the folder', async () => {
  const cli = await startTestCli(testEnv)
  const place = ['--project', 'shop', '--stage', 'dev', '--force']
  expect((await cli.run('init', ...place)).stderr).toMatch(/^Wrote rollkey\.json\. Commit it/)
  expect((await cli.run('init', ...place.slice(0, -1))).stderr).toContain('FILE_EXISTS: rollkey.json exists already;')
  expect(JSON.parse((await cli.run('init', ...place, '--json')).stdout)).toMatchObject({
    file: path.join(cli.cwd, 'rollkey.json'),
  })
})

test('stage protect refuses a role to keep that does not exist, also if no one loses access', async () => {
  const cli = await startTestCli(testEnv)
  await write(testEnv, cli.tenant, [secret('KEY', 'x')])
  const { status, stderr } = await cli.run('stage', 'protect', 'dev', '--keep', 'developer2', '--dry-run')
  expect([status, stderr]).toEqual([
    2,
    expect.stringMatching(/^USAGE: unknown role in --keep \(expected .*developer.*none\)/),
  ])
  for (const role of ['none', 'maintainer'])
    expect((await cli.run('stage', 'protect', 'dev', '--keep', role, '--dry-run')).status, role).toBe(0)
})

test('a key without a seed is warned of: everyone gets the same side of a roll', async () => {
  const cli = await startTestCli(testEnv)
  await write(testEnv, cli.tenant, [secret('KEY', 'x'), roll('FLAG', 0.5)])
  const warning = 'A key without a seed gives everyone the same side. Add --seed, such as a user id.\n'
  for (const args of [['get', 'FLAG'], ['get', 'FLAG', '--json'], ['pull'], ['roll', 'explain', 'FLAG']]) {
    expect((await cli.run(...args, '--key', 'k')).stderr, args.join(' ')).toContain(warning)
    expect((await cli.run(...args, '--key', 'k', '--seed', 'user-1')).stderr, args.join(' ')).not.toContain(warning)
  }
  expect((await cli.run('get', 'KEY', '--key', 'k')).stderr).toBe('')
})

test('a terminal says that another read of a roll may give the other side', async () => {
  const cli = await startTestCli(testEnv)
  await write(testEnv, cli.tenant, [secret('KEY', 'x'), roll('FLAG', 0.5)])
  const note = /FLAG is an A\/B roll: another read may give the other side/
  expect((await cli.terminal(['get', 'FLAG'])).screen).toMatch(note)
  expect((await cli.terminal(['get', 'FLAG', '--seed', 'user-1'])).screen).not.toMatch(note)
  expect((await cli.run('get', 'FLAG')).stderr).toBe('')
})

const types = '--type must be string, boolean, int64, float, date or json'

test.each([
  [['set', 'A', '1', '--type', 'int'], `${types}, not int (Did you mean int64?); try: `],
  [['set', 'A', '1', '--type', 'integer'], `${types}, not integer (Did you mean int64?); try: `],
  [['set', 'A', '1', '--type', 'text'], `${types}, not text (Did you mean string?); try: `],
  [['set', 'A', '1', '--type', 'bool'], `${types}, not bool (Did you mean boolean?); try: `],
  [['set', 'A', '1', '--type', 'number'], `${types}, not number (Did you mean float?); try: `],
  [['set', 'A', '1', '--type', 'JSON'], `${types}, not JSON (Did you mean json?); try: `],
  [['set', 'A', '1', '--type', 'uuid'], `${types}; try: `],
  [
    ['pull', '--format', 'toml'],
    '--format must be dotenv, docker, json, yaml, shell, systemd, k8s-secret or systemd-credentials, not toml; try: ',
  ],
  [['pull', '--format', 'docker-env'], 'systemd-credentials, not docker-env (Did you mean docker?); try: '],
  [['pull', '--format', 'k8s'], 'systemd-credentials, not k8s (Did you mean k8s-secret?); try: '],
  [['roll', 'stop', 'A', '--yes'], "unknown option '--yes' (stop asks for no confirmation: leave it out); try: "],
  [['login', '--yes'], "unknown option '--yes' (--no-browser answers what it asks); try: "],
  [['set', 'A', '1', '--yes'], "unknown option '--yes' (--create answers what it asks); try: "],
  [
    ['delete', 'NOPE', 'KYE', '--yes'],
    'The stage has no variables NOPE and KYE; did you mean KEY? Try: rollkey list\n',
  ],
  [['get', 'KYE'], 'The stage has no variable KYE; did you mean KEY? Try: rollkey list\n'],
])('a mistake leads to what was meant: %j', async (args, expected) => {
  const cli = await startTestCli(testEnv)
  await write(testEnv, cli.tenant, [secret('KEY', 'x')])
  expect((await cli.run(...args)).stderr).toContain(expected)
})

test.each([
  [['restore', '1']],
  [['import', 'new.env']],
  [['copy', 'dev', 'prod']],
  [['promote', 'dev', 'prod']],
  [['ramp', 'FLAG', '60%', '--every', '2d']],
  [['stage', 'protect', 'dev']],
])('what cannot ask and does nothing lists nothing: %j', async (args) => {
  const cli = await startTestCli(testEnv)
  await write(testEnv, cli.tenant, [secret('KEY', 'x'), roll('FLAG', 0.5)])
  await cli.run('set', 'KEY', 'other')
  await cli.run('set', 'KEY', 'else', '--stage', 'prod', '--create')
  writeFileSync(path.join(cli.cwd, 'new.env'), 'KEY=new')
  const { status, stdout, stderr } = await cli.run(...args)
  expect([status, stdout, stderr]).toEqual([2, '', expect.stringContaining('There is no terminal to ask')])
})

test('a value that looks boolean leads to the type, also one of no roll', async () => {
  const cli = await startTestCli(testEnv)
  await write(testEnv, cli.tenant, [secret('KEY', 'x')])
  const hint = 'text, also "false". With --type boolean, programs get true and false.\n'
  expect((await cli.run('set', 'A', 'true')).stderr).toContain(`Its value is ${hint}`)
  expect((await cli.run('set', 'B', '--ab', 'true', 'false', '--chance', '1')).stderr).toContain(
    `Its values are ${hint}`,
  )
  for (const args of [
    ['set', 'C', 'true', '--type', 'boolean'],
    ['set', 'C', 'false'],
    ['set', 'D', 'yes'],
  ])
    expect((await cli.run(...args)).stderr, args.join(' ')).not.toContain(hint)
})
