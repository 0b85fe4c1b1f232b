/** `rollkey typegen` as a process, against a real service. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, utimesSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { beforeEach, expect, test } from 'vitest'
import { roll, secret } from '../../../server/testkit/entries.ts'
import { useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { startTestCli, type TestCli } from '../../testkit/cli.ts'
import { rollkey } from '../../testkit/run.ts'

const testEnv = useTestEnv()
let cli: TestCli

beforeEach(async () => {
  cli = await startTestCli(testEnv)
  await write(testEnv, cli.tenant, [secret('API_KEY', 's3cret'), secret('LIMIT', '5', 'int64'), roll('CHECKOUT', 0.25)])
})

const file = 'types/rollkey.d.ts'
const contentOf = (): string => readFileSync(path.join(cli.cwd, file), 'utf8')

test('without a file, the declarations go to stdout', async () => {
  const { status, stdout, stderr } = await cli.run('typegen')
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toContain("declare module '@rollkey/sdk'")
  expect(stdout).toContain('    /** A/B roll. */\n    CHECKOUT: string\n')
  const { declarations } = JSON.parse((await cli.run('typegen', '--json')).stdout)
  expect(declarations).toBe(stdout)
})

test('a file is written only if it changes, and no temporary file stays', async () => {
  const first = await cli.run('typegen', '-o', file)
  expect(first).toMatchObject({ status: 0, stdout: '' })
  expect(first.stderr).toMatch(
    /^Wrote types\/rollkey\.d\.ts: added API_KEY, CHECKOUT, LIMIT\.\nTypeScript uses it if "include" .*; rollkey typegen --watch keeps it up to date\.\n/,
  )
  expect(contentOf()).toBe((await cli.run('typegen')).stdout)
  utimesSync(path.join(cli.cwd, file), 1, 1)
  // A new revision that does not affect the declarations.
  await write(testEnv, cli.tenant, [secret('API_KEY', 'other')])
  const second = await cli.run('typegen', '-o', file)
  expect(second).toMatchObject({ status: 0, stdout: '', stderr: `${file} is up to date.\n` })
  expect(statSync(path.join(cli.cwd, file)).mtimeMs).toBe(1000)
  await write(testEnv, cli.tenant, [secret('LIMIT', '5', 'float')], { deletes: ['API_KEY'] })
  const third = await cli.run('typegen', '-o', file, '--json')
  expect(JSON.parse(third.stdout)).toEqual({ file, added: [], removed: ['API_KEY'], retyped: ['LIMIT'] })
  expect(readdirSync(path.join(cli.cwd, 'types'))).toEqual(['rollkey.d.ts'])
})

test('--check reports whether the file is up to date, and what differs', async () => {
  const missing = await cli.run('typegen', '-o', file, '--check')
  expect(missing.status).toBe(1)
  expect(missing.stderr).toBe(
    `OUT_OF_DATE: ${file} is out of date: added API_KEY, CHECKOUT, LIMIT; try: rollkey typegen -o ${file}\n`,
  )
  expect(readdirSync(cli.cwd)).not.toContain('types')
  await cli.run('typegen', '-o', file)
  const current = await cli.run('typegen', '-o', file, '--check')
  expect(current).toEqual({ status: 0, signal: null, stdout: '', stderr: `${file} is up to date.\n` })
  await write(testEnv, cli.tenant, [roll('CHECKOUT', 0.5)])
  expect((await cli.run('typegen', '-o', file, '--check')).status).toBe(0)
  await write(testEnv, cli.tenant, [secret('NEW', 'x')], { deletes: ['CHECKOUT'] })
  const behind = await cli.run('typegen', '-o', file, '--check', '--json')
  expect(behind).toMatchObject({ status: 1, stdout: '' })
  expect(JSON.parse(behind.stderr).error).toMatchObject({
    code: 'OUT_OF_DATE',
    message: `${file} is out of date: added NEW; removed CHECKOUT`,
  })
})

/** Returns the next line that the process writes to stderr. */
test('--watch writes the file again when the stage changes', async () => {
  const child = spawn(process.execPath, [rollkey, 'typegen', '-o', file, '--watch'], { ...cli, stdio: 'pipe' })
  const lines = createInterface(child.stderr)[Symbol.asyncIterator]()
  const nextLine = async (): Promise<unknown> => (await lines.next()).value
  expect(await nextLine()).toBe(`Wrote ${file}: added API_KEY, CHECKOUT, LIMIT.`)
  await write(testEnv, cli.tenant, [secret('LATER', 'x')], { deletes: ['LIMIT'] })
  expect(await nextLine()).toBe(`Wrote ${file}: added LATER; removed LIMIT.`)
  await write(testEnv, cli.tenant, [secret('LAST', 'x')])
  expect(await nextLine()).toBe(`Wrote ${file}: added LAST.`)
  expect(contentOf()).toContain('    LAST: string\n')
  child.kill('SIGTERM')
  expect(await once(child, 'close')).toEqual([null, 'SIGTERM'])
})

test('a stage that does not exist leaves the file as is', async () => {
  await cli.run('typegen', '-o', file)
  const before = contentOf()
  const { status, stderr } = await cli.run('typegen', '-o', file, '--stage', 'dve')
  expect(status).toBe(5)
  expect(stderr).toMatch(/^STAGE_NOT_FOUND: .*dev/)
  expect(contentOf()).toBe(before)
})

test.each([
  ['--check', ['--check']],
  ['--watch', ['--watch']],
  ['both', ['-o', file, '--check', '--watch']],
])('%s is invalid usage', async (_, args) => {
  const { status, stderr } = await cli.run('typegen', ...args)
  expect(status).toBe(2)
  expect(stderr).toMatch(/^USAGE: .*; try: rollkey typegen --help\n$/)
})
