/** `rollkey run` as a process: the environment of its command, and the signals and streams that pass through. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { spawn as spawnOnTerminal } from '@lydell/node-pty'
import { beforeAll, describe, expect, test } from 'vitest'
import { secret } from '../../../server/testkit/entries.ts'
import { newServiceToken, tenantAt, useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { useTestCli } from '../../testkit/cli.ts'
import { inPipe, onTerminal, rollkey, startInPipe } from '../../testkit/run.ts'
import { nastier, nasty } from '../nasty.ts'

const testEnv = useTestEnv()
const cli = useTestCli(testEnv)

beforeAll(async () => {
  await write(testEnv, cli.tenant, [secret('GREETING', 'hello from the stage')])
})

const node = process.execPath

/** Prints `ready PID below PID`, then each signal that it receives. Ends with status 7 by the last one. */
const listening = (last: NodeJS.Signals): string => `
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'])
    process.on(signal, () => { console.log('got ' + signal); if (signal === '${last}') process.exit(7) })
  setInterval(() => {}, 60_000)
  console.log('ready ' + process.pid + ' below ' + process.ppid)`

const waiting = `setInterval(() => {}, 60_000); console.log('ready ' + process.pid + ' below ' + process.ppid)`

function pidIn(output: string): number {
  return Number(/ready (\d+)/.exec(output)?.[1])
}

/** Sends a signal to rollkey alone once each text is on the screen. */
function killingAfter(...steps: [seen: string, signal: NodeJS.Signals][]): (screen: string) => void {
  return (screen) => {
    const [, rollkeyPid] = /below (\d+)\r?\n/.exec(screen) ?? []
    const [next] = steps
    if (rollkeyPid === undefined || !next || !screen.includes(next[0])) return
    steps.shift()
    process.kill(Number(rollkeyPid), next[1])
  }
}

async function expectGone(pid: number): Promise<void> {
  expect(pid).toBeGreaterThan(1)
  await expect.poll(() => isThere(pid)).toBe(false)
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('the command of rollkey run', () => {
  test('has the variables, which win, and no credentials of rollkey', async () => {
    const { token } = await newServiceToken(testEnv, cli.tenant, { projectSlug: 'shop', stageSlug: 'dev' })
    const address = { ROLLKEY_URL: testEnv.app.url }
    const credentials = { ROLLKEY_TOKEN: token, ROLLKEY_TOKEN_FILE: '/nowhere' }
    const env = { ...cli.env, ...address, ...credentials, GREETING: 'inherited', OTHER: 'x' }
    const print = [node, '-p', 'JSON.stringify(process.env)']
    const { status, stdout, stderr } = await inPipe(['run', '--', ...print], { ...cli, env })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).not.toContain('svc_')
    const { ROLLKEY_TOKEN: _, ROLLKEY_TOKEN_FILE: __, ...inherited } = env
    expect(JSON.parse(stdout)).toEqual({ ...inherited, GREETING: 'hello from the stage' })
  })

  test('has every nasty value unchanged', async () => {
    const values = { ...nasty, ...nastier }
    const at = tenantAt(cli.tenant, { stageSlug: 'nasty' })
    await write(
      testEnv,
      at,
      Object.entries(values).map(([name, value]) => secret(name, value)),
    )
    const { stdout } = await cli.run('run', '--stage', 'nasty', '--', node, '-p', 'JSON.stringify(process.env)')
    expect(JSON.parse(stdout)).toMatchObject(values)
  })

  test('receives its arguments unchanged', async () => {
    const args = [
      'two words',
      '',
      `it's "q" \`b\``,
      '$HOME',
      '$(id)',
      '*',
      'a\\b',
      'Zoë 🚀',
      '--',
      '--watch',
      '--json',
      'x\ny',
    ]
    const script = 'console.log(JSON.stringify(process.argv.slice(1)))'
    const { stdout } = await cli.run('run', '--', node, '-e', script, '--', ...args)
    expect(JSON.parse(stdout)).toEqual(args)
    // The first -- may be omitted, since the command has begun.
    const second = await cli.run('run', 'printf', '%s,', '--watch', '--', 'x')
    expect(second).toMatchObject({ status: 0, stdout: '--watch,--,x,' })
  })

  test('has the stdin, stdout and stderr of rollkey', async () => {
    const ended = await cli.feed('some\ninput', 'run', '--', 'sh', '-c', 'cat; echo oops >&2')
    expect(ended).toMatchObject({ status: 0, stdout: 'some\ninput', stderr: 'oops\n' })
  })

  test.each([0, 3, 255])('determines the exit status: %i', async (status) => {
    expect(await cli.run('run', '--', 'sh', '-c', `exit ${status}`)).toMatchObject({ status, signal: null, stderr: '' })
  })

  test.each(['SIGTERM', 'SIGKILL', 'SIGINT', 'SIGSEGV'] as const)(
    'determines the ending signal: %s',
    async (signal) => {
      const ended = await cli.run('run', '--', 'sh', '-c', `kill -${signal.slice(3)} $$`)
      expect(ended).toMatchObject({ status: null, signal, stderr: '' })
    },
  )

  test('must exist and be executable', async () => {
    const missing = await cli.run('run', '--', 'no-such-command')
    expect(missing).toMatchObject({ status: 127, stderr: expect.stringMatching(/^COMMAND_NOT_FOUND: /) })
    const plain = path.join(cli.cwd, 'rollkey.json')
    expect(await cli.run('run', '--', plain)).toMatchObject({ status: 126 })
  })

  test('is not run without a stage', async () => {
    const unknown = await cli.run('run', '--stage', 'dve', '--', 'echo', 'run')
    expect(unknown).toMatchObject({ status: 5, stdout: '', stderr: expect.stringMatching(/^STAGE_NOT_FOUND: .*dev/) })
  })

  test('runs without names that are not valid for an environment, with a notice, or not at all if strict', async () => {
    const at = tenantAt(cli.tenant, { stageSlug: 'flags' })
    await write(testEnv, at, [secret('checkout.flow', 'x'), secret('new-price', 'x'), secret('FINE', 'x')])
    const ended = await cli.run('run', '--stage', 'flags', '--', 'sh', '-c', 'echo "$FINE"')
    expect(ended).toMatchObject({
      status: 0,
      stdout: 'x\n',
      stderr: 'Skipped names that are not valid for environment variables: checkout.flow, new-price\n',
    })
    const refused = await cli.run('run', '--strict', '--stage', 'flags', '--', 'echo', 'run')
    expect(refused).toMatchObject({
      status: 6,
      stdout: '',
      stderr:
        'INVALID_NAME: These names are not valid for environment variables: checkout.flow, new-price; try: rollkey pull --format json\n',
    })
  })

  test('receives no name that decides what code runs, unless allowed', async () => {
    const at = tenantAt(cli.tenant, { stageSlug: 'evil' })
    await write(testEnv, at, [secret('NODE_OPTIONS', '--no-warnings'), secret('LD_PRELOAD', '')])
    const line = ['run', '--stage', 'evil', '--', 'sh', '-c', 'echo "$NODE_OPTIONS"'] as const
    const refused = await cli.run(...line)
    expect(refused).toMatchObject({ status: 6, stdout: '' })
    expect(refused.stderr).toMatch(/^RESERVED_NAME: .*: LD_PRELOAD, NODE_OPTIONS; try: rollkey run --allow-reserved/)
    const allowed = await cli.run('run', '--allow-reserved', ...line.slice(1))
    expect(allowed).toMatchObject({ status: 0, stdout: '--no-warnings\n' })
  })
})

describe('a signal', () => {
  test.each(['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const)(
    '%s in a pipe reaches the command once, whose status counts',
    async (signal) => {
      const last = signal === 'SIGTERM' ? 'SIGHUP' : 'SIGTERM'
      const { child, printed, ended } = startInPipe(['run', '--', node, '-e', listening(last)], cli, /below \d+/)
      let output = ''
      child.stdout?.on('data', (data: Buffer) => (output += data.toString()))
      await printed
      child.kill(signal)
      await expect.poll(() => output).toContain(`got ${signal}`)
      child.kill(last)
      const { status, stdout } = await ended
      expect(status).toBe(7)
      expect(stdout.match(/got \w+/g)).toEqual([`got ${signal}`, `got ${last}`])
    },
  )

  test('to the whole group, as of timeout, reaches the command once', async () => {
    const args = [rollkey, 'run', '--', node, '-e', listening('SIGTERM')]
    const group = spawn(node, args, {
      env: cli.env,
      cwd: cli.cwd,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    group.stdout.on('data', (data: Buffer) => (output += data.toString()))
    await expect.poll(() => output).toMatch(/below \d+/)
    // A process gets the lower of two signals first, so the command would say by SIGUSR1 that it has got the SIGINT, before it is passed on.
    group.kill('SIGSTOP')
    process.kill(-Number(group.pid), 'SIGINT')
    process.kill(pidIn(output), 'SIGUSR1')
    await expect.poll(() => output).toContain('got SIGUSR1')
    group.kill('SIGCONT')
    await expect.poll(() => output).toContain('got SIGINT')
    group.kill('SIGTERM')
    await once(group, 'close')
    expect(output.match(/got \w+/g)).toEqual(['got SIGUSR1', 'got SIGINT', 'got SIGTERM'])
  })

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s leaves no command running', async (signal) => {
    const { child, printed, ended } = startInPipe(['run', '--', node, '-e', waiting], cli, /below \d+/)
    const pid = pidIn(await printed)
    expect(isThere(pid)).toBe(true)
    child.kill(signal)
    expect(await ended).toMatchObject({ status: null, signal })
    await expectGone(pid)
  })

  test('of Ctrl-C on a terminal reaches the command once', async () => {
    const args = ['run', '--', node, '-e', listening('SIGTERM')]
    const { status, screen } = await onTerminal(
      args,
      cli,
      [['ready', '\u0003']],
      killingAfter(['got SIGINT', 'SIGTERM']),
    )
    expect(screen.match(/got \w+/g), screen).toEqual(['got SIGINT', 'got SIGTERM'])
    expect(status).toBe(7)
  })

  test('on a terminal that no key sends is passed on', async () => {
    const args = ['run', '--', node, '-e', listening('SIGHUP')]
    const kill = killingAfter(['ready', 'SIGTERM'], ['got SIGTERM', 'SIGHUP'])
    const { status, screen } = await onTerminal(args, cli, [], kill)
    expect(screen.match(/got \w+/g), screen).toEqual(['got SIGTERM', 'got SIGHUP'])
    expect(status).toBe(7)
  })

  test('of a closed terminal leaves no command running', async () => {
    const args = [rollkey, 'run', '--', node, '-e', waiting]
    const terminal = spawnOnTerminal(node, args, { env: cli.env, cwd: cli.cwd })
    const pid = await new Promise<number>((resolve) => {
      let screen = ''
      terminal.onData((data) => {
        screen += data
        if (/below \d+/.test(screen)) resolve(pidIn(screen))
      })
    })
    ;(terminal as unknown as { destroy(): void }).destroy()
    await expectGone(pid)
    await expectGone(terminal.pid)
  })
})
