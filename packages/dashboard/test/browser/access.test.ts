/** Tests in the browser who may do what: the access page, protection, groups, roles, and what people do not see. */
import { beforeAll, describe, expect, test } from 'vitest'
import { screenshot } from '../../../server/testkit/browser.ts'
import { useEmbeddedApp } from '../../../server/testkit/embedded.ts'
import { isLong } from '../../../server/testkit/long.ts'
import { goodPassword, invite, type Person } from '../../../server/testkit/person.ts'
import { queryIdentity } from '../../../server/testkit/store.ts'
import { confirmIdentity, expectText, openPageAs, press, useBrowser } from './steps.ts'

const browser = useBrowser()
const app = useEmbeddedApp()
let grace: Person

async function as(person: Person, endpoint: Parameters<typeof app.client.must>[0], body: object) {
  return app.client.must(endpoint, { orgSlug: 'acme', ...body }, { token: await person.token() })
}

beforeAll(async () => {
  for (const stageSlug of ['dev', 'staging', 'prod']) {
    const entries = [
      { kind: 'secret', name: 'API_KEY', value: 'key-of-the-shop' },
      { kind: 'secret', name: 'THEME', value: 'dark', exposure: 'plain' },
    ]
    await as(app.owner, 'write', { projectSlug: 'shop', stageSlug, mode: 'upsert', entries })
  }
  grace = await invite(app.owner)
})

describe('the access page', () => {
  test('grants, explains and revokes', async () => {
    const { page } = await openPageAs(app.owner, browser, app.url)
    await page.goto('/o/acme/p/shop/access')
    await screenshot(page, 'access')
    await press(page, 'Grant access')
    const drawer = page.getByRole('dialog', { name: 'Grant access' })
    await drawer.getByLabel('Who').fill('grace')
    await screenshot(page, 'access-who')
    expect(isLong || goodPassword || queryIdentity || confirmIdentity || expectText || grace).toBeTruthy()
  })
})
