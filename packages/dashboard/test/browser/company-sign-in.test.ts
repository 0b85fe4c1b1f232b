/** Tests signing in at companies' providers in the browser. */
import { expect, test } from 'vitest'
import { axeViolations } from '../../../server/testkit/browser.ts'
import { useCompany } from '../../../server/testkit/company.ts'
import { launchEmbeddedApp } from '../../../server/testkit/embedded.ts'
import { useFixture } from '../../../server/testkit/fixture.ts'
import { expectText, openPage, openPageAs, useBrowser } from './steps.ts'

const company = useCompany()
const browser = useBrowser()
const app = useFixture(() =>
  launchEmbeddedApp({
    SIGN_IN: 'one,down',
    SIGN_IN_ONE_ISSUER: company.issuer,
    SIGN_IN_ONE_CLIENT_ID: 'rollkey',
    SIGN_IN_ONE_CLIENT_SECRET: 'secret',
    SIGN_IN_ONE_LABEL: 'Company One',
    SIGN_IN_ONE_JOIN: 'acme:member',
    SIGN_IN_ONE_DOMAINS: 'one.example',
    SIGN_IN_DOWN_ISSUER: 'http://127.0.0.1:1',
    SIGN_IN_DOWN_CLIENT_ID: 'rollkey',
    SIGN_IN_DOWN_LABEL: 'Company Two',
  }),
)

const grace = { sub: 'grace', name: 'Grace', email: 'grace@one.example', email_verified: true }

test('a person of the company signs in and joins; a stranger reads why not', async () => {
  const { page } = await openPage(browser, app.url, company.issuer)
  let who: object = { ...grace, email_verified: false }
  await page.route(`${company.issuer}/authorize**`, async (route) => {
    const query = await company.admit(route.request().url(), { ...who })
    await route.fulfill({ status: 302, headers: { location: `${app.url}/identity/company/callback/one?${query}` } })
  })
  await page.goto('/sign-in')
  await expectText(page, 'Company Two doesn’t answer at the moment.')
  expect(await axeViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'Sign in with Company One' }).click()
  await expectText(page, 'The sign-in with Company One didn’t finish')
  await expectText(page, 'may not join by itself')
  expect(await axeViolations(page)).toEqual([])
  who = grace
  await page.getByRole('button', { name: 'Sign in with Company One' }).click()
  await page.waitForURL(/\/o\/acme/)
})

test('the account page connects a provider', async () => {
  const { page } = await openPageAs(app.owner, browser, app.url)
  await page.goto('/o/acme/account')
  await page.getByRole('button', { name: 'Connect Company One' }).waitFor()
  expect(await axeViolations(page)).toEqual([])
})
