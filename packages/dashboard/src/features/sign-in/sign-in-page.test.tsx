import { cleanup, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { Page } from '../../ui/page.tsx'
import { labels } from './labels.ts'
import { SignInPage } from './sign-in-page.tsx'

const settings = { provider: 'embedded', signUp: 'invitation', passkeys: false, companies: [] }

test('without mail, who forgot the password learns what the operator runs', async () => {
  answer({ '/v1/web/settings': { ...settings, mailsResets: false } })
  await render(<SignInPage />)
  const link = await screen.findByRole('link', { name: labels.signIn.resetCommand })
  expect(link.getAttribute('href')).toBe('/docs/rollkey-server#reset-link')
})

test('who signs out begins in the field for the email, as at first', async () => {
  answer({ '/v1/web/settings': settings })
  await render(<Page title="Projects" />)
  cleanup()
  await render(<SignInPage />)
  const field = await screen.findByLabelText(/^Email/)
  await expect.poll(() => document.activeElement).toBe(field)
})

test('with mail, the page sends a link instead', async () => {
  answer({ '/v1/web/settings': { ...settings, mailsResets: true } })
  await render(<SignInPage />)
  await screen.findByRole('button', { name: labels.forgotten.open })
  expect(screen.queryByText(labels.signIn.resetCommand)).toBeNull()
})
