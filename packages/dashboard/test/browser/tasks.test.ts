/**
 * Counts what the most frequent tasks take, with the mouse and by keyboard alone, and compares that with the former dashboard
 * (commit 0ed4871), in which the best ways through the same tasks were counted in the same way.
 *
 * A chord such as Ctrl+K is one key press, and a choice in a native list is two clicks. Typing a name, a value or an address counts
 * as one text, because its length says nothing about the dashboard. Letters that only find something count as key presses.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { useEmbeddedApp } from '../../../server/testkit/embedded.ts'
import { expectHeading, openPageAs, useBrowser } from './steps.ts'

const app = useEmbeddedApp()
const browser = useBrowser()

interface Effort {
  readonly clicks: number
  readonly keys: number
  /** Typed with the clicks, and also with the keys. */
  readonly texts: number
}

interface Task {
  readonly title: string
  /** The page that the task begins on. */
  readonly start: string
  readonly before: Effort
  readonly after: Effort
  readonly byMouse: (hand: Hand, page: Page) => Promise<void>
  readonly byKeyboard: (hand: Hand, page: Page) => Promise<void>
  /** Waits until the task is done. `texts`: what was typed. */
  readonly expectDone: (page: Page, texts: readonly string[]) => Promise<void>
}

/** Uses the mouse or the keyboard, and counts that. */
class Hand {
  clicks = 0
  keys = 0
  readonly texts: string[] = []
  readonly #page: Page

  constructor(page: Page) {
    this.#page = page
  }

  async click(target: Locator): Promise<void> {
    await target.click()
    this.clicks++
  }

  /** Chooses in a native list, which the browser draws outside the page. */
  async choose(list: Locator, label: string): Promise<void> {
    await list.selectOption({ label })
    this.clicks += 2
  }

  /** Types into `input`, which has the focus already. */
  async type(input: Locator, text: string): Promise<void> {
    await this.expectFocus(input)
    await this.#page.keyboard.type(text)
    this.texts.push(text)
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await this.#page.keyboard.press(key)
      this.keys++
    }
  }

  /** Types letters that only find something, and so count as keys. */
  async find(text: string): Promise<void> {
    await this.#page.keyboard.type(text)
    this.keys += text.length
  }

  /** Presses Tab until `target` has the focus. */
  async tabTo(target: Locator): Promise<void> {
    await target.waitFor()
    for (let presses = 0; presses < 40; presses++) {
      if ((await this.#focused(target).count()) > 0) return
      await this.press('Tab')
    }
    throw new Error('the Tab key does not reach it')
  }

  async expectFocus(target: Locator): Promise<void> {
    await this.#focused(target).waitFor()
  }

  #focused(target: Locator): Locator {
    return target.and(this.#page.locator(':focus'))
  }
}

const stages = ['dev', 'staging', 'prod']
const secrets = ['API_KEY', 'DATABASE_URL', 'MAIL_PASSWORD', 'PAYMENT_KEY', 'SESSION_SECRET']
const roll = { kind: 'ab_roll', name: 'NEW_CHECKOUT', valueA: 'new', valueB: 'old', chance: 0.1 }
/** Secret that the tasks are about, and its value in production. */
const [name, value] = ['MAIL_PASSWORD', 'MAIL_PASSWORD-prod']

async function write(stageSlug: string, entries: readonly object[], projectSlug = 'shop'): Promise<number> {
  const at = { orgSlug: 'acme', projectSlug, stageSlug }
  const token = await app.owner.token()
  return (await app.client.must('write', { ...at, mode: 'upsert', entries }, { token })).revision as number
}

async function valueOf(variable: string, stageSlug: string): Promise<unknown> {
  const at = { orgSlug: 'acme', projectSlug: 'shop', stageSlug }
  const { body } = await app.client.call('reveal', { ...at, names: [variable] }, { token: await app.owner.token() })
  return (body.variables as { value: string }[] | undefined)?.[0]?.value
}

async function chance(): Promise<unknown> {
  const at = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'prod' }
  const { variables } = await app.client.must('list', at, { token: await app.owner.token() })
  return (variables as { name: string; chance: number }[]).find((each) => each.name === roll.name)?.chance
}

beforeAll(async () => {
  for (const stage of stages) {
    await write(stage, [...secrets.map((each) => ({ kind: 'secret', name: each, value: `${each}-${stage}` })), roll])
  }
  await write('dev', [{ kind: 'secret', name: 'API_KEY', value: 'x' }], 'blog')
})

/** The revision of production before the change that the task "Restore" takes back. */
let yesterday = 0

/** Lets a run begin as the one before it began. */
async function prepare(): Promise<void> {
  yesterday = await write('prod', [
    { kind: 'secret', name, value },
    { kind: 'secret', name: 'API_KEY', value: 'right' },
    roll,
  ])
  await write('prod', [{ kind: 'secret', name: 'API_KEY', value: 'wrong' }])
}

let runs = 0
/** Returns the part of a drawer that takes the focus when it opens. */
function drawerContent(page: Page): Locator {
  return page.getByRole('dialog').locator('[data-autofocus]')
}

const button = (page: Page, text: string | RegExp) =>
  page.getByRole('button', { name: text, exact: typeof text === 'string' })
const link = (page: Page, text: string) => page.getByRole('link', { name: text, exact: true })
const cell = (page: Page, variable: string, stage: string) => button(page, new RegExp(`^${variable} in ${stage},`))
const valueInput = (page: Page) => page.getByLabel('Value', { exact: true })
const copied = (page: Page) => page.evaluate('navigator.clipboard.readText()')

/** Leads the focus to a variable in production, `down` rows below the first. */
async function goToCell(hand: Hand, page: Page, variable: string, down: number): Promise<void> {
  await hand.press('j', ...Array.from({ length: down }, () => 'ArrowDown'), 'End')
  await hand.expectFocus(cell(page, variable, 'prod'))
}

async function expectFocusOnHeading(hand: Hand, page: Page, heading: string): Promise<void> {
  await hand.expectFocus(page.getByRole('heading', { level: 1, name: heading }))
}

const project = '/o/acme/p/shop'
const overview = '/o/acme'

const tasks: readonly Task[] = [
  {
    title: 'Reveal a value',
    start: project,
    before: { clicks: 2, keys: 13, texts: 0 },
    after: { clicks: 1, keys: 5, texts: 0 },
    async byMouse(hand, page) {
      await cell(page, name, 'prod').hover()
      await hand.click(button(page, `Reveal ${name} in prod`))
    },
    async byKeyboard(hand, page) {
      await goToCell(hand, page, name, 2)
      await hand.press('r')
    },
    expectDone: (page) => page.getByRole('gridcell').getByText(value).waitFor(),
  },
  {
    title: 'Copy a value',
    start: project,
    before: { clicks: 3, keys: 15, texts: 0 },
    after: { clicks: 1, keys: 5, texts: 0 },
    async byMouse(hand, page) {
      await cell(page, name, 'prod').hover()
      await hand.click(button(page, `Copy ${name} in prod`))
    },
    async byKeyboard(hand, page) {
      await goToCell(hand, page, name, 2)
      await hand.press('c')
    },
    async expectDone(page) {
      await expect.poll(() => copied(page)).toBe(value)
    },
  },
  {
    title: 'Change a value in one stage',
    start: project,
    before: { clicks: 4, keys: 19, texts: 1 },
    after: { clicks: 3, keys: 6, texts: 1 },
    async byMouse(hand, page) {
      await hand.click(cell(page, name, 'prod'))
      await hand.click(button(page, 'Edit'))
      await hand.type(valueInput(page), `changed ${runs}`)
      await hand.click(button(page, 'Save to prod'))
    },
    async byKeyboard(hand, page) {
      await goToCell(hand, page, name, 2)
      await hand.press('e')
      await hand.type(valueInput(page), `changed ${runs}`)
      await hand.press('Control+Enter')
    },
    async expectDone(_page, [text]) {
      await expect.poll(() => valueOf(name, 'prod')).toBe(text)
    },
  },
  {
    title: 'Add a variable to three stages',
    start: project,
    before: { clicks: 9, keys: 32, texts: 4 },
    after: { clicks: 4, keys: 8, texts: 2 },
    async byMouse(hand, page) {
      await hand.click(button(page, 'New variable'))
      await hand.type(page.getByLabel('Name'), `WEBHOOK_SECRET_${runs}`)
      await hand.click(valueInput(page))
      await hand.type(valueInput(page), 'new')
      await hand.click(page.getByRole('dialog').locator('label', { hasText: 'prod' }))
      await hand.click(button(page, 'Save to prod and 2 other stages'))
    },
    async byKeyboard(hand, page) {
      await hand.press('n')
      await hand.type(page.getByLabel('Name'), `WEBHOOK_SECRET_${runs}`)
      await hand.press('Enter')
      await hand.type(valueInput(page), 'new')
      // Over the button that generates a value and the stages that are chosen.
      await hand.press('Tab', 'Tab', 'Tab', 'Tab', 'Space', 'Control+Enter')
    },
    async expectDone(_page, [text = '']) {
      const values = () => Promise.all(stages.map((stage) => valueOf(text, stage)))
      await expect.poll(values).toEqual(['new', 'new', 'new'])
    },
  },
  {
    title: 'Compare staging with production',
    start: project,
    before: { clicks: 5, keys: 9, texts: 0 },
    after: { clicks: 2, keys: 4, texts: 0 },
    async byMouse(hand, page) {
      await hand.click(button(page, 'prod Production, actions'))
      await page.getByRole('menuitem', { name: 'Compare with' }).hover()
      await hand.click(page.getByRole('menuitem', { name: 'staging' }))
    },
    async byKeyboard(hand, page) {
      await hand.press('g', 'c')
      await expectFocusOnHeading(hand, page, 'Compare stages')
      await hand.tabTo(page.getByLabel('From'))
      await hand.press('p')
    },
    async expectDone(page) {
      await page
        .getByRole('group')
        .filter({ hasText: /^Different/ })
        .getByText(name)
        .waitFor()
      await expect.poll(() => new URL(page.url()).search).toBe('?from=prod&to=staging')
    },
  },
  {
    title: 'Raise a roll',
    start: project,
    before: { clicks: 3, keys: 24, texts: 0 },
    after: { clicks: 3, keys: 21, texts: 0 },
    async byMouse(hand, page) {
      await hand.click(cell(page, roll.name, 'prod'))
      await hand.click(button(page, '25%'))
      await hand.click(button(page, 'Save to prod'))
    },
    async byKeyboard(hand, page) {
      await goToCell(hand, page, roll.name, 3)
      await hand.press('Enter')
      await hand.expectFocus(drawerContent(page))
      await hand.tabTo(button(page, '25%'))
      await hand.press('Enter')
      await hand.tabTo(button(page, 'Save to prod'))
      await hand.press('Enter')
    },
    async expectDone() {
      await expect.poll(chance).toBe(0.25)
    },
  },
  {
    title: 'Stop a roll',
    start: project,
    before: { clicks: 3, keys: 25, texts: 0 },
    after: { clicks: 2, keys: 8, texts: 0 },
    async byMouse(hand, page) {
      await cell(page, roll.name, 'prod').hover()
      await hand.click(button(page, `Stop ${roll.name} in prod`))
      await hand.click(button(page, 'Stop roll'))
    },
    async byKeyboard(hand, page) {
      await goToCell(hand, page, roll.name, 3)
      await hand.press('s')
      await hand.expectFocus(button(page, 'Cancel'))
      await hand.press('Tab', 'Enter')
    },
    async expectDone() {
      await expect.poll(chance).toBe(0)
    },
  },
  {
    title: 'Restore production to yesterday',
    start: project,
    before: { clicks: 5, keys: 20, texts: 0 },
    after: { clicks: 4, keys: 11, texts: 0 },
    async byMouse(hand, page) {
      await hand.click(link(page, 'History'))
      await hand.click(link(page, 'prod Production'))
      const restore = button(page, `Restore to here: prod at revision ${yesterday}`)
      await page.getByRole('listitem').filter({ has: restore }).hover()
      await hand.click(restore)
      await hand.click(button(page, /^Restore prod to revision \d+ \(/))
    },
    async byKeyboard(hand, page) {
      await hand.press('g', 'h')
      await expectFocusOnHeading(hand, page, 'History of shop')
      await hand.tabTo(link(page, 'prod Production'))
      await hand.press('Enter')
      await button(page, `Restore to here: prod at revision ${yesterday}`).waitFor()
      await hand.press('j', 'j', 'Tab', 'Enter')
      await hand.expectFocus(button(page, /^Restore prod to revision \d+ \(/))
      await hand.press('Enter')
    },
    async expectDone() {
      await expect.poll(() => valueOf('API_KEY', 'prod')).toBe('right')
    },
  },
  {
    title: 'Invite a person',
    start: overview,
    before: { clicks: 4, keys: 12, texts: 1 },
    after: { clicks: 4, keys: 5, texts: 1 },
    async byMouse(hand, page) {
      await hand.click(link(page, 'Members'))
      await hand.click(button(page, 'Invite'))
      await hand.type(page.getByLabel('Email'), `new-${runs}@example.com`)
      await hand.click(button(page, 'Create invitation link'))
      await hand.click(button(page, 'Copy'))
    },
    async byKeyboard(hand, page) {
      await hand.press('g', 'm')
      await button(page, 'Invite').waitFor()
      await hand.press('n')
      await hand.type(page.getByLabel('Email'), `new-${runs}@example.com`)
      await hand.press('Enter')
      await hand.expectFocus(page.getByLabel('Invitation link'))
      await hand.press('Control+c')
    },
    async expectDone(page, [email]) {
      const { body } = await app.owner.get('/organization/list-invitations')
      expect((body as unknown as { email: string }[]).map((each) => each.email)).toContain(email)
      await expect.poll(() => copied(page)).toContain('/invitation#id=')
    },
  },
  {
    title: 'Create a service token',
    start: overview,
    before: { clicks: 9, keys: 22, texts: 1 },
    after: { clicks: 8, keys: 14, texts: 1 },
    async byMouse(hand, page) {
      await hand.click(button(page, /^Search/))
      await hand.click(page.getByRole('option', { name: 'New service token' }))
      await hand.type(page.getByLabel('Name'), `token ${runs}`)
      await hand.choose(page.getByLabel('Project'), 'shop')
      await hand.choose(page.getByLabel('Stage'), 'prod')
      await hand.click(button(page, 'Create token'))
      await hand.click(button(page, 'Copy').first())
    },
    async byKeyboard(hand, page) {
      await hand.press('Control+k')
      await hand.expectFocus(page.getByRole('combobox'))
      await hand.find('new t')
      await page.locator('[data-combobox-selected]', { hasText: 'New service token' }).waitFor()
      await hand.press('Enter')
      await hand.type(page.getByLabel('Name'), `token ${runs}`)
      await hand.tabTo(page.getByLabel('Project'))
      await hand.press('s', 'Tab', 'p', 'Control+Enter')
      await hand.expectFocus(page.getByLabel('Service token'))
      await hand.press('Control+c')
    },
    async expectDone(page, [text]) {
      const token = await app.owner.token()
      const { tokens } = await app.client.must('tokenList', { orgSlug: 'acme' }, { token })
      expect(tokens).toContainEqual(expect.objectContaining({ name: text, projectSlug: 'shop', stageSlug: 'prod' }))
      await expect.poll(() => copied(page)).toMatch(/^svc_/)
    },
  },
]

test.each(tasks)('$title', async ({ start, after, byMouse, byKeyboard, expectDone }) => {
  const { page } = await openPageAs(app.owner, browser, app.url)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const run = async (way: Task['byMouse']): Promise<Hand> => {
    runs++
    await prepare()
    await page.goto(start)
    await (start === project ? cell(page, name, 'prod').waitFor() : expectHeading(page, 'Overview'))
    // What the palette offers depends on the role.
    await button(page, /^Account of.*Owner/).waitFor()
    const hand = new Hand(page)
    await way(hand, page)
    await expectDone(page, hand.texts)
    return hand
  }
  const mouse = await run(byMouse)
  const keyboard = await run(byKeyboard)
  expect(mouse.keys + keyboard.clicks).toBe(0)
  expect(mouse.texts).toHaveLength(keyboard.texts.length)
  expect({ clicks: mouse.clicks, keys: keyboard.keys, texts: mouse.texts.length }).toEqual(after)
})

test('take no more than before, and at least six take fewer clicks', () => {
  for (const { title, before, after } of tasks) {
    expect([title, after.clicks <= before.clicks, after.keys <= before.keys, after.texts <= before.texts]).toEqual([
      title,
      true,
      true,
      true,
    ])
  }
  expect(tasks.filter(({ before, after }) => after.clicks < before.clicks).length).toBeGreaterThanOrEqual(6)
  expect(tasks.filter(({ before, after }) => after.keys < before.keys).length).toBeGreaterThanOrEqual(6)
})

test('stand in the documentation as they are here', () => {
  const design = readFileSync(path.resolve(import.meta.dirname, '../../../../docs/design.md'), 'utf8')
  for (const { title, before, after } of tasks) {
    const figures = (['clicks', 'keys', 'texts'] as const).map((each) => `${before[each]} → ${after[each]}`)
    expect(design).toContain(`| ${[title, ...figures].join(' | ')} |`)
  }
})
