/** The page docs/declarations.md as a newcomer follows it, and what its commands do elsewhere. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import path from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
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
  const [begin, fromCode, checkFirst, declare, checkInCi] = blocks('sh')
  expect((await follow(cli, begin)).status).toBe(0)
  mkdirSync(file('src'))
  writeFileSync(
    file('src/index.ts'),
    'start(process.env.DATABASE_URL, process.env.PORT as string, process.env.SENTRY_DSN ?? null)',
  )
  expect((await follow(cli, fromCode)).stderr).toBe(
    '1 file read, 3 added to rollkey.declarations.json: DATABASE_URL, PORT, SENTRY_DSN\n',
  )
  expect(JSON.parse(readFileSync(file('rollkey.declarations.json'), 'utf8'))).toMatchObject({
    required: ['DATABASE_URL', 'PORT'],
    properties: { SENTRY_DSN: {} },
  })
  writeFileSync(file('rollkey.declarations.json'), blocks('json')[0] ?? '')
  const [shown = '', annotation] = blocks('')
  const checked = await follow(cli, checkFirst)
  const rows = shown.trim().split('\n').slice(1, -1)
  expect(checked).toMatchObject({ status: 6, stderr: `${shown.trim().split('\n').at(-1)}\n` })
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

test('check allows what the project does not declare, unless it is strict', async () => {
  const cli = await startTestCli(testEnv)
  const { orgSlug, projectSlug } = cli.tenant.at
  await write(testEnv, tenantAt(cli.tenant, { stageSlug: 'more' }), [secret('PORT', '80'), secret('OTHER', 'x')])
  const token = await testEnv.provider.confirmedTokenOf(cli.tenant.user)
  const declarations = [{ name: 'PORT', declaredType: 'string' }]
  await testEnv.client.must('declarationSet', { orgSlug, projectSlug, declarations }, { token })
  const [allowed, strict] = [
    await cli.run('check', '--stage', 'more'),
    await cli.run('check', '--stage', 'more', '--strict'),
  ]
  expect([allowed.status, strict.status]).toEqual([0, 6])
  expect(allowed.stdout).toContain('undeclared')
  expect(allowed.stderr).toContain('1 undeclared variable')
})

const declared = {
  properties: {
    DATABASE_URL: {
      description: 'Where the orders are\nand the people',
      format: 'uri',
      examples: ['postgres://localhost/app'],
    },
    LEVEL: { enum: ['info', 'debug'], examples: ['debug'] },
    PORT: { type: 'integer', minimum: 1, examples: [8080] },
    SENTRY_DSN: { format: 'uri', 'x-rollkey': { required: 'production' } },
  },
  required: ['DATABASE_URL', 'LEVEL'],
}

/** Returns a command line whose project has these declarations, in a file and pushed. */
async function declaredCli(entries: object[]): Promise<TestCli> {
  const cli = await startTestCli(testEnv)
  await write(testEnv, cli.tenant, entries)
  writeFileSync(path.join(cli.cwd, 'rollkey.declarations.json'), JSON.stringify(declared))
  expect((await cli.run('declare', 'push')).status).toBe(0)
  return cli
}

test('run --check starts nothing while a value is missing or malformed', async () => {
  const cli = await declaredCli([secret('PORT', 'canary'), secret('DATABASE_URL', 'postgres://db/app')])
  const start = ['run', '--check', '--', 'printenv', 'PORT']
  expect(await cli.run(...start)).toMatchObject({
    status: 6,
    stdout: '',
    stderr:
      'NOT_AS_DECLARED: the command was not started: LEVEL is required; PORT must be a whole number (int64); try: rollkey check --stage dev\n',
  })
  await write(testEnv, cli.tenant, [secret('PORT', '80'), secret('LEVEL', 'info')])
  expect(await cli.run(...start)).toMatchObject({ status: 0, stdout: '80\n' })
  expect((await cli.run('run', '--check', '--offline', '--', 'true')).status).toBe(2)
})

test('run --examples starts a program for people without a login', async () => {
  const cli = await declaredCli([secret('PORT', '80')])
  const start = ['run', '--examples', '--', 'sh', '-c', 'echo "$PORT $LEVEL $DATABASE_URL"']
  expect((await cli.run(...start)).stdout).toBe('80  \n')
  await cli.run('logout')
  expect(await cli.run(...start)).toMatchObject({
    status: 0,
    stdout: '8080 debug postgres://localhost/app\n',
    stderr: 'Not logged in: using the examples of rollkey.declarations.json.\n',
  })
  expect((await cli.run(...start.filter((word) => word !== '--examples'))).status).toBe(3)
})

test('typegen writes what is declared as types, as schemas and as an .env.example', async () => {
  const cli = await declaredCli([secret('PORT', '80', 'int64'), secret('MORE', 'canary')])
  const types = (await cli.run('typegen')).stdout
  const members = types.split('\n').filter((line) => /^ {4}[A-Z]/.test(line))
  expect(members).toEqual([
    '    DATABASE_URL: string',
    '    LEVEL: "info" | "debug"',
    '    MORE: string',
    '    PORT?: bigint',
    '    SENTRY_DSN?: string',
  ])
  expect(types).toContain('    /**\n     * Where the orders are\n     * and the people\n')
  const example =
    '# Where the orders are\n# and the people\n# Required.\nDATABASE_URL=postgres://localhost/app\n\n# Required.\nLEVEL=debug\n\nPORT=8080\n\nSENTRY_DSN=\n'
  expect((await cli.run('typegen', '--format', 'env-example')).stdout).toBe(example)
  const schema = JSON.parse((await cli.run('typegen', '--format', 'json-schema')).stdout) as object
  expect(schema).toMatchObject({ properties: { PORT: { type: 'integer' } }, required: ['DATABASE_URL', 'LEVEL'] })
  expect(JSON.stringify(schema)).not.toContain('x-rollkey')
  expect((await cli.run('typegen', '-o', 'src/env.ts', '--format', 'zod')).stderr).toBe('Wrote src/env.ts.\n')
  expect((await cli.run('typegen', '-o', 'src/env.ts', '--format', 'zod', '--check')).status).toBe(0)
  const module = stripTypeScriptTypes(readFileSync(path.join(cli.cwd, 'src/env.ts'), 'utf8'))
  const code = module.replace("import { z } from 'zod'", '').replaceAll('export const', 'const')
  // oxlint-disable-next-line typescript/no-implied-eval -- runs the generated module
  const parse = new Function('z', 'process', `${code}; return env`)
  const parsed = (env: object): unknown => parse(z, { env })
  const good = { DATABASE_URL: 'postgres://db/app', LEVEL: 'info', PORT: '80' }
  expect(parsed(good)).toEqual({ ...good, PORT: 80 })
  for (const bad of [{ LEVEL: 'x' }, { PORT: '0' }, { DATABASE_URL: undefined }, { SENTRY_DSN: 'x' }])
    expect(() => parsed({ ...good, ...bad })).toThrow(Object.keys(bad)[0])
})
