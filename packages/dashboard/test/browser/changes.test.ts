/** Tests changes that a person collects on the page of a project, reviews, and saves at once. */
import type { Locator, Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { storageDump, type TestPage } from '../../../server/testkit/browser.ts'
import { useEmbeddedApp } from '../../../server/testkit/embedded.ts'
import { isLong } from '../../../server/testkit/long.ts'
import { invite, type Person } from '../../../server/testkit/person.ts'
import { query } from '../../../server/testkit/store.ts'
import { expectHeading, expectText, field, openPageAs, press, reveal, saveButton, useBrowser } from './steps.ts'

const canary = 'canary-value-91ab'

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
})

function at(projectSlug: string, stageSlug: string) {
  return { orgSlug: 'acme', projectSlug, stageSlug }
}

function secret(name: string, value: string, declaredType?: string) {
  return { kind: 'secret', name, value, ...(declaredType !== undefined && { declaredType }) }
}

function roll(name: string, chance: number) {
  return { kind: 'ab_roll', name, valueA: 'new', valueB: 'old', chance }
}

async function write(place: object, entries: readonly object[], by = app.owner): Promise<void> {
  await app.client.must('write', { ...place, mode: 'upsert', entries }, { token: await by.token() })
}

async function revisionOf(place: object): Promise<number> {
  return (await app.client.must('list', place, { token: await app.owner.token() })).revision
}

/** Returns the variables of a stage as revealed to a person. Names that do not exist are omitted. */
async function stored(place: object, ...names: string[]): Promise<object[]> {
  const token = await app.owner.token()
  const { variables } = await app.client.must('list', place, { token })
  const there = names.filter((name) => variables.some((variable: { name: string }) => variable.name === name))
  return (await app.client.must('reveal', { ...place, names: there }, { token })).variables
}

function cell(name: string): Locator {
  return page.getByRole('gridcell').getByRole('button', { name, exact: true })
}

/** Opens a cell and its form, enters a value and collects the change. */
async function collect(name: string, value: string): Promise<void> {
  await cell(name).click()
  await press(page, 'Edit')
  await field(page, 'Value').fill(value)
  await press(page, 'Add to draft')
  await expectClosed()
}

async function expectClosed(): Promise<void> {
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

/** Expects these changes in the review, in order. */
/** A secret value that no one asked for. */
const mask = '•••••• hidden value'

async function expectReviewed(...changes: string[]): Promise<void> {
  const remove = page.getByRole('button', { name: /^Remove / })
  const items = page.getByRole('listitem').filter({ has: remove })
  await expect
    .poll(async () => (await items.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ')))
    .toEqual(changes)
}

describe('changes', () => {
  test('are announced at the foot of the window, however long the table is', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `NAME_${index + 10}`)
    await write(
      at('long', 'dev'),
      names.map((name) => secret(name, '1')),
    )
    await page.goto('/o/acme/p/long')
    await collect('NAME_10 in dev, Set', '2')
    await expectText(page, 'Draft: 1 change in dev')
    const box = await page.getByRole('button', { name: 'Review draft' }).boundingBox()
    expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThanOrEqual(900)
  })

  test('are collected, reviewed by stage, and saved at once', async () => {
    const dev = at('shop', 'dev')
    const prod = at('shop', 'prod')
    await write(dev, [secret('PORT', '80', 'int64'), secret('OLD', '1'), roll('FLOW', 0.1), secret('KEPT', '1')])
    await write(prod, [secret('PORT', '80', 'int64')])
    await page.goto('/o/acme/p/shop')
    await press(page, 'New variable')
    await field(page, 'Name').fill('NEW')
    await press(page, 'Add to draft')
    await expectText(page, 'Enter a value.')
    await field(page, 'Value').fill(canary)
    await press(page, 'Add to draft')
    await expectClosed()
    await cell('NEW in dev, Missing, New in your draft').waitFor()
    await collect('PORT in dev, Set', '8080')
    await collect('PORT in prod, Same as dev', '443')
    await cell('FLOW in dev, Set, A 10%').click()
    await reveal(page)
    await press(page, 'Edit')
    await page.getByRole('textbox', { name: 'Chance of A in percent' }).fill('25')
    await press(page, 'Add to draft')
    await cell('OLD in dev, Set').click()
    await press(page, 'Delete')
    await press(page, 'Add deletion to draft')
    await expectText(page, 'Draft: 5 changes in dev and prod')
    expect(await stored(dev, 'NEW', 'OLD')).toEqual([secret('OLD', '1')])

    await cell('PORT in dev, Set, Changed in your draft').click()
    await press(page, 'Edit')
    await expect.poll(() => field(page, 'Value').inputValue()).toBe('8080')
    await field(page, 'Value').fill('8081')
    await press(page, 'Add to draft')
    await press(page, 'Review draft')
    await expectReviewed(
      `NEW New Secret value Value ${mask}`,
      `PORT Changed Value ${mask} → ${mask}`,
      `FLOW Changed Chance 10% → 25% Value A ${mask} → ${mask} Value B ${mask} → ${mask}`,
      'OLD Deleted',
      `PORT Changed Value ${mask} → ${mask}`,
    )
    expect(await page.content()).not.toContain(canary)
    await press(page, 'Show new value of NEW in dev')
    await expectText(page, canary)
    await press(page, 'Hide new value of NEW in dev')
    await page.getByText(canary).waitFor({ state: 'detached' })
    await press(page, 'Remove PORT in prod')
    await press(page, 'Save 4 changes to dev')
    await expectClosed()
    await cell('NEW in dev, Set').waitFor()
    await page.getByText(/ in your draft|Draft:/).waitFor({ state: 'detached' })
    expect(await stored(dev, 'NEW', 'PORT', 'OLD', 'FLOW')).toEqual([
      secret('NEW', canary),
      secret('PORT', '8081', 'int64'),
      roll('FLOW', 0.25),
    ])
    expect([await revisionOf(dev), await revisionOf(prod)]).toEqual([2, 1])
    expect(await storageDump(page)).not.toContain(canary)
    expect(page.url() + (await page.evaluate<string>('JSON.stringify(history.state)'))).not.toContain(canary)
    expect(visit.requestedUrls.join(' ')).not.toContain(canary)
  })

  test.runIf(isLong)(
    'of a variable that another person changed are reported first, and other changes do not matter',
    async () => {
      const [dev, prod] = [at('shared', 'dev'), at('shared', 'prod')]
      await write(dev, [secret('A', '1'), secret('B', '1')])
      await write(prod, [secret('A', '1'), secret('B', '1')])
      await page.goto('/o/acme/p/shared')
      await collect('A in dev, Set', 'mine')
      await collect('A in prod, Same as dev', 'mine')
      await collect('B in prod, Same as dev', 'mine')
      await write(dev, [secret('B', 'theirs')], grace)
      await write(prod, [{ ...roll('A', 0.5) }], grace)
      await press(page, 'Review draft')
      await press(page, 'Save 3 changes to dev and prod')
      await expectText(page, 'prod was changed in the meantime')
      await expectText(page, 'Changed by Grace')
      await expectReviewed(`A Changed A/B roll → One value Value ${mask}`, `B Changed Value ${mask} → ${mask}`)
      expect(await stored(dev, 'A', 'B')).toMatchObject([{ value: 'mine' }, { value: 'theirs' }])
      expect(await stored(prod, 'A', 'B')).toMatchObject([{ kind: 'ab_roll' }, { value: '1' }])
      await press(page, 'Save 2 changes to prod')
      await expectClosed()
      expect(await stored(prod, 'A', 'B')).toMatchObject([{ value: 'mine' }, { value: 'mine' }])
    },
  )

  test('stay in the tab while a person visits other pages, and end only after a question', async () => {
    await write(at('left', 'dev'), [secret('A', '1')])
    await page.goto('/o/acme/p/left')
    await collect('A in dev, Set', canary)
    await page.getByRole('link', { name: 'Usage', exact: true }).click()
    await expectHeading(page, 'Usage')
    await expectText(page, 'Draft: 1 change in left')
    const question = page.waitForEvent('dialog')
    await page.close({ runBeforeUnload: true })
    expect((await question).type()).toBe('beforeunload')
    await (await question).dismiss()
    await page.getByRole('link', { name: 'Review draft' }).click()
    await expectReviewed(`A Changed Value ${mask} → ${mask}`)
    await page.keyboard.press('Escape')
    await expectClosed()
    await cell('A in dev, Set, Changed in your draft').waitFor()
    await press(page, 'Discard')
    await expectText(page, 'The stages stay as they are.')
    await press(page, 'Keep editing')
    await expectClosed()
    await press(page, 'Discard')
    await press(page, 'Discard draft')
    await cell('A in dev, Set').waitFor()
    await expectClosed()
    expect(await page.content()).not.toContain(canary)
    expect(await storageDump(page)).not.toContain(canary)
  })

  test('delete many variables that were selected by keyboard', async () => {
    const all = ['A', 'B', 'C', 'D'].map((name) => secret(name, '1'))
    await write(at('many', 'dev'), all)
    await write(at('many', 'prod'), all.slice(1))
    await page.goto('/o/acme/p/many')
    await page.getByRole('checkbox', { name: 'Select A', exact: true }).focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Space')
    await expectText(page, '2 selected')
    await press(page, 'Delete')
    await page.getByRole('menuitem', { name: 'Delete 1 from prod' }).click()
    await expectReviewed('B Deleted')
    await expect.poll(() => page.evaluate('document.activeElement.closest("[role=dialog]") !== null')).toBe(true)
    await page.keyboard.press('Control+Enter')
    await expectText(page, 'Deleted B from prod')
    await cell('B in prod, Missing in production').waitFor()
    await cell('B in dev, Set').waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('INPUT')
  })
})

test('can replace a value that does not open, on a stage that is still shown', async () => {
  const dev = at('damaged', 'dev')
  await write(dev, [secret('WELL', '1'), secret('DAMAGED', '1')])
  await query(
    app.dataDir,
    "update variables set sealed = (select sealed from variables where name = 'WELL') where name = 'DAMAGED'",
  )
  await page.goto('/o/acme/p/damaged')
  await cell('WELL in dev, Set').waitFor()
  await cell('DAMAGED in dev, Cannot be opened').click()
  await press(page, 'Edit')
  await field(page, 'Value').fill('2')
  await saveButton(page).click()
  await cell('DAMAGED in dev, Set').waitFor()
  expect(await stored(dev, 'DAMAGED')).toEqual([secret('DAMAGED', '2')])
})
