/** Tests that the URL names the organization, so that tabs of one browser can show several. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { newUser } from '../../../server/testkit/client.ts'
import { useEmbeddedApp } from '../../../server/testkit/embedded.ts'
import { isLong } from '../../../server/testkit/long.ts'
import { goodPassword, invite } from '../../../server/testkit/person.ts'
import { webClientId } from '../../../server/testkit/provider.ts'
import { expectHeading, expectText, field, openPage, openPageAs, press, saveButton, useBrowser } from './steps.ts'
import { startTestEnv } from '../../../server/testkit/test-env.ts'

/** Its owner is a member of the organizations acme and second. The latter has no other member. */
const app = useEmbeddedApp()
const browser = useBrowser()

beforeAll(async () => {
  await app.owner.must('/organization/create', { name: 'Second', slug: 'second' })
  for (const orgSlug of ['acme', 'second']) {
    const entries = [{ kind: 'secret', name: 'WHERE', value: orgSlug }]
    const body = { orgSlug, projectSlug: 'shop', stageSlug: 'dev', mode: 'upsert', entries }
    await app.client.must('write', body, { token: await app.owner.token(orgSlug) })
  }
})

async function valueOf(orgSlug: string, name: string): Promise<unknown> {
  const body = { orgSlug, projectSlug: 'shop', stageSlug: 'dev', names: [name] }
  const answer = await app.client.call('reveal', body, { token: await app.owner.token(orgSlug) })
  return answer.body.variables?.[0]?.value
}

async function add(page: Page, name: string, value: string): Promise<void> {
  await press(page, 'New variable')
  await field(page, 'Name').fill(name)
  await field(page, 'Value').fill(value)
  await saveButton(page).click()
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
  const visit = await openPage(browser, app.url)
  const acme = visit.page
  await acme.goto('/o/acme/p/shop')
  await field(acme, 'Email').fill(app.owner.email)
  await field(acme, 'Password').fill(goodPassword)
  await press(acme, 'Sign in')
  await expectHeading(acme, 'shop')
  await expect.poll(() => pathOf(acme)).toBe('/o/acme/p/shop')
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
})

test.runIf(isLong)('a URL without an organization leads to the last opened one', async () => {
  const visit = await openPageAs(app.owner, browser, app.url)
  const { page } = visit
  for (const orgSlug of ['acme', 'second']) {
    await page.goto(`/o/${orgSlug}`)
    await expectHeading(page, 'Overview')
    await expect.poll(async () => (await lastOpened(page)).body.session.activeOrganizationId).toBe(await idOf(orgSlug))
    await page.goto('/projects/shop?search=WHERE')
    await expectHeading(page, 'shop')
    await expect.poll(() => pathOf(page)).toBe(`/o/${orgSlug}/p/shop?search=WHERE`)
  }
  await page.goto('/organization')
  await expectHeading(page, 'Members')
  await expect.poll(() => pathOf(page)).toBe('/o/second/members')
  await page.goto('/nowhere')
  await expectHeading(page, 'Page not found')

  async function lastOpened(on: Page): Promise<{ body: { session: { activeOrganizationId: string } } }> {
    const response = await on.context().request.get(`${app.url}/identity/get-session`)
    return { body: await response.json() }
  }
  async function idOf(slug: string): Promise<string | undefined> {
    const organizations = (await app.owner.get('/organization/list')).body as { id: string; slug: string }[]
    return organizations.find((each) => each.slug === slug)?.id
  }
})

test('the menu switches organizations, and asks before it leaves unsaved input', async () => {
  const visit = await openPageAs(app.owner, browser, app.url)
  const { page } = visit
  await page.goto('/o/acme/p/shop')
  await press(page, 'New variable')
  await field(page, 'Name').fill('COLLECTED')
  await field(page, 'Value').fill('1')
  await press(page, 'Add to draft')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await choose('Second')
  await page.getByRole('dialog', { name: 'Discard your draft?' }).waitFor()
  await expect.poll(() => pathOf(page)).toBe('/o/acme/p/shop')
  await press(page, 'Discard draft')
  await page.waitForURL('**/o/second')
  await page.getByRole('button', { name: 'Organization: Second' }).waitFor()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Projects' }).click()
  await page.getByRole('main').getByRole('link', { name: 'shop' }).click()
  await expectHeading(page, 'shop')
  await expect.poll(() => pathOf(page)).toBe('/o/second/p/shop')
  await page.getByRole('link', { name: 'Rollkey' }).click()
  await page.waitForURL('**/o/second')

  async function choose(name: string): Promise<void> {
    await page.getByRole('button', { name: 'Organization: Acme Inc.' }).click()
    await page.getByRole('menuitemradio', { name }).click()
  }
})

test.runIf(isLong)('an organization that the person is not in is hidden, and so is whether it exists', async () => {
  await app.owner.must('/organization/set-active', { organizationSlug: 'acme' })
  const grace = await invite(app.owner)
  const visit = await openPageAs(grace, browser, app.url)
  const { page } = visit
  const texts = []
  for (const slug of ['second', 'no-such-one']) {
    await page.goto(`/o/${slug}/p/shop`)
    await expectHeading(page, `You are not a member of “${slug}”`)
    texts.push((await page.getByRole('main').innerText()).replaceAll(slug, 'it'))
  }
  expect(texts[0]).toContain(grace.email)
  expect(texts[1]).toBe(texts[0])
  expect(visit.requestedUrls.filter((url) => url.includes('/v1/') && !url.endsWith('/v1/web/settings'))).toEqual([])
  await page.getByRole('link', { name: 'Choose an organization' }).click()
  const roleTold = page.waitForResponse(/\/v1\/whoami/)
  await press(page, 'Acme Inc. Active')
  await expectHeading(page, 'Overview')
  await expect.poll(() => pathOf(page)).toBe('/o/acme')
  await roleTold
  // Members can't invite anyone.
  await expect.poll(() => page.getByRole('link', { name: 'Go to members' }).count()).toBe(0)
})

test('with an external provider, the URL of another organization selects it for the sign-in', async () => {
  const other = await startTestEnv({ IDP_CLIENT_ID: webClientId })
  const user = newUser('umbrella')
  other.provider.addPerson(user, 'Ada Lovelace')
  const { page } = await openPage(browser, other.app.url.replace('127.0.0.1', 'localhost'), other.provider.issuer)
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
  await expect.poll(() => pathOf(page)).toBe('/o/acme/usage')
  await page.getByRole('link', { name: 'Go to umbrella' }).click()
  await expectHeading(page, 'Overview')
  await expect.poll(() => pathOf(page)).toBe('/o/umbrella')
})
