/** `rollkey run --watch` as a process. */
import { beforeEach, expect, test } from 'vitest'
import { secret } from '../../../server/testkit/entries.ts'
import { useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { startTestCli, type TestCli } from '../../testkit/cli.ts'
import { startInPipe } from '../../testkit/run.ts'

const testEnv = useTestEnv()
let cli: TestCli

beforeEach(async () => {
  cli = await startTestCli(testEnv)
  await write(testEnv, cli.tenant, [secret('A', 'first'), secret('B', 'x')])
})

/** Prints its variables and its process id. Ends some time after SIGTERM. */
const server = `
  process.on('SIGTERM', () => setTimeout(() => { console.log('ended ' + process.env.A); process.exit(0) }, 50))
  setInterval(() => {}, 60_000)
  console.log('has ' + process.env.A + ' below ' + process.ppid)`

test('restarts the command with each change of the values', async () => {
  const { child, printed, ended } = startInPipe(['run', '--watch', '--', process.execPath, '-e', server], cli, /has/)
  let output = ''
  child.stdout?.on('data', (data: Buffer) => (output += data.toString()))
  await printed
  // A revision without changed values.
  await write(testEnv, cli.tenant, [secret('A', 'first')])
  await write(testEnv, cli.tenant, [secret('A', 'second'), secret('C', 'new')], { deletes: ['B'] })
  await expect.poll(() => output).toContain('has second')
  await write(testEnv, cli.tenant, [secret('A', 'third')])
  await expect.poll(() => output).toContain('has third')
  child.kill('SIGTERM')
  const { status, stdout, stderr } = await ended
  expect({ status, stderr }).toEqual({
    status: 0,
    stderr: 'Restarting: 3 variables changed\nRestarting: 1 variable changed\n',
  })
  const below = `below ${child.pid}`
  expect(stdout.trim().split('\n')).toEqual([
    `has first ${below}`,
    'ended first',
    `has second ${below}`,
    'ended second',
    `has third ${below}`,
    'ended third',
  ])
})

test('ends with the command, and with its status', async () => {
  expect(await cli.run('run', '--watch', '--', 'sh', '-c', 'echo "$A"; exit 9')).toMatchObject({
    status: 9,
    stdout: 'first\n',
    stderr: '',
  })
})

test('does not restart the command after a request to end', async () => {
  const slow = `
    let count = 0
    process.on('SIGTERM', () => { console.log('told'); if (++count === 2) process.exit(0) })
    setInterval(() => {}, 60_000)
    console.log('has ' + process.env.A)`
  const { child, printed, ended } = startInPipe(['run', '--watch', '--', process.execPath, '-e', slow], cli, /told/)
  child.stdout?.once('data', () => void write(testEnv, cli.tenant, [secret('A', 'second')]))
  await printed
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ status: null, signal: 'SIGTERM', stdout: 'has first\ntold\ntold\n' })
})
