/** Tests in the browser how a change of a protected stage is proposed, reviewed and applied. */
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { axeViolations, storageDump } from '../../../server/testkit/browser.ts'
import { isLong } from '../../../server/testkit/long.ts'
import { invite, type Person } from '../../../server/testkit/person.ts'
import {
  expectClean,
  expectHeading,
  expectStill,
  expectText,
  field,
  openPageAs,
  press,
  useBrowser,
  useEmbeddedAppPerTest,
} from './steps.ts'

const app = useEmbeddedAppPerTest()
const browser = useBrowser()
const prod = { projectSlug: 'shop', stageSlug: 'prod' }
let grace: Person

async function asOwner(endpoint: Parameters<typeof app.client.must>[0], body: object) {
  return app.client.must(endpoint, { orgSlug: 'acme', ...body }, { token: await app.owner.token() })
}

beforeEach(async () => {
  grace = await invite(app.owner)
  const entries = [{ kind: 'secret', name: 'PAGE_SIZE', value: '20', exposure: 'plain' }]
  for (const stageSlug of ['dev', 'prod']) {
    await asOwner('write', { projectSlug: 'shop', stageSlug, mode: 'upsert', entries, deletes: [] })
  }
  await asOwner('stageProtect', { ...prod, isProtected: true, approvals: 1 })
  for (const [person, role] of [
    [grace, 'developer'],
    [app.owner, 'releaser'],
  ] as const) {
    await asOwner('accessGrant', { ...prod, principal: { kind: 'user', id: await person.id() }, role })
  }
})

const paste = 'canary-of-a-proposed-value'

async function proposeAs(page: Page): Promise<void> {
  await page.goto('/o/acme/p/shop')
  await press(page, 'Paste .env')
  const dialog = page.getByRole('dialog')
  for (const stage of [/^prod/, /^dev/]) await dialog.getByRole('checkbox', { name: stage }).press('Space')
  await field(page, 'Contents of the file').fill(`PAGE_SIZE=40\nNEW_KEY=${paste}`)
  await field(page, 'Reason').fill('Larger pages')
  await press(page, 'Propose for prod')
  await press(page, 'Show the change')
  await expectHeading(page, 'Larger pages')
}

test('one proposes, another requests changes and approves, and then it is applied', async () => {
  const hers = await openPageAs(grace, browser, app.url)
  await proposeAs(hers.page)
  await expectText(hers.page, 'Needs 1 approval')
  await expect.poll(() => hers.page.getByRole('button', { name: 'Apply to prod' }).count()).toBe(0)

  const visit = await openPageAs(app.owner, browser, app.url)
  const { page } = visit
  await page.goto('/o/acme')
  await page.getByRole('link', { name: /^Changes\s*1$/ }).click()
  await page.getByRole('link', { name: 'Larger pages' }).click()
  await expectText(page, 'Value 20 → 40')
  await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByText('Larger pages').waitFor()
  const actions = page.getByRole('button', { name: /^(Approve|Withdraw)/ })
  expect(await actions.allInnerTexts()).toEqual(['Withdraw for Grace', 'Approve', 'Approve and apply…'])
  await page.keyboard.press('v')
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA')
  await press(page, 'Request changes')
  await page.keyboard.type('Why 40?')
  await press(page, 'Request changes')
  await expectText(page, 'Changes requested')
  await expectStill(page)
  expect(await axeViolations(page)).toEqual([])

  // An edit voids the review.
  await hers.page.goto('/o/acme')
  await hers.page.getByRole('link', { name: 'Ada requested changes to “Larger pages”' }).click()
  await expectText(hers.page, 'Why 40?')
  // It comes with the values that are replaced, and moves what is below it.
  await hers.page.getByRole('button', { name: 'Reveal values' }).waitFor()
  await press(hers.page, 'Another value of PAGE_SIZE')
  await field(hers.page, 'New value').fill('30')
  await press(hers.page, 'Propose this value')
  await expectText(hers.page, 'Value 20 → 30')
  await page.reload()
  await expectText(page, 'Voided by an edit')
  await expectText(page, 'You have not looked at the value of NEW_KEY.')
  await press(page, 'Reveal values')
  await expectText(page, paste)
  await press(page, 'Approve')
  await expectText(page, 'Ready to apply')

  await hers.page.goto('/o/acme')
  await hers.page.getByRole('link', { name: '“Larger pages” is approved and waits until you apply it' }).click()
  await press(hers.page, 'Apply to prod')
  await hers.page.getByRole('dialog').getByRole('button', { name: 'Apply to prod' }).click()
  await expectText(hers.page, 'Applied')
  await hers.page.getByRole('link', { name: 'Undo this change…' }).click()
  const undo = hers.page.getByRole('dialog', { name: 'Undo revision 2' })
  await undo.getByText('Value 30 → 20').waitFor()
  await press(hers.page, 'Cancel')
  await press(hers.page, 'Undo revision 2…')
  await undo.getByText('Value 30 → 20').waitFor()
  await press(hers.page, 'Cancel')
  await expectText(hers.page, '’s change “Larger pages”')
  const { variables } = (await asOwner('plain', prod)) as { variables: readonly object[] }
  expect(variables).toContainEqual(expect.objectContaining({ name: 'PAGE_SIZE', value: '30' }))
  for (const each of [page, hers.page]) expect(await storageDump(each)).not.toContain(paste)
  expectClean(visit, app.url)
})

test('a copy to a stage that requires approval is proposed, and can be withdrawn', async () => {
  const { page } = await openPageAs(grace, browser, app.url)
  const entries = [{ kind: 'secret', name: 'ONLY_DEV', value: '1' }]
  await asOwner('write', { projectSlug: 'shop', stageSlug: 'dev', mode: 'upsert', entries, deletes: [] })
  await page.goto('/o/acme/p/shop')
  await page.getByRole('checkbox', { name: 'Select ONLY_DEV' }).check()
  await press(page, 'Copy to stage')
  await press(page, 'Propose 1 variable for prod')
  await page.getByRole('list', { name: 'Proposed variables' }).getByText('ONLY_DEV').waitFor()
  await page.getByRole('dialog').getByText('prod gets a secret of dev').waitFor()
  await field(page, 'Reason').fill('Needed in production')
  await page.getByRole('dialog').getByRole('button', { name: 'Propose 1 variable for prod' }).click()
  await page
    .getByRole('listitem')
    .filter({ hasText: /ONLY_DEV.*prod: Proposed/ })
    .waitFor()
  // What waits is not offered again.
  expect(await page.getByRole('checkbox', { name: 'Select ONLY_DEV' }).count()).toBe(0)
  await press(page, 'Show the change')
  await expectHeading(page, 'Needed in production')
  await press(page, 'Withdraw')
  await page.getByRole('dialog', { name: 'Withdraw this change?' }).waitFor()
  // The question names whose change it is.
  const { page: hers } = await openPageAs(app.owner, browser, app.url)
  await hers.goto(page.url())
  await press(hers, 'Withdraw for Grace')
  const question = hers.getByRole('dialog', { name: 'Withdraw the change that Grace proposed?' })
  await question.getByRole('button', { name: 'Withdraw' }).click()
  await expectText(hers, 'Withdrew the change')
  const { changes } = (await asOwner('changeList', { states: ['withdrawn'] })) as { changes: readonly object[] }
  expect(changes).toHaveLength(1)
})

test.runIf(isLong)('a description is proposed with a reason that is typed key by key', async () => {
  const { page } = await openPageAs(grace, browser, app.url)
  await page.goto('/o/acme/p/shop?variable=PAGE_SIZE&stage=prod')
  await press(page, 'Add a description')
  await field(page, 'Description').fill('Items of a page')
  await field(page, 'Reason').pressSequentially('So that others know')
  await press(page, 'Save to dev, propose for prod')
  await expectText(page, 'Proposed the change of PAGE_SIZE in prod')
  await press(page, 'Show the change')
  await expectHeading(page, 'So that others know')
})

test('a chance is proposed on the page of the roll, and applied by who may bypass approvals', async () => {
  const entries = [{ kind: 'ab_roll', name: 'CHECKOUT', valueA: '1', valueB: '2', chance: 0.1 }]
  await asOwner('stageProtect', { ...prod, isProtected: true, approvals: 0 })
  await asOwner('write', { ...prod, mode: 'upsert', entries, deletes: [] })
  await asOwner('stageProtect', { ...prod, isProtected: true, approvals: 1, bypassRole: 'releaser' })
  const hers = await openPageAs(grace, browser, app.url)
  await hers.page.goto('/o/acme/p/shop/roll?stage=prod&name=CHECKOUT')
  await press(hers.page, '50%')
  await field(hers.page, 'Reason').fill('Half of them')
  await press(hers.page, 'Propose for prod')
  await press(hers.page, 'Show the change')
  await expectHeading(hers.page, 'Half of them')
  await expect.poll(() => hers.page.getByRole('button', { name: 'Apply anyway…' }).count()).toBe(0)

  const { page } = await openPageAs(app.owner, browser, app.url)
  await page.goto('/o/acme/p/shop/roll?stage=prod&name=CHECKOUT')
  await page.getByRole('link', { name: 'Half of them' }).click()
  await press(page, 'Apply anyway…')
  await field(page, 'Reason').fill('Customers wait')
  await page.getByRole('dialog').getByRole('button', { name: 'Apply to prod' }).click()
  await expectText(page, 'Applied')
  await expectText(page, 'Applied the change of CHECKOUT to prod')
  await expectText(page, 'applied it without the required approvals')
  await expectText(page, 'Customers wait')
  await expectStill(page)
  expect(await axeViolations(page)).toEqual([])
  const { variables } = (await asOwner('digests', prod)) as { variables: readonly object[] }
  expect(variables).toContainEqual(expect.objectContaining({ name: 'CHECKOUT', chance: 0.5 }))
})

test('more changes than the service lists at once are all shown', async () => {
  const entries = [{ kind: 'secret', name: 'KEY', value: '1' }]
  const stages = ['one', 'two', 'three']
  for (const stageSlug of stages) await asOwner('write', { projectSlug: 'shop', stageSlug, mode: 'upsert', entries })
  for (let number = 1; number <= 101; number++) {
    const stageSlug = stages[number % stages.length]
    await asOwner('changePropose', { projectSlug: 'shop', stageSlug, reason: `Proposal ${number}`, entries })
  }
  const { page } = await openPageAs(app.owner, browser, app.url)
  await page.goto('/o/acme/changes')
  await page.getByRole('link', { name: 'Proposal 1', exact: true }).waitFor()
  await page.goto('/o/acme/changes?show=all')
  await page.getByRole('link', { name: 'Proposal 60', exact: true }).waitFor()
  await expect.poll(() => page.getByRole('link', { name: 'Proposal 40', exact: true }).count()).toBe(0)
  await press(page, 'Show older')
  await page.getByRole('link', { name: 'Proposal 40', exact: true }).waitFor()
})
