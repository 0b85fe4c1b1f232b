/** Tests changes by others while a page is open in the browser. */
import type { Locator, Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { launchTestApp } from '../../../server/testkit/app.ts'
import { axeViolations, type TestPage } from '../../../server/testkit/browser.ts'
import { TestClock } from '../../../server/testkit/clock.ts'
import { useEmbeddedApp } from '../../../server/testkit/embedded.ts'
import { isLong } from '../../../server/testkit/long.ts'
import { invite, type Person } from '../../../server/testkit/person.ts'
import {
  expectHeading,
  expectStill,
  expectText,
  field,
  openPageAs,
  press,
  reveal,
  saveButton,
  setColorScheme,
  useBrowser,
} from './steps.ts'

const clock = new TestClock()
const app = useEmbeddedApp({}, { clock })
const browser = useBrowser()
let grace: Person
let visit: TestPage
let page: Page

beforeAll(async () => {
  grace = await invite(app.owner)
})
beforeEach(async () => {
  visit = await openPageAs(app.owner, browser, app.url)
  page = visit.page
})

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

/** Opens the project's table, and waits until it receives live events. */
async function watch(projectSlug: string, on = page): Promise<void> {
  const stream = on.waitForResponse((response) => response.url().includes('/v1/events'))
  await on.goto(`/o/acme/p/${projectSlug}`)
  await stream
  await on.getByRole('gridcell').first().waitFor()
}

/** Waits for the change, then for its effect on the page. Nothing but the stream tells the page of it: it does not poll. */
async function expectLiveUpdate(change: Promise<void>, effect: Locator, state: 'visible' | 'detached' = 'visible') {
  await change
  await effect.waitFor({ state })
}

/** Returns how many streams the page has requested. */
function streams(): number {
  return visit.requestedUrls.filter((url) => url.includes('/v1/events')).length
}

/** Types into the drawer of A in dev, on a page reached by a link. */
async function typeInto(projectSlug: string): Promise<Locator> {
  await write(at(projectSlug, 'dev'), [secret('A', '1')])
  await page.goto('/o/acme/projects')
  await page.getByRole('main').getByRole('link', { name: projectSlug, exact: true }).click()
  await cell('A in dev, Set').click()
  await press(page, 'Edit')
  await field(page, 'Value').fill('mine')
  // The form has noticed what is typed.
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Save to /, disabled: false })
    .waitFor()
  return field(page, 'Value')
}

async function expectAccessible(colorScheme: 'light' | 'dark'): Promise<void> {
  await setColorScheme(page, colorScheme)
  await expectStill(page)
  expect(await axeViolations(page)).toEqual([])
}

async function expectClosed(): Promise<void> {
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

async function expectFocus(on: Locator): Promise<void> {
  await on.and(page.locator(':focus')).waitFor()
}

describe('a change by others', () => {
  test('appears soon, for a set, changed or deleted variable and a new stage', async () => {
    await write(at('shop', 'dev'), [secret('A', '1')])
    await watch('shop')
    await expectLiveUpdate(write(at('shop', 'dev'), [secret('B', '1')]), cell('B in dev, Set'))
    await expectText(page, 'Grace created B in dev (now).')
    await expectAccessible('light')
    await expectLiveUpdate(write(at('shop', 'prod'), [secret('A', '1')]), cell('A in prod, Same as dev'))
    await expectLiveUpdate(write(at('shop', 'prod'), [secret('A', '2')]), cell('A in prod, Different from dev'))
    await expectLiveUpdate(write(at('shop', 'dev'), [], { deletes: ['B'] }), cell('B in dev, Set'), 'detached')
    await expectText(page, 'Grace deleted B in dev (now).')
  })

  test('of two variables is announced in a few words', async () => {
    await write(at('told', 'dev'), [secret('A', '1')])
    await watch('told')
    await write(at('told', 'dev'), [secret('C', '1'), secret('D', '1')])
    await expectText(page, 'Grace created 2 variables in dev (now).')
  })
})

describe('the stream', () => {
  test('is opened again when its token ends, and misses nothing in between', async () => {
    await write(at('minute', 'dev'), [secret('A', '1')])
    await watch('minute')
    const before = streams()
    const written = Promise.withResolvers<void>()
    const requested = Promise.withResolvers<void>()
    await page.route('**/v1/events?*', async (route) => {
      requested.resolve()
      await written.promise
      // The browser still considered this token valid.
      if (streams() === before + 1) await route.fulfill({ status: 401, json: { error: { code: 'UNAUTHORIZED' } } })
      else await route.continue()
    })
    clock.advance(80_000)
    await requested.promise
    // The identity provider has a separate clock.
    clock.advance(-80_000)
    await write(at('minute', 'dev'), [secret('B', '1')])
    written.resolve()
    await cell('B in dev, Set').waitFor()
    await page.unroute('**/v1/events?*')
    await expectLiveUpdate(write(at('minute', 'dev'), [secret('C', '1')]), cell('C in dev, Set'))
    expect(streams()).toBe(before + 2)
  })

  test('reconnects after an outage of the service, which the page reports', async () => {
    await write(at('away', 'dev'), [secret('A', '1')])
    await watch('away')
    await app.stop()
    await expectText(page, 'Can’t reach the server. Retrying…')
    // At the same address.
    const { port } = new URL(app.url)
    Object.assign(app, await launchTestApp({ PORT: port }, { clock, dataDir: app.dataDir }))
    await write(at('away', 'dev'), [secret('B', '1')])
    await cell('B in dev, Set').waitFor()
    await page.getByText('Can’t reach the server').waitFor({ state: 'detached' })
  })

  test('is closed while the page is hidden, and then reports what others changed', async () => {
    await write(at('hidden', 'dev'), [secret('A', '1')])
    await watch('hidden')
    const show = (state: string) =>
      page.evaluate(`
        Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)
    const closed = page.waitForEvent('requestfailed', (request) => request.url().includes('/v1/events'))
    const before = streams()
    await show('hidden')
    await closed
    await write(at('hidden', 'dev'), [secret('B', '1')])
    await write(at('hidden', 'dev'), [secret('C', '1')], {}, app.owner)
    expect(streams()).toBe(before)
    await show('visible')
    await expectText(page, 'Grace created B in dev (now).')
    await cell('C in dev, Set').waitFor()
  })

  test('ends with the session or the membership, and leads where any request would', async () => {
    // Tokens are valid for 70 seconds. Membership is checked again after 60.
    const ends = [
      [(person: Person) => person.must('/revoke-other-sessions'), 80_000, 'Sign in'],
      [
        ({ email }: Person) => app.owner.must('/organization/remove-member', { memberIdOrEmail: email }),
        61_000,
        'You are not a member of “acme”',
      ],
    ] as const
    await write(at('over', 'dev'), [secret('A', '1')])
    for (const [end, afterMs, heading] of ends) {
      const person = await invite(app.owner)
      const other = await openPageAs(person, browser, app.url)
      await watch('over', other.page)
      await end(person)
      clock.advance(afterMs)
      await expectHeading(other.page, heading)
      clock.advance(-afterMs)
    }
  })
})

describe('a cell', () => {
  const hint = () => page.getByRole('tooltip')

  test.runIf(isLong)('names who changed it last, by mouse and keyboard', async () => {
    await write(at('hints', 'dev'), [secret('A', '1'), secret('B', '1')])
    await write(at('hints', 'dev'), [secret('B', '2')], {}, app.owner)
    await watch('hints')
    // On the sign, which the stage that the others are compared with lacks.
    await cell('A in dev, Set').hover({ position: { x: 16, y: 16 } })
    await hint().getByText('Changed by Grace, now.').waitFor()
    await expectAccessible('dark')
    await page.keyboard.press('Escape')
    await hint().waitFor({ state: 'detached' })
    await cell('A in dev, Set').focus()
    await page.keyboard.press('ArrowDown')
    await expectFocus(cell('B in dev, Set'))
    const description = async (): Promise<string | null> => {
      const id = await page.locator(':focus').getAttribute('aria-describedby')
      return page.locator(`[id="${id}"]`).textContent()
    }
    await expect.poll(description).toBe('Changed by Ada, now.')
    await write(at('hints', 'dev'), [secret('B', '3')])
    await expect.poll(description).toMatch(/^Changed by Grace/)
    await page.keyboard.press('ArrowUp')
    await expect.poll(description).toMatch(/^Changed by Grace/)
    await hint().waitFor({ state: 'detached' })
  })

  test.runIf(isLong)('of an archived project can only be viewed', async () => {
    const roll = { kind: 'ab_roll', name: 'A', valueA: 'a', valueB: 'b', chance: 0.1 }
    await write(at('kept', 'dev'), [roll])
    await write(at('kept', 'prod'), [secret('B', '1')])
    const body = { orgSlug: 'acme', projectSlug: 'kept', archived: true }
    await app.client.must('projectUpdate', body, { token: await app.owner.token() })
    await watch('kept')
    await cell('A in dev, Set, A 10%').click()
    await expectText(page, 'This project is archived, so nothing can be changed.')
    await page.getByRole('img', { name: 'Chance of A: 10%' }).waitFor()
    for (const name of [/^Edit/, 'Delete', /^Add/, 'Save to dev']) {
      await expect.poll(() => page.getByRole('dialog').getByRole('button', { name }).count()).toBe(0)
    }
    await page.keyboard.press('Escape')
    await expectClosed()
    await cell('A in prod, Missing in production').click()
    await expectText(page, 'A is missing in prod')
    await expect.poll(() => page.getByRole('dialog').getByRole('textbox').count()).toBe(0)
  })
})

describe('an open variable', () => {
  test('that is viewed shows changes by others, and hides its outdated value', async () => {
    const roll = { kind: 'ab_roll', name: 'A', valueA: 'a-canary', valueB: 'old', chance: 0.1 }
    await write(at('looked', 'dev'), [roll])
    await watch('looked')
    await cell('A in dev, Set, A 10%').click()
    await reveal(page)
    await expectText(page, 'a-canary')
    await write(at('looked', 'dev'), [{ ...roll, chance: 0.4, declaredType: 'string' }])
    await expectText(page, 'The value was changed just now, so it is hidden.')
    expect(await page.content()).not.toContain('a-canary')
    await expectText(page, '2 of 5 users get A.')
    await expect.poll(() => page.getByRole('textbox', { name: 'Chance of A in percent' }).inputValue()).toBe('40%')
    await expectText(page, 'Changed by Grace')
    await page.getByRole('dialog').getByText('A/B roll · text').waitFor()
    await write(at('looked', 'dev'), [], { deletes: ['A'] })
    await expectText(page, 'A is missing in dev')
    await expect.poll(() => page.getByRole('button', { name: 'Edit' }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await expectClosed()
  })

  test('that is edited shows who was faster, keeps the input, and asks before replacing anything', async () => {
    const value = await typeInto('edited')
    await write(at('edited', 'dev'), [secret('B', '1')])
    await expectText(page, 'Grace created B')
    expect(await page.getByText('saving it asks first').count()).toBe(0)
    await write(at('edited', 'dev'), [secret('A', 'theirs')])
    await expectText(page, 'Grace changed this variable (now). What you entered is still here; saving it asks first.')
    await expectAccessible('dark')
    await expect.poll(() => value.inputValue()).toBe('mine')
    await saveButton(page).click()
    await expectText(page, 'This variable was changed in the meantime')
    await saveButton(page).click()
    await expectClosed()
  })

  test.runIf(isLong)('whose chance is edited keeps the choice, and asks before replacing another one', async () => {
    const roll = { kind: 'ab_roll', name: 'A', valueA: 'a', valueB: 'b', chance: 0.1 }
    await write(at('chosen', 'dev'), [roll])
    await watch('chosen')
    await cell('A in dev, Set, A 10%').click()
    await write(at('chosen', 'dev'), [{ ...roll, chance: 0.2 }])
    await expectText(page, '1 of 5 users get A.')
    const percent = page.getByRole('textbox', { name: 'Chance of A in percent' })
    await percent.fill('50')
    await write(at('chosen', 'dev'), [{ ...roll, chance: 0.3 }])
    await expectText(page, 'Your choice is still here; saving it asks first.')
    await expect.poll(() => percent.inputValue()).toBe('50%')
    await press(page, 'Save to dev')
    await expectText(page, 'This variable was changed in the meantime')
    await press(page, 'Save to dev')
    await expectText(page, 'Chance of A is now 50% in dev')
    await page.keyboard.press('Escape')
    await expectClosed()
    await cell('A in dev, Set, A 50%').waitFor()
  })
})

describe('unsaved input', () => {
  test('is discarded only after a question, whichever way a person leaves', async () => {
    const value = await typeInto('typed')
    const question = page.getByRole('dialog', { name: 'Discard what you entered?' })
    const stay = async (): Promise<void> => {
      await expectFocus(question.getByRole('button', { name: 'Keep editing' }))
      await page.keyboard.press('Escape')
      await question.waitFor({ state: 'detached' })
      // The overlay fades a moment longer than the dialog in front of it.
      await page.locator('.mantine-Modal-overlay').waitFor({ state: 'detached' })
      await expect.poll(() => value.inputValue()).toBe('mine')
    }
    await page.keyboard.press('Escape')
    await expectAccessible('light')
    await stay()
    await expectFocus(value)
    await page.mouse.click(100, 500)
    await stay()
    await press(page, 'Close')
    await stay()
    await question.waitFor({ state: 'detached' })
    await press(page, 'Cancel')
    await stay()
    await page.evaluate('history.back()')
    await stay()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/o/acme/p/typed')
    const requested = new Promise<string>((resolve) => {
      page.once('dialog', (dialog) => {
        resolve(dialog.type())
        void dialog.dismiss()
      })
    })
    await page.evaluate('void location.reload()')
    expect(await requested).toBe('beforeunload')
    await page.keyboard.press('Escape')
    await question.getByRole('button', { name: 'Discard' }).click()
    await question.waitFor({ state: 'detached' })
    await expectClosed()
    await expectFocus(cell('A in dev, Set'))
  })

  test.runIf(isLong)('that is unchanged is discarded without a question', async () => {
    await write(at('untyped', 'dev'), [secret('A', '1')])
    await watch('untyped')
    for (const leave of [() => page.keyboard.press('Escape'), () => page.mouse.click(100, 500)]) {
      await cell('A in dev, Set').click()
      await press(page, 'Edit')
      await field(page, 'Value').focus()
      await leave()
      await expectClosed()
    }
  })
})
