/** Tests client keys in the browser: creating one, using it from a page of its origin, and revoking it. */
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { useEmbeddedApp } from '../../../server/testkit/embedded.ts'
import { expectText, field, openPageAs, press, useBrowser } from './steps.ts'

const app = useEmbeddedApp()
const browser = useBrowser()
const at = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'prod' }
let page: Page

beforeEach(async () => {
  const entries = [
    { kind: 'secret', name: 'TITLE', value: 'Shop', exposure: 'client' },
    { kind: 'secret', name: 'HIDDEN', value: 'canary' },
  ]
  await app.client.must('write', { ...at, mode: 'upsert', entries }, { token: await app.owner.token() })
  page = (await openPageAs(app.owner, browser, app.url)).page
  await page.goto('/o/acme/settings/keys')
})

/** Evaluates all flags in the page, which sends its origin. */
function evaluate(key: string): Promise<{ status: number; text: string }> {
  return page.evaluate(async (apiKey) => {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
    const response = await fetch('/ofrep/v1/evaluate/flags', { method: 'POST', headers, body: '{"context":{}}' })
    return { status: response.status, text: await response.text() }
  }, key)
}

async function create(name: string, origins: string): Promise<string> {
  await press(page, 'New client key')
  await field(page, 'Name').fill(name)
  await page.getByLabel('Project', { exact: true }).selectOption('shop')
  await page.getByLabel('Stage', { exact: true }).selectOption('prod')
  await field(page, 'Origins').fill(origins)
  await press(page, 'Create client key')
  const dialog = page.getByRole('dialog', { name })
  await expect.poll(() => dialog.getByRole('textbox', { name: 'Client key' }).inputValue()).toMatch(/^svc_ck_/)
  return dialog.getByRole('textbox', { name: 'Client key' }).inputValue()
}

test('a key is created, shown again with code in six languages, used by a page of its origin, and revoked', async () => {
  const key = await create('Web shop', new URL(app.url).origin)
  const dialog = page.getByRole('dialog', { name: 'Web shop' })
  for (const language of ['JavaScript', 'Python', 'Go', 'Java', 'C#', 'curl']) {
    await dialog.getByRole('tab', { name: language, exact: true }).click()
    await expect.poll(() => dialog.getByRole('tabpanel').innerText()).toContain(key)
  }
  const { status, text } = await evaluate(key)
  expect([status, JSON.parse(text).flags]).toMatchObject([200, [{ key: 'TITLE', value: 'Shop' }]])
  expect(text).not.toMatch(/HIDDEN|canary/)
  await page.keyboard.press('Escape')
  await page.reload()
  await expectText(page, /^1 of 1,000,000$/)
  await page.getByRole('button', { name: /^Web shop/ }).click()
  await expect.poll(() => dialog.getByRole('textbox', { name: 'Client key' }).inputValue()).toBe(key)
  await page.keyboard.press('Escape')
  await press(page, 'Revoke the client key Web shop')
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke the client key Web shop' }).click()
  await page.getByRole('button', { name: /^Web shop/ }).waitFor({ state: 'detached' })
  expect((await evaluate(key)).status).toBe(401)
})

test('a page of another origin is refused', async () => {
  const key = await create('Other', 'https://other.example.com')
  expect((await evaluate(key)).status).toBe(403)
})
