/** Tests the page of a roll in the browser. */
import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { axeViolations, type TestPage } from '../../../server/testkit/browser.ts'
import { TestClock } from '../../../server/testkit/clock.ts'
import { useEmbeddedApp } from '../../../server/testkit/embedded.ts'
import { isLong } from '../../../server/testkit/long.ts'
import { invite, type Person } from '../../../server/testkit/person.ts'
import { expectHeading, expectStill, expectText, field, press, saveButton, useBrowser, openPageAs } from './steps.ts'

const canary = 'canary-value-5b1d'
const at = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'prod' }
/** Contains characters with a meaning in URLs. */
const name = 'CHECKOUT FLOW & 50%/#?ü'

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
  clock.doPeriodicWork()
  await expect.poll(count).toBe(evaluations)
  await page.clock.runFor(10_000)
}

async function open(roll: string): Promise<void> {
  await page.goto(`/o/acme/p/shop/roll?${new URLSearchParams({ stage: 'prod', name: roll }).toString()}`)
  await expectHeading(page, roll)
}

async function expectAccessible(): Promise<void> {
  await expectStill(page)
  expect(await axeViolations(page)).toEqual([])
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
  test('is reached from the table, and its chance is moved step by step without its values', async () => {
    await writeRoll(name, 0.1)
    await page.goto('/o/acme/p/shop')
    await page
      .getByRole('gridcell')
      .getByRole('button', { name: `${name} in prod, Set, A 10%` })
      .click()
    await page.getByRole('link', { name: 'Open roll' }).click()
    await expectHeading(page, name)
    await expect.poll(() => new URL(page.url()).searchParams.get('name')).toBe(name)
    for (const [step, sentence, chance] of [
      ['25%', '1 of 4 users get A.', 0.25],
      ['50%', '1 of 2 users get A.', 0.5],
    ] as const) {
      await press(page, step)
      await expectText(page, sentence)
      await expectText(page, / of users move from B to A\.$/)
      await press(page, 'Save to prod')
      await expectText(page, `Chance of ${name} is now ${step} in prod`)
      expect(await chanceOf(name)).toBe(chance)
    }
    expect(await page.content()).not.toContain(canary)
  })

  test.runIf(isLong)('asks before an unsaved chance is lost on the way to another stage', async () => {
    const entries = [{ kind: 'ab_roll', name: 'FLOW', valueA: canary, valueB: canary, chance: 0.1 }]
    for (const stageSlug of ['dev', 'prod']) {
      const place = { ...at, projectSlug: 'unsaved', stageSlug }
      await app.client.must('write', { ...place, mode: 'upsert', entries }, { token: await app.owner.token() })
    }
    await page.goto('/o/acme/p/unsaved/roll?stage=dev&name=FLOW')
    await press(page, '50%')
    await page.keyboard.press(']')
    await page.getByRole('dialog', { name: 'Discard what you entered?' }).waitFor()
    await press(page, 'Keep editing')
    await expect.poll(() => field(page, 'Chance of A in percent').inputValue()).toBe('50%')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press(']')
    await press(page, 'Discard')
    await page.waitForURL((url) => url.searchParams.get('stage') === 'prod')
  })

  test.runIf(isLong)('whose chance two people move informs the second, who decides', async () => {
    const graceSets = async (chance: number): Promise<void> => {
      await app.client.must('update', { ...at, updates: [{ name: 'SHARED', chance }] }, { token: await grace.token() })
    }
    await writeRoll('SHARED', 0.1)
    await open('SHARED')
    await expectText(page, '1 of 10 users get A.')
    await graceSets(0.2)
    await expectText(page, '1 of 5 users get A.')
    await press(page, '50%')
    await graceSets(0.7)
    await expectText(page, '20% of users move from A to B.')
    await press(page, 'Save to prod')
    await expectText(page, 'This variable was changed in the meantime')
    await expectText(page, 'Changed by Grace')
    expect(await chanceOf('SHARED')).toBe(0.7)
    await press(page, 'Save to prod')
    await expectText(page, 'Chance of SHARED is now 50% in prod')
    expect(await chanceOf('SHARED')).toBe(0.5)
  })

  test('shows what a seed gets, as the service decides, without an evaluation', async () => {
    await writeRoll(name, 0.5)
    const seeds = ['user_abc123', 'Zoë-用户-🚀', ' ', '7']
    const decisions = await evaluate(name, seeds)
    expect(new Set(decisions).size).toBe(2)
    await open(name)
    await press(page, 'Explain')
    await expectText(page, 'Without a seed and a key the result is random each time. 1 of 2 evaluations get A.')
    await field(page, 'Key').fill('campaign')
    await press(page, 'Explain')
    await expectText(page, /^Everyone without a seed gets [AB]\.$/)
    await expectText(page, /--stage prod \\\n {2}--key campaign$/)
    await field(page, 'Key').fill('')
    await expectText(page, /--stage prod \\\n {2}--seed user-1$/)
    for (const [index, seed] of seeds.entries()) {
      await field(page, 'Seed').fill(seed)
      await field(page, 'Seed').press('Enter')
      await expectText(page, decisions[index] === 'a' ? / gets A\.$/ : / gets B\.$/)
      await expectText(
        page,
        decisions[index] === 'a' ? /^Decided by chance: bucket .+%, below 50%\.$/ : /, not below 50%\.$/,
      )
    }
    expect(visit.requestedUrls.filter((url) => url.includes('evaluate'))).toEqual([])
  })

  test('gets pins and a rule, previews them, tells why a user gets a side, and is stopped', async () => {
    await writeRoll('TARGETED', 0)
    await open('TARGETED')
    await press(page, 'Edit pins')
    await field(page, 'Seeds that get A').fill('ada@example.com\ngrace@example.com')
    await expectText(page, 'Of 1,000 sample users and 2 pinned seeds, 2 get A.')
    await expectAccessible()
    await saveButton(page).click()
    await expectText(page, '2 seeds → A')
    await press(page, 'Edit rules')
    await press(page, 'Add rule')
    await page.keyboard.type('plan')
    await field(page, 'Values, rule 1').fill('pro, team')
    await field(page, 'Sample contexts').fill('{"plan": "pro"}\n{"plan": "free"}')
    await expectText(page, 'Of 1,000 sample users and 2 pinned seeds, 502 get A.')
    await expectAccessible()
    await page.keyboard.press('Control+Enter')
    await expectText(page, 'Saved the rules of TARGETED in prod')
    await expectText(page, 'plan in pro, team → A')
    await field(page, 'Seed').fill('linus@example.com')
    await page.getByRole('textbox', { name: 'Context', exact: true }).fill('{"plan": "team"}')
    await press(page, 'Explain')
    await expectText(page, 'linus@example.com gets A.')
    await expectText(page, 'Decided by rule 1: plan in pro, team → A.')
    await field(page, 'Seed').fill('ada@example.com')
    await press(page, 'Explain')
    await expectText(page, 'A pin of this seed decides.')
    await expectAccessible()
    await page.keyboard.press('u')
    await expectText(page, 'No targeting rule')
    await press(page, 'Stop TARGETED in prod')
    await expectText(page, 'This also removes 2 pins. Undo and the history bring them back.')
    await press(page, 'Stop roll')
    await expectText(page, 'No seed is pinned')
    await press(page, 'Undo')
    await expectText(page, '2 seeds → A')
  })

  test('tells by which step it was served, and compares what the chance decided', async () => {
    const token = await app.owner.token()
    const rules = [{ when: { plan: { equals: 'pro' } }, then: 'a' }]
    const roll = {
      kind: 'ab_roll',
      name: 'STEPS',
      valueA: canary,
      valueB: canary,
      chance: 0,
      labels: { a: 'on', b: 'off' },
    }
    await app.client.must(
      'write',
      { ...at, mode: 'upsert', entries: [{ ...roll, rules, pins: { a: ['ada'] } }] },
      { token },
    )
    const entries = [{ seed: 'ada' }, { seed: 'x', context: { plan: 'pro' } }, { seed: 'y' }, { seed: 'z' }]
    const named = entries.map((entry) => ({ name: 'STEPS', ...entry }))
    await app.client.must('evaluateBatch', { ...at, entries: named }, { token })
    await open('STEPS')
    await noted('STEPS', 4)
    const columns = ['Served', 'By pins', 'By rules', 'By the chance', 'on', 'off', 'Share of A by the chance']
    await expect.poll(() => page.getByRole('columnheader').allTextContents()).toEqual(expect.arrayContaining(columns))
    await page.getByRole('row', { name: /, \d\d:\d\d 4 1 1 2 2 2 0% / }).waitFor()
  })

  test('shows evaluations live, and whether they fit the chance', async () => {
    await writeRoll('COUNTED', 0.5)
    await writeRoll('SKEWED', 0.5)
    await open('COUNTED')
    await expectText(page, 'Nothing was served in the last 24 hours')
    const users = Array.from({ length: 200 }, (_, user) => `user-${user}`)
    const a = (await evaluate('COUNTED', users)).filter((decision) => decision === 'a').length
    const everybody = Array.from({ length: 200 }, () => 'everybody')
    await evaluate('SKEWED', everybody)
    await noted('COUNTED', 200)
    await expectText(page, `Since then, A was served ${a} of 200 times (${a / 2}%).`)
    await page
      .getByRole('row', { name: new RegExp(`, \\d\\d:\\d\\d 200 ${a} ${200 - a} ${a / 2}% 43.1% to 56.9%$`) })
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
    await expectText(page, 'Doesn’t fit the chance')
  })

  test('is stopped on its page, which switches between stages', async () => {
    await writeRoll('SWITCHED', 0.4)
    const entries = [{ kind: 'secret', name: 'OTHER', value: 'x' }]
    const token = await app.owner.token()
    await app.client.must('write', { ...at, stageSlug: 'dev', mode: 'upsert', entries }, { token })
    await open('SWITCHED')
    await page.getByRole('heading', { name: 'Recent changes' }).waitFor()
    await page.getByRole('link', { name: 'Full history' }).waitFor()
    await page.getByRole('link', { name: 'Open variable' }).click()
    await page.getByRole('dialog', { name: 'SWITCHED' }).waitFor()
    await page.goBack()
    await press(page, 'Stop SWITCHED in prod')
    await press(page, 'Stop roll')
    await expectText(page, 'Everyone gets B.')
    expect(await chanceOf('SWITCHED')).toBe(0)
    await page.getByRole('navigation', { name: 'Stages' }).getByRole('link', { name: 'dev' }).click()
    await expectText(page, 'SWITCHED is missing in dev')
    await page.getByRole('link', { name: 'Add to dev' }).click()
    await page.getByRole('dialog', { name: 'SWITCHED' }).waitFor()
  })

  test('has the tabs of three stages in sight on a phone', async () => {
    const entries = [{ kind: 'ab_roll', name: 'NARROW', valueA: canary, valueB: canary, chance: 0.5 }]
    const token = await app.owner.token()
    for (const stageSlug of ['dev', 'staging', 'prod'])
      await app.client.must('write', { ...at, stageSlug, mode: 'upsert', entries }, { token })
    await page.setViewportSize({ width: 390, height: 844 })
    await open('NARROW')
    const tabs = page.getByRole('navigation', { name: 'Stages' })
    const [row, first] = [await tabs.boundingBox(), await tabs.getByRole('link', { name: 'dev' }).boundingBox()]
    expect(first?.x).toBeGreaterThanOrEqual(row?.x ?? Infinity)
  })

  test('is changed, stopped and shown in other stages by keys, which a dialog and an input turn off', async () => {
    await writeRoll('BY_KEYS', 0.4)
    const entries = [{ kind: 'secret', name: 'OTHER', value: 'x' }]
    const token = await app.owner.token()
    await app.client.must('write', { ...at, stageSlug: 'dev', mode: 'upsert', entries }, { token })
    await open('BY_KEYS')
    await page.keyboard.press('?')
    const sheet = page.getByRole('dialog').getByRole('region', { name: 'This page' })
    await expect
      .poll(async () => (await sheet.getByRole('listitem').allInnerTexts()).toSorted())
      .toEqual(['Change chance\ne', 'Next stage\n]', 'Previous stage\n[', 'Stop BY_KEYS in prod\ns'])
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    await page.keyboard.press('e')
    await page.keyboard.type('25s]')
    await expectText(page, '15% of users move from A to B.')
    await page.keyboard.press('Control+Enter')
    await expectText(page, 'Chance of BY_KEYS is now 25% in prod')
    expect(await chanceOf('BY_KEYS')).toBe(0.25)
    await page.keyboard.press('s')
    const dialog = page.getByRole('dialog', { name: 'Stop BY_KEYS in prod?' })
    await dialog.waitFor()
    await page.keyboard.type(']e')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press(']')
    await expectText(page, 'BY_KEYS is missing in dev')
    await page.keyboard.press('[')
    await expectText(page, '1 of 4 users get A.')
    expect(await chanceOf('BY_KEYS')).toBe(0.25)
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
    await page.getByRole('search').getByRole('button', { name: 'Chance' }).click()
    await page.getByRole('menuitemradio', { name: 'Some get A' }).click()
    await page.getByRole('row', { name: /^STOPPED/ }).waitFor()
    await expect.poll(() => page.getByRole('row', { name: /^OVER/ }).count()).toBe(0)
    await expect.poll(() => new URL(page.url()).search).toBe('?search=o&progress=partial')
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
    await app.client.must(
      'update',
      { ...at, updates: [{ name: 'SHARED', chance: 0.6 }] },
      { token: await grace.token() },
    )
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
    await press(page, '25%')
    await page.keyboard.press('Control+Enter')
    await expectText(page, 'Chance of RAISED is now 25% in prod')
    await page.getByRole('img', { name: 'Chance of A: 25' }).waitFor()
    expect(await chanceOf('RAISED')).toBe(0.25)
  })
})
