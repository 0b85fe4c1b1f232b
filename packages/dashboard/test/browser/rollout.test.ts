/** Walks with three people from a protected stage to a rollout that climbs, in real browsers. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { screenshot, storageDump } from '../../../server/testkit/browser.ts'
import { TestClock } from '../../../server/testkit/clock.ts'
import { useEmbeddedApp } from '../../../server/testkit/embedded.ts'
import { invite, type Person } from '../../../server/testkit/person.ts'
import { query } from '../../../server/testkit/store.ts'
import { expectHeading, expectText, field, openPageAs, press, useBrowser } from './steps.ts'

const clock = new TestClock()
const app = useEmbeddedApp({}, { clock })
const browser = useBrowser()
const prod = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'prod' }
const canary = 'canary-of-a-rollout'
/** How far ahead the first step is: long enough to approve it on any machine. */
const aheadMs = 3_600_000

async function call(by: Person, endpoint: Parameters<typeof app.client.must>[0], body: object) {
  return app.client.must(endpoint, { ...prod, ...body }, { token: await by.token() })
}

/** Opens the newest change of the inbox. */
async function openChange(page: Page, reason: string): Promise<void> {
  await page.goto('/o/acme/changes')
  await page.getByRole('link', { name: reason }).click()
  await expectHeading(page, reason)
}

async function chooseOfStage(page: Page, item: string): Promise<void> {
  await page.goto('/o/acme/p/shop')
  await page.getByRole('button', { name: /^prod\b.*actions$/ }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

test('three people protect, promote, review, apply, start a rollout and pause it', async () => {
  const roll = { kind: 'ab_roll', name: 'CHECKOUT', valueA: canary, valueB: `${canary}-b`, chance: 0 }
  await call(app.owner, 'write', { stageSlug: 'dev', mode: 'upsert', entries: [roll] })
  await call(app.owner, 'write', { mode: 'upsert', entries: [{ kind: 'secret', name: 'LIMIT', value: '1' }] })
  const [grace, bob] = [await invite(app.owner), await invite(app.owner)]
  const { page: admin } = await openPageAs(app.owner, browser, app.url)
  const { page: develops } = await openPageAs(grace, browser, app.url)
  const { page: approves } = await openPageAs(bob, browser, app.url)

  await chooseOfStage(admin, 'Protect prod…')
  await expect.poll(() => field(admin, 'Number of approvals').inputValue()).toBe('1')
  await press(admin, 'Protect prod')
  await expectText(admin, 'prod is protected')
  for (const [person, role] of [[grace, 'developer'] as const, [bob, 'releaser'] as const])
    await call(app.owner, 'accessGrant', { principal: { kind: 'user', id: await person.id() }, role })

  await develops.goto('/o/acme/p/shop')
  await develops.getByRole('gridcell').first().waitFor()
  await develops.keyboard.press('Control+k')
  await develops.keyboard.type('Promote dev')
  await develops.getByRole('option', { name: 'Promote dev → prod' }).click()
  await press(develops, 'Propose 1 variable for prod')
  await field(develops, 'Reason').fill('New checkout, off')
  await screenshot(develops, 'promotion')
  await develops.getByRole('dialog').getByRole('button', { name: 'Propose 1 variable for prod' }).click()
  await press(develops, 'Show the change')
  await expectHeading(develops, 'New checkout, off')

  await openChange(approves, 'New checkout, off')
  await field(approves, 'Comment').fill('For whom?')
  await press(approves, 'Request changes')
  await expectText(approves, 'Changes requested')
  const { changes } = (await call(grace, 'changeList', {})) as { changes: readonly { id: string }[] }
  await call(grace, 'changeEdit', { id: changes[0]?.id, reason: 'New checkout, off for everyone' })
  await expectText(approves, 'Voided by an edit')
  await press(approves, 'Approve')
  await expectText(approves, 'Ready to apply')
  await press(develops, 'Apply to prod')
  await develops.getByRole('dialog').getByRole('button', { name: 'Apply to prod' }).click()
  await expectText(develops, 'Applied the change of CHECKOUT to prod')

  await develops.goto('/o/acme/p/shop/roll?stage=prod&name=CHECKOUT')
  await press(develops, 'Plan')
  await develops.getByRole('menuitem', { name: 'Change in steps…' }).click()
  await field(develops, 'Chances of A').fill('10% 100%')
  await field(develops, 'First step').fill(new Date(clock.now() + aheadMs).toISOString().slice(0, 16))
  await field(develops, 'Time zone').fill('UTC')
  await field(develops, 'Reason').fill('Everyone within two days')
  await screenshot(develops, 'ramp-form')
  await develops.getByRole('dialog').getByRole('button', { name: 'Propose for prod' }).click()
  await develops.getByRole('link', { name: 'Everyone within two days' }).waitFor()
  await press(develops, 'Show the change')
  await expectHeading(develops, 'Everyone within two days')
  await openChange(approves, 'Everyone within two days')
  await press(approves, 'Approve')
  await expectText(approves, 'Approved the change of CHECKOUT in prod')
  // The tokens of pages live for a minute by the clock of the machine, so that no page may ask at the other time.
  const pages = [admin, develops, approves]
  for (const page of pages) await page.goto('about:blank')
  clock.advance(aheadMs)
  await expect.poll(() => query(app.dataDir, 'select max(steps_done) as done from changes')).toEqual([{ done: 1 }])
  clock.advance(-aheadMs)
  for (const page of pages) await page.goBack()
  await expectText(approves, 'Step 1 of 2')
  await press(approves, 'Pause')
  await expectText(approves, 'Paused the rollout')
  await screenshot(approves, 'ramp-paused')
  await develops.goto('/o/acme/p/shop/roll?stage=prod&name=CHECKOUT')
  await expectText(develops, 'Paused after step 1 of 2')
  await expectText(develops, '10%')
  for (const page of pages) expect(await storageDump(page)).not.toContain(canary)
})
