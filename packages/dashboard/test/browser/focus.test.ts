/** Tests that the focus is at what an action made or changed, or next to what it removed, so that the next key continues there. */
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { useEmbeddedApp } from '../../../server/testkit/embedded.ts'
import { isLong } from '../../../server/testkit/long.ts'
import { expectText, field, openPageAs, press, useBrowser } from './steps.ts'

const app = useEmbeddedApp()
const browser = useBrowser()
/** The project of the current test, and how many there were before. */
let projectSlug: string
let projects = 0
let page: Page

async function asOwner(name: Parameters<typeof app.client.must>[0], input: object): Promise<void> {
  await app.client.must(name, input, { token: await app.owner.token() })
}

async function write(stageSlug: string, ...names: readonly string[]): Promise<void> {
  const entries = names.map((name) => ({ kind: 'secret', name, value: name }))
  await asOwner('write', { orgSlug: 'acme', projectSlug, stageSlug, mode: 'upsert', entries })
}

beforeEach(async () => {
  projectSlug = `shop-${projects++}`
  for (const stageSlug of ['dev', 'prod']) await write(stageSlug, 'A', 'B', 'C', 'D')
  page = (await openPageAs(app.owner, browser, app.url)).page
})

const dialog = () => page.getByRole('dialog')
const focused = (): Promise<string> =>
  page.evaluate(`document.activeElement.ariaLabel ?? document.activeElement.innerText`)

async function openProject(): Promise<void> {
  await page.goto(`/o/acme/p/${projectSlug}`)
  await page.getByRole('grid').waitFor()
}

async function select(name: string): Promise<void> {
  await page.getByRole('checkbox', { name: `Select ${name}` }).check()
}

const actions: readonly (readonly [action: string, place: string | RegExp, act: () => Promise<void>])[] = [
  [
    'a new stage: its head',
    'qa, actions',
    async () => {
      await openProject()
      await press(page, 'More')
      await page.getByRole('menuitem', { name: 'New stage' }).click()
      await field(page, 'Stage name').fill('qa')
      await press(page, 'Create stage')
    },
  ],
  [
    'a pasted file: the first cell that changed',
    /^NEW in dev, /,
    async () => {
      await openProject()
      await press(page, 'Paste .env')
      await field(page, 'Contents of the file').fill('NEW=1')
      await page.keyboard.press('Control+Enter')
    },
  ],
  [
    'the deletion of several variables: the row that follows',
    'Select D',
    async () => {
      await openProject()
      await select('B')
      await select('C')
      await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('menuitem', { name: 'Delete from dev and prod' }).click()
      await press(page, 'Delete B and C from dev and prod')
    },
  ],
  [
    'a token that was saved: its row',
    /^Rotate .*ci/,
    async () => {
      await page.goto('/o/acme/settings/tokens')
      await press(page, 'New token')
      await field(page, 'Name').fill('ci')
      await page.getByLabel('Project', { exact: true }).selectOption(projectSlug)
      await page.getByLabel('Stage', { exact: true }).selectOption('dev')
      await press(page, 'Create token')
      await press(page, 'I saved the token')
    },
  ],
  [
    'an invitation: its row',
    'Show link for ada.l@example.com',
    async () => {
      await page.goto('/o/acme/members')
      await press(page, 'Invite')
      await field(page, 'Email').fill('ada.l@example.com')
      await press(page, 'Create invitation link')
      await expectText(page, 'Invited ada.l@example.com')
      await page.keyboard.press('Escape')
    },
  ],
  [
    'a protected stage: its head',
    'dev, actions',
    async () => {
      await openProject()
      await press(page, 'dev, actions')
      await page.getByRole('menuitem', { name: 'Protect dev…' }).click()
      await press(page, 'Protect dev')
    },
  ],
  [
    'an approval that applies a change: the heading',
    'Needed',
    async () => {
      const prod = { orgSlug: 'acme', projectSlug, stageSlug: 'prod' }
      const principal = { kind: 'user', id: await app.owner.id() }
      await asOwner('accessGrant', { ...prod, principal, role: 'releaser' })
      await asOwner('stageProtect', { ...prod, isProtected: true, approvals: 1, selfApproval: true })
      const entries = [{ kind: 'secret', name: 'A', value: 'another' }]
      await asOwner('changePropose', { ...prod, reason: 'Needed', entries })
      await page.goto('/o/acme/changes')
      await page.getByRole('link', { name: 'Needed' }).click()
      await page.getByRole('button', { name: 'Approve and apply…' }).press('Enter')
      await dialog().getByRole('button', { name: 'Approve and apply' }).press('Enter')
      await expectText(page, 'Applied by')
    },
  ],
]

describe.runIf(isLong)('the focus after', () => {
  test.each(actions)('%s', async (_, at, act) => {
    await act()
    await dialog().waitFor({ state: 'detached' })
    await expect.poll(() => focused()).toMatch(typeof at === 'string' ? new RegExp(`^${at}$`) : at)
  })

  test('a canceled edit: the button that began it', async () => {
    await page.goto(`/o/acme/p/${projectSlug}?variable=A&stage=dev`)
    await press(page, 'Edit')
    await page.getByRole('button', { name: 'Cancel' }).press('Enter')
    await expect.poll(() => focused()).toBe('Edit')
  })
})
