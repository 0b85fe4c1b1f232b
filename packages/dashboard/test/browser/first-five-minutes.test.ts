/** Goes from an empty data directory to an evaluated variable, with a person in a browser and a waiting client. */
import { expect, test } from 'vitest'
import { storageDump, type TestPage } from '../../../server/testkit/browser.ts'
import { newUser, TestClient } from '../../../server/testkit/client.ts'
import { roll, secret } from '../../../server/testkit/entries.ts'
import { temporaryFolder } from '../../../server/testkit/folder.ts'
import { startProcess } from '../../../server/testkit/process.ts'
import { webClientId } from '../../../server/testkit/provider.ts'
import { startTestEnv } from '../../../server/testkit/test-env.ts'
import { expectText, field, openPage, press, useBrowser } from './steps.ts'

const password = 'correct horse battery'
const browser = useBrowser()

/** Expects the approved client to write and evaluate. */
async function expectWorks(client: TestClient, deviceCode: string, orgSlug: string): Promise<void> {
  const pair = await client.must('devicePoll', { deviceCode })
  expect(pair.status).toBe('approved')
  const token = pair.accessToken as string
  const at = { orgSlug, projectSlug: 'shop', stageSlug: 'dev' }
  await client.must('write', { ...at, mode: 'upsert', entries: [secret('A', 's3cret'), roll('R', 1)] }, { token })
  expect(await client.must('evaluate', { ...at, name: 'A' }, { token })).toMatchObject({ value: 's3cret' })
  expect(await client.must('evaluate', { ...at, name: 'R' }, { token })).toMatchObject({ decision: 'a' })
}

/** Expects no credential where a script, the browser history or a log could find it. */
async function expectNothingKept({ page }: TestPage): Promise<void> {
  const kept = `${await storageDump(page)}\n${page.url()}`
  for (const secretText of ['eyJ', 'token', 'codeVerifier', 'svc_']) expect(kept).not.toContain(secretText)
}

test('a newcomer gets from first start to an evaluation with the embedded provider', async () => {
  const dataDir = temporaryFolder()
  const server = await startProcess({ DATA_DIR: dataDir })
  const setupLink = await server.setupLink()
  const visit = await openPage(browser, new URL(setupLink).origin)
  const { page } = visit

  await page.goto(setupLink)
  await field(page, 'Your name').fill('Ada Lovelace')
  expect(page.url()).not.toContain('token')
  await field(page, 'Email').fill('ada@example.com')
  await field(page, 'Password').fill(password)
  await field(page, 'Organization name').fill('Acme Inc.')
  await expect.poll(() => field(page, 'Organization slug').inputValue()).toBe('acme-inc')
  await press(page, 'Create account and organization')
  await page.getByRole('button', { name: /^Account of/ }).waitFor()
  await expectText(page, 'Acme Inc.')

  const client = new TestClient(server.url)
  const started = await client.must('deviceStart', { clientName: 'my laptop' })
  expect(await client.must('devicePoll', started)).toMatchObject({ status: 'pending' })
  await page.goto(started.verificationUriComplete as string)
  await page.getByRole('heading', { name: 'Approve this login?' }).waitFor()
  const shown = (await page.getByRole('main').textContent()) ?? ''
  const { userCode } = started as { userCode: string }
  for (const fact of ['my laptop', 'Acme Inc.', `${userCode.slice(0, 4)}-${userCode.slice(4)}`]) {
    expect(shown).toContain(fact)
  }
  expect(shown).toContain('Approve only a login that you started')
  expect(await client.must('devicePoll', started)).toMatchObject({ status: 'pending' })
  await press(page, 'Approve')
  await expectText(page, 'You can close this tab')
  await expectWorks(client, started.deviceCode as string, 'acme-inc')

  await expectNothingKept(visit)
  await server.end('SIGTERM')
  expect(server.output()).not.toContain(password)
})

test('a newcomer gets from first start to an evaluation with an external provider', async () => {
  const { client, provider } = await startTestEnv({ IDP_CLIENT_ID: webClientId })
  const user = newUser('umbrella')
  provider.addPerson({ ...user, orgId: '' }, 'Ada Lovelace')
  const started = await client.must('deviceStart', { clientName: 'my laptop' })
  const visit = await openPage(browser, new URL(started.verificationUri as string).origin, provider.issuer)
  const { page } = visit

  await page.goto(started.verificationUriComplete as string)
  await press(page, 'Continue with your identity provider')
  await page.waitForURL((url) => url.origin === provider.issuer)
  await field(page, 'User').fill(user.userId)
  await press(page, 'Sign in')
  await expectText(page, /you have no active organization at the identity provider: choose one there/)
  await expect
    .poll(() => page.getByRole('link', { name: 'Open the identity provider' }).getAttribute('href'))
    .toBe(provider.issuer)
  provider.addPerson(user, 'Ada Lovelace')
  await page.getByRole('link', { name: 'Sign in again' }).click()
  await press(page, 'Continue with your identity provider')
  await page.getByRole('heading', { name: 'Approve this login?' }).waitFor()
  await expectText(page, 'umbrella')
  await press(page, 'Approve')
  await expectText(page, 'You can close this tab')
  await expectWorks(client, started.deviceCode as string, 'umbrella')

  await page.getByRole('link', { name: 'Rollkey' }).click()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Projects' }).click()
  await page.getByRole('main').getByRole('link', { name: 'shop' }).click()
  await page.getByRole('gridcell').getByRole('button', { name: 'A in dev, Set', exact: true }).waitFor()

  await expectNothingKept(visit)
})
