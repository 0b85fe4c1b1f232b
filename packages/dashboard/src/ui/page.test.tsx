import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { render } from '../../testkit/render.tsx'
import { Page } from './page.tsx'

test('the first page begins in its first field, and later ones with their heading', async () => {
  const page = (title: string, label: string) => (
    <Page title={title}>
      <input aria-label={label} data-autofocus />
    </Page>
  )
  await render(page('Sign in', 'Email'))
  expect(document.activeElement).toBe(screen.getByLabelText('Email'))
  await render(page('Create an account', 'Your name'))
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Create an account' }))
})
