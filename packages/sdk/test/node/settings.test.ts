import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { Ajv } from 'ajv'
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openCredentials, resolveSettings, writeProjectFile } from '../../src/node/index.ts'
import { useFolder } from '../../../server/testkit/folder.ts'

const root = realpathSync(useFolder())
const below = path.join(root, 'packages', 'shop')
const file = path.join(root, 'rollkey.json')
/** The folder of the logins. */
const folder = { ROLLKEY_CONFIG_DIR: path.join(root, 'config') }

beforeEach(() => {
  rmSync(root, { recursive: true, force: true })
  mkdirSync(below, { recursive: true })
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

function resolve(env: Record<string, string> = {}, flags = {}) {
  return resolveSettings({ env: { ...folder, ...env }, flags, cwd: below })
}

/** Returns the message of the INVALID_SETTING that `resolve` throws. */
function refusal(env: Record<string, string> = {}, flags = {}): string {
  let refused: unknown
  try {
    resolve(env, flags)
  } catch (error) {
    refused = error
  }
  expect(refused).toMatchObject({ name: 'RollkeyError', code: 'INVALID_SETTING' })
  return (refused as Error).message
}

test('flags win over the environment, which wins over rollkey.json, and only the address has a default', () => {
  const all = { url: 'https://file.example', org: 'file', project: 'file' }
  writeFileSync(file, JSON.stringify(all))
  expect(resolve({ ROLLKEY_ORG: 'env', ROLLKEY_PROJECT: 'env' }, { project: 'flag' })).toEqual({
    url: { value: 'https://file.example', source: file },
    org: { value: 'env', source: 'environment ROLLKEY_ORG' },
    project: { value: 'flag', source: 'flag --project' },
    stage: undefined,
    isUrlOfFile: true,
    notices: [],
  })
  rmSync(file)
  expect(resolve().url).toEqual({ value: 'http://localhost:8787', source: 'default' })
})

test('an address comes from the file alone only if no other source gives it', () => {
  writeFileSync(file, JSON.stringify({ url: 'https://file.example' }))
  expect(resolve().isUrlOfFile).toBe(true)
  expect(resolve({ ROLLKEY_URL: 'https://file.example' }).isUrlOfFile).toBe(false)
  expect(resolve({}, { url: 'https://file.example' }).isUrlOfFile).toBe(false)
  expect(resolveSettings({ env: folder, cwd: below, config: '../../rollkey.json' })).toMatchObject({
    url: { value: 'https://file.example', source: file },
    isUrlOfFile: false,
  })
  writeFileSync(file, JSON.stringify({ url: 'http://127.0.0.1:8787' }))
  expect(resolve().isUrlOfFile).toBe(true)
  writeFileSync(file, JSON.stringify({ url: 'http://localhost:8787/' }))
  expect(resolve().isUrlOfFile).toBe(false)
})

describe('without an address', () => {
  async function logIn(url: string, orgSlug: string): Promise<void> {
    const tokens = { accessToken: 'a', refreshToken: 'r', accessTokenExpiresAtMs: 1, refreshTokenExpiresAtMs: 1 }
    await openCredentials({ env: folder }).save({ url, orgSlug, ...tokens })
  }

  test('the only login states it and the organization', async () => {
    await logIn('https://one.example', 'acme')
    const url = { value: 'https://one.example', source: 'login' }
    expect(resolve()).toMatchObject({ url, org: { value: 'acme', source: 'login' }, isUrlOfFile: false })
    expect(resolve({}, { org: 'other' })).toMatchObject({ url, org: { value: 'other', source: 'flag --org' } })
  })

  test.each([
    ['a flag', {}, { url: 'https://flag.example' }, 'https://flag.example'],
    ['the environment', { ROLLKEY_URL: 'https://env.example' }, {}, 'https://env.example'],
    ['a token of the environment', { ROLLKEY_TOKEN: 'svc_st_x' }, {}, 'http://localhost:8787'],
    ['a trust of the environment', { ROLLKEY_TRUST: 'tru_x' }, {}, 'http://localhost:8787'],
  ])('%s wins over logins', async (_, env, flags, url) => {
    await logIn('https://one.example', 'acme')
    await logIn('https://two.example', 'acme')
    expect(resolve(env, flags)).toMatchObject({ url: { value: url }, org: undefined })
  })

  test('rollkey.json wins over logins', async () => {
    await logIn('https://one.example', 'acme')
    writeFileSync(file, JSON.stringify({ url: 'https://file.example' }))
    expect(resolve()).toMatchObject({ url: { value: 'https://file.example' }, org: undefined })
  })

  test('logins to several organizations of one service state only it, and those to several services are named', async () => {
    await logIn('https://one.example', 'acme')
    await logIn('https://one.example', 'other')
    expect(resolve()).toMatchObject({ url: { value: 'https://one.example' }, org: undefined })
    await logIn('https://two.example', 'acme')
    expect(refusal()).toBe(
      'You are logged in to https://one.example, https://two.example: choose one with connect({ url }), ROLLKEY_URL or rollkey.json.',
    )
  })
})

describe('a rollkey.json that others could have written', () => {
  const near = path.join(below, 'rollkey.json')
  const isRoot = process.getuid?.() === 0

  beforeEach(() => {
    writeFileSync(file, '{"stage":"mine"}')
    writeFileSync(near, '{"stage":"theirs"}')
  })

  test('is ignored with a notice if all users can write to it', () => {
    chmodSync(near, 0o666)
    const { stage, notices } = resolve()
    expect(stage?.value).toBe('mine')
    expect(notices).toEqual([
      `Ignored ${near}: other users can write to it. To use it anyway, pass connect({ config }).`,
    ])
    expect(resolveSettings({ env: folder, cwd: below, config: near })).toMatchObject({
      stage: { value: 'theirs' },
      notices: [],
    })
  })

  test.runIf(isRoot)('is used if it belongs to root, for any user', () => {
    vi.spyOn(process, 'getuid').mockReturnValue(12_345)
    onTestFinished(() => void vi.restoreAllMocks())
    expect(resolve()).toMatchObject({ stage: { value: 'theirs' }, notices: [] })
  })

  test('is used if the group of this user can write to it', () => {
    chmodSync(near, 0o664)
    expect(resolve()).toMatchObject({ stage: { value: 'theirs' }, notices: [] })
  })

  test.runIf(isRoot)('is ignored if another group can write to it', () => {
    chmodSync(near, 0o664)
    chownSync(near, 0, 12_345)
    expect(resolve()).toMatchObject({ stage: { value: 'mine' }, notices: [expect.stringContaining('can write')] })
  })

  test.runIf(isRoot)('is ignored if it, or a link to it, belongs to another user', () => {
    chownSync(near, 12_345, 12_345)
    const expected = { stage: { value: 'mine' }, notices: [expect.stringContaining('belongs to another user')] }
    expect(resolve()).toMatchObject(expected)
    rmSync(near)
    symlinkSync(file, near)
    execFileSync('chown', ['-h', '12345', near])
    expect(resolve()).toMatchObject(expected)
    rmSync(near)
    const foreign = path.join(root, 'foreign.json')
    writeFileSync(foreign, '{"stage":"theirs"}')
    chownSync(foreign, 12_345, 12_345)
    symlinkSync(foreign, near)
    expect(resolve()).toMatchObject(expected)
  })

  test('does not block if it is a named pipe', () => {
    rmSync(near)
    execFileSync('mkfifo', [near])
    expect(refusal()).toMatch(/expected JSON|cannot be read/)
  })

  test('is named in the error if --config names a missing file', () => {
    expect(() => resolveSettings({ env: folder, cwd: below, config: 'none.json' })).toThrow(
      `${path.join(below, 'none.json')} cannot be read (ENOENT).`,
    )
  })
})

describe('rollkey.json', () => {
  test('may name its JSON schema, which allows what the reader takes', () => {
    const schema = readFileSync(new URL('../../../../docs/rollkey.schema.json', import.meta.url), 'utf8')
    const validate = new Ajv().compile(JSON.parse(schema) as object)
    const content = {
      $schema: './rollkey.schema.json',
      url: 'https://file.example',
      org: 'o',
      project: 'p',
      stage: 's',
    }
    writeFileSync(file, JSON.stringify(content))
    expect(resolve()).toMatchObject({ org: { value: 'o' }, project: { value: 'p' }, stage: { value: 's' } })
    expect(validate(content)).toBe(true)
    const refused = [{ stage: 1 }, { stages: 'dev' }, [], { stage: '' }, { org: ' ' }]
    const addresses = ['ftp://x', 'x', 'https://ada@x', 'https://x?a', 'https://x/#a']
    for (const wrong of [...refused, ...addresses.map((url) => ({ url }))]) {
      writeFileSync(file, JSON.stringify(wrong))
      refusal()
      expect([wrong, validate(wrong)]).toEqual([wrong, false])
    }
    // The service refuses these.
    for (const slug of ['a b', '-a', 'a/b', 'a'.repeat(65)])
      expect([slug, validate({ project: slug }), validate({ stage: slug })]).toEqual([slug, false, false])
    for (const url of ['http://localhost:8787', 'https://[::1]/rollkey/']) expect(validate({ url })).toBe(true)
  })

  test('is the nearest one above', () => {
    writeFileSync(file, '{"stage":"far"}')
    expect(resolve().stage?.value).toBe('far')
    writeFileSync(path.join(below, 'rollkey.json'), '{"stage":"near"}')
    expect(resolve().stage?.value).toBe('near')
  })

  test.each(['folder', 'file of a worktree'])('is not searched for above a .git (%s)', (kind) => {
    const git = path.join(root, 'packages', '.git')
    if (kind === 'folder') mkdirSync(git)
    else writeFileSync(git, 'gitdir: elsewhere')
    writeFileSync(file, '{"stage":"outside"}')
    expect(resolve().stage).toBeUndefined()
    writeFileSync(path.join(root, 'packages', 'rollkey.json'), '{"stage":"beside"}')
    expect(resolve().stage?.value).toBe('beside')
  })

  test.each([
    ['{\n  "url": "https://a",\n}', /rollkey\.json, line 3: expected JSON/],
    ['{\n  "stage": prod\n}', /rollkey\.json: expected JSON \(Unexpected token 'p'/],
    ['["prod"]', /rollkey\.json must contain one JSON object with the fields url, org, project, stage/],
    ['{"stage":1}', /rollkey\.json: the field stage must be a string/],
    [
      '{"stages":"prod"}',
      /rollkey\.json has an unknown field "stages" \(expected url, org, project, stage\)\. Did you mean stage\?/,
    ],
    ['{"environment":"prod"}', /unknown field "environment" \(expected url, org, project, stage\)\.$/],
    ['{"stage":" "}', /rollkey\.json: a setting is empty/],
  ])('that is malformed is named in the error: %s', (text, message) => {
    writeFileSync(file, text)
    expect(refusal()).toMatch(message)
    expect(refusal()).toContain(root)
  })

  test('can be read after it was written', async () => {
    const fields = { url: 'https://rollkey.example', org: 'acme', project: 'shop', stage: 'dev' }
    expect(await writeProjectFile(root, fields)).toBe(file)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(fields)
    expect(resolve().stage).toEqual({ value: 'dev', source: file })
  })

  test.each([
    ['{"$schema":"./rollkey.schema.json","stage":"dev"}', './rollkey.schema.json'],
    ['{"stage":"dev"}', undefined],
    ['{"$schema":1}', undefined],
    ['null', undefined],
    ['not JSON', undefined],
  ])('keeps the $schema of the file that it replaces: %s', async (before, $schema) => {
    writeFileSync(file, before)
    await writeProjectFile(root, { stage: 'prod' })
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ stage: 'prod', ...($schema !== undefined && { $schema }) })
  })
})

test('an empty setting is an error and does not fall back to the next source', () => {
  writeFileSync(file, '{"stage":"dev"}')
  expect(refusal({ ROLLKEY_STAGE: '' })).toContain('environment ROLLKEY_STAGE: a setting is empty')
  expect(refusal({}, { stage: '' })).toContain('flag --stage: a setting is empty')
})

test('an address is normalized', () => {
  expect(resolve({ ROLLKEY_URL: 'HTTPS://Rollkey.Example:443/' }).url.value).toBe('https://rollkey.example')
  expect(resolve({ ROLLKEY_URL: 'https://example.com/rollkey/' }).url.value).toBe('https://example.com/rollkey')
})

test.each([
  ['localhost:8898', 'http://localhost:8898'],
  ['127.0.0.1:8787/', 'http://127.0.0.1:8787/'],
  ['[::1]:8787', 'http://[::1]:8787'],
  ['rollkey.example', 'https://rollkey.example'],
  ['rollkey:8787', 'https://rollkey:8787'],
])('an address without its protocol is refused with the whole one: %s', (url, whole) => {
  expect(refusal({ ROLLKEY_URL: url })).toBe(
    `environment ROLLKEY_URL: the address begins without http or https. Write ${whole}.`,
  )
})

test.each([
  'hunter2',
  'me:hunter2@a',
  'a.example/?key=hunter2',
  'ftp://a',
  'https://me:hunter2@a',
  'https://a/?key=hunter2',
  'https://a/#hunter2',
])('an address is refused and not quoted: %s', (url) => {
  expect(refusal({ ROLLKEY_URL: url })).toMatch(/^environment ROLLKEY_URL: invalid address \(expected/)
  expect(refusal({ ROLLKEY_URL: url })).not.toContain('hunter2')
})
