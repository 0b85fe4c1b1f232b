/** Webhooks: the commands that create, test and list them. */
import { expect, test } from 'vitest'
import { secret } from '../../../server/testkit/entries.ts'
import { HookReceiver } from '../../../server/testkit/hook-receiver.ts'
import { useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { startTestCli } from '../../testkit/cli.ts'

const testEnv = useTestEnv({ HOOK_NETWORKS: '127.0.0.0/8', RATE_LIMIT_EXPENSIVE: '0' })

test('a webhook is created, tested, listed, switched off and on, rotated and deleted', async () => {
  const cli = await startTestCli(testEnv)
  const receiver = new HookReceiver(testEnv.clock)
  await receiver.start()
  await write(testEnv, cli.tenant, [secret('A', '1')])
  const created = await cli.run(
    'hook',
    'create',
    'Deploys',
    `${receiver.url}/x`,
    '--event',
    'change.*',
    '--in',
    'shop/dev',
  )
  expect([created.status, created.stdout]).toEqual([0, expect.stringMatching(/^whsec_[\w+/=]+\n$/)])
  receiver.secret = created.stdout.trim()
  const [id = ''] = /hok_[\w-]+/.exec(created.stderr) ?? []
  const tested = await cli.run('hook', 'test', id)
  expect([tested.status, tested.stderr]).toEqual([
    0,
    expect.stringMatching(/^The receiver accepted evt_test_\S+ with 200 in \d+ ms\.\n$/),
  ])
  expect((await cli.run('hook', 'list')).stdout).toContain(
    `${id}\tDeploys\tstandard\t${receiver.url}\tshop/dev\tchange.*\tok`,
  )
  const [event = ''] = /evt_test_[\w-]+/.exec(tested.stderr) ?? []
  // A test is not kept to be sent again.
  expect(await cli.run('hook', 'redeliver', id, event)).toMatchObject({ status: 5 })
  receiver.failureMode = { status: 500 }
  expect(await cli.run('hook', 'test', id)).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(
      /^NOT_DELIVERED: The receiver did not accept evt_test_\S+: status 500; try: rollkey hook deliveries ID\n$/,
    ) as string,
  })
  expect((await cli.run('hook', 'deliveries', id)).stdout).toMatch(/\thook\.tested\tstatus 500\t\d+ ms\t1\tevt_test_/)
  expect((await cli.run('hook', 'off', id)).stderr).toBe('Deploys is off.\n')
  expect((await cli.run('hook', 'list')).stdout).toContain('off since just now')
  expect((await cli.run('hook', 'on', id)).stderr).toBe('Deploys is on.\n')
  expect((await cli.run('hook', 'rotate', id)).stdout).toMatch(/^whsec_/)
  expect((await cli.run('hook', 'delete', id, '--yes')).stderr).toBe(`Deleted ${id}.\n`)
  await receiver.stop()
})

test('the URL of a chat, which is a secret, is taken from stdin and not from an argument', async () => {
  const cli = await startTestCli(testEnv)
  const url = 'https://hooks.slack.com/services/T0/B0/canary'
  const refused = await cli.run('hook', 'create', 'Team', url, '--format', 'slack')
  expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('the secret URL of a chat')])
  const { status, stdout, stderr } = await cli.feed(url, 'hook', 'create', 'Team', '--format', 'slack')
  expect([status, stdout]).toEqual([0, ''])
  const listed = await cli.run('hook', 'list', '--json')
  expect(JSON.parse(listed.stdout)).toMatchObject({ hooks: [{ format: 'slack', target: 'https://hooks.slack.com' }] })
  expect(stderr + listed.stdout + refused.stderr).not.toContain('canary')
})
