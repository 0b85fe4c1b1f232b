/** What commands ask of a person, and that they ask nobody where there is none. */
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { secret, startWorld, write, type World } from '../../../server/testkit/world.ts'
import { newCliDesk, type CliDesk } from '../../testkit/desk.ts'
import { inPipe, onTerminal } from '../../testkit/run.ts'

const down = '\u001b[B'
const enter = '\r'
let world: World
let cli: CliDesk

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())
beforeEach(async () => {
  cli = await newCliDesk(world)
  await write(world, { ...cli.desk, at: { ...cli.desk.at, stageSlug: 'dev' } }, [secret('A', 'of dev')])
  return () => cli.close()
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
    ['nothing', '', ''],
  ])('takes stdin: %s', async (_, input, value) => {
    expect(await cli.feed(input, 'set', 'B')).toMatchObject({ status: 0, stdout: '' })
    expect(await cli.run('get', 'B')).toMatchObject({ stdout: value })
  })

  test('--verbatim keeps every byte, and what is not UTF-8 is refused', async () => {
    await cli.feed('text\n', 'set', 'B', '--verbatim')
    expect(await cli.run('get', 'B')).toMatchObject({ stdout: 'text\n' })
    expect(await cli.feed(Buffer.from([0xff, 0xfe]), 'set', 'B')).toMatchObject({ status: 6 })
    expect(await cli.run('get', 'B')).toMatchObject({ stdout: 'text\n' })
  })
})

describe('delete', () => {
  test('asks, and No changes nothing', async () => {
    const { status, screen } = await cli.terminal(['delete', 'A'], [['Delete A of shop/dev?', enter]])
    expect(status, screen).toBe(1)
    expect(screen).toContain('CANCELLED: Nothing was changed')
    expect(await cli.run('get', 'A')).toMatchObject({ stdout: 'of dev' })
    expect(await cli.terminal(['delete', 'A'], [['Delete A of shop/dev?', 'y']])).toMatchObject({ status: 0 })
    expect(await cli.run('get', 'A')).toMatchObject({ status: 5 })
  })

  test.each([
    ['in a pipe', {}],
    ['in CI', { CI: 'true' }],
  ])('needs --yes %s', async (_, env) => {
    const setting = { cwd: cli.cwd, env: { ...cli.env, ...env } }
    const refused = { status: 2, text: expect.stringMatching(/^USAGE: .*--yes.*; try: rollkey delete --help$/m) }
    const inCi = await onTerminal(['delete', 'A', ...('CI' in env ? [] : ['--no-input'])], setting)
    expect({ status: inCi.status, text: inCi.screen }).toEqual(refused)
    const piped = await inPipe(['delete', 'A'], setting)
    expect({ status: piped.status, text: piped.stderr }).toEqual(refused)
    expect(await cli.run('get', 'A')).toMatchObject({ stdout: 'of dev' })
  })
})

describe('init', () => {
  const fileOf = (): unknown => JSON.parse(readFileSync(path.join(cli.cwd, 'rollkey.json'), 'utf8'))
  const typed = { url: () => world.app.url }

  test('asks which project and stage there are', async () => {
    rmSync(path.join(cli.cwd, 'rollkey.json'))
    const args = ['init', '--url', typed.url()]
    const { status, screen } = await cli.terminal(args, [
      ['Which project?', enter],
      ['Which stage?', `${down}${enter}`],
      ['Name of the new stage', `test${enter}`],
    ])
    expect(status, screen).toBe(0)
    expect(fileOf()).toEqual({ url: typed.url(), org: cli.desk.at.orgSlug, project: 'shop', stage: 'test' })
    expect(screen).toContain('shop/test is new')
  })

  test('in a pipe takes flags, and leaves a file that is there', async () => {
    const before = fileOf()
    const refused = await cli.run('init', '--project', 'shop', '--stage', 'prod')
    expect(refused).toMatchObject({ status: 6, stdout: '' })
    expect(refused.stderr).toMatch(/^FILE_EXISTS: .*; try: rollkey init --force$/m)
    expect(fileOf()).toEqual(before)
    expect(await cli.run('init', '--project', 'shop', '--stage', 'prod', '--force')).toMatchObject({ status: 0 })
    expect(fileOf()).toMatchObject({ project: 'shop', stage: 'prod' })
    expect(await cli.run('init', '--force', '--project', 'shop')).toMatchObject({ status: 2 })
  })
})
