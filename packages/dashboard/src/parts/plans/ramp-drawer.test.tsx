import type { Stage } from '@rollkey/sdk/core'
import { fireEvent, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { plan } from '../../../testkit/plan.ts'
import { render } from '../../../testkit/render.tsx'
import { Toasts } from '../../ui/toasts.tsx'
import { RampDrawer } from './ramp-drawer.tsx'

const place = { projectSlug: 'shop', stageSlug: 'prod' }

function stageWith(protection?: Partial<Stage['protection']>): Stage {
  return { ...place, name: 'Live', isProduction: true, protection } as unknown as Stage
}

function Opened({ stage, planned: initial }: { readonly stage: Stage; readonly planned: 'steps' | 'once' }) {
  const [planned, setPlanned] = useState<'steps' | 'once' | undefined>(initial)
  return (
    <>
      <RampDrawer
        place={place}
        stage={stage}
        name="CHECKOUT"
        chance={0.05}
        planned={planned}
        onClose={() => setPlanned(undefined)}
      />
      <Toasts />
    </>
  )
}

async function openDrawer(stage: Stage, planned: 'steps' | 'once', title: string) {
  const requests = answer({ '/v1/whoami': {}, '/v1/changes/propose': { id: 'chg_1' }, '/v1/changes/withdraw': {} })
  await render(<Opened stage={stage} planned={planned} />)
  return { requests, drawer: within(await screen.findByRole('dialog', { name: title })) }
}

function fill(field: HTMLElement, value: string): void {
  fireEvent.change(field, { target: { value } })
}

const proposed = '/v1/changes/propose'

test('a rollout that runs is shown before another one is planned', async () => {
  answer({ '/v1/whoami': {}, '/v1/changes/list': { changes: [plan] } })
  await render(<Opened stage={stageWith()} planned="steps" />)
  const drawer = within(await screen.findByRole('dialog', { name: 'Change the chance of CHECKOUT in steps' }))
  expect(await drawer.findByRole('link', { name: 'Roll out CHECKOUT' })).toBeTruthy()
})

test('a rollout is planned with its steps in sight, and says that users would lose A', async () => {
  const { requests, drawer } = await openDrawer(stageWith(), 'steps', 'Change the chance of CHECKOUT in steps')
  fill(drawer.getByLabelText('Time zone'), 'Europe/Berlin')
  const chances = drawer.getByLabelText<HTMLInputElement>('Chances of A')
  expect(chances.value).toBe('10% 50% 100%')
  fill(chances, '1% 10% 50% 100%')
  fill(drawer.getByLabelText('First step'), '2050-01-14T09:00')
  await userEvent.click(drawer.getByLabelText(/^Not on weekends/))
  // The 14th is a Friday.
  const steps = within(drawer.getByRole('list', { name: 'Steps' })).getAllByRole('listitem')
  expect(steps.map((step) => step.querySelector('time')?.dateTime)).toEqual([
    '2050-01-14T08:00:00.000Z',
    '2050-01-17T08:00:00.000Z',
    '2050-01-18T08:00:00.000Z',
    '2050-01-19T08:00:00.000Z',
  ])
  drawer.getByText('5% → 1%')
  drawer.getByText('The chance falls from 5% to 1%: some users who get A would get B again.')
  await userEvent.click(drawer.getByRole('button', { name: 'Schedule for Live' }))
  await screen.findByText(/^Planned CHECKOUT in Live: 1%, .*, then 3 more steps$/)
  screen.getByRole('button', { name: 'Show the change' })
  expect(requests).toContainEqual({
    path: proposed,
    body: {
      orgSlug: 'acme',
      ...place,
      reason: 'Roll out CHECKOUT to 100%',
      zone: 'Europe/Berlin',
      ramp: {
        name: 'CHECKOUT',
        steps: [
          { atMs: Date.parse('2050-01-14T08:00Z'), chance: 0.01 },
          { atMs: Date.parse('2050-01-17T08:00Z'), chance: 0.1 },
          { atMs: Date.parse('2050-01-18T08:00Z'), chance: 0.5 },
          { atMs: Date.parse('2050-01-19T08:00Z'), chance: 1 },
        ],
        guard: { onMisfit: 'hold' },
        notOn: ['sat', 'sun'],
      },
    },
  })
  await userEvent.click(screen.getByRole('button', { name: 'Undo' }))
  await screen.findByText('Withdrew the change of CHECKOUT')
  expect(requests).toContainEqual({ path: '/v1/changes/withdraw', body: { orgSlug: 'acme', ...place, id: 'chg_1' } })
})

test('a chance at a time is proposed where others approve it, with a reason and a time', async () => {
  const { requests, drawer } = await openDrawer(
    stageWith({ approvals: 1, freezes: [{ zone: 'UTC', from: '2050-01-10T00:00', to: '2050-01-15T00:00' }] }),
    'once',
    'Set the chance of CHECKOUT at a time',
  )
  expect(drawer.queryByLabelText('Every')).toBeNull()
  fill(drawer.getByLabelText('Time zone'), 'UTC')
  fill(drawer.getByLabelText('When'), '')
  await userEvent.click(drawer.getByRole('button', { name: 'Propose for Live' }))
  await drawer.findByText('Choose another chance than the present one.')
  expect(document.activeElement).toBe(drawer.getByLabelText('Chance of A in percent'))
  await userEvent.click(drawer.getByRole('button', { name: '25%' }))
  await userEvent.click(drawer.getByRole('button', { name: 'Propose for Live' }))
  await drawer.findByText('Enter a time: the change is reviewed before it.')
  drawer.getByText('Say why, so that others can review it.')
  fill(drawer.getByLabelText('When'), '2050-01-14T09:00')
  drawer.getByText(/^Waits for the end of a freeze: .*15/)
  fill(drawer.getByLabelText(/^Reason/), 'Tested in staging')
  await userEvent.click(drawer.getByRole('button', { name: 'Propose for Live' }))
  await expect.poll(() => requests.map(({ path }) => path)).toContain(proposed)
  expect(requests.find(({ path }) => path === proposed)?.body).toEqual({
    orgSlug: 'acme',
    ...place,
    reason: 'Tested in staging',
    zone: 'UTC',
    updates: [{ name: 'CHECKOUT', chance: 0.25 }],
    applyAtMs: Date.parse('2050-01-14T09:00Z'),
  })
})

test('a plan that starts now offers no undo, because its first step is written before', async () => {
  const { drawer } = await openDrawer(stageWith(), 'steps', 'Change the chance of CHECKOUT in steps')
  fill(drawer.getByLabelText('First step'), '')
  await userEvent.click(drawer.getByRole('button', { name: 'Start in Live' }))
  await screen.findByText(/^Started CHECKOUT in Live: 10% now, then 2 more steps$/)
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
})

test('a ramp that goes down says so in its reason', async () => {
  const { requests, drawer } = await openDrawer(stageWith(), 'steps', 'Change the chance of CHECKOUT in steps')
  fill(drawer.getByLabelText('Chances of A'), '2% 0%')
  await userEvent.click(drawer.getByRole('button', { name: /^(Schedule for|Start in) Live$/ }))
  await expect.poll(() => requests.map(({ path }) => path)).toContain(proposed)
  const { body } = requests.find(({ path }) => path === proposed) ?? {}
  expect(body).toMatchObject({ reason: 'Lower CHECKOUT to 0%' })
})
