/** The page docs/declarations.md as a newcomer follows it, and what its commands do elsewhere. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { secret } from '../../../server/testkit/entries.ts'
import { tenantAt, useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { startTestCli, type TestCli } from '../../testkit/cli.ts'

const testEnv = useTestEnv()
const page = readFileSync(new URL('../../../../docs/declarations.md', import.meta.url), 'utf8')
const steps = page.slice(page.indexOf('## Five minutes'), page.indexOf('## What a declaration says'))

/** Returns the blocks of a language in the steps of the page. */
function blocks(language: string): string[] {
  const all = [...steps.matchAll(/```(\w*)\n([^]*?)```/g)].filter(([, found]) => found === language)
  return all.map(([, , text = '']) => text.replaceAll(/^ {3}/gm, ''))
}

/** Runs the commands of a block one after the other, and returns the last result. */
async function follow(cli: TestCli, block: string | undefined) {
  const lines = (block ?? '').trim().split('\n')
  const results = []
  for (const line of lines) {
    const words = line.split(' ').slice(1)
    // A person says it on a terminal.
    results.push(await cli.run(...words, ...(words[0] === 'import' ? ['--yes'] : [])))
  }
  expect(results.slice(0, -1).map(({ status, stderr }) => [status, status === 0 ? '' : stderr])).toEqual(
    lines.slice(1).map((_, index) => [lines[index]?.includes('declare diff') ? 1 : 0, expect.any(String)]),
  )
  return results.at(-1) as (typeof results)[number]
}

test('a newcomer gets from .env to a red check that names the missing variable', async () => {
  const cli = await startTestCli(testEnv)
  const file = (name: string): string => path.join(cli.cwd, name)
  writeFileSync(file('.env'), 'DATABASE_URL=postgres://app:canary@localhost/app\nPORT=3000\n')
  writeFileSync(file('.env.production'), 'DATABASE_URL=postgres://app:canary@db/app\nPORT=canary\n')
  rmSync(file('rollkey.json'))
  const [begin, checkFirst, declare, checkInCi] = blocks('sh')
  expect((await follow(cli, begin)).status).toBe(0)
  writeFileSync(file('rollkey.declarations.json'), blocks('json')[0] ?? '')
  const [shown = '', annotation] = blocks('')
  const checked = await follow(cli, checkFirst)
  const rows = shown.trim().split('\n').slice(1)
  expect(checked).toMatchObject({ status: 6, stderr: '2 problems in prod.\n' })
  expect(checked.stdout).toBe(rows.map((row) => `${row.split(/ {2,}/).join('\t')}\n`).join(''))
  expect((await follow(cli, declare)).status).toBe(0)
  const refused = await cli.run('set', 'PORT', 'x', '--stage', 'prod')
  expect(refused).toMatchObject({ status: 6, stdout: '' })
  expect(refused.stderr).toContain('"PORT" must be a whole number (int64), as the project declares')
  const inCi = await follow(cli, checkInCi)
  expect(inCi).toMatchObject({ status: 6, stdout: annotation })
  await cli.run('set', 'SENTRY_DSN', 'https://key@sentry.example.com/1', '--stage', 'prod')
  expect((await follow(cli, checkInCi)).status).toBe(0)
  expect(checked.stdout + inCi.stdout + refused.stderr).not.toContain('canary')
})

test('a token that may only list compares all but values', async () => {
  const cli = await startTestCli(testEnv)
  const { client, provider } = testEnv
  const { orgSlug, projectSlug } = cli.tenant.at
  await write(testEnv, tenantAt(cli.tenant, { stageSlug: 'dev' }), [secret('PORT', 'canary')])
  const token = await provider.confirmedTokenOf(cli.tenant.user)
  const declarations = [
    { name: 'PORT', declaredType: 'int64' },
    { name: 'KEY', required: 'all' },
  ]
  await client.must('declarationSet', { orgSlug, projectSlug, declarations }, { token })
  const problems = async () => {
    const { stdout } = await cli.run('check', '--json')
    const [{ valuesChecked, problems: found }] = (
      JSON.parse(stdout) as { stages: [{ valuesChecked: boolean; problems: { name: string; problem: string }[] }] }
    ).stages
    return [valuesChecked, ...found.map(({ name, problem }) => `${name} ${problem}`)]
  }
  expect(await problems()).toEqual([true, 'KEY missing', 'PORT malformed'])
  await client.must('stageProtect', { ...cli.tenant.at, isProtected: true }, { token })
  expect(await problems()).toEqual([false, 'KEY missing'])
  expect((await cli.run('check')).stderr).toContain('Values were not compared in dev')
})
