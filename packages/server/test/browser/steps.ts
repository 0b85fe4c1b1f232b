/** What a person does on a page, in the words that the page uses. */
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { PageOptions, TestBrowser, TestPage } from '../../testkit/browser.ts'
import { Person } from '../../testkit/person.ts'

/** By its label; what the label says beside it, such as a mark for required fields, does not matter. */
export function field(page: Page, label: string): Locator {
  return page
    .getByRole('textbox', { name: label })
    .or(page.getByLabel(label, { exact: true }))
    .first()
}

export async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click()
}

/** No page failed, none broke its policy, and none asked anybody but these origins for anything. */
export function expectClean({ cspViolations, pageErrors, requestedUrls }: TestPage, ...origins: string[]): void {
  expect(cspViolations).toEqual([])
  expect(pageErrors).toEqual([])
  expect(requestedUrls.filter((url) => !origins.includes(new URL(url).origin))).toEqual([])
}

/** Waits for a text to be seen. */
export async function expectText(page: Page, text: string | RegExp): Promise<void> {
  await page.getByText(text).first().waitFor()
}

/** Waits for the page of this heading. */
export async function expectHeading(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name }).waitFor()
}

const isStill = `document.getAnimations().every(({ playState }) => playState !== 'running')`

/** Dialogs, buttons and colours fade; one on its way would be judged otherwise. */
export async function expectStill(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(isStill)).toBe(true)
}

/** A page of a person who is signed in already: with a session cookie of their own. */
export async function signedIn(
  browser: TestBrowser,
  url: string,
  person: Person,
  options: PageOptions = {},
): Promise<TestPage> {
  const visit = await browser.newPage({ baseUrl: url, ...options })
  const fresh = new Person(url, person.email)
  await fresh.signIn()
  await visit.page.context().addCookies(fresh.cookies.map(([name, value]) => ({ name, value, url })))
  return visit
}
