/** What `rollkey list` shows, and what `--stale` finds. The store is made older by hand. */
import { expect, test } from 'vitest'
import { roll, secret } from '../../../server/testkit/entries.ts'
import { query } from '../../../server/testkit/store.ts'
import { newServiceToken, useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { startTestCli } from '../../testkit/cli.ts'
import { inProcess } from '../../testkit/run.ts'

const testEnv = useTestEnv()

const dayMs = 86_400_000

test('list --stale finds what nothing used for that long, and rolls that gave all the same side', async () => {
  const cli = await startTestCli(testEnv)
  const entries = [
    secret('USED', 'u'),
    secret('UNUSED', 'x'),
    roll('SHIPPED', 1),
    roll('DROPPED', 0),
    roll('RUNNING', 0.5),
  ]
  await write(testEnv, cli.tenant, entries)
  await cli.run('pull')
  const { token } = await newServiceToken(testEnv, cli.tenant, { readOnly: true })
  await testEnv.restart()
  const monthsAgo = Date.now() - 60 * dayMs
  await query(testEnv.app.dataDir, 'update variables set created_at_ms = $1, updated_at_ms = $1', monthsAgo)
  const lastDay = new Date(Date.now() - 40 * dayMs).toISOString().slice(0, 10)
  await query(testEnv.app.dataDir, `update last_evaluations set day = $1 where name = 'UNUSED'`, lastDay)
  await testEnv.restart()

  const env = { ...cli.env, ROLLKEY_TOKEN: token, ROLLKEY_URL: testEnv.app.url }
  const run = (...args: string[]) => inProcess(args, { cwd: cli.cwd, env })
  const { stdout } = await run('list', '--stale', '30d')
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split('\t')),
  ).toEqual([
    [
      'DROPPED',
      'done',
      expect.any(String),
      'everyone gets B here: if that is so in each stage, use value B in the code, then run: rollkey delete DROPPED',
    ],
    [
      'SHIPPED',
      'done',
      expect.any(String),
      'everyone gets A here: if that is so in each stage, use value A in the code, then run: rollkey delete SHIPPED',
    ],
    ['UNUSED', 'unused', lastDay, 'check that nothing needs it, then run: rollkey delete UNUSED'],
  ])
  const { variables } = JSON.parse((await run('list', '--stale', '50', '--json')).stdout) as { variables: object[] }
  expect(variables).toMatchObject([
    { name: 'DROPPED', staleness: 'done' },
    { name: 'SHIPPED', staleness: 'done' },
  ])
  expect(await run('list', '--stale', '90d')).toMatchObject({
    stdout: '',
    stderr: 'Nothing can be deleted: everything was evaluated within 90 days.\n',
  })
})

test('list names what a variable is: a secret, a value or an A/B roll', async () => {
  const cli = await startTestCli(testEnv)
  await write(testEnv, cli.tenant, [
    secret('K_SECRET', 's'),
    { ...secret('K_PLAIN', 'p'), exposure: 'plain' },
    { ...secret('K_CLIENT', 'c'), exposure: 'client' },
    { ...roll('K_ROLL', 0.5), exposure: 'plain' },
  ])
  const { stdout } = await cli.run('list')
  const lines = stdout.split('\n').filter((line) => line.startsWith('K_'))
  expect(lines.map((line) => line.split('\t')[1])).toEqual(['value', 'value', 'A/B roll', 'secret'])
  expect((await cli.run('search', 'K_ROLL')).stdout).toContain('\tA/B roll\t')
  expect((await cli.run('list', '--json')).stdout).toContain('"name":"K_PLAIN","kind":"secret"')
})

test('list sorts names by their numbers for people, and as the service does for scripts', async () => {
  const cli = await startTestCli(testEnv)
  await write(
    testEnv,
    cli.tenant,
    ['N_9', 'N_10', 'N_100'].map((name) => secret(name, 'x')),
  )
  const namesIn = (text: string): string[] => text.match(/^N_\d+/gm) ?? []
  expect(namesIn((await cli.terminal(['list'])).screen)).toEqual(['N_9', 'N_10', 'N_100'])
  expect(namesIn((await cli.run('list')).stdout)).toEqual(['N_10', 'N_100', 'N_9'])
})

test.each(['soon', '0', '30h', '99999'])('list refuses --stale %s', async (days) => {
  const cli = await startTestCli(testEnv)
  const { status, stderr } = await cli.run('list', '--stale', days)
  expect(status).toBe(2)
  expect(stderr).toBe('USAGE: --stale must be a number of days such as 30d; try: rollkey list --help\n')
})
