/** The page docs/templates.md as its reader follows it, and the text of a template. */
import { readFileSync } from 'node:fs'
import { createTestService } from '@rollkey/sdk/testing'
import { expect, test } from 'vitest'
import { roll, secret } from '../../../server/testkit/entries.ts'
import { newServiceToken, useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { useTestCli } from '../../testkit/cli.ts'
import { inProcess } from '../../testkit/run.ts'

const testEnv = useTestEnv()
const cli = useTestCli(testEnv)
const page = readFileSync(new URL('../../../../docs/templates.md', import.meta.url), 'utf8')
const text = 'postgres://app:${DB_PASSWORD}@db/app'

function block(language: string): string {
  return new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(page)?.[1] ?? ''
}

test('the blocks of docs/templates.md do what the page says', async () => {
  const [setSource = '', setTemplate = ''] = block('sh').trim().split('\n')
  expect((await cli.feed('first', ...setSource.split(' ').slice(1), '--create')).status).toBe(0)
  const [, quoted = ''] = /'([^']*)'/.exec(setTemplate) ?? []
  expect([quoted, setTemplate]).toEqual([text, `rollkey set DATABASE_URL '${text}' --template`])
  expect((await cli.run('set', 'DATABASE_URL', quoted, '--template')).status).toBe(0)
  expect((await cli.feed('second', 'set', 'DB_PASSWORD')).stderr).toContain('Templates that follow it: DATABASE_URL.')
  expect((await cli.run('get', 'DATABASE_URL')).stdout).toBe('postgres://app:second@db/app')
  // The entry of the API states the same.
  const { updated } = await write(testEnv, cli.tenant, [JSON.parse(block('json')) as object])
  expect(updated).toEqual(['DATABASE_URL'])
  expect((await cli.run('get', 'DATABASE_URL')).stdout).toBe('postgres://app:second@db/app')
  // oxlint-disable-next-line typescript/no-implied-eval -- runs the block of the page
  const run = new Function('createTestService', `return ${block('js')}`) as (create: unknown) => unknown
  const service = run(createTestService) as ReturnType<typeof createTestService>
  expect(await service.client.get('URL')).toBe('postgres://db')
})

test('get --reveal shows people the text of a template beside the result', async () => {
  await cli.feed('first', 'set', 'DB_PASSWORD', '--create')
  await cli.run('set', 'DATABASE_URL', text, '--template')
  await write(testEnv, cli.tenant, [
    secret('OTHER_PASSWORD', 'first'),
    { ...roll('SPLIT', 1), valueA: 'a ${OTHER_PASSWORD}', valueB: 'b', template: true },
  ])
  const { screen } = await cli.terminal(['get', 'DATABASE_URL', '--reveal'])
  expect(screen).toContain(`template: ${text}`)
  expect((await cli.run('get', 'DATABASE_URL', '--reveal')).stdout).not.toContain('${')
  const { stdout } = await cli.run('get', 'SPLIT', '--reveal', '--json')
  expect(JSON.parse(stdout)).toMatchObject({ templateA: 'a ${OTHER_PASSWORD}', templateB: 'b' })
  const { token } = await newServiceToken(testEnv, cli.tenant, {})
  const env = { ...cli.env, ROLLKEY_TOKEN: token, ROLLKEY_URL: testEnv.app.url }
  const byToken = await inProcess(['get', 'DATABASE_URL', '--reveal', '--json'], { cwd: cli.cwd, env })
  expect([byToken.status, byToken.stdout.includes('${')]).toEqual([0, false])
})
