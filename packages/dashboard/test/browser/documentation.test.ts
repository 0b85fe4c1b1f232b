/** The documentation of the service in a browser. It is the output of `npm run build -- docs`. */
import { gunzipSync } from 'node:zlib'
import MiniSearch from 'minisearch'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errors } from '@rollkey/contract'
import { shippedFiles } from '../../../server/src/base/shipped-files.ts'
import { launchTestApp, type TestApp } from '../../../server/testkit/app.ts'
import { axeViolations, screenshot } from '../../../server/testkit/browser.ts'
import { isLong } from '../../../server/testkit/long.ts'
import { searchOptions } from '../../../../tools/docs/ranking.ts'
import { looksOf, twoLooks } from './pages.ts'
import { useBrowser } from './steps.ts'

const browser = useBrowser()
const files = shippedFiles('docs')
let app: TestApp

beforeAll(async () => {
  app = await launchTestApp()
})
afterAll(() => app.close())

const pages = ['', 'sdk', 'nothing']
if (isLong) pages.push('first-minutes', 'concepts', 'access', 'cli', 'sign-in/', 'errors', 'reference/variables')

test.each(pages)('/docs/%s has no violation, and asks no other host', async (name) => {
  const { page, cspViolations, pageErrors, requestedUrls } = await browser.newPage({ baseUrl: app.url })
  await page.goto(`/docs/${name}`)
  await page.getByRole('main').waitFor()
  for (const [colorScheme, width] of looksOf(name === '' ? twoLooks : twoLooks.slice(0, 1))) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    await page.locator(colorScheme === 'dark' ? 'html.dark' : 'html:not(.dark)').waitFor()
    expect([width, colorScheme, await axeViolations(page)]).toEqual([width, colorScheme, []])
    await screenshot(page, `docs-${name.replaceAll('/', '-')}-${colorScheme}-${width}`)
  }
  expect([cspViolations, pageErrors]).toEqual([[], []])
  expect(requestedUrls.filter((url) => !url.startsWith(`${app.url}/docs/`))).toEqual([])
})

test('each address that a page names is served', async () => {
  const html = files.names.filter((name) => name.endsWith('.html.gz')).map((name) => gunzipSync(files.read(name)))
  const named = html.flatMap((text) => [...String(text).matchAll(/(?:href|src)="(\/docs\/[^"#?]*)/g)])
  const addresses = [...new Set(named.map(([, address = '']) => address))]
  const dead: string[] = []
  for (const address of addresses) if ((await fetch(app.url + address)).status !== 200) dead.push(address)
  expect(dead).toEqual([])
  expect(addresses.length).toBeGreaterThan(pages.length)
})

test('the first page is at most 100 kB, and all pages at most 3 MB, compressed', async () => {
  const { page, requestedUrls } = await browser.newPage({ baseUrl: app.url })
  await page.goto('/docs/', { waitUntil: 'networkidle' })
  const bytes = async (url: string): Promise<number> => {
    const answer = await fetch(url, { headers: { 'accept-encoding': 'gzip' } })
    return Number(answer.headers.get('content-length'))
  }
  const sizes = await Promise.all([...new Set(requestedUrls)].map(bytes))
  expect(sizes.length).toBeGreaterThan(5)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(100_000)
  expect(files.names.reduce((sum, name) => sum + files.read(name).length, 0)).toBeLessThan(3_000_000)
})

test('commands fit at 1280 px, tables of the first page on a phone, and the search shows its keys', async () => {
  const { page } = await browser.newPage({ baseUrl: app.url })
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto('/docs/first-minutes')
  const code = page.locator('.vp-doc pre')
  await code.first().waitFor()
  // The widest commands have some 85 characters; a narrower column scrolls them.
  const widths = await code.evaluateAll((all) => all.map(({ clientWidth }) => clientWidth))
  expect(Math.max(...widths)).toBeGreaterThan(680)
  const keys = "getComputedStyle(document.querySelector('.DocSearch-Button'), '::after').content"
  expect(await page.evaluate(keys)).toBe('"Ctrl K"')
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto('/docs/')
  const wide = await page
    .locator('.vp-doc table')
    .evaluateAll((tables) => tables.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length)
  expect(wide).toBe(0)
})

test('a line break between two elements is a space', () => {
  const html = String(gunzipSync(files.read('cli.html.gz')))
  expect(html).toMatch(/outside a checkout\.<\/strong> <code>/)
})

test('the sidebar opens the group of the page, and others by the keyboard', async () => {
  const { page } = await browser.newPage({ baseUrl: app.url })
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto('/docs/sdk')
  const group = (name: string, expanded: boolean) =>
    page.locator('.VPSidebar').getByRole('button', { name, exact: true, expanded })
  await group('Use it in code', true).waitFor()
  await expect.poll(() => page.locator('.VPSidebar .level-0.collapsed').count()).toBe(4)
  await group('Run it', false).press('Space')
  await group('Run it', true).waitFor()
  await page.locator('.VPSidebar').getByRole('link', { name: 'Backups' }).click()
  await page.waitForURL('**/docs/backup')
})

/** Returns what the search of the page finds: addresses below /docs/ and titles, the best first. */
async function readIndex() {
  const name = files.names.find((each) => each.includes('@localSearchIndex')) ?? ''
  const script = gunzipSync(files.read(name)).toString('base64')
  const { default: index } = (await import(`data:text/javascript;base64,${script}`)) as { default: string }
  const fields = { fields: ['title', 'titles', 'text'], storeFields: ['title', 'titles'] }
  const search = MiniSearch.loadJSON(index, { ...fields, searchOptions })
  const stored = JSON.parse(index) as { storedFields: Record<string, { title: string }> }
  return {
    headings: [...new Set(Object.values(stored.storedFields).map(({ title }) => title))],
    find: (text: string) =>
      search
        .search(text)
        .map(({ id, title }) => ({ address: String(id).slice('/docs/'.length), title: String(title) })),
  }
}

/** What newcomers look for, and the page that answers it. */
const questions = [
  ['set a secret', 'cli#'],
  ['rotate', 'rotation#'],
  ['rotate a secret', 'rotation#'],
  ['approve', 'change#'],
  ['vault', 'from-other-stores#'],
  ['docker', 'deploy#'],
  ['backup', 'backup#'],
  ['restore', 'backup#'],
  ['feature flag', 'rolls#'],
  ['typescript types', 'sdk#'],
  ['ci', 'ci/#'],
  ['github actions', 'ci/github-actions#'],
  ['import .env', 'from-env#'],
  ['roll out a feature', 'change#'],
  ['react', 'web-flags#'],
  ['permissions', 'access#'],
  ['invite', 'identity#'],
  ['login', 'cli'],
  ['install', 'install#'],
  ['kubernetes', 'deploy#'],
  ['upgrade', 'upgrade#'],
  ['webhook', 'notifications#'],
  ['lost master key', 'operator-guide#'],
  ['sso', 'sign-in/'],
  ['NOT_READ', 'errors#not_read'],
  ['seed', 'concepts#'],
  ['forgot password', 'identity#'],
  ['rollback', 'cli#look-back'],
  ['environment', 'concepts#stage'],
  ['kill switch', 'rolls#stop-a-roll'],
  ['percentage rollout', 'change#'],
  ['segments', 'rolls#targeting-rules'],
  ['2fa', 'identity#second-factor'],
  ['rbac', 'access#'],
  ['saml', 'sign-in/'],
  ['canary', 'change#'],
  ['rotation', 'rotation#'],
  ['second factor', 'identity#second-factor'],
  ['two factor', 'identity#second-factor'],
  ['mfa', 'sign-in/second-factor#'],
  ['nextjs', 'tools#nextjs-and-vite'],
] as const

describe('the search', () => {
  test('has the page that answers a question of a newcomer among the first three', async () => {
    const { find } = await readIndex()
    const first = questions.map(([question]) => [question, find(question).slice(0, 3)] as const)
    const wrong = first.filter(
      ([, found], at) => !found.some(({ address }) => address.startsWith(questions[at]?.[1] ?? '')),
    )
    expect(wrong).toEqual([])
  })

  test('has decisions and the changelog behind the first ten or last, unless the number of a decision is typed', async () => {
    const { find } = await readIndex()
    const isHistory = ({ address }: { address: string }): boolean => /^(?:decisions\/\d|changelog)/.test(address)
    const early = questions.filter(([question]) => {
      const found = find(question)
      const first = found.findIndex(isHistory)
      return first >= 0 && first < 10 && !found.slice(first).every(isHistory)
    })
    expect(early).toEqual([])
    expect(find('36')[0]?.address).toMatch(/^decisions\/0036-/)
  })

  test('has a guide before the reference, and both before the decisions', async () => {
    const { find } = await readIndex()
    expect(find('rotate')[0]?.address).toMatch(/^rotation#/)
    expect(find('upgrade')[0]?.address).toMatch(/^upgrade#/)
    const forSeed = find('seed')
    const at = (which: RegExp): number => forSeed.findIndex(({ address }) => which.test(address))
    expect(at(/^decisions\//)).toBeGreaterThan(at(/^reference\//))
  })

  test('opens with the keyboard, and leads to what it found', async () => {
    const { page, cspViolations } = await browser.newPage({ baseUrl: app.url })
    await page.goto('/docs/')
    await page.getByRole('main').waitFor()
    await page.keyboard.press('/')
    await page.getByRole('searchbox').fill('REVISION_CONFLICT')
    await page.locator('.result').first().waitFor()
    await page.locator('.result', { hasText: 'Error codes' }).first().click()
    await page.waitForURL('**/docs/errors#revision_conflict')
    expect(cspViolations).toEqual([])
  })

  test('has no violation: empty, with results and their text, with results alone, without results', async () => {
    const { page } = await browser.newPage({ baseUrl: app.url })
    await page.goto('/docs/')
    // A script marks the first page as the main part, once it listens to the keys.
    await page.getByRole('main').waitFor()
    await page.keyboard.press('/')
    const dialog = page.getByRole('dialog', { name: 'Search' })
    const box = dialog.getByRole('searchbox')
    await box.waitFor()
    expect(await axeViolations(page)).toEqual([])
    await box.fill('login')
    await dialog.getByRole('option').first().waitFor()
    await dialog.locator('.excerpt').first().waitFor()
    expect(await axeViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Display detailed list' }).click()
    await expect.poll(() => dialog.locator('.excerpt').count()).toBe(0)
    expect(await axeViolations(page)).toEqual([])
    await box.fill('xylophone')
    await dialog.getByText('No results for').waitFor()
    expect(await axeViolations(page)).toEqual([])
  })

  test.runIf(isLong)('finds each heading of each page, and each error code', async () => {
    const { headings, find } = await readIndex()
    const shown = 16
    const titles = (text: string): string[] =>
      find(text)
        .slice(0, shown)
        .map(({ title }) => title)
    expect(headings.length).toBeGreaterThan(500)
    expect(headings.filter((heading) => !titles(heading).includes(heading))).toEqual([])
    expect(headings).toEqual(expect.arrayContaining(Object.keys(errors)))
  })
})
