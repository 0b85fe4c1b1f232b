import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { render } from '../../../testkit/render.tsx'
import { PasswordForm } from './password-form.tsx'

test('the email is filled in where the page knows it, and can be changed', async () => {
  await render(<PasswordForm knownEmail="ada@example.com" onSignedIn={() => Promise.resolve()} />)
  const email = await screen.findByLabelText<HTMLInputElement>(/^Email/)
  expect([email.value, email.readOnly]).toEqual(['ada@example.com', false])
})
