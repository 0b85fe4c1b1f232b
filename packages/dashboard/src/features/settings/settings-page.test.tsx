import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { labels } from './labels.ts'
import { SettingsPage } from './settings-page.tsx'

const organization = {
  orgSlug: 'acme',
  name: 'Acme Inc.',
  createsOnWrite: true,
  plan: { name: 'free', evaluationsPerMonth: 12_000 },
}

it('are shown to members, who cannot change them', async () => {
  answer({ '/v1/whoami': { role: 'member' }, '/v1/organization/show': organization })
  await render(<SettingsPage />)
  expect((await screen.findByRole<HTMLInputElement>('switch')).disabled).toBe(true)
  expect(screen.queryByText('Acme Inc.')).not.toBeNull()
  expect(screen.queryByText('acme')).not.toBeNull()
  expect(screen.queryByText('12,000')).not.toBeNull()
  expect(screen.queryByText(labels.plan.unlimited)).not.toBeNull()
  expect(screen.queryByText(labels.general.onlyManagers)).not.toBeNull()
  expect(screen.queryByRole('button', { name: labels.general.submit })).toBeNull()
})

it('name no plan where the installation limits nothing', async () => {
  answer({
    '/v1/whoami': { role: 'member' },
    '/v1/organization/show': { ...organization, plan: { name: 'unlimited' } },
  })
  await render(<SettingsPage />)
  await screen.findByRole('heading', { name: labels.plan.limitsTitle })
  expect(screen.queryAllByText(labels.plan.unlimited)).toHaveLength(2)
  expect(screen.queryByText(labels.plan.name)).toBeNull()
})

it('say nothing about what the person may do before it is known', async () => {
  answer({ '/v1/whoami': () => new Promise(() => {}), '/v1/organization/show': organization })
  await render(<SettingsPage />)
  await screen.findByRole('status', { name: 'Loading' })
  expect(screen.queryByText(labels.general.onlyManagers)).toBeNull()
})

it('let admins rename the organization, once the name is another one', async () => {
  const requests = answer({
    '/v1/whoami': { role: 'admin' },
    '/v1/organization/show': organization,
    '/identity/organization/update': { id: 'org-1' },
  })
  await render(<SettingsPage />)
  const submit = await screen.findByRole<HTMLButtonElement>('button', { name: labels.general.submit })
  expect(submit.disabled).toBe(true)
  const name = screen.getByLabelText(/^Name/)
  await userEvent.clear(name)
  await userEvent.click(submit)
  expect(requests.map(({ path }) => path)).not.toContain('/identity/organization/update')
  await userEvent.type(name, 'Acme Ltd.')
  await userEvent.click(submit)
  expect(requests.find(({ path }) => path === '/identity/organization/update')?.body).toEqual({
    organizationId: 'org-1',
    data: { name: 'Acme Ltd.' },
  })
})

it('let admins turn off that writes create, and say what follows', async () => {
  let createsOnWrite = true
  answer({
    '/v1/whoami': { role: 'owner' },
    '/v1/organization/show': () => ({ ...organization, createsOnWrite }),
    '/v1/organization/update': (body: { createsOnWrite: boolean }) => {
      createsOnWrite = body.createsOnWrite
      return {}
    },
  })
  await render(<SettingsPage />)
  await screen.findByText(labels.creation.on)
  await userEvent.click(screen.getByRole('switch'))
  await screen.findByText(labels.creation.off)
  expect(createsOnWrite).toBe(false)
})

it('let owners delete the organization, once its slug is typed', async () => {
  const requests = answer({
    '/v1/whoami': { role: 'owner' },
    '/v1/organization/show': organization,
    '/v1/organization/delete': {},
  })
  await render(<SettingsPage />)
  await userEvent.click(await screen.findByRole('button', { name: labels.deletion.button }))
  const confirm = await screen.findByRole<HTMLButtonElement>('button', { name: labels.deletion.confirm('Acme Inc.') })
  expect(confirm.disabled).toBe(true)
  await userEvent.type(screen.getByLabelText('Type acme to confirm'), 'acme')
  await userEvent.click(confirm)
  const sent = requests.filter(({ path }) => path === '/v1/organization/delete')
  expect(sent.map(({ body }) => body)).toEqual([{ orgSlug: 'acme', confirm: 'acme' }])
})

it('do not offer admins to delete the organization', async () => {
  answer({ '/v1/whoami': { role: 'admin' }, '/v1/organization/show': organization })
  await render(<SettingsPage />)
  await screen.findByRole('button', { name: labels.general.submit })
  expect(screen.queryByRole('button', { name: labels.deletion.button })).toBeNull()
})
