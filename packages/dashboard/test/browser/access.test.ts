/** Tests in the browser who may do what: the access page, protection, groups, roles, and what people do not see. */
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { screenshot, storageDump } from '../../../server/testkit/browser.ts'
import { isLong } from '../../../server/testkit/long.ts'
import { newUser } from '../../../server/testkit/client.ts'
import { goodPassword, invite, type Person } from '../../../server/testkit/person.ts'
import { webClientId } from '../../../server/testkit/provider.ts'
import { queryIdentity } from '../../../server/testkit/store.ts'
import { startTestEnv } from '../../../server/testkit/test-env.ts'
import {
  confirmIdentity,
  expectHeading,
  expectText,
  field,
  openPage,
  openPageAs,
  press,
  useBrowser,
  useEmbeddedAppPerTest,
} from './steps.ts'

const browser = useBrowser()
const app = useEmbeddedAppPerTest()
let grace: Person

async function asOwner(endpoint: Parameters<typeof app.client.must>[0], body: object) {
  return app.client.must(endpoint, { orgSlug: 'acme', ...body }, { token: await app.owner.token() })
}

const prod = { projectSlug: 'shop', stageSlug: 'prod' }

beforeEach(async () => {
  for (const stageSlug of ['dev', 'staging', 'prod']) {
    const entries = [
      { kind: 'secret', name: 'API_KEY', value: `key-of-${stageSlug}` },
      { kind: 'secret', name: 'THEME', value: 'dark', exposure: 'plain' },
    ]
    await asOwner('write', { projectSlug: 'shop', stageSlug, mode: 'upsert', entries })
  }
  grace = await invite(app.owner)
})

async function protectProd(): Promise<void> {
  await asOwner('stageProtect', { ...prod, isProtected: true })
}

/** Makes all sign-ins of people older than a fresh confirmation. */
async function ageSessions(): Promise<void> {
  const before = new Date(Date.now() - 16 * 60_000).toISOString()
  await queryIdentity(app.dataDir, 'update session set "createdAt" = $1', before)
}

/** Returns the cell of someone on the access page. */
function cell(page: Page, who: string, stage: string) {
  return page.getByRole('button', { name: new RegExp(`^${who} in ${stage}: `) })
}

describe('the access page', () => {
  test('grants, explains, and takes back', async () => {
    const { page } = await openPageAs(app.owner, browser, app.url)
    await page.goto('/o/acme/p/shop/access')
    await cell(page, 'Grace', 'prod').waitFor()
    await press(page, 'Grant access')
    await page.getByRole('combobox', { name: 'Who' }).fill('grace')
    await page.getByRole('option', { name: /^Grace/ }).click()
    // The choice leaves the focus in the drawer.
    await expect.poll(() => page.evaluate('document.activeElement?.closest("[role=dialog]") !== null')).toBe(true)
    await page.getByLabel('Where').selectOption({ label: 'prod' })
    await page.getByLabel('Role').selectOption('maintainer')
    await expectText(page, /developer, the default role of every member/)
    await screenshot(page, 'access-grant')
    await press(page, 'Grant')
    await expectText(page, /Grace is maintainer on .* \/ prod/)
    await expect.poll(() => cell(page, 'Grace', 'prod').getAttribute('data-direct')).toBe('true')
    await screenshot(page, 'access')
    await press(page, 'Undo')
    await expect.poll(() => cell(page, 'Grace', 'prod').getAttribute('data-direct')).toBeNull()
    const { grants } = await asOwner('accessList', { projectSlug: 'shop' })
    expect(grants).toEqual([])
  })

  test('opens the form that the link of a request asks for, and leaves it to those who may grant', async () => {
    await protectProd()
    const hers = await openPageAs(grace, browser, app.url)
    await hers.page.goto('/o/acme/p/shop?variable=API_KEY&stage=prod')
    const link = `/o/acme/p/shop/access?grant=read&person=${await grace.id()}&stage=prod`
    await hers.page.getByRole('button', { name: 'Copy a request' }).first().click()
    await hers.page.goto(link)
    await expectText(hers.page, 'You don’t have permission to see who has access')

    const { page } = await openPageAs(app.owner, browser, app.url)
    await page.goto(link)
    const drawer = page.getByRole('dialog', { name: 'Access of Grace' })
    await expect.poll(() => drawer.getByLabel('Role').inputValue()).toBe('reader')
    await press(page, 'Grant')
    await expectText(page, /Grace is reader on .* \/ prod/)
    await expect.poll(() => page.url()).toMatch(/\/access$/)
  })

  test('takes the email of someone who has not joined yet, and ends when it says', async () => {
    const { page } = await openPageAs(app.owner, browser, app.url)
    await page.goto('/o/acme/p/shop/access')
    await press(page, 'Grant access')
    await press(page, 'Someone who has not joined yet')
    await field(page, 'Email').fill('new@example.com')
    await field(page, 'Email').press('Tab')
    await page.getByLabel('Where').selectOption({ label: 'dev' })
    await page.getByLabel('Role').selectOption('reader')
    await page.getByLabel('Until').fill('2100-01-31T18:00')
    await press(page, 'Grant')
    await cell(page, 'new@example.com', 'dev').click()
    await expectHeading(page, 'Access')
    await expect.poll(() => page.getByLabel('Until').inputValue()).toBe('2100-01-31T18:00')
    await press(page, 'Revoke')
    await cell(page, 'new@example.com', 'dev').waitFor({ state: 'detached' })
  })

  test.runIf(isLong)('shows a thousand by a thousand, and finds one of them at once', async () => {
    const { page } = await openPageAs(app.owner, browser, app.url)
    const stage = { revision: 1, createdAtMs: 0, updatedAtMs: 0, variables: 0 }
    const stages = Array.from({ length: 1_000 }, (_, at) => ({ ...stage, stageSlug: `s${at}`, name: `s${at}` }))
    await page.route('**/v1/projects/list', async (route) => {
      const answer = await route.fetch()
      const projects = [{ projectSlug: 'shop', name: 'shop', createdAtMs: 0, stages }]
      await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), projects } })
    })
    await page.route('**/v1/access/list', async (route) => {
      const answer = await route.fetch()
      const grants = Array.from({ length: 10_000 }, (_, at) => ({
        principal: { kind: 'email', id: `person-${at % 1_000}@thousand.example.com` },
        projectSlug: 'shop',
        stageSlug: `s${(at * 7) % 1_000}`,
        role: 'reader',
        grantedAtMs: 0,
        grantedBy: 'ada',
      }))
      await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), grants } })
    })
    await page.goto('/o/acme/p/shop/access')
    await page.getByRole('button', { name: 'Show 100 more' }).waitFor()
    // A part of the million cells, which is why the page is fast.
    expect(await page.getByRole('table').locator('*').count()).toBeLessThan(20_000)
    await press(page, 'Show 100 more')
    await expect.poll(() => page.getByRole('row').count()).toBe(201)
    await page.getByLabel('Filter by name or email').fill('person-999@')
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await cell(page, 'person-999@thousand.example.com', 's993').waitFor({ state: 'detached' })
    await page.getByRole('table').evaluate((table) => table.parentElement?.scrollTo(1e6, 0))
    await cell(page, 'person-999@thousand.example.com', 's993').waitFor()
    await page.unrouteAll()
  })
})

describe('the access page of the organization', () => {
  test.runIf(isLong)('shows and changes what is granted on all of it', async () => {
    const { page } = await openPageAs(app.owner, browser, app.url)
    const { id } = (await asOwner('groupCreate', { name: 'Everyone' })) as { id: string }
    await page.goto('/o/acme/members/access')
    await press(page, 'Grant access')
    await page.getByRole('combobox', { name: 'Who' }).fill('every')
    await page.getByRole('option', { name: 'Everyone' }).click()
    await page.getByLabel('Role').selectOption('viewer')
    await press(page, 'Grant')
    await expectText(page, 'Everyone is viewer on the whole organization')
    await cell(page, 'Everyone', 'Whole organization').click()
    await screenshot(page, 'access-organization')
    await page.getByLabel('Role').selectOption('reader')
    await press(page, 'Save')
    await expectText(page, 'Everyone is reader on the whole organization')
    const { grants } = (await asOwner('accessList', {})) as { grants: object[] }
    expect(grants).toEqual([
      expect.objectContaining({ role: 'reader', principal: { kind: 'group', id, name: 'Everyone' } }),
    ])
    await cell(page, 'Everyone', 'shop').click()
    await expect.poll(() => page.getByLabel('Where').inputValue()).toBe('1')
  })
})

describe('a service token', () => {
  test('gets a new secret, and the former one works for a while', async () => {
    const token = { name: 'CI', ...prod, role: 'reader' }
    const former = (await asOwner('tokenCreate', token)) as { token: string }
    const { page } = await openPageAs(app.owner, browser, app.url)
    await page.goto('/o/acme/settings/tokens')
    await press(page, 'Rotate CI')
    await screenshot(page, 'token-rotating')
    await press(page, 'Rotate token')
    const shown = page.getByLabel('Service token', { exact: true })
    await expect.poll(() => shown.inputValue()).toMatch(/^svc_st_/)
    const next = await shown.inputValue()
    expect(next).not.toBe(former.token)
    for (const each of [next, former.token]) await app.client.must('whoami', {}, { token: each })
    await press(page, 'I saved the token')
  })
})

describe('a protected stage', () => {
  test('lists who loses what before, hides values after, and asks for a confirmation once', async () => {
    const { page } = await openPageAs(app.owner, browser, app.url)
    await page.goto('/o/acme/p/shop')
    await press(page, 'prod Production, actions')
    await page.getByRole('menuitem', { name: 'Protect prod…' }).click()
    const form = page.getByRole('dialog', { name: 'Protect prod' })
    await form.getByText('Every other member').waitFor()
    await form.getByText('Everyone else still sees the names and when values change').waitFor()
    // Grace could approve.
    expect(await form.getByLabel('Number of approvals').inputValue()).toBe('1')
    expect(await form.getByLabel('You, role on prod').inputValue()).toBe('releaser')
    await form.getByLabel('Number of approvals').fill('0')
    await expect.poll(() => form.getByLabel('You, role on prod').inputValue()).toBe('developer')
    await screenshot(page, 'protect')
    await form.getByLabel('You, role on prod').selectOption('')
    await form.getByRole('button', { name: 'Protect prod' }).click()
    await expectText(page, 'prod is protected')
    await page
      .getByRole('gridcell', { name: /Hidden/ })
      .first()
      .waitFor()
    await screenshot(page, 'protected-hidden')
    await asOwner('accessGrant', { principal: { kind: 'user', id: await app.owner.id() }, ...prod, role: 'developer' })
    await ageSessions()
    await page.reload()
    const value = page.getByRole('gridcell').getByRole('button', { name: /^API_KEY in prod/ })
    // A button that only a pointer shows would vanish if the page moved under it.
    await value.press('r')
    await confirmIdentity(page, goodPassword)
    await expectText(page, 'key-of-prod')
    // What is plain appears with the same confirmation.
    await expect.poll(() => page.getByRole('gridcell').getByText('dark').count()).toBe(3)
  })

  test.runIf(isLong)('keeps what was chosen while it asks whether to grant there', async () => {
    await protectProd()
    await asOwner('accessGrant', { principal: { kind: 'user', id: await app.owner.id() }, ...prod, role: 'developer' })
    const { page } = await openPageAs(app.owner, browser, app.url)
    await ageSessions()
    await page.goto('/o/acme/p/shop/access')
    await cell(page, 'Ada', 'prod').click()
    await page.getByLabel('Role').selectOption('reader')
    await press(page, 'Save')
    const question = page.getByRole('dialog', { name: 'Confirm it’s you' })
    await question.waitFor()
    await expect.poll(() => page.evaluate('document.activeElement?.type')).toBe('password')
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
    await expect.poll(() => page.getByLabel('Role').inputValue()).toBe('reader')
    await press(page, 'Save')
    await confirmIdentity(page, goodPassword)
    await expectText(page, /Ada is reader on .* \/ prod/)
  })

  test('is not protected anymore after a confirmation', async () => {
    await protectProd()
    const { page } = await openPageAs(app.owner, browser, app.url)
    await ageSessions()
    await page.goto('/o/acme/p/shop/access')
    await press(page, 'prod, protected, actions')
    await page.getByRole('menuitem', { name: 'End protection…' }).click()
    await press(page, 'End protection')
    const question = page.getByRole('dialog', { name: 'Confirm it’s you' })
    await question.waitFor()
    await expect.poll(() => page.evaluate('document.activeElement?.type')).toBe('password')
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
    await press(page, 'End protection')
    await confirmIdentity(page, goodPassword)
    await expectText(page, 'prod is not protected anymore')
    await page.getByRole('button', { name: 'prod, actions' }).waitFor()
  })
})

describe('someone who may only list', () => {
  test.runIf(isLong)('is offered nothing else, and learns whom to ask', async () => {
    const viewer = await invite(app.owner)
    await asOwner('organizationUpdate', { defaultRole: 'none' })
    await asOwner('accessGrant', { principal: { kind: 'user', id: await viewer.id() }, ...prod, role: 'viewer' })
    const { page, requestedUrls } = await openPageAs(viewer, browser, app.url)
    await page.goto('/o/acme/p/shop')
    await expect.poll(() => page.getByRole('gridcell').getByText('Hidden').count()).toBe(2)
    for (const name of ['New variable', 'Paste .env', 'dev, actions']) {
      await page.getByRole('button', { name, exact: true }).waitFor({ state: 'detached' })
    }
    await screenshot(page, 'access-viewer')
    const value = page.getByRole('gridcell').getByRole('button', { name: /^API_KEY in prod/ })
    await value.hover()
    await page.getByRole('button', { name: 'Reveal API_KEY in prod' }).waitFor({ state: 'detached' })
    await value.press('r')
    await value.press('c')
    await value.press('e')
    await value.click()
    await expectText(page, 'You need read access to shop/prod.')
    await expect.poll(() => page.getByRole('button', { name: 'Copy a request' }).count()).toBe(1)
    await page.goto('/o/acme/p/shop/access')
    await expectText(page, 'You don’t have permission to see who has access')
    await expectText(page, 'Ask Ada, who can grant it to you.')
    const staging = { ...prod, stageSlug: 'staging' }
    await asOwner('accessGrant', { principal: { kind: 'user', id: await viewer.id() }, ...staging, role: 'viewer' })
    await page.goto('/o/acme/p/shop/compare?from=staging&to=prod')
    await expectText(page, 'so they can’t be compared')
    await expectText(page, 'In prod: value not compared')
    await expect.poll(() => page.getByRole('main').getByRole('checkbox').count()).toBe(0)
    await page.keyboard.type('jxr')
    await expect.poll(() => page.locator(':focus').innerText()).toMatch(/^API_KEY/)
    expect(requestedUrls.filter((url) => /v1\/(reveal|access\/list)/.test(url))).toEqual([])
  })
})

describe('groups and roles', () => {
  test('give people what is granted to them', async () => {
    const { page } = await openPageAs(app.owner, browser, app.url)
    await page.goto('/o/acme/members/roles')
    await press(page, 'New role')
    await field(page, 'Name').fill('auditor')
    await page.getByRole('checkbox', { name: 'manage' }).check()
    await press(page, 'Create role')
    await expectText(page, 'Created the role auditor')
    await page.goto('/o/acme/members/groups')
    await press(page, 'New group')
    await field(page, 'Name').fill('On call')
    await press(page, 'Create group')
    await page.getByRole('combobox', { name: 'Add someone' }).fill(grace.email)
    await page.getByRole('option', { name: /^Grace/ }).click()
    await press(page, 'Add')
    await expectText(page, 'Added Grace to On call')
    // The list of people stays, without the one who was added.
    await page.getByRole('button', { name: 'Remove Grace' }).waitFor()
    await expect.poll(() => page.getByRole('combobox', { name: 'Add someone' }).inputValue()).toBe('')
    await screenshot(page, 'group')
    await page.goto('/o/acme/p/shop/access')
    await press(page, 'Grant access')
    await page.getByLabel('Role').selectOption('auditor')
    await page.keyboard.press('Control+Enter')
    await expectText(page, 'Choose who gets access.')
    await expect.poll(() => page.evaluate('document.activeElement.role')).toBe('combobox')
    await page.getByRole('combobox', { name: 'Who' }).fill('call')
    await page.getByRole('option', { name: 'On call' }).click()
    await page.getByLabel('Where').selectOption({ label: 'staging' })
    await press(page, 'Grant')
    await expect.poll(() => page.locator(':focus').innerText()).toContain('auditor')
    await page.getByLabel('Filter by name or email').fill(grace.email)
    await expect.poll(() => cell(page, 'Grace', 'staging').count()).toBe(1)
    await cell(page, 'Grace', 'staging').click()
    await expectText(page, 'auditor, granted on shop/staging to the group On call')
    await page.goto('/o/acme/members')
    await page.getByRole('button', { name: grace.email }).click()
    await expectText(page, 'shop/staging')
    await screenshot(page, 'access-person')
    await page.goto('/o/acme/audit')
    await expectText(page, /added Grace to the group On call/)
  })
})

/** Opens a page at a service with an external provider, as an owner who signed in there. */
async function openExternal(path: string, settings: object = {}): Promise<{ page: Page; userId: string }> {
  const other = await startTestEnv({ IDP_CLIENT_ID: webClientId, ...settings })
  const user = newUser('umbrella')
  other.provider.addPerson(user, 'Ada Lovelace')
  other.provider.setRole(user, 'owner')
  await other.client.login(user)
  const { page } = await openPage(browser, other.app.url.replace('127.0.0.1', 'localhost'), other.provider.issuer)
  await page.goto(path)
  await press(page, 'Continue with your identity provider')
  await field(page, 'User').fill(user.userId)
  await press(page, 'Sign in')
  return { page, userId: user.userId }
}

describe('a confirmation at an external provider', () => {
  test.runIf(isLong)('has another window, and the page continues by itself', async () => {
    const { page } = await openExternal('/o/umbrella/members/roles')
    const sentWith: (string | undefined)[] = []
    await page.route('**/v1/roles/set', async (route) => {
      sentWith.push(route.request().headers()['authorization'])
      const error = { code: 'CONFIRMATION_REQUIRED', message: 'Confirm that it is you.', requestId: 'r' }
      await (sentWith.length === 1 ? route.fulfill({ status: 403, json: { error } }) : route.continue())
    })
    await press(page, 'New role')
    await field(page, 'Name').fill('auditor')
    await press(page, 'Create role')
    const opened = page.waitForEvent('popup')
    const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' })
    await dialog.getByRole('button', { name: 'Sign in again' }).click()
    const popup = await opened
    await dialog.waitFor({ state: 'detached' })
    await expectText(page, 'Created the role auditor')
    await expect.poll(() => popup.isClosed()).toBe(true)
    expect(sentWith).toHaveLength(2)
    expect(new Set(sentWith).size).toBe(2)
    expect(await storageDump(page)).not.toContain('auditor')
  })
})

describe('a group of the identity provider', () => {
  async function openGroups(settings: object): Promise<Page> {
    const { page } = await openExternal('/o/umbrella/members/groups', settings)
    await press(page, 'New group')
    await field(page, 'Name').fill('On call')
    return page
  }

  test('says who is in a group, which is connected after a question', async () => {
    const page = await openGroups({ IDP_GROUPS_CLAIM: 'groups' })
    await field(page, 'Name or id at the identity provider').waitFor()
    await press(page, 'Create group')
    // The form of the new group has a field of this name too.
    await page.getByRole('button', { name: 'Connect…', exact: true }).waitFor()
    await expect.poll(() => page.getByRole('dialog').count()).toBe(1)
    await field(page, 'Name or id at the identity provider').fill('sre')
    await press(page, 'Connect…')
    await screenshot(page, 'group-connecting')
    await press(page, 'Connect On call')
    await expectText(page, 'Connected On call with sre')
    await expectText(page, 'The identity provider reports who is in its group sre.')
    await page.getByRole('combobox', { name: 'Add someone' }).waitFor({ state: 'detached' })
    await screenshot(page, 'group-connected')
    await press(page, 'Disconnect')
    await page.getByRole('combobox', { name: 'Add someone' }).waitFor()
  })

  test.runIf(isLong)('is not offered where the provider reports none', async () => {
    const page = await openGroups({})
    await press(page, 'Create group')
    await page.getByRole('combobox', { name: 'Add someone' }).waitFor()
    await expect.poll(() => page.getByText('Group of the identity provider').count()).toBe(0)
  })
})

describe('earlier access', () => {
  test.runIf(isLong)('shows the time of the address', async () => {
    const { page } = await openPageAs(app.owner, browser, app.url)
    await page.goto('/o/acme/p/shop/access/holders?stage=dev')
    await expectText(page, 'Every member of the organization could, by the default role.')
    await expectText(page, 'rollkey access holders shop/dev')
    await screenshot(page, 'holders')
    await page.getByLabel('At', { exact: true }).fill('2020-01-31T18:00')
    await expect.poll(() => page.url()).toContain('at=2020-01-31')
  })
})

describe('a CLI session', () => {
  test('is confirmed in the browser by its person', async () => {
    await app.client.login(await app.owner.token())
    const { sessions } = (await asOwner('sessionList', {})) as { sessions: { id: string }[] }
    const id = sessions[0]?.id ?? ''
    const { page } = await openPageAs(app.owner, browser, app.url)
    await ageSessions()
    await page.goto(`/o/acme/confirm/${id}`)
    await screenshot(page, 'confirm-session')
    await press(page, 'Confirm session')
    await confirmIdentity(page, goodPassword)
    await expectText(page, /^Confirmed for 15 minutes/)
    await page.goto('/o/acme/confirm/unknown')
    await expectText(page, 'You have no such CLI session')
  })
})
