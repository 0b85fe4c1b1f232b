/** Checks every page: axe reports nothing in light and dark mode, and a phone's width is enough. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeViolations, screenshot, type TestPage } from '../../../server/testkit/browser.ts'
import { useEmbeddedApp } from '../../../server/testkit/embedded.ts'
import { isLong } from '../../../server/testkit/long.ts'
import { invitation, invite } from '../../../server/testkit/person.ts'
import { webClientId } from '../../../server/testkit/provider.ts'
import { expectClean, expectStill, field, openPage, press, reveal, saveButton, signedIn, useBrowser } from './steps.ts'
import { useTestEnv } from '../../../server/testkit/test-env.ts'

const browser = useBrowser()
const embedded = useEmbeddedApp({ SIGN_UP: 'open' })
const external = useTestEnv({ IDP_CLIENT_ID: webClientId })

beforeAll(async () => {
  await invite(embedded.owner)
  await invite(embedded.owner, 'admin')
  await invitation(embedded.owner, 'a-person-with-a-rather-long-address@subdomain.example.com')
  await fill('shop')
  await grant('shop')
  await propose('rollouts')
})

/** Creates a group and a role, and grants the group access to a stage. */
async function grant(projectSlug: string): Promise<void> {
  const must = async (endpoint: 'groupCreate' | 'groupMembers' | 'roleSet' | 'accessGrant', body: object) =>
    embedded.client.must(endpoint, { orgSlug: 'acme', ...body }, { token: await embedded.owner.token() })
  const { id } = await must('groupCreate', { name: 'On call' })
  const owner = { kind: 'user', id: await embedded.owner.id() }
  await must('groupMembers', { id, add: [owner, { kind: 'email', id: 'someone-invited@example.com' }] })
  await must('roleSet', { name: 'auditor', verbs: ['list', 'manage'] })
  const expiresAtMs = Date.now() + 30 * 86_400_000
  await must('accessGrant', { principal: { kind: 'group', id }, projectSlug, stageSlug: 'staging', role: 'developer' })
  await must('accessGrant', { principal: owner, projectSlug, stageSlug: 'dev', role: 'maintainer', expiresAtMs })
}

/** Creates a project whose stages differ. */
async function fill(projectSlug: string): Promise<void> {
  const roll = { kind: 'ab_roll', name: 'CHECKOUT_FLOW', declaredType: 'string', valueA: 'new', valueB: 'old' }
  const url = { kind: 'secret', name: 'DATABASE_URL', value: 'postgres://localhost/shop' }
  const key = { kind: 'secret', name: `PAYMENT_${'LONG_'.repeat(12)}KEY`, value: 'k' }
  const write = async (stageSlug: string, ...entries: object[]): Promise<void> => {
    const body = { orgSlug: 'acme', projectSlug, stageSlug, mode: 'upsert', entries }
    await embedded.client.must('write', body, { token: await embedded.owner.token() })
  }
  await write(
    'dev',
    url,
    { ...roll, chance: 0.5 },
    { kind: 'secret', name: 'DEBUG', declaredType: 'boolean', value: 'true' },
  )
  await write('staging', url, { ...roll, chance: 0.5 }, key)
  await write('prod', { ...url, value: 'postgres://db.internal/shop' }, { ...roll, chance: 0.05 })
  await write('prod', { ...roll, chance: 0.1 }, key)
  const entries = Array.from({ length: 200 }, (_, seed) => ({ name: roll.name, seed: String(seed) }))
  const body = { orgSlug: 'acme', projectSlug, stageSlug: 'prod', entries }
  await embedded.client.must('evaluateBatch', body, { token: await embedded.owner.token() })
}

/** Ids of proposed changes by what they are. */
const changeIds = { values: '', ramp: '' }

/** Proposes values and a ramp for a stage that requires an approval. */
async function propose(projectSlug: string): Promise<void> {
  const place = { orgSlug: 'acme', projectSlug, stageSlug: 'prod' }
  const must = async (endpoint: Parameters<typeof embedded.client.must>[0], body: object) =>
    embedded.client.must(endpoint, { ...place, ...body }, { token: await embedded.owner.token() })
  const limit = { kind: 'secret', name: 'LIMIT', value: '10', exposure: 'plain' }
  const flow = { kind: 'ab_roll', name: 'FLOW', valueA: 'new', valueB: 'old', chance: 0.05 }
  await must('write', { mode: 'upsert', entries: [limit, flow] })
  await must('accessGrant', { principal: { kind: 'user', id: await embedded.owner.id() }, role: 'releaser' })
  await must('stageProtect', { isProtected: true, approvals: 1 })
  const { id, digest } = await must('changePropose', { reason: 'Larger pages', entries: [{ ...limit, value: '20' }] })
  await must('changeReview', { id, digest, verdict: 'reject', comment: 'Why 20?' })
  const dayMs = 86_400_000
  const steps = [0.1, 0.5, 1].map((chance, day) => ({ atMs: Date.now() + (day + 1) * dayMs, chance }))
  const ramp = { name: 'FLOW', steps, guard: { onMisfit: 'hold' } }
  changeIds.ramp = (await must('changePropose', { reason: 'Everyone', ramp, zone: 'Europe/Berlin' })).id
  changeIds.values = id
}

type Steps = (visit: TestPage) => Promise<void>

function at(path: string, heading: string | RegExp): Steps {
  return async ({ page }) => {
    await page.goto(path)
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  }
}

/** Opens the device page with a pending code. */
const reviewing: Steps = async ({ page }) => {
  const { userCode } = await embedded.client.must('deviceStart', { clientName: 'ada’s laptop (build server 7)' })
  await page.goto(`/device#user_code=${userCode}`)
  await page.getByRole('button', { name: 'Approve' }).waitFor()
}

const strangers: Record<string, Steps> = {
  'sign-in': at('/sign-in', 'Sign in'),
  'sign-up': at('/sign-up', /account/i),
  setup: at('/setup#token=x', 'Set up Rollkey'),
  'setup without a token': at('/setup', 'Set up Rollkey'),
  'setup, refused': async (visit) => {
    await at('/setup#token=x', 'Set up Rollkey')(visit)
    await press(visit.page, 'Create account and organization')
    await visit.page.getByText(/enter/i).first().waitFor()
  },
  invitation: async (visit) => {
    const id = await invitation(embedded.owner, `someone-${crypto.randomUUID()}@example.com`)
    await at(`/invitation#id=${id}`, 'Join Acme Inc.')(visit)
  },
  'invitation that is over': async (visit) => {
    await visit.page.goto('/invitation#id=x')
    await visit.page.getByText(/link/).first().waitFor()
    await visit.page.getByRole('link', { name: 'Sign in' }).waitFor()
  },
  'new password': async (visit) => {
    const person = await invite(embedded.owner)
    await embedded.client.login(await person.token())
    const { members: all } = (await embedded.owner.get('/organization/list-members')).body as unknown as {
      members: { id: string; user: { email: string } }[]
    }
    const memberId = all.find(({ user }) => user.email === person.email)?.id
    const { url: link } = (await embedded.owner.must('/links/reset', { memberId })) as { url: string }
    await visit.page.goto(`/reset${new URL(link).hash}`)
    await visit.page.getByRole('checkbox').waitFor()
  },
  'new password, link over': at('/reset#token=x', 'Set a new password'),
  'no such page': at('/nowhere', /not|no/i),
}

/** Opens the drawer of a cell of the project. */
function opened(cell: RegExp, more: Steps = async () => {}): Steps {
  return async (visit) => {
    await visit.page.goto('/o/acme/p/shop')
    await visit.page.getByRole('gridcell').getByRole('button', { name: cell }).click()
    await visit.page.getByRole('dialog').waitFor()
    await more(visit)
  }
}

const members: Record<string, Steps> = {
  overview: async ({ page }) => {
    await page.goto('/o/acme')
    await page.getByRole('list', { name: 'Needs attention' }).getByRole('link').first().waitFor()
    await page.getByRole('list', { name: 'Recent changes' }).getByRole('link').first().waitFor()
    await page.getByRole('list', { name: 'Rolls in progress' }).getByRole('link').first().waitFor()
    await page.getByRole('img', { name: /^Evaluations/ }).waitFor()
  },
  'overview, a part that fails': async ({ page }) => {
    await page.route('**/v1/history/recent', (route) => route.abort())
    await page.goto('/o/acme')
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    await page.getByRole('list', { name: 'Rolls in progress' }).getByRole('link').first().waitFor()
    await page.unrouteAll()
  },
  'overview, first steps': async ({ page }) => {
    await page.goto('/o/acme')
    await page.getByRole('button', { name: /^Install the CLI/ }).click()
    await page.getByRole('link', { name: 'Enter a code' }).waitFor()
  },
  changes: async (visit) => {
    await at('/o/acme/changes', 'Changes')(visit)
    await visit.page.getByRole('link', { name: 'Larger pages' }).waitFor()
  },
  'change under review': async (visit) => {
    await at(`/o/acme/changes/${changeIds.values}?project=rollouts&stage=prod`, 'Larger pages')(visit)
    await visit.page.getByText('Why 20?').waitFor()
  },
  'change that is a ramp': async (visit) => {
    await at(`/o/acme/changes/${changeIds.ramp}?project=rollouts&stage=prod`, 'Everyone')(visit)
    await visit.page.getByText('Europe/Berlin').first().waitFor()
  },
  'approvals and freezes': async ({ page }) => {
    await page.goto('/o/acme/p/rollouts')
    await page.getByRole('button', { name: /^prod\b.*actions$/ }).click()
    await page.getByRole('menuitem', { name: 'Approvals and freezes…' }).click()
    await press(page, 'Add a freeze')
    await page.getByRole('group', { name: 'Freeze 1' }).waitFor()
  },
  'approvals and freezes, not protected': async ({ page }) => {
    await page.goto('/o/acme/p/shop')
    await press(page, 'dev, actions')
    await page.getByRole('menuitem', { name: 'Approvals and freezes…' }).click()
    await page.getByRole('button', { name: 'Protect dev' }).waitFor()
  },
  projects: async ({ page }) => {
    await page.goto('/o/acme/projects')
    await page.getByRole('main').getByRole('link', { name: 'shop' }).waitFor()
  },
  'projects, searching': async ({ page }) => {
    await page.goto('/o/acme/projects')
    await page.getByRole('searchbox').fill('_')
    await page.getByText('3 variables', { exact: true }).waitFor()
  },
  project: async ({ page }) => {
    await page.goto('/o/acme/p/shop')
    await page.getByRole('gridcell').first().waitFor()
  },
  'project, menu of a stage': async ({ page }) => {
    await page.goto('/o/acme/p/shop')
    await press(page, 'prod Production, actions')
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
  },
  'project, renaming a stage': async ({ page }) => {
    await page.goto('/o/acme/p/shop')
    await press(page, 'prod Production, actions')
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await field(page, 'Name').waitFor()
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
  'project, deleting': async ({ page }) => {
    await page.goto('/o/acme/p/shop')
    await press(page, 'More')
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog', { name: 'Delete shop?' }).waitFor()
  },
  'projects, creating': async ({ page }) => {
    await page.goto('/o/acme/projects')
    await press(page, 'New project')
    await page.getByRole('textbox', { name: 'Stage 3' }).waitFor()
  },
  'project, legend': async ({ page }) => {
    await page.goto('/o/acme/p/shop')
    await press(page, 'Legend')
    await page.getByRole('dialog', { name: 'Legend' }).waitFor()
  },
  'project, pasting': async ({ page }) => {
    await page.goto('/o/acme/p/shop')
    await press(page, 'Paste .env')
    await field(page, 'Contents of the file').fill('DATABASE_URL=x\nCHECKOUT_FLOW=y\nNEW=z\n')
    await page.getByRole('button', { name: 'Review 3 changes' }).waitFor()
  },
  'project, pasting wrong lines': async ({ page }) => {
    await page.goto('/o/acme/p/shop')
    await press(page, 'Paste .env')
    await field(page, 'Contents of the file').fill('A=1\nnonsense\nmy.key=1\nDEBUG=perhaps\n')
    await page.getByText('3 lines need attention').waitFor()
  },
  'project, reviewing': async ({ page }) => {
    await page.goto('/o/acme/p/shop')
    await page.getByRole('checkbox', { name: 'Select DEBUG' }).check()
    await press(page, 'Delete')
    await page.getByRole('menuitem', { name: 'Delete 1 from dev' }).click()
    await press(page, 'Close')
    await press(page, 'Paste .env')
    await page.getByRole('dialog').locator('label', { hasText: 'prod' }).click()
    await field(page, 'Contents of the file').fill(`DATABASE_URL=x\nCHECKOUT_FLOW=y\n${'LONG_'.repeat(12)}NEW=z\n`)
    await press(page, 'Review 6 changes')
    await press(page, 'Show new value of DATABASE_URL in prod')
  },
  'project, selecting with changes': async ({ page }) => {
    await page.goto('/o/acme/p/shop')
    await press(page, 'Paste .env')
    await field(page, 'Contents of the file').fill('DATABASE_URL=x\nCHECKOUT_FLOW=y\nNEW=z\n')
    await press(page, 'Review 3 changes')
    await page.getByRole('dialog', { name: 'Review changes' }).getByRole('button', { name: 'Close' }).click()
    await page.getByRole('checkbox', { name: 'Select DEBUG' }).check()
  },
  'project, copying': async ({ page }) => {
    await page.goto('/o/acme/p/shop')
    await press(page, 'More')
    await page.getByRole('menuitem', { name: 'Copy to stage' }).click()
    await page.getByLabel('To', { exact: true }).selectOption('prod')
    await page.getByRole('checkbox', { name: 'All 3' }).check()
  },
  'project, history': async ({ page }) => {
    await page.goto('/o/acme/p/shop/history?stage=prod&change=updated')
    await page.getByText('set the chance').or(page.getByText('changed')).first().waitFor()
  },
  'project, history, details': async ({ page }) => {
    await page.goto('/o/acme/p/shop/history?stage=prod&revision=2')
    await page.getByRole('button', { name: 'Restore to this revision' }).or(page.getByText('still as it was')).waitFor()
    await page.getByRole('img', { name: /^Chance of A after/ }).waitFor()
  },
  'project, history, nothing found': async ({ page }) => {
    await page.goto('/o/acme/p/shop/history?stage=prod&name=NOTHING')
    await page.getByText('never changed').waitFor()
  },
  'project, restoring': async ({ page }) => {
    await page.goto('/o/acme/p/shop/history?stage=prod&revision=1')
    await press(page, 'Restore to this revision')
    await page.getByText('Restoring creates a new revision').waitFor()
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
  rolls: async ({ page }) => {
    await page.goto('/o/acme/rolls')
    await page.getByText('4 rolls').waitFor()
  },
  'rolls, filtered': async ({ page }) => {
    await page.goto('/o/acme/rolls?production=yes&progress=partial&sort=-chance')
    await press(page, 'Actions of CHECKOUT_FLOW in prod')
    await page.getByRole('menuitem', { name: 'Change chance' }).waitFor()
  },
  'rolls, no match': async ({ page }) => {
    await page.goto('/o/acme/rolls?search=nothing')
    await page.getByText('No rolls match').waitFor()
  },
  'rolls, stopping': async ({ page }) => {
    await page.goto('/o/acme/rolls')
    await press(page, 'Stop CHECKOUT_FLOW in prod')
    await page.getByRole('dialog').waitFor()
  },
  'rolls, changing a chance': async ({ page }) => {
    await page.goto('/o/acme/rolls?change=shop/prod/CHECKOUT_FLOW')
    await page.getByRole('dialog').getByRole('button', { name: '25 %' }).click()
  },
  rollout: async ({ page }) => {
    await page.goto('/o/acme/p/shop/roll?stage=prod&name=CHECKOUT_FLOW')
    await field(page, 'Seed').fill('user_abc123')
    await page.getByRole('img', { name: /^A and B served/ }).waitFor()
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
    await embedded.client.call('stageCreate', body, { token: await embedded.owner.token() })
    await page.goto('/o/acme/p/shop/roll?stage=qa&name=CHECKOUT_FLOW')
    await page.getByText('CHECKOUT_FLOW is missing in qa').waitFor()
  },
  'rollout, not found': at('/o/acme/p/shop/roll?stage=prod&name=NONE', 'Roll not found'),
  usage: async ({ page }) => {
    await page.goto('/o/acme/usage')
    await page.getByRole('img', { name: 'Evaluations by day' }).waitFor()
    await page.getByText('Show the figures').click()
  },
  members: async ({ page }) => {
    await page.goto('/o/acme/members')
    await page.getByText('a-person-with-a-rather-long-address').first().waitFor()
  },
  'members, inviting': async ({ page }) => {
    await page.goto('/o/acme/members')
    await press(page, 'Invite')
    await field(page, 'Email').waitFor()
  },
  'members, removing': async ({ page }) => {
    await page.goto('/o/acme/members')
    await page
      .getByRole('button', { name: /^Actions for/ })
      .first()
      .click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await page.getByRole('dialog').waitFor()
  },
  sessions: async ({ page }) => {
    await embedded.client.login(await embedded.owner.token())
    await page.goto('/o/acme/settings/sessions')
    await page.getByRole('switch', { name: 'Show everyone’s' }).click()
    await page.getByRole('columnheader', { name: 'Person' }).waitFor({ state: 'attached' })
  },
  'service tokens': async ({ page }) => {
    const token = { orgSlug: 'acme', name: 'CI of the shop', projectSlug: 'shop', stageSlug: 'staging', readOnly: true }
    await embedded.client.must('tokenCreate', token, { token: await embedded.owner.token() })
    await page.goto('/o/acme/settings/tokens')
    await page.getByText('CI of the shop').first().waitFor()
  },
  'service tokens, a new one': async ({ page }) => {
    await page.goto('/o/acme/settings/tokens')
    await press(page, 'New token')
    await press(page, 'Create token')
    await page.getByText('Choose a project.').waitFor()
  },
  'trusts, one that refuses a token': async ({ page }) => {
    await page.goto('/o/acme/settings/trusts')
    await press(page, 'New trust')
    await press(page, 'Create trust')
    await page.getByText('Fill this in.').waitFor()
    await field(page, 'Id of the repository').fill('424242')
    await page.getByLabel('Scope').selectOption('One project')
    await page.getByLabel('Project', { exact: true }).selectOption('shop')
    await press(page, 'Create trust')
    await page.getByRole('dialog', { name: 'GitHub Actions 424242' }).waitFor()
    await field(page, 'Token').fill('not.a.token')
    await press(page, 'Compare')
    await page.getByRole('list', { name: 'Result' }).waitFor()
  },
  'client keys, one to use': async ({ page }) => {
    await page.goto('/o/acme/settings/keys')
    await press(page, 'New client key')
    await press(page, 'Create client key')
    await page.getByText('Enter at least one origin').waitFor()
    await field(page, 'Name').fill('Web shop')
    await page.getByLabel('Project', { exact: true }).selectOption('shop')
    await page.getByLabel('Stage', { exact: true }).selectOption('prod')
    await field(page, 'Origins').fill('https://shop.example.com')
    await press(page, 'Create client key')
    await page.getByRole('dialog', { name: 'Web shop' }).getByText('OFREPWebProvider').first().waitFor()
  },
  'client keys': async ({ page }) => {
    await page.goto('/o/acme/settings/keys')
    await page.getByText('https://shop.example.com').first().waitFor()
  },
  'client keys, creating one': async ({ page }) => {
    await page.goto('/o/acme/settings/keys')
    await press(page, 'New client key')
    await press(page, 'Create client key')
    await page.getByText('Enter at least one origin').waitFor()
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
  'sign-in rules': async ({ page }) => {
    await page.goto('/o/acme/settings/sign-in')
    await page.getByText('This needs a company sign-in.').waitFor()
  },
  'audit log': async ({ page }) => {
    await page.goto('/o/acme/audit')
    await page.locator('[data-entry]').first().click()
    await page.getByText('Actor ID', { exact: true }).waitFor()
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
  access: async ({ page }) => {
    await page.goto('/o/acme/p/shop/access')
    await page.getByRole('button', { name: /^On call in staging: developer/ }).waitFor()
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
    await page.getByText('gives list and manage').waitFor()
  },
  'access, protecting a stage': async ({ page }) => {
    await page.goto('/o/acme/p/shop/access')
    await press(page, 'prod, actions')
    await page.getByRole('menuitem', { name: 'Protect prod…' }).click()
    await page.getByText('Every member without a role granted on this very stage').waitFor()
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
  groups: async ({ page }) => {
    await page.goto('/o/acme/members/groups')
    await page.getByRole('button', { name: 'On call' }).waitFor()
  },
  'groups, one of them': async ({ page }) => {
    await page.goto('/o/acme/members/groups')
    await press(page, 'On call')
    await page.getByText('shop/staging').waitFor()
  },
  roles: async ({ page }) => {
    await page.goto('/o/acme/members/roles')
    await page.getByRole('button', { name: 'auditor' }).waitFor()
  },
  'roles, one of them': async ({ page }) => {
    await page.goto('/o/acme/members/roles')
    await press(page, 'auditor')
    await page.getByRole('checkbox', { name: 'manage' }).waitFor()
  },
  'members, access of one': async ({ page }) => {
    await page.goto('/o/acme/members')
    await page.getByRole('button', { name: embedded.owner.email }).click()
    await page.getByText('shop/dev').waitFor()
  },
  'CLI session, confirming': async ({ page }) => {
    await embedded.client.login(await embedded.owner.token())
    const token = await embedded.owner.token()
    const { sessions } = await embedded.client.must('sessionList', { orgSlug: 'acme' }, { token })
    await page.goto(`/o/acme/confirm/${(sessions as { id: string }[])[0]?.id}`)
    await page.getByRole('button', { name: 'Confirm session' }).waitFor()
  },
  'settings of the organization': async ({ page }) => {
    await page.goto('/o/acme/settings')
    await page.getByRole('switch').waitFor()
  },
  'settings, deleting the organization': async ({ page }) => {
    await page.goto('/o/acme/settings')
    await press(page, 'Delete organization…')
    await page.getByRole('dialog').waitFor()
  },
  account: async ({ page }) => {
    await page.goto('/o/acme/account')
    await page.getByText('This browser').waitFor()
  },
  organizations: at('/organizations', 'Organizations'),
  'not a member': at('/o/elsewhere/p/shop', 'You are not a member of “elsewhere”'),
  device: at('/device', 'Connect a device'),
  'device, deciding': reviewing,
  'device, approved': async (visit) => {
    await reviewing(visit)
    await press(visit.page, 'Approve')
    await visit.page.getByText('You can close this tab').waitFor()
  },
  'device, unknown code': at('/device#user_code=ABCDEFGH', 'Code not found'),
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

const membersOfTwo: Record<string, Steps> = {
  'overview, empty organization': async ({ page }) => {
    await page.goto('/o/another')
    await page.getByText('0 of 5 done').waitFor()
  },
  'device, choosing': async (visit) => {
    await reviewing(visit)
    await visit.page.getByRole('combobox', { name: 'Organization' }).waitFor()
  },
}

const outsiders: Record<string, Steps> = {
  'external, sign-in': at('/sign-in', 'Sign in'),
  'external, invitation': at('/invitation', 'Invitation'),
  'external, sign-in that was not started': at('/auth/callback?code=x&state=y', 'The sign-in didn’t finish'),
}

const isInHeader = `(() => {
  const header = document.querySelector('header')
  const { top, bottom } = header?.getBoundingClientRect() ?? {}
  return [...(header?.querySelectorAll('a, button') ?? [])].every((each) => {
    const at = each.getBoundingClientRect()
    return at.top >= top && at.bottom <= bottom
  })
})()`

const hasScreenshots = process.env['ROLLKEY_SCREENSHOTS'] !== undefined
const isThorough = isLong || hasScreenshots

type Look = readonly ['light' | 'dark', number]
const looks: readonly Look[] = [
  ['light', 1280],
  ['dark', 360],
]
const otherLooks: readonly Look[] = [
  ['dark', 1280],
  ['light', 360],
]
let pages = 0

/** Pages that `npm test` checks, one of each kind. Screenshots and the long tests cover the rest. */
const everyTime = [
  'overview',
  'sign-in',
  'external, sign-in',
  'device, choosing',
  'project, reviewing',
  'rollout',
  'audit log',
  'access',
]

/** Returns the looks to check. Without screenshots they alternate, because axe rarely finds a problem on one page only. */
function looksOfPage(): readonly Look[] {
  if (hasScreenshots) return [...looks, ...otherLooks]
  const isOdd = pages++ % 2
  if (isLong) return isOdd ? otherLooks : looks
  return looks.slice(isOdd, isOdd + 1)
}

async function expectGood({ page }: TestPage, name: string): Promise<void> {
  await expect.poll(() => page.title()).toMatch(/^.+ · Rollkey$/)
  await expect.poll(() => page.getByRole('heading', { level: 1 }).count()).toBe(1)
  for (const [colorScheme, width] of looksOfPage()) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 900 })
    await expectStill(page)
    await screenshot(page, `${name.replaceAll(/[^a-z]+/g, '-')}-${colorScheme}-${width}`)
    expect(await axeViolations(page), `${colorScheme}, ${width}`).toEqual([])
    await expectToFit(page, width)
  }
  for (const width of [1280, 2560, 360]) {
    await page.setViewportSize({ width, height: 900 })
    await expectToFit(page, width)
  }
}

async function expectToFit(page: Page, width: number): Promise<void> {
  // Open menus follow their buttons a moment after the window's size changed.
  await expect
    .poll(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth'), { message: `${width}` })
    .toBe(true)
  // The header has a fixed height, so a second row of items would be cut off.
  await expect.poll(() => page.evaluate(isInHeader), { message: `header, ${width}` }).toBe(true)
}

/** Checks pages in one visit, so that each page's time excludes another sign-in and an empty cache. */
function expectGoodPages(visitor: string, all: Record<string, Steps>, start: () => Promise<TestPage>): void {
  describe(`pages ${visitor}:`, () => {
    let visit: TestPage
    beforeAll(async () => {
      visit = await start()
    })
    afterAll(() => visit.close())

    test.each(Object.entries(all).filter(([name]) => isThorough || everyTime.includes(name)))(
      '%s is accessible in light and dark, wide and narrow',
      async (name, steps) => {
        // The next URL may differ only in its fragment, which would not reload the page.
        await visit.page.goto('about:blank')
        // The page before ended as narrow as a phone.
        await visit.page.setViewportSize({ width: 1280, height: 900 })
        await steps(visit)
        await expectGood(visit, name)
        expectClean(visit, new URL(visit.page.url()).origin)
      },
    )
  })
}

expectGoodPages('for strangers', strangers, () => browser.newPage({ baseUrl: embedded.url }))
expectGoodPages('for members', { ...members, ...frame }, () => signedIn(browser, embedded.url, embedded.owner))
expectGoodPages('for members of two organizations', membersOfTwo, async () => {
  const grace = await invite(embedded.owner)
  await grace.must('/organization/create', { name: 'Another', slug: 'another' })
  return signedIn(browser, embedded.url, grace)
})
expectGoodPages('with an external provider', outsiders, () => browser.newPage({ baseUrl: external.app.url }))

test('the first page needs less than 250 kB of compressed script', async () => {
  const visit = await openPage(browser, embedded.url)
  let bytes = 0
  visit.page.on('response', (response) => {
    if (response.request().resourceType() === 'script') bytes += Number(response.headers()['content-length'])
  })
  await at('/', 'Sign in')(visit)
  await visit.page.waitForLoadState('networkidle')
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes).toBeLessThan(250_000)
})
