import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { resolveSettings, writeProjectFile } from '../../src/node/index.ts'

const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'rollkey-settings-')))
const below = path.join(root, 'packages', 'shop')
const file = path.join(root, 'rollkey.json')

beforeEach(() => {
  rmSync(root, { recursive: true, force: true })
  mkdirSync(below, { recursive: true })
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

function resolve(env: Record<string, string> = {}, flags = {}) {
  return resolveSettings({ env, flags, cwd: below })
}

/** The message of the INVALID_SETTING that resolving gives. */
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

test('flags win over the environment, that over rollkey.json, and only the address has a default', () => {
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

test('an address is of the file alone only where nothing else gives it', () => {
  writeFileSync(file, JSON.stringify({ url: 'https://file.example' }))
  expect(resolve().isUrlOfFile).toBe(true)
  expect(resolve({ ROLLKEY_URL: 'https://file.example' }).isUrlOfFile).toBe(false)
  expect(resolve({}, { url: 'https://file.example' }).isUrlOfFile).toBe(false)
  expect(resolveSettings({ env: {}, cwd: below, config: '../../rollkey.json' })).toMatchObject({
    url: { value: 'https://file.example', source: file },
    isUrlOfFile: false,
  })
  writeFileSync(file, JSON.stringify({ url: 'http://127.0.0.1:8787' }))
  expect(resolve().isUrlOfFile).toBe(true)
  writeFileSync(file, JSON.stringify({ url: 'http://localhost:8787/' }))
  expect(resolve().isUrlOfFile).toBe(false)
})

describe('a rollkey.json that others could have written', () => {
  const near = path.join(below, 'rollkey.json')
  const isRoot = process.getuid?.() === 0

  beforeEach(() => {
    writeFileSync(file, '{"stage":"mine"}')
    writeFileSync(near, '{"stage":"theirs"}')
  })

  test('is passed over with a notice where all can write to it', () => {
    chmodSync(near, 0o666)
    const { stage, notices } = resolve()
    expect(stage?.value).toBe('mine')
    expect(notices).toEqual([
      `${near} is ignored: other users can write to it. To use it anyway, name it with --config.`,
    ])
    expect(resolveSettings({ env: {}, cwd: below, config: near })).toMatchObject({
      stage: { value: 'theirs' },
      notices: [],
    })
  })

  test.runIf(isRoot)('is used where it belongs to root, whoever this user is', () => {
    vi.spyOn(process, 'getuid').mockReturnValue(12_345)
    onTestFinished(() => void vi.restoreAllMocks())
    expect(resolve()).toMatchObject({ stage: { value: 'theirs' }, notices: [] })
  })

  test('is used where the group of this user can write to it', () => {
    chmodSync(near, 0o664)
    expect(resolve()).toMatchObject({ stage: { value: 'theirs' }, notices: [] })
  })

  test.runIf(isRoot)('is passed over where another group can write to it', () => {
    chmodSync(near, 0o664)
    chownSync(near, 0, 12_345)
    expect(resolve()).toMatchObject({ stage: { value: 'mine' }, notices: [expect.stringContaining('can write')] })
  })

  test.runIf(isRoot)('is passed over where it, or a link to it, belongs to another user', () => {
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

  test('keeps nobody waiting where it is a named pipe', () => {
    rmSync(near)
    execFileSync('mkfifo', [near])
    expect(refusal()).toMatch(/this is not JSON|cannot be read/)
  })

  test('is named where --config names one that is not there', () => {
    expect(() => resolveSettings({ env: {}, cwd: below, config: 'none.json' })).toThrow(
      `${path.join(below, 'none.json')} cannot be read (ENOENT).`,
    )
  })
})

describe('rollkey.json', () => {
  test('is the nearest one above', () => {
    writeFileSync(file, '{"stage":"far"}')
    expect(resolve().stage?.value).toBe('far')
    writeFileSync(path.join(below, 'rollkey.json'), '{"stage":"near"}')
    expect(resolve().stage?.value).toBe('near')
  })

  test.each(['folder', 'file of a worktree'])('is not looked for above a .git (%s)', (kind) => {
    const git = path.join(root, 'packages', '.git')
    if (kind === 'folder') mkdirSync(git)
    else writeFileSync(git, 'gitdir: elsewhere')
    writeFileSync(file, '{"stage":"outside"}')
    expect(resolve().stage).toBeUndefined()
    writeFileSync(path.join(root, 'packages', 'rollkey.json'), '{"stage":"beside"}')
    expect(resolve().stage?.value).toBe('beside')
  })

  test.each([
    ['{\n  "url": "https://a",\n}', /rollkey\.json, line 3: this is not JSON/],
    ['{\n  "stage": prod\n}', /rollkey\.json: this is not JSON \(Unexpected token 'p'/],
    ['["prod"]', /rollkey\.json must be one JSON object with the fields url, org, project, stage/],
    ['{"stage":1}', /rollkey\.json: the field stage must be a string/],
    ['{"stages":"prod"}', /rollkey\.json has an unknown field "stages"; did you mean stage\?/],
    ['{"environment":"prod"}', /unknown field "environment"; the fields are url, org, project, stage/],
    ['{"stage":" "}', /rollkey\.json: a setting is empty/],
  ])('that is wrong is refused by name: %s', (text, message) => {
    writeFileSync(file, text)
    expect(refusal()).toMatch(message)
    expect(refusal()).toContain(root)
  })

  test('is written so that it is read again', async () => {
    const fields = { url: 'https://rollkey.example', org: 'acme', project: 'shop', stage: 'dev' }
    expect(await writeProjectFile(root, fields)).toBe(file)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(fields)
    expect(resolve().stage).toEqual({ value: 'dev', source: file })
  })
})

test('what is empty is a mistake, not a wish for what comes next', () => {
  writeFileSync(file, '{"stage":"dev"}')
  expect(refusal({ ROLLKEY_STAGE: '' })).toContain('environment ROLLKEY_STAGE: a setting is empty')
  expect(refusal({}, { stage: '' })).toContain('flag --stage: a setting is empty')
})

test('an address has one form', () => {
  expect(resolve({ ROLLKEY_URL: 'HTTPS://Rollkey.Example:443/' }).url.value).toBe('https://rollkey.example')
  expect(resolve({ ROLLKEY_URL: 'https://example.com/rollkey/' }).url.value).toBe('https://example.com/rollkey')
})

test.each(['rollkey.example', 'ftp://a', 'https://me:hunter2@a', 'https://a/?key=hunter2', 'https://a/#hunter2'])(
  'an address is refused and not quoted: %s',
  (url) => {
    expect(refusal({ ROLLKEY_URL: url })).toMatch(/^environment ROLLKEY_URL: the address of the service must be like/)
    expect(refusal({ ROLLKEY_URL: url })).not.toContain('hunter2')
  },
)
