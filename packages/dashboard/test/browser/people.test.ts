/** Tests members and accounts in the browser. */
import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../server/testkit/app.ts'
import { totpAt } from '../../../server/testkit/authenticator.ts'
import { auditEntries } from '../../../server/testkit/audit.ts'
import { addPasskeyDevice, axeViolations, screenshot } from '../../../server/testkit/browser.ts'
import { useEmbeddedApp } from '../../../server/testkit/embedded.ts'
import { isLong } from '../../../server/testkit/long.ts'
import { goodPassword, invitation, invite, newAddress, Person } from '../../../server/testkit/person.ts'
import { queryIdentity } from '../../../server/testkit/store.ts'
import {
  confirmIdentity,
  expectHeading,
  expectText,
  field,
  openPage,
  openPageAs,
  press,
  useBrowser,
  signOut,
} from './steps.ts'

const app = useEmbeddedApp()
const browser = useBrowser()
/** A host name, because passkeys need one. */
let url: string
let page: Page

beforeAll(() => {
  url = app.url.replace('127.0.0.1', 'localhost')
})
beforeEach(async () => {
  page = (await openPageAs(app.owner, browser, url)).page
  await page.setExtraHTTPHeaders({ 'x-forwarded-for': newAddress() })
})

async function linkShown(label: string): Promise<string> {
  return page.getByLabel(label, { exact: true }).inputValue()
}

function row(person: Person) {
  return page.getByRole('row').filter({ hasText: person.email })
}

async function signInWith(its: Page, email: string): Promise<void> {
  await field(its, 'Email').fill(email)
  await field(its, 'Password').fill(goodPassword)
  await its.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Opens a browser page without a session, from a separate IP address, which may send few passwords in ten seconds. */
async function stranger(work: (page: Page) => Promise<void>): Promise<void> {
  const { page: theirs } = await openPage(browser, url)
  await theirs.setExtraHTTPHeaders({ 'x-forwarded-for': newAddress() })
  await work(theirs)
}

describe('members', () => {
  test('are removed: their command-line session and their browser token stop working at once', async () => {
    const grace = await invite(app.owner)
    const jwt = await grace.token()
    const { accessToken } = await app.client.login(jwt)
    const at = { orgSlug: 'acme', projectSlug: 'p', stageSlug: 's' }
    const call = async (token: string): Promise<string> => {
      const { status, body } = await app.client.call('list', at, { token })
      return status === 200 ? 'ok' : `${status} ${body.error.code}`
    }
    expect([await call(accessToken), await call(jwt)]).toEqual(['ok', 'ok'])
    await page.goto('/o/acme/members')
    await row(grace)
      .getByRole('button', { name: /^Actions for/ })
      .click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    const dialog = page.getByRole('dialog')
    await expect.poll(() => dialog.textContent()).toContain(grace.email)
    expect(await call(accessToken)).toBe('ok')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Remove/ })
      .click()
    await row(grace).waitFor({ state: 'detached' })
    expect(await call(accessToken)).toBe('403 ORG_SCOPE_INVALID')
    expect(await call(accessToken)).toBe('401 UNAUTHORIZED')
    expect(await call(jwt)).toBe('403 ORG_SCOPE_INVALID')
  })

  test('are invited by a link, and join with it', async () => {
    await page.goto('/o/acme/members')
    await press(page, 'Invite')
    await field(page, 'Email').fill('grace@example.com')
    await press(page, 'Create invitation link')
    const link = await linkShown('Invitation link')
    await press(page, 'Invite another person')
    await expect.poll(() => field(page, 'Email').inputValue()).toBe('')
    expect(link).toMatch(new RegExp(`^${url}/invitation#id=\\w+\\.[\\w-]{43}$`))
    await stranger(async (theirs) => {
      await theirs.goto(link)
      await expectHeading(theirs, 'Join Acme Inc.')
      await expect.poll(() => theirs.url()).toBe(`${url}/invitation`)
      await expect.poll(() => field(theirs, 'Email').inputValue()).toBe('grace@example.com')
      await field(theirs, 'Your name').fill('Grace Hopper')
      await field(theirs, 'Password').fill(goodPassword)
      await press(theirs, 'Create account and join')
      await expectHeading(theirs, 'Overview')
      await theirs.getByText('Grace Hopper').first().waitFor()
      await theirs.goto(link)
      await expectText(theirs, /Ask for a new one/)
    })
    await page.reload()
    await row(new Person(url, 'grace@example.com')).waitFor()
  })

  test('who already have an account sign in and accept', async () => {
    const grace = new Person(app.url)
    await grace.must('/links/sign-up', {
      id: await invitation(app.owner, grace.email),
      name: 'Grace',
      password: goodPassword,
    })
    const id = await invitation(app.owner, grace.email, 'admin')
    await stranger(async (theirs) => {
      await theirs.goto(`/invitation#id=${id}`)
      await field(theirs, 'Password').fill(goodPassword)
      await press(theirs, 'Sign in')
      await press(theirs, 'Accept invitation')
      await expectHeading(theirs, 'Overview')
    })
    expect((await grace.get('/organization/list')).body).toMatchObject([{ slug: 'acme' }])
  })

  test.runIf(isLong)('invited under another address see that they are', async () => {
    await page.goto(`/invitation#id=${await invitation(app.owner, 'other@example.com')}`)
    await expectText(page, 'other@example.com')
    await press(page, 'Sign out')
    await field(page, 'Your name').waitFor()
  })

  test('get a link for a new password, choose which sign-ins to keep, and sign in with it', async () => {
    const grace = await invite(app.owner)
    const { accessToken } = await app.client.login(await grace.token())
    const { user } = (await grace.get('/get-session')).body as { user: { id: string } }
    for (const name of ['Laptop', 'Lost']) {
      await queryIdentity(
        app.dataDir,
        `insert into passkey
           (id, name, "publicKey", "userId", "credentialID", counter, "deviceType", "backedUp", "createdAt")
         values ($1, $1, 'key', $2, $1, 0, 'singleDevice', false, $3)`,
        name,
        user.id,
        new Date().toISOString(),
      )
    }
    await page.goto('/o/acme/members')
    await row(grace)
      .getByRole('button', { name: /^Actions for/ })
      .click()
    await page.getByRole('menuitem', { name: 'Reset password' }).click()
    await press(page, 'Create reset link')
    const link = await linkShown('Reset link')
    await stranger(async (theirs) => {
      await theirs.goto(link)
      await expectText(theirs, grace.email)
      await theirs.getByRole('checkbox', { name: 'Laptop' }).check()
      await expect.poll(() => theirs.getByRole('checkbox', { name: 'Lost' }).isChecked()).toBe(false)
      await expect.poll(() => theirs.getByRole('checkbox', { name: 'Log out all CLI sessions' }).isChecked()).toBe(true)
      await field(theirs, 'New password').fill('another good password')
      await screenshot(theirs, 'new password with passkeys')
      await press(theirs, 'Set password')
      await theirs.getByRole('link', { name: 'Go to sign-in' }).click()
      await field(theirs, 'Email').fill(grace.email)
      await field(theirs, 'Password').fill('another good password')
      await press(theirs, 'Sign in')
      await expectHeading(theirs, 'Overview')
      await theirs.goto('/o/acme/account')
      await expectText(theirs, 'Laptop')
      await expect.poll(() => theirs.getByText('Lost', { exact: true }).count()).toBe(0)
    })
    expect((await app.client.call('session', {}, { token: accessToken })).status).toBe(401)
  })

  test('change roles, and see only what they may do', async () => {
    const grace = await invite(app.owner)
    await page.goto('/o/acme/members')
    await row(grace).getByRole('combobox').selectOption('admin')
    await page.getByRole('dialog', { name: 'Change Grace’s role to Admin?' }).waitFor()
    await press(page, 'Change role')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const theirs = await openPageAs(grace, browser, url)
    await theirs.page.goto('/o/acme/members')
    await theirs.page.getByRole('button', { name: 'Invite', exact: true }).waitFor()
    const ownerRow = theirs.page.getByRole('row').filter({ hasText: app.owner.email })
    await ownerRow.waitFor()
    await expect.poll(() => ownerRow.getByRole('combobox').count()).toBe(0)
    await expect.poll(() => ownerRow.getByRole('button', { name: /^Actions/ }).count()).toBe(0)
  })
})

describe('an account', () => {
  test('gets a passkey and signs in with it', async () => {
    const device = await addPasskeyDevice(page)
    // The device confirms everything, so it would sign in before anyone asks.
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
    await page.goto('/o/acme/account')
    await expectText(page, 'Active now')
    const before = new Date(Date.now() - 16 * 60_000).toISOString()
    await queryIdentity(app.dataDir, 'update session set "createdAt" = $1', before)
    await field(page, 'Name of the new passkey').fill('my laptop')
    await press(page, 'Add passkey')
    await page.getByRole('dialog', { name: 'Confirm it’s you' }).waitFor()
    await screenshot(page, 'confirmation')
    await confirmIdentity(page, goodPassword)
    await expectText(page, 'Passkey added')
    expect(await device.sites()).toEqual(['localhost'])
    await signOut(page)
    await expectHeading(page, 'Sign in')
    await press(page, 'Sign in with a passkey')
    await expectHeading(page, 'Overview')
    await page.goto('/o/acme/account')
    await press(page, 'Delete my laptop')
    await press(page, 'Delete passkey')
    await page.getByRole('button', { name: 'Delete my laptop' }).waitFor({ state: 'detached' })
    const noted = (await auditEntries(app.client, 'acme', await app.owner.token())).slice(-4)
    expect(noted).toMatchObject([
      { action: 'passkey.add' },
      { action: 'sign-out' },
      { action: 'sign-in', facts: { method: 'passkey' } },
      { action: 'passkey.remove', facts: noted[0]?.facts },
    ])
    await device.remove()
  })

  test('changes its password and is signed out elsewhere', async () => {
    const grace = await invite(app.owner)
    const theirs = await openPageAs(grace, browser, url)
    await theirs.page.setExtraHTTPHeaders({ 'x-forwarded-for': newAddress() })
    await theirs.page.goto('/o/acme/account')
    await field(theirs.page, 'Current password').fill(goodPassword)
    await field(theirs.page, 'New password').fill('another good password')
    await press(theirs.page, 'Change password')
    await expectText(theirs.page, 'Password changed.')
    await expect(grace.token()).rejects.toThrow('401')
    expect((await new Person(app.url, grace.email).signIn('another good password')).status).toBe(200)
  })

  test('ends another browser session', async () => {
    const elsewhere = new Person(app.url, app.owner.email)
    await elsewhere.signIn()
    await page.goto('/o/acme/account')
    // In sight above a list that may be long.
    const button = await page.getByRole('button', { name: 'Sign out everywhere else' }).boundingBox()
    const session = await page.getByText('This browser').boundingBox()
    expect(button?.y).toBeLessThan(session?.y ?? 0)
    await press(page, 'Sign out everywhere else')
    await page.getByRole('button', { name: 'Sign out everywhere else' }).waitFor({ state: 'detached' })
    await expect(elsewhere.token()).rejects.toThrow('401')
    await app.owner.signIn()
  })

  test('signs out and is asked to sign in again', async () => {
    await page.goto('/')
    await signOut(page)
    await expectHeading(page, 'Sign in')
    await page.goto('/o/acme/members')
    await expectHeading(page, 'Sign in')
    await expect.poll(() => new URL(page.url()).pathname).toBe('/sign-in')
  })

  test.runIf(isLong)('rejects wrong credentials, and says when to return after too many tries', async () => {
    await stranger(async (theirs) => {
      await theirs.goto('/sign-in')
      for (let i = 0; i < 4; i++) {
        await field(theirs, 'Email').fill(app.owner.email)
        await field(theirs, 'Password').fill(`wrong password ${i}`)
        const answered = theirs.waitForResponse(/sign-in/)
        await press(theirs, 'Sign in')
        await answered
      }
      await expectText(theirs, /too many attempts\. Try again in \d+ seconds?/i)
    })
  })
})

test('organizations are created and switched between', async () => {
  const theirs = (await openPageAs(await invite(app.owner), browser, url)).page
  await theirs.goto('/organizations')
  await field(theirs, 'Organization name').fill('Zoë & Söhne')
  await expect.poll(() => field(theirs, 'Organization slug').inputValue()).toBe('zoe-sohne')
  await press(theirs, 'Create organization')
  await expectHeading(theirs, 'Overview')
  await expect.poll(() => new URL(theirs.url()).pathname).toBe('/o/zoe-sohne')
  await theirs.getByRole('button', { name: 'Organization: Zoë & Söhne' }).click()
  await theirs.getByRole('menuitemradio', { name: 'Acme Inc.' }).click()
  await theirs.getByRole('button', { name: 'Organization: Acme Inc.' }).waitFor()
})

test('anyone creates an account and an organization where sign-up is open', async () => {
  const open = await startTestApp({ SIGN_UP: 'open' })
  const theirs = await openPage(browser, open.url)
  await theirs.page.goto('/')
  await theirs.page.getByRole('link', { name: 'Create one' }).click()
  await field(theirs.page, 'Your name').fill('Eve')
  await field(theirs.page, 'Email').fill('eve@example.com')
  await field(theirs.page, 'Password').fill(goodPassword)
  await theirs.page.getByRole('button', { name: 'Create account' }).click()
  await expectHeading(theirs.page, 'Organizations')
  await field(theirs.page, 'Organization name').fill('Eve')
  await press(theirs.page, 'Create organization')
  await expectHeading(theirs.page, 'Overview')
})

test.runIf(isLong).each([
  ['/o/acme/members', 'Invite', 'Email', 'linus@example.com'],
  ['/o/acme/settings/tokens', 'New token', 'Name', 'ci'],
  ['/o/acme/projects', 'New project', 'Project name', 'Shop'],
  ['/o/acme/members/groups', 'New group', 'Name', 'On call'],
])('%s asks before the input of %s is lost', async (path, button, label, text) => {
  await page.goto(path)
  const form = page.getByRole('dialog').filter({ has: field(page, label) })
  const question = page.getByRole('dialog', { name: 'Discard what you entered?' })
  await page.getByRole('main').getByRole('button', { name: button, exact: true }).click()
  await page.keyboard.press('Escape')
  await form.waitFor({ state: 'detached' })
  await page.getByRole('main').getByRole('button', { name: button, exact: true }).click()
  await field(page, label).fill(text)
  await page.keyboard.press('Escape')
  await question.waitFor()
  await press(page, 'Keep editing')
  await expect.poll(() => field(page, label).inputValue()).toBe(text)
  await question.waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await press(page, 'Discard')
  await form.waitFor({ state: 'detached' })
})

test.runIf(isLong)('an account gets a second factor, and signs in with its codes', async () => {
  const grace = await invite(app.owner)
  const its = (await openPageAs(grace, browser, url)).page
  await its.setExtraHTTPHeaders({ 'x-forwarded-for': newAddress() })
  await its.goto('/o/acme/account')
  await its.getByRole('button', { name: 'Set up an authenticator app' }).click()
  const drawer = its.getByRole('dialog', { name: 'Set up an authenticator app' })
  await drawer.getByRole('img', { name: 'QR code with the key below' }).waitFor()
  const key = await drawer.getByLabel('Key', { exact: true }).inputValue()
  const codeAt = (ms: number): string => totpAt(`otpauth://totp/x?secret=${key}`, ms)
  // No code of the hours around this test.
  const valid = new Set(Array.from({ length: 480 }, (_, step) => codeAt(Date.now() + (step - 240) * 30_000)))
  const wrong =
    Array.from({ length: 481 }, (_, at) => String(at).padStart(6, '0')).find((each) => !valid.has(each)) ?? ''
  await screenshot(its, 'second-factor-set-up')
  expect(await axeViolations(its)).toEqual([])
  await field(its, 'Code').fill(wrong)
  await its.getByRole('button', { name: 'Turn on' }).click()
  await expectText(its, 'This code is wrong')
  await field(its, 'Code').fill(codeAt(Date.now()))
  await its.getByRole('button', { name: 'Turn on' }).click()
  const codes = its.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
  await expect.poll(() => codes.count()).toBe(10)
  await screenshot(its, 'recovery-codes')
  expect(await axeViolations(its)).toEqual([])
  const [recoveryCode = ''] = await codes.allTextContents()
  await its.getByRole('button', { name: 'I saved the codes' }).click()
  await expectText(its, 'It is on. 10 recovery codes are left.')
  await signOut(its)

  await page.goto('/o/acme/members')
  await expect.poll(() => row(grace).getByText('Password and code', { exact: true }).count()).toBe(1)
  await screenshot(page, 'members-second-factor')

  await signInWith(its, grace.email)
  await field(its, 'Code').waitFor()
  await screenshot(its, 'sign-in-code')
  expect(await axeViolations(its)).toEqual([])
  await its.keyboard.type(wrong)
  await its.keyboard.press('Enter')
  await expectText(its, 'This code is wrong')
  await its.getByRole('button', { name: 'Use a recovery code' }).click()
  await its.keyboard.type(recoveryCode)
  await its.keyboard.press('Enter')
  await expectHeading(its, 'Overview')
  await its.goto('/o/acme/account')
  await expectText(its, 'It is on. 9 recovery codes are left.')
})
