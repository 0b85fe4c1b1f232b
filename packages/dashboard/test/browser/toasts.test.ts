/** Tests that actions outside the table of variables say what happened, and are taken back where that is possible. */
import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { useEmbeddedApp } from '../../../server/testkit/embedded.ts'
import { isLong } from '../../../server/testkit/long.ts'
import { goodPassword, invitation, invite, type Person } from '../../../server/testkit/person.ts'
import { confirmIdentity, field, openPageAs, press, useBrowser } from './steps.ts'

const app = useEmbeddedApp()
const browser = useBrowser()
const at = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'dev' }
let grace: Person
let page: Page

async function asOwner(name: Parameters<typeof app.client.must>[0], input: object): Promise<void> {
  await app.client.must(name, input, { token: await app.owner.token() })
}

beforeAll(async () => {
  grace = await invite(app.owner)
})
beforeEach(async () => {
  page = (await openPageAs(app.owner, browser, app.url)).page
})

async function choose(menu: string | RegExp, item: string): Promise<void> {
  await page.getByRole('button', { name: menu }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

/** Answers the question of the open dialog. */
async function agree(button: string): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: button, exact: true }).click()
}

const members = async (): Promise<void> => void (await page.goto('/o/acme/members'))
const writeDev = (value: string): Promise<void> =>
  asOwner('write', { ...at, mode: 'upsert', entries: [{ kind: 'secret', name: 'A', value }] })

const actions: readonly (readonly [toast: string, undone: string | undefined, act: () => Promise<void>])[] = [
  [
    'Renamed renamed to The Shop',
    'Renamed The Shop to renamed',
    async () => {
      await asOwner('projectCreate', { orgSlug: 'acme', projectSlug: 'renamed' })
      await page.goto('/o/acme/projects')
      await choose('More: renamed', 'Rename')
      await page.getByRole('dialog').getByLabel('Name').fill('The Shop')
      await agree('Rename')
    },
  ],
  [
    'Archived archived',
    'Restored archived',
    async () => {
      await asOwner('projectCreate', { orgSlug: 'acme', projectSlug: 'archived' })
      await page.goto('/o/acme/projects')
      await choose('More: archived', 'Archive')
      await agree('Archive')
    },
  ],
  [
    'Deleted deleted',
    undefined,
    async () => {
      await asOwner('projectCreate', { orgSlug: 'acme', projectSlug: 'deleted' })
      await page.goto('/o/acme/projects')
      await choose('More: deleted', 'Delete')
      await field(page, 'Type deleted to confirm').fill('deleted')
      await agree('Delete deleted')
    },
  ],
  [
    'Restored dev to revision 1',
    'A is as before in dev',
    async () => {
      await writeDev('1')
      await writeDev('2')
      await page.goto('/o/acme/p/shop/history?revision=1')
      await press(page, 'Restore to here…')
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Restore dev to revision 1/ })
        .click()
    },
  ],
  [
    'Invited new@example.com',
    undefined,
    async () => {
      await members()
      await press(page, 'Invite')
      await field(page, 'Email').fill('new@example.com')
      await press(page, 'Create invitation link')
    },
  ],
  [
    'Canceled the invitation of gone@example.com',
    undefined,
    async () => {
      await invitation(app.owner, 'gone@example.com')
      await members()
      await press(page, 'Cancel invitation of gone@example.com')
      await agree('Cancel invitation')
    },
  ],
  [
    'Grace is now Admin',
    'Grace is now Member',
    async () => {
      await members()
      await page.getByRole('row').filter({ hasText: grace.email }).getByRole('combobox').selectOption('admin')
      await agree('Change role')
    },
  ],
  [
    'Revoked token CI',
    undefined,
    async () => {
      await asOwner('tokenCreate', { orgSlug: 'acme', name: 'CI', expiresInDays: 1 })
      await page.goto('/o/acme/settings/tokens')
      await press(page, 'Revoke token CI')
      await agree('Revoke token CI')
    },
  ],
  [
    'Renamed On call to On duty',
    'Renamed On duty to On call',
    async () => {
      await asOwner('groupCreate', { orgSlug: 'acme', name: 'On call' })
      await page.goto('/o/acme/members/groups')
      await press(page, 'On call')
      await page.getByRole('dialog').getByLabel('Name').fill('On duty')
      await agree('Rename')
    },
  ],
  [
    'Changed the role auditor',
    'The role auditor is as before',
    async () => {
      await asOwner('roleSet', { orgSlug: 'acme', name: 'auditor', verbs: ['list'] })
      await page.goto('/o/acme/members/roles')
      await press(page, 'auditor')
      await page.getByRole('checkbox', { name: 'read' }).check()
      await agree('Save')
    },
  ],
  [
    'Deleted the role leaver',
    'Created the role leaver',
    async () => {
      await asOwner('roleSet', { orgSlug: 'acme', name: 'leaver', verbs: ['list'] })
      await page.goto('/o/acme/members/roles')
      await press(page, 'leaver')
      await press(page, 'Delete role…')
      await page.getByRole('button', { name: 'Delete leaver', exact: true }).click()
    },
  ],
  [
    'Renamed Acme Inc. to Acme Ltd.',
    'Renamed Acme Ltd. to Acme Inc.',
    async () => {
      await page.goto('/o/acme/settings')
      await field(page, 'Name').fill('Acme Ltd.')
      await press(page, 'Save name')
    },
  ],
  [
    'Auto-create is off',
    'Auto-create is on',
    async () => {
      await page.goto('/o/acme/settings')
      await page.getByRole('switch').click()
    },
  ],
  [
    'The default role is viewer',
    'The default role is developer',
    async () => {
      await page.goto('/o/acme/settings')
      await page.getByLabel('What every member may do').selectOption('viewer')
      await agree('Change default role')
    },
  ],
  [
    'Your name is now Ada King',
    'Your name is now Ada',
    async () => {
      await page.goto('/account')
      await field(page, 'Your name').fill('Ada King')
      await press(page, 'Save name')
    },
  ],
]

test.runIf(isLong).each(actions)('a toast says: %s', async (text, undone, act) => {
  await act()
  const said = page.getByRole('status').getByText(text, { exact: true })
  const question = page.getByRole('dialog', { name: 'Confirm it’s you' })
  await said.or(question).first().waitFor()
  if (await question.isVisible()) await confirmIdentity(page, goodPassword)
  await said.waitFor()
  const undo = page.getByRole('button', { name: 'Undo', exact: true })
  await expect.poll(() => undo.count()).toBe(undone === undefined ? 0 : 1)
  if (undone === undefined) return
  await undo.click()
  await page.getByRole('status').getByText(undone, { exact: true }).waitFor()
})

test('toasts stay on the pages of tests, also while their clock moves', async () => {
  await page.clock.install()
  await page.goto('/account')
  await field(page, 'Your name').fill('Ada Byron')
  await press(page, 'Save name')
  const undo = page.getByRole('button', { name: 'Undo', exact: true })
  await undo.waitFor()
  await page.clock.runFor(60_000)
  await undo.click()
  const undone = page.getByRole('status').getByText('Your name is now Ada', { exact: true })
  await undone.waitFor()
  await page.clock.runFor(60_000)
  expect(await undone.count()).toBe(1)
})

test('Ctrl+Y and Ctrl+Shift+Z do again what was undone', async () => {
  await page.goto('/account')
  await field(page, 'Your name').fill('Ada Lovelace')
  await press(page, 'Save name')
  const says = (name: string) => page.getByRole('status').getByText(`Your name is now ${name}`, { exact: true })
  await says('Ada Lovelace').waitFor()
  for (const redo of ['Control+y', 'Control+Shift+Z']) {
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await says('Ada').waitFor()
    await page.keyboard.press(redo)
    await says('Ada Lovelace').waitFor()
  }
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect.poll(() => says('Ada').count()).toBe(1)
})

test('a toast is at one place, beside an open drawer, not on its fields', async () => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto('/o/acme/members/roles')
  const toast = page.getByRole('status').filter({ hasText: 'Nothing to undo here.' })
  await page.getByRole('button', { name: 'New role' }).waitFor()
  await page.keyboard.press('u')
  await toast.waitFor()
  const before = await toast.boundingBox()
  await press(page, 'New role')
  const drawer = page.getByRole('dialog')
  await drawer.waitFor()
  expect(await toast.boundingBox()).toEqual(before)
  const [left, right] = [await toast.boundingBox(), await drawer.boundingBox()]
  expect((left?.x ?? 0) + (left?.width ?? 0)).toBeLessThanOrEqual(right?.x ?? 0)
  const sidebar = await page.getByRole('navigation', { name: 'Main' }).boundingBox()
  expect(left?.x).toBeGreaterThan((sidebar?.x ?? 0) + (sidebar?.width ?? 0))
})
