/** Steps of a person on a page, named by the page's texts. */
import type { Locator, Page } from 'playwright-core'
import { beforeEach, expect, onTestFinished } from 'vitest'
import { sharedBrowser, type TestBrowser, type TestPage } from '../../../server/testkit/browser.ts'
import { launchEmbeddedApp, type EmbeddedApp } from '../../../server/testkit/embedded.ts'
import { useFixture } from '../../../server/testkit/fixture.ts'
import { Person } from '../../../server/testkit/person.ts'

/** Returns the field with this label. Additions to the label, such as a mark for required fields, are ignored. */
export function field(page: Page, label: string): Locator {
  return page
    .getByRole('textbox', { name: label })
    .or(page.getByLabel(label, { exact: true }))
    .first()
}

export async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click()
}

/** Signs out through the menu of the account. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account of/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
}

/** Returns the button that saves an open variable in its stages. */
export function saveButton(page: Page): Locator {
  return page.getByRole('dialog').getByRole('button', { name: /^Save to / })
}

/** Reveals the values of the open variable, and waits until they are there. */
export async function reveal(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog
    .getByRole('button', { name: /^Reveal value / })
    .first()
    .click()
  await dialog
    .getByRole('button', { name: /^Hide value / })
    .first()
    .waitFor()
}

/** Expects no page error, no CSP violation, and no request to another origin. */
export function expectClean({ cspViolations, pageErrors, requestedUrls }: TestPage, ...origins: string[]): void {
  expect(cspViolations).toEqual([])
  expect(pageErrors).toEqual([])
  expect(requestedUrls.filter((url) => !origins.includes(new URL(url).origin))).toEqual([])
}

/** Waits until a text is visible. */
export async function expectText(page: Page, text: string | RegExp): Promise<void> {
  await page.getByText(text).first().waitFor()
}

/** Waits for the page with this heading. */
export async function expectHeading(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name }).waitFor()
}

/** What follows the scroll position is never over, and moves only with that. */
const isStill = `document
  .getAnimations()
  .every(({ playState, timeline }) => playState !== 'running' || timeline instanceof ScrollTimeline)`

/** Shows the page in the other colors. It follows a moment later, and its colors begin to change with the next frame. */
export async function setColorScheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
}

/** Waits for the end of animations. A dialog, button or color that is still fading would give other results. */
export async function expectStill(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(isStill)).toBe(true)
}

/** Waits until the person is asked for a fresh confirmation, behind which the button that needs it keeps turning, and gives it. */
export async function confirmIdentity(page: Page, password: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' })
  await dialog.locator('input[type=password]').fill(password)
  await dialog.getByRole('button', { name: 'Confirm', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}

/** Opens a page for a signed-in person with a separate session cookie. */
export async function signedIn(browser: TestBrowser, url: string, person: Person): Promise<TestPage> {
  const visit = await browser.newPage({ baseUrl: url })
  const fresh = new Person(url, person.email)
  await fresh.signIn()
  await visit.page.context().addCookies(fresh.cookies.map(([name, value]) => ({ name, value, url })))
  return visit
}

/** Returns the browser of this process. The pages that a file opens are closed at its end. */
export function useBrowser(): TestBrowser {
  return useFixture(sharedBrowser)
}

/** Returns a new service for each test, because others change what the whole organization has. */
export function useEmbeddedAppPerTest(settings?: Record<string, string>): EmbeddedApp {
  const app: Partial<EmbeddedApp> = {}
  beforeEach(async () => {
    const started = await launchEmbeddedApp(settings)
    Object.assign(app, started)
    onTestFinished(() => started.close())
  })
  return app as EmbeddedApp
}

/** Opens a page until the end of the current test, and then expects it to be clean. It may also visit the `origins`. */
export async function openPage(browser: TestBrowser, url: string, ...origins: string[]): Promise<TestPage> {
  return untilTestEnds(await browser.newPage({ baseUrl: url }), url, ...origins)
}

/** Opens a page for a signed-in person until the end of the current test, and then expects it to be clean. */
export async function openPageAs(
  person: Person,
  browser: TestBrowser,
  url: string,
  ...origins: string[]
): Promise<TestPage> {
  return untilTestEnds(await signedIn(browser, url, person), url, ...origins)
}

function untilTestEnds(visit: TestPage, ...origins: string[]): TestPage {
  onTestFinished(async () => {
    await visit.close()
    expectClean(visit, ...origins)
  })
  return visit
}
