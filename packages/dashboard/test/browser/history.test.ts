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

/** How long a test waits for the browser. */
const patience = { timeout: 30_000 }

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

function revisionItem(revision: number): Locator {
  const heading = page.getByRole('heading', { name: `Revision ${revision}`, exact: true })
  return page.locator('ol > li').filter({ has: heading })
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ': ')
}

/** Returns the shown history, one line per revision, without times. */
async function shown(): Promise<string[]> {
  const revisions = await page.locator('ol > li').all()
  return Promise.all(
    revisions.map(async (revision) => {
      const [title, changes] = await Promise.all([
        revision.getByRole('heading').innerText(),
        revision.locator('ul > li').allInnerTexts(),
      ])
      return [title, ...changes.map(oneLine)].join(' | ')
    }),
  )
}

async function expectShown(lines: readonly string[]): Promise<void> {
  await expect.poll(shown, patience).toEqual(lines)
}

describe('the history', () => {
  test.runIf(isLong)('shows what was done to each variable, by whom and with what, without values', async () => {
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
    await app.client.must('chance', { ...place, name: 'FLOW', chance: 0.25 }, { token: await grace.token() })
    await write(place, [], ['A'])
    await app.client.must('restore', { ...place, revision: 1 }, { token: await grace.token() })
    await page.goto('/o/acme/p/told')
    await page.getByRole('link', { name: 'History' }).click()
    await expectHeading(page, 'History of told')
    await expectShown([
      'Revision 6 | A: Restored | FLOW: Restored: chance 25 % → 10 %',
      'Revision 5 | A: Deleted',
      'Revision 4 | FLOW: Chance 10 % → 25 %',
      'Revision 3 | A: Value set back to what it was at revision 1, type not declared → text',
      'Revision 2 | A: Value changed',
      'Revision 1 | A: Created: Secret | FLOW: Created: A/B roll, chance 10 %',
    ])
    expect(await revisionItem(1).innerText()).toContain('Ada · dashboard')
    expect(await revisionItem(2).innerText()).toContain('Grace · cli session test')
    expect(await revisionItem(3).innerText()).toContain('service token ci of told')
    await page.getByRole('switch', { name: 'Show digests' }).click()
    const digests = (revision: number) => revisionItem(revision).getByRole('code').allInnerTexts()
    const [[first], [, second]] = [await digests(1), await digests(2)]
    expect(await digests(3)).toEqual([second, first])
    expect(await digests(5)).toEqual([first])
    expect(await page.content()).not.toContain(canary)
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
    await page.getByRole('link', { name: 'All changes' }).click()
    await expectText(page, 'Revision 52')
    expect(await shown()).toHaveLength(50)
    await press(page, 'Show older')
    await expectText(page, /^Revision 1$/)
    expect((await shown()).at(-1)).toBe('Revision 1 | A: Created: Secret')
    expect(await page.getByRole('button', { name: 'Show older' }).count()).toBe(0)
    const name = field(page, 'Variable')
    await name.fill('b')
    await page.getByRole('option', { name: 'B', exact: true }).click()
    await expect.poll(async () => (await shown()).at(-1), patience).toBe('Revision 3 | B: Created: Secret')
    await name.fill('GONE')
    await name.press('Enter')
    await expectShown(['Revision 2 | GONE: Deleted', 'Revision 1 | GONE: Created: Secret'])
    await page.getByLabel('Stage', { exact: true }).selectOption('prod')
    await expectText(page, 'No change of GONE in prod is known.')
    await name.fill('')
    await press(page, 'Show all 11')
    await expect.poll(async () => (await shown()).join().match(/Created/g)?.length, patience).toBe(11)
    expect(new URL(page.url()).search).toBe('?stage=prod')
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
    await page.goto('/o/acme/p/restored/history')
    await press(page, 'Restore as at revision 1')
    const effects = async () => (await page.getByRole('dialog').getByRole('listitem').allInnerTexts()).map(oneLine)
    await expectText(page, '1 other stays as it is.')
    expect(await effects()).toEqual([
      'A: value changed',
      'FLOW: chance 50 % → 10 %',
      'KEPT: comes back',
      'NEW: deleted',
    ])
    const token = await grace.token()
    await write(place, [secret('STAYS', '2')], ['NEW'], token)
    const anew = ['A: value changed', 'FLOW: chance 50 % → 10 %', 'KEPT: comes back', 'STAYS: value changed']
    await expect.poll(effects, patience).toEqual(anew)
    const change = async (route: Route) => {
      await write(place, [secret('A', 'four')], [], token)
      await route.continue()
    }
    await page.route('**/v1/env/restore', change, { times: 1 })
    await press(page, 'Restore 4 variables as at revision 1')
    await expectText(page, 'Nothing was saved, because someone changed a stage')
    expect(await valuesOf(place)).toMatchObject({ A: 'four', STAYS: '2' })
    await expect.poll(effects, patience).toEqual(anew)
    await press(page, 'Restore 4 variables as at revision 1')
    await expectText(page, 'dev is as it was at revision 1.')
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect((await shown())[0]).toBe(
      'Revision 6 | A: Restored: value set back to what it was at revision 1 | ' +
        'FLOW: Restored: chance 50 % → 10 % | KEPT: Restored | STAYS: Restored: value set back to what it was at revision 2',
    )
    expect(await valuesOf(place)).toMatchObject({ A: canary, KEPT: '1', STAYS: '1' })
    await press(page, 'Restore as at revision 1')
    await expectText(page, 'There is nothing to restore.')
    expect(await page.content()).not.toContain(canary)
  })

  test('a variable leaves the others unchanged, and works by keyboard only', async () => {
    const place = at('single')
    await write(place, [secret('A', '1'), secret('B', '1')])
    await write(place, [secret('A', '2'), secret('B', '2')])
    await page.goto('/o/acme/p/single/history?stage=dev&name=A')
    await page.getByRole('button', { name: 'Restore as at revision 1' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Restore 1 variable as at revision 1' }).focus()
    await page.keyboard.press('Enter')
    await expectText(page, 'A is as it was at revision 1.')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    // Focus returns a moment after the dialog closes.
    await page.getByRole('button', { name: 'Restore as at revision 1' }).and(page.locator(':focus')).waitFor()
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
    await expectShown([
      'Revision 3 | A: Value changed',
      'Revision 2 | A: Changed; what it was is no longer kept',
      'Revision 1 | STAYS: Created: Secret',
    ])
    await press(page, 'Restore as at revision 1')
    await press(page, 'Restore 1 variable as at revision 1')
    await expectText(page, 'choose 2 or a later one.')
    await page.keyboard.press('Escape')
    await press(page, 'Restore as at revision 2')
    await press(page, 'Restore 1 variable as at revision 2')
    await expectText(page, 'dev is as it was at revision 2.')
    expect(await valuesOf(place)).toEqual({ A: '2', STAYS: '1' })
  })

  test.runIf(isLong)('is not offered in the archive', async () => {
    const place = at('archived', 'old')
    await write(place, [secret('A', '1')])
    await write(place, [secret('A', '2')])
    await app.client.must('stageUpdate', { ...place, archived: true }, { token: await app.owner.token() })
    await page.goto('/o/acme/p/archived/history')
    await expectText(page, 'What is in the archive can be looked at, and not restored.')
    await expectShown(['Revision 2 | A: Value changed', 'Revision 1 | A: Created: Secret'])
    expect(await page.getByRole('button', { name: /^Restore/ }).count()).toBe(0)
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
    .poll(rows, patience)
    .toEqual([
      'NOT_SEARCHED\tfound-api\tdev\tA/B roll',
      'SEARCHED_KEY\tfound-api\tdev\tSecret · whole number',
      'SEARCHED_KEY\tfound-shop\tdev, prod\tSecret',
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
  await page.getByRole('gridcell').getByRole('button', { name: 'SEARCHED_KEY in prod, Same' }).waitFor()
  await expectText(page, '1 of 2')
  expect(new URL(page.url()).search).toBe('?search=SEARCHED_KEY')
})
