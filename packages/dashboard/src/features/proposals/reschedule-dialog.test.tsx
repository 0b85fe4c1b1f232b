import type { Change } from '@rollkey/sdk/core'
import { fireEvent, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { RescheduleDialog } from './reschedule-dialog.tsx'

const place = { projectSlug: 'shop', stageSlug: 'prod' }
const path = '/v1/changes/reschedule'

async function openDialog(change: Partial<Change>) {
  const requests = answer({ '/v1/whoami': {}, [path]: {} })
  const proposal = { ...place, id: 'chg_1', digest: 'd', zone: 'Europe/Berlin', ...change } as Change
  await render(<RescheduleDialog proposal={proposal} opened onClose={() => {}} />)
  const dialog = within(await screen.findByRole('dialog'))
  const submit = async (time: string): Promise<void> => {
    fireEvent.change(dialog.getByLabelText(/^(When|First step)/), { target: { value: time } })
    await userEvent.click(dialog.getByRole('button', { name: 'Reschedule' }))
  }
  const sent = async (): Promise<unknown> =>
    (await vi.waitUntil(() => requests.find((each) => each.path === path), { timeout: 120_000 })).body
  return { dialog, submit, sent }
}

test('a change gets another time of its zone, or none', async () => {
  const { dialog, submit, sent } = await openDialog({ applyAtMs: Date.parse('2050-01-14T08:00Z') })
  expect(dialog.getByLabelText<HTMLInputElement>('When').value).toBe('2050-01-14T09:00')
  await submit('2020-01-01T00:00')
  await dialog.findByText('This time has passed. Enter a later one.')
  await submit('')
  expect(await sent()).toEqual({ orgSlug: 'acme', ...place, id: 'chg_1', digest: 'd', applyAtMs: null, zone: null })
})

test('the steps of a rollout move with the first one, by the clocks of the zone', async () => {
  const steps = [
    { atMs: Date.parse('2050-03-26T08:00Z'), chance: 0.1 },
    { atMs: Date.parse('2050-03-28T07:00Z'), chance: 1 },
  ]
  const { dialog, submit, sent } = await openDialog({ steps })
  await submit('')
  await dialog.findByText('Enter a time.')
  await submit('2050-04-01T10:00')
  expect(await sent()).toMatchObject({
    steps: [
      { atMs: Date.parse('2050-04-01T08:00Z'), chance: 0.1 },
      { atMs: Date.parse('2050-04-03T08:00Z'), chance: 1 },
    ],
    zone: 'Europe/Berlin',
  })
})
