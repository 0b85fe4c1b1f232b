import { screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { render } from '../../../testkit/render.tsx'
import { DefaultRoleField } from './default-role.tsx'
import { labels } from './labels.ts'

const { lost, youToo } = labels.defaultRole

async function choose(role: string): Promise<ReturnType<typeof within>> {
  await userEvent.selectOptions(screen.getByRole('combobox'), role)
  return within(await screen.findByRole('dialog'))
}

it('says before the change who loses what, and that its author does too', async () => {
  await render(<DefaultRoleField defaultRole="developer" mayChange />)
  const dialog = await choose('viewer')
  expect(dialog.getByText(lost('read and write')).nextSibling?.textContent).toBe(youToo)
})

it('does not warn of values that no one has by the default role', async () => {
  await render(<DefaultRoleField defaultRole="viewer" mayChange />)
  const dialog = await choose('none')
  dialog.getByText(lost('list'))
  expect(dialog.queryByText(youToo)).toBeNull()
})

it('warns of nothing where the role allows more', async () => {
  await render(<DefaultRoleField defaultRole="viewer" mayChange />)
  const dialog = await choose('developer')
  expect(dialog.queryByText(/loses/)).toBeNull()
})
