/** The banner of the demo. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readDemoConfig } from '../../../server/src/config.ts'
import { createLog } from '../../../server/src/base/log.ts'
import { startDemo, type Demo } from '../../../server/src/compose/demo.ts'
import { axeViolations } from '../../../server/testkit/browser.ts'
import { useFolder } from '../../../server/testkit/folder.ts'
import { expectHeading, expectStill, field, openPage, press, useBrowser } from './steps.ts'

const banner = 'This is a demo: everything here is lost when the server stops.'
const browser = useBrowser()
const dataDir = useFolder()
let demo: Demo

beforeAll(async () => {
  const environment = { ROLLKEY_PORT: '0', ROLLKEY_DATA_DIR: dataDir }
  demo = await startDemo(readDemoConfig(environment), createLog('silent'))
})
afterAll(() => demo.close())

/** Records whether the banner is there when the page is first drawn, so that nothing moves later. */
const recordFirst = `new MutationObserver(() => {
  if (!document.querySelector('main')) return
  window.hadBanner ??= document.body.textContent.includes(${JSON.stringify(banner)})
}).observe(document, { childList: true, subtree: true })`

async function expectBanner(page: Page): Promise<void> {
  await page.getByText(banner).waitFor()
  expect(await page.evaluate('window.hadBanner')).toBe(true)
}

test('says on each page that it is a demo, as soon as the page is there', async () => {
  const { page } = await openPage(browser, demo.publicUrl)
  await page.addInitScript(recordFirst)
  await page.goto('/sign-in')
  await field(page, 'Email').waitFor()
  await expectBanner(page)
  await field(page, 'Email').fill(demo.signIn.email)
  await page.locator('input[type=password]').fill(demo.signIn.password)
  await press(page, 'Sign in')
  await expectHeading(page, 'Overview')
  await expectBanner(page)
  await expectStill(page)
  expect(await axeViolations(page)).toEqual([])
  for (const path of [
    '/o/acme/projects',
    '/o/acme/audit',
    '/o/acme/account',
    '/o/acme/nothing',
    '/nothing',
    '/device',
  ]) {
    await page.goto(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await expectBanner(page)
  }
})
