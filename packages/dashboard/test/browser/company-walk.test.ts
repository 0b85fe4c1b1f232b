/**
 * Walks through one organization whose people sign in by password, by passkey and at two companies' providers, and tries to take
 * accounts over, in the browser and with real providers.
 */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { addPasskeyDevice, axeViolations, screenshot } from '../../../server/testkit/browser.ts'
import { TestClock } from '../../../server/testkit/clock.ts'
import { launchEmbeddedApp } from '../../../server/testkit/embedded.ts'
import { useFixture } from '../../../server/testkit/fixture.ts'
import { isLong } from '../../../server/testkit/long.ts'
import { useOidcCompany, type OidcCompany } from '../../../server/testkit/oidc-company.ts'
import {
  goodPassword,
  invitation,
  invite,
  membersOf,
  Person,
  remove,
  resetToken,
} from '../../../server/testkit/person.ts'
import { peerTroubles } from '../../../server/testkit/slow-peer.ts'
import { queryIdentity } from '../../../server/testkit/store.ts'
import {
  expectHeading,
  expectStill,
  expectText,
  field,
  openPage,
  openPageAs,
  press,
  signOut,
  useBrowser,
} from './steps.ts'

const workspace = useOidcCompany('workspace', 'google')
const directory = useOidcCompany('directory', 'entra')
const browser = useBrowser()
const clock = new TestClock()
const tenant = '72f988bf-86f1-41af-91ab-2d7cd011db47'

const app = useFixture(() =>
  launchEmbeddedApp(
    {
      SIGN_IN: 'workspace,directory,gone',
      ...workspace.settings,
      SIGN_IN_WORKSPACE_LABEL: 'Workspace',
      SIGN_IN_WORKSPACE_JOIN: 'acme:member',
      SIGN_IN_WORKSPACE_DOMAINS: 'acme.example',
      ...directory.settings,
      SIGN_IN_DIRECTORY_LABEL: 'Directory',
      SIGN_IN_DIRECTORY_JOIN: 'acme:member',
      SIGN_IN_DIRECTORY_TENANTS: tenant,
      SIGN_IN_DIRECTORY_GROUPS_CLAIM: 'groups',
      SIGN_IN_GONE_ISSUER: 'http://127.0.0.1:1',
      SIGN_IN_GONE_CLIENT_ID: 'rollkey',
      SIGN_IN_GONE_LABEL: 'Gone',
    },
    { clock },
  ),
)
/** After that, the service asks a provider again whether it is there. */
const statusLifetimeMs = 31_000

/** A host name, because passkeys and the address to which providers send people back need one. */
function url(): string {
  return app.url.replace('127.0.0.1', 'localhost')
}

/** Opens a page without a session anywhere. */
async function newPage(): Promise<Page> {
  return (await openPage(browser, url(), workspace.issuer, directory.issuer)).page
}

async function expectAccessible(page: Page): Promise<void> {
  await expectStill(page)
  expect(await axeViolations(page)).toEqual([])
}

/** Signs in at a company's provider, from a page of Rollkey that has its button. */
async function signInAt(page: Page, label: string, subject: string): Promise<void> {
  await press(page, `Sign in with ${label}`)
  await field(page, 'User').fill(subject)
  await press(page, 'Sign in')
}

interface StoredAccount {
  readonly user: unknown
  readonly methods: readonly unknown[]
}

/** Returns what the store has of an account and of the ways to sign in to it. */
async function stored(email: string): Promise<StoredAccount> {
  const [user] = await queryIdentity(app.dataDir, 'select id, name, email from "user" where email = $1', email)
  const methods = await queryIdentity(
    app.dataDir,
    'select id, "providerId", "accountId", password from account where "userId" = $1 order by id',
    String(user?.['id']),
  )
  return { user, methods }
}

async function memberEmails(): Promise<string[]> {
  return (await membersOf(app.owner)).map(({ user }) => user.email)
}

/** Adds an account at a provider. */
function enroll({ accounts }: OidcCompany, subject: string, claims: object): void {
  accounts.set(subject, { name: subject, ...claims })
}

function verified(subject: string): object {
  return { hd: 'acme.example', email: `${subject}@acme.example`, email_verified: true }
}

test('four people of one organization sign in by password, passkey and at two providers', async () => {
  const ada = await newPage()
  await ada.goto('/sign-in')
  await expectText(ada, 'Gone doesn’t answer at the moment.')
  await expectAccessible(ada)
  await screenshot(ada, 'sign-in with providers')
  await field(ada, 'Email').fill(app.owner.email)
  await field(ada, 'Password').fill(goodPassword)
  await ada.keyboard.press('Control+Enter')
  await expectHeading(ada, 'Overview')

  const grace = (await openPageAs(await invite(app.owner), browser, url())).page
  const device = await addPasskeyDevice(grace)
  await grace.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
  await grace.goto('/o/acme/account')
  await field(grace, 'Name of the new passkey').fill('my laptop')
  await press(grace, 'Add passkey')
  await expectText(grace, 'Passkey added')
  await signOut(grace)
  await press(grace, 'Sign in with a passkey')
  await expectHeading(grace, 'Overview')
  await device.remove()

  enroll(workspace, 'barbara', verified('barbara'))
  const barbara = await newPage()
  await barbara.goto('/sign-in')
  await signInAt(barbara, 'Workspace', 'barbara')
  await barbara.waitForURL(/\/o\/acme/)
  await expectHeading(barbara, 'Overview')

  enroll(directory, 'mary', { tid: tenant, preferred_username: 'mary@directory.example', groups: ['ops'] })
  const mary = await newPage()
  await mary.goto('/sign-in')
  await signInAt(mary, 'Directory', 'mary')
  await mary.waitForURL(/\/o\/acme/)
  await mary.goto('/o/acme/account')
  await expectText(mary, 'Directory')
  await expectAccessible(mary)
  expect(await memberEmails()).toEqual(expect.arrayContaining(['barbara@acme.example', 'mary@directory.example']))
})

test('an invitation links a person at a provider, whatever address the provider reports', async () => {
  enroll(directory, 'joan', { tid: 'another-tenant', email: 'joan@elsewhere.example' })
  const invited = 'joan@invited.example'
  const page = await newPage()
  await page.goto(`/invitation#id=${await invitation(app.owner, invited)}`)
  await page.getByRole('button', { name: 'Sign in with Directory' }).waitFor()
  await expectAccessible(page)
  await signInAt(page, 'Directory', 'joan')
  await expectText(page, 'Accept to become a member.')
  await expectAccessible(page)
  await press(page, 'Accept invitation')
  await expectHeading(page, 'Overview')
  expect(await memberEmails()).toContain(invited)

  const again = await newPage()
  await again.goto('/sign-in')
  await signInAt(again, 'Directory', 'joan')
  await expectHeading(again, 'Overview')
})

test.each([
  {
    how: 'an address that the provider has not verified',
    attack: {
      company: () => workspace,
      label: 'Workspace',
      claims: (email: string) => ({ email, email_verified: false }),
    },
    reason: 'may not join by itself',
  },
  {
    how: 'the verified address of an account with a password',
    attack: {
      company: () => workspace,
      label: 'Workspace',
      claims: (email: string) => ({ email, email_verified: true }),
    },
    reason: 'An account with your email address exists here already',
  },
  {
    how: 'an address that a tenant gives to someone else',
    attack: { company: () => directory, label: 'Directory', claims: (email: string) => ({ email, tid: tenant }) },
    reason: 'An account with your email address exists here already',
  },
])('no one takes an account over by $how', async ({ attack: { company, label, claims }, reason }) => {
  const victim = await invite(app.owner, 'admin', `victim-${crypto.randomUUID()}@acme.example`)
  const before = await stored(victim.email)
  const subject = crypto.randomUUID()
  enroll(company(), subject, claims(victim.email))
  const page = await newPage()
  await page.goto('/sign-in')
  await signInAt(page, label, subject)
  await expectText(page, `The sign-in with ${label} didn’t finish`)
  await expectText(page, reason)
  await expectAccessible(page)
  await page.goto('/o/acme')
  await expectHeading(page, 'Sign in')
  expect(await stored(victim.email)).toEqual(before)
  expect((await new Person(app.url, victim.email).signIn()).status).toBe(200)
})

test('no one takes an account over by the same subject at another issuer', async () => {
  enroll(workspace, 'twin', verified('twin'))
  const victim = await newPage()
  await victim.goto('/sign-in')
  await signInAt(victim, 'Workspace', 'twin')
  await expectHeading(victim, 'Overview')
  const before = await stored('twin@acme.example')
  enroll(directory, 'twin', { tid: 'another-tenant', email: 'twin@acme.example', email_verified: true })
  const page = await newPage()
  await page.goto('/sign-in')
  await signInAt(page, 'Directory', 'twin')
  await expectText(page, 'may not join by itself')
  expect(await stored('twin@acme.example')).toEqual(before)
})

test.runIf(isLong)(
  'an address that changes at the provider changes no account here, and gives no other one',
  async () => {
    const victim = await invite(app.owner, 'admin', 'original@acme.example')
    const before = await stored(victim.email)
    enroll(workspace, 'renamed', verified('renamed'))
    const page = await newPage()
    await page.goto('/sign-in')
    await signInAt(page, 'Workspace', 'renamed')
    await expectHeading(page, 'Overview')
    enroll(workspace, 'renamed', verified('original'))
    const later = await newPage()
    await later.goto('/sign-in')
    await signInAt(later, 'Workspace', 'renamed')
    await expectHeading(later, 'Overview')
    await later.goto('/o/acme/account')
    await expectText(later, 'renamed@acme.example')
    expect(await stored(victim.email)).toEqual(before)
  },
)

test.each(isLong ? peerTroubles : (['resets'] as const))(
  'a provider that fails (%s) delays neither the page nor others, and sessions go on',
  async (trouble) => {
    const subject = `during-${trouble}`
    enroll(directory, subject, { tid: tenant, preferred_username: `${subject}@directory.example` })
    enroll(workspace, subject, verified(subject))
    const signedIn = await newPage()
    await signedIn.goto('/sign-in')
    await signInAt(signedIn, 'Directory', subject)
    await expectHeading(signedIn, 'Overview')
    // What the service knows of the provider is too old by then.
    clock.advance(statusLifetimeMs)
    directory.trouble = trouble
    try {
      const page = await newPage()
      // The page never learns which providers are there, so it cannot wait for that.
      await page.route('**/identity/company/status', () => {})
      await page.goto('/sign-in')
      await page.getByRole('button', { name: 'Sign in with Directory' }).waitFor()
      await signInAt(page, 'Workspace', subject)
      await expectHeading(page, 'Overview')
      const waiting = await newPage()
      await waiting.goto('/sign-in')
      await expectText(waiting, 'Directory doesn’t answer at the moment.')
      await expectAccessible(waiting)
      await signedIn.reload()
      await expectHeading(signedIn, 'Overview')
    } finally {
      directory.trouble = undefined
      clock.advance(-statusLifetimeMs)
    }
  },
)

test('a person with only a provider that cannot confirm adds a first passkey, and confirms with it', async () => {
  enroll(workspace, 'only', verified('only'))
  const page = await newPage()
  const device = await addPasskeyDevice(page)
  await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
  await page.goto('/sign-in')
  await signInAt(page, 'Workspace', 'only')
  await expectHeading(page, 'Overview')
  await page.goto('/o/acme/account')
  await press(page, 'Disconnect Workspace')
  const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' })
  const confirm = dialog.getByRole('button', { name: 'Sign in again with Workspace, then repeat this' })
  await confirm.waitFor()
  await expect.poll(() => dialog.getByLabel('Password').count()).toBe(0)
  expect(await axeViolations(page)).toEqual([])
  await confirm.click()
  await expectText(page, 'Add a passkey below within 15 minutes.')
  await expectAccessible(page)
  await screenshot(page, 'first passkey')
  await field(page, 'Name of the new passkey').fill('my laptop')
  await press(page, 'Add passkey')
  await expectText(page, 'Passkey added')
  await press(page, 'Disconnect Workspace')
  await dialog.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('button', { name: 'Connect Workspace' }).waitFor()
  await device.remove()
})

test.runIf(isLong)('a group that stands for one of a provider has the people whom it reports', async () => {
  const owner = (await openPageAs(app.owner, browser, url())).page
  await owner.goto('/o/acme/members/groups')
  await press(owner, 'New group')
  await field(owner, 'Name').fill('On call')
  const group = owner.getByLabel('Name or id at the identity provider')
  await expectText(owner, 'Begin with the name of the provider, like directory:ops.')
  await group.fill('on-call')
  await press(owner, 'Create group')
  await expectText(owner, 'idpGroup must be the provider and its group, like directory:…')
  await group.fill('directory:on-call')
  expect(await axeViolations(owner)).toEqual([])
  await press(owner, 'Create group')
  await expectText(owner, 'Created On call')
  await screenshot(owner, 'group of a provider')
  enroll(directory, 'caller', {
    tid: tenant,
    preferred_username: 'caller@directory.example',
    groups: ['staff', 'on-call'],
  })
  const page = await newPage()
  await page.goto('/sign-in')
  await signInAt(page, 'Directory', 'caller')
  await expectHeading(page, 'Overview')
  await owner.reload()
  await expectText(owner, 'caller')
  await expectAccessible(owner)
})

test('someone who was removed reads why they did not join again', async () => {
  enroll(workspace, 'removed', verified('removed'))
  const page = await newPage()
  await page.goto('/sign-in')
  await signInAt(page, 'Workspace', 'removed')
  await expectHeading(page, 'Overview')
  await remove(app.owner, new Person(app.url, 'removed@acme.example'))
  const later = await newPage()
  await later.goto('/sign-in')
  await signInAt(later, 'Workspace', 'removed')
  await expectText(later, 'you left the organization or were removed from it')
  await expectAccessible(later)
  await screenshot(later, 'removed')
  expect(await memberEmails()).not.toContain('removed@acme.example')
})

test('an invited person who has only a provider signs in with it to accept', async () => {
  enroll(workspace, 'again', verified('again'))
  const page = await newPage()
  await page.goto('/sign-in')
  await signInAt(page, 'Workspace', 'again')
  await expectHeading(page, 'Overview')
  await remove(app.owner, new Person(app.url, 'again@acme.example'))
  const later = await newPage()
  await later.goto(`/invitation#id=${await invitation(app.owner, 'again@acme.example')}`)
  await expectText(later, 'You already have an account.')
  await signInAt(later, 'Workspace', 'again')
  await press(later, 'Accept invitation')
  await expectHeading(later, 'Overview')
  expect(await memberEmails()).toContain('again@acme.example')
})

test('the page of a password link says that it disconnects providers', async () => {
  const grace = await invite(app.owner)
  enroll(directory, 'reset', { tid: tenant })
  const theirs = (await openPageAs(grace, browser, url(), directory.issuer)).page
  await theirs.goto('/o/acme/account')
  await press(theirs, 'Connect Directory')
  await field(theirs, 'User').fill('reset')
  await press(theirs, 'Sign in')
  await theirs.getByRole('button', { name: 'Disconnect Directory' }).waitFor()
  const page = await newPage()
  await page.goto(`/reset#token=${await resetToken(app.owner, grace)}`)
  await expectText(page, 'Signing in with Directory will be disconnected.')
  await expectAccessible(page)
  await field(page, 'New password').fill('another good password')
  await press(page, 'Set password')
  await expectText(page, 'Signing in with Directory is disconnected.')
  await expectAccessible(page)
  await screenshot(page, 'reset with providers')
  expect((await stored(grace.email)).methods).toHaveLength(1)
})
