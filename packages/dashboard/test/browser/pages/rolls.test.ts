/** Checks the pages of rolls, usage, the audit log and access. */
import { expect } from 'vitest'
import { at, expectGoodPages, usePages, type States, type Steps } from '../pages.ts'
import { field, press, signedIn } from '../steps.ts'

const { app, browser } = usePages()

const pages: Record<string, Steps | States> = {
  'rolls and a stop': {
    rolls: async ({ page }) => {
      await page.goto('/o/acme/rolls')
      await page.getByText('4 rolls, those that need a look first').waitFor()
      // A head shows that it sorts, also without the mouse on it.
      const sign = `document.querySelector('th[aria-sort=none] .icon')`
      expect(await page.evaluate(`getComputedStyle(${sign}).opacity`)).toBe('1')
    },
    'rolls, stopping': async ({ page }) => {
      await press(page, 'Stop CHECKOUT_FLOW in prod')
      await page.getByRole('dialog').waitFor()
    },
  },
  'rolls, filtered': async ({ page }) => {
    await page.goto('/o/acme/rolls?production=yes&progress=partial&sort=-chance')
    await page.locator('th[aria-sort=descending]').waitFor()
    expect(await page.getByText('need a look first').count()).toBe(0)
    await press(page, 'Actions of CHECKOUT_FLOW in prod')
    await page.getByRole('menuitem', { name: 'Change chance' }).waitFor()
  },
  'rolls, no match': async ({ page }) => {
    await page.goto('/o/acme/rolls?search=nothing')
    await page.getByText('No rolls match').waitFor()
  },
  'rolls, changing a chance': async ({ page }) => {
    await page.goto('/o/acme/rolls?change=shop/prod/CHECKOUT_FLOW')
    await page.getByRole('dialog').getByRole('button', { name: '25%' }).click()
  },
  'rollout, pins': async ({ page }) => {
    await page.goto('/o/acme/p/shop/roll?stage=prod&name=CHECKOUT_FLOW')
    await press(page, 'Edit pins')
    await field(page, 'Seeds that get A').fill('ada@example.com\ngrace@example.com')
    await field(page, 'Seeds that get B').fill('ada@example.com')
    await page.getByText('Line 1 is among the seeds that get A, too.').waitFor()
  },
  'rollout, rules': async ({ page }) => {
    await page.goto('/o/acme/p/shop/roll?stage=prod&name=CHECKOUT_FLOW')
    await press(page, 'Edit rules')
    await press(page, 'Add rule')
    await field(page, 'Attribute, rule 1').fill('plan')
    await field(page, 'Values, rule 1').fill('pro, team')
    await press(page, 'Add condition to rule 1')
    await page.getByRole('textbox', { name: 'Attribute, rule 1' }).last().fill('appVersion')
    await page.getByRole('combobox', { name: 'Operator, rule 1' }).last().selectOption('version in')
    await page.getByRole('textbox', { name: 'Values, rule 1' }).last().fill('>=2.3.0')
    await press(page, 'Add rule')
    await page.getByRole('radiogroup', { name: 'Then, rule 2' }).getByText('Chance').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Save to prod' }).click()
    await page.getByText('Name an attribute, such as plan.').waitFor()
    await field(page, 'Attribute, rule 2').fill('country')
    await field(page, 'Values, rule 2').fill('CH, LI')
    await field(page, 'Sample contexts').fill('{"plan": "pro", "appVersion": "2.4.0"}\n{"country": "CH"}\n{}')
    await page.getByText(/^Of 1,000 sample users, /).waitFor()
  },
  'rollout, missing in a stage': async ({ page }) => {
    const body = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'qa', name: 'qa' }
    await app.client.call('stageCreate', body, { token: await app.owner.token() })
    await page.goto('/o/acme/p/shop/roll?stage=qa&name=CHECKOUT_FLOW')
    await page.getByText('CHECKOUT_FLOW is missing in qa').waitFor()
  },
  'rollout, not found': at('/o/acme/p/shop/roll?stage=prod&name=NONE', 'Roll not found'),
  usage: async ({ page }) => {
    await page.goto('/o/acme/usage')
    await page.getByRole('img', { name: 'Evaluations by day' }).waitFor()
    await page.getByText('Show the figures').click()
  },
  'audit log, choosing dates': async ({ page }) => {
    await page.goto('/o/acme/audit')
    await press(page, 'Dates')
    await press(page, 'Last 7 days')
    await page.getByRole('button', { name: 'Dates: since' }).waitFor()
  },
  'audit log, nothing found': async ({ page }) => {
    await page.goto('/o/acme/audit?person=no-one&from=2026-01-01')
    await page.getByText('No entries match the filters').waitFor()
  },
  'usage, by credential': async ({ page }) => {
    await page.goto('/o/acme/usage/callers')
    await page.getByRole('cell', { name: 'shop / prod' }).waitFor()
  },
  'access, granting': async ({ page }) => {
    await page.goto('/o/acme/p/shop/access')
    await press(page, 'Grant access')
    await page.getByRole('combobox', { name: 'Who' }).fill('call')
    await page.getByRole('option', { name: 'On call' }).click()
    await page.getByLabel('Where').selectOption({ label: 'staging' })
    await page.getByText('developer, granted on shop/staging').waitFor()
  },
  'access, explaining': async ({ page }) => {
    await page.goto('/o/acme/p/shop/access')
    await press(page, 'Explain')
    await page.getByRole('combobox', { name: 'Who' }).fill('ada')
    await page.getByRole('option', { name: /^Ada/ }).click()
    await page.getByLabel('Where').selectOption({ label: 'staging' })
    await page.getByText('lets them see names and manage access').waitFor()
  },
  'access, protecting a stage': async ({ page }) => {
    await page.goto('/o/acme/p/shop/access')
    await press(page, 'prod, actions')
    await page.getByRole('menuitem', { name: 'Protect prod…' }).click()
    await page.getByText('Every other member').waitFor()
  },
  'access, not allowed': async ({ page }) => {
    await page.route('**/v1/whoami', async (route) => {
      const answer = await route.fetch()
      const body = (await answer.json()) as object
      await route.fulfill({ response: answer, json: { ...body, role: 'member', verbs: [{ verbs: ['list'] }] } })
    })
    await page.goto('/o/acme/p/shop/access')
    await page.getByText('You don’t have permission to see who has access').waitFor()
    await page.unrouteAll()
  },
  'earlier access': async ({ page }) => {
    await page.goto('/o/acme/p/shop/access/holders?stage=staging')
    await page.getByRole('table').getByText('On call').first().waitFor()
  },
  'access in the organization': async ({ page }) => {
    await page.goto('/o/acme/members/access')
    await page.getByRole('table').getByText('On call').first().waitFor()
  },
  'groups and one of them': {
    groups: async ({ page }) => {
      await page.goto('/o/acme/members/groups')
      await page.getByRole('button', { name: 'On call' }).waitFor()
    },
    'groups, one of them': async ({ page }) => {
      await press(page, 'On call')
      await page.getByText('shop/staging').waitFor()
    },
  },
  'roles and one of them': {
    roles: async ({ page }) => {
      await page.goto('/o/acme/members/roles')
      await page.getByRole('button', { name: 'auditor' }).waitFor()
    },
    'roles, one of them': async ({ page }) => {
      await press(page, 'auditor')
      await page.getByRole('checkbox', { name: 'manage' }).waitFor()
    },
  },
}

expectGoodPages('of rolls and access', pages, () => signedIn(browser, app.url, app.owner))
