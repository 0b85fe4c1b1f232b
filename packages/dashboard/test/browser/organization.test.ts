/** Tests the organization in the browser: its audit log, sessions, service tokens and settings. */
import { readFileSync } from 'node:fs'
import type { AuditEntry } from '@rollkey/contract'
import type { Locator, Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { storageDump, type TestPage } from '../../../server/testkit/browser.ts'
import { newUser } from '../../../server/testkit/client.ts'
import { isLong } from '../../../server/testkit/long.ts'
import { invite, type Person } from '../../../server/testkit/person.ts'
import { webClientId } from '../../../server/testkit/provider.ts'
import {
  expectHeading,
  expectText,
  field,
  openPage,
  openPageAs,
  press,
  useBrowser,
  useEmbeddedAppPerTest,
} from './steps.ts'
import { startTestEnv } from '../../../server/testkit/test-env.ts'

const app = useEmbeddedAppPerTest()
const browser = useBrowser()
let grace: Person
let visit: TestPage
let page: Page

beforeEach(async () => {
  grace = await invite(app.owner)
})
beforeEach(async () => {
  visit = await openPageAs(app.owner, browser, app.url)
  page = visit.page
  await page.clock.install()
})

function at(projectSlug: string, stageSlug: string) {
  return { orgSlug: 'acme', projectSlug, stageSlug }
}

async function write(place: object, names: readonly string[], by = app.owner): Promise<void> {
  const entries = names.map((name) => ({ kind: 'secret', name, value: '1' }))
  await app.client.must('write', { ...place, mode: 'upsert', entries }, { token: await by.token() })
}

function row(text: string): Locator {
  return page.getByRole('row').filter({ hasText: text })
}

async function expectRow(text: string): Promise<void> {
  await row(text).first().waitFor()
}

async function expectNoRow(text: string): Promise<void> {
  await row(text).first().waitFor({ state: 'detached' })
}

/** Opens the page as a member without management rights. */
async function asMember(work: (page: Page) => Promise<void>): Promise<TestPage> {
  const theirs = await openPageAs(grace, browser, app.url)
  await work(theirs.page)
  return theirs
}

async function statusOf(token: string): Promise<number> {
  return (await app.client.call('whoami', {}, { token })).status
}

function focused(): Promise<string> {
  return page.evaluate<string>('document.activeElement.textContent')
}

/** Simulates a person returning to the window. */
async function comeBack(): Promise<void> {
  await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`)
}

function entry(sentence: string) {
  return page.locator('[data-entry]').filter({ hasText: sentence })
}

async function expectEntry(sentence: string): Promise<void> {
  await entry(sentence).first().waitFor()
}

async function expectNoEntry(sentence: string): Promise<void> {
  await entry(sentence).first().waitFor({ state: 'detached' })
}

/** Sets a filter. */
async function choose(filter: string, option: string): Promise<void> {
  await press(page, filter)
  await page.getByRole('menuitemradio', { name: option, exact: true }).click()
}

describe('the audit log', () => {
  test('shows who did what, adds new entries live, and is filtered by an address that can be shared', async () => {
    await write(at('shop', 'dev'), ['A', 'B'], grace)
    await write(at('shop', 'prod'), ['A'])
    await app.client.must('reveal', { ...at('shop', 'prod'), names: ['A'] }, { token: await grace.token() })
    await page.goto('/o/acme/audit')
    await expectEntry('Grace added 2 variables in shop/dev')
    await expectEntry('Grace revealed A in shop/prod')
    await expectEntry('Ada added A in shop/prod')
    await write(at('blog', 'dev'), ['C'], grace)
    await page.clock.runFor(5_000)
    await expectEntry('Grace added C in blog/dev')
    await choose('Who', 'Grace')
    await expectNoEntry('Ada added A in shop/prod')
    await choose('Stage', 'dev')
    await expectNoEntry('Grace revealed A')
    await field(page, 'Variable').pressSequentially('B')
    await expectNoEntry('added C')
    await page.waitForURL(/variable=B/)
    await entry('Grace added 2 variables in shop/dev').click()
    const details = page.getByRole('region', { name: 'Details' })
    await expect.poll(() => details.getByRole('listitem').allInnerTexts()).toEqual(['A', 'B'])
    await page.waitForURL(/entry=\d/)
    const shared = page.url()
    await page.goto('/o/acme/organization')
    await expectHeading(page, 'Members')
    await page.goto(shared)
    await details.getByText('Request ID').waitFor()
    await expect.poll(() => page.locator('[data-entry]').count()).toBe(1)
    await expect.poll(() => field(page, 'Variable').inputValue()).toBe('B')
    await press(page, 'Close details')
    await press(page, 'Dates')
    await field(page, 'From').fill('2999-01-01')
    await expectText(page, 'No entries match the filters')
    await press(page, 'Clear filters')
    await expect.poll(() => page.evaluate('document.activeElement?.tagName')).toBe('INPUT')
    await expectEntry('Ada added A in shop/prod')
    await page.getByRole('button', { name: 'Dates', exact: true }).waitFor()
    await expect.poll(() => new URL(page.url()).search).toBe('')
  })

  test.runIf(isLong)(
    'is exported whole, page by page, with its filter, and loads older entries on request',
    async () => {
      const token = await app.owner.token()
      await write(at('long', 'dev'), ['A'])
      const change = { ...at('long', 'dev'), mode: 'upsert', entries: [], deletes: ['A'] }
      const again = { ...change, entries: [{ kind: 'secret', name: 'A', value: '1' }], deletes: [] }
      await Promise.all(Array.from({ length: 510 }, () => app.client.must('write', again, { token })))
      await page.goto('/o/acme/audit?project=long')
      for (const count of [100, 200, 300, 400, 500]) {
        await expectText(page, `The latest ${count} are shown.`)
        await press(page, 'Show older')
      }
      await expectText(page, 'These are all.')
      await expect.poll(() => focused()).toBe('These are all.')
      const before = visit.requestedUrls.length
      const download = page.waitForEvent('download')
      await press(page, 'Export')
      const file = await download
      expect(file.suggestedFilename()).toMatch(/^audit-acme-\d{4}-\d\d-\d\d\.jsonl$/)
      const text = readFileSync(await file.path(), 'utf8')
      const entries = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as AuditEntry)
      expect(entries).toHaveLength(513)
      const [first] = entries
      expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => (first?.seq ?? 0) + index))
      expect(new Set(entries.map(({ projectSlug }) => projectSlug))).toEqual(new Set(['long']))
      const paths = visit.requestedUrls.slice(before).map((url) => new URL(url).pathname)
      // The navigation counts the open changes from time to time.
      const ofExport = paths.filter((path) => path.startsWith('/v1/') && path !== '/v1/changes/list')
      expect(new Set(ofExport)).toEqual(new Set(['/v1/audit/list']))
    },
  )

  test.runIf(isLong)('shows the progress of a long export, which can be canceled', async () => {
    await write(at('shop', 'dev'), ['A'])
    await page.goto('/o/acme/audit')
    await expectEntry('Ada added A in shop/dev')
    let saved = false
    page.on('download', () => (saved = true))
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
    await page.route('**/v1/audit/list', async (route) => {
      if (route.request().postData()?.includes('"limit":500') === true) await answered
      await route.continue()
    })
    await press(page, 'Export')
    await page.clock.runFor(2_000)
    await expectText(page, '0 entries so far')
    await press(page, 'Cancel export')
    await expect.poll(() => focused()).toBe('Export')
    answer()
    await page.getByText('entries so far').waitFor({ state: 'detached' })
    expect(saved).toBe(false)
    await page.unrouteAll()
  })

  test('is not shown to members, and requests nothing for them', async () => {
    const theirs = await asMember(async (members) => {
      await members.goto('/o/acme/audit')
      await expectText(members, 'You don’t have permission to read the audit log')
      await expectText(members, 'You need manage access to the whole organization. Ask Ada')
      await members.goto('/o/acme/settings/tokens')
      await expectText(members, 'You don’t have permission to manage service tokens')
    })
    expect(theirs.requestedUrls.filter((url) => /audit\/list|tokens\/list/.test(url))).toEqual([])
  })
})

describe('sessions of command-line clients', () => {
  test('appear as people log in and end at once, and admins see and end those of everyone', async () => {
    await page.goto('/o/acme/account')
    await page.getByRole('link', { name: 'View CLI sessions' }).click()
    await expectText(page, 'You have no CLI sessions')
    const own = await app.client.login(await app.owner.token())
    const theirs = await app.client.login(await grace.token())
    await page.clock.runFor(5_000)
    await expectRow('test')
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await page.getByRole('switch', { name: 'Show everyone’s' }).click()
    await expectRow('Ada (you)')
    await row('Grace').getByRole('button', { name: 'Revoke session of test' }).click()
    expect(await statusOf(theirs.accessToken)).toBe(200)
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke session of test' }).click()
    await expectNoRow('Grace')
    await expect.poll(() => focused()).toBe('Revoke')
    expect(await statusOf(theirs.accessToken)).toBe(401)
    expect(await statusOf(own.accessToken)).toBe(200)
  })

  test.runIf(isLong)("are limited to a member's own", async () => {
    const { accessToken } = await app.client.login(await grace.token())
    await asMember(async (members) => {
      await members.goto('/o/acme/settings/sessions')
      await members.getByRole('button', { name: 'Revoke session of test' }).click()
      await members.getByRole('dialog').getByRole('button', { name: 'Revoke session of test' }).click()
      await expectText(members, 'You have no CLI sessions')
      await expect.poll(() => members.getByRole('switch').count()).toBe(0)
    })
    expect(await statusOf(accessToken)).toBe(401)
  })
})

describe('service tokens', () => {
  test('are created with the chosen scope, shown once, and revoked', async () => {
    // The only project would be chosen already.
    await write(at('elsewhere', 'dev'), ['A'])
    await write(at('machines', 'dev'), ['A'])
    await page.goto('/o/acme/settings/tokens')
    await expectText(page, 'No tokens yet')
    await press(page, 'New token')
    await press(page, 'Create token')
    await expectText(page, 'Choose a project.')
    await field(page, 'Name').fill('CI')
    await page.getByLabel('Project', { exact: true }).selectOption('machines')
    await page.getByLabel('Stage', { exact: true }).selectOption('dev')
    await press(page, 'Create token')
    await expectText(page, 'you won’t see it again')
    const token = await field(page, 'Service token').inputValue()
    await expectText(page, `export ROLLKEY_TOKEN=${token}`)
    await expectText(page, 'export ROLLKEY_PROJECT=machines')
    await expectText(page, 'export ROLLKEY_STAGE=dev')
    const { serviceToken } = await app.client.must('whoami', {}, { token })
    expect(serviceToken).toMatchObject({ name: 'CI', projectSlug: 'machines', stageSlug: 'dev', readOnly: true })
    expect(serviceToken.expiresAtMs - serviceToken.createdAtMs).toBe(365 * 86_400_000)
    expect(page.url() + (await page.evaluate<string>('JSON.stringify(history.state)'))).not.toContain(token)
    expect(await storageDump(page)).not.toContain(token)
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    await expect.poll(() => field(page, 'Service token').inputValue()).toBe(token)
    await press(page, 'I saved the token')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await page.content()).not.toContain(token)
    await expectRow('machines/dev')
    await press(page, 'New token')
    await expect.poll(() => field(page, 'Name').inputValue()).toBe('')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await press(page, 'Revoke token CI')
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke token CI' }).click()
    await expectText(page, 'No tokens yet')
    expect(await statusOf(token)).toBe(401)
  })

  test.runIf(isLong)('of a person who left show it', async () => {
    const eve = await invite(app.owner, 'admin')
    await app.client.must('tokenCreate', { orgSlug: 'acme', name: 'theirs' }, { token: await eve.token() })
    await page.goto('/o/acme/settings/tokens')
    await expectRow('theirs')
    expect(await page.getByText('has left the organization').count()).toBe(0)
    await app.owner.must('/organization/remove-member', { memberIdOrEmail: eve.email })
    await page.reload()
    await expectText(page, /has left the organization\. Replace it/)
  })

  test.runIf(isLong)('that another person revoked leave the list without an error', async () => {
    const token = await app.owner.token()
    const { id } = await app.client.must('tokenCreate', { orgSlug: 'acme', name: 'old' }, { token })
    await page.goto('/o/acme/settings/tokens')
    await expectRow('developer')
    await app.client.must('tokenRevoke', { orgSlug: 'acme', id }, { token })
    await press(page, 'Revoke token old')
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke token old' }).click()
    await expectText(page, 'No tokens yet')
  })
})

describe('the settings', () => {
  test("decide whether writes create, and show another admin's change on return", async () => {
    const place = { ...at('mistyped', 'dev'), mode: 'upsert', entries: [{ kind: 'secret', name: 'A', value: '1' }] }
    await page.goto('/o/acme/settings')
    await expectText(page, 'also creates a missing project or stage')
    await expectText(page, 'No limit')
    await page.getByRole('switch').click()
    await expectText(page, 'is refused, so a mistyped name creates nothing')
    await expect
      .poll(async () => (await app.client.call('write', place, { token: await app.owner.token() })).body.error?.code)
      .toBe('INVALID_REQUEST')
    await asMember(async (members) => {
      await members.goto('/o/acme/settings')
      await expectText(members, 'is refused, so a mistyped name creates nothing')
      await expect.poll(() => members.getByRole('switch').isDisabled()).toBe(true)
      await expect.poll(() => members.getByRole('button', { name: 'Save name' }).count()).toBe(0)
    })
    const change = { orgSlug: 'acme', createsOnWrite: true }
    await app.client.must('organizationUpdate', change, { token: await app.owner.token() })
    await comeBack()
    await expectText(page, 'also creates a missing project or stage')
    await expect.poll(() => page.getByRole('switch').isChecked()).toBe(true)
  })

  test('rename the organization on every page, and leave its slug', async () => {
    await page.goto('/o/acme/settings')
    await field(page, 'Name').fill('Acme Ltd.')
    await press(page, 'Save name')
    await expectText(page, 'Renamed Acme Inc. to Acme Ltd.')
    await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByText('Acme Ltd.').waitFor()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/o/acme/settings')
  })

  test('let owners delete the organization, and lead to another one', async () => {
    await app.owner.must('/organization/create', { name: 'Short-lived', slug: 'short-lived' })
    await page.goto('/o/short-lived/settings')
    await press(page, 'Delete organization…')
    const confirm = page.getByRole('button', { name: 'Delete Short-lived', exact: true })
    await field(page, 'Type short-lived to confirm').fill('short')
    await expect.poll(() => confirm.isDisabled()).toBe(true)
    await field(page, 'Type short-lived to confirm').fill('short-lived')
    await confirm.click()
    await expectText(page, 'Deleted Short-lived')
    await page.waitForURL((url) => !url.pathname.includes('short-lived'))
    expect((await app.owner.get('/organization/list')).body).toMatchObject([{ slug: 'acme' }])
  })
})

test('the organization works with an external provider, which says who manages it', async () => {
  const other = await startTestEnv({ IDP_CLIENT_ID: webClientId })
  const user = newUser('umbrella')
  other.provider.addPerson(user, 'Ada Lovelace')
  other.provider.setRole(user, 'admin')
  await other.client.login(user)
  const url = other.app.url.replace('127.0.0.1', 'localhost')
  const theirs = await openPage(browser, url, other.provider.issuer)
  await theirs.page.goto('/o/umbrella/settings/sessions')
  await press(theirs.page, 'Continue with your identity provider')
  await field(theirs.page, 'User').fill(user.userId)
  await press(theirs.page, 'Sign in')
  await theirs.page.getByRole('switch', { name: 'Show everyone’s' }).click()
  await expectText(theirs.page, `${user.userId} (you)`)
  await theirs.page.getByRole('link', { name: 'Audit log', exact: true }).click()
  await expectText(theirs.page, 'approved a CLI login')
  await theirs.page.getByRole('link', { name: 'Settings' }).click()
  await theirs.page.getByRole('switch').waitFor()
})
