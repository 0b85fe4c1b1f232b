import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadKeychain, openCredentials, type Keychain, type Session } from '../../src/node/index.ts'
import { useFolder } from '../../../server/testkit/folder.ts'

const root = useFolder()

const url = 'https://rollkey.example'
const acme: Session = {
  url,
  orgSlug: 'acme',
  accessToken: 'svc_at_acme',
  refreshToken: 'svc_rt_acme',
  accessTokenExpiresAtMs: 1_000,
  refreshTokenExpiresAtMs: 2_000,
  snapshotKey: 'random',
}
const other: Session = { ...acme, orgSlug: 'other', accessToken: 'svc_at_other', refreshToken: 'svc_rt_other' }

let folders = 0

function newFolder(): { env: { ROLLKEY_CONFIG_DIR: string }; file: string } {
  const folder = path.join(root, String(++folders), 'rollkey')
  return { env: { ROLLKEY_CONFIG_DIR: folder }, file: path.join(folder, 'sessions.json') }
}

class TestKeychain implements Keychain {
  readonly secrets = new Map<string, string>()
  isLocked = false

  async get(account: string): Promise<string | undefined> {
    this.#open()
    return this.secrets.get(account)
  }

  async set(account: string, secret: string): Promise<void> {
    this.#open()
    this.secrets.set(account, secret)
  }

  async remove(account: string): Promise<void> {
    this.#open()
    this.secrets.delete(account)
  }

  #open(): void {
    if (this.isLocked) throw new Error('it is locked')
  }
}

describe('sessions', () => {
  test('get another random key for snapshots with each login, and keep it with each refresh', async () => {
    const credentials = openCredentials(newFolder())
    const { snapshotKey: _, ...login } = acme
    const keys: unknown[] = []
    for (let count = 0; count < 2; count++) {
      // oxlint-disable-next-line no-await-in-loop -- one login after the other
      await credentials.save(login)
      const stored = await credentials.find(url)
      keys.push(stored?.snapshotKey)
      // oxlint-disable-next-line no-await-in-loop -- one login after the other
      await credentials.replace(acme, stored && { ...stored, refreshToken: 'svc_rt_next' })
      // oxlint-disable-next-line no-await-in-loop -- one login after the other
      expect(await credentials.find(url)).toEqual({ ...stored, refreshToken: 'svc_rt_next' })
    }
    expect(keys).toEqual([expect.stringMatching(/^[\w-]{43}$/), expect.stringMatching(/^[\w-]{43}$/)])
    expect(keys[0]).not.toBe(keys[1])
  })

  test('exist once per organization and are found by address and slug', async () => {
    const credentials = openCredentials(newFolder())
    expect(credentials.list()).toEqual([])
    expect(await credentials.find(url)).toBeUndefined()
    await credentials.save(acme)
    expect(await credentials.find(url)).toEqual(acme)
    await Promise.all([credentials.save(other), credentials.save({ ...acme, accessToken: 'svc_at_new' })])
    expect(await credentials.find(url, 'acme')).toMatchObject({ accessToken: 'svc_at_new' })
    expect(await credentials.find('https://elsewhere.example', 'acme')).toBeUndefined()
    await expect(credentials.find(url)).rejects.toThrow(
      /several organizations at .*: (acme, other|other, acme)\. Choose one/,
    )
    await credentials.remove(url, 'acme')
    expect(credentials.list()).toEqual([{ url, orgSlug: 'other', tokensIn: 'file' }])
  })

  test('are checked for storage without storing any, and a locked keychain is a notice then', async () => {
    const keychain = new TestKeychain()
    const notices: string[] = []
    const { env, file } = newFolder()
    const credentials = openCredentials({ env, keychain, onNotice: (notice) => notices.push(notice) })
    await credentials.save(acme)
    const secrets = [...keychain.secrets]
    await credentials.check()
    expect([...keychain.secrets]).toEqual(secrets)
    expect(credentials.list()).toEqual([{ url, orgSlug: 'acme', tokensIn: 'keychain' }])
    keychain.isLocked = true
    await credentials.check()
    expect(notices).toEqual([
      'The keychain of this system cannot be used (it is locked), so tokens are stored in a file.',
    ])
    writeFileSync(file, 'damaged')
    await expect(credentials.check()).rejects.toMatchObject({ code: 'INVALID_SETTING' })
  })

  test('are replaced only if they are still stored', async () => {
    const credentials = openCredentials(newFolder())
    const next = { ...acme, refreshToken: 'svc_rt_next' }
    expect(await credentials.replace(acme, next)).toBeUndefined()
    expect(credentials.list()).toEqual([])
    await credentials.save(acme)
    expect(await credentials.replace(acme, next)).toEqual(next)
    expect(await credentials.replace(acme, undefined)).toEqual(next)
    expect(await credentials.find(url)).toEqual(next)
    expect(await credentials.replace(next, undefined)).toBeUndefined()
    expect(credentials.list()).toEqual([])
  })

  test('are in a file and a folder that only the owner can read, whatever the umask', () => {
    const { env, file } = newFolder()
    const script = path.join(import.meta.dirname, 'workers', 'save-session.ts')
    const { status } = spawnSync(
      'sh',
      ['-c', 'umask 000; exec "$0" "$@"', process.execPath, script, JSON.stringify(acme)],
      {
        env,
        stdio: 'inherit',
      },
    )
    expect(status).toBe(0)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700)
    expect(readdirSync(path.dirname(file))).toEqual(['sessions.json'])
  })

  test('are in the folder XDG_CONFIG_HOME unless that is relative', () => {
    expect(openCredentials({ env: { XDG_CONFIG_HOME: '/xdg' } }).file).toBe('/xdg/rollkey/sessions.json')
    expect(openCredentials({ env: { XDG_CONFIG_HOME: 'xdg' } }).file).toMatch(/\/\.config\/rollkey\/sessions\.json$/)
  })
})

describe('a file that is damaged', () => {
  test.each([
    ['no JSON', '{"version":1,"sessions":[{"accessToken":"svc_at_secret"'],
    ['another shape', '{"version":1,"sessions":[{"url":"a","orgSlug":"b","tokens":{"accessToken":"svc_at_secret"}}]}'],
    ['null', 'null'],
    ['empty', ''],
  ])('is named, not quoted, and left as is: %s', async (_, text) => {
    const { env, file } = newFolder()
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text)
    const credentials = openCredentials({ env })
    const attempts = [
      credentials.find(url),
      credentials.save(acme),
      credentials.remove(url, 'acme'),
      credentials.replace(acme, other),
    ]
    for (const { reason } of (await Promise.allSettled(attempts)) as PromiseRejectedResult[]) {
      expect(reason).toMatchObject({ code: 'INVALID_SETTING', cause: undefined })
      expect(reason.message).toBe(`${file}, which stores logins, is damaged. Remove it and run rollkey login.`)
    }
    expect(readFileSync(file, 'utf8')).toBe(text)
    expect(readdirSync(path.dirname(file))).toEqual(['sessions.json'])
  })

  test('or written by a newer version is left as is', async () => {
    const { env, file } = newFolder()
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, '{"version":2}')
    await expect(openCredentials({ env }).save(acme)).rejects.toThrow(/written by a newer Rollkey\. Update Rollkey,/)
    expect(readFileSync(file, 'utf8')).toBe('{"version":2}')
  })
})

test('a folder that is a file is named', async () => {
  const { env } = newFolder()
  mkdirSync(path.dirname(env.ROLLKEY_CONFIG_DIR), { recursive: true })
  writeFileSync(env.ROLLKEY_CONFIG_DIR, '')
  const saving = openCredentials({ env }).save(acme)
  await expect(saving).rejects.toMatchObject({ code: 'INVALID_SETTING' })
  await expect(saving).rejects.toThrow(/Logins cannot be stored in .* \(EEXIST\).*ROLLKEY_CONFIG_DIR/)
})

describe('a keychain', () => {
  test('stores the tokens, and the file only says so', async () => {
    const { env, file } = newFolder()
    const keychain = new TestKeychain()
    const credentials = openCredentials({ env, keychain })
    await credentials.save(acme)
    expect(await credentials.find(url)).toEqual(acme)
    expect(credentials.list()).toEqual([{ url, orgSlug: 'acme', tokensIn: 'keychain' }])
    expect(readFileSync(file, 'utf8')).not.toContain('svc_')
    expect(JSON.parse(readFileSync(file, 'utf8')).sessions).toEqual([{ url, orgSlug: 'acme', tokens: 'keychain' }])
    expect(await credentials.replace(acme, { ...acme, refreshToken: 'svc_rt_next' })).toBeDefined()
    expect(await credentials.find(url)).toMatchObject({ refreshToken: 'svc_rt_next' })
    await credentials.remove(url, 'acme')
    expect(keychain.secrets.size).toBe(0)
  })

  test('that fails is reported once, and the file is used', async () => {
    const { env } = newFolder()
    const keychain = new TestKeychain()
    keychain.isLocked = true
    const notices: string[] = []
    const credentials = openCredentials({ env, keychain, onNotice: (notice) => notices.push(notice) })
    await credentials.save(acme)
    await credentials.save(other)
    expect(notices).toEqual([
      'The keychain of this system cannot be used (it is locked), so tokens are stored in a file.',
    ])
    expect(await openCredentials({ env }).find(url, 'other')).toEqual(other)
    expect(credentials.list()).toMatchObject([{ tokensIn: 'file' }, { tokensIn: 'file' }])
  })

  test('that cannot be opened or is off requires a login, and a new login works', async () => {
    const { env } = newFolder()
    const keychain = new TestKeychain()
    await openCredentials({ env, keychain }).save(acme)
    keychain.isLocked = true
    const locked = openCredentials({ env, keychain }).find(url)
    await expect(locked).rejects.toMatchObject({ code: 'LOGIN_NEEDED' })
    await expect(locked).rejects.toThrow(
      /acme at .* are in the keychain of this system, which fails: it is locked\. Unlock/,
    )
    await expect(openCredentials({ env }).find(url)).rejects.toThrow(/which is not used here\. Unset ROLLKEY_KEYCHAIN/)
    await openCredentials({ env }).save(acme)
    expect(await openCredentials({ env }).find(url)).toEqual(acme)
  })

  test('that was emptied does not count as a login', async () => {
    const { env } = newFolder()
    const keychain = new TestKeychain()
    await openCredentials({ env, keychain }).save(acme)
    keychain.secrets.clear()
    expect(await openCredentials({ env, keychain }).find(url)).toBeUndefined()
  })

  test('is not loaded when it is off', async () => {
    expect(await loadKeychain({ ROLLKEY_KEYCHAIN: 'off' })).toBeUndefined()
  })
})
