/** `rollkey run --watch` as a process. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { secret, startWorld, write, type Desk, type World } from '../../../server/testkit/world.ts'
import { newCliDesk, type CliDesk } from '../../testkit/desk.ts'
import { startInPipe } from '../../testkit/run.ts'

let world: World
let cli: CliDesk
let dev: Desk

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

beforeEach(async () => {
  cli = await newCliDesk(world)
  dev = { ...cli.desk, at: { ...cli.desk.at, stageSlug: 'dev' } }
  await write(world, dev, [secret('A', 'first'), secret('B', 'x')])
  return () => cli.close()
})

/** Tells what it has and who it is; on SIGTERM it takes its time. */
const server = `
  process.on('SIGTERM', () => setTimeout(() => { console.log('ended ' + process.env.A); process.exit(0) }, 50))
  setTimeout(() => {}, 20_000)
  console.log('has ' + process.env.A + ' below ' + process.ppid)`

test('starts the command again with each change of the values, and stays itself', async () => {
  const { child, printed, ended } = startInPipe(['run', '--watch', '--', process.execPath, '-e', server], cli, /has/)
  let output = ''
  child.stdout?.on('data', (data: Buffer) => (output += data.toString()))
  await printed
  // Nothing new in it.
  await write(world, dev, [secret('A', 'first')])
  await write(world, dev, [secret('A', 'second'), secret('C', 'new')], { deletes: ['B'] })
  await expect.poll(() => output, { timeout: 10_000 }).toContain('has second')
  await write(world, dev, [secret('A', 'third')])
  await expect.poll(() => output, { timeout: 10_000 }).toContain('has third')
  child.kill('SIGTERM')
  const { status, stdout, stderr } = await ended
  expect({ status, stderr }).toEqual({
    status: 0,
    stderr: 'restarting: 3 names changed\nrestarting: 1 name changed\n',
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

test('starts nothing new once somebody wants it to end', async () => {
  const slow = `
    let count = 0
    process.on('SIGTERM', () => { console.log('told'); if (++count === 2) process.exit(0) })
    setTimeout(() => {}, 20_000)
    console.log('has ' + process.env.A)`
  const { child, printed, ended } = startInPipe(['run', '--watch', '--', process.execPath, '-e', slow], cli, /told/)
  child.stdout?.once('data', () => void write(world, dev, [secret('A', 'second')]))
  await printed
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ status: null, signal: 'SIGTERM', stdout: 'has first\ntold\ntold\n' })
})
