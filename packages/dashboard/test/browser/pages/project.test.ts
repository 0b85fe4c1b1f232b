/** Checks the pages of a project, its stages and variables. */
import { beforeAll } from 'vitest'
import { closeDialog, expectGoodPages, usePages, type States, type Steps } from '../pages.ts'
import { field, press, reveal, saveButton, signedIn } from '../steps.ts'

const { app, browser } = usePages()

beforeAll(async () => {
  const dsn = { name: 'SENTRY_DSN', constraint: { format: 'uri' }, required: 'production', owner: 'Observability' }
  const body = { orgSlug: 'acme', projectSlug: 'shop', declarations: [{ ...dsn, rotateEveryDays: 90 }] }
  await app.client.must('declarationSet', body, { token: await app.owner.token() })
})

/** Opens the drawer of a cell of the project. */
function opened(cell: RegExp, more: Steps = async () => {}): Steps {
  return async (visit) => {
    await visit.page.goto('/o/acme/p/shop')
    await visit.page.getByRole('gridcell').getByRole('button', { name: cell }).click()
    await visit.page.getByRole('dialog').waitFor()
    await more(visit)
  }
}

const pages: Record<string, Steps | States> = {
  'protected stage and its rules': {
    'project, protected': async ({ page }) => {
      await page.goto('/o/acme/p/rollouts')
      await page.getByRole('gridcell').first().waitFor()
    },
    'approvals and freezes': async ({ page }) => {
      await page.getByRole('button', { name: /^prod\b.*actions$/ }).click()
      await page.getByRole('menuitem', { name: 'Approvals and freezes…' }).click()
      await press(page, 'Add a freeze')
      await page.getByRole('group', { name: 'Freeze 1' }).waitFor()
    },
  },
  'protecting a stage': async ({ page }) => {
    await page.goto('/o/acme/p/shop')
    await press(page, 'dev, actions')
    await page.getByRole('menuitem', { name: 'Protect dev…' }).click()
    await page.getByText('Every other member').waitFor()
    await page.getByText('Exceptions and freezes').click()
    await press(page, 'Add a freeze')
  },
  'project and its dialogs': {
    project: async ({ page }) => {
      await page.goto('/o/acme/p/shop')
      await page.getByRole('gridcell').first().waitFor()
    },
    'project, menu of a stage': async ({ page }) => {
      await press(page, 'prod Production, actions')
      await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
    },
    'project, renaming a stage': async ({ page }) => {
      await page.keyboard.press('Escape')
      await press(page, 'prod Production, actions')
      await page.getByRole('menuitem', { name: 'Rename' }).click()
      await field(page, 'Name').waitFor()
    },
    'project, legend': async ({ page }) => {
      await closeDialog(page)
      await press(page, 'Legend')
      await page.getByRole('dialog', { name: 'Legend' }).waitFor()
    },
    'project, deleting': async ({ page }) => {
      await closeDialog(page)
      await press(page, 'More')
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await page.getByRole('dialog', { name: 'Delete shop?' }).waitFor()
    },
    'project, copying': async ({ page }) => {
      await closeDialog(page)
      await press(page, 'More')
      await page.getByRole('menuitem', { name: 'Promote staging → prod' }).click()
      await page.getByRole('heading', { name: 'Compare stages' }).waitFor()
    },
  },
  'project, filtered': async ({ page }) => {
    await page.goto('/o/acme/p/shop?missing=prod')
    await press(page, 'View')
    await page.getByRole('menuitemradio', { name: 'Comfortable' }).click()
  },
  'project, no match': async ({ page }) => {
    await page.goto('/o/acme/p/shop?search=nothing')
    await page.getByText('No variables match').waitFor()
  },
  'project, comparing': async ({ page }) => {
    await page.goto('/o/acme/p/shop/compare?from=dev&to=prod')
    await page.getByRole('button', { name: 'Reveal DATABASE_URL in both stages' }).click()
    await page.getByRole('button', { name: 'Hide DATABASE_URL' }).waitFor()
  },
  'project with a pasted file': {
    'project, pasting': async ({ page }) => {
      await page.goto('/o/acme/p/shop')
      await press(page, 'Paste .env')
      await field(page, 'Contents of the file').fill('DATABASE_URL=x\nCHECKOUT_FLOW=y\nNEW=z\n')
      await page.getByRole('button', { name: 'Save 3 variables to dev' }).waitFor()
    },
    'project, pasting wrong lines': async ({ page }) => {
      await field(page, 'Contents of the file').fill('A=1\nnonsense\nmy.key=1\nDEBUG=perhaps\n')
      await page.getByText('3 lines need attention').waitFor()
    },
    'project, pasting without them': async ({ page }) => {
      await press(page, 'Skip these lines')
      await page.getByRole('button', { name: '1 looks harmless: make it visible' }).waitFor()
    },
  },
  'project, selecting with changes': async ({ page }) => {
    await page.goto('/o/acme/p/shop')
    await press(page, 'New variable')
    await field(page, 'Name').fill('NEW')
    await field(page, 'Value').fill('z')
    await press(page, 'Add to draft')
    await page.getByRole('checkbox', { name: 'Select DEBUG' }).check()
  },
  'what the project declares': {
    declared: async ({ page }) => {
      await page.goto('/o/acme/p/shop/declared')
      await page.getByRole('link', { name: 'Missing in prod' }).waitFor()
    },
    'declared, changing one': async ({ page }) => {
      await page.getByRole('button', { name: /^SENTRY_DSN/ }).click()
      await page.getByText('Constraints').click()
      await field(page, 'Example').fill('nowhere')
      await press(page, 'Save declaration')
      await page.getByText(/^This must be a URI/).waitFor()
    },
    'declared, importing': async ({ page }) => {
      await page.goto('/o/acme/p/shop/declared')
      await press(page, 'Import')
      await page
        .getByRole('textbox', { name: 'JSON Schema' })
        .fill('{ "properties": { "DEBUG": { "type": "integer" } } }')
      await press(page, 'Review')
      await page.getByText('Deletes the declarations of SENTRY_DSN').waitFor()
    },
    'declared, filling what is missing': async ({ page }) => {
      await page.goto('/o/acme/p/shop')
      await page.getByRole('button', { name: /^SENTRY_DSN in prod/ }).click()
      await page.getByText(/^Declared: it must be a URI/).waitFor()
    },
  },
  'project, history': async ({ page }) => {
    await page.goto('/o/acme/p/shop/history?stage=prod&change=updated')
    await page.getByText('set the chance').or(page.getByText('changed')).first().waitFor()
  },
  'project, history, details': async ({ page }) => {
    await page.goto('/o/acme/p/shop/history?stage=prod&revision=2')
    await page.getByRole('button', { name: 'Restore to here…' }).or(page.getByText('still as it was')).waitFor()
    await page.getByRole('img', { name: /^Chance of A after/ }).waitFor()
  },
  'project, history, nothing found': async ({ page }) => {
    await page.goto('/o/acme/p/shop/history?stage=prod&name=NOTHING')
    await page.getByText('never changed').waitFor()
  },
  'project, history, no such stage': async ({ page }) => {
    await page.goto('/o/acme/p/shop/history?stage=zzz')
    await page.getByText('has no stage with the slug zzz').waitFor()
  },
  'project, restoring': async ({ page }) => {
    await page.goto('/o/acme/p/shop/history?stage=prod&revision=1')
    await press(page, 'Restore to here…')
    await page.getByText(/This creates a new revision, so nothing is lost/).waitFor()
  },
  'variable, revealed roll': opened(/^CHECKOUT_FLOW in prod/, async ({ page }) => {
    await reveal(page)
    await page.getByText('Value B').first().waitFor()
  }),
  'variable, secret': opened(/^DATABASE_URL in prod/, async ({ page }) => {
    await page.getByText(/^Created by/).waitFor()
  }),
  'variable, missing': opened(/^DEBUG in prod/),
  'variable, not found': async ({ page }) => {
    await page.goto('/o/acme/p/shop?variable=NOWHERE&stage=dev')
    await page.getByText('This project has no variable NOWHERE').waitFor()
  },
  'variable, deleting': opened(/^DATABASE_URL in prod/, async ({ page }) => {
    await press(page, 'Delete')
    await page.getByRole('dialog', { name: 'Delete DATABASE_URL?' }).waitFor()
  }),
  'variable, new': async ({ page }) => {
    await page.goto('/o/acme/p/shop?stage=dev')
    await field(page, 'Name').fill('my.key')
    await page.getByRole('radiogroup', { name: 'Kind', exact: true }).getByText('A/B roll').click()
    await page.getByLabel('Type', { exact: true }).selectOption('')
    await page.getByRole('radiogroup', { name: 'Values' }).getByText('Per stage').click()
    await saveButton(page).click()
    await page.getByText('Enter a value.').first().waitFor()
  },
  'variable, editing': opened(/^DATABASE_URL in prod/, async ({ page }) => {
    await press(page, 'Edit')
    await page.getByRole('radiogroup', { name: 'Kind', exact: true }).getByText('A/B roll').click()
    await saveButton(page).click()
    await page.getByText('Enter a value.').first().waitFor()
  }),
  'variable, editing a boolean': opened(/^DEBUG in dev/, async ({ page }) => {
    await press(page, 'Edit')
    await page.getByText('Keep', { exact: true }).waitFor()
  }),
}

expectGoodPages('of a project', pages, () => signedIn(browser, app.url, app.owner))
