/** Checks the pages for people who are not signed in, who connect a device, or whose organization is empty. */
import { invitation, invite } from '../../../../server/testkit/person.ts'
import { webClientId } from '../../../../server/testkit/provider.ts'
import { useTestEnv } from '../../../../server/testkit/test-env.ts'
import { at, expectGoodPages, reviewing, usePages, type Steps } from '../pages.ts'
import { press, signedIn } from '../steps.ts'

const { app, browser } = usePages()
const external = useTestEnv({ IDP_CLIENT_ID: webClientId })

const strangers: Record<string, Steps> = {
  'sign-up': at('/sign-up', /account/i),
  'setup that is over': async (visit) => {
    await at('/setup#token=x', 'Set up Rollkey')(visit)
    await visit.page.getByText('This Rollkey is set up').waitFor()
  },
  invitation: async (visit) => {
    const id = await invitation(app.owner, `someone-${crypto.randomUUID()}@example.com`)
    await at(`/invitation#id=${id}`, 'Join Acme Inc.')(visit)
  },
  'invitation that is over': async (visit) => {
    await visit.page.goto('/invitation#id=x')
    await visit.page.getByText(/link/).first().waitFor()
    await visit.page.getByRole('link', { name: 'Sign in' }).waitFor()
  },
  'new password': async (visit) => {
    const person = await invite(app.owner)
    await app.client.login(await person.token())
    const { members: all } = (await app.owner.get('/organization/list-members')).body as unknown as {
      members: { id: string; user: { email: string } }[]
    }
    const memberId = all.find(({ user }) => user.email === person.email)?.id
    const { url: link } = (await app.owner.must('/links/reset', { memberId })) as { url: string }
    await visit.page.goto(`/reset${new URL(link).hash}`)
    await visit.page.getByRole('checkbox').waitFor()
  },
  'new password, link over': at('/reset#token=x', 'Set a new password'),
  'no such page': at('/nowhere', /not|no/i),
}

const devices: Record<string, Steps> = {
  device: at('/device', 'Connect a device'),
  'device, deciding': reviewing(app),
  'device, approved': async (visit) => {
    await reviewing(app)(visit)
    await press(visit.page, 'Approve')
    await visit.page.getByText('You can close this tab').waitFor()
  },
  'device, unknown code': at('/device#user_code=ABCDEFGH', 'Code not found'),
}

const membersOfTwo: Record<string, Steps> = {
  'overview, first steps': async ({ page }) => {
    await page.goto('/o/another')
    await page.getByRole('button', { name: /^Install the CLI/ }).click()
    await page.getByRole('link', { name: 'Enter a code' }).waitFor()
  },
  'overview, empty organization': async ({ page }) => {
    await page.goto('/o/another')
    await page.getByText('0 of 5 done').waitFor()
  },
}

const outsiders: Record<string, Steps> = {
  'external, invitation': at('/invitation', 'Invitation'),
  'external, sign-in that was not started': at('/auth/callback?code=x&state=y', 'The sign-in didn’t finish'),
}

expectGoodPages('for strangers', strangers, () => browser.newPage({ baseUrl: app.url }))
expectGoodPages('of devices', devices, () => signedIn(browser, app.url, app.owner))
expectGoodPages('for members of two organizations', membersOfTwo, async () => {
  const grace = await invite(app.owner)
  await grace.must('/organization/create', { name: 'Another', slug: 'another' })
  return signedIn(browser, app.url, grace)
})
expectGoodPages('with an external provider', outsiders, () => browser.newPage({ baseUrl: external.app.url }))
