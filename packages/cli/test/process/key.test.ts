/** Client keys: the commands that create, list and revoke them. */
import { describe, expect, test } from 'vitest'
import { secret } from '../../../server/testkit/entries.ts'
import { OfrepClient } from '../../../server/testkit/ofrep.ts'
import { useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { useTestCli } from '../../testkit/cli.ts'

const testEnv = useTestEnv()
const cli = useTestCli(testEnv)
const origin = 'https://shop.example.com'

async function fill(): Promise<void> {
  await write(testEnv, cli.tenant, [{ ...secret('TITLE', 'Shop'), exposure: 'client' }, secret('HIDDEN', '1')])
}

test('a key is created for a stage, evaluates what is exposed, is listed, and ends', async () => {
  await fill()
  const created = await cli.run(
    'key',
    'create',
    'Web shop',
    '--stage',
    'dev',
    '--origin',
    origin,
    'http://localhost:5173',
  )
  expect([created.status, created.stderr]).toEqual([
    0,
    expect.stringMatching(/^It sees 1 of 2 variables: those whose visibility is client\. Its id is key_[\w-]+\.\n$/),
  ])
  const key = created.stdout.trim()
  expect(key).toMatch(/^svc_ck_/)
  const ofrep = new OfrepClient(testEnv.app.url)
  const { body } = await ofrep.all({}, { token: key, headers: { origin } })
  expect(body.flags).toMatchObject([{ key: 'TITLE', value: 'Shop' }])
  const [id = ''] = /key_[\w-]+/.exec(created.stderr) ?? []
  const listed = await cli.run('key', 'list')
  expect(listed.stdout).toContain(`${id}\tWeb shop\tshop/dev\t${origin} http://localhost:5173\t1 of 1000000\t`)
  expect(listed.stdout).toContain(key)
  expect((await cli.run('key', 'revoke', id, '--yes')).stderr).toBe(`Revoked ${id}.\n`)
  expect((await ofrep.all({}, { token: key })).status).toBe(401)
  expect(await cli.run('key', 'revoke', id, '--yes')).toMatchObject({
    status: 5,
    stderr: expect.stringMatching(/^NOT_FOUND: .*; try: rollkey key list\n$/) as unknown,
  })
})

test('JSON has the whole key', async () => {
  await fill()
  const args = ['--stage', 'dev', '--apps-only', '--evaluations', '50', '--json']
  const { stdout } = await cli.run('key', 'create', 'App', ...args)
  expect(JSON.parse(stdout)).toMatchObject({ name: 'App', stageSlug: 'dev', origins: [], evaluationsPerMonth: 50 })
  const any = await cli.run('key', 'create', 'Any', '--stage', 'dev', '--any-origin', '--json')
  expect(JSON.parse(any.stdout)).toMatchObject({ origins: ['*'], evaluationsPerMonth: 1_000_000 })
})

describe('key create', () => {
  test.each([
    [['--stage', 'dev'], 2, 'One of --origin, --any-origin and --apps-only is required'],
    [['--stage', 'dev', '--apps-only', '--any-origin'], 2, 'One of --origin, --any-origin and --apps-only is required'],
    [['--stage', 'dev', '--apps-only', '--evaluations', '0'], 2, '--evaluations must be a whole number of at least 1'],
    [['--stage', 'dev', '--origin', 'shop.example.com'], 6, 'must be *, or an origin'],
    [['--stage', 'nowhere', '--apps-only'], 5, 'STAGE_NOT_FOUND'],
  ])('%j is refused', async (args, expected, message) => {
    await fill()
    const { status, stderr } = await cli.run('key', 'create', 'x', ...args)
    expect([status, stderr.includes(message)], stderr).toEqual([expected, true])
  })
})
