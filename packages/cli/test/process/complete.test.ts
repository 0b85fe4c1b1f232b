/** Names that `rollkey complete` offers. */
import { beforeAll, expect, test } from 'vitest'
import { secret } from '../../../server/testkit/entries.ts'
import { tenantAt, useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { useTestCli } from '../../testkit/cli.ts'

const testEnv = useTestEnv()
const cli = useTestCli(testEnv)

beforeAll(async () => {
  await write(testEnv, cli.tenant, [secret('KEY', 'canary'), secret('$(touch hacked)', 'x'), secret('a b', 'x')])
  await write(testEnv, tenantAt(cli.tenant, { stageSlug: 'prod' }), [secret('OF_PROD', 'canary')])
})

/** Returns the offered words that are not options. */
async function offered(...typed: string[]): Promise<string[]> {
  const { status, stdout, stderr } = await cli.run('complete', '--', ...typed)
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).not.toContain('canary')
  return stdout.split('\n').flatMap((line) => (line === '' || line.startsWith('-') ? [] : (line.split('\t')[0] ?? [])))
}

test.each([
  [['get', ''], ['KEY']],
  [['get', '--stage', 'prod', 'OF'], ['OF_PROD']],
  [
    ['get', '--stage', ''],
    ['dev', 'prod'],
  ],
  [
    ['promote', ''],
    ['dev', 'prod'],
  ],
  [['copy', 'shop/prod', 'dev', ''], ['OF_PROD']],
  [['set', 'KEY', ''], []],
  [['set', '--description', ''], []],
  [['change', 'show', ''], []],
])('%j offers %j: no name that a shell would expand', async (typed, expected) => {
  expect(await offered(...typed)).toEqual(expected)
})

test('offers options alone if the service cannot be reached or there is no such stage', async () => {
  expect(await offered('get', '--url', 'http://127.0.0.1:9', '')).toEqual([])
  expect(await offered('get', '--stage', 'dve', '')).toEqual([])
})
