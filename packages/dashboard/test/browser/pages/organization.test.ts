/** Checks the pages of an organization, its members and settings, and the frame around all pages. */
import { beforeAll } from 'vitest'
import { at, closeDialog, expectGoodPages, usePages, type States, type Steps } from '../pages.ts'
import { field, press, signedIn } from '../steps.ts'

const { app, browser, changes } = usePages()

beforeAll(async () => {
  const token = await app.owner.token()
  const issuer = 'https://token.actions.githubusercontent.com'
  const claims = [{ name: 'repository_id', value: '424242' }]
  const place = { orgSlug: 'acme', projectSlug: 'shop' }
  await app.client.must(
    'trustCreate',
    { ...place, name: 'GitHub Actions 424242', issuer, claims, role: 'reader' },
    { token },
  )
  const hook = {
    orgSlug: 'acme',
    name: 'Deploys of the shop',
    url: 'https://127.0.0.1:1/rollkey',
    events: ['change.*'],
  }
  await app.client.must('hookCreate', { ...hook, within: { projectSlug: 'shop' } }, { token })
  const origins = ['https://shop.example.com']
  await app.client.must('keyCreate', { ...place, stageSlug: 'prod', name: 'Web shop', origins }, { token })
})

const pages: Record<string, Steps | States> = {
  'overview, a part that fails': async ({ page }) => {
    await page.route('**/v1/history/recent', (route) => route.abort())
    await page.goto('/o/acme')
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    await page.getByRole('list', { name: 'Rolls in progress' }).getByRole('link').first().waitFor()
    await page.unrouteAll()
  },
  changes: async (visit) => {
    await at('/o/acme/changes', 'Changes')(visit)
    await visit.page.getByRole('link', { name: 'Larger pages' }).waitFor()
  },
  'change under review': async (visit) => {
    await at(`/o/acme/changes/${changes.values}?project=rollouts&stage=prod`, 'Larger pages')(visit)
    await visit.page.getByText('Why 20?').waitFor()
  },
  'change that is a ramp': async (visit) => {
    await at(`/o/acme/changes/${changes.ramp}?project=rollouts&stage=prod`, 'Everyone')(visit)
    await visit.page.getByText('Europe/Berlin').first().waitFor()
  },
  'projects and their dialogs': {
    projects: async ({ page }) => {
      await page.goto('/o/acme/projects')
      await page.getByRole('main').getByRole('link', { name: 'shop' }).waitFor()
    },
    'projects, creating': async ({ page }) => {
      await press(page, 'New project')
      await page.getByRole('textbox', { name: 'Stage 3' }).waitFor()
    },
    'projects, searching': async ({ page }) => {
      await closeDialog(page)
      await page.getByRole('searchbox').fill('_')
      await page.getByText('3 variables', { exact: true }).waitFor()
    },
  },
  'members and their dialogs': {
    members: async ({ page }) => {
      await page.goto('/o/acme/members')
      await page.getByText('a-person-with-a-rather-long-address').first().waitFor()
    },
    'members, inviting': async ({ page }) => {
      await press(page, 'Invite')
      await field(page, 'Email').waitFor()
    },
    'members, removing': async ({ page }) => {
      await closeDialog(page)
      await page
        .getByRole('button', { name: /^Actions for/ })
        .first()
        .click()
      await page.getByRole('menuitem', { name: 'Remove' }).click()
      await page.getByRole('dialog').waitFor()
    },
    'members, access of one': async ({ page }) => {
      await closeDialog(page)
      await page.getByRole('button', { name: app.owner.email }).click()
      await page.getByText('shop/dev').waitFor()
    },
  },
  sessions: async ({ page }) => {
    await app.client.login(await app.owner.token())
    await page.goto('/o/acme/settings/sessions')
    await page.getByRole('switch', { name: 'Show everyone’s' }).click()
    await page.getByRole('columnheader', { name: 'Person' }).waitFor({ state: 'attached' })
  },
  'service tokens and a new one': {
    'service tokens': async ({ page }) => {
      const token = {
        orgSlug: 'acme',
        name: 'CI of the shop',
        projectSlug: 'shop',
        stageSlug: 'staging',
        readOnly: true,
      }
      await app.client.must('tokenCreate', token, { token: await app.owner.token() })
      await page.goto('/o/acme/settings/tokens')
      await page.getByText('CI of the shop').first().waitFor()
    },
    'service tokens, a new one': async ({ page }) => {
      await press(page, 'New token')
      await press(page, 'Create token')
      await page.getByText('Choose a project.').waitFor()
    },
  },
  'trusts, one that refuses a token': async ({ page }) => {
    await page.goto('/o/acme/settings/trusts')
    await press(page, 'New trust')
    await press(page, 'Create trust')
    await page.getByText('Fill this in.').waitFor()
    await field(page, 'Id of the repository').fill('515151')
    await page.getByLabel('Scope').selectOption('One project')
    await page.getByLabel('Project', { exact: true }).selectOption('shop')
    await press(page, 'Create trust')
    await page.getByRole('dialog', { name: 'GitHub Actions 515151' }).waitFor()
    await field(page, 'Token').fill('not.a.token')
    await press(page, 'Compare')
    await page.getByRole('list', { name: 'Result' }).waitFor()
  },
  'client keys and a new one': {
    'client keys': async ({ page }) => {
      await page.goto('/o/acme/settings/keys')
      await page.getByText('https://shop.example.com').first().waitFor()
    },
    'client keys, creating one': async ({ page }) => {
      await press(page, 'New client key')
      await press(page, 'Create client key')
      await page.getByText('Enter at least one origin').waitFor()
    },
    'client keys, one to use': async ({ page }) => {
      await field(page, 'Name').fill('Another shop')
      await page.getByLabel('Project', { exact: true }).selectOption('shop')
      await page.getByLabel('Stage', { exact: true }).selectOption('prod')
      await field(page, 'Origins').fill('https://shop.example.com')
      await press(page, 'Create client key')
      await page.getByRole('dialog', { name: 'Another shop' }).getByText('OFREPWebProvider').first().waitFor()
    },
  },
  'trusts, changing one': async ({ page }) => {
    await page.goto('/o/acme/settings/trusts')
    await page
      .getByRole('button', { name: /^GitHub Actions 424242/ })
      .first()
      .click()
    await press(page, 'Edit')
    await field(page, 'Issuer').waitFor()
  },
  trusts: async ({ page }) => {
    await page.goto('/o/acme/settings/trusts')
    await page.getByText('repository_id=424242').first().waitFor()
  },
  'webhooks and one of them': {
    webhooks: async ({ page }) => {
      await page.goto('/o/acme/settings/webhooks')
      await page.getByRole('button', { name: /^Deploys of the shop/ }).waitFor()
    },
    'webhooks, one that fails': async ({ page }) => {
      await page.getByRole('button', { name: /^Deploys of the shop/ }).click()
      await press(page, 'Send a test')
      await page.getByRole('alert').waitFor()
      await page.getByRole('list', { name: 'Last messages' }).waitFor()
    },
    'webhooks, a new one': async ({ page }) => {
      await closeDialog(page)
      await press(page, 'New webhook')
      await page.getByLabel('Events').selectOption('Selected events')
      await press(page, 'Create webhook')
      await page.getByText('Select at least one event.').waitFor()
      await page.getByRole('checkbox', { name: 'All about ramps' }).check()
    },
  },
  'sign-in rules': async ({ page }) => {
    await page.goto('/o/acme/settings/sign-in')
    await page.getByText('This needs a company sign-in.').waitFor()
  },
  'CLI session, confirming': async ({ page }) => {
    await app.client.login(await app.owner.token())
    const token = await app.owner.token()
    const { sessions } = await app.client.must('sessionList', { orgSlug: 'acme' }, { token })
    await page.goto(`/o/acme/confirm/${(sessions as { id: string }[])[0]?.id}`)
    await page.getByRole('button', { name: 'Confirm session' }).waitFor()
  },
  'settings of the organization and its deletion': {
    'settings of the organization': async ({ page }) => {
      await page.goto('/o/acme/settings')
      await page.getByRole('switch').waitFor()
    },
    'settings, deleting the organization': async ({ page }) => {
      await press(page, 'Delete organization…')
      await page.getByRole('dialog').waitFor()
    },
  },
  account: async ({ page }) => {
    await page.goto('/o/acme/account')
    await page.getByText('This browser').waitFor()
  },
  organizations: at('/organizations', 'Organizations'),
  'not a member': at('/o/elsewhere/p/shop', 'You are not a member of “elsewhere”'),
}

/** Dialogs of the frame around all pages. */
const frame: Record<string, Steps> = {
  palette: async ({ page }) => {
    await page.goto('/o/acme/members')
    await page.getByRole('button', { name: /^Search/ }).click()
    await page.getByRole('dialog').getByRole('combobox').fill('checkout')
    await page.getByRole('option', { name: /^CHECKOUT_FLOW/ }).waitFor()
  },
  'keyboard shortcuts': async ({ page }) => {
    await page.goto('/o/acme/members')
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  },
}

expectGoodPages('of an organization', { ...pages, ...frame }, () => signedIn(browser, app.url, app.owner))
