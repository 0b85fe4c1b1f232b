import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { labels } from './labels.ts'
import { labels as scopeLabels } from '../../parts/credentials/labels.ts'
import { NewToken } from './new-token.tsx'

const stage = { revision: 1, createdAtMs: 0, updatedAtMs: 0, variables: 1 }
const projects = [
  { projectSlug: 'shop', name: 'Shop', createdAtMs: 0, stages: [{ ...stage, stageSlug: 'prod', name: 'Production' }] },
]

async function create(): Promise<void> {
  await userEvent.type(screen.getByLabelText(/Name/), 'CI')
  await userEvent.selectOptions(await screen.findByLabelText(/Project/), 'Shop')
  await userEvent.selectOptions(screen.getByLabelText(/Stage/), 'Production')
  await userEvent.click(screen.getByRole('button', { name: labels.create.submit }))
}

const settings = { '/v1/web/settings': { publicUrl: 'https://rollkey.example.com' } }

it('reads only and limited to one stage by default', async () => {
  const requests = answer({
    '/v1/whoami': {},
    '/v1/projects/list': { projects },
    '/v1/tokens/create': { token: 'svc_st_x', id: 'tok_1' },
    ...settings,
  })
  await render(<NewToken opened onClose={() => {}} />)
  await create()
  expect(requests.find(({ path }) => path === '/v1/tokens/create')?.body).toEqual({
    orgSlug: 'acme',
    name: 'CI',
    projectSlug: 'shop',
    stageSlug: 'prod',
    role: 'reader',
    history: false,
    expiresInDays: 365,
  })
})

it('says what a long lifetime means', async () => {
  answer({ '/v1/projects/list': { projects } })
  await render(<NewToken opened onClose={() => {}} />)
  expect(screen.queryByText(labels.create.longLifetime)).toBeNull()
  await userEvent.selectOptions(screen.getByLabelText(/Expires in/), '10 years')
  expect(screen.queryByText(labels.create.longLifetime)).not.toBeNull()
})

it('stays on the page until the person saved it', async () => {
  answer({ '/v1/projects/list': { projects }, '/v1/tokens/create': { token: 'svc_st_x', id: 'tok_1' }, ...settings })
  const onClose = vi.fn<() => void>()
  await render(<NewToken opened onClose={onClose} />)
  await create()
  await screen.findByDisplayValue('svc_st_x')
  expect(screen.queryByText(/ROLLKEY_URL=https:..rollkey.example.com\s/)).not.toBeNull()
  await userEvent.keyboard('{Escape}')
  expect(screen.queryByDisplayValue('svc_st_x')).not.toBeNull()
  await userEvent.click(screen.getByRole('button', { name: labels.created.done }))
  expect(screen.queryByDisplayValue('svc_st_x')).toBeNull()
})

it('is left by a button, after a question if something is entered', async () => {
  answer({ '/v1/projects/list': { projects } })
  const onClose = vi.fn<() => void>()
  await render(<NewToken opened onClose={onClose} />)
  const cancel = screen.getByRole('button', { name: 'Cancel' })
  await userEvent.type(screen.getByLabelText(/Name/), 'CI')
  await userEvent.click(cancel)
  expect(onClose).not.toHaveBeenCalled()
  await userEvent.click(screen.getByRole('button', { name: 'Keep editing' }))
  await userEvent.clear(screen.getByLabelText(/Name/))
  await userEvent.click(cancel)
  expect(onClose).toHaveBeenCalledOnce()
})

it('asks for what is missing before it sends anything', async () => {
  const requests = answer({ '/v1/projects/list': { projects } })
  await render(<NewToken opened onClose={() => {}} />)
  await userEvent.click(screen.getByRole('button', { name: labels.create.submit }))
  expect(screen.queryByText(scopeLabels.projectMissing)).not.toBeNull()
  expect(requests.map(({ path }) => path)).not.toContain('/v1/tokens/create')
})

it('says what the role allows, and asks again where the person may do less', async () => {
  const prod = { projectSlug: 'shop', stageSlug: 'prod' }
  answer({
    '/v1/whoami': { verbs: [{ verbs: ['list', 'read', 'manage'] }, { ...prod, verbs: ['list', 'manage'] }] },
    '/v1/projects/list': { projects },
  })
  await render(<NewToken opened onClose={() => {}} />)
  await screen.findByText('Reads values, and changes nothing.')
  await create()
  expect(screen.queryByText(scopeLabels.roleMissing)).not.toBeNull()
  expect(screen.queryByRole('option', { name: 'reader' })).toBeNull()
})
