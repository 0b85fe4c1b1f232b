/** rollkey rotate, and list --due. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { roll, secret } from '../../../server/testkit/entries.ts'
import { newServiceToken, startTestEnv, useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { startTestCli, useTestCli, type TestCli } from '../../testkit/cli.ts'
import { inProcess } from '../../testkit/run.ts'

const testEnv = useTestEnv()
const cli = useTestCli(testEnv)
const dayMs = 86_400_000
const asUrl = { ...secret('URL', 'db:${KEY}'), template: true }

async function untilRotating(of: TestCli): Promise<void> {
  await expect.poll(async () => (await of.run('list')).stdout).toContain('A/B roll, rotating')
}

async function valueOf(name: string, of: TestCli = cli): Promise<string> {
  return (await of.run('get', name)).stdout
}

test('rotate writes another value, which it shows only with --reveal, and says which templates follow', async () => {
  const own = await startTestCli(testEnv)
  await write(testEnv, own.tenant, [secret('KEY', 'old'), asUrl, roll('R', 0.5)])
  const quiet = await own.run('rotate', 'KEY', '--yes')
  const first = await valueOf('KEY', own)
  expect(first).toMatch(/^[\w-]{43}$/)
  expect(quiet).toMatchObject({ status: 0, stdout: '' })
  expect(quiet.stderr).toContain('KEY rotated in ')
  expect(quiet.stderr).toContain('43 bytes (revision 2). Templates that follow it: URL.')
  expect(quiet.stderr).not.toContain(first)
  const forms = [
    [['--as', 'hex'], /^[0-9a-f]{64}$/],
    [['--as', 'hex', '--length', '8'], /^[0-9a-f]{8}$/],
    [['--as', 'uuid'], /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
    [['--as', 'passphrase', '--length', '4'], /^[a-z]{5}(-[a-z]{5}){3}$/],
    [['--alphabet', '☕🚀', '--length', '9'], /^[☕🚀]{9}$/u],
  ] as const
  for (const [options, form] of forms) {
    const { stdout } = await own.run('rotate', 'KEY', '--yes', '--reveal', ...options)
    expect(stdout).toMatch(new RegExp(form.source.replace(/\$$/, '\n$'), form.flags))
    expect(await valueOf('URL', own)).toBe(`db:${stdout.trim()}`)
  }
  const { stdout } = await own.feed('from elsewhere\n', 'rotate', 'KEY', '--stdin', '--yes', '--json')
  expect(JSON.parse(stdout)).toEqual({ name: 'KEY', revision: 8, bytes: 14, templates: ['URL'] })
  expect(await valueOf('KEY', own)).toBe('from elsewhere')
  const refusals = [
    [['KYE'], 5, 'did you mean KEY?'],
    [['R'], 6, 'R is a roll (expected a secret)'],
    [['URL'], 6, 'URL is a template (expected a secret with its own value): rotate what it names'],
    [['KEY', '--gradual', '1h'], 6, '"KEY" cannot have two values, because templates name it: "URL".'],
    [['KEY', '--back'], 5, 'No rotation of KEY runs in '],
    [['KEY', '--back', '--finish'], 2, 'exclude each other'],
    [['KEY', '--gradual', 'soon'], 2, 'Unknown span "soon" of --gradual (expected 30m, 6h, 2d or 1w)'],
    [['KEY', '--gradual', '1h', '--at', '09:00'], 2, 'leave out --propose and --at'],
    [['KEY', '--as', 'base58'], 2, '--as must be base64url, hex, uuid or passphrase'],
    [['KEY', '--as', 'hex', '--alphabet', 'ab'], 2, 'leave out --as'],
    [['KEY', '--alphabet', 'aba'], 2, 'at least two characters, each once'],
    [['KEY', '--length', '7'], 2, 'a whole number from 8 to 1024'],
    [['KEY', '--as', 'uuid', '--length', '9'], 2, 'leave out --length'],
  ] as const
  for (const [args, status, message] of refusals) {
    const refused = await own.run('rotate', ...args)
    expect([args, refused.status, refused.stderr]).toEqual([args, status, expect.stringContaining(message)])
  }
  expect(await valueOf('KEY', own)).toBe('from elsewhere')
})

test('rotate asks before it writes at once, and needs --yes without a terminal', async () => {
  await write(testEnv, cli.tenant, [secret('ASKS', 'old')])
  expect(await cli.run('rotate', 'ASKS')).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(
      /^USAGE: There is no terminal to ask "Rotate ASKS in .*; try: the same command with --yes\n/,
    ),
  })
  const no = await cli.terminal(['rotate', 'ASKS'], [['Rotate ASKS in shop/dev?', '\r']])
  expect(no.screen).toContain('Nothing was changed')
  expect(await valueOf('ASKS')).toBe('old')
  expect((await cli.run('rotate', 'ASKS', '--reason', 'Leaked')).stderr).toMatch(/^Proposed chg_/)
  const yes = await cli.terminal(['rotate', 'ASKS'], [['Rotate ASKS in shop/dev?', 'y']])
  expect(yes.status, yes.screen).toBe(0)
  expect(await valueOf('ASKS')).toMatch(/^[\w-]{43}$/)
})

test('rotate --gradual begins at once, and --back and --finish end it', async () => {
  await write(testEnv, cli.tenant, [secret('TOKEN', 'old')])
  for (const [option, value] of [
    ['--back', 'old'],
    ['--finish', 'new'],
  ] as const) {
    const begun = await cli.feed('new', 'rotate', 'TOKEN', '--stdin', '--gradual', '1h', '--json')
    const { id, steps } = JSON.parse(begun.stdout) as { id: string; steps: { atMs: number; chance: number }[] }
    expect(begun.stdout).not.toContain('new')
    expect(steps.map(({ chance }) => chance)).toEqual([0.01, 0.1, 0.25, 0.5, 1])
    expect((steps.at(-1)?.atMs ?? 0) - (steps[0]?.atMs ?? 0)).toBe(3_600_000)
    await untilRotating(cli)
    expect((await cli.run('rotate', 'TOKEN')).stderr).toContain('TOKEN is being rotated already')
    const ended = await cli.run('rotate', 'TOKEN', option)
    expect(ended.stderr).toMatch(/^Ended the rotation of TOKEN in .*: everyone gets the (old|new) value/m)
    expect([await valueOf('TOKEN'), id.slice(0, 4)]).toEqual([value, 'chg_'])
  }
})

test('a rotation is ended from wherever it was left', async () => {
  const [{ at, token }, name] = [cli.tenant, 'LEFT']
  const copy = { ...at, stageSlug: 'copy' }
  const must = (endpoint: Parameters<typeof testEnv.client.must>[0], input: object) =>
    testEnv.client.must(endpoint, { ...at, ...input }, { token })
  const ramp = (...minutes: number[]) => ({
    name,
    value: 'new',
    steps: minutes.map((each, index) => ({ atMs: Date.now() + each * 60_000, chance: index === 0 ? 0.5 : 1 })),
  })
  const begin = async () => {
    const { id } = await must('changePropose', { reason: 'left', ramp: ramp(0, 60) })
    await untilRotating(cli)
    return id as string
  }
  const points: Record<string, () => Promise<unknown>> = {
    'before its first step': () => must('changePropose', { reason: 'left', ramp: ramp(30, 60) }),
    'while it runs': begin,
    'while it is paused': async () => must('changePause', { id: await begin() }),
  }
  const end = async (option: string, ...more: string[]) => {
    const { status, stderr } = await cli.run('rotate', name, option, ...more)
    return [status, stderr.split('\n')[0]]
  }
  const ended = (value: string) => [0, expect.stringMatching(`everyone gets the ${value} value`)]
  for (const [point, make] of Object.entries(points))
    for (const [option, value] of [
      ['--back', 'old'],
      ['--finish', 'new'],
    ] as const) {
      await write(testEnv, cli.tenant, [secret(name, 'old')])
      await make()
      const again = await cli.feed('new', 'rotate', name, '--stdin', '--gradual', '1h')
      expect([point, again.status, again.stderr]).toEqual([
        point,
        6,
        expect.stringMatching(`rotate ${name} --(back|finish)`),
      ])
      const hasBegun = !point.startsWith('before')
      if (hasBegun) await must('copy', { from: at, to: copy, names: [name] })
      const waits = [6, expect.stringContaining('has not begun: wait for its first step')]
      const cannot = !hasBegun && option === '--finish'
      expect([point, await end(option)]).toEqual([point, cannot ? waits : ended(value)])
      if (cannot) await end('--back')
      expect([point, await valueOf(name)]).toEqual([point, cannot ? 'old' : value])
      expect(await end(option)).toEqual([5, expect.stringContaining(`No rotation of ${name} runs in `)])
      if (!hasBegun) continue
      // A copy is in the state that a failed step leaves: two values, and no change that goes on.
      expect([point, await end(option, '--stage', 'copy')]).toEqual([point, ended(value)])
      expect((await cli.run('get', name, '--stage', 'copy')).stdout).toBe(value)
    }
  await write(testEnv, cli.tenant, [secret(name, 'old')])
  await begin()
  await write(testEnv, cli.tenant, [secret(name, 'third')])
  expect(await end('--back')).toEqual([0, expect.stringContaining('something else was written to it since')])
  expect(await valueOf(name)).toBe('third')
})

test('the commands of docs/rotation.md do what the page says', async () => {
  const page = readFileSync(new URL('../../../../docs/rotation.md', import.meta.url), 'utf8')
  const blocks = [...page.matchAll(/```(json|sh)\n([^]*?)```/g)]
  const [declarations = '', ...scripts] = blocks.map(([, , text = '']) => text)
  const other = await startTestCli(testEnv)
  await write(testEnv, other.tenant, [secret('API_KEY', 'first'), secret('SESSION_KEY', 'x')])
  writeFileSync(path.join(other.cwd, 'rollkey.declarations.json'), declarations)
  expect((await other.run('declare', 'push')).status).toBe(0)
  const ran: string[] = []
  for (const line of scripts.join('').trim().split('\n')) {
    const [command = '', file] = line.split(' < ')
    // The page runs what has no file on a terminal.
    const answer = /^rollkey rotate [^<]*$/.test(line) ? ['--yes'] : []
    const { status, stderr } = await other.feed(file ? 'second' : '', ...command.split(' ').slice(1), ...answer)
    expect([line, status, stderr]).toEqual([line, 0, expect.any(String)])
    if (line.includes('--gradual')) await untilRotating(other)
    ran.push(line)
  }
  expect(ran).toHaveLength(7)
  expect((await other.run('get', 'API_KEY')).stdout).toBe('second')
})

test('list --due and check show what should have got another value', async () => {
  // A separate service, because its clock will be far ahead of that of the command line.
  const ahead = await startTestEnv()
  const { cwd, env: ofPerson, tenant } = await startTestCli(ahead)
  const sinceMs = ahead.clock.now()
  ahead.clock.freezeAt(sinceMs)
  await write(ahead, tenant, [secret('STALE', 'x'), secret('FRESH', 'x')])
  const { orgSlug, projectSlug } = tenant.at
  const declarations = ['STALE', 'FRESH'].map((name) => ({ name, rotateEveryDays: 30, owner: 'Payments' }))
  const { token: byToken } = await newServiceToken(ahead, tenant, {})
  await ahead.client.must('declarationSet', { orgSlug, projectSlug, declarations }, { token: tenant.token })
  const env = { ...ofPerson, ROLLKEY_TOKEN: byToken, ROLLKEY_URL: ahead.app.url }
  const run = (...args: string[]) => inProcess(args, { cwd, env })
  expect((await run('list', '--due')).stderr).toContain('Nothing is due')
  ahead.clock.advance(31 * dayMs)
  await run('rotate', 'FRESH', '--yes')
  const dueAtMs = sinceMs + 30 * dayMs
  expect((await run('list', '--due')).stdout).toBe(
    `STALE\t${new Date(dueAtMs).toISOString()}\tPayments\trollkey rotate STALE\n`,
  )
  const { stdout } = await run('list', '--due', '--json')
  expect(JSON.parse(stdout)).toEqual({ variables: [{ name: 'STALE', dueAtMs, owner: 'Payments' }] })
  const checked = await run('check')
  expect(checked.status).toBe(6)
  expect(checked.stdout).toContain(
    'dev\tSTALE\toverdue\tmust get another value every 30 days, and has had this one since ',
  )
  expect((await run('list', '--due', '--stale', '9')).status).toBe(2)
})
