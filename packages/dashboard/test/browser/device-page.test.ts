/** Tests the page on which a person decides about a command-line client. */
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { type TestPage } from '../../../server/testkit/browser.ts'
import { TestClock } from '../../../server/testkit/clock.ts'
import { useEmbeddedApp } from '../../../server/testkit/embedded.ts'
import { isLong } from '../../../server/testkit/long.ts'
import { invite } from '../../../server/testkit/person.ts'
import { query } from '../../../server/testkit/store.ts'
import { expectHeading, expectText, field, openPage, openPageAs, press, useBrowser } from './steps.ts'

const clock = new TestClock()
const app = useEmbeddedApp({}, { clock })
const browser = useBrowser()
let visit: TestPage
let page: Page

beforeEach(async () => {
  visit = await openPageAs(app.owner, browser, app.url)
  page = visit.page
})

interface Started {
  readonly deviceCode: string
  readonly userCode: string
  readonly verificationUri: string
  readonly verificationUriComplete: string
}

function start(clientName?: string): Promise<Started> {
  return app.client.must('deviceStart', { clientName }) as Promise<Started>
}

async function poll({ deviceCode }: Started): Promise<string> {
  const { status, body } = await app.client.call('devicePoll', { deviceCode })
  return status === 200 ? body.status : `${status} ${body.error.code}`
}

async function enter(code: string): Promise<void> {
  await page.goto(`${app.url}/device`)
  await field(page, 'Code').fill(code)
  await press(page, 'Continue')
}

async function main(): Promise<string> {
  return (await page.getByRole('main').textContent()) ?? ''
}

describe('a code', () => {
  test.each([
    ['as it is shown', (code: string) => code],
    ['with a dash', (code: string) => `${code.slice(0, 4)}-${code.slice(4)}`],
    [
      'in lower case, with blanks',
      (code: string) => ` ${code.slice(0, 4).toLowerCase()} ${code.slice(4).toLowerCase()} `,
    ],
  ])('is typed %s', async (_, typed) => {
    const started = await start('my laptop')
    await enter(typed(started.userCode))
    await expectHeading(page, 'Approve this login?')
    await press(page, 'Approve')
    await expectText(page, 'You can close this tab')
    expect(await poll(started)).toBe('approved')
  })

  test.runIf(isLong)('is accepted from a link, also in the query, and disappears from the address', async () => {
    const started = await start()
    await page.goto(`${app.url}/device?user_code=${started.userCode}`)
    await expectHeading(page, 'Approve this login?')
    await expect.poll(() => main()).toContain('Unnamed client')
    await expect.poll(() => page.url()).toBe(`${app.url}/device`)
    expect(await poll(started)).toBe('pending')
  })

  test('of a client whose stored name has hidden characters shows a sign for each', async () => {
    const started = await start('an old name')
    await query(
      app.dataDir,
      `update device_codes set client_name = $1 where client_name = 'an old name'`,
      'Acme\u202e.cnI',
    )
    await enter(started.userCode)
    await expectText(page, 'Acme\ufffd.cnI')
    expect(await main()).not.toContain('\u202e')
  })

  test('is denied, and the client learns of it', async () => {
    const started = await start()
    await page.goto(started.verificationUriComplete.replace('localhost', '127.0.0.1'))
    await press(page, 'Deny')
    await expectText(page, 'The device gets no access.')
    expect(await poll(started)).toBe('410 DEVICE_CODE_EXPIRED')
  })

  test('that is unknown, used or expired is refused with what to do', async () => {
    await enter('ABCDEFGH')
    await expectHeading(page, 'Code not found')
    const used = await start()
    await app.client.must('deviceComplete', { userCode: used.userCode }, { token: await app.owner.token() })
    await enter(used.userCode)
    await expectHeading(page, 'Code not found')
    await expect.poll(() => main()).toMatch(/start|again|new/i)
    clock.advance(-601_000)
    const old = await start()
    clock.advance(601_000)
    await enter(old.userCode)
    await expectHeading(page, 'Code expired')
    await expect.poll(() => main()).toMatch(/start|again|new/i)
  })

  test('that expires before the decision can no longer be approved', async () => {
    clock.advance(-601_000)
    const started = await start()
    await page.clock.install({ time: Date.now() - 601_000 })
    await enter(started.userCode)
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    clock.advance(601_000)
    await page.clock.fastForward(601_000)
    await expectHeading(page, 'Code expired')
    await expect.poll(() => page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
  })

  test.runIf(isLong)('that is malformed is not sent', async () => {
    await enter('ABC')
    await expectText(page, 'Enter the 8 letters and digits of the code.')
  })

  test.runIf(isLong)('that is canceled before the decision is not approved', async () => {
    const started = await start()
    await enter(started.userCode)
    await expectHeading(page, 'Approve this login?')
    await app.client.must('deviceDeny', { userCode: started.userCode }, { token: await app.owner.token() })
    await press(page, 'Approve')
    await expectHeading(page, 'Code not found')
    expect(await poll(started)).toBe('410 DEVICE_CODE_EXPIRED')
  })
})

test.runIf(isLong)('30 wrong codes lock a person out for a while', async () => {
  const grace = await invite(app.owner)
  const token = await grace.token()
  for (let i = 0; i < 30; i++) await app.client.call('deviceShow', { userCode: 'ZZZZZZZZ' }, { token })
  const theirs = await openPageAs(grace, browser, app.url)
  const started = await start()
  await theirs.page.goto(`/device#user_code=${started.userCode}`)
  await expectHeading(theirs.page, 'Too many attempts')
  await expectText(theirs.page, /Try again in (9|10) minutes/)
})

test('a name that a client chose is shown as text', async () => {
  const nasty = '<img src=x onerror=alert(1)> ' + 'long'.repeat(50)
  const { userCode } = await start(nasty)
  await enter(userCode)
  await expectHeading(page, 'Approve this login?')
  await expect.poll(() => main()).toContain('<img src=x onerror=alert(1)>')
  await expect.poll(() => page.locator('img[src="x"]').count()).toBe(0)
})

test('the person chooses the organization, and none is chosen by default', async () => {
  const slug = `second-${crypto.randomUUID()}`
  const grace = await invite(app.owner)
  await grace.must('/organization/create', { name: 'Second', slug })
  const started = await start()
  const theirs = await openPageAs(grace, browser, app.url)
  await theirs.page.goto(`/device#user_code=${started.userCode}`)
  await expectHeading(theirs.page, 'Approve this login?')
  const approve = theirs.page.getByRole('button', { name: 'Approve' })
  await expect.poll(() => approve.isDisabled()).toBe(true)
  await theirs.page.getByLabel('Organization', { exact: true }).selectOption({ label: 'Second' })
  await approve.click()
  await expectText(theirs.page, 'You can close this tab')
  const { accessToken } = await app.client.must('devicePoll', { deviceCode: started.deviceCode })
  expect(await app.client.must('session', {}, { token: accessToken })).toMatchObject({ orgSlug: slug })
})

test('a person who is signed out signs in and returns to the code', async () => {
  const started = await start('my laptop')
  const stranger = await openPage(browser, new URL(started.verificationUri).origin)
  await stranger.page.goto(started.verificationUriComplete)
  await field(stranger.page, 'Email').fill(app.owner.email)
  await field(stranger.page, 'Password').fill('correct horse battery')
  await press(stranger.page, 'Sign in')
  await expectHeading(stranger.page, 'Approve this login?')
  await press(stranger.page, 'Approve')
  await expectText(stranger.page, 'You can close this tab')
  expect(await poll(started)).toBe('approved')
})

test('the page is usable by keyboard only', async () => {
  const started = await start('my laptop')
  await page.goto(`${app.url}/device`)
  await expectHeading(page, 'Connect a device')
  await tabTo('Code')
  await page.keyboard.type(started.userCode.toLowerCase())
  await page.keyboard.press('Enter')
  await expectHeading(page, 'Approve this login?')
  await expect.poll(() => focused()).toBe('Approve this login?')
  await tabTo('Approve')
  await page.keyboard.press('Enter')
  await expectHeading(page, 'Login approved')
  expect(await poll(started)).toBe('approved')

  function focused(): Promise<string> {
    return page.evaluate<string>(
      `(document.activeElement.labels?.[0] ?? document.activeElement).textContent.replace(/\\s*\\*$/, '').trim()`,
    )
  }
  async function tabTo(name: string): Promise<void> {
    for (let i = 0; i < 20; i++) {
      if ((await focused()) === name) return
      await page.keyboard.press('Tab')
    }
    throw new Error(`${name} is not reached with the Tab key`)
  }
})
