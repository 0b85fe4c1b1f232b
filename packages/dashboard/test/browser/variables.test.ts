/** Tests projects, stages and variables in the browser. */
import type { Locator, Page, Route } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { axeViolations, storageDump, type TestPage } from '../../../server/testkit/browser.ts'
import { useEmbeddedApp } from '../../../server/testkit/embedded.ts'
import { isLong } from '../../../server/testkit/long.ts'
import { invite } from '../../../server/testkit/person.ts'
import {
  expectHeading,
  expectText,
  field,
  openPageAs,
  press,
  reveal,
  saveButton,
  useBrowser,
  useEmbeddedAppPerTest,
} from './steps.ts'

const canary = 'canary-value-3e8f'

const app = useEmbeddedApp()
const browser = useBrowser()
let visit: TestPage
let page: Page

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

async function write(place: object, entries: readonly object[], by = app.owner, more: object = {}): Promise<void> {
  await app.client.must('write', { ...place, mode: 'upsert', entries, ...more }, { token: await by.token() })
}

/** Returns the variable as revealed to a person, or undefined. */
async function stored(place: object, name: string): Promise<unknown> {
  const { status, body } = await app.client.call(
    'reveal',
    { ...place, names: [name] },
    { token: await app.owner.token() },
  )
  return status === 200 ? body.variables[0] : undefined
}

function cell(name: string): Locator {
  return page.getByRole('gridcell').getByRole('button', { name, exact: true })
}

async function expectCell(name: string): Promise<void> {
  await cell(name).waitFor()
}

async function toggle(name: string): Promise<void> {
  await page.getByRole('switch', { name }).click()
}

/** Chooses an item of the open menu. */
async function choose(item: string): Promise<void> {
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

/** Chooses a value of a boolean. */
async function pick(label: string, value: string): Promise<void> {
  await page.getByRole('radiogroup', { name: label, exact: true }).getByText(value, { exact: true }).click()
}

function save(): Locator {
  return saveButton(page)
}

async function expectClosed(): Promise<void> {
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

/** Waits until the element with this label has the focus, which returns to it a moment after a dialog closed. */
async function expectFocused(label: string | RegExp): Promise<void> {
  await page.getByLabel(label, { exact: true }).and(page.locator(':focus')).waitFor()
}

describe('projects', () => {
  const fresh = useEmbeddedAppPerTest()

  test('start with the first step, are created, renamed, archived and restored', async () => {
    page = (await openPageAs(fresh.owner, browser, fresh.url)).page
    await page.goto('/')
    await page.getByRole('link', { name: 'New project' }).click()
    await field(page, 'Project name').waitFor()
    await page.keyboard.press('Escape')
    await expectClosed()
    await expectHeading(page, 'Projects')
    const sum = await (await fetch(`${app.url}/cli/rollkey.mjs.sha256`)).text()
    await expectText(page, `echo "${sum.trim()}" | sha256sum -c`)
    await expectText(page, 'rollkey set DATABASE_URL --create')
    await press(page, 'New project')
    await field(page, 'Project name').fill('Web Shop')
    await expect.poll(() => field(page, 'Project slug').inputValue()).toBe('web-shop')
    await press(page, 'Create project')
    await expectHeading(page, 'Web Shop')
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Projects' }).click()
    await press(page, 'More: Web Shop')
    await choose('Rename project…')
    await field(page, 'Name').fill('The Shop')
    await press(page, 'Rename')
    await page.getByRole('main').getByRole('link', { name: 'The Shop' }).waitFor()
    await expectClosed()
    await press(page, 'More: The Shop')
    await choose('Archive project…')
    await press(page, 'Archive')
    await page.getByRole('main').getByRole('link', { name: 'The Shop' }).waitFor({ state: 'detached' })
    await toggle('Show archived (1)')
    await press(page, 'More: The Shop')
    await choose('Restore from archive…')
    await press(page, 'Restore from archive')
    await page.getByText('Show archived').waitFor({ state: 'detached' })
    await page.getByRole('main').getByRole('link', { name: 'The Shop' }).waitFor()
  })

  test.runIf(isLong)('that already exist are refused with a message', async () => {
    await write(at('taken', 'dev'), [secret('A', '1')])
    await page.goto('/o/acme/projects')
    await press(page, 'New project')
    await field(page, 'Project name').fill('Taken')
    await press(page, 'Create project')
    await expectText(page, /The project taken already exists/)
  })

  test.runIf(isLong)('that do not exist lead to existing ones', async () => {
    await page.goto('/o/acme/p/nowhere')
    await expectHeading(page, 'Project not found')
    await page.getByRole('link', { name: 'See the projects' }).click()
    await expectHeading(page, 'Projects')
  })
})

describe('stages', () => {
  test('are created, renamed, archived and restored', async () => {
    await write(at('staged', 'dev'), [secret('A', '1')])
    await page.goto('/o/acme/p/staged')
    await press(page, 'More')
    await choose('New stage')
    await field(page, 'Stage name').fill('Production')
    await field(page, 'Stage slug').fill('prod')
    await press(page, 'Create stage')
    await expectCell('A in Production, Missing')
    await write(at('staged', 'prod'), [secret('B', '1')])
    await expectCell('A in Production, Missing in production')
    await press(page, 'Production Production, actions')
    await choose('Rename stage…')
    await field(page, 'Name').fill('Live')
    await press(page, 'Rename')
    await expectCell('A in Live, Missing in production')
    await press(page, 'Live Production, actions')
    await choose('Move left')
    await expectText(page, 'Moved Live')
    await expect
      .poll(() => page.getByRole('columnheader').allInnerTexts())
      .toMatchObject({
        3: expect.stringMatching(/^Live/),
        4: 'dev',
      })
    await press(page, 'Live Production, actions')
    await choose('Remove production mark')
    await expectCell('A in Live, Missing')
    await press(page, 'Live, actions')
    await choose('Mark as production')
    await expectCell('A in Live, Missing in production')
    await press(page, 'Live Production, actions')
    await choose('Archive stage…')
    await press(page, 'Archive')
    await cell('A in Live, Missing in production').waitFor({ state: 'detached' })
    await press(page, 'More')
    await choose('Archived stages (1)')
    await press(page, 'Restore Live from the archive')
    await expectCell('A in Live, Missing in production')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await press(page, 'Live Production, actions')
    await choose('Delete stage…')
    const remove = page.getByRole('button', { name: 'Delete Live' })
    await expect.poll(() => remove.isDisabled()).toBe(true)
    await field(page, 'Type prod to confirm').fill('prod')
    await remove.click()
    await cell('A in Live, Missing in production').waitFor({ state: 'detached' })
  })

  test('are shown side by side with what is set where and what differs', async () => {
    const roll = { kind: 'ab_roll', name: 'FLOW', valueA: 'new', valueB: 'old', declaredType: 'string' }
    await write(at('compared', 'dev'), [secret('SAME', 'x'), secret('OTHER', 'x'), { ...roll, chance: 0.2 }])
    await write(at('compared', 'prod'), [
      secret('SAME', 'x'),
      secret('OTHER', 'y'),
      secret('ONLY_PROD', 'x'),
      { ...roll, chance: 0.5 },
    ])
    await page.goto('/o/acme/p/compared')
    await expectCell('SAME in dev, Set')
    await expectCell('SAME in prod, Same as dev')
    await expectCell('OTHER in prod, Different from dev')
    await expectCell('ONLY_PROD in dev, Missing')
    await expectCell('ONLY_PROD in prod, Set')
    await expectCell('FLOW in prod, Different from dev, A 50%')
    await expect
      .poll(() => page.getByRole('rowheader').getByRole('button').allTextContents())
      .toEqual(['FLOW', 'ONLY_PROD', 'OTHER', 'SAME'])
    await page.getByRole('rowheader').getByRole('img', { name: 'A/B roll' }).waitFor()
    await press(page, 'Last change')
    await page.locator('[role=columnheader][aria-sort=descending]', { hasText: 'Last change' }).waitFor()
    await expect.poll(() => new URL(page.url()).search).toBe('?sort=changed')
    await press(page, 'Variable')
    await expect.poll(() => new URL(page.url()).search).toBe('')
    await press(page, 'Status')
    await page.getByRole('menuitemradio', { name: 'Different' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?status=different')
    await cell('SAME in dev, Set').waitFor({ state: 'detached' })
    await expectText(page, '2 of 4')
    await press(page, 'Status: Different')
    await page.getByRole('menuitemradio', { name: 'Missing in dev' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?missing=dev')
    await expectText(page, '1 of 4')
    await page.getByRole('searchbox').fill('other')
    await expectText(page, '0 of 4')
  })
})

describe('a variable', () => {
  test.runIf(isLong)('is added with the editor of its type', async () => {
    await write(at('typed', 'dev'), [secret('A', '1')])
    await page.goto('/o/acme/p/typed')
    await press(page, 'New variable')
    await field(page, 'Name').fill('CONFIG')
    await page.getByLabel('Type', { exact: true }).selectOption('json')
    await field(page, 'Value').fill('{"a": 1')
    await saveButton(page).click()
    await expectText(page, 'This is not JSON.')
    await field(page, 'Value').fill('{"a": 1}')
    await saveButton(page).click()
    await expectClosed()
    await expectCell('CONFIG in dev, Set')
    expect(await stored(at('typed', 'dev'), 'CONFIG')).toEqual(secret('CONFIG', '{"a": 1}', 'json'))
  })

  test.runIf(isLong)('that is missing in a stage is set there as elsewhere, a roll with its chance', async () => {
    await write(at('filled', 'dev'), [
      { kind: 'ab_roll', name: 'ON', valueA: 'true', valueB: 'false', chance: 0.25, declaredType: 'boolean' },
    ])
    await write(at('filled', 'prod'), [secret('A', '1')])
    await page.goto('/o/acme/p/filled')
    await cell('ON in prod, Missing in production').click()
    await press(page, 'Copy from dev instead')
    await page.getByRole('button', { name: 'Copy 1 variable to prod' }).waitFor()
    await page.goto('/o/acme/p/filled')
    await cell('ON in prod, Missing in production').click()
    await expectText(page, '1 of 4 users get A.')
    await save().click()
    await expectText(page, 'Choose true or false.')
    await pick('Value A', 'true')
    await pick('Value B', 'false')
    await save().click()
    await expectCell('ON in prod, Same as dev, A 25%')
  })

  test.runIf(isLong)('is added to several stages at once, and undone in all of them', async () => {
    for (const stage of ['dev', 'staging', 'prod']) await write(at('spread', stage), [secret('A', '1')])
    const values = async (): Promise<unknown[]> =>
      Promise.all(['dev', 'staging', 'prod'].map((stage) => stored(at('spread', stage), 'NEW')))
    await page.goto('/o/acme/p/spread')
    await press(page, 'New variable')
    await field(page, 'Name').fill('NEW')
    await page.getByRole('dialog').locator('label', { hasText: 'prod' }).click()
    await page.getByRole('radiogroup', { name: 'Values' }).getByText('Per stage').click()
    for (const stage of ['dev', 'staging', 'prod']) await field(page, `Value in ${stage}`).fill(`of ${stage}`)
    await press(page, 'Save to prod and 2 other stages')
    await expectText(page, 'Saved NEW to prod and 2 other stages')
    expect(await values()).toEqual(['dev', 'staging', 'prod'].map((stage) => secret('NEW', `of ${stage}`)))
    await write(at('spread', 'prod'), [secret('NEW', 'theirs')])
    await press(page, 'Undo')
    await expectText(page, 'Ada changed NEW in prod since, so it stays as it is.')
    expect(await values()).toEqual([undefined, undefined, secret('NEW', 'theirs')])
  })

  test.runIf(isLong)('gets a description in all its stages, without its value', async () => {
    for (const stage of ['dev', 'prod']) await write(at('described', stage), [secret('A', canary)])
    await page.goto('/o/acme/p/described?variable=A&stage=dev')
    await press(page, 'Add a description')
    await field(page, 'Description').fill('What it is for')
    await press(page, 'Save to dev and prod')
    await expectText(page, 'Saved the description of A in dev and prod')
    for (const stage of ['dev', 'prod']) {
      expect(await stored(at('described', stage), 'A')).toEqual({
        ...secret('A', canary),
        description: 'What it is for',
      })
    }
    expect(await page.content()).not.toContain(canary)
  })

  test('has an address without its value, which the Back button leaves', async () => {
    await write(at('linked', 'dev'), [secret('A', canary)])
    await page.goto('/o/acme/p/linked')
    await cell('A in dev, Set').click()
    await page.getByRole('dialog', { name: 'A' }).waitFor()
    await expect.poll(() => new URL(page.url()).search).toBe('?stage=dev&variable=A')
    await page.goBack()
    await expectClosed()
    await page.goto('/o/acme/p/linked?variable=A&stage=dev')
    await reveal(page)
    await expectText(page, canary)
    expect(page.url()).not.toContain(canary)
    await page.keyboard.press('Escape')
    await expectClosed()
    await expect.poll(() => new URL(page.url()).search).toBe('')
  })

  test.runIf(isLong)('that already exists is not overwritten by a new one', async () => {
    await write(at('twice', 'dev'), [secret('A', '1')])
    await page.goto('/o/acme/p/twice')
    await press(page, 'New variable')
    await field(page, 'Name').fill('A')
    await field(page, 'Value').fill('2')
    await saveButton(page).click()
    await expectText(page, 'dev already has a variable with this name.')
    await press(page, 'Open A')
    await press(page, 'Discard')
    await page.getByRole('dialog', { name: 'A', exact: true }).waitFor()
    await page.goto('/o/acme/p/twice')
    await press(page, 'New variable')
    await field(page, 'Value').fill('2')
    await field(page, 'Name').fill('B')
    await write(at('twice', 'dev'), [secret('B', 'theirs')])
    await saveButton(page).click()
    await expectText(page, /already/)
    expect(await stored(at('twice', 'dev'), 'B')).toMatchObject({ value: 'theirs' })
  })

  test('gets another value without the old one being shown, and is deleted', async () => {
    await write(at('edited', 'dev'), [secret('A', '1', 'int64')])
    await page.goto('/o/acme/p/edited')
    await cell('A in dev, Set').click()
    await press(page, 'Edit')
    await expect.poll(() => save().isDisabled()).toBe(true)
    await field(page, 'Value').fill('many')
    await saveButton(page).click()
    await expectText(page, 'Enter a whole number')
    await field(page, 'Value').fill('9007199254740993')
    await saveButton(page).click()
    await expectClosed()
    expect(await stored(at('edited', 'dev'), 'A')).toEqual(secret('A', '9007199254740993', 'int64'))
    await cell('A in dev, Set').click()
    await press(page, 'Delete')
    await press(page, 'Delete from dev')
    await expectText(page, 'No variables yet')
    expect(await stored(at('edited', 'dev'), 'A')).toBeUndefined()
  })

  test.runIf(isLong)('that is a boolean stays unchanged until true or false is chosen', async () => {
    const place = at('boolean', 'dev')
    const flow = {
      kind: 'ab_roll',
      name: 'FLOW',
      valueA: 'true',
      valueB: 'false',
      chance: 0.1,
      declaredType: 'boolean',
    }
    await write(place, [secret('ON', 'true', 'boolean'), flow])
    await page.goto('/o/acme/p/boolean')
    await cell('ON in dev, Set').click()
    await press(page, 'Edit')
    await page.getByRole('button', { name: 'Save to dev' }).waitFor()
    await expect.poll(() => page.getByRole('radio', { name: 'Keep' }).isChecked()).toBe(true)
    await expect.poll(() => save().isDisabled()).toBe(true)
    await expect.poll(() => page.getByRole('button', { name: 'Add to draft' }).isDisabled()).toBe(true)
    await pick('Kind', 'A/B roll')
    await pick('Value A', 'true')
    await save().click()
    await expectText(page, 'Choose true or false.')
    await pick('Kind', 'One value')
    expect(await stored(place, 'ON')).toEqual(secret('ON', 'true', 'boolean'))
    await pick('Value', 'false')
    await save().click()
    await expectClosed()
    expect(await stored(place, 'ON')).toEqual(secret('ON', 'false', 'boolean'))

    await cell('FLOW in dev, Set, A 10%').click()
    await press(page, 'Edit')
    await expect.poll(() => save().isDisabled()).toBe(true)
    await page.getByRole('textbox', { name: 'Chance of A in percent' }).fill('20')
    await pick('Value B', 'true')
    await save().click()
    await expectText(page, 'Choose both values, or reveal the current ones first.')
    expect(await stored(place, 'FLOW')).toEqual(flow)
    await pick('Value A', 'false')
    await save().click()
    await cell('FLOW in dev, Set, A 20%').waitFor()
    expect(await stored(place, 'FLOW')).toEqual({ ...flow, valueA: 'false', valueB: 'true', chance: 0.2 })

    await press(page, 'New variable')
    await field(page, 'Name').fill('NEW')
    await page.getByLabel('Type', { exact: true }).selectOption('boolean')
    const value = page.getByRole('radiogroup', { name: 'Value', exact: true })
    await expect.poll(() => value.getByRole('radio', { checked: true }).count()).toBe(0)
    await save().click()
    await expectText(page, 'Choose true or false.')
    await pick('Value', 'true')
    await save().click()
    await expectClosed()
    expect(await stored(place, 'NEW')).toEqual(secret('NEW', 'true', 'boolean'))
  })

  test.runIf(isLong)('whose kind is switched requires new values, even if the old one was revealed', async () => {
    await write(at('switched', 'dev'), [secret('A', 'known')])
    await page.goto('/o/acme/p/switched')
    await cell('A in dev, Set').click()
    await reveal(page)
    await expectText(page, 'known')
    await press(page, 'Edit')
    await pick('Kind', 'A/B roll')
    await save().click()
    await expectText(page, 'Enter a value.')
    expect(await stored(at('switched', 'dev'), 'A')).toEqual(secret('A', 'known'))
  })

  test.runIf(isLong)('of a roll gets another chance, and the page says what that does', async () => {
    const roll = { kind: 'ab_roll', name: 'FLOW', valueA: canary, valueB: 'old', chance: 0.1 }
    await write(at('rolled', 'dev'), [roll])
    await page.goto('/o/acme/p/rolled')
    await cell('FLOW in dev, Set, A 10%').click()
    await expectText(page, '1 of 10 users get A.')
    const percent = page.getByRole('textbox', { name: 'Chance of A in percent' })
    await percent.fill('')
    await percent.pressSequentially('62.5')
    await expectText(page, '5 of 8 users get A.')
    await expectText(page, '52.5% of users move from B to A.')
    await press(page, 'Save to dev')
    await expectText(page, 'Chance of FLOW is now 62.5% in dev')
    await expectCell('FLOW in dev, Set, A 62.5%')
    expect(await stored(at('rolled', 'dev'), 'FLOW')).toEqual({ ...roll, chance: 0.625 })
  })
})

describe('many variables', () => {
  test('are pasted as a .env file with a preview, and nothing is saved of an unreadable one', async () => {
    const place = at('pasted', 'dev')
    await write(place, [secret('PORT', '80', 'int64'), secret('KEPT', '1')])
    await page.goto('/o/acme/p/pasted')
    await press(page, 'Paste .env')
    const contents = field(page, 'Contents of the file')
    await contents.fill('PORT=80\nnonsense')
    await expectText(page, 'Line 2: Expected NAME=value, with a name of ASCII letters, digits, _, . or -.')
    await contents.fill('PORT=eighty')
    await expectText(page, 'PORT: Enter a whole number')
    await contents.fill('# ports\nPORT=8080\nexport GREETING="two\nlines # and no comment"\n')
    await page
      .getByRole('listitem')
      .filter({ hasText: /GREETING.*New/ })
      .waitFor()
    await press(page, 'Save PORT and GREETING to dev')
    await expectCell('GREETING in dev, Set')
    expect(await stored(place, 'PORT')).toEqual(secret('PORT', '8080', 'int64'))
    expect(await stored(place, 'GREETING')).toMatchObject({ value: 'two\nlines # and no comment' })
    expect(await stored(place, 'KEPT')).toMatchObject({ value: '1' })
  })

  test('are copied to another stage as the preview shows, without values', async () => {
    const to = at('copied', 'prod')
    await write(at('copied', 'dev'), [secret('NEW', canary), secret('OLD', '2'), secret('SAME', '1')])
    await write(to, [secret('OLD', '1'), secret('SAME', '1')])
    await page.goto('/o/acme/p/copied')
    await press(page, 'More')
    await page.getByRole('menuitem', { name: 'Promote dev → prod' }).click()
    await page.getByRole('button', { name: 'Copy 1 variable to prod' }).waitFor()
    await expectText(page, 'prod gets a secret of dev: anyone who may read dev knows it')
    await page.getByRole('checkbox', { name: 'Select OLD' }).check()
    await expectText(page, 'prod gets 2 secrets of dev: anyone who may read dev knows them')
    // An earlier write would reach the page and change the preview.
    const change = async (route: Route): Promise<void> => {
      await write(to, [secret('OLD', 'theirs')])
      await route.continue()
    }
    await page.route('**/v1/env/copy', change, { times: 1 })
    await press(page, 'Copy 2 variables to prod')
    await expectText(page, 'Nothing was saved, because someone changed a stage')
    expect(await stored(to, 'OLD')).toMatchObject({ value: 'theirs' })
    await press(page, 'Copy 2 variables to prod')
    await expectText(page, 'Copied 2 variables to prod')
    expect(await stored(to, 'NEW')).toMatchObject({ value: canary })
    expect(await page.content()).not.toContain(canary)
  })
})

describe('values', () => {
  test('are sent to the page on request only, and leave it again', async () => {
    await write(at('hidden', 'dev'), [secret('A', canary), secret('B', '1')])
    await write(at('hidden', 'prod'), [secret('A', canary)])
    const answers: Promise<string>[] = []
    page.on('response', (response) => {
      // The event stream never ends.
      if (!response.url().includes('/v1/events')) answers.push(response.text().catch(() => ''))
    })
    await page.goto('/o/acme/p/hidden')
    await cell('A in prod, Same as dev').click()
    await expectText(page, 'Created by Ada')
    expect((await Promise.all(answers)).filter((answer) => answer.includes(canary))).toEqual([])
    // Time only passes with `runFor`, also on a machine that needs seconds for a step.
    await page.clock.install({ time: Date.now() - 60_000 })
    await page.clock.pauseAt(Date.now())
    await reveal(page)
    await expectText(page, canary)
    await page.clock.runFor(29_000)
    await expectText(page, canary)
    await page.clock.runFor(2_000)
    await page.getByText(canary).waitFor({ state: 'detached' })
    await reveal(page)
    await expectText(page, canary)
    await page.keyboard.press('Escape')
    await page.getByText(canary).waitFor({ state: 'detached' })
    await page.clock.runFor(1_000)
    await expectClosed()
    await cell('A in prod, Same as dev').click()
    await page.getByRole('button', { name: 'Reveal value of A in prod' }).waitFor()
    expect(await page.content()).not.toContain(canary)
    expect(page.url() + (await page.evaluate<string>('JSON.stringify(history.state)'))).not.toContain(canary)
    expect(await storageDump(page)).not.toContain(canary)
    expect(visit.requestedUrls.join(' ')).not.toContain(canary)
  })
})

describe('a cell', () => {
  const plain = (name: string, value: string, declaredType?: string) => ({
    ...secret(name, value, declaredType),
    exposure: 'plain',
  })

  test('shows, copies and hides a secret by keyboard', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await write(at('keys', 'dev'), [secret('A', canary), secret('B', '1')])
    await page.goto('/o/acme/p/keys')
    await cell('A in dev, Set').focus()
    await page.keyboard.press('r')
    await expectText(page, canary)
    await page.keyboard.press('r')
    await page.getByText(canary).waitFor({ state: 'detached' })
    await page.keyboard.press('c')
    await expectText(page, 'Copied A from dev')
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(canary)
    expect(await page.content()).not.toContain(canary)
    await page.keyboard.press('e')
    await page.getByRole('dialog', { name: 'A' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'A' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('e')
    await page.getByRole('dialog', { name: 'A' }).waitFor()
  })

  test.runIf(isLong)('shows the whole revealed value in the hint, and copies the chosen side of a roll', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const roll = { kind: 'ab_roll', name: 'FLOW', valueA: 'new', valueB: canary, chance: 0.5 }
    const long = `${canary} ${'long '.repeat(40)}end`
    await write(at('sides', 'dev'), [roll, secret('LONG', long)])
    await page.goto('/o/acme/p/sides')
    await cell('LONG in dev, Set').focus()
    await page.keyboard.press('r')
    await page.getByRole('tooltip').getByText(long).waitFor()
    await page.getByRole('tooltip').getByText('Hidden again in').waitFor()
    await page.keyboard.press('r')
    await page.getByText(long).waitFor({ state: 'detached' })
    await cell('FLOW in dev, Set, A 50%').focus()
    await page.keyboard.press('c')
    await page.getByRole('dialog', { name: 'Copy a value of FLOW in dev' }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expectText(page, 'Copied B of FLOW from dev')
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(canary)
    expect(await page.content()).not.toContain(canary)
  })

  test.runIf(isLong)('hides what was revealed after 30 seconds, and when someone changes it', async () => {
    // The cell and its hint.
    const expectHidden = async (): Promise<void> => {
      await expect.poll(() => page.getByText(canary).count()).toBe(0)
    }
    await write(at('shown', 'dev'), [secret('A', canary), secret('B', canary)])
    await page.goto('/o/acme/p/shown')
    await cell('A in dev, Set').press('r')
    await expectText(page, canary)
    await write(at('shown', 'dev'), [secret('A', 'other')])
    await expectHidden()
    await page.clock.install()
    await cell('B in dev, Set').press('r')
    await expectText(page, canary)
    await page.clock.runFor(31_000)
    await expectHidden()
  })

  test('switches a plain boolean at once, in production after a question, and takes it back', async () => {
    const on = plain('ON', 'false', 'boolean')
    await write(at('switched-on', 'dev'), [on])
    await write(at('switched-on', 'prod'), [on])
    await page.goto('/o/acme/p/switched-on')
    const inDev = page.getByRole('switch', { name: 'Turn ON on in dev' })
    await inDev.click()
    await expectText(page, 'ON is on in dev')
    await expect.poll(() => inDev.isChecked()).toBe(true)
    expect(await stored(at('switched-on', 'dev'), 'ON')).toMatchObject({ value: 'true', exposure: 'plain' })
    await press(page, 'Undo')
    await expectText(page, 'ON is as before in dev')
    await expect.poll(() => inDev.isChecked()).toBe(false)
    expect(await stored(at('switched-on', 'dev'), 'ON')).toMatchObject({ value: 'false' })
    await cell('ON in prod, Same as dev, false').focus()
    await page.keyboard.press('Space')
    await page.getByRole('dialog', { name: 'Turn on ON in prod?' }).waitFor()
    expect(await stored(at('switched-on', 'prod'), 'ON')).toMatchObject({ value: 'false' })
    await press(page, 'Turn on in prod')
    await expectCell('ON in prod, Different from dev, true')
    expect(await stored(at('switched-on', 'prod'), 'ON')).toMatchObject({ value: 'true' })
  })

  test.runIf(isLong)('edits a plain number in place', async () => {
    await write(at('numbers', 'dev'), [plain('LIMIT', '10', 'int64')])
    await page.goto('/o/acme/p/numbers')
    await cell('LIMIT in dev, Set, 10').focus()
    await page.keyboard.press('e')
    await field(page, 'New value of LIMIT in dev').fill('ten')
    await expectText(page, 'Enter a whole number')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await cell('LIMIT in dev, Set, 10').waitFor()
    await page.keyboard.press('F2')
    await field(page, 'New value of LIMIT in dev').fill('25')
    await page.keyboard.press('Enter')
    await cell('LIMIT in dev, Set, 25').waitFor()
    await expectText(page, 'LIMIT is 25 in dev')
    expect(await stored(at('numbers', 'dev'), 'LIMIT')).toMatchObject({ value: '25', exposure: 'plain' })
  })
})

test('a value that someone changes while it is edited in its cell is not overwritten', async () => {
  const entry = (value: string) => ({ ...secret('LIMIT', value, 'int64'), exposure: 'plain' })
  const dev = at('edited-by-two', 'dev')
  await write(dev, [entry('10')])
  await page.goto('/o/acme/p/edited-by-two')
  await cell('LIMIT in dev, Set, 10').focus()
  await page.keyboard.press('e')
  await field(page, 'New value of LIMIT in dev').fill('25')
  await write(dev, [entry('50')])
  await page.keyboard.press('Enter')
  await expectText(page, /^.+ changed LIMIT in dev to 50 while you edited it/)
  expect(await stored(dev, 'LIMIT')).toMatchObject({ value: '50' })
  // What was entered is still there, and replaces the other value only now.
  await expect.poll(() => field(page, 'New value of LIMIT in dev').inputValue()).toBe('25')
  await page.keyboard.press('Enter')
  await cell('LIMIT in dev, Set, 25').waitFor()
  expect(await stored(dev, 'LIMIT')).toMatchObject({ value: '25' })
})

test('a value that cannot be saved stays in its cell, and the page stays, also before the first message', async () => {
  await write(at('offline', 'dev'), [{ ...secret('LIMIT', '10', 'int64'), exposure: 'plain' }])
  // The page loads what shows messages before it needs it.
  const loaded = page.waitForEvent('requestfinished', (request) => request.url().includes('/assets/toasts-'))
  await page.goto('/o/acme/p/offline')
  await cell('LIMIT in dev, Set, 10').waitFor()
  await loaded
  await page.context().setOffline(true)
  await cell('LIMIT in dev, Set, 10').focus()
  await page.keyboard.press('e')
  await field(page, 'New value of LIMIT in dev').fill('25')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').first().waitFor()
  await expect.poll(() => field(page, 'New value of LIMIT in dev').inputValue()).toBe('25')
  await page.context().setOffline(false)
  await page.getByText('Connected again').first().waitFor()
  await field(page, 'New value of LIMIT in dev').press('Enter')
  await cell('LIMIT in dev, Set, 25').waitFor()
})

test.runIf(isLong)('the names of the stages stay in sight below the bar of selected variables', async () => {
  const names = Array.from({ length: 60 }, (_, index) => `NAME_${index}`)
  await write(
    at('in-sight', 'dev'),
    names.map((name) => secret(name, '1')),
  )
  await page.goto('/o/acme/p/in-sight')
  await cell('NAME_0 in dev, Set').focus()
  await page.keyboard.press('x')
  await expectText(page, '1 selected')
  await page.keyboard.press('Control+End')
  await cell('NAME_9 in dev, Set').waitFor()
  await page.getByRole('button', { name: 'dev, actions' }).click({ trial: true })
})

test.runIf(isLong)('a value that cannot be saved stays in its cell while others are in sight', async () => {
  const names = Array.from({ length: 90 }, (_, index) => `NAME_${index}`)
  await write(
    at('long', 'dev'),
    names.map((name) => ({ ...secret(name, '1', 'int64'), exposure: 'plain' })),
  )
  await page.goto('/o/acme/p/long')
  await cell('NAME_0 in dev, Set, 1').focus()
  await page.keyboard.press('e')
  await page.keyboard.type('one')
  await cell('NAME_1 in dev, Set, 1').focus()
  await page.keyboard.press('Control+End')
  await cell('NAME_9 in dev, Set, 1').waitFor()
  await expect.poll(() => field(page, 'New value of NAME_0 in dev').inputValue()).toBe('one')
})

test.runIf(isLong)('a production stage that is still empty is filled from another one', async () => {
  await write(at('unfilled', 'dev'), [secret('A', '1')])
  await write(at('unfilled', 'prod'), [secret('A', '1')])
  await write(at('unfilled', 'prod'), [], app.owner, { deletes: ['A'] })
  await page.goto('/o/acme/p/unfilled')
  await cell('A in prod, Missing').waitFor()
  await page.getByText('0 of 1 set').waitFor()
  await press(page, 'prod Production, actions')
  const menu = await page.getByRole('menu').boundingBox()
  const filling = await page.getByText('0 of 1 set').boundingBox()
  expect(menu?.y).toBeGreaterThanOrEqual((filling?.y ?? Infinity) + (filling?.height ?? 0))
  await page.keyboard.press('Escape')
  await press(page, 'Copy from dev to prod')
  await press(page, 'Copy 1 variable to prod')
  await expectText(page, 'Copied A to prod')
  await page.goto('/o/acme/p/unfilled')
  await cell('A in prod, Same as dev').waitFor()
  await expect.poll(() => page.getByText('0 of 1 set').count()).toBe(0)
})

test.runIf(isLong)('what was typed in a cell is kept when another cell opens, by Tab and on another page', async () => {
  const entries = ['LIMIT', 'RETRIES'].map((name) => ({ ...secret(name, '10', 'int64'), exposure: 'plain' }))
  const [dev, staging] = [at('kept-typing', 'dev'), at('kept-typing', 'staging')]
  await write(dev, entries)
  await write(staging, entries)
  await page.goto('/o/acme/p/kept-typing')
  const type = async (name: string, text: string) => {
    await cell(name).focus()
    await page.keyboard.press('e')
    await page.keyboard.type(text)
  }
  await type('LIMIT in dev, Set, 10', '11')
  await page.locator('[data-hint="dev/RETRIES"]').hover()
  await press(page, 'Edit RETRIES in dev')
  await expectText(page, 'Draft: 1 change in dev')
  await page.keyboard.type('12')
  await page.keyboard.press('Tab')
  await expectText(page, 'Draft: 2 changes in dev')
  await expectFocused('RETRIES in staging, Same as dev, 10')
  // A value that cannot be saved stays, and leaving it asks.
  await type('LIMIT in staging, Same as dev, 10', 'ten')
  await cell('RETRIES in staging, Same as dev, 10').focus()
  await page.keyboard.press('e')
  await page.getByRole('dialog', { name: 'Discard what you entered?' }).waitFor()
  await press(page, 'Keep editing')
  await field(page, 'New value of LIMIT in staging').fill('13')
  await page.getByRole('link', { name: 'Rolls' }).first().click()
  await expectText(page, 'Draft: 3 changes in')
  expect(await stored(dev, 'LIMIT')).toMatchObject({ value: '10' })
})

test('a click or Enter on a plain value edits it, and production asks', async () => {
  const limit = { ...secret('LIMIT', '10', 'int64'), exposure: 'plain' }
  const [dev, prod] = [at('asking', 'dev'), at('asking', 'prod')]
  await write(dev, [limit])
  await write(prod, [limit])
  await page.goto('/o/acme/p/asking')
  await page.getByRole('gridcell').getByText('10', { exact: true }).first().click()
  await field(page, 'New value of LIMIT in dev').fill('11')
  await page.keyboard.press('Enter')
  await expectText(page, 'LIMIT is 11 in dev')
  // Beside the value, a click opens the variable, and a double click edits the value.
  await cell('LIMIT in dev, Set, 11').click()
  await page.getByRole('dialog', { name: 'LIMIT' }).waitFor()
  await page.mouse.down({ clickCount: 2 })
  await page.mouse.up({ clickCount: 2 })
  await expectFocused('New value of LIMIT in dev')
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  await page.keyboard.press('Escape')
  // Two clicks in the drawer are about the drawer.
  await cell('LIMIT in dev, Set, 11').click()
  await page.getByRole('dialog').getByRole('heading', { name: 'LIMIT' }).dblclick()
  expect(await page.getByLabel('New value of LIMIT in dev').count()).toBe(0)
  await page.keyboard.press('Escape')
  await cell('LIMIT in prod, Different from dev, 10').focus()
  await page.keyboard.press('Enter')
  await field(page, 'New value of LIMIT in prod').fill('12')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Change LIMIT in prod?' }).getByText('10 → 12').waitFor()
  await press(page, 'Cancel')
  // What was typed is still in the cell.
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expectFocused('New value of LIMIT in prod')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Change LIMIT in prod?' }).getByText('10 → 12').waitFor()
  expect(await stored(prod, 'LIMIT')).toMatchObject({ value: '10' })
  await page.keyboard.press('Control+Enter')
  await expectText(page, 'LIMIT is 12 in prod')
  expect(await stored(prod, 'LIMIT')).toMatchObject({ value: '12' })
  await expectFocused('LIMIT in prod, Different from dev, 12')
  await page.keyboard.press('o')
  await page.getByRole('dialog', { name: 'LIMIT' }).waitFor()
  await page.keyboard.press('Escape')
  // What is left in a cell without Enter is in the draft, which the form of the variable can save as it is.
  await cell('LIMIT in dev, Set, 11').focus()
  await page.keyboard.press('e')
  await field(page, 'New value of LIMIT in dev').fill('13')
  await page.keyboard.press('Tab')
  await page.getByRole('gridcell').getByText('13', { exact: true }).waitFor()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('e')
  await press(page, 'Save to dev')
  await expectText(page, 'Saved LIMIT to dev')
  expect(await stored({ ...prod, stageSlug: 'dev' }, 'LIMIT')).toMatchObject({ value: '13' })
})

describe('by keyboard alone, the focus goes', () => {
  /** Presses Tab until the button has the focus, and then Enter. */
  const pressByKey = async (name: string): Promise<void> => {
    const focused = page.getByRole('button', { name, exact: true }).and(page.locator(':focus'))
    await page.getByRole('button', { name, exact: true }).waitFor()
    for (let presses = 0; presses < 40 && !(await focused.isVisible()); presses++) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
  }

  beforeEach(async () => {
    for (const stage of ['dev', 'prod']) await write(at('focused', stage), [secret('A', '1'), secret('B', '2')])
    await page.goto('/o/acme/p/focused')
    await expectCell('B in prod, Same as dev')
  })

  test('to the cell of a variable that was created, and back where a form is given up', async () => {
    await page.keyboard.press('n')
    await field(page, 'Name').waitFor()
    await page.keyboard.press('Escape')
    await expectFocused('A in dev, Set')
    await page.keyboard.press('n')
    await field(page, 'Name').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('NEW')
    await page.keyboard.press('Enter')
    await field(page, 'Value').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('3')
    // Over the stage that is chosen already.
    for (const key of ['Tab', 'Tab', 'Tab', 'Space']) await page.keyboard.press(key)
    await page.keyboard.press('Control+Enter')
    await expectFocused('NEW in dev, Set')
    await page.keyboard.press('ArrowRight')
    await expectFocused('NEW in prod, Same as dev')
  })

  test.runIf(isLong)('to the cell with a change that waits', async () => {
    await cell('B in prod, Same as dev').focus()
    await page.keyboard.press('e')
    await field(page, 'Value').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('3')
    await pressByKey('Add to draft')
    await expectFocused('B in prod, Same as dev, Changed in your draft')
  })

  test.runIf(isLong)('to the cell of a deleted variable, or to its neighbor', async () => {
    await cell('B in prod, Same as dev').focus()
    await page.keyboard.press('Enter')
    await pressByKey('Delete')
    await pressByKey('Delete from prod')
    await expectFocused('B in prod, Missing in production')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    await pressByKey('Delete')
    await pressByKey('Delete from dev')
    await cell('B in dev, Set').waitFor({ state: 'detached' })
    await expectFocused(/^A in dev|^NEW in dev/)
  })
})

describe('a toast says what happened and where, and takes it back:', () => {
  const stages = ['dev', 'prod']
  const plain = (name: string, value: string, declaredType: string) => ({
    ...secret(name, value, declaredType),
    exposure: 'plain',
  })
  const menu = async (button: string, item: string): Promise<void> => {
    await press(page, button)
    await choose(item)
  }
  const actions: readonly (readonly [toast: string, undone: string, act: () => Promise<void>])[] = [
    [
      'Saved NEW to dev and prod',
      'NEW is no longer in dev and prod',
      async () => {
        await press(page, 'New variable')
        await field(page, 'Name').fill('NEW')
        await field(page, 'Value').fill('1')
        await page.getByRole('dialog').locator('label', { hasText: 'prod' }).click()
        await press(page, 'Save to dev and prod')
      },
    ],
    [
      'Saved A to prod',
      'A is as before in prod',
      async () => {
        await cell('A in prod, Same as dev').focus()
        await page.keyboard.press('e')
        await field(page, 'Value').fill('2')
        await press(page, 'Save to prod')
      },
    ],
    [
      'Deleted A from dev',
      'A is back in dev',
      async () => {
        await cell('A in dev, Set').click()
        await press(page, 'Delete')
        await press(page, 'Delete from dev')
      },
    ],
    [
      'Saved the description of A in dev and prod',
      'A is as before in dev and prod',
      async () => {
        await cell('A in dev, Set').click()
        await press(page, 'Add a description')
        await field(page, 'Description').fill('What it is for')
        await press(page, 'Save to dev and prod')
      },
    ],
    [
      'Chance of FLOW is now 25% in dev',
      'FLOW is as before in dev',
      async () => {
        await cell('FLOW in dev, Set, A 10%').click()
        await press(page, '25%')
        await press(page, 'Save to dev')
      },
    ],
    [
      'ON is on in dev',
      'ON is as before in dev',
      () => page.getByRole('switch', { name: 'Turn ON on in dev' }).click(),
    ],
    [
      'LIMIT is 20 in dev',
      'LIMIT is as before in dev',
      async () => {
        await cell('LIMIT in dev, Set, 10').focus()
        await page.keyboard.press('Enter')
        await field(page, 'New value of LIMIT in dev').fill('20')
        await page.keyboard.press('Enter')
      },
    ],
    [
      'Saved PASTED to dev',
      'PASTED is no longer in dev',
      async () => {
        await press(page, 'Paste .env')
        await field(page, 'Contents of the file').fill('PASTED=1')
        await press(page, 'Save PASTED to dev')
      },
    ],
    [
      'Copied ONLY_DEV to prod',
      'ONLY_DEV is no longer in prod',
      async () => {
        await menu('More', 'Promote dev → prod')
        await press(page, 'Copy 1 variable to prod')
      },
    ],
    [
      'A is plain now in dev and prod',
      'A is as before in dev and prod',
      async () => {
        await page.getByRole('checkbox', { name: 'Select A', exact: true }).check()
        await menu('Visibility', 'Plain: shown to everyone who can read it')
        await press(page, 'Show in dev and prod')
      },
    ],
    [
      'Deleted A and FLOW from dev and prod',
      '2 variables are back in dev and prod',
      async () => {
        for (const name of ['A', 'FLOW'])
          await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check()
        await menu('Delete', 'Delete from dev and prod')
        await press(page, 'Delete A and FLOW from dev and prod')
      },
    ],
    [
      'Saved PASTED to dev and prod',
      'PASTED is no longer in dev and prod',
      async () => {
        await press(page, 'Paste .env')
        await page.getByRole('dialog').locator('label', { hasText: 'prod' }).click()
        await field(page, 'Contents of the file').fill('PASTED=1')
        await press(page, 'Save PASTED to dev and prod')
      },
    ],
    ['Moved dev', 'dev is back in its place', () => menu('dev, actions', 'Move right')],
    [
      'dev is a production stage now',
      'dev is no longer a production stage',
      () => menu('dev, actions', 'Mark as production'),
    ],
    [
      'Renamed dev to test',
      'Renamed test to dev',
      async () => {
        await menu('dev, actions', 'Rename stage…')
        await field(page, 'Name').fill('test')
        await press(page, 'Rename')
      },
    ],
    [
      'Archived dev',
      'Restored dev',
      async () => {
        await menu('dev, actions', 'Archive stage…')
        await press(page, 'Archive')
      },
    ],
    [
      'Stopped FLOW in dev: everyone gets B',
      'FLOW is as before in dev',
      async () => {
        await cell('FLOW in dev, Set, A 10%').focus()
        await page.keyboard.press('s')
        await press(page, 'Stop roll')
      },
    ],
  ]

  test.runIf(isLong).each(actions)('%s', async (text, undone, act) => {
    const project = `toast-${actions.findIndex(([each]) => each === text)}`
    for (const stage of stages) {
      await write(at(project, stage), [
        secret('A', '1'),
        { kind: 'ab_roll', name: 'FLOW', valueA: 'new', valueB: 'old', chance: 0.1 },
        plain('ON', 'false', 'boolean'),
        plain('LIMIT', '10', 'int64'),
        ...(stage === 'dev' ? [secret('ONLY_DEV', '1')] : []),
      ])
    }
    await page.goto(`/o/acme/p/${project}`)
    await expectCell('A in prod, Same as dev')
    await act()
    await page.getByRole('status').getByText(text, { exact: true }).waitFor()
    await press(page, 'Undo')
    await page.getByRole('status').getByText(undone, { exact: true }).waitFor()
  })
})

test.runIf(isLong)('a phone shows the field in which a value of a later stage is edited', async () => {
  const plain = { ...secret('MODE', 'calm'), exposure: 'plain' }
  await write(at('on-phone', 'dev'), [plain])
  await write(at('on-phone', 'prod'), [plain])
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/o/acme/p/on-phone')
  await page.getByRole('gridcell').getByText('calm').last().waitFor()
  await cell('MODE in prod, Same as dev, calm').focus()
  await page.keyboard.press('Enter')
  const input = field(page, 'New value of MODE in prod')
  await input.waitFor()
  // The row cuts off what is below it.
  const row = await page.getByRole('row').filter({ has: input }).boundingBox()
  const { y = 0, height = 0 } = (await input.boundingBox()) ?? {}
  expect(y + height).toBeLessThanOrEqual((row?.y ?? 0) + (row?.height ?? 0))
})

test.runIf(isLong)('a long name leaves the buttons of its drawer in sight', async () => {
  const name = 'LONG_'.repeat(20)
  await write(at('long-name', 'dev'), [secret(name, '1')])
  await page.goto(`/o/acme/p/long-name?variable=${name}&stage=dev`)
  const close = page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true })
  await close.waitFor()
  const { x = 0, width = 0 } = (await close.boundingBox()) ?? {}
  expect(x + width).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0)
})

test.runIf(isLong)(
  'undo has a key, leaves the focus in its cell, and shows no value that was revealed before the change',
  async () => {
    await write(at('taken-back', 'dev'), [secret('A', 'first-value'), secret('B', '1')])
    await page.goto('/o/acme/p/taken-back')
    await cell('A in dev, Set').focus()
    await page.keyboard.press('r')
    await page.getByRole('gridcell').getByText('first-value').waitFor()
    await page.keyboard.press('e')
    await field(page, 'Value').fill('second-value')
    await page.keyboard.press('Control+Enter')
    await expectText(page, 'Saved A to dev')
    await expectFocused('A in dev, Set')
    await page.keyboard.press('u')
    await expectText(page, 'A is as before in dev')
    await expectFocused('A in dev, Set')
    expect(await stored(at('taken-back', 'dev'), 'A')).toMatchObject({ value: 'first-value' })
    await expect.poll(() => page.getByText('first-value').count()).toBe(0)
    await page.keyboard.press('e')
    await field(page, 'Value').fill('third-value')
    await page.keyboard.press('Control+Enter')
    await expectFocused('A in dev, Set')
    await press(page, 'Undo')
    await expectFocused('A in dev, Set')
  },
)

test('the drawer lists what every stage has, and leads there with one click', async () => {
  const plain = (value: string) => ({ ...secret('SIZE', value, 'int64'), exposure: 'plain' })
  await write(at('listed', 'dev'), [secret('OTHER', '1')])
  await write(at('listed', 'staging'), [plain('20')])
  await write(at('listed', 'prod'), [plain('20')])
  await write(at('listed', 'eu'), [plain('30')])
  await page.goto('/o/acme/p/listed?variable=SIZE&stage=staging')
  const tabs = page.getByRole('tablist', { name: 'Stages' }).getByRole('tab')
  await expect
    .poll(async () => (await tabs.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim()))
    .toEqual(['dev Missing', 'staging 20', 'Same as staging prod Production 20', 'Different from staging eu 30'])
  await tabs.filter({ hasText: 'eu' }).click()
  await page.getByRole('dialog').getByRole('code').getByText('30', { exact: true }).last().waitFor()
  await expect.poll(() => new URL(page.url()).searchParams.get('stage')).toBe('eu')
  const focused = tabs.and(page.locator(':focus'))
  await focused.filter({ hasText: 'eu' }).waitFor()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await focused.filter({ hasText: 'prod' }).waitFor()
  await expect.poll(() => new URL(page.url()).searchParams.get('stage')).toBe('prod')
  const off = { name: 'FLOW', kind: 'ab_roll', valueA: 'new', valueB: 'old', chance: 0, exposure: 'plain' }
  await write(at('listed', 'dev'), [off])
  await page.goto('/o/acme/p/listed?variable=FLOW&stage=dev')
  await tabs.and(page.getByRole('tab', { name: 'dev All B old', exact: true })).waitFor()
  await page.keyboard.press('Escape')
  await expectFocused('FLOW in dev, Set, All B old, plain')
  expect(await axeViolations(page)).toEqual([])
})

describe('selected variables', () => {
  test('are copied, exposed and taken back', async () => {
    const dev = at('selected', 'dev')
    const prod = at('selected', 'prod')
    await write(dev, [secret('A', '1'), secret('B', '2'), secret('C', '3')])
    await write(prod, [secret('C', '3')])
    await page.goto('/o/acme/p/selected')
    await cell('A in dev, Set').focus()
    await page.keyboard.press('x')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Shift+X')
    await expectText(page, '3 selected')
    await press(page, 'Copy to stage')
    await press(page, 'Copy 2 variables to prod')
    await expectText(page, 'Copied 2 variables to prod')
    await press(page, 'Undo')
    await expectText(page, '2 variables are no longer in prod')
    await page.goto('/o/acme/p/selected')
    // It has one of three again.
    await expectCell('B in prod, Missing')
    await page.getByRole('columnheader').filter({ hasText: '1 of 3 set' }).waitFor()
    await page.getByRole('checkbox', { name: 'Select A', exact: true }).check()
    await press(page, 'Visibility')
    await choose('Plain: shown to everyone who can read it')
    await page.getByRole('dialog', { name: 'Show the value of A?' }).waitFor()
    await press(page, 'Show in dev')
    await expectText(page, 'A is plain now in dev')
    await expectCell('A in dev, Set, 1')
    expect(await stored(dev, 'A')).toEqual({ ...secret('A', '1'), exposure: 'plain' })
  })
})

test('the down arrow leads into the table while nothing has the focus', async () => {
  await write(at('entered', 'dev'), [secret('A', '1'), secret('B', '2')])
  await page.goto('/o/acme/p/entered')
  await page.getByRole('gridcell').first().waitFor()
  const focused = () => page.evaluate('document.activeElement.ariaLabel')
  await page.keyboard.press('ArrowDown')
  await expect.poll(focused).toMatch(/^A in dev/)
  await page.keyboard.press('ArrowDown')
  await expect.poll(focused).toMatch(/^B in dev/)
})

test('on a tablet, three stages fit into a table with one line for each variable', async () => {
  for (const stage of ['dev', 'staging', 'prod']) await write(at('tablet', stage), [secret('A', '1'), secret('B', '2')])
  await page.setViewportSize({ width: 768, height: 1024 })
  await page.goto('/o/acme/p/tablet')
  await expectCell('A in prod, Same as dev')
  const row = page.getByRole('row').filter({ has: cell('A in prod, Same as dev') })
  expect((await row.boundingBox())?.height).toBeLessThan(45)
  const last = await cell('A in prod, Same as dev').boundingBox()
  expect((last?.x ?? 768) + (last?.width ?? 0)).toBeLessThanOrEqual(768)
})

test('on a phone, variables start in the upper part, filters are in a sheet and actions in a menu', async () => {
  await write(at('handheld', 'dev'), [secret('A', '1'), secret('B', '2'), secret('PORT', '80', 'int64')])
  await write(at('handheld', 'prod'), [secret('A', '1')])
  await page.setViewportSize({ width: 360, height: 800 })
  await page.goto('/o/acme/p/handheld')
  await expectCell('A in prod, Same as dev')
  const first = await page.getByRole('grid').getByRole('row').first().boundingBox()
  const card = await page
    .getByRole('row')
    .filter({ has: cell('A in prod, Same as dev') })
    .boundingBox()
  expect(card?.height).toBeLessThan(90)
  expect(first?.y).toBeLessThan(0.3 * 800)
  await press(page, 'Filter')
  await page.getByLabel('Status', { exact: true }).selectOption('Missing in prod')
  await page.getByLabel('Type', { exact: true }).selectOption('int64')
  expect(await axeViolations(page)).toEqual([])
  await press(page, 'Show 1 variable')
  await expectClosed()
  await press(page, 'prod Production, actions')
  await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
  await page.keyboard.press('Escape')
  await expectText(page, '1 of 3')
  await expect.poll(() => page.getByRole('rowheader').allInnerTexts()).toEqual([expect.stringContaining('PORT')])
  await page.getByRole('main').getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Paste .env' }).waitFor()
  await expect
    .poll(() => page.getByRole('menuitem').allInnerTexts())
    .toEqual(expect.arrayContaining(['History', 'Compare', 'Paste .env', 'Promote dev → prod', 'New stage']))
})

test('two stages are compared without values, revealed side by side, and copied', async () => {
  const dev = at('pair', 'dev')
  const prod = at('pair', 'prod')
  const level = (value: string) => ({ ...secret('LEVEL', value), exposure: 'plain' })
  await write(dev, [secret('EQUAL', '1'), secret('NEW', '1'), secret('OTHER', canary), level('debug')])
  await write(prod, [secret('EQUAL', '1'), secret('GONE', '1'), secret('OTHER', 'theirs', 'string')])
  await write(prod, [level('warn')])
  await page.goto('/o/acme/p/pair')
  await press(page, 'dev, actions')
  await page.getByRole('menuitem', { name: 'Compare with' }).click()
  await choose('prod')
  await expectHeading(page, 'Compare stages')
  const groups = () => page.locator('summary').allTextContents()
  await expect.poll(groups).toEqual(['Missing in prod 1', 'Different 2', 'Only in prod 1', 'Same 1'])
  // What is in prod, and what a copy would make of it.
  await expectText(page, 'In prod: value differs · type text → untyped')
  // Plain values need no reveal.
  await page
    .getByRole('listitem')
    .filter({ hasText: /LEVEL.*dev: debug.*prod: warn/ })
    .waitFor()
  await expect.poll(() => page.getByRole('button', { name: /LEVEL/ }).count()).toBe(0)
  expect(await page.content()).not.toContain(canary)
  await press(page, 'Reveal OTHER in both stages')
  await expectText(page, canary)
  await expectText(page, 'theirs')
  await press(page, 'Hide OTHER')
  await page.getByRole('checkbox', { name: 'Select NEW' }).check()
  await page.getByRole('button', { name: 'Copy 1 variable to prod' }).focus()
  await page.keyboard.press('Enter')
  await expectText(page, 'Copied NEW to prod')
  await expect.poll(groups).toEqual(['Different 2', 'Only in prod 1', 'Same 2'])
  expect(await stored(prod, 'NEW')).toMatchObject({ value: '1' })
  // The next one can be selected without a way back through the page.
  await expect.poll(() => page.locator(':focus').getAttribute('aria-label')).toBe('Select LEVEL')
})

test('on a phone, checkboxes come with a button, and in a low window no bar sticks', async () => {
  await write(at('small', 'dev'), [secret('A', '1')])
  await write(at('small', 'prod'), [secret('A', '1')])
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto('/o/acme/p/small')
  await expectCell('A in dev, Set')
  const box = page.getByRole('checkbox', { name: 'Select A', exact: true })
  expect(await box.isVisible()).toBe(false)
  await press(page, 'Select variables')
  await box.check()
  await press(page, 'Clear selection')
  await box.waitFor({ state: 'hidden' })
  const stuck = `[...document.querySelectorAll('header, nav, [role=rowgroup]')].filter((each) =>
    ['sticky', 'fixed'].includes(getComputedStyle(each).position)).length`
  expect(await page.evaluate(stuck)).toBeGreaterThan(2)
  await page.setViewportSize({ width: 640, height: 450 })
  expect(await page.evaluate(stuck)).toBe(0)
})

test.runIf(isLong)(
  'two stages are compared and copied by keys, and the key that copies stops at the button',
  async () => {
    const prod = at('keyed', 'prod')
    await write(at('keyed', 'dev'), [secret('EQUAL', '1'), secret('NEW', '1'), secret('OTHER', canary)])
    await write(prod, [secret('EQUAL', '1'), secret('OTHER', 'theirs')])
    await page.goto('/o/acme/p/keyed/compare?from=dev&to=prod')
    const row = (name: string) => page.getByRole('listitem').filter({ hasText: name })
    const focused = () => page.locator(':focus').innerText()
    await row('OTHER').waitFor()
    await page.keyboard.press('?')
    const sheet = page.getByRole('dialog').getByRole('region', { name: 'This page' })
    await expect
      .poll(async () => (await sheet.locator('kbd').allInnerTexts()).toSorted())
      .toEqual(['j', 'k', 'r', 'w', 'x'])
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    await page.keyboard.type('jj')
    await expect.poll(focused).toMatch(/^OTHER/)
    await page.keyboard.press('r')
    await row(canary).waitFor()
    await page.keyboard.type('kx')
    await expect.poll(focused).toMatch(/^NEW/)
    await expect.poll(() => row('NEW').getByRole('checkbox').isChecked()).toBe(true)
    await page.keyboard.press('c')
    await expect.poll(focused).toBe('Copy 1 variable to prod')
    expect(await stored(prod, 'NEW')).toBeUndefined()
    await page.keyboard.press('Enter')
    await expectText(page, 'Copied NEW to prod')
    await page.keyboard.press('w')
    await expect.poll(() => new URL(page.url()).search).toBe('?from=prod&to=dev')
  },
)

describe('two people', () => {
  test.runIf(isLong)('who change the same variable: the second is informed, keeps the input, and decides', async () => {
    const grace = await invite(app.owner)
    await write(at('shared', 'dev'), [secret('A', '1')])
    await page.goto('/o/acme/p/shared')
    await cell('A in dev, Set').click()
    await press(page, 'Edit')
    await field(page, 'Value').fill('mine')
    await write(at('shared', 'dev'), [secret('A', 'theirs')], grace)
    await saveButton(page).click()
    await expectText(page, 'This variable was changed in the meantime')
    await expectText(page, 'Changed by Grace')
    await expect.poll(() => field(page, 'Value').inputValue()).toBe('mine')
    expect(await stored(at('shared', 'dev'), 'A')).toMatchObject({ value: 'theirs' })
    await saveButton(page).click()
    await expectClosed()
    expect(await stored(at('shared', 'dev'), 'A')).toMatchObject({ value: 'mine' })
  })

  test.runIf(isLong)('who change different variables do not disturb each other', async () => {
    await write(at('apart', 'dev'), [secret('A', '1'), secret('B', '1')])
    await page.goto('/o/acme/p/apart')
    await cell('A in dev, Set').click()
    await press(page, 'Edit')
    await field(page, 'Value').fill('mine')
    await write(at('apart', 'dev'), [secret('B', 'theirs')])
    await saveButton(page).click()
    await expectClosed()
    expect(await stored(at('apart', 'dev'), 'A')).toMatchObject({ value: 'mine' })
    expect(await stored(at('apart', 'dev'), 'B')).toMatchObject({ value: 'theirs' })
  })
})

test.runIf(isLong)('a stage of 5,000 variables is usable by keyboard only', async () => {
  const names = Array.from({ length: 5_000 }, (_, index) => `NAME_${String(index).padStart(4, '0')}`)
  for (let from = 0; from < names.length; from += 1_000) {
    await write(
      at('large', 'dev'),
      names.slice(from, from + 1_000).map((name) => secret(name, name)),
    )
  }
  await page.goto('/o/acme/p/large')
  await cell('NAME_0000 in dev, Set').focus()
  await expect.poll(() => page.getByRole('row').count()).toBeLessThan(100)
  for (let i = 0; i < 30; i++) await page.keyboard.press('PageDown')
  await page.keyboard.press('ArrowDown')
  await expectFocused('NAME_0301 in dev, Set')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'NAME_0301' }).waitFor()
  await page.keyboard.press('Escape')
  await expectClosed()
  await expectFocused('NAME_0301 in dev, Set')
  await page.getByRole('searchbox').fill('name_4999')
  await expectCell('NAME_4999 in dev, Set')
})
