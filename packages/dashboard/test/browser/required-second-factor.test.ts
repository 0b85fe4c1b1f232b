/** A required second factor in the browser: turning it on, being refused, and entering with an app or a passkey. */
import { expect, onTestFinished, test } from 'vitest'
import { totpAt } from '../../../server/testkit/authenticator.ts'
import { addPasskeyDevice, axeViolations, screenshot } from '../../../server/testkit/browser.ts'
import { goodPassword, invite } from '../../../server/testkit/person.ts'
import { launchEmbeddedApp } from '../../../server/testkit/embedded.ts'
import { useFixture } from '../../../server/testkit/fixture.ts'
import { confirmIdentity, expectHeading, expectText, field, openPageAs, press, useBrowser } from './steps.ts'

const browser = useBrowser()
const app = useFixture(launchEmbeddedApp)

test('an owner requires it, a member sets up an app and sees the recovery codes, another adds a passkey', async () => {
  const { owner } = app
  // Browsers create no passkey for an IP address.
  const url = app.url.replace('127.0.0.1', 'localhost')
  const [grace, linus] = [await invite(owner), await invite(owner)]
  const { page: owners } = await openPageAs(owner, browser, url)
  await owners.goto('/o/acme/settings/sign-in')
  await expectText(owners, 'A password alone opens this organization.')
  await expectText(owners, '0 of 3 members have a second factor or a passkey.')
  // Who would lock themselves out is led to their account.
  await owners.getByRole('link', { name: 'Set up your own' }).click()
  await press(owners, 'Set up an authenticator app')
  await turnOn(owners)
  await press(owners, 'I saved the codes')
  await owners.goto('/o/acme/settings/sign-in')
  await expectText(owners, '1 of 3 members have a second factor or a passkey.')
  expect(await axeViolations(owners)).toEqual([])
  await press(owners, 'Require a second factor…')
  await expectText(owners, 'Grace and Grace have none yet.')
  expect(await axeViolations(owners)).toEqual([])
  await screenshot(owners, 'second-factor-rule-asking')
  await press(owners, 'Require a second factor')
  await expectText(owners, 'A password alone doesn’t open this organization.')
  await screenshot(owners, 'second-factor-rule')
  await owners.goto('/o/acme/audit')
  await expectText(owners, 'required a second factor')

  const { page } = await openPageAs(grace, browser, url)
  const { userCode } = await app.client.must('deviceStart', { clientName: 'laptop' })
  await page.goto(`/device#user_code=${userCode}`)
  await expectHeading(page, 'Set up a second factor first')
  await page.getByRole('link', { name: 'Open the organization' }).click()
  await expectText(page, 'Set up a second factor to open Acme Inc.')
  expect(await axeViolations(page)).toEqual([])
  await screenshot(page, 'second-factor-required')
  await press(page, 'Set up an authenticator app')
  await turnOn(page)
  await expect.poll(() => page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').count()).toBe(10)
  // The organization is open already; the codes stay until they are saved.
  await press(page, 'I saved the codes')
  await expectHeading(page, 'Overview')
  await page.goto(`/device#user_code=${userCode}`)
  await press(page, 'Approve')
  await expectHeading(page, 'Login approved')

  const { page: its } = await openPageAs(linus, browser, url)
  const device = await addPasskeyDevice(its)
  onTestFinished(() => device.remove())
  await its.goto('/o/acme/members')
  await expectText(its, 'Set up a second factor to open Acme Inc.')
  await field(its, 'Name of the new passkey').fill('Laptop')
  await press(its, 'Add passkey')
  await press(its, 'Sign in with a passkey')
  await expectHeading(its, 'Members')
})

/** Enters the code of an authenticator app that has just got the key, after a confirmation if the page asks for one. */
async function turnOn(page: Parameters<typeof press>[0]): Promise<void> {
  const key = page.getByLabel('Key', { exact: true })
  await key
    .or(page.getByRole('dialog', { name: 'Confirm it’s you' }))
    .first()
    .waitFor()
  if (!(await key.isVisible())) await confirmIdentity(page, goodPassword)
  const uri = `otpauth://totp/x?secret=${await key.inputValue()}`
  await field(page, 'Code').fill(totpAt(uri, Date.now()))
  await press(page, 'Turn on')
}
