/** `rollkey render`: a template with the values of a stage, once or after each change. */
import { chmodSync, existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { secret } from '../../../server/testkit/entries.ts'
import { useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { startTestCli, type TestCli } from '../../testkit/cli.ts'
import { startInPipe } from '../../testkit/run.ts'
import { nastier, nasty } from '../nasty.ts'

const testEnv = useTestEnv()

/** Returns a command line at a stage with values, and a template. */
async function startStage(template: string, values: Readonly<Record<string, string>> = { A: 'first' }) {
  const cli = await startTestCli(testEnv)
  await set(cli, values)
  writeFileSync(path.join(cli.cwd, 'app.tmpl'), template)
  const at = (name: string): string => path.join(cli.cwd, name)
  const read = (name: string): string | undefined => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : undefined)
  return { cli, at, read }
}

async function set(cli: TestCli, values: Readonly<Record<string, string>>, deletes: string[] = []): Promise<void> {
  const entries = Object.entries(values).map(([name, value]) => secret(name, value))
  await write(testEnv, cli.tenant, entries, { deletes })
}

test('writes nasty values as they are, to stdout or to a file that only the user can read', async () => {
  const values = { ...nasty, ...nastier }
  const template = Object.keys(values)
    .map((name) => `{{ ${name} }}\u0003`)
    .join('')
  const { cli, at, read } = await startStage(template, values)
  const expected = Object.values(values)
    .map((value) => `${value}\u0003`)
    .join('')
  expect(await cli.run('render', 'app.tmpl')).toMatchObject({ status: 0, stdout: expected, stderr: '' })
  expect(await cli.feed(template, 'render', '-')).toMatchObject({ status: 0, stdout: expected })
  writeFileSync(at('app'), 'before')
  chmodSync(at('app'), 0o644)
  expect(await cli.run('render', 'app.tmpl', '-o', 'app')).toMatchObject({
    status: 0,
    stdout: '',
    stderr: 'Wrote app (revision 1).\n',
  })
  expect(read('app')).toBe(expected)
  expect(statSync(at('app')).mode & 0o777).toBe(0o600)
  chmodSync(at('app'), 0o644)
  await cli.run('render', 'app.tmpl', '-o', 'app')
  expect(statSync(at('app')).mode & 0o777).toBe(0o600)
  expect(readdirSync(cli.cwd).filter((name) => name.endsWith('.tmp'))).toEqual([])
})

test('writes nothing if a name is unknown or the template cannot be read', async () => {
  const { cli, read } = await startStage('{{ GONE }}')
  expect(await cli.run('render', 'app.tmpl', '-o', 'app')).toMatchObject({
    status: 5,
    stderr:
      'VARIABLE_NOT_FOUND: app.tmpl names variables that shop/dev does not have: GONE (line 1); try: rollkey list\n',
  })
  expect(await cli.run('render', 'none.tmpl', '-o', 'app')).toMatchObject({ status: 1 })
  expect(await cli.run('render', 'app.tmpl', '-o', '/dev/null')).toMatchObject({ status: 6 })
  expect(read('app')).toBeUndefined()
})

test('refuses options that do not go together', async () => {
  const { cli } = await startStage('{{ A }}')
  const wrong = [['--', 'true'], ['--watch'], ['--watch', '-o', 'app', '--offline']]
  for (const args of wrong) expect(await cli.run('render', 'app.tmpl', ...args)).toMatchObject({ status: 2 })
})

test('uses overrides and the last values', async () => {
  const { cli } = await startStage('{{ A }} {{ NEW }}')
  const { ROLLKEY_FALLBACK: _, ...env } = cli.env
  await cli.run('override', 'set', 'NEW', 'here')
  const setting = { env, cwd: cli.cwd }
  const { ended } = startInPipe(['render', 'app.tmpl'], setting, /$^/)
  expect(await ended).toMatchObject({ status: 0, stdout: 'first here', stderr: '1 overridden here: NEW\n' })
  const { ended: offline } = startInPipe(['render', 'app.tmpl', '--offline'], setting, /$^/)
  expect(await offline).toMatchObject({ status: 0, stdout: 'first here' })
})

test('with --watch writes the file after each change, and runs the command if its content is another', async () => {
  const { cli, read } = await startStage('a = {{ A }}\n')
  writeFileSync(path.join(cli.cwd, 'app'), 'a = first\n')
  const reload = [
    '--',
    'sh',
    '-c',
    'cat app >> log; echo "${ROLLKEY_TOKEN:-none}" >> log; test "$(cat app)" != "a = third"',
  ]
  const args = ['render', 'app.tmpl', '-o', 'app', '--watch', ...reload]
  const { child, printed, ended } = startInPipe(args, cli, /Wrote app/)
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  child.stderr?.on('data', (data: Buffer) => (said += data.toString()))
  await printed
  // A variable that the template does not have changes no content.
  await set(cli, { OTHER: 'x' })
  await set(cli, { A: 'second' })
  await expect.poll(() => read('log')).toBe('a = second\nnone\n')
  // The file stays as it is while the template names a variable that is gone.
  await set(cli, {}, ['A'])
  await expect.poll(() => said).toContain('A (line 1); try: rollkey list; app keeps its current values')
  expect(read('app')).toBe('a = second\n')
  await set(cli, { A: 'third' })
  await expect.poll(() => said).toContain('sh ended with status 1')
  await set(cli, { A: 'fourth' })
  await expect.poll(() => read('log')).toBe('a = second\nnone\na = third\nnone\na = fourth\nnone\n')
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ signal: 'SIGTERM', stdout: '' })
})

test('with --watch runs the command after the first write too, if the file is new', async () => {
  const { cli, read } = await startStage('{{ A }}')
  const args = ['render', 'app.tmpl', '-o', 'app', '--watch', '--', 'cp', 'app', 'copy']
  const { child, ended } = startInPipe(args, cli, /$^/)
  onTestFinished(() => void child.kill('SIGKILL'))
  await expect.poll(() => read('copy')).toBe('first')
  child.kill('SIGTERM')
  await ended
})
