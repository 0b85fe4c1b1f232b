/** Runs the single executables of `npm run build:release` in an empty folder, without any other program. */
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { isLong } from '../../testkit/long.ts'
import { goodPassword, Person } from '../../testkit/person.ts'
import { emptyFolder, root, run, serve, shellBlocksOf } from './project.ts'

const { folder, remove } = emptyFolder()
afterAll(remove)

const service = path.join(root, 'dist', `rollkey-server-linux-${process.arch}`)
const commandLine = path.join(root, 'dist', `rollkey-linux-${process.arch}`)

test('the first secret needs the two files and nothing else', async () => {
  const env = { PATH: '', HOME: folder }
  const server = await serve([service], env, folder)
  const answer = await run(service, ['setup', 'ada@example.com', 'demo'], { cwd: folder, env })
  const { accessToken, passwordLink } = JSON.parse(answer) as { accessToken: string; passwordLink: string }
  const stage = { ROLLKEY_PROJECT: 'shop', ROLLKEY_STAGE: 'dev' }
  const client = { cwd: folder, env: { ...env, ...stage, ROLLKEY_URL: server.url, ROLLKEY_TOKEN: accessToken } }
  await run(commandLine, ['set', 'API_KEY', 's3cret', '--create'], client)
  expect(await run(commandLine, ['get', 'API_KEY'], client)).toBe('s3cret')

  const page = await (await fetch(server.url)).text()
  const [script = ''] = /\/assets\/[\w.-]+\.js/.exec(page) ?? []
  expect((await fetch(server.url + script)).status).toBe(200)
  const token = new URLSearchParams(new URL(passwordLink).hash.slice(1)).get('token')
  await new Person(server.url, 'ada@example.com').must('/reset-password', { token, newPassword: goodPassword })
  expect(await server.stop()).toBe(0)
})

test('a newcomer follows the page about the installation to the first secret', async () => {
  const bin = path.join(folder, 'bin')
  mkdirSync(bin)
  symlinkSync(service, path.join(bin, 'rollkey-server'))
  symlinkSync(commandLine, path.join(bin, 'rollkey'))
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: folder, ROLLKEY_DATA_DIR: path.join(folder, 'other') }
  const server = await serve(['rollkey-server'], env, folder)
  const commands = shellBlocksOf('docs/install.md').at(-1) ?? ''
  const shell = ['--norc', '-euc', commands]
  expect(await run('bash', shell, { cwd: folder, env: { ...env, ROLLKEY_URL: server.url } })).toBe('s3cret')
})

test.runIf(isLong)('the command line is built for Windows', () => {
  const text = readFileSync(path.join(root, 'dist/rollkey-win-x64.exe'), 'latin1')
  expect(text.slice(0, 2)).toBe('MZ')
  // Node starts the program inside if this says 1.
  expect(text).toContain('NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:1')
  expect(text).toContain('ROLLKEY_TOKEN')
})

test('a signal does not open the inspector', async () => {
  const env = { PATH: '', HOME: folder }
  const server = await serve([service], env, folder)
  process.kill(server.pid, 'SIGUSR1')
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  await expect(fetch('http://127.0.0.1:9229/json')).rejects.toThrow('fetch failed')
  expect(await server.stop()).toBe(0)
})
