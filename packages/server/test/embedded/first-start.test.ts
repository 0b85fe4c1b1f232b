/** The way from an empty data directory to the first account, once, through a link or a command. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEntries } from '../../testkit/audit.ts'
import { startTestApp } from '../../testkit/app.ts'
import { TestClient } from '../../testkit/client.ts'
import { temporaryFolder } from '../../testkit/folder.ts'
import { isLong } from '../../testkit/long.ts'
import { goodPassword, inLink, Person, setUp } from '../../testkit/person.ts'
import { programName, runMain, startProcess } from '../../testkit/process.ts'
import { onPostgres, queryIdentity } from '../../testkit/store.ts'

/** A folder that does not exist yet. */
let dataDir: string

beforeEach(() => {
  dataDir = path.join(temporaryFolder(), 'data')
})

function admin(...args: string[]): ReturnType<typeof runMain> {
  return runMain({ DATA_DIR: dataDir }, args)
}

interface SetUp {
  readonly email: string
  readonly idpUserId: string
  readonly orgSlug: string
  readonly passwordLink: string
  readonly accessToken: string
  readonly refreshToken: string
}

async function setUpByCommand(...args: string[]): Promise<SetUp> {
  const { stdout, stderr, code } = await admin('setup', ...args)
  expect({ code, stderr: stderr.includes('rror') ? stderr : '' }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout) as SetUp
}

const form = { name: 'Ada', password: goodPassword, organizationName: 'Acme Inc.', organizationSlug: 'acme' }

test.each(['/proc/rollkey', '/proc/rollkey/data', '/dev/null/data'])(
  'a data directory that cannot be created is refused with an explanation: %s',
  async (folder) => {
    const { code, stderr } = await runMain({ DATA_DIR: folder }, [])
    expect(stderr).toMatch(
      new RegExp(
        `^The data directory ${folder} cannot be used \\(E[A-Z]+\\): make it a folder that this user can write to\\.\n`,
        'm',
      ),
    )
    expect(code).toBe(1)
  },
)

test('npm run admin without a command lists the commands and starts no server', async () => {
  const { stdout, code } = await runMain({ DATA_DIR: dataDir }, ['--admin'])
  expect(code).toBe(0)
  expect(stdout).toContain('setup [options] <EMAIL> <ORG>')
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
  expect(scripts['admin']).toMatch(/ --admin$/)
  expect(existsSync(dataDir)).toBe(false)
})

test('the first start prints URLs at which passkeys work, and the address at which it listens', async () => {
  const server = await startProcess({ DATA_DIR: dataDir })
  const { port, host } = new URL(server.url)
  const serving = server
    .output()
    .split('\n')
    .find((line) => line.includes('"msg":"serving"'))
  expect(JSON.parse(serving ?? '')).toMatchObject({ url: `http://localhost:${port}`, address: host })
})

test.each([
  ['names the key that it made and that has to be backed up', undefined],
  ['names no key if the settings have it', Buffer.alloc(32, 1).toString('base64')],
])('the first start %s', async (_, MASTER_KEY) => {
  const server = await startProcess({ DATA_DIR: dataDir, ...(MASTER_KEY !== undefined && { MASTER_KEY }) })
  await server.setupLink()
  const text = `Back up ${path.join(dataDir, 'master.key')}, and store it apart`
  expect(server.output().includes(text)).toBe(MASTER_KEY === undefined)
})

describe('the setup link', () => {
  test.runIf(isLong)('is the last line of the first start, and not of the next one', async () => {
    const server = await startProcess({ DATA_DIR: dataDir })
    const port = new URL(server.url).port
    const link = await server.setupLink()
    expect(link).toMatch(new RegExp(`^http://localhost:${port}/setup#token=[A-Za-z0-9_-]{43}$`))
    const owner = await setUp({ url: server.url, setupLink: link })
    expect((await owner.get('/get-session')).body.user).toMatchObject({ email: owner.email, name: 'Ada' })
    await server.end('SIGTERM')
    const next = await startProcess({ DATA_DIR: dataDir })
    expect(next.output().trimEnd().split('\n').at(-1)).toContain('"msg":"serving"')
  })

  test('creates one account and one organization for 64 concurrent requests', async () => {
    const { url, setupLink } = await startTestApp()
    const token = inLink(setupLink, 'token')
    const people = Array.from({ length: 64 }, () => new Person(url))
    const answers = await Promise.all(
      people.map((one, index) =>
        one.post('/links/setup', { ...form, token, email: one.email, organizationSlug: `acme-${index}` }),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 410)).toHaveLength(63)
    const winner = people[answers.findIndex(({ status }) => status === 200)]
    expect((await winner?.get('/organization/list'))?.body).toHaveLength(1)
  })

  test('is not used up by input errors', async () => {
    const { url, setupLink } = await startTestApp()
    const owner = new Person(url)
    const right = { ...form, token: inLink(setupLink, 'token'), email: owner.email }
    for (const wrong of [
      { password: 'too short' },
      { password: 'x'.repeat(129) },
      { email: 'ada' },
      { name: ' ' },
      { organizationName: '' },
      { organizationSlug: 'Acme Inc.' },
      { token: 'wrong' },
    ]) {
      expect((await owner.post('/links/setup', { ...right, ...wrong })).status, JSON.stringify(wrong)).not.toBe(200)
    }
    expect((await owner.post('/links/setup', right)).status).toBe(200)
  })

  test.runIf(isLong)(
    'is void after an hour, after a newer link, and after an account was created another way',
    async () => {
      const started = await startTestApp({ SIGN_UP: 'open' })
      const { url, dataDir: folder } = started
      const use = async (link: string | undefined): Promise<number> => {
        const person = new Person(url)
        return (await person.post('/links/setup', { ...form, token: inLink(link, 'token'), email: person.email }))
          .status
      }
      const { stdout } = await runMain({ DATA_DIR: folder }, ['setup-link'])
      const { setupLink: newer } = JSON.parse(stdout) as { setupLink: string }
      expect(await use(started.setupLink)).toBe(410)
      await queryIdentity(folder, 'update verification set "expiresAt" = $1', new Date().toISOString())
      expect(await use(newer)).toBe(410)
      const { stdout: again } = await runMain({ DATA_DIR: folder }, ['setup-link'])
      const person = new Person(url)
      await person.must('/sign-up/email', { name: 'Eve', email: person.email, password: goodPassword })
      expect(await use((JSON.parse(again) as { setupLink: string }).setupLink)).toBe(410)
    },
  )
})

describe('settings of the first start', () => {
  const settings = { SETUP_EMAIL: 'Ada@example.com', SETUP_ORG: 'acme' }

  function fileWith(text: string): string {
    const file = path.join(temporaryFolder(), 'file')
    writeFileSync(file, text)
    return file
  }

  async function organizationsOf(url: string, password: string): Promise<{ slug: string; name: string }[]> {
    const ada = new Person(url, 'ada@example.com')
    expect((await ada.signIn(password)).status).toBe(200)
    return (await ada.get('/organization/list')).body as { slug: string; name: string }[]
  }

  test('create the first account with its password, and print no secret', async () => {
    const SETUP_PASSWORD_FILE = fileWith(`${goodPassword}\n`)
    const server = await startProcess({
      DATA_DIR: dataDir,
      ...settings,
      SETUP_ORG_NAME: 'Acme Inc.',
      SETUP_PASSWORD_FILE,
    })
    expect(await organizationsOf(server.url, goodPassword)).toMatchObject([{ slug: 'acme', name: 'Acme Inc.' }])
    expect(server.output()).toContain('created the first account and its organization')
    expect(server.output()).not.toContain('#token=')
    expect(server.output()).not.toContain(goodPassword)
    const ada = new Person(server.url, 'ada@example.com')
    await ada.signIn()
    expect(await auditEntries(new TestClient(server.url), 'acme', await ada.token('acme'))).toMatchObject([
      { action: 'organization.create', actor: 'operator' },
      { action: 'member.add', actor: 'operator' },
      { action: 'sign-in' },
      { action: 'sign-in' },
    ])
  })

  test('refuse a common password, until there is an account', async () => {
    const common = { ...settings, SETUP_PASSWORD: 'Welcome2026!' }
    await expect(startTestApp(common, { dataDir })).rejects.toThrow(
      'ROLLKEY_SETUP_PASSWORD is among the passwords that attackers try first: choose another one, such as several words.',
    )
    const first = await startTestApp({ ...settings, SETUP_PASSWORD: goodPassword }, { dataDir })
    await first.stop()
    const later = await startTestApp(common, { dataDir })
    expect(later.log.join('')).toContain('settings for the first start (ROLLKEY_SETUP_…) changed nothing')
  })

  test('change nothing at a later start, which says so', async () => {
    const first = await startTestApp({ ...settings, SETUP_PASSWORD: goodPassword })
    await first.stop()
    const other = { SETUP_EMAIL: 'eve@example.com', SETUP_ORG: 'other', SETUP_PASSWORD: 'another good password' }
    const second = await startTestApp(other, { dataDir: first.dataDir })
    expect(await organizationsOf(second.url, goodPassword)).toMatchObject([{ slug: 'acme' }])
    expect((await new Person(second.url, 'eve@example.com').signIn(other.SETUP_PASSWORD)).status).toBe(401)
    expect(second.log.join('')).toContain('settings for the first start (ROLLKEY_SETUP_…) changed nothing')
    expect(second.log.join('')).not.toContain('created the first account')
  })

  test('without a password, print a link that sets it', async () => {
    const server = await startProcess({ DATA_DIR: dataDir, ...settings })
    const token = inLink(await server.setupLink(), 'token')
    expect(server.output()).toContain('set the password of the first account:')
    const ada = new Person(server.url, 'ada@example.com')
    await ada.must('/reset-password', { token, newPassword: goodPassword })
    expect((await ada.post('/reset-password', { token, newPassword: goodPassword })).status).toBe(410)
    expect(await organizationsOf(server.url, goodPassword)).toMatchObject([{ slug: 'acme', name: 'acme' }])
  })

  test.each([
    ['that sets the password', settings, '/reset'],
    ['that creates the account', {}, '/setup'],
  ])('write the link %s to a file that only its owner can read', async (_, more, page) => {
    const file = path.join(temporaryFolder(), 'link')
    const app = await startTestApp({ ...more, SETUP_LINK_PATH: file })
    const link = readFileSync(file, 'utf8')
    expect(link).toMatch(new RegExp(`^http://localhost:\\d+${page}\\S*#token=[\\w-]+\n$`))
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(app.setupLink).toBeUndefined()
    expect(app.log.join('')).toContain('wrote the one-time link')
    expect(app.log.join('')).not.toContain('#token=')
  })

  test('replace the link of an earlier start, and no other file', async () => {
    const file = fileWith('my notes')
    const refused = startTestApp({ SETUP_LINK_PATH: file })
    await expect(refused).rejects.toThrow('is not a link of an earlier start: name a new file.')
    expect(readFileSync(file, 'utf8')).toBe('my notes')
    writeFileSync(file, 'http://localhost:8787/setup#token=old\n')
    await startTestApp({ SETUP_LINK_PATH: file })
    expect(readFileSync(file, 'utf8')).not.toContain('#token=old')
  })

  test('stop the start before anything is written if they are wrong', async () => {
    const { code, stderr } = await runMain({ DATA_DIR: dataDir, SETUP_LINK_PATH: '/proc/rollkey/link' }, [])
    expect([code, stderr]).toEqual([
      1,
      'ROLLKEY_SETUP_LINK_PATH cannot be written (ENOENT): name a file in a folder that this user can write to.\n',
    ])
    expect(existsSync(dataDir)).toBe(false)
  })
})

describe('the setup command', () => {
  test('creates a user, an organization and working tokens without a running server', async () => {
    const made = await setUpByCommand('Ada@example.com', 'acme')
    expect(made).toMatchObject({ email: 'ada@example.com', orgSlug: 'acme' })
    const server = await startProcess({ DATA_DIR: dataDir })
    const client = new TestClient(server.url)
    const session = await client.must('session', {}, { token: made.accessToken })
    expect(session).toMatchObject({ orgSlug: 'acme' })
    expect((await client.refresh(made.refreshToken)).status).toBe(200)
    expect(server.output()).not.toContain('#token=')
    const operator = { actor: 'operator', how: 'operator' }
    expect(await auditEntries(client, 'acme', made.accessToken)).toMatchObject([
      { ...operator, action: 'organization.create' },
      { ...operator, action: 'member.add', facts: { userId: made.idpUserId, role: 'owner' } },
      {
        ...operator,
        action: 'setup',
        facts: { sessionId: expect.stringMatching(/^ses_/), userId: made.idpUserId },
      },
      { action: 'session.refresh', actor: made.idpUserId, client: 'cli session rollkey-server setup' },
    ])
  })

  test('in a running server, voids the setup link and returns a password link', async () => {
    const server = await startProcess({ DATA_DIR: dataDir })
    const link = await server.setupLink()
    const { passwordLink } = await setUpByCommand('ada@example.com', 'acme')
    const ada = new Person(server.url, 'ada@example.com')
    const late = { ...form, token: inLink(link, 'token'), email: 'eve@example.com' }
    expect((await ada.post('/links/setup', late)).status).toBe(410)
    await ada.must('/reset-password', { token: inLink(passwordLink, 'token'), newPassword: goodPassword })
    // The link works once, also if there was no password before.
    const again = { token: inLink(passwordLink, 'token'), newPassword: 'another good password' }
    expect((await ada.post('/reset-password', again)).status).toBe(410)
    expect((await ada.signIn()).status).toBe(200)
    expect((await ada.get('/organization/list')).body).toMatchObject([{ slug: 'acme' }])
  })

  test.runIf(isLong)('creates nothing twice, and a second organization on request', async () => {
    const first = await setUpByCommand('ada@example.com', 'acme')
    const again = await setUpByCommand('ADA@example.com', 'acme')
    expect({ ...again, accessToken: '', refreshToken: '' }).toMatchObject({ orgSlug: 'acme', email: first.email })
    const { passwordLink } = await setUpByCommand('ada@example.com', 'other')
    const server = await startProcess({ DATA_DIR: dataDir })
    const ada = new Person(server.url, 'ada@example.com')
    await ada.must('/reset-password', { token: inLink(passwordLink, 'token'), newPassword: goodPassword })
    await ada.signIn()
    const slugs = ((await ada.get('/organization/list')).body as { slug: string }[]).map(({ slug }) => slug)
    expect(slugs.toSorted()).toEqual(['acme', 'other'])
  })

  // The messages do not depend on the store.
  test.runIf(isLong && !onPostgres)('is refused with an explanation if its arguments are not valid', async () => {
    await setUpByCommand('ada@example.com', 'acme')
    const refusals: [string[], number, string][] = [
      [['setup'], 2, `USAGE: missing required argument 'EMAIL'; try: ${programName} setup --help`],
      [['setup', 'ada', 'acme'], 2, 'USAGE: Invalid EMAIL (expected an address such as ada@example.com)'],
      [['setup', 'ada@example.com', 'Acme Inc.'], 2, 'USAGE: Invalid ORG (expected 1 to 63 lowercase letters, digits'],
      [['reset-link', 'eve@example.com'], 5, 'NOT_FOUND: No account has this email address'],
      [['setup-link'], 6, 'CONFLICT: An account already exists: sign in, or print a password link; try: '],
    ]
    for (const [args, status, sentence] of refusals) {
      const { code, stderr } = await admin(...args)
      expect(code).toBe(status)
      expect(stderr).toContain(sentence)
    }
  })

  test('is refused if an external provider keeps the accounts', async () => {
    const settings = { DATA_DIR: path.join(dataDir, 'external'), IDP_ISSUER: 'https://idp.example.com' }
    for (const args of [
      ['setup', 'ada@example.com', 'acme'],
      ['set-email', 'ada@example.com', 'ada@example.org'],
    ]) {
      const { code, stderr } = await runMain(settings, args)
      expect(code).toBe(2)
      expect(stderr).toContain('This installation uses an external identity provider (ROLLKEY_IDP_ISSUER)')
    }
  })
})
