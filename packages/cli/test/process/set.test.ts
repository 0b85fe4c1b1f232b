/** `rollkey set` and `import`: what is stored already is not written again, if that shows without an audit entry or a billing event. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { secret } from '../../../server/testkit/entries.ts'
import { newServiceToken, useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { startTestCli } from '../../testkit/cli.ts'
import { inProcess } from '../../testkit/run.ts'

const testEnv = useTestEnv()

/** Returns commands at a stage with a plain number, a secret and a plain roll, at revision 2. */
async function newStage() {
  const cli = await startTestCli(testEnv)
  const number = { ...secret('LIMIT', '21', 'int64'), exposure: 'plain', description: 'Items' }
  await write(testEnv, cli.tenant, [number, secret('KEY', 'canary')])
  const roll = { kind: 'ab_roll', name: 'FLAG', valueA: 'on', valueB: 'off', chance: 0.2, exposure: 'plain' }
  await write(testEnv, cli.tenant, [{ ...roll, labels: { a: 'new', b: 'old' } }])
  return cli
}

/** The revision after a command, which says what it did. */
async function after(cli: Awaited<ReturnType<typeof newStage>>, args: readonly string[]): Promise<number> {
  const { status, stderr } = await cli.run(...args)
  expect(status, stderr).toBe(0)
  const { revision } = JSON.parse((await cli.run('list', '--json')).stdout) as { revision: number }
  expect(stderr.includes('nothing written (revision 2)'), stderr).toBe(revision === 2)
  return revision
}

test.each([
  [['set', 'LIMIT', '21']],
  [['set', 'LIMIT', '21', '--create', '--plain', '--type', 'int64', '--description', 'Items']],
  [['set', 'FLAG', '--ab', 'on', 'off', '--chance', '20%']],
  [['set', 'FLAG', '--chance', '20%']],
  [['set', 'LIMIT', '--keep-value', '--plain']],
  [['set', 'KEY', '--keep-value', '--visibility', 'secret', '--description', '']],
  [['roll', 'set', 'FLAG', '--chance', '20%', '--labels', 'new', 'old']],
])('%j writes nothing, unless forced', async (args) => {
  const cli = await newStage()
  expect(await after(cli, args)).toBe(2)
  const json = await cli.run(...args, '--json')
  expect(JSON.parse(json.stdout)).toMatchObject({ change: 'unchanged', revision: 2 })
  expect(await after(cli, [...args, '--force'])).toBe(3)
})

test.each([
  ['another value', ['set', 'LIMIT', '22']],
  ['another type', ['set', 'LIMIT', '21', '--type', 'string']],
  ['another description', ['set', 'LIMIT', '21', '--description', '']],
  ['another exposure', ['set', 'LIMIT', '21', '--exposure', 'secret']],
  ['another kind', ['set', 'FLAG', 'on']],
  ['another chance', ['set', 'FLAG', '--ab', 'on', 'off', '--chance', '30%']],
  ['one side of a roll', ['set', 'FLAG', '--ab', 'on', 'on', '--chance', '20%']],
  ['no labels', ['roll', 'set', 'FLAG', '--no-labels']],
  // To compare it would be a reveal, which the audit log records.
  ['a secret', ['set', 'KEY', 'canary']],
])('%s is written', async (_, args) => {
  expect(await after(await newStage(), args)).toBe(3)
})

test('a service token, which may not see values without a billing event, writes as ever', async () => {
  const cli = await newStage()
  const { token } = await newServiceToken(testEnv, cli.tenant, { readOnly: false })
  const env = { ...cli.env, ROLLKEY_TOKEN: token, ROLLKEY_URL: testEnv.app.url }
  const { stdout } = await inProcess(['set', 'LIMIT', '21', '--json'], { cwd: cli.cwd, env })
  expect(JSON.parse(stdout)).toMatchObject({ change: 'updated', revision: 3 })
})

test('a proposal is made in any case, since it is applied later', async () => {
  const cli = await newStage()
  const { stdout } = await cli.run('set', 'LIMIT', '21', '--reason', 'Soon', '--json')
  expect(JSON.parse(stdout)).toMatchObject({ state: 'open' })
})

test('an import writes what differs', async () => {
  const cli = await newStage()
  writeFileSync(path.join(cli.cwd, '.env'), 'LIMIT=21\nNEW=x\n')
  const first = await cli.run('import', '.env', '--yes')
  expect(first).toMatchObject({ status: 0, stdout: 'LIMIT\tsame\nNEW\tcreate\n' })
  expect(first.stderr).toContain('Left out 1 variable with the same value. Add --force to write all.')
  expect(first.stderr).toContain('Wrote 1 variable to shop/dev (revision 3).')
  writeFileSync(path.join(cli.cwd, '.env'), 'LIMIT=21\n')
  expect((await cli.run('import', '.env', '--yes')).stderr).toContain('Nothing to write.')
  expect((await cli.run('import', '.env', '--yes', '--force')).stderr).toContain('(revision 4)')
})

test.each([
  ['their values', ['--plain'], ['on', 'off'], 'on 20% / off 80%'],
  ['no secret values', [], ['on', 'off'], 'A 20% / B 80%'],
  ['no long values', ['--plain'], ['on', 'x'.repeat(21)], 'A 20% / B 80%'],
])('set names the sides of a roll by %s', async (_, options, values, text) => {
  const cli = await newStage()
  const { stderr } = await cli.run('set', 'NEW', '--ab', ...values, '--chance', '20%', ...options)
  expect(stderr.split('\n')[0]).toBe(`NEW created in shop/dev: ${text} (revision 3).`)
})

test('what is written at once says how to undo it, which does so', async () => {
  const cli = await startTestCli(testEnv)
  const undo = (revision: number, names: string): string =>
    `To undo it: rollkey restore ${revision} --project shop --stage dev --names ${names}\n`
  expect((await cli.run('set', 'FIRST', '1', '--create')).stderr).not.toContain('To undo it')
  expect((await cli.run('set', "it's", '1', '--any-name')).stderr).toContain(undo(1, String.raw`'it'\''s'`))
  expect((await cli.run('set', 'FIRST', '--keep-value', '--plain')).stderr).toContain(undo(2, 'FIRST'))
  expect((await cli.run('rotate', 'FIRST', '--yes')).stderr).toContain(undo(3, 'FIRST'))
  expect((await cli.run('delete', 'FIRST', "it's", '--yes')).stderr).toContain(undo(4, String.raw`FIRST 'it'\''s'`))
  await cli.run('restore', '3', '--project', 'shop', '--stage', 'dev', '--names', 'FIRST', '--yes')
  expect((await cli.run('get', 'FIRST')).stdout).toBe('1')
  expect((await cli.run('set', 'LIMIT', '1', '--json')).stderr).toBe('')
})

test('set says of a roll between true and false that its values are text, unless it has a type', async () => {
  const cli = await newStage()
  const hint = 'With --type boolean, programs get true and false.'
  const setting = async (...more: string[]) =>
    (await cli.run('set', 'ON', '--ab', 'true', 'false', '--chance', '0.2', ...more)).stderr
  expect(await setting()).toContain(hint)
  expect(await setting('--type', 'boolean')).not.toContain(hint)
  expect((await cli.run('set', 'FLAG', '--ab', 'on', 'off', '--chance', '0.5')).stderr).not.toContain(hint)
})
