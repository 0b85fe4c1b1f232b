/** Installs the packages of `npm run build:release` from their tarballs into an empty folder, and follows the server's README. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { publint } from 'publint'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { goodPassword, Person } from '../../testkit/person.ts'
import { nodes } from '../../testkit/nodes.ts'
import { ofModules, typeProblemsOf } from '../../testkit/type-resolution.ts'
import { emptyFolder, root, run, serve, shellBlocksOf } from './project.ts'

const { folder, remove } = emptyFolder()
const built = ['packages/contract/dist', 'packages/server/dist', 'packages/cli', 'node_modules/zod']
const env = { PATH: `${path.dirname(process.execPath)}:${process.env['PATH']}`, HOME: folder }

function tarballOf(name: string): string {
  return path.join(folder, readdirSync(folder).find((file) => file.startsWith(`rollkey-${name}-`)) ?? '')
}

function newDataFolder(): string {
  return mkdtempSync(path.join(folder, 'data-'))
}

beforeAll(async () => {
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder]
  await run('npm', [...pack, ...built.map((each) => `./${each}`)], { cwd: root })
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  const tarballs = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  const install = ['install', '--offline', '--no-audit', '--no-fund', '--cache', path.join(folder, '.npm')]
  await run('npm', [...install, ...tarballs.map((name) => `./${name}`)], { cwd: folder, env })
}, 60_000)
afterAll(remove)

test.each(['contract', 'server'])('%s passes publint and is not private', async (name) => {
  const { buffer } = new Uint8Array(readFileSync(tarballOf(name)))
  expect((await publint({ pack: { tarball: buffer }, strict: true })).messages).toEqual([])
  const manifest = readFileSync(path.join(folder, 'node_modules/@rollkey', name, 'package.json'), 'utf8')
  expect(JSON.parse(manifest)).toMatchObject({ publishConfig: { access: 'public', provenance: true } })
  expect(JSON.parse(manifest)).not.toHaveProperty('private')
})

test('the types of the contract resolve wherever ES modules do', async () => {
  expect(await typeProblemsOf(tarballOf('contract'), ofModules)).toEqual([])
})

test('the example of the contract prints each endpoint', async () => {
  const [, code = ''] =
    /```ts\n(.*?)```/s.exec(readFileSync(path.join(root, 'packages/contract/README.md'), 'utf8')) ?? []
  writeFileSync(path.join(folder, 'example.js'), code)
  const lines = (await run(process.execPath, ['example.js'], { cwd: folder })).trimEnd().split('\n')
  expect(lines).toContainEqual(expect.stringMatching(/^POST \/v1\/env\/evaluate UNAUTHORIZED /))
})

test('the server has everything inside: no packages, no source maps, licenses and a bill of materials', () => {
  const installed = path.join(folder, 'node_modules/@rollkey/server')
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' })
  expect(files.filter((file) => file.endsWith('.map') || file.endsWith('.ts'))).toEqual([])
  expect(files).toEqual(
    expect.arrayContaining([
      'dashboard/index.html',
      'cli/rollkey.js',
      'docs/index.html.gz',
      'migrations/0001-initial.sql',
    ]),
  )
  const notice = readFileSync(path.join(installed, 'NOTICE.txt'), 'utf8')
  for (const name of ['@tabler/icons', 'better-auth', 'react', 'commander', 'vue', 'minisearch'])
    expect(notice).toMatch(new RegExp(`^${name} .*: MIT$`, 'm'))
  expect(notice).not.toContain('no license is named')
  const { components } = JSON.parse(readFileSync(path.join(installed, 'sbom.cdx.json'), 'utf8')) as {
    components: unknown[]
  }
  expect(components.length).toBeGreaterThan(100)
})

test('a newcomer follows the README of the server to the first secret', async () => {
  const server = await serve([path.join(folder, 'node_modules/.bin/rollkey-server')], env, folder)
  const [, commands = ''] = shellBlocksOf('packages/server/README.md')
  const shell = ['--norc', '-euc', commands]
  expect(await run('bash', shell, { cwd: folder, env: { ...env, ROLLKEY_URL: server.url } })).toMatch(/s3cret\n?$/)
  const page = await (await fetch(server.url)).text()
  const [script = ''] = /\/assets\/[\w.-]+\.js/.exec(page) ?? []
  expect((await fetch(server.url + script)).status).toBe(200)
  expect((await fetch(`${server.url}/cli/rollkey.mjs`)).status).toBe(200)
  expect(await server.stop()).toBe(0)
})

test.each(nodes())('the installed server runs on %s', async (node) => {
  // npm installs this copy where its registry can be reached.
  const copy = path.join(folder, 'node_modules', `node-linux-${process.arch}`)
  if (!existsSync(copy)) symlinkSync(path.join(root, 'node_modules', path.basename(copy)), copy)
  const bin = path.join(folder, 'node_modules/@rollkey/server/bin/rollkey-server.js')
  const server = await serve([node, bin], { ...env, ROLLKEY_DATA_DIR: newDataFolder() }, folder)
  expect((await fetch(`${server.url}/livez`)).status).toBe(200)
  expect(await server.stop()).toBe(0)
})

test.each([
  ['npx @rollkey/server', folder],
  ['npm start', root],
  ['npm start -- --demo', root],
])('a SIGTERM to %s leaves nothing running', async (command, cwd) => {
  const server = await serve(command.split(' '), { ...env, ROLLKEY_DATA_DIR: newDataFolder() }, cwd)
  await server.stop()
  await expect(fetch(server.url)).rejects.toThrow('fetch failed')
})

test('the text of the programs takes one byte of memory for each character', () => {
  const installed = path.join(folder, 'node_modules/@rollkey/server')
  const programs = readdirSync(installed).filter((file) => file.endsWith('.cjs'))
  expect(programs.length).toBeGreaterThan(20)
  const isWide = (file: string): boolean => /[^\0-\xff]/.test(readFileSync(path.join(installed, file), 'utf8'))
  expect([...programs, 'cli/rollkey.js'].filter(isWide)).toEqual([])
})

test('what checks passkeys is loaded by the first request that needs it', async () => {
  const list = path.join(folder, 'loaded')
  const note = `import { registerHooks } from 'node:module'; import { appendFileSync } from 'node:fs'
    registerHooks({ load: (url, context, next) => (appendFileSync('${list}', url + '\\n'), next(url, context)) })`
  const options = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(note)}` }
  const settings = { ...env, ...options, ROLLKEY_DATA_DIR: newDataFolder() }
  const server = await serve([path.join(folder, 'node_modules/.bin/rollkey-server')], settings, folder)
  const loaded = (): string[] => {
    const files = readFileSync(list, 'utf8')
      .split('\n')
      .filter((url) => url.endsWith('.cjs'))
    return files.filter((url) => readFileSync(new URL(url), 'utf8').includes('AsnConvert'))
  }
  expect(loaded()).toEqual([])
  expect((await fetch(`${server.url}/identity/passkey/generate-authenticate-options`)).status).toBe(200)
  expect(loaded()).toHaveLength(1)
})

test('a person sets a password, so the bundle finds the code of its threads', async () => {
  const server = await serve([path.join(folder, 'node_modules/.bin/rollkey-server')], env, folder)
  const setup = await run('npx', ['@rollkey/server', 'setup', 'bob@example.com', 'acme'], { cwd: folder, env })
  const { passwordLink } = JSON.parse(setup) as { readonly passwordLink: string }
  const bob = new Person(server.url, 'bob@example.com')
  const token = new URLSearchParams(new URL(passwordLink).hash.slice(1)).get('token')
  await bob.must('/reset-password', { token, newPassword: goodPassword })
  expect(await server.stop()).toBe(0)
})
