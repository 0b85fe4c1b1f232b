/**
 * `npm run screenshots`: takes the README's pictures of the web application, which `npm run build` made, with the data of
 * `npm run dev:seed`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createLog } from '../packages/server/src/base/log.ts'
import { startApp } from '../packages/server/src/compose/app.ts'
import { readConfig } from '../packages/server/src/config.ts'
import { startBrowser } from '../packages/server/testkit/browser.ts'
import { seed } from './seed/seed.ts'

const images = path.join(import.meta.dirname, '../docs/images')

/** The pictures: the address, and the text that appears last. */
const pictures = {
  overview: { path: '/o/acme', shows: 'Recent changes' },
  variables: { path: '/o/acme/p/shop', shows: 'PAGE_SIZE' },
  roll: { path: '/o/acme/p/shop/roll?stage=prod&name=NEW_CHECKOUT', shows: 'Try a user' },
}

const folder = mkdtempSync(path.join(tmpdir(), 'rollkey-screenshots-'))
try {
  const { email, password } = await seed(folder)
  const app = await startApp(readConfig({ ROLLKEY_DATA_DIR: folder, ROLLKEY_PORT: '0' }), createLog('silent'))
  const browser = await startBrowser()
  const { page } = await browser.newPage({ baseUrl: app.url.replace('127.0.0.1', 'localhost') })
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill(email)
  await page.locator('input[type=password]').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('navigation').first().waitFor()
  for (const [name, picture] of Object.entries(pictures)) {
    await page.goto(picture.path)
    await page.getByText(picture.shows).first().waitFor()
    await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
    await page.evaluate('document.fonts.ready')
    await page.screenshot({ path: path.join(images, `${name}.png`) })
  }
  await browser.close()
  await app.close()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
