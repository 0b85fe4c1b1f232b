/** Tests the history of variables, restoring, and search across projects, as people use them in the browser. */
import type { Locator, Page, Route } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { axeViolations, type TestPage } from '../../../server/testkit/browser.ts'
import { useEmbeddedApp } from '../../../server/testkit/embedded.ts'
import { roll, secret } from '../../../server/testkit/entries.ts'
import { isLong } from '../../../server/testkit/long.ts'
import { invite, type Person } from '../../../server/testkit/person.ts'
import { query } from '../../../server/testkit/store.ts'
import { expectHeading, expectText, field, press, useBrowser, openPageAs } from './steps.ts'

const canary = 'canary-value-9a1c'

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

function at(projectSlug: string, stageSlug = 'dev') {
  return { orgSlug: 'acme', projectSlug, stageSlug }
}

/** Writes to a stage with `token`, or the owner's by default. */
async function write(place: object, entries: readonly object[], deletes: readonly string[] = [], token?: string) {
  const body = { ...place, mode: 'upsert', entries, deletes }
  await app.client.must('write', body, { token: token ?? (await app.owner.token()) })
}

async function valuesOf(place: object): Promise<object> {
  return (await app.client.must('pull', place, { token: await app.owner.token() })).variables as object
}

/** Returns the shown revisions as sentences, without their numbers. */
async function shown(): Promise<string[]> {
  const texts = await page.locator('[data-entry] > span:has(> bdi)').allInnerTexts()
  return texts.map((text) => text.replace(/ #\d+$/, ''))
}

async function expectShown(lines: readonly string[]): Promise<void> {
  await expect.poll(shown).toEqual(lines)
}

function details(): Locator {
  return page.getByRole('region', { name: 'Details' })
}

/** Opens the details of a revision by its address. */
async function openRevision(projectSlug: string, revision: number): Promise<void> {
  await page.goto(`/o/acme/p/${projectSlug}/history?revision=${revision}`)
  await details()
    .getByRole('heading', { name: `Revision ${revision}` })
    .waitFor()
}

/** Returns what the open details say of each variable. */
async function diff(): Promise<string[]> {
  const items = await details().getByRole('listitem').all()
  return Promise.all(
    items.map(async (item) =>
      [await item.locator('code').first().innerText(), await item.locator('p').first().innerText()].join(': '),
    ),
  )
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ': ')
}

describe('an address with a stage that the project does not have', () => {
  test.each(['history', 'access/holders'])('shows no other stage: %s', async (path) => {
    await write(at('elsewhere'), [secret('A', canary)])
    await page.goto(`/o/acme/p/elsewhere/${path}?stage=zzz`)
    await expectText(page, 'has no stage with the slug zzz')
  })
})

describe('the history', () => {
  test('shows what was done to each variable, by whom and with what, without values', async () => {
    const place = at('told')
    const cli = await app.client.login(await grace.token())
    const { token: service } = await app.client.must(
      'tokenCreate',
      { orgSlug: 'acme', name: 'ci of told' },
      { token: await app.owner.token() },
    )
    await write(place, [secret('A', canary), roll('FLOW', 0.1)])
    await write(place, [secret('A', 'two')], [], cli.accessToken)
    await write(place, [secret('A', canary, 'string')], [], service as string)
    await app.client.must(
      'update',
      { ...place, updates: [{ name: 'FLOW', chance: 0.25 }] },
      { token: await grace.token() },
    )
    await write(place, [], ['A'])
    await app.client.must('restore', { ...place, revision: 1 }, { token: await grace.token() })
    await page.goto('/o/acme/p/told')
    await page.getByRole('link', { name: 'History' }).click()
    await expectHeading(page, 'History of told')
    await expectShown([
      'Grace restored an earlier state of 2 variables',
      'Ada deleted A',
      'Grace set the chance of FLOW from 10% to 25%',
      'service token ci of told changed A: value changed, type untyped → text',
      'Grace changed A',
      'Ada added A and FLOW',
    ])
    await page.getByText('Ada added').click()
    await expectText(page, 'Ada · dashboard')
    await expect.poll(() => new URL(page.url()).search).toBe('?revision=1')
    const expected = [
      ['A: Created: secret value', 'FLOW: Created: A/B roll, chance 10%'],
      ['A: Value changed'],
      ['A: Value set back to that of revision 1, type untyped → text'],
      ['FLOW: Chance 10% → 25%'],
      ['A: Deleted'],
      ['A: Restored', 'FLOW: Restored: chance 25% → 10%'],
    ]
    // The arrow keys lead to newer rows, and Enter opens them.
    for (const [index, lines] of expected.entries()) {
      await details()
        .getByRole('heading', { name: `Revision ${index + 1}` })
        .waitFor()
      await expect.poll(diff).toEqual(lines)
      await page.locator('[data-entry][aria-current]').focus()
      await page.keyboard.press('ArrowUp')
      await page.keyboard.press('Enter')
    }
    await openRevision('told', 4)
    await page.getByRole('img', { name: /^Chance of A before: 10/ }).waitFor()
    await page.getByRole('img', { name: /^Chance of A after: 25/ }).waitFor()
    await openRevision('told', 2)
    await details().getByText('Grace · cli session test').waitFor()
    expect(await page.content()).not.toContain(canary)
    await openRevision('told', 1)
    await press(page, 'Reveal A in dev')
    await expectText(page, canary)
    await page.keyboard.press('Escape')
    await details().waitFor({ state: 'detached' })
  })

  test.runIf(isLong)(
    'shows the values of plain variables before and after a change, and beside the variable',
    async () => {
      const place = at('plain')
      const entry = { ...secret('SIZE', '20', 'int64'), exposure: 'plain' }
      await write(place, [entry, secret('KEY', canary)])
      await write(place, [{ ...entry, value: '25' }, secret('KEY', `${canary}-2`)])
      await openRevision('plain', 2)
      const lines = () => page.locator('[data-when]').allInnerTexts()
      await expect.poll(async () => (await lines()).map(oneLine)).toEqual(['Before: −: 20', 'After: +: 25'])
      expect(await axeViolations(page)).toEqual([])
      await page.goto('/o/acme/p/plain?stage=dev&variable=SIZE')
      await expect.poll(async () => (await lines()).length).toBe(3)
      expect(await page.content()).not.toContain(canary)
    },
  )

  test('on a phone leaves the width to the sentence, above the time and a button for a finger', async () => {
    const place = at('handheld')
    await write(place, [secret('A', '1')])
    await write(place, [secret('A', '2')])
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto('/o/acme/p/handheld/history')
    const button = await page.getByRole('button', { name: 'Undo revision 2…' }).boundingBox()
    const sentence = await page.getByText('Ada changed A').boundingBox()
    expect(button?.height).toBeGreaterThanOrEqual(40)
    expect(sentence?.width).toBeGreaterThan(250)
    expect(button?.y).toBeGreaterThanOrEqual((sentence?.y ?? 0) + (sentence?.height ?? 0))
  })

  test.runIf(isLong)('is filtered by person and kind of change, in the address', async () => {
    const place = at('filtered')
    await write(place, [secret('A', '1'), secret('B', '1')])
    await write(place, [secret('A', '2')], [], await grace.token())
    await write(place, [], ['B'])
    await page.goto('/o/acme/p/filtered/history')
    await press(page, 'Person')
    await page.getByRole('menuitemradio', { name: 'Grace' }).click()
    await expectShown(['Grace changed A'])
    await expectText(page, '1 of the latest 3 revisions')
    await press(page, 'Clear Person')
    await press(page, 'Change')
    await page.getByRole('menuitemradio', { name: 'Deleted' }).click()
    await expectShown(['Ada deleted B'])
    await page.reload()
    await expectShown(['Ada deleted B'])
    await expect.poll(() => new URL(page.url()).search).toBe('?change=deleted')
    await press(page, 'Clear filters')
    await expect.poll(shown).toHaveLength(3)
  })

  test.runIf(isLong)('filters by one variable in any stage, and loads older changes on request', async () => {
    const [dev, prod] = [at('paged'), at('paged', 'prod')]
    const many = Array.from({ length: 10 }, (_, index) => secret(`N_${index}`, 'x'))
    await write(prod, [...many, secret('A', 'x')])
    await write(dev, [secret('A', '0'), secret('GONE', '1')])
    await write(dev, [], ['GONE'])
    const token = await app.owner.token()
    for (let i = 1; i <= 50; i++) await write(dev, [secret('A', `${i}`), secret('B', `${i}`)], [], token)
    await page.goto('/o/acme/p/paged?search=A')
    await page
      .getByRole('gridcell')
      .getByRole('button', { name: /^A in dev/ })
      .click()
    await page.getByRole('link', { name: 'Full history' }).click()
    await expect.poll(shown).toHaveLength(50)
    await press(page, 'Show older')
    await expect.poll(async () => (await shown()).at(-1)).toBe('Ada added A')
    await expect.poll(() => page.getByRole('button', { name: 'Show older' }).count()).toBe(0)
    const name = field(page, 'Variable')
    await name.fill('b')
    await page.getByRole('option', { name: 'B', exact: true }).click()
    await expect.poll(async () => (await shown()).at(-1)).toBe('Ada added B')
    await name.fill('GONE')
    await name.press('Enter')
    await expectShown(['Ada deleted GONE', 'Ada added GONE'])
    await page.getByRole('navigation', { name: 'Stages' }).getByRole('link', { name: 'prod' }).click()
    await expectText(page, 'GONE never changed in prod')
    await name.fill('')
    await expectShown(['Ada added 11 variables'])
    await expect.poll(() => new URL(page.url()).search).toBe('?stage=prod')
    await page.getByText('added 11 variables').click()
    await expect.poll(diff).toHaveLength(11)
    await name.fill('n')
    await page.getByRole('option', { name: 'N_9' }).waitFor()
    expect(await axeViolations(page)).toEqual([])
  })
})

describe('restoring', () => {
  test('a stage previews its effect, again if someone else was faster, and makes a new revision', async () => {
    const place = at('restored')
    await write(place, [secret('A', canary), roll('FLOW', 0.1), secret('KEPT', '1'), secret('STAYS', '1')])
    await write(place, [secret('A', 'two'), secret('NEW', '1'), secret('STAYS', '1')])
    await write(place, [secret('A', 'three'), roll('FLOW', 0.5)], ['KEPT'])
    await openRevision('restored', 1)
    await press(page, 'Restore to here…')
    const effects = async () => (await page.getByRole('dialog').getByRole('listitem').allInnerTexts()).map(oneLine)
    await expectText(page, '1 other stays as it is.')
    await expect
      .poll(() => effects())
      .toEqual(['A: Value changed', 'FLOW: Chance 50% → 10%', 'KEPT: Comes back', 'NEW: Deleted'])
    const token = await grace.token()
    await write(place, [secret('STAYS', '2')], ['NEW'], token)
    const again = ['A: Value changed', 'FLOW: Chance 50% → 10%', 'KEPT: Comes back', 'STAYS: Value changed']
    await expect.poll(effects).toEqual(again)
    const change = async (route: Route) => {
      await write(place, [secret('A', 'four')], [], token)
      await route.continue()
    }
    await page.route('**/v1/env/restore', change, { times: 1 })
    await press(page, 'Restore dev to revision 1 (3 changed, 1 brought back)')
    await expectText(page, 'Nothing was saved, because someone changed a stage')
    expect(await valuesOf(place)).toMatchObject({ A: 'four', STAYS: '2' })
    await expect.poll(effects).toEqual(again)
    await press(page, 'Restore dev to revision 1 (3 changed, 1 brought back)')
    await expectText(page, 'Restored dev to revision 1')
    await details().getByRole('heading', { name: 'Revision 6' }).waitFor()
    await expect
      .poll(diff)
      .toEqual([
        'A: Restored: value set back to that of revision 1',
        'FLOW: Restored: chance 50% → 10%',
        'KEPT: Restored',
        'STAYS: Restored: value set back to that of revision 2',
      ])
    expect(await valuesOf(place)).toMatchObject({ A: canary, KEPT: '1', STAYS: '1' })
    // What is as it was at a revision cannot be restored to it.
    await page.getByText('added 4 variables').click()
    await expectText(page, 'dev is still as it was at this revision.')
    expect(
      await details()
        .getByRole('button', { name: /^Restore/ })
        .count(),
    ).toBe(0)
    await press(page, 'Undo')
    await expectText(page, /(as before|back|no longer) in dev/)
    expect(await valuesOf(place)).toMatchObject({ A: 'four', STAYS: '2' })
    expect(await page.content()).not.toContain(canary)
  })

  test('an older revision is undone alone, and is restored only where something differs', async () => {
    const place = at('older')
    await write(place, [secret('A', '1'), secret('MAIL', 'smtp')])
    await write(place, [], ['MAIL'])
    await write(place, [secret('NEW', '1')])
    await write(place, [], ['NEW'])
    await page.goto('/o/acme/p/older/history')
    const actions = () =>
      page.getByRole('button', { name: /^(Undo|Restore) / }).evaluateAll((all) => all.map((each) => each.ariaLabel))
    await expect
      .poll(actions)
      .toEqual([
        'Undo revision 4…',
        'Restore to here: dev at revision 3',
        'Undo only this: revision 2…',
        'Restore to here: dev at revision 1',
      ])
    await page.getByRole('link', { name: 'Ada deleted MAIL #2' }).waitFor()
    await press(page, 'Undo only this: revision 2…')
    await press(page, 'Undo revision 2 (1 brought back)')
    await expectText(page, 'Undid revision 2')
    expect(await valuesOf(place)).toEqual({ A: '1', MAIL: 'smtp' })
  })

  test('a variable leaves the others unchanged, and works by keyboard only', async () => {
    const place = at('single')
    await write(place, [secret('A', '1'), secret('B', '1')])
    await write(place, [secret('A', '2'), secret('B', '2')])
    await openRevision('single', 1)
    await page.getByRole('button', { name: 'Restore A to this revision' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Restore A to revision 1 (1 changed)' }).focus()
    await page.keyboard.press('Enter')
    await details().getByRole('heading', { name: 'Revision 3' }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await valuesOf(place)).toEqual({ A: '1', B: '2' })
  })

  test.runIf(isLong)('shows how far back the history goes', async () => {
    const place = at('forgotten')
    await write(place, [secret('A', '1'), secret('STAYS', '1')])
    await write(place, [secret('A', '2')])
    await write(place, [secret('A', '3')])
    // Housekeeping leaves this state.
    const stage = "(select s.id from stages s join projects p on p.id = s.project_id where p.slug = 'forgotten')"
    await query(app.dataDir, `delete from variable_history where revision = 1 and name = 'A' and stage_id = ${stage}`)
    await query(app.dataDir, `insert into history_floors (stage_id, revision) select ${stage}, 2`)
    await page.goto('/o/acme/p/forgotten/history')
    await expectShown(['Ada changed A', 'Ada changed A', 'Ada added STAYS'])
    await openRevision('forgotten', 2)
    await expect.poll(diff).toEqual(['A: Changed; the former state is no longer kept'])
    await openRevision('forgotten', 1)
    await press(page, 'Restore to here…')
    await press(page, 'Restore dev to revision 1 (1 changed)')
    await expectText(page, 'choose 2 or a later one.')
    await page.keyboard.press('Escape')
    await openRevision('forgotten', 2)
    await press(page, 'Restore to here…')
    await press(page, 'Restore dev to revision 2 (1 changed)')
    await expectText(page, 'Restored dev to revision 2')
    expect(await valuesOf(place)).toEqual({ A: '2', STAYS: '1' })
  })

  test.runIf(isLong)('is not offered in the archive', async () => {
    const place = at('archived', 'old')
    await write(place, [secret('A', '1')])
    await write(place, [secret('A', '2')])
    await app.client.must('stageUpdate', { ...place, archived: true }, { token: await app.owner.token() })
    await openRevision('archived', 1)
    await expectText(page, 'Archived stages are read-only')
    await expectShown(['Ada changed A', 'Ada added A'])
    await expect.poll(() => page.getByRole('button', { name: /^Restore/ }).count()).toBe(0)
  })
})

test('a search finds variables across projects by keyboard, and leads to their table', async () => {
  await write(at('found-shop'), [secret('SEARCHED_KEY', '1'), secret('OTHER', '1')])
  await write(at('found-shop', 'prod'), [secret('SEARCHED_KEY', '1')])
  await write(at('found-api'), [secret('SEARCHED_KEY', '1', 'int64'), roll('NOT_SEARCHED', 0.5)])
  await page.goto('/o/acme/projects')
  const found = page.getByRole('table', { name: 'Found variables' })
  const rows = async () => (await found.getByRole('row').allInnerTexts()).slice(1)
  await page.getByRole('searchbox').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('searched')
  await expect
    .poll(rows)
    .toEqual([
      'NOT_SEARCHED\tfound-api\tdev\tA/B roll',
      'SEARCHED_KEY\tfound-api\tdev\tOne value · whole number',
      'SEARCHED_KEY\tfound-shop\tdev, prod\tOne value',
    ])
  await page.keyboard.type('/')
  await expectText(page, 'No variable has this in its name.')
  await page.keyboard.press('Escape')
  await page.getByRole('table', { name: 'Projects' }).waitFor()
  const outdated = page.waitForEvent('requestfailed')
  await page.route('**/v1/env/search', async (route) => {
    // This request never gets an answer.
    if (!route.request().postData()?.includes('other')) await route.continue()
  })
  const searched = page.waitForRequest('**/v1/env/search')
  await page.getByRole('searchbox').fill('other')
  await searched
  await page.getByRole('searchbox').fill('searched_k')
  expect((await outdated).postData()).toContain('other')
  await found.getByRole('row', { name: 'found-shop' }).getByRole('link').click()
  await page.getByRole('gridcell').getByRole('button', { name: 'SEARCHED_KEY in prod, Same as dev' }).waitFor()
  await expectText(page, '1 of 2')
  await expect.poll(() => new URL(page.url()).search).toBe('?search=SEARCHED_KEY')
})
