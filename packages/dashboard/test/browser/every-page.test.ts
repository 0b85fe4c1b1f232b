/** Checks one page of each kind. The tests in `pages` check the others. */
import { expect, test } from 'vitest'
import { invite } from '../../../server/testkit/person.ts'
import { webClientId } from '../../../server/testkit/provider.ts'
import { useTestEnv } from '../../../server/testkit/test-env.ts'
import { at, expectGoodPages, reviewing, twoLooks, usePages, type Steps } from './pages.ts'
import { field, openPage, press, signedIn } from './steps.ts'

const { app, browser } = usePages()
const external = useTestEnv({ IDP_CLIENT_ID: webClientId })

const strangers: Record<string, Steps> = {
  'sign-in': at('/sign-in', 'Sign in'),
}

const members: Record<string, Steps> = {
  overview: async ({ page }) => {
    await page.goto('/o/acme')
    await page.getByRole('list', { name: 'Needs attention' }).getByRole('link').first().waitFor()
    await page.getByRole('list', { name: 'Recent changes' }).getByRole('link').first().waitFor()
    await page.getByRole('list', { name: 'Rolls in progress' }).getByRole('link').first().waitFor()
    await page.getByRole('img', { name: /^Evaluations/ }).waitFor()
  },
  'project, reviewing': async ({ page }) => {
    await page.goto('/o/acme/p/shop')
    await press(page, 'New variable')
    await field(page, 'Name').fill(`${'LONG_'.repeat(12)}NEW`)
    await field(page, 'Value').fill('z')
    await press(page, 'Add to draft')
    await page.getByRole('button', { name: /^DATABASE_URL in prod, / }).click()
    await press(page, 'Edit')
    await field(page, 'Value').fill('x')
    await press(page, 'Add to draft')
    await press(page, 'Review draft')
    await press(page, 'Show new value of DATABASE_URL in prod')
  },
  rollout: async ({ page }) => {
    await page.goto('/o/acme/p/shop/roll?stage=prod&name=CHECKOUT_FLOW')
    await field(page, 'Seed').fill('user_abc123')
    await page.getByRole('img', { name: /^A and B served/ }).waitFor()
  },
  'audit log': async ({ page }) => {
    await page.goto('/o/acme/audit')
    await page.locator('[data-entry]').first().click()
    await page.getByText('Actor ID', { exact: true }).waitFor()
  },
  access: async ({ page }) => {
    await page.goto('/o/acme/p/shop/access')
    await page.getByRole('button', { name: /^On call in staging: developer/ }).waitFor()
  },
}

const membersOfTwo: Record<string, Steps> = {
  'device, choosing': async (visit) => {
    await reviewing(app)(visit)
    await visit.page.getByRole('combobox', { name: 'Organization' }).waitFor()
  },
}

const outsiders: Record<string, Steps> = {
  'external, sign-in': at('/sign-in', 'Sign in'),
}

expectGoodPages('for strangers', strangers, () => browser.newPage({ baseUrl: app.url }), twoLooks)
expectGoodPages('for members', members, () => signedIn(browser, app.url, app.owner), twoLooks)
expectGoodPages(
  'for members of two organizations',
  membersOfTwo,
  async () => {
    const grace = await invite(app.owner)
    await grace.must('/organization/create', { name: 'Another', slug: 'another' })
    return signedIn(browser, app.url, grace)
  },
  twoLooks,
)
expectGoodPages('with an external provider', outsiders, () => browser.newPage({ baseUrl: external.app.url }), twoLooks)

test('the first page needs less than 250 kB of compressed script', async () => {
  const visit = await openPage(browser, app.url)
  let bytes = 0
  visit.page.on('response', (response) => {
    if (response.request().resourceType() === 'script') bytes += Number(response.headers()['content-length'])
  })
  await at('/', 'Sign in')(visit)
  await visit.page.waitForLoadState('networkidle')
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes).toBeLessThan(250_000)
})
