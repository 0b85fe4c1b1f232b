/** Tests the overview of an organization, and its usage against the plan, in the browser. */
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { type TestPage } from '../../../server/testkit/browser.ts'
import { expectHeading, expectText, openPageAs, useBrowser, useEmbeddedAppPerTest } from './steps.ts'

const at = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'prod' }

const app = useEmbeddedAppPerTest({ PLAN: 'free', FREE_EVALUATIONS: '20' })
const browser = useBrowser()
let visit: TestPage
let page: Page

beforeEach(async () => {
  visit = await openPageAs(app.owner, browser, app.url)
  page = visit.page
  await page.clock.install()
})

async function must(operation: 'write' | 'evaluate' | 'pull', body: object): Promise<void> {
  await app.client.must(operation, { ...at, ...body }, { token: await app.owner.token() })
}

async function write(names: readonly string[], place: object = {}): Promise<void> {
  const entries = names.map((name) => ({ kind: 'secret', name, value: 'canary-value-7e31' }))
  await must('write', { ...place, mode: 'upsert', entries })
}

describe('the overview', () => {
  test('leads a newcomer through the first steps, and then shows changes as they are made', async () => {
    await page.goto('/o/acme')
    await expectText(page, '0 of 5 done')
    await page.getByRole('button', { name: 'Install the CLI and log in' }).click()
    await expectText(page, /rollkey login --url http/)
    await app.client.login(await app.owner.token())
    await page.clock.runFor(5_000)
    await expectText(page, '1 of 5 done')
    await write(['API_KEY'])
    await write(['API_KEY', 'DB_URL', 'LOG_LEVEL'], { stageSlug: 'dev' })
    await page.reload()
    await expectText(page, '3 of 5 done')
    const changes = page.getByRole('list', { name: 'Recent changes' })
    await changes.getByText('Ada added API_KEY and 2 more').waitFor()
    await write(['NEW'])
    await page.clock.runFor(10_000)
    await changes.getByText('Ada added NEW').waitFor()
    expect(await page.content()).not.toContain('canary-value')
  })

  test('leads to what production lacks', async () => {
    await write(['API_KEY'])
    await write(['API_KEY', 'DB_URL', 'LOG_LEVEL'], { stageSlug: 'dev' })
    await page.goto('/o/acme')
    await page.getByRole('link', { name: '2 variables are missing in shop / prod' }).click()
    await page.waitForURL(/\/o\/acme\/p\/shop\?missing=prod$/)
    await page.getByRole('rowheader', { name: /DB_URL/ }).waitFor()
    await expect.poll(() => page.getByRole('rowheader', { name: /API_KEY/ }).count()).toBe(0)
  })

  test('keeps its parts when one cannot be loaded, and loads that as soon as it can', async () => {
    await write(['API_KEY'])
    let isFailing = true
    await page.route('**/v1/history/recent', (route) =>
      isFailing ? route.fulfill({ status: 503, body: 'unavailable' }) : route.continue(),
    )
    await page.goto('/o/acme')
    await page.getByRole('list', { name: 'Projects' }).getByRole('link', { name: 'shop' }).waitFor()
    const again = page.getByRole('button', { name: 'Try again', exact: true })
    await again.waitFor()
    isFailing = false
    await page.clock.runFor(10_000)
    await page.getByRole('list', { name: 'Recent changes' }).waitFor()
    await expect.poll(() => again.count()).toBe(0)
  })
})

describe('usage', () => {
  test('is shown in a browser whose language is not a language tag, as on a Linux without a locale', async () => {
    await page.addInitScript(() => Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix' }))
    await page.goto('/o/acme/usage')
    await expectText(page, '0% of 20')
  })

  test('grows live, by stage, up to the limit, and the page says what the limit does', async () => {
    await write(['API_KEY'])
    await page.goto('/o/acme/usage')
    await expectText(page, /^Evaluations in /)
    await expectText(page, '0% of 20')
    await must('pull', { stageSlug: 'prdo' })
    await must('evaluate', { name: 'API_KEY' })
    await page.clock.runFor(10_000)
    await expectText(page, '10% of 20')
    await page.getByRole('row', { name: /^Stages that don’t exist 1 / }).waitFor()
    await page.getByRole('row', { name: /^\w{3} \d{4} 2$/ }).waitFor()
    await page.getByLabel('Stage', { exact: true }).selectOption('shop / prod')
    await page.getByText('7 days').click()
    await page.waitForURL(/\?days=7&stage=shop.+prod$/)
    await page.getByText('Show the figures').click()
    await page.getByRole('row', { name: /^\w{3} \d+ 1$/ }).waitFor()
    for (let used = 2; used < 20; used++) await must('evaluate', { name: 'API_KEY' })
    const { status } = await app.client.call('pull', at, { token: await app.owner.token() })
    expect(status).toBe(402)
    await page.clock.runFor(10_000)
    await expectText(page, 'The limit is reached')
    await expectText(page, /are refused \(USAGE_LIMIT_EXCEEDED, status 402\) until \w{3} 1, 0:00 UTC/)
    const bar = page.getByRole('progressbar', { name: 'Evaluations of the plan' })
    await expect.poll(() => bar.getAttribute('aria-valuenow')).toBe('100')
    await page.getByRole('link', { name: 'By credential' }).click()
    await expectHeading(page, 'Usage by credential')
    await page.getByRole('row', { name: /Ada .*shop \/ prod.* 19 95%/ }).waitFor()
  })
})
