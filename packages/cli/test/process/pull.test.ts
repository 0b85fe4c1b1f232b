/** `rollkey pull` as a process: the usual reader of each format returns every value. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { parse as parseDotenv } from 'dotenv'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { roll, secret } from '../../../server/testkit/entries.ts'
import { tenantAt, useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { useTestCli } from '../../testkit/cli.ts'
import { rollkey } from '../../testkit/run.ts'
import { nastier, nasty, nastyNames } from '../nasty.ts'

const testEnv = useTestEnv()
const cli = useTestCli(testEnv)

beforeAll(async () => {
  await fill('dev', { A: 'a', B: 'b' })
})

async function fill(stageSlug: string, variables: Readonly<Record<string, string>>): Promise<void> {
  const entries = Object.entries(variables).map(([name, value]) => secret(name, value))
  await write(testEnv, tenantAt(cli.tenant, { stageSlug }), entries)
}

/** Returns the environment of sh after it has read the file. */
function readBySh(text: string): Record<string, string> {
  const file = path.join(cli.cwd, 'variables.sh')
  writeFileSync(file, text)
  const env = { PATH: process.env['PATH'] ?? '' }
  const output = execFileSync('sh', ['-c', '. "$1"; exec env -0', 'sh', file], { env, maxBuffer: 1e8 }).toString()
  const entries = output
    .split('\0')
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)])
  return Object.fromEntries(entries) as Record<string, string>
}

describe('nasty values', () => {
  const readers = {
    dotenv: parseDotenv,
    shell: readBySh,
    yaml: (text: string) => parseYaml(text) as unknown,
    json: (text: string) => JSON.parse(text) as unknown,
  }

  test.each(Object.entries(readers))('come back from %s, by stdout and by a file', async (format, read) => {
    const values = format === 'dotenv' ? nasty : { ...nasty, ...nastier }
    await fill(format, values)
    const printed = await cli.run('pull', '--stage', format, '--format', format)
    expect(printed).toMatchObject({ status: 0, stderr: '' })
    expect(read(printed.stdout)).toMatchObject(values)
    await cli.run('pull', '--stage', format, '--format', format, '-o', 'out')
    expect(readFileSync(path.join(cli.cwd, 'out'), 'utf8')).toBe(printed.stdout)
  })

  test('come back from files for LoadCredential= and from a Secret of Kubernetes', async () => {
    const values = { ...nasty, ...nastier }
    await fill('files', { ...values, 'a/b': 'x' })
    const pull = (...args: string[]) => cli.run('pull', '--stage', 'files', '--skip-invalid', ...args)
    const skipped = (format: string) => `Skipped names that are not accepted by ${format}: a/b\n`
    expect(await pull('--format', 'systemd-credentials', '-o', 'files')).toMatchObject({
      status: 0,
      stderr: expect.stringContaining(skipped('systemd-credentials')) as string,
    })
    const folder = path.join(cli.cwd, 'files')
    const read = readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), 'utf8')])
    expect(Object.fromEntries(read)).toEqual(values)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(statSync(path.join(folder, 'PEM')).mode & 0o777).toBe(0o600)
    const { stdout, stderr } = await pull('--format', 'k8s-secret')
    expect(stderr).toBe(skipped('k8s-secret'))
    const { metadata, data } = parseYaml(stdout) as { metadata: object; data: Record<string, string> }
    const decoded = Object.entries(data).map(([name, value]) => [name, Buffer.from(value, 'base64').toString()])
    expect(Object.fromEntries(decoded)).toEqual(values)
    expect(metadata).toEqual({ name: 'shop-files' })
    expect((await pull('--format', 'k8s-secret', '--k8s-name', 'web')).stdout).toContain('  name: "web"\n')
  })

  test('go into no folder with other files, which a reader would take too', async () => {
    mkdirSync(path.join(cli.cwd, 'keys'))
    writeFileSync(path.join(cli.cwd, 'keys', 'id_rsa'), 'x')
    expect(await cli.run('pull', '--format', 'systemd-credentials', '-o', 'keys')).toMatchObject({
      status: 6,
      stderr: expect.stringContaining(
        'keys has files that are not variables of the stage: id_rsa; remove them',
      ) as string,
    })
    expect(readdirSync(path.join(cli.cwd, 'keys'))).toEqual(['id_rsa'])
    expect(await cli.run('pull', '--format', 'systemd-credentials')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('expected -o FOLDER') as string,
    })
  })

  test('that `set` wrote byte by byte come back too', async () => {
    for (const name of ['ALL_QUOTES', 'PEM', 'LONG', 'UNICODE']) {
      const value = nasty[name] ?? ''
      expect(await cli.feed(value, 'set', name, '--verbatim', '--stage', 'set', '--create')).toMatchObject({
        status: 0,
      })
      expect(await cli.run('get', name, '--stage', 'set')).toMatchObject({ stdout: value })
    }
    const { stdout } = await cli.run('pull', '--stage', 'set')
    const { ALL_QUOTES, PEM, LONG, UNICODE } = nasty
    expect(parseDotenv(stdout)).toEqual({ ALL_QUOTES, PEM, LONG, UNICODE })
  })

  test('and names that a format cannot carry are refused with a list, and no file is written', async () => {
    await fill('refused', { ...nastier, 'a-b': 'x', FINE: 'x' })
    const names = await cli.run('pull', '--stage', 'refused', '-o', 'refused.env')
    expect(names).toMatchObject({
      status: 6,
      stdout: '',
      stderr:
        'INVALID_NAME: These names are not valid for environment variables: a-b; try: rollkey pull --format json\n',
    })
    await cli.run('delete', 'a-b', '--stage', 'refused', '--yes')
    const values = await cli.run('pull', '--stage', 'refused', '-o', 'refused.env')
    expect(values).toMatchObject({ status: 6, stdout: '' })
    expect(values.stderr).toMatch(
      /^INVALID_VALUE: .*: ALL_QUOTES_LINES, .*WINDOWS_DOUBLE; try: rollkey pull --format json\n$/,
    )
    expect(readdirSync(cli.cwd)).not.toContain('refused.env')
  })

  test('and names that a format cannot carry are skipped on request, with a notice', async () => {
    await fill('skipped', { 'a-b': 'x', FINE: 'x' })
    for (const [format, text] of [
      ['dotenv', 'FINE=x\n'],
      ['docker', 'FINE=x\n'],
      ['shell', "export FINE='x'\n"],
      ['systemd', 'FINE="x"\n'],
    ] as const) {
      const ended = await cli.run('pull', '--stage', 'skipped', '--format', format, '--skip-invalid')
      expect(ended).toMatchObject({
        status: 0,
        stdout: text,
        stderr: 'Skipped names that are not valid for environment variables: a-b\n',
      })
    }
  })

  test('may have any name in JSON and YAML', async () => {
    const variables = Object.fromEntries(nastyNames.map((name) => [name, `of ${name}`]))
    await fill('names', variables)
    const { stdout: json } = await cli.run('pull', '--stage', 'names', '--format', 'json')
    const { stdout: yaml } = await cli.run('pull', '--stage', 'names', '--format', 'yaml')
    for (const answer of [JSON.parse(json), parseYaml(yaml)] as object[]) {
      expect(Object.fromEntries(Object.entries(answer))).toEqual(variables)
      expect(Object.hasOwn(answer, '__proto__')).toBe(true)
    }
  })
})

describe('names that decide what code runs', () => {
  beforeAll(() => fill('reserved', { Path: 'x', npm_config_node_options: 'x', GIT_SHA: 'x' }))

  test.each(['dotenv', 'docker', 'shell'])('are refused in %s unless allowed, also in a file', async (format) => {
    for (const more of [[], ['-o', 'reserved'], ['-o', 'reserved', '--json']]) {
      const refused = await cli.run('pull', '--stage', 'reserved', '--format', format, ...more)
      expect(refused).toMatchObject({ status: 6, stdout: '' })
      expect(refused.stderr).toContain('may not set them: Path, npm_config_node_options')
    }
    expect(readdirSync(cli.cwd)).not.toContain('reserved')
    const allowed = await cli.run('pull', '--stage', 'reserved', '--format', format, '--allow-reserved')
    expect(allowed.stdout).toMatch(/Path=/)
  })

  test('are ordinary data in JSON and YAML', async () => {
    for (const format of ['json', 'yaml']) {
      expect(await cli.run('pull', '--stage', 'reserved', '--format', format)).toMatchObject({ status: 0 })
    }
  })
})

describe('the file', () => {
  const file = (name = '.env'): string => path.join(cli.cwd, name)

  test('is readable by its owner only, whatever it replaces', async () => {
    writeFileSync(file(), 'OLD=1', { mode: 0o644 })
    expect(await cli.run('pull', '-o', '.env')).toMatchObject({ status: 0, stdout: '' })
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(readFileSync(file(), 'utf8')).toBe('A=a\nB=b\n')
    expect(readdirSync(cli.cwd).filter((name) => name.includes('tmp'))).toEqual([])
  })

  test('is unchanged if the stage is unknown or the service cannot be reached', async () => {
    writeFileSync(file(), 'OLD=1')
    expect(await cli.run('pull', '-o', '.env', '--stage', 'dve')).toMatchObject({ status: 5 })
    expect(await cli.run('pull', '-o', '.env', '--url', 'http://127.0.0.1:9')).toMatchObject({ status: 3 })
    expect(readFileSync(file(), 'utf8')).toBe('OLD=1')
  })

  test('does not replace a link, a folder or a device', async () => {
    writeFileSync(file('target'), 'theirs')
    symlinkSync('target', file('link'))
    mkdirSync(file('folder'))
    for (const name of ['link', 'folder', '/dev/stdout']) {
      const { status, stdout, stderr } = await cli.run('pull', '-o', name)
      expect({ status, stdout }).toEqual({ status: 6, stdout: '' })
      expect(stderr).toMatch(/^FILE_EXISTS: .* is not a regular file/)
    }
    expect(lstatSync(file('link')).isSymbolicLink()).toBe(true)
    expect(readFileSync(file('target'), 'utf8')).toBe('theirs')
  })
})

test.each([
  ['checkout-experiment-v1', 'A'],
  ['checkout-experiment-v2', 'B'],
])('a roll with the key %s is %s for user_abc123, as everywhere', async (key, side) => {
  await write(testEnv, tenantAt(cli.tenant, { stageSlug: 'roll' }), [roll('CHECKOUT_FLOW', 0.5)])
  const { stdout } = await cli.run('pull', '--stage', 'roll', '--seed', 'user_abc123', '--key', key)
  expect(stdout).toBe(`CHECKOUT_FLOW=${side}\n`)
})

test('a terminal shows no value without --reveal', async () => {
  const { screen } = await cli.terminal(['pull', '--format', 'json'])
  expect(JSON.parse(screen.slice(0, screen.indexOf('}') + 1))).toEqual({ A: '••••••••', B: '••••••••' })
  expect(screen).toContain('Secret values are hidden. Add --reveal to show them.')
  expect((await cli.terminal(['pull', '--reveal'])).screen).toBe('A=a\nB=b\n')
})

test('get and pull show what is not a secret on a terminal without --reveal', async () => {
  const stage = tenantAt(cli.tenant, { stageSlug: 'shown' })
  await write(testEnv, stage, [secret('KEY', 's3cret'), { ...secret('SIZE', '50'), exposure: 'plain' }])
  const shown = async (name: string) => (await cli.terminal(['get', name, '--stage', 'shown'])).screen
  expect(await shown('SIZE')).toBe('50\n')
  expect((await cli.terminal(['pull', '--stage', 'shown'])).screen).toContain("KEY='••••••••'\nSIZE=50\n")
  expect(await shown('KEY')).toBe('••••••••\nThe value is hidden. Add --reveal to show it.\n')
})

test('one variable is counted without a plural', async () => {
  await fill('single', { A: 'a' })
  const at = ['--stage', 'single']
  expect((await cli.run('pull', ...at, '--out', 'single.env')).stderr).toBe(
    'Wrote single.env: 1 variable (revision 1).\n',
  )
  expect((await cli.run('doctor', ...at)).stdout).toContain('1 variable at revision 1\n')
  expect((await cli.run('set', 'A', 'b', ...at)).stderr).toContain(': 1 byte (revision 2)')
  expect((await cli.run('diff', 'single', 'dev')).stderr).toContain('0 of 2 variables are the same')
  expect((await cli.run('list', '--stale', '1', ...at)).stderr).toContain('everything was evaluated within 1 day.')
})

test('a full disk is one line of error', async () => {
  const full = openSync('/dev/full', 'w')
  onTestFinished(() => closeSync(full))
  const child = spawn(process.execPath, [rollkey, 'pull'], {
    env: cli.env,
    cwd: cli.cwd,
    stdio: ['ignore', full, 'pipe'],
  })
  let stderr = ''
  child.stderr?.on('data', (data: Buffer) => (stderr += data.toString()))
  const [status] = (await once(child, 'close')) as [number | null]
  expect([status, stderr]).toEqual([
    1,
    'OUTPUT_FAILED: The output cannot be written (ENOSPC): free space on its disk, or write it elsewhere\n',
  ])
})
