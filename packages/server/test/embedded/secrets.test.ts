/** Credentials appear in no log and no error, and the database has none in plaintext. */
import { expect, test } from 'vitest'
import { ScryptHasher } from '../../src/identity/password-hasher.ts'
import { startTestApp } from '../../testkit/app.ts'
import { Canaries } from '../../testkit/canaries.ts'
import { goodPassword, inLink, invitation, invite, Person, setUp } from '../../testkit/person.ts'
import { runMain } from '../../testkit/process.ts'
import { storedText } from '../../testkit/store.ts'

test('passwords, links, cookies and tokens are stored nowhere in plaintext', async () => {
  const app = await startTestApp({}, { passwordHasher: new ScryptHasher() })
  const secrets = [goodPassword, inLink(app.setupLink, 'token')]
  const errors: string[] = []
  const owner = await setUp(app)
  const grace = await invite(owner)
  const pending = await invitation(owner, 'invited@example.com')
  const { stdout } = await runMain({ DATA_DIR: app.dataDir }, ['reset-link', grace.email])
  const { passwordLink } = JSON.parse(stdout) as { passwordLink: string }
  const cookie = grace.cookies.map(([, value]) => decodeURIComponent(value)).find((value) => value.includes('.')) ?? ''
  secrets.push(pending, inLink(passwordLink, 'token'), cookie, await owner.token(), await grace.token())
  const { accessToken, refreshToken } = await app.client.login(await grace.token())
  secrets.push(accessToken, refreshToken)

  const wrong = 'a wrong password of mine'
  secrets.push(wrong)
  const eve = new Person(app.url, owner.email)
  for (const answer of [
    await eve.signIn(wrong),
    await eve.post('/links/setup', { token: secrets[1], email: 'x', password: wrong }),
    await eve.post('/links/sign-up', { id: pending, name: '', password: wrong }),
    await eve.post('/links/sign-up', { id: `${pending}x`, name: 'Eve', password: wrong }),
    await eve.post('/reset-password', { token: inLink(passwordLink, 'token'), newPassword: 'short' }),
    await eve.post('/change-password', { currentPassword: wrong, newPassword: wrong }),
    await eve.post('/sign-in/email', { email: [wrong], password: { wrong } }),
    await eve.post('/organization/accept-invitation', { invitationId: pending }),
  ]) {
    expect(answer.status).toBeGreaterThanOrEqual(400)
    errors.push(answer.text)
  }

  await app.stop()
  const stored = await storedText(app.dataDir)
  expect(stored).toContain(grace.email)
  const canaries = new Canaries()
  for (const secret of secrets) canaries.add('a secret', secret)
  canaries.expectNoneIn('the log', app.log.join('\n'))
  canaries.expectNoneIn('an error', errors.join('\n'))
  canaries.expectNoneIn('the store', stored)
})
