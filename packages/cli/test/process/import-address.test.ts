/** `rollkey import --address`: Vault, this service's Vault protocol, and Unleash. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { secret } from '../../../server/testkit/entries.ts'
import { useFixture } from '../../../server/testkit/fixture.ts'
import { newServiceToken, tenantAt, useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { useTestCli } from '../../testkit/cli.ts'
import { startHostileService } from '../../testkit/hostile-service.ts'
import type { Ended } from '../../testkit/run.ts'

const testEnv = useTestEnv()
const cli = useTestCli(testEnv)
const source = useFixture(startHostileService)
const canary = 'canary-of-the-source'
const flags = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../fixtures/unleash-features.json.txt'), 'utf8'),
) as object
let stages = 0
let stage = ''

beforeEach(() => {
  stage = `stage-${++stages}`
  for (const name of Object.keys(source.answers)) delete source.answers[name]
  source.seen.splice(0)
  Object.assign(cli.env, { VAULT_TOKEN: canary, UNLEASH_TOKEN: canary })
})

/** Imports into the stage of the test. No output may contain a value or a token of the source. */
async function run(from: string, ...args: string[]): Promise<Ended> {
  const ended = await cli.run('import', '--from', from, '--address', source.url, '--stage', stage, ...args)
  expect(ended.stdout + ended.stderr).not.toContain('canary')
  return ended
}

async function listed(): Promise<unknown> {
  return JSON.parse((await cli.run('list', '--stage', stage, '--json')).stdout)
}

async function pulled(): Promise<unknown> {
  return JSON.parse((await cli.run('pull', '--stage', stage, '--format', 'json')).stdout)
}

/** Answers as Vault does: a mount, and secrets by their path in it. */
function answerAsVault(mount: string, secrets: Record<string, object>, description?: string): void {
  const { answers } = source
  for (const [name, data] of Object.entries(secrets)) {
    const metadata = { version: 1, custom_metadata: description === undefined ? null : { description } }
    answers[`/v1/${mount}/data/${name}`] = { data: { data, metadata }, warnings: null }
    answers[`/v1/sys/internal/ui/mounts/${mount}/${name}`] = {
      data: { path: `${mount}/`, type: 'kv', options: { version: '2' } },
    }
  }
}

describe('Vault', () => {
  const at = ['--path', 'teams/kv/shop/prod'] as const
  const secrets = { 'shop/prod': { PORT: 5432, RATIO: 0.5, DEBUG: true, TAGS: ['a'], URL: canary, EMPTY: '' } }

  test('names, types and descriptions come along, and nothing is written twice', async () => {
    answerAsVault('teams/kv', secrets, 'Of the shop')
    const dry = await run('vault', ...at, '--dry-run')
    expect(dry).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('PORT\tcreate\tteams/kv/shop/prod (int64)\n'),
    })
    expect(await cli.run('list', '--stage', stage)).toMatchObject({ status: 5 })
    expect(await run('vault', ...at, '--create', '--yes')).toMatchObject({ status: 0 })
    const description = 'Of the shop'
    const { variables } = (await listed()) as { variables: object[] }
    expect(variables).toMatchObject([
      { name: 'DEBUG', declaredType: 'boolean', description },
      { name: 'EMPTY', description },
      { name: 'PORT', declaredType: 'int64', description },
      { name: 'RATIO', declaredType: 'float', description },
      { name: 'TAGS', declaredType: 'json', description },
      { name: 'URL', description },
    ])
    expect(await pulled()).toEqual({ DEBUG: 'true', EMPTY: '', PORT: '5432', RATIO: '0.5', TAGS: '["a"]', URL: canary })
    const again = await run('vault', ...at, '--yes', '--json')
    expect(JSON.parse(again.stdout)).toMatchObject({ revision: 1, unmapped: [] })
    answerAsVault('teams/kv', { 'shop/prod': { ...secrets['shop/prod'], PORT: 5433 } }, description)
    expect((await run('vault', ...at, '--yes')).stderr).toContain('Wrote 1 variable to ')
  })

  test('a folder gives names of paths, and two secrets never one name', async () => {
    // Without an answer about the mount, which a token need not see.
    answerAsVault('secret', { 'shop/db': { USER: 'u' }, 'shop/mail/smtp': { HOST: 'h' } })
    source.answers['/v1/secret/metadata/shop/'] = { data: { keys: ['db', 'mail/', 'old'] } }
    source.answers['/v1/secret/metadata/shop/mail/'] = { data: { keys: ['smtp'] } }
    const args = ['--path', 'secret/shop/', '--create', '--yes'] as const
    expect(await run('vault', ...args)).toMatchObject({
      status: 0,
      stdout: 'db_USER\tcreate\tsecret/shop/db\nmail_smtp_HOST\tcreate\tsecret/shop/mail/smtp\n',
      stderr: expect.stringContaining('secret/shop/old is left out: its last version is deleted.\n'),
    })
    answerAsVault('secret', { 'shop/mail_smtp': { HOST: 'other' } })
    source.answers['/v1/secret/metadata/shop/'] = { data: { keys: ['mail/', 'mail_smtp'] } }
    expect(await run('vault', ...args)).toMatchObject({ status: 6, stderr: expect.stringContaining('the same name') })
  })

  test('the Vault protocol of this service is a source, and what it leaves out is said', async () => {
    const from = tenantAt(cli.tenant, { stageSlug: 'door' })
    const half = { kind: 'ab_roll', name: 'HALF', valueA: 'a', valueB: 'b', chance: 0.5 }
    await write(testEnv, from, [secret('A', 'a'), half])
    const { token } = await newServiceToken(testEnv, from, { role: 'reader' })
    cli.env['VAULT_TOKEN'] = token
    const door = ['--address', `${testEnv.app.url}/vault`, '--path', `${from.at.projectSlug}/door`]
    const ended = await run('vault', ...door, '--create', '--yes')
    expect(ended).toMatchObject({ status: 0, stdout: 'A\tcreate\tshop/door\n' })
    expect(ended.stderr).toContain('"HALF" is left out')
    expect(await pulled()).toEqual({ A: 'a' })
  })

  test.each<[string, number | object | undefined, string, number, string]>([
    ['a refused token', 403, 'secret/app', 4, 'SOURCE_REFUSED: Vault at ADDRESS refused the token of VAULT_TOKEN for'],
    ['a path without a secret', undefined, 'secret/app', 5, 'SOURCE_NOT_FOUND: There is no secret secret/app, or'],
    ['a folder without secrets', undefined, 'secret/app/', 5, 'SOURCE_NOT_FOUND: There are no secrets in secret/app/'],
    [
      'a page',
      200,
      'secret/app',
      6,
      'INVALID_IMPORT: Vault at ADDRESS: It answered with a page of HTML (expected JSON)',
    ],
    ['a redirect', 307, 'secret/app', 6, 'INVALID_IMPORT: Vault at ADDRESS redirects. Use the address of the service'],
    ['a sealed Vault', 503, 'secret/app', 8, 'UNREACHABLE: Vault at ADDRESS answered 503'],
    ['null', { data: { data: { A: null }, metadata: {} } }, 'secret/app', 6, 'secret/app, key A: null is not a value'],
    ['other JSON', { data: [canary] }, 'secret/app', 6, 'secret/app: Expected an answer of Vault'],
    ['no path', undefined, 'secret', 2, 'USAGE: --path names no secret (expected MOUNT/PATH'],
  ])('says what is wrong and what to do: %s', async (_, answer, secretPath, status, message) => {
    if (answer !== undefined) source.answers['/v1/secret/data/app'] = answer
    const ended = await run('vault', '--path', secretPath, '--create', '--yes')
    expect(ended).toMatchObject({ status, stdout: '' })
    expect(ended.stderr.replaceAll(source.url, 'ADDRESS')).toContain(message)
    expect(await cli.run('list', '--stage', stage)).toMatchObject({ status: 5 })
  })

  test('version 1 of the engine is refused with another way', async () => {
    source.answers['/v1/sys/internal/ui/mounts/kv/app'] = { data: { path: 'kv/', type: 'kv', options: null } }
    const ended = await run('vault', '--path', 'kv/app')
    expect(ended).toMatchObject({ status: 6, stderr: expect.stringContaining('kv/ is not version 2 of the KV engine') })
  })
})

describe('Unleash', () => {
  test('flags become rolls, each other one is named, and nothing is written twice', async () => {
    source.answers['/api/client/features'] = flags
    const args = ['--address', `${source.url}/api/`, '--any-name', '--create', '--yes']
    const first = await run('unleash', ...args)
    expect(first.status, first.stderr).toBe(0)
    expect(source.seen).toEqual([{ path: '/api/client/features', authorization: canary }])
    expect(first.stdout).toContain('quarter\tcreate\t25%, seed: userId or sessionId\n')
    expect(first.stdout).toContain('semver\tunmapped\tSEMVER_GT of appVersion\n')
    expect(first.stderr).toContain('Users are drawn again')
    expect(first.stderr).toContain(`Wrote 19 variables to shop/${stage} (revision 1).`)
    expect(first.stderr).toContain('Left out 15 variables that would decide differently here.')
    // A token reads no plain values, only what programs decide by.
    const { token } = await newServiceToken(testEnv, cli.tenant, { name: 'ci' })
    expect((await run('unleash', ...args)).stderr).toContain('Nothing to write.')
    Object.assign(cli.env, { ROLLKEY_TOKEN: token, ROLLKEY_URL: testEnv.app.url })
    const again = await run('unleash', ...args, '--json')
    delete cli.env['ROLLKEY_TOKEN']
    delete cli.env['ROLLKEY_URL']
    expect(again.status, again.stderr).toBe(0)
    const { variables, unmapped, notes, revision } = JSON.parse(again.stdout)
    expect(notes).toEqual([expect.stringContaining('Users are drawn again')])
    expect(revision).toBe(1)
    expect(new Set(variables.map(({ change }: { change: string }) => change))).toEqual(new Set(['same']))
    expect(unmapped).toHaveLength(15)
    expect(unmapped).toContainEqual({ name: 'child', reasons: ['depends on quarter'] })
  })

  test('a proposal is made once', async () => {
    source.answers['/api/client/features'] = flags
    await write(testEnv, tenantAt(cli.tenant, { stageSlug: stage }), [secret('A', 'a')])
    const args = ['--any-name', '--yes', '--reason', 'From Unleash'] as const
    const first = await run('unleash', ...args)
    const [id = ''] = /chg_[\w-]+/.exec(first.stderr) ?? []
    expect(first.status, first.stderr).toBe(0)
    const second = await run('unleash', ...args)
    expect(second).toMatchObject({
      status: 6,
      stderr: expect.stringContaining(`ALREADY_PROPOSED: ${id} proposes the same`),
    })
    expect(await cli.run('change', 'apply', id)).toMatchObject({ status: 0 })
    expect(await run('unleash', ...args)).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('Nothing to write'),
    })
  })

  test.each<[string, number | object, number, string]>([
    ['a refused token', 401, 4, 'SOURCE_REFUSED: Unleash at ADDRESS refused the token of UNLEASH_TOKEN for api/client'],
    ['its pages', 200, 6, 'INVALID_IMPORT: Unleash at ADDRESS: It answered with a page of HTML (expected JSON)'],
    ['other JSON', { features: [canary] }, 6, 'INVALID_IMPORT: Unleash: Expected its answer to SDKs, a list of flags'],
    ['no flags', { features: [] }, 6, 'INVALID_IMPORT: Unleash: The project and environment of UNLEASH_TOKEN have no'],
  ])('says what is wrong and what to do: %s', async (_, answer, status, message) => {
    source.answers['/api/client/features'] = answer
    const ended = await run('unleash')
    expect(ended).toMatchObject({ status, stdout: '' })
    expect(ended.stderr.replaceAll(source.url, 'ADDRESS')).toContain(message)
  })
})

test.each([
  ['vault', 'from-other-stores.md', 'URL\tcreate\tsecret/shop/prod\n'],
  ['unleash', 'from-unleash.md', 'for-all\tcreate\t100%\n'],
])('the command of the documentation reads %s', async (from, page, row) => {
  const text = readFileSync(path.join(import.meta.dirname, '../../../../docs', page), 'utf8').replaceAll(/\\\n\s*/g, '')
  const [, line = ''] = new RegExp(`^rollkey (import --from ${from} .+)$`, 'm').exec(text) ?? []
  const args = line.split(' ').map((word) => (word.startsWith('https://') ? source.url : word))
  answerAsVault('secret', { 'shop/prod': { URL: canary } })
  source.answers['/api/client/features'] = flags
  const ended = await cli.run(...args)
  expect(ended).toMatchObject({ status: 0, stdout: expect.stringContaining(row) })
})

describe('arguments', () => {
  test.each([
    [['--from', 'unleash'], '--address is missing'],
    [['--path', 'secret/a'], '--address is missing'],
    [[], 'FILE is missing'],
    [['.env', '--from', 'vault', '--address', 'https://vault.test'], 'FILE and --address do not go together'],
    [['--address', 'https://vault.test'], '--address needs --from (expected vault or unleash)'],
    [['--from', 'unleash', '--address', 'https://u.test', '--path', 'a/b'], '--path is only for --from vault'],
    [
      ['--from', 'unleash', '--address', 'u.test'],
      '--address: the address begins without http or https. Write https://u.test',
    ],
    [['--from', 'unleash', '--address', 'https://a:canary@u.test'], '--address: invalid address (expected one'],
    [['--from', 'unleash', '--address', 'http://u.test'], 'http://u.test is plain http to another machine'],
  ])('%j is refused', async (args, message) => {
    const ended = await cli.run('import', ...args, '--stage', stage)
    expect(ended).toMatchObject({ status: 2, stdout: '' })
    expect(ended.stderr).toMatch(/^USAGE: /)
    expect(ended.stderr).toContain(message)
    expect(ended.stderr).not.toContain('canary')
  })

  test('a token is necessary', async () => {
    cli.env['VAULT_TOKEN'] = ''
    expect((await run('vault', '--path', 'secret/a')).stderr).toContain(
      'USAGE: VAULT_TOKEN is not set (expected a token of',
    )
  })
})
