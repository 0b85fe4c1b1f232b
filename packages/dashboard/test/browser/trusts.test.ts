/** Tests trusts in the browser: creating one for a platform, trying a token, changing it and deleting it. */
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { storageDump } from '../../../server/testkit/browser.ts'
import { useEmbeddedApp } from '../../../server/testkit/embedded.ts'
import { newIssuerKey, signed, type IssuerKey } from '../../../server/testkit/issuer.ts'
import { expectText, field, openPageAs, press, useBrowser } from './steps.ts'

const app = useEmbeddedApp()
const browser = useBrowser()
const issuer = 'https://ci.example.com'
let page: Page

beforeEach(async () => {
  const visit = await openPageAs(app.owner, browser, app.url)
  page = visit.page
  await page.goto('/o/acme/settings/trusts')
})

/** Fills in a trust for an issuer whose keys are pasted, and creates it. */
async function create(name: string, { publicJwk }: IssuerKey): Promise<void> {
  await press(page, 'New trust')
  await page.getByLabel('Platform').selectOption('Another issuer')
  await field(page, 'Issuer').fill(issuer)
  await field(page, 'Required claims').fill('project=shop\nref=refs/heads/*')
  await page.getByText('More conditions').click()
  await field(page, 'Public keys').fill(JSON.stringify({ keys: [publicJwk] }))
  await page.getByLabel('Scope').selectOption('Whole organization')
  await field(page, 'Audience').fill('rollkey')
  await field(page, 'Name').fill(name)
  await press(page, 'Create trust')
  await page.getByRole('dialog', { name }).getByText('ROLLKEY_TRUST=').waitFor()
}

function sign(key: IssuerKey, claims: object): Promise<string> {
  const seconds = Math.floor(Date.now() / 1_000)
  return signed(key, { iss: issuer, aud: 'rollkey', iat: seconds, exp: seconds + 300, project: 'shop', ...claims })
}

async function tryToken(token: string): Promise<void> {
  await field(page, 'Token').fill(token)
  await press(page, 'Compare')
}

function claim(name: string) {
  return page.getByRole('list', { name: 'Result' }).getByRole('listitem').filter({ hasText: name })
}

test('a token is compared claim by claim, and stays nowhere', async () => {
  const key = await newIssuerKey()
  await create('compared', key)
  const other = await sign(key, { ref: 'refs/tags/v1' })
  await tryToken(other)
  await claim('ref').filter({ hasText: 'Differs' }).filter({ hasText: 'refs/tags/v1' }).waitFor()
  await claim('project').filter({ hasText: 'Matches' }).waitFor()
  await tryToken(await sign(key, { ref: 'refs/heads/main' }))
  await expectText(page, 'The trust accepts this token.')
  const stored = await storageDump(page)
  expect(stored).not.toContain(other.slice(-40))
})

test('a trust is changed, and its tokens end; then it is deleted', async () => {
  const key = await newIssuerKey()
  await create('changed', key)
  const text = await page.getByRole('dialog').getByText('ROLLKEY_TRUST=').innerText()
  const [id = ''] = /tru_[\w-]+/.exec(text) ?? []
  const token = await sign(key, { ref: 'refs/heads/main' })
  const before = (await app.client.exchange(token, id)).body.access_token
  const statusOf = async (each: string) => (await app.client.call('whoami', {}, { token: each })).status
  expect(await statusOf(before)).toBe(200)
  await press(page, 'Edit')
  const save = page.getByRole('button', { name: 'Save changes' })
  await expect.poll(() => save.isDisabled()).toBe(true)
  await field(page, 'Required claims').fill('project=shop\nref=refs/heads/release')
  await page.getByLabel('Access ends after').selectOption('5 minutes')
  await field(page, 'Name').fill('narrowed')
  await save.click()
  await page.getByRole('dialog', { name: 'narrowed' }).getByText('ref=refs/heads/release').waitFor()
  expect(await statusOf(before)).toBe(401)
  expect((await app.client.exchange(token, id)).body).toMatchObject({ error: 'invalid_grant' })
  const release = await sign(key, { ref: 'refs/heads/release' })
  const after = (await app.client.exchange(release, id)).body
  expect(after).toMatchObject({ expires_in: 300 })
  await page.keyboard.press('Escape')
  await press(page, 'Delete narrowed')
  await press(page, 'Delete trust')
  await expectText(page, 'Deleted the trust narrowed')
  expect(await statusOf(after.access_token)).toBe(401)
})

test('changes that are not saved are asked about', async () => {
  await create('kept', await newIssuerKey())
  await press(page, 'Edit')
  await field(page, 'Name').fill('lost')
  await page.keyboard.press('Escape')
  await expectText(page, 'Discard')
  await press(page, 'Discard')
  await page.getByRole('button', { name: /^kept/ }).waitFor()
})
