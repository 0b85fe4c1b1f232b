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

/** Returns the offered words. */
async function offered(...typed: string[]): Promise<string[]> {
  const { status, stdout, stderr } = await cli.run('complete', '--', ...typed)
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).not.toContain('canary')
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : (line.split('\t')[0] ?? [])))
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
  [['get', '--project', ''], ['shop']],
  [['audit', '--project', ''], ['shop']],
  [
    ['access', 'list', '--scope', ''],
    ['stage', 'project', 'organization'],
  ],
  [
    ['access', 'list', ''],
    ['dev', 'prod'],
  ],
  [
    ['set', 'KEY', '--type', ''],
    ['string', 'boolean', 'int64', 'float', 'date', 'json'],
  ],
  [
    ['pull', '-f', ''],
    ['dotenv', 'docker', 'json', 'yaml', 'shell'],
  ],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
  [['pull', '--out', ''], []],
  [['set', '--description', ''], []],
])('%j offers %j: no name that a shell would expand', async (typed, expected) => {
  expect(await offered(...typed)).toEqual(expected)
})

test.each([
  ['get', '-'],
  ['set', 'KEY', ''],
  ['completion', 'bash', ''],
  ['change', 'show', ''],
  ['get', '--url', 'http://127.0.0.1:9', ''],
  ['get', '--stage', 'dve', ''],
])('offers options if they are begun, or there is nothing else: %j %j %j %j', async (...typed) => {
  const words = await offered(...typed)
  expect(words).toContain('--json')
  expect(words.filter((word) => !word.startsWith('-'))).toEqual([])
})
