/** Changes that others make while a page is open, in the browser. */
import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testkit/app.ts'
import { startBrowser, type TestBrowser, type TestPage } from '../../testkit/browser.ts'
import { TestClock } from '../../testkit/clock.ts'
import { freePort } from '../../testkit/free-port.ts'
import { invite, setUp, type Person } from '../../testkit/person.ts'
import { expectClean, expectHeading, expectText, signedIn } from './steps.ts'

const clock = new TestClock()
let browser: TestBrowser
let app: TestApp
let owner: Person
let grace: Person
let visit: TestPage
let page: Page

beforeAll(async () => {
  browser = await startBrowser()
  app = await startTestApp(undefined, clock, { PORT: String(await freePort()) })
  owner = await setUp(app)
  grace = await invite(app.url, owner)
  visit = await signedIn(browser, app.url, owner)
  page = visit.page
})
afterAll(async () => {
  await browser.close()
  await app.close()
})
beforeEach(() => page.goto('about:blank'))
afterEach(() => expectClean(visit, app.url))

function at(projectSlug: string, stageSlug: string) {
  return { orgSlug: 'acme', projectSlug, stageSlug }
}

function secret(name: string, value: string) {
  return { kind: 'secret', name, value }
}

async function write(place: object, entries: readonly object[], more: object = {}, by = grace): Promise<void> {
  await app.client.must('write', { ...place, mode: 'upsert', entries, ...more }, { token: await by.token() })
}

function cell(name: string): Locator {
  return page.getByRole('gridcell').getByRole('button', { name, exact: true })
}

/** Opens the project's table, and waits until it is told of changes. */
async function watch(projectSlug: string): Promise<void> {
  const stream = page.waitForResponse((response) => response.url().includes('/v1/events'))
  await page.goto(`/projects/${projectSlug}`)
  await stream
  await page.getByRole('gridcell').first().waitFor()
}

/** By the clock of the browser, from the moment that the change is known to be made. */
async function expectWithin2s(change: Promise<void>, shown: Locator, state: 'visible' | 'detached' = 'visible') {
  await change
  const startedAt = await page.evaluate<number>('performance.now()')
  await shown.waitFor({ state })
  expect((await page.evaluate<number>('performance.now()')) - startedAt).toBeLessThan(2_000)
}

/** How often the page has asked for a stream. */
function streams(): number {
  return visit.requestedUrls.filter((url) => url.includes('/v1/events')).length
}

describe('what others change', () => {
  test('shows within 2 seconds: set, changed, deleted, a new stage', async () => {
    await write(at('shop', 'dev'), [secret('A', '1')])
    await watch('shop')
    await expectWithin2s(write(at('shop', 'dev'), [secret('B', '1')]), cell('B in dev, Set'))
    await expectText(page, 'Grace created B in dev just now.')
    await expectWithin2s(write(at('shop', 'prod'), [secret('A', '1')]), cell('A in prod, Same'))
    await expectWithin2s(write(at('shop', 'prod'), [secret('A', '2')]), cell('A in prod, Different'))
    await expectWithin2s(write(at('shop', 'dev'), [], { deletes: ['B'] }), cell('B in dev, Set'), 'detached')
    await expectText(page, 'Grace deleted B in dev just now.')
  })

  test('is told of others alone, in few words, and for a while', async () => {
    await write(at('told', 'dev'), [secret('A', '1')])
    await watch('told')
    await write(at('told', 'dev'), [secret('B', '1')], {}, owner)
    await cell('B in dev, Set').waitFor()
    await write(at('told', 'dev'), [secret('C', '1'), secret('D', '1')])
    await expectText(page, 'Grace created 2 variables in dev just now.')
    await page.getByText('Grace created').waitFor({ state: 'detached' })
  })
})

describe('the stream', () => {
  test('is opened anew when its token ends, and nothing is missed in between', async () => {
    await write(at('minute', 'dev'), [secret('A', '1')])
    await watch('minute')
    const before = streams()
    const written = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    await page.route('**/v1/events?*', async (route) => {
      asked.resolve()
      await written.promise
      await route.continue()
    })
    clock.advance(80_000)
    await asked.promise
    // The identity provider has a clock of its own.
    clock.advance(-80_000)
    await write(at('minute', 'dev'), [secret('B', '1')])
    written.resolve()
    await cell('B in dev, Set').waitFor()
    await page.unroute('**/v1/events?*')
    await expectWithin2s(write(at('minute', 'dev'), [secret('C', '1')]), cell('C in dev, Set'))
    expect(streams()).toBe(before + 1)
  })

  test('comes back after the service was away, which the page says', async () => {
    await write(at('away', 'dev'), [secret('A', '1')])
    await watch('away')
    await app.stop()
    await expectText(page, 'Live updates are paused; reconnecting.')
    app = await app.restart()
    await write(at('away', 'dev'), [secret('B', '1')])
    await cell('B in dev, Set').waitFor()
    await page.getByText('Live updates are paused').waitFor({ state: 'detached' })
  })

  test('is closed while nobody looks, and then says what was missed', async () => {
    await write(at('hidden', 'dev'), [secret('A', '1')])
    await watch('hidden')
    const show = (state: string) =>
      page.evaluate(`
        Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)
    const closed = page.waitForEvent('requestfailed', (request) => request.url().includes('/v1/events'))
    await show('hidden')
    await closed
    await write(at('hidden', 'dev'), [secret('B', '1')])
    await show('visible')
    await expectText(page, 'Grace created B in dev just now.')
    await cell('B in dev, Set').waitFor()
  })

  test('ends with the session, as any request would', async () => {
    await write(at('over', 'dev'), [secret('A', '1')])
    await watch('over')
    await owner.must('/revoke-other-sessions')
    clock.advance(80_000)
    await expectHeading(page, 'Sign in')
    clock.advance(-80_000)
  })
})
