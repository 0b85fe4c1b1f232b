import { screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { place, plan } from '../../../testkit/plan.ts'
import { render } from '../../../testkit/render.tsx'
import { Toasts } from '../../ui/toasts.tsx'
import { StopButton } from './roll-actions.tsx'

const roll = { place, stageName: 'Live', isProduction: true, name: 'CHECKOUT', chance: 0.25 }

test('stops a roll after a question that names the stage and both sides, and undoes it', async () => {
  const requests = answer({
    '/v1/env/update': { revision: 8 },
    '/v1/env/restore': { revision: 9, created: [], updated: ['CHECKOUT'], deleted: [] },
  })
  await render(
    <>
      <StopButton roll={roll} />
      <Toasts />
    </>,
  )
  await userEvent.click(screen.getByRole('button', { name: 'Stop CHECKOUT in Live' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Stop CHECKOUT in Live?' }))
  dialog.getByText('Everyone gets B from the next request on. Currently 25% get A.')
  dialog.getByText('Live is a production stage.')
  expect(requests.map(({ path }) => path)).not.toContain('/v1/env/update')
  await userEvent.click(dialog.getByRole('button', { name: 'Stop roll' }))
  await screen.findByText('Stopped CHECKOUT in Live: everyone gets B')
  expect(requests).toContainEqual({
    path: '/v1/env/update',
    body: { orgSlug: 'acme', ...place, updates: [{ name: 'CHECKOUT', chance: 0, pins: null, rules: null }] },
  })
  await userEvent.click(screen.getByRole('button', { name: 'Undo' }))
  await screen.findByText('CHECKOUT is as before in prod')
  expect(requests).toContainEqual({
    path: '/v1/env/restore',
    body: { orgSlug: 'acme', ...place, revision: 7, ifRevision: 8, names: ['CHECKOUT'] },
  })
})

test('says that a stop removes pins and rules', async () => {
  answer({})
  const targeted = { ...roll, chance: 0, pinned: { a: 2, b: 1 }, ruleCount: 1, labels: { a: 'on', b: 'off' } }
  await render(<StopButton roll={targeted} />)
  await userEvent.click(screen.getByRole('button', { name: 'Stop CHECKOUT in Live' }))
  const dialog = await screen.findByRole('dialog', { name: 'Stop CHECKOUT in Live?' })
  expect(dialog.textContent).toContain(
    'Everyone gets off from the next request on. Currently 0% get on, after 3 pins and 1 rule. This also removes 3 pins and 1 rule. Undo and the history bring them back.',
  )
})

test('names the plans that end with a stop, and withdraws those of this roll alone if one asks for it', async () => {
  const requests = answer({
    '/v1/whoami': {},
    '/v1/changes/list': {
      changes: [
        plan,
        { ...plan, id: 'chg_2', reason: 'All at once', nameCount: 2 },
        { ...plan, id: 'chg_3', reason: 'Climbing', state: 'running' },
        { ...plan, id: 'chg_4', reason: 'Old', conflictAt: 3 },
        { ...plan, id: 'chg_5', reason: 'Other', names: ['SEARCH'] },
      ],
    },
    '/v1/env/update': { revision: 8 },
    '/v1/changes/withdraw': {},
  })
  await render(
    <>
      <StopButton roll={roll} />
      <Toasts />
    </>,
  )
  await userEvent.click(screen.getByRole('button', { name: 'Stop CHECKOUT in Live' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Stop CHECKOUT in Live?' }))
  await dialog.findByText(
    'The plan “Roll out CHECKOUT” (next: 75% in 12 hours) will not go on. The plan “All at once” (next: 75% in 12 hours) will not go on. The rollout “Climbing” (next: 75% in 12 hours) will be paused. If you keep a plan, it is out of date, even after Undo, until its proposer bases it on the present state.',
  )
  await userEvent.click(dialog.getByRole('checkbox', { name: 'Also withdraw the plan', checked: false }))
  await userEvent.click(dialog.getByRole('button', { name: 'Stop roll' }))
  await screen.findByText('Stopped CHECKOUT in Live, and withdrew the plan')
  expect(requests.filter(({ path }) => path === '/v1/changes/withdraw').map(({ body }) => body)).toEqual([
    { orgSlug: 'acme', ...place, id: 'chg_1' },
  ])
})

test.each([
  [{}, 'CHECKOUT is as before in prod. Its rollout goes on'],
  [
    Response.json({ error: { code: 'CHANGE_CONFLICT', message: 'Conflict', requestId: 'r' } }, { status: 409 }),
    'CHECKOUT is as before in prod. Its rollout stays paused: resume it under Planned changes',
  ],
])('undoes a stop with the rollout that it paused: %#', async (resumed, text) => {
  const requests = answer({
    '/v1/whoami': {},
    '/v1/changes/list': { changes: [{ ...plan, state: 'running' }] },
    '/v1/env/update': { revision: 8 },
    '/v1/env/restore': { revision: 9, created: [], updated: ['CHECKOUT'], deleted: [] },
    '/v1/changes/resume': resumed,
  })
  await render(
    <>
      <StopButton roll={roll} />
      <Toasts />
    </>,
  )
  await userEvent.click(screen.getByRole('button', { name: 'Stop CHECKOUT in Live' }))
  await screen.findByText(/will be paused/)
  await userEvent.click(screen.getByRole('button', { name: 'Stop roll' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Undo' }))
  await screen.findByText(text)
  expect(requests).toContainEqual({ path: '/v1/changes/resume', body: { orgSlug: 'acme', ...place, id: 'chg_1' } })
})

test('keeps a plan by default, because a withdrawn one does not come back', async () => {
  const requests = answer({
    '/v1/whoami': {},
    '/v1/changes/list': { changes: [plan] },
    '/v1/env/update': { revision: 8 },
  })
  await render(<StopButton roll={roll} />)
  await userEvent.click(screen.getByRole('button', { name: 'Stop CHECKOUT in Live' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Stop CHECKOUT in Live?' }))
  await dialog.findByRole('checkbox', {
    name: 'Also withdraw the plan',
    description: 'A withdrawn plan does not come back.',
  })
  await userEvent.click(dialog.getByRole('button', { name: 'Stop roll' }))
  await expect.poll(() => requests.map(({ path }) => path)).toContain('/v1/env/update')
  expect(requests.map(({ path }) => path)).not.toContain('/v1/changes/withdraw')
})

test('says why a roll was not stopped', async () => {
  answer({
    '/v1/env/update': Response.json(
      { error: { code: 'FORBIDDEN', message: 'Forbidden', requestId: 'r' } },
      { status: 403 },
    ),
  })
  await render(<StopButton roll={roll} />)
  await userEvent.click(screen.getByRole('button', { name: 'Stop CHECKOUT in Live' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Stop roll' }))
  expect((await screen.findByRole('alert')).textContent).toMatch(/^You don’t have permission to do this/)
})

test('says nothing of a plan that could not be withdrawn', async () => {
  const changes = [{ ...plan, names: ['SEARCH'] }]
  const requests = answer({ '/v1/whoami': {}, '/v1/changes/list': { changes }, '/v1/env/update': { revision: 8 } })
  await render(
    <>
      <StopButton roll={{ ...roll, name: 'SEARCH' }} />
      <Toasts />
    </>,
  )
  await userEvent.click(screen.getByRole('button', { name: 'Stop SEARCH in Live' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Stop SEARCH in Live?' }))
  await userEvent.click(await dialog.findByRole('checkbox', { name: 'Also withdraw the plan' }))
  await userEvent.click(dialog.getByRole('button', { name: 'Stop roll' }))
  await screen.findByText('Stopped SEARCH in Live: everyone gets B')
  expect(requests.map(({ path }) => path)).toContain('/v1/changes/withdraw')
})
