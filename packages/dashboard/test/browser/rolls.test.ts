/** Tests the page of a roll in the browser. */
import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type TestPage } from '../../../server/testkit/browser.ts'
import { useEmbeddedApp } from '../../../server/testkit/embedded.ts'
import { isLong } from '../../../server/testkit/long.ts'
import { invite, type Person } from '../../../server/testkit/person.ts'
import { expectHeading, expectText, field, press, useBrowser, openPageAs } from './steps.ts'

const canary = 'canary-value-5b1d'
const at = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'prod' }
/** Contains characters with a meaning in URLs. */
const name = 'CHECKOUT FLOW & 50%/#?ü'

const app = useEmbeddedApp()
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
  await page.clock.install()
})

async function writeRoll(roll: string, chance: number): Promise<void> {
  const entries = [{ kind: 'ab_roll', name: roll, valueA: canary, valueB: canary, chance }]
  await app.client.must('write', { ...at, mode: 'upsert', entries }, { token: await app.owner.token() })
}

async function chanceOf(roll: string): Promise<unknown> {
  const { variables } = await app.client.must('list', at, { token: await app.owner.token() })
  return (variables as { name: string; chance: number }[]).find((each) => each.name === roll)?.chance
}

/** Evaluates once for each seed, as an application elsewhere does. */
async function evaluate(roll: string, seeds: readonly string[]): Promise<('a' | 'b')[]> {
  const entries = seeds.map((seed) => ({ name: roll, seed }))
  const { results } = await app.client.must('evaluateBatch', { ...at, entries }, { token: await app.owner.token() })
  return (results as { decision: 'a' | 'b' }[]).map(({ decision }) => decision)
}

/** Waits until the service has counted this many, which takes it seconds, and lets the page ask again. */
async function noted(roll: string, evaluations: number): Promise<void> {
  const count = async (): Promise<number> => {
    const { hours } = await app.client.must('rollCounts', { ...at, name: roll }, { token: await app.owner.token() })
    return (hours as { a: number; b: number }[]).reduce((sum, { a, b }) => sum + a + b, 0)
  }
  await expect.poll(count, { timeout: 15_000, interval: 500 }).toBe(evaluations)
  await page.clock.runFor(10_000)
}

async function open(roll: string): Promise<void> {
  await page.goto(`/o/acme/p/shop/roll?${new URLSearchParams({ stage: 'prod', name: roll }).toString()}`)
  await expectHeading(page, roll)
}

/** The color of A, `--a`, as the plots have it. */
const lightA = '47,120,225'
const darkA = '127,179,254'

/** Returns the colors of the plot as "red,green,blue". */
function drawnColors(): Promise<string[]> {
  return page.evaluate<string[]>(`{
    const canvas = document.querySelector('[role=img] canvas')
    const { data = [] } = canvas?.getContext('2d').getImageData(0, 0, canvas.width, canvas.height) ?? {}
    const pixels = Array.from({ length: data.length / 4 }, (_, at) => data.subarray(4 * at, 4 * at + 3).join())
    ;[...new Set(pixels)]
  }`)
}

describe('a roll', () => {
  test.runIf(isLong)('is reached from the table, and its chance is moved step by step without its values', async () => {
    await writeRoll(name, 0.1)
    await page.goto('/o/acme/p/shop')
    await page
      .getByRole('gridcell')
      .getByRole('button', { name: `${name} in prod, Set, A 10 %` })
      .click()
    await page.getByRole('link', { name: 'Open roll' }).click()
    await expectHeading(page, name)
    expect(new URL(page.url()).searchParams.get('name')).toBe(name)
    for (const [step, sentence, chance] of [
      ['25 %', '1 of 4 users get A.', 0.25],
      ['50 %', '1 of 2 users get A.', 0.5],
    ] as const) {
      await press(page, step)
      await expectText(page, sentence)
      await expectText(page, 'Users already in A stay in A.')
      await press(page, 'Save to prod')
      await expectText(page, `Chance of ${name} is now ${step} in prod`)
      expect(await chanceOf(name)).toBe(chance)
    }
    expect(await page.content()).not.toContain(canary)
  })

  test.runIf(isLong)('whose chance two people move informs the second, who decides', async () => {
    const graceSets = async (chance: number): Promise<void> => {
      await app.client.must('chance', { ...at, name: 'SHARED', chance }, { token: await grace.token() })
    }
    await writeRoll('SHARED', 0.1)
    await open('SHARED')
    await expectText(page, '1 of 10 users get A.')
    await graceSets(0.2)
    await expectText(page, '1 of 5 users get A.')
    await press(page, '50 %')
    await graceSets(0.7)
    await expectText(page, 'Users already in B stay in B.')
    await press(page, 'Save to prod')
    await expectText(page, 'This variable was changed in the meantime')
    await expectText(page, 'Changed by Grace')
    expect(await chanceOf('SHARED')).toBe(0.7)
    await press(page, 'Save to prod')
    await expectText(page, 'Chance of SHARED is now 50 % in prod')
    expect(await chanceOf('SHARED')).toBe(0.5)
  })

  test('shows what a seed gets, as the service decides, without a request', async () => {
    await writeRoll(name, 0.5)
    const seeds = ['user_abc123', 'Zoë-用户-🚀', ' ', '7']
    const decisions = await evaluate(name, seeds)
    expect(new Set(decisions).size).toBe(2)
    await open(name)
    await expectText(page, 'Without a seed or key the result is random each time. 1 of 2 evaluations get A.')
    for (const [index, seed] of seeds.entries()) {
      await field(page, 'Seed').fill(seed)
      await expectText(
        page,
        decisions[index] === 'a' ? / gets A \(bucket .* %, below 50 %\)\.$/ : / gets B \(bucket .* %, above 50 %\)\.$/,
      )
    }
    expect(visit.requestedUrls.filter((url) => url.includes('evaluate'))).toEqual([])
  })

  test('shows evaluations live, and whether they fit the chance', async () => {
    await writeRoll('COUNTED', 0.5)
    await writeRoll('SKEWED', 0.5)
    await open('COUNTED')
    await expectText(page, 'Nothing was served in this time')
    const users = Array.from({ length: 200 }, (_, user) => `user-${user}`)
    const a = (await evaluate('COUNTED', users)).filter((decision) => decision === 'a').length
    const everybody = Array.from({ length: 200 }, () => 'everybody')
    await evaluate('SKEWED', everybody)
    await noted('COUNTED', 200)
    await expectText(page, `Of 200 served, ${a} were A (${a / 2} %). At 50 %, that is what chance alone gives`)
    await page
      .getByRole('row', { name: new RegExp(`, \\d\\d:\\d\\d 200 ${a} ${200 - a} ${a / 2}\\s% 43.1\\s% to 56.9\\s%$`) })
      .waitFor()
    const plot = page.getByRole('img', { name: 'A and B served over the last 24 hours, by hour' })
    await page.getByRole('img', { name: /^Share of A over the last 24 hours, by hour/ }).waitFor()
    await expect.poll(drawnColors).toContain(lightA)
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(drawnColors).toContain(darkA)
    expect(await drawnColors()).not.toContain(lightA)
    await plot.hover()
    await page.getByText('30 days').click()
    await page.getByRole('img', { name: 'A and B served over the last 30 days, by day' }).waitFor()
    await open('SKEWED')
    await expectText(page, 'The split doesn’t fit the chance')
  })

  test('is stopped on its page, which switches between stages', async () => {
    await writeRoll('SWITCHED', 0.4)
    const entries = [{ kind: 'secret', name: 'OTHER', value: 'x' }]
    const token = await app.owner.token()
    await app.client.must('write', { ...at, stageSlug: 'dev', mode: 'upsert', entries }, { token })
    await open('SWITCHED')
    await press(page, 'Stop SWITCHED in prod')
    await press(page, 'Stop roll')
    await expectText(page, 'Everyone gets B.')
    expect(await chanceOf('SWITCHED')).toBe(0)
    await page.getByRole('navigation', { name: 'Stages' }).getByRole('link', { name: 'dev' }).click()
    await expectText(page, 'SWITCHED is missing in dev')
    await page.getByRole('link', { name: 'Add to dev' }).click()
    await page.getByRole('dialog', { name: 'SWITCHED' }).waitFor()
  })

  test.runIf(isLong)('that does not exist leads to the existing ones', async () => {
    await page.goto('/o/acme/p/shop/roll?stage=prod&name=NONE')
    await expectHeading(page, 'Roll not found')
    await page.getByRole('link', { name: 'See all rolls' }).click()
    await expectHeading(page, 'Rolls')
  })
})

describe('all rolls', () => {
  test('are filtered in the address, and one is stopped in two clicks and brought back', async () => {
    await writeRoll('STOPPED', 0.4)
    await writeRoll('OVER', 0)
    await page.goto('/o/acme/rolls')
    await field(page, 'Filter by name').fill('o')
    await press(page, 'Progress')
    await page.getByRole('menuitemradio', { name: 'In progress' }).click()
    await page.getByRole('row', { name: /^STOPPED/ }).waitFor()
    expect(await page.getByRole('row', { name: /^OVER/ }).count()).toBe(0)
    expect(new URL(page.url()).search).toBe('?search=o&progress=partial')
    await press(page, 'Stop STOPPED in prod')
    await press(page, 'Stop roll')
    await expectText(page, 'Stopped STOPPED in prod: everyone gets B')
    await page.getByRole('row', { name: /^STOPPED/ }).waitFor({ state: 'detached' })
    expect(await chanceOf('STOPPED')).toBe(0)
    await press(page, 'Undo')
    await page.getByRole('row', { name: /^STOPPED/ }).waitFor()
    expect(await chanceOf('STOPPED')).toBe(0.4)
  })

  test.runIf(isLong)('show what others change, and open with Enter', async () => {
    await writeRoll('SHARED', 0.3)
    await page.goto('/o/acme/rolls?search=SHARED')
    await page.getByRole('img', { name: 'Chance of A: 30' }).waitFor()
    await app.client.must('chance', { ...at, name: 'SHARED', chance: 0.6 }, { token: await grace.token() })
    await page.clock.runFor(15_000)
    await page.getByRole('img', { name: 'Chance of A: 60' }).waitFor()
    await page.getByRole('link', { name: 'SHARED' }).focus()
    await page.keyboard.press('Enter')
    await expectHeading(page, 'SHARED')
  })

  test('take a new chance beside the list', async () => {
    await writeRoll('RAISED', 0.1)
    await page.goto('/o/acme/rolls?search=RAISED')
    await press(page, 'Actions of RAISED in prod')
    await page.getByRole('menuitem', { name: 'Change chance' }).click()
    await press(page, '25 %')
    await press(page, 'Save to prod')
    await expectText(page, 'Chance of RAISED is now 25 % in prod')
    await page.getByRole('img', { name: 'Chance of A: 25' }).waitFor()
    expect(await chanceOf('RAISED')).toBe(0.25)
  })
})
