/** Prompts of commands, and their absence without a terminal. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { secret } from '../../../server/testkit/entries.ts'
import { useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { startTestCli, type TestCli } from '../../testkit/cli.ts'
import { inPipe, onTerminal } from '../../testkit/run.ts'

const down = '\u001b[B'
const enter = '\r'
const testEnv = useTestEnv()
let cli: TestCli

beforeEach(async () => {
  cli = await startTestCli(testEnv)
  await write(testEnv, cli.tenant, [secret('A', 'of dev')])
})

describe('set', () => {
  test('asks for the value without echo', async () => {
    const { status, screen } = await cli.terminal(['set', 'B'], [['Value of B', `hush${enter}`]])
    expect(status, screen).toBe(0)
    expect(screen).not.toContain('hush')
    expect(await cli.run('get', 'B')).toMatchObject({ stdout: 'hush' })
  })

  test.each([
    ['echo', 'text\n', 'text'],
    ['a file of Windows', 'text\r\n', 'text'],
    ['several lines', 'a\nb\n\n', 'a\nb\n'],
  ])('reads stdin: %s', async (_, input, value) => {
    expect(await cli.feed(input, 'set', 'B')).toMatchObject({ status: 0, stdout: '' })
    expect(await cli.run('get', 'B')).toMatchObject({ stdout: value })
  })

  test.each([
    ['nothing', '', []],
    ['a line break', '\n', []],
    ['nothing, verbatim', '', ['--verbatim']],
  ])('keeps a value unchanged if stdin has %s', async (_, input, more) => {
    const refused = await cli.feed(input, 'set', 'A', ...more)
    expect(refused).toMatchObject({ status: 6, stderr: expect.stringContaining('EMPTY_VALUE: The value is empty') })
    expect(await cli.run('get', 'A')).toMatchObject({ stdout: 'of dev' })
  })

  test('stores an empty value only on request', async () => {
    expect(await cli.feed('', 'set', 'B', '--allow-empty')).toMatchObject({ status: 0 })
    expect(await cli.run('set', 'C', '')).toMatchObject({ status: 6, stderr: expect.stringContaining('EMPTY_VALUE') })
    expect(await cli.run('set', 'C', '', '--allow-empty')).toMatchObject({ status: 0 })
    expect(JSON.parse((await cli.run('pull', '-f', 'json')).stdout)).toMatchObject({ B: '', C: '' })
    const { status, screen } = await cli.terminal(['set', 'A'], [['Value of A', enter]])
    expect(status).toBe(6)
    expect(screen).toContain('EMPTY_VALUE')
  })

  test.each([
    ['API_KEY=topsecret', 'rollkey set API_KEY'],
    ['API_KEY=a=b', 'rollkey set API_KEY'],
    ['topsecret==', 'rollkey set --help'],
    ['top secret=x', 'rollkey set --help'],
  ])('refuses %s, shows the right form and no value', async (given, form) => {
    for (const more of [[], ['--chance', '0.5'], ['--json']]) {
      const { status, stdout, stderr } = await cli.feed('x', 'set', given, ...more)
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
      expect(stderr).toContain('NAME=value is not supported')
      expect(stderr).toContain(form)
      expect(stderr).not.toMatch(/topsecret|top secret|a=b/)
    }
    expect((await cli.run('list')).stdout).toMatch(/^A\t.*\n$/)
  })

  test('creates a stage or a project only on request', async () => {
    const typo = await cli.run('set', 'K', 'v', '--stage', 'dve')
    expect(typo).toMatchObject({ status: 5, stdout: '' })
    expect(typo.stderr).toMatch(
      /^STAGE_NOT_FOUND: .*Did you mean "dev"\? To create it, add --create; try: rollkey stage list --project shop$/m,
    )
    expect(await cli.run('set', 'K', 'v', '--project', 'shpo')).toMatchObject({ status: 5 })
    expect(await cli.run('set', 'K', '--ab', 'a', 'b', '--chance', '0.5', '--stage', 'dve')).toMatchObject({
      status: 5,
    })
    expect(await cli.run('list', '--stage', 'dve')).toMatchObject({ status: 5 })
    expect(await cli.run('set', 'K', 'v', '--stage', 'test', '--create')).toMatchObject({ status: 0 })
    expect(await cli.run('set', 'K', 'w', '--stage', 'test', '--create')).toMatchObject({ status: 0 })
    expect(await cli.run('get', 'K', '--stage', 'test')).toMatchObject({ stdout: 'w' })
  })

  test('asks before it creates a stage, and before it asks for the value', async () => {
    const question = 'Create shop/dve?'
    const no = await cli.terminal(['set', 'K', '--stage', 'dve'], [[question, enter]])
    expect(no.status, no.screen).toBe(1)
    expect(no.screen).toContain('Did you mean "dev"?')
    expect(no.screen).not.toContain('Value of K')
    const answers = [
      [question, 'y'],
      ['Value of K', `hush${enter}`],
    ] as const
    expect(await cli.terminal(['set', 'K', '--stage', 'dve'], answers)).toMatchObject({ status: 0 })
    expect(await cli.run('get', 'K', '--stage', 'dve')).toMatchObject({ stdout: 'hush' })
  })

  test('creates names that are not valid for an environment only with --any-name, and changes existing ones', async () => {
    const odd = await cli.run('set', 'top secret', 'x')
    expect(odd).toMatchObject({ status: 6, stdout: '' })
    expect(odd.stderr).toMatch(/^INVALID_NAME: .*; try: the same command with --any-name$/m)
    expect(odd.stderr).not.toContain('top secret')
    expect((await cli.run('set', 'new-checkout', 'x')).stderr).toContain('(did you mean new_checkout?)')
    // Alone, it may be a value.
    expect((await cli.feed('x', 'set', 'hush-hush')).stderr).not.toContain('hush')
    expect(await cli.run('set', 'a=b.c', 'x', '--any-name')).toMatchObject({ status: 0 })
    expect(await cli.run('set', 'd-e', 'x', '--any-name')).toMatchObject({ status: 0 })
    expect(await cli.run('set', 'd-e', 'y')).toMatchObject({ status: 0 })
    writeFileSync(path.join(cli.cwd, 'odd.json'), '{"d-e":"z","f.g":"z"}')
    const refused = await cli.run('import', 'odd.json', '--yes')
    expect(refused).toMatchObject({
      status: 6,
      stderr: expect.stringMatching(/; invalid: f\.g; try: the same command with --any-name\n$/),
    })
    expect(await cli.run('import', 'odd.json', '--yes', '--any-name')).toMatchObject({ status: 0 })
    expect(JSON.parse((await cli.run('pull', '-f', 'json')).stdout)).toMatchObject({
      'a=b.c': 'x',
      'd-e': 'z',
      'f.g': 'z',
    })
  })

  test('--verbatim keeps every byte, and what is not UTF-8 is refused', async () => {
    await cli.feed('text\n', 'set', 'B', '--verbatim')
    expect(await cli.run('get', 'B')).toMatchObject({ stdout: 'text\n' })
    expect(await cli.feed(Buffer.from([0xff, 0xfe]), 'set', 'B')).toMatchObject({ status: 6 })
    expect(await cli.run('get', 'B')).toMatchObject({ stdout: 'text\n' })
  })
})

describe('delete', () => {
  test('asks for confirmation, and No changes nothing', async () => {
    const { status, screen } = await cli.terminal(['delete', 'A'], [['Delete A from shop/dev?', enter]])
    expect(status, screen).toBe(1)
    expect(screen).toContain('Nothing was changed')
    expect(await cli.run('get', 'A')).toMatchObject({ stdout: 'of dev' })
    expect(await cli.terminal(['delete', 'A'], [['Delete A from shop/dev?', 'y']])).toMatchObject({ status: 0 })
    expect(await cli.run('get', 'A')).toMatchObject({ status: 5 })
  })

  test.each([
    ['in a pipe', {}],
    ['in CI', { CI: 'true' }],
  ])('needs --yes %s', async (_, env) => {
    const setting = { cwd: cli.cwd, env: { ...cli.env, ...env } }
    const refused = {
      status: 2,
      text: expect.stringMatching(/USAGE.*: There is no terminal .*; try: the same command with --yes$/m),
    }
    const inCi = await onTerminal(['delete', 'A', ...('CI' in env ? [] : ['--no-input'])], setting)
    expect({ status: inCi.status, text: inCi.screen }).toEqual(refused)
    const piped = await inPipe(['delete', 'A'], setting)
    expect({ status: piped.status, text: piped.stderr }).toEqual(refused)
    expect(await cli.run('get', 'A')).toMatchObject({ stdout: 'of dev' })
  })
})

describe('init', () => {
  const fileOf = (): unknown => JSON.parse(readFileSync(path.join(cli.cwd, 'rollkey.json'), 'utf8'))
  const typed = { url: () => testEnv.app.url }

  test('offers the existing projects and stages', async () => {
    rmSync(path.join(cli.cwd, 'rollkey.json'))
    const args = ['init', '--url', typed.url()]
    const { status, screen } = await cli.terminal(args, [
      ['Which project?', enter],
      ['Which stage?', `${down}${enter}`],
      ['Name of the new stage', `test${enter}`],
    ])
    expect(status, screen).toBe(0)
    expect(fileOf()).toEqual({ url: typed.url(), org: cli.tenant.at.orgSlug, project: 'shop', stage: 'test' })
    expect(screen).toContain('shop/test does not exist yet')
  })

  test('uses flags in a pipe, and keeps an existing file', async () => {
    const before = fileOf()
    const refused = await cli.run('init', '--project', 'shop', '--stage', 'prod')
    expect(refused).toMatchObject({ status: 6, stdout: '' })
    expect(refused.stderr).toMatch(/^FILE_EXISTS: .*; try: rollkey init --force$/m)
    expect(fileOf()).toEqual(before)
    const $schema = './rollkey.schema.json'
    writeFileSync(path.join(cli.cwd, 'rollkey.json'), JSON.stringify({ $schema, ...(before as object) }))
    expect(await cli.run('init', '--project', 'shop', '--stage', 'prod', '--force')).toMatchObject({ status: 0 })
    expect(fileOf()).toMatchObject({ $schema, project: 'shop', stage: 'prod' })
    expect(await cli.run('init', '--force', '--project', 'shop')).toMatchObject({ status: 2 })
  })
})
