/** “Company sign-in only” in the browser: turning it on, being refused, and entering through the company. */
import { expect, test } from 'vitest'
import { axeViolations, screenshot } from '../../../server/testkit/browser.ts'
import { useCompany } from '../../../server/testkit/company.ts'
import { launchEmbeddedApp } from '../../../server/testkit/embedded.ts'
import { useFixture } from '../../../server/testkit/fixture.ts'
import { invite } from '../../../server/testkit/person.ts'
import { expectText, openPage, openPageAs, press, useBrowser } from './steps.ts'

const company = useCompany()
const browser = useBrowser()
const app = useFixture(() =>
  launchEmbeddedApp({
    SIGN_IN: 'one',
    SIGN_IN_ONE_ISSUER: company.issuer,
    SIGN_IN_ONE_CLIENT_ID: 'rollkey',
    SIGN_IN_ONE_CLIENT_SECRET: 'secret',
    SIGN_IN_ONE_LABEL: 'Company One',
    SIGN_IN_ONE_JOIN: 'acme:member',
    SIGN_IN_ONE_DOMAINS: 'one.example',
  }),
)

test('an owner requires it, a member connects the company and enters, and the owner is excepted', async () => {
  const member = await invite(app.owner)
  const { page } = await openPageAs(member, browser, app.url, company.issuer)
  const { page: owners } = await openPageAs(app.owner, browser, app.url)
  await owners.goto('/o/acme/members')
  await expectText(owners, 'Signs in with')
  await owners.goto('/o/acme/settings/sign-in')
  await expectText(owners, 'Members sign in with any of these ways.')
  await expectText(owners, 'Company One: people of one.example join as member')
  expect(await axeViolations(owners)).toEqual([])
  await screenshot(owners, 'sign-in-rules')
  await press(owners, 'Require company sign-in…')
  await expectText(owners, 'Grace has no account at the company yet')
  expect(await axeViolations(owners)).toEqual([])
  await screenshot(owners, 'sign-in-rules-asking')
  await press(owners, 'Require company sign-in')
  await expectText(owners, 'Only a sign-in at the company opens this organization.')
  await expectText(owners, 'Except for Ada.')
  await owners.goto('/o/acme/audit')
  await expectText(owners, 'required sign-in at the company, except for Ada')

  const claims = { sub: 'grace', name: 'Grace', email: 'grace@one.example', email_verified: true }
  await page.route(`${company.issuer}/authorize**`, async (route) => {
    const query = await company.admit(route.request().url(), claims)
    await route.fulfill({ status: 302, headers: { location: `${app.url}/identity/company/callback/one?${query}` } })
  })
  await page.goto('/o/acme/p/shop')
  await expectText(page, /Sign in at your company to open/)
  expect(await page.getByRole('link', { name: /^Skip to/ }).allInnerTexts()).toEqual(['Skip to content'])
  await page.goto('/o/acme')
  await expectText(page, /Sign in at your company to open/)
  expect(await axeViolations(page)).toEqual([])
  await screenshot(page, 'company-required')
  await press(page, 'Connect Company One')
  await press(page, 'Sign in with Company One')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()

  const { page: stranger } = await openPage(browser, app.url, company.issuer)
  await stranger.goto('/sign-in')
  await stranger.getByLabel('Email').fill(member.email)
  await stranger.getByLabel('Password', { exact: true }).fill('correct horse battery')
  await stranger.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expectText(stranger, 'Your organization requires that you sign in at your company.')

  await owners.goto('/o/acme/settings/sign-in')
  await press(owners, 'Allow every way…')
  await press(owners, 'Allow every way')
  await expectText(owners, 'Members sign in with any of these ways.')
})
