/**
 * `npm run screenshots`: takes the README's picture of the web application that `npm run build` made, with the data of
 * `npm run dev:seed` and at a fixed time. With `--check` it fails where the picture shows another program.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pixelmatch from 'pixelmatch'
import { PNG } from 'pngjs'
import { systemClock } from '../packages/server/src/base/clock.ts'
import { createLog } from '../packages/server/src/base/log.ts'
import { startApp } from '../packages/server/src/compose/app.ts'
import { readConfig } from '../packages/server/src/config.ts'
import { startBrowser } from '../packages/server/testkit/browser.ts'
import { seed } from './seed/seed.ts'

const file = path.join(import.meta.dirname, '../docs/images/variables.png')
/** A Tuesday, on which the last week of the story has both of its weekend days. */
const nowMs = Date.UTC(2026, 10, 24, 15)
/** What another processor may draw in another way, of all pixels. A word or an icon is more. */
const maxDifference = 0.0002

async function takePicture(folder: string): Promise<Buffer> {
  const { email, password } = await seed(folder, nowMs)
  const config = readConfig({ ROLLKEY_DATA_DIR: folder, ROLLKEY_PORT: '0' })
  const app = await startApp(config, createLog('silent'), { ...systemClock, now: () => nowMs })
  const browser = await startBrowser()
  const { page } = await browser.newPage({ baseUrl: app.url.replace('127.0.0.1', 'localhost'), width: 1440 })
  await page.clock.setFixedTime(nowMs)
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill(email)
  await page.locator('input[type=password]').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('navigation').first().waitFor()
  const values = ['dev', 'staging', 'prod'].map((stage) =>
    page.waitForResponse((answer) => {
      const request = answer.request()
      return request.url().endsWith('/env/plain') && request.postDataJSON().stageSlug === stage
    }),
  )
  await page.goto('/o/acme/p/shop')
  // The service has made the first step of the rollout, and the values of the stages have come.
  await page.getByText('A 25%').waitFor()
  for (const answer of await Promise.all(values)) await answer.finished()
  await page.getByRole('switch').nth(1).waitFor()
  // A name that is only declared has a row a moment after the others.
  await page.getByRole('button', { name: 'SENTRY_DSN', exact: true }).waitFor()
  await page.evaluate('document.fonts.ready')
  const picture = await page.screenshot({ clip: { x: 0, y: 0, width: 1440, height: 660 } })
  await browser.close()
  await app.close()
  return picture
}

/** Returns which part of the pixels differs, from 0 to 1. */
function differenceOf(one: Buffer, other: Buffer): number {
  const [a, b] = [PNG.sync.read(one), PNG.sync.read(other)]
  if (a.width !== b.width || a.height !== b.height) return 1
  return pixelmatch(a.data, b.data, undefined, a.width, a.height) / (a.width * a.height)
}

const folder = mkdtempSync(path.join(tmpdir(), 'rollkey-screenshots-'))
try {
  const picture = await takePicture(folder)
  if (process.argv.includes('--check')) {
    const difference = differenceOf(readFileSync(file), picture)
    if (difference > maxDifference)
      throw new Error(
        `${path.relative('.', file)} shows an older program (${(100 * difference).toFixed(2)}% of its pixels differ): run npm run screenshots, and look at it.`,
      )
  } else writeFileSync(file, picture)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
