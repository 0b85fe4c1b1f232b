/** The README's first five minutes, run as they stand but for the port and the folder. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { newDataDir } from '../testkit/app.ts'
import { startProcess } from '../testkit/process.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const hasTools = ['curl', 'bash'].every((tool) => spawnSync(tool, ['--version']).status === 0)
const dataDir = newDataDir()

afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

function run(commands: string): string {
  return execFileSync('bash', ['--norc', '-euc', commands], {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: `${path.dirname(process.execPath)}:${process.env['PATH']}`, ROLLKEY_DATA_DIR: dataDir },
  })
}

describe.skipIf(!hasTools)('a newcomer', () => {
  test('pastes the blocks of the README, and each works', async () => {
    const text = readFileSync(path.join(root, 'README.md'), 'utf8')
    const [, pasted = ''] = /readme\.test\.ts[^\n]*-->\n(.*?)\n## /s.exec(text) ?? []
    const blocks = [...pasted.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block as string)
    expect(blocks).toHaveLength(6)
    const server = await startProcess({ DATA_DIR: dataDir })
    const output = run(blocks.join('\n').replaceAll('http://127.0.0.1:8787', server.url))
    await server.end('SIGTERM')
    const lines = output.split('\n')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ created: ['API_KEY', 'NEW_CHECKOUT'], revision: 1 })
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ name: 'NEW_CHECKOUT', value: 'off', decision: 'b' })
    expect(JSON.parse(lines[2] ?? '')).toMatchObject({ ok: true })
    expect(JSON.parse(lines[3] ?? '')).toMatchObject({ variables: { API_KEY: 's3cret', NEW_CHECKOUT: 'off' } })
    expect(JSON.parse(lines.slice(4).join('\n'))).toMatchObject({ usage: [{ organization: 'demo', evaluations: 2 }] })
  })

  test('pastes the lines that the first start prints, and each works', async () => {
    rmSync(dataDir, { recursive: true, force: true })
    const server = await startProcess({ DATA_DIR: dataDir })
    await vi.waitFor(() => expect(server.output()).toContain('# evaluate them'))
    const [, printed = ''] = server.output().split('Try it in another terminal:')
    const output = run(printed)
    await server.end('SIGTERM')
    const [written, secret, rolled] = output.trim().split('\n').map((line) => JSON.parse(line) as object) // prettier-ignore
    expect(written).toMatchObject({ created: ['API_KEY', 'NEW_CHECKOUT'] })
    expect(secret).toMatchObject({ value: 's3cret' })
    expect(rolled).toMatchObject({ decision: 'b' })
  })
})

test('the development provider answers nobody from elsewhere', async () => {
  const server = await startProcess({ DATA_DIR: dataDir })
  const ask = (headers: Record<string, string>): Promise<Response> =>
    fetch(`${server.url}/development/token?user=ada&org=demo`, { headers })
  expect((await ask({})).status).toBe(200)
  expect((await ask({ origin: 'https://evil.example' })).status).toBe(403)
  expect((await ask({ 'x-forwarded-for': '203.0.113.1' })).status).toBe(403)
  expect((await ask({ forwarded: 'for=203.0.113.1' })).status).toBe(403)
  const rebound = spawnSync(process.execPath, ['-e', reboundRequest, server.url], { encoding: 'utf8' })
  expect(rebound.stdout).toBe('403')
  await server.end('SIGTERM')
})

/** A name of somebody else's that resolves to this machine: fetch does not let a Host header be set. */
const reboundRequest = `
  const { port } = new URL(process.argv[1])
  require('node:http').get({ port, host: '127.0.0.1', path: '/development/token', headers: { host: 'evil.example' } },
    (response) => { process.stdout.write(String(response.statusCode)); response.resume() })`
