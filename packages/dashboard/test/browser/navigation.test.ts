/** Tests the frame around all pages: the ways to pages and actions, and what it says about the server. */
import type { Locator, Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../server/testkit/app.ts'
import { axeViolations, storageDump } from '../../../server/testkit/browser.ts'
import { useEmbeddedApp } from '../../../server/testkit/embedded.ts'
import { isLong } from '../../../server/testkit/long.ts'
import { invite } from '../../../server/testkit/person.ts'
import { expectHeading, expectStill, expectText, openPage, openPageAs, press, signOut, useBrowser } from './steps.ts'

const app = useEmbeddedApp()
const browser = useBrowser()
let page: Page

beforeAll(async () => {
  for (const projectSlug of ['shop', 'mobile']) {
    const entries = [{ kind: 'secret', name: `${projectSlug.toUpperCase()}_KEY`, value: 'canary-of-navigation' }]
    for (const stageSlug of ['dev', 'prod']) {
      const body = { orgSlug: 'acme', projectSlug, stageSlug, mode: 'upsert', entries }
      await app.client.must('write', body, { token: await app.owner.token() })
    }
  }
})
beforeEach(async () => {
  const visit = await openPageAs(app.owner, browser, app.url)
  page = visit.page
})

function crumbs(): Promise<string[]> {
  return page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('listitem').allInnerTexts()
}

function pathOf(): string {
  const { pathname, search } = new URL(page.url())
  return pathname + search
}

async function openPalette(query: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search pages, variables and actions' }).fill(query)
}

/** Presses keys in one turn of the page. A slow machine could take longer between two than a shortcut allows. */
function pressInTurn(...keys: string[]): Promise<void> {
  return page.evaluate(`for (const key of ${JSON.stringify(keys)})
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))`)
}

test.each(['chg_none', 'chg_none?project=shop&stage=dev'])('says that there is no change %s', async (address) => {
  await page.goto(`/o/acme/changes/${address}`)
  await expectHeading(page, 'Change not found')
  await page.getByRole('link', { name: 'See all changes' }).click()
  await expectHeading(page, 'Changes')
})

test.each([
  ['/o/acme', 'Overview', 'concepts'],
  ['/o/acme/settings/keys', 'Client keys', 'client-keys'],
])('the documentation of %s is what the page is about', async (address, heading, docs) => {
  await page.goto(address)
  await expectHeading(page, heading)
  const link = page.getByRole('banner').getByRole('link', { name: 'Documentation' })
  expect(await link.getAttribute('href')).toBe(`/docs/${docs}`)
  await page.getByRole('button', { name: /^Account of/ }).click()
  const entry = page.getByRole('menuitem', { name: 'Documentation' })
  expect(await entry.getAttribute('href')).toBe(`/docs/${docs}`)
})

test('two links at the top of a project skip to its heading, and to its table', async () => {
  await page.goto('/o/acme/p/shop')
  await page.getByRole('gridcell').first().waitFor()
  await page.getByRole('link', { name: 'Skip to content' }).focus()
  await page.keyboard.press('Tab')
  await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toBe('Skip to the variables')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate('document.activeElement?.closest("[role=grid]") !== null')).toBe(true)
  await page.goto('/o/acme/projects')
  await expectHeading(page, 'Projects')
  expect(await page.getByRole('link', { name: 'Skip to the variables' }).count()).toBe(0)
})

test('opening a project asks for nothing twice, and for its variables after five others', async () => {
  // A part of the page that appears more than five seconds after another asks again.
  await page.clock.setFixedTime(Date.now())
  const asked: string[] = []
  const followed = page.waitForRequest(/\/v1\/events/)
  const variables = page.waitForRequest(/\/v1\/env\/digests/)
  const before = ['/v1/web/settings', '/identity/get-session', '/identity/organization/list', '/identity/token']
  await page.route(/\/(?:v1|identity)\//, async (route) => {
    const request = route.request()
    const { pathname, search } = new URL(request.url())
    asked.push(`${request.method()} ${pathname}${search} ${request.postData() ?? ''}`)
    // No other answer is there when the page asks for variables.
    if (![...before, '/v1/projects/list'].includes(pathname)) await variables
    await route.continue()
  })
  await page.goto('/o/acme/p/shop')
  await page.getByRole('gridcell').first().waitFor()
  await followed
  expect(asked.filter((text, at) => asked.indexOf(text) !== at)).toEqual([])
})

describe('the sidebar', () => {
  test('leads to every page, marks the current one, and lists recent projects', async () => {
    await page.goto('/o/acme')
    const main = page.getByRole('navigation', { name: 'Main' })
    for (const name of ['Projects', 'Rolls', 'Usage', 'Audit log', 'Members', 'Settings']) {
      await main.getByRole('link', { name, exact: true }).click()
      await main.locator('[aria-current=page]').filter({ hasText: name }).waitFor()
    }
    await main.getByRole('link', { name: 'shop' }).click()
    await expectHeading(page, 'shop')
    await expect.poll(() => main.locator('[aria-current=page]').allInnerTexts()).toEqual(['shop'])
  })

  test.runIf(isLong)('stays collapsed after a reload', async () => {
    await page.goto('/o/acme')
    await page.getByRole('button', { name: 'Collapse sidebar' }).click()
    await page.reload()
    await page.getByRole('button', { name: 'Expand sidebar' }).waitFor()
    await expectStill(page)
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('link', { name: 'Members', exact: true }).click()
    await expectHeading(page, 'Members')
  })

  test.runIf(isLong)('hides the audit log from members', async () => {
    const visit = await openPageAs(await invite(app.owner), browser, app.url)
    const known = visit.page.waitForResponse(/\/v1\/whoami/)
    await visit.page.goto('/o/acme')
    await known
    await expect.poll(() => visit.page.getByRole('link', { name: 'Audit log' }).count()).toBe(0)
  })

  test('on a phone is a bar with a sheet', async () => {
    await page.setViewportSize({ width: 360, height: 780 })
    await page.goto('/o/acme')
    const projects = page.getByRole('link', { name: 'Projects', exact: true })
    await projects.click()
    await expectHeading(page, 'Projects')
    await expect.poll(() => projects.getAttribute('aria-current')).toBe('page')
    // A project is one of the pages of "Projects".
    await page.goto('/o/acme/p/shop')
    await expectHeading(page, 'shop')
    await expect.poll(() => projects.getAttribute('data-current')).toBe('true')
    await expect
      .poll(() => page.getByRole('link', { name: 'Overview', exact: true }).getAttribute('data-current'))
      .toBeNull()
    const bar = page.getByRole('navigation', { name: 'Main' })
    await bar.getByRole('link', { name: 'Changes', exact: true }).click()
    await expectHeading(page, 'Changes')
    const more = bar.getByRole('button', { name: 'More', exact: true })
    expect(await more.getAttribute('aria-current')).toBeNull()
    await more.click()
    await page.getByRole('dialog').getByRole('link', { name: 'Members' }).click()
    await expectHeading(page, 'Members')
    await expect.poll(() => bar.locator('[aria-current]').allInnerTexts()).toEqual(['More'])
  })
})

test('a project leads to its tokens, keys and trusts, whose forms begin with it', async () => {
  for (const [name, create] of [
    ['Service tokens', 'New token'],
    ['Client keys', 'New client key'],
    ['Trusts (OIDC)', 'New trust'],
  ] as const) {
    await page.goto('/o/acme/p/shop')
    await press(page, 'More')
    await page.getByRole('menuitem', { name }).click()
    await expectHeading(page, name)
    await expect.poll(() => page.url()).toContain('?project=shop')
    await press(page, create)
    const project = page.getByRole('dialog').getByRole('combobox', { name: 'Project' })
    await expect.poll(() => project.inputValue()).toBe('shop')
  }
})

test('an address that an organization does not have keeps the navigation', async () => {
  await page.goto('/o/acme/nowhere')
  await expectHeading(page, 'Page not found')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Rolls', exact: true }).waitFor()
  await page.getByRole('link', { name: 'Go to the overview' }).click()
  await expectHeading(page, 'Overview')
})

test.runIf(isLong)('addresses from before lead to where the pages went', async () => {
  await page.goto('/o/acme/organization/tokens')
  await expectHeading(page, 'Service tokens')
  await expect.poll(pathOf).toBe('/o/acme/settings/tokens')
})

describe('breadcrumbs', () => {
  test.runIf(isLong)('name organization, project, page and stage, and switch project and stage', async () => {
    await page.goto('/o/acme/p/shop/history?stage=prod')
    await page.getByRole('button', { name: 'Stage: prod' }).waitFor()
    expect((await crumbs()).map((each) => each.trim())).toEqual(['Acme Inc.', 'shop', 'History', 'prod'])
    await page.getByRole('button', { name: 'Stage: prod' }).click()
    await page.getByRole('menuitemradio', { name: 'dev' }).click()
    await page.waitForURL(/stage=dev/)
    await page.getByRole('button', { name: 'Switch project' }).click()
    await page.getByRole('menuitemradio', { name: 'mobile' }).click()
    await expectHeading(page, 'mobile')
  })
})

describe('the palette', () => {
  test('finds a variable on the server, and opens it by keyboard alone', async () => {
    await page.goto('/o/acme')
    await expectHeading(page, 'Overview')
    await openPalette('')
    await page.getByRole('option').first().waitFor()
    await expectStill(page)
    expect(await axeViolations(page)).toEqual([])
    await page.keyboard.type('zzz')
    await expectText(page, 'Nothing matches “zzz”')
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('combobox').fill('mobile_k')
    await page.getByRole('option', { name: /^MOBILE_KEY/ }).waitFor()
    await expectStill(page)
    expect(await axeViolations(page)).toEqual([])
    expect(await page.getByRole('dialog').innerText()).not.toContain('canary')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/o\/acme\/p\/mobile\?.*variable=MOBILE_KEY/)
    await page.getByRole('dialog').waitFor()
    expect(await storageDump(page)).not.toContain('MOBILE_KEY')
  })

  test('gives the focus back where it was, also the first time', async () => {
    await page.goto('/o/acme/p/shop')
    const cell = page.locator('[data-hint="prod/SHOP_KEY"]')
    await cell.focus()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => page.locator(':focus').getAttribute('data-hint')).toBe('prod/SHOP_KEY')
  })

  test('opens over a drawer, leads from one variable to another, and leaves nothing that was typed', async () => {
    const details = (name: string) => page.getByRole('group', { name: `Details of ${name}` })
    await page.goto('/o/acme/p/shop?stage=dev&variable=SHOP_KEY')
    await details('SHOP_KEY').waitFor()
    await openPalette('MOBILE_KEY')
    await page.getByRole('option', { name: /^MOBILE_KEY/ }).waitFor()
    await page.keyboard.press('Enter')
    await details('MOBILE_KEY').waitFor()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    const field = page.getByRole('textbox', { name: 'Value', exact: true })
    await field.fill('typed')
    await openPalette('usage')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Keep editing' }).click()
    await expect.poll(() => field.inputValue()).toBe('typed')
  })

  test('runs an action of another page', async () => {
    await page.goto('/o/acme/audit')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await openPalette('new project')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'New project' }).waitFor()
    await expect.poll(pathOf).toBe('/o/acme/projects')
  })
})

test('a new roll of the list is one in the project that the person chooses', async () => {
  await page.goto('/o/acme/rolls')
  await page.getByRole('button', { name: 'New roll' }).waitFor()
  await page.keyboard.press('n')
  await page.getByRole('menuitem', { name: 'mobile' }).click()
  const form = page.getByRole('dialog', { name: 'New variable' })
  const isChosen = (kind: string) => form.getByRole('radio', { name: kind }).isChecked()
  await expect.poll(() => isChosen('A/B roll')).toBe(true)
  await page.waitForURL(/\/o\/acme\/p\/mobile\?/)
  // Another one begins as any variable.
  await page.keyboard.press('Escape')
  await form.waitFor({ state: 'detached' })
  await page.keyboard.press('n')
  await expect.poll(() => isChosen('One value')).toBe(true)
})

describe('shortcuts', () => {
  test('open pages, and are listed with those of the page first', async () => {
    await page.goto('/o/acme')
    await expectHeading(page, 'Overview')
    await pressInTurn('g', 'p')
    await expectHeading(page, 'Projects')
    await page.keyboard.press('?')
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await sheet.getByText('New project').waitFor()
    await expect.poll(() => sheet.getByRole('heading', { level: 3 }).first().innerText()).toBe('This page')
    await expectStill(page)
    expect(await axeViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    await page.keyboard.press('n')
    await page.getByRole('dialog', { name: 'New project' }).waitFor()
  })
})

test('a lost server shows a banner until it answers again', async () => {
  await page.goto('/o/acme/projects')
  await expectHeading(page, 'Projects')
  await page.route('**/v1/**', (route) => route.abort())
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Usage' }).click()
  await expectText(page, 'Can’t reach the server. Retrying…')
  await page.unroute('**/v1/**')
  await expectText(page, 'Connected again')
  await page.getByText('Can’t reach the server').waitFor({ state: 'detached' })
})

test('a lost server leaves the page as it is, although who is signed in cannot be confirmed', async () => {
  await page.clock.install()
  await page.goto('/o/acme/p/shop')
  const cell = page.getByRole('gridcell').getByRole('button', { name: 'SHOP_KEY in dev, Set' })
  await cell.waitFor()
  await page.route(/\/(v1|identity)\//, (route) => route.abort())
  await page.clock.runFor(60_000)
  await cell.click()
  await page.getByRole('dialog', { name: 'SHOP_KEY' }).waitFor()
  await page.keyboard.press('Escape')
  await page.clock.runFor(5_000)
  await expectText(page, 'Can’t reach the server. Retrying…')
  await cell.waitFor()
  expect(await page.getByText(/This page can’t be shown|Connected again/).count()).toBe(0)
  await page.unroute(/\/(v1|identity)\//)
  await page.clock.runFor(5_000)
  await expectText(page, 'Connected again')
})

test.runIf(isLong)('a page that could not be shown without the server appears once it answers', async () => {
  await page.clock.install()
  await page.goto('/o/acme/rolls')
  await expectHeading(page, 'Rolls')
  await page.route('**/v1/web/settings', (route) => route.abort())
  await page.goto('/o/acme/usage')
  await expectText(page, 'This page can’t be shown')
  await page.unroute('**/v1/web/settings')
  await page.clock.runFor(5_000)
  await expectHeading(page, 'Usage')
})

test('a request that fails once does not claim a lost server', async () => {
  let isFirst = true
  await page.route('**/v1/rolls/list', (route) => {
    if (!isFirst) return route.continue()
    isFirst = false
    return route.abort()
  })
  await page.goto('/o/acme/rolls')
  await expectText(page, 'Try again')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Usage' }).click()
  await expectHeading(page, 'Usage')
  expect(await page.getByText(/Can’t reach the server|Connected again/).count()).toBe(0)
})

test.runIf(isLong)('the tabs of a section come together, in a place that is kept for them', async () => {
  // The page has no scroll bar then, neither before nor after.
  await page.setViewportSize({ width: 1_280, height: 2_000 })
  const known = Promise.withResolvers<void>()
  await page.route('**/v1/whoami', async (route) => {
    await known.promise
    await route.continue()
  })
  await page.goto('/o/acme/settings')
  await expectHeading(page, 'Settings')
  const tabs = page.getByRole('navigation', { name: 'Settings', exact: true })
  const before = await tabs.boundingBox()
  await expect.poll(() => tabs.getByRole('link').count()).toBe(0)
  known.resolve()
  await tabs.getByRole('link', { name: 'Trusts' }).waitFor()
  await expect.poll(() => tabs.getByRole('link').count()).toBe(7)
  expect(await tabs.boundingBox()).toEqual(before)
})

test.runIf(isLong)(
  'a wide window has its pages in the middle, and a table of variables from edge to edge',
  async () => {
    await page.setViewportSize({ width: 2_560, height: 1_200 })
    const margins = async (path: string, heading: string): Promise<number[]> => {
      await page.goto(path)
      await expectHeading(page, heading)
      const [main, body] = await Promise.all(
        [page.locator('main'), page.locator('[data-width]')].map((each) => each.boundingBox()),
      )
      if (!main || !body) throw new Error('The page has no body.')
      return [body.x - main.x, main.x + main.width - body.x - body.width].map(Math.round)
    }
    const [left = 0, right] = await margins('/o/acme', 'Overview')
    expect(left).toBe(right)
    expect(left).toBeGreaterThan(300)
    expect(await margins('/o/acme/p/shop', 'shop')).toEqual([24, 24])
  },
)

test('the first page loads in its frame, and a single task without one', async () => {
  let known = Promise.withResolvers<void>()
  await page.route('**/v1/web/settings', async (route) => {
    await known.promise
    await route.continue()
  })
  const leftOf = async (locator: Locator) => (await locator.boundingBox())?.x
  const loading = page.getByRole('status', { name: 'Loading' })
  await page.goto('/o/acme/rolls')
  await loading.waitFor()
  const before = await leftOf(loading)
  known.resolve()
  await expectHeading(page, 'Rolls')
  expect(before).toBe(await leftOf(page.getByRole('heading', { name: 'Rolls', level: 1 })))
  known = Promise.withResolvers()
  await page.goto('/device')
  await loading.waitFor()
  expect(await leftOf(loading)).toBe(0)
  known.resolve()
})

test('a service without accounts explains the setup link', async () => {
  const fresh = await startTestApp()
  const visit = await openPage(browser, fresh.url)
  await visit.page.goto('/')
  await expectHeading(visit.page, 'Set up Rollkey')
  await expectText(visit.page, 'npx @rollkey/server setup-link')
})

test.runIf(isLong)('the title of a page names the variable and the project', async () => {
  await page.goto('/o/acme/p/shop')
  await expect.poll(() => page.title()).toBe('shop · Rollkey')
  await page.goto('/o/acme/p/shop?variable=SHOP_KEY&stage=dev')
  await expect.poll(() => page.title()).toBe('SHOP_KEY · shop · Rollkey')
})

test('signing out forgets the recent projects', async () => {
  await page.goto('/o/acme/p/mobile')
  await expectHeading(page, 'mobile')
  await expect.poll(() => storageDump(page)).toContain('rollkey-recent-projects:acme')
  await signOut(page)
  await expectHeading(page, 'Sign in')
  expect(await storageDump(page)).not.toContain('rollkey-recent-projects')
})
