/** Tests that the URL names the organization, so that tabs of one browser can show several. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testkit/app.ts'
import { startBrowser, type TestBrowser } from '../../testkit/browser.ts'
import { newUser } from '../../testkit/client.ts'
import { TestClock } from '../../testkit/clock.ts'
import { goodPassword, invite, setUp, type Person } from '../../testkit/person.ts'
import { TestProvider, webClientId } from '../../testkit/provider.ts'
import { expectClean, expectHeading, expectText, field, press, signedIn } from './steps.ts'

let browser: TestBrowser
let app: TestApp
/** Member of the organizations acme and second. The latter has no other member. */
let owner: Person

beforeAll(async () => {
  browser = await startBrowser()
  app = await startTestApp(undefined, new TestClock())
  owner = await setUp(app)
  await owner.must('/organization/create', { name: 'Second', slug: 'second' })
  for (const orgSlug of ['acme', 'second']) {
    const entries = [{ kind: 'secret', name: 'WHERE', value: orgSlug }]
    const body = { orgSlug, projectSlug: 'shop', stageSlug: 'dev', mode: 'upsert', entries }
    await app.client.must('write', body, { token: await owner.token(orgSlug) })
  }
})
afterAll(async () => {
  await browser.close()
  await app.close()
})

async function valueOf(orgSlug: string, name: string): Promise<unknown> {
  const body = { orgSlug, projectSlug: 'shop', stageSlug: 'dev', names: [name] }
  const answer = await app.client.call('reveal', body, { token: await owner.token(orgSlug) })
  return answer.body.variables?.[0]?.value
}

async function add(page: Page, name: string, value: string): Promise<void> {
  await press(page, 'New variable')
  await field(page, 'Name').fill(name)
  await field(page, 'Value').fill(value)
  await press(page, 'Save variable')
  await page
    .getByRole('gridcell')
    .getByRole('button', { name: `${name} in dev, Set`, exact: true })
    .waitFor()
}

function pathOf(page: Page): string {
  const { pathname, search } = new URL(page.url())
  return pathname + search
}

test('two tabs in two organizations keep working and save to their own, after one sign-in', async () => {
  const visit = await browser.newPage({ baseUrl: app.url })
  const acme = visit.page
  await acme.goto('/o/acme/p/shop')
  await field(acme, 'Email').fill(owner.email)
  await field(acme, 'Password').fill(goodPassword)
  await press(acme, 'Sign in')
  await expectHeading(acme, 'shop')
  expect(pathOf(acme)).toBe('/o/acme/p/shop')
  await add(acme, 'BEFORE', 'to acme')

  const second = await acme.context().newPage()
  await second.goto('/o/second/p/shop')
  await add(second, 'FIRST', 'to second')
  await second.getByRole('button', { name: 'Organization: Second' }).waitFor()

  await add(acme, 'AFTER', 'to acme')
  // The token was requested after the other tab was opened.
  await acme.reload()
  await acme.getByRole('button', { name: 'Organization: Acme Inc.' }).waitFor()
  await add(acme, 'LAST', 'to acme')
  await second.reload()
  await add(second, 'LAST', 'to second')

  const found = await Promise.all(
    ['acme', 'second'].map((orgSlug) =>
      Promise.all(['WHERE', 'BEFORE', 'FIRST', 'AFTER', 'LAST'].map((name) => valueOf(orgSlug, name))),
    ),
  )
  expect(found).toEqual([
    ['acme', 'to acme', undefined, 'to acme', 'to acme'],
    ['second', undefined, 'to second', undefined, 'to second'],
  ])
  expectClean(visit, app.url)
  await visit.close()
})

test('a URL without an organization leads to the last opened one', async () => {
  const visit = await signedIn(browser, app.url, owner)
  const { page } = visit
  for (const orgSlug of ['acme', 'second']) {
    await page.goto(`/o/${orgSlug}`)
    await expectText(page, `(slug: ${orgSlug})`)
    await page.getByRole('link', { name: 'Go to members' }).waitFor()
    await expect.poll(async () => (await lastOpened(page)).body.session.activeOrganizationId).toBe(await idOf(orgSlug))
    await page.goto('/projects/shop?search=WHERE')
    await expectHeading(page, 'shop')
    expect(pathOf(page)).toBe(`/o/${orgSlug}/p/shop?search=WHERE`)
  }
  await page.goto('/organization')
  await expectHeading(page, 'Members')
  expect(pathOf(page)).toBe('/o/second/organization/members')
  await page.goto('/nowhere')
  await expectHeading(page, 'Page not found')
  expectClean(visit, app.url)
  await visit.close()

  async function lastOpened(on: Page): Promise<{ body: { session: { activeOrganizationId: string } } }> {
    const response = await on.context().request.get(`${app.url}/identity/get-session`)
    return { body: await response.json() }
  }
  async function idOf(slug: string): Promise<string | undefined> {
    const organizations = (await owner.get('/organization/list')).body as { id: string; slug: string }[]
    return organizations.find((each) => each.slug === slug)?.id
  }
})

test('the menu switches organizations, and asks before it leaves unsaved input', async () => {
  const visit = await signedIn(browser, app.url, owner)
  const { page } = visit
  await page.goto('/o/acme/p/shop')
  await press(page, 'New variable')
  await field(page, 'Name').fill('COLLECTED')
  await field(page, 'Value').fill('1')
  await press(page, 'Add to changes')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await choose('Second')
  await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
  expect(pathOf(page)).toBe('/o/acme/p/shop')
  await press(page, 'Leave and discard')
  await page.waitForURL('**/o/second')
  await expectText(page, '(slug: second)')
  await page.getByRole('link', { name: 'Projects', exact: true }).click()
  await page.getByRole('link', { name: 'shop' }).click()
  await expectHeading(page, 'shop')
  expect(pathOf(page)).toBe('/o/second/p/shop')
  await page.getByRole('link', { name: 'Rollkey' }).click()
  await page.waitForURL('**/o/second')
  expectClean(visit, app.url)
  await visit.close()

  async function choose(name: string): Promise<void> {
    await page.getByRole('button', { name: 'Organization: Acme Inc.' }).click()
    await page.getByRole('menuitemradio', { name }).click()
  }
})

test('an organization that the person is not in is hidden, and so is whether it exists', async () => {
  await owner.must('/organization/set-active', { organizationSlug: 'acme' })
  const grace = await invite(app.url, owner)
  const visit = await signedIn(browser, app.url, grace)
  const { page } = visit
  const told = []
  for (const slug of ['second', 'no-such-one']) {
    await page.goto(`/o/${slug}/p/shop`)
    await expectHeading(page, `You are not a member of ${slug}`)
    told.push((await page.getByRole('main').innerText()).replaceAll(slug, 'it'))
  }
  expect(told[0]).toContain(grace.email)
  expect(told[1]).toBe(told[0])
  expect(visit.requestedUrls.filter((url) => url.includes('/v1/') && !url.endsWith('/v1/web/settings'))).toEqual([])
  await page.getByRole('link', { name: 'Choose an organization' }).click()
  const roleTold = page.waitForResponse(/\/v1\/whoami/)
  await press(page, 'Acme Inc. Active')
  await expectHeading(page, 'Home')
  expect(pathOf(page)).toBe('/o/acme')
  await roleTold
  // Members can't invite anyone.
  expect(await page.getByRole('link', { name: 'Go to members' }).count()).toBe(0)
  expectClean(visit, app.url)
  await visit.close()
})

test('with an external provider, the URL of another organization selects it for the sign-in', async () => {
  const clock = new TestClock()
  const provider = await TestProvider.start(clock)
  const other = await startTestApp(provider, clock, { IDP_CLIENT_ID: webClientId })
  const user = newUser('umbrella')
  provider.addPerson(user, 'Ada Lovelace')
  const visit = await browser.newPage({ baseUrl: other.url.replace('127.0.0.1', 'localhost') })
  const { page } = visit
  await page.goto('/o/acme/usage')
  await press(page, 'Continue with your identity provider')
  await field(page, 'User').fill(user.userId)
  await press(page, 'Sign in')
  await expectHeading(page, 'You are signed in to umbrella')
  await expectText(page, 'This page belongs to acme.')
  const signedInAgain = page.waitForResponse(/\/v1\/web\/token/)
  await press(page, 'Sign in again')
  await signedInAgain
  await expectHeading(page, 'You are signed in to umbrella')
  expect(pathOf(page)).toBe('/o/acme/usage')
  await page.getByRole('link', { name: 'Go to umbrella' }).click()
  await expectHeading(page, 'Home')
  expect(pathOf(page)).toBe('/o/umbrella')
  expectClean(visit, new URL(page.url()).origin, provider.issuer)
  await visit.close()
  await other.close()
  await provider.close()
})
