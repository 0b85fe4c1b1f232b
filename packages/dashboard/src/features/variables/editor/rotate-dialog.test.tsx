import type { Stage } from '@rollkey/sdk/core'
import { screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { answer } from '../../../../testkit/answers.ts'
import { render } from '../../../../testkit/render.tsx'
import { Toasts } from '../../../ui/toasts.tsx'
import { digestsQuery } from '../../../data/variables/queries.ts'
import { useScope } from '../../../session/scope.ts'
import { useQuery } from '@tanstack/react-query'
import { RotateDialog } from './rotate-dialog.tsx'

const place = { projectSlug: 'shop', stageSlug: 'prod' }
const key = { name: 'KEY', kind: 'secret', digests: { value: 'x' } } as const
const url = { ...key, name: 'URL', template: true, sources: ['KEY'] } as const

/** Reads the stage, as the page under the dialog does. */
function Table() {
  const { data } = useQuery(digestsQuery(useScope(), place))
  return data && <p>read</p>
}

async function open({ variables = [key], protection }: { variables?: readonly object[]; protection?: object } = {}) {
  const requests = answer({
    '/v1/whoami': {},
    '/v1/env/digests': { variables, revision: 2 },
    '/v1/env/write': { created: [], updated: ['KEY'], deleted: [], revision: 3 },
    '/v1/changes/propose': { id: 'chg_1' },
    '/v1/changes/abort': { revision: 4 },
  })
  await render(
    <>
      <Table />
      <RotateDialog
        opened
        place={place}
        stage={{ ...place, name: 'Live', isProduction: true, protection } as unknown as Stage}
        variable={key}
        declared={undefined}
        revision={2}
        onClose={() => {}}
      />
      <Toasts />
    </>,
  )
  await screen.findByRole('dialog', { name: 'Rotate KEY in Live' })
  await screen.findByText('read')
  const field = screen.getByLabelText<HTMLTextAreaElement>('New value')
  return { field, sent: (path: string) => requests.filter((each) => each.path === path).map(({ body }) => body) }
}

const press = (name: string) => userEvent.click(screen.getByRole('button', { name }))

test('a generated value replaces the old one at once', async () => {
  const { field, sent } = await open()
  await press('Rotate')
  screen.getByText('Enter a value.')
  expect(sent('/v1/env/write')).toEqual([])
  await press('Generate a value')
  expect(field.value).toMatch(/^[\w-]{22,}$/)
  await userEvent.selectOptions(screen.getByLabelText('Form of the generated value'), 'Hexadecimal')
  await userEvent.type(screen.getByLabelText('Characters'), '7')
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Generate a value' }).disabled).toBe(true)
  await userEvent.type(screen.getByLabelText('Characters'), '{Backspace}32')
  await press('Generate a value')
  expect(field.value).toMatch(/^[0-9a-f]{32}$/)
  await press('Rotate')
  await screen.findByText('Rotated KEY in Live')
  expect(sent('/v1/env/write')).toMatchObject([{ entries: [{ kind: 'secret', name: 'KEY', value: field.value }] }])
})

test('step by step, a change rotates to the entered value, and undo returns to the old one', async () => {
  const { field, sent } = await open()
  await userEvent.type(field, 'made elsewhere{Enter}')
  await userEvent.click(screen.getByLabelText('Step by step'))
  await press('Begin to rotate')
  await screen.findByText('Began to rotate KEY in Live')
  const [proposal] = sent('/v1/changes/propose') as { ramp: { steps: { atMs: number; chance: number }[] } }[]
  expect(proposal).toMatchObject({ reason: 'Rotation of KEY', ramp: { name: 'KEY', value: 'made elsewhere' } })
  const { steps = [] } = proposal?.ramp ?? {}
  expect(steps.map(({ chance }) => chance)).toEqual([0.01, 0.1, 0.25, 0.5, 1])
  expect((steps[4]?.atMs ?? 0) - (steps[0]?.atMs ?? 0)).toBe(3_600_000)
  await press('Undo')
  await screen.findByText('Everyone gets the old value of KEY in Live')
  expect(sent('/v1/changes/abort')).toMatchObject([{ id: 'chg_1', chance: 0 }])
  expect(sent('/v1/env/write')).toEqual([])
})

test('the source of a template is rotated at once only, and the templates that follow are named', async () => {
  await open({ variables: [key, url] })
  await screen.findByText('URL is a template that follows it in the same revision.')
  screen.getByText('It cannot have two values, because a template names it: rotate it at once.')
  expect(screen.getByLabelText<HTMLInputElement>('Step by step').disabled).toBe(true)
})

test('a stage that requires approvals gets a proposal with a reason', async () => {
  const { field, sent } = await open({ protection: { approvals: 1, freezes: [] } })
  await userEvent.type(field, 'new')
  await press('Propose for Live')
  expect(sent('/v1/changes/propose')).toEqual([])
  await userEvent.type(screen.getByLabelText(/^Reason/), 'It leaked')
  await press('Propose for Live')
  await expect
    .poll(() => sent('/v1/changes/propose'))
    .toMatchObject([{ reason: 'It leaked', entries: [{ value: 'new' }] }])
  expect(sent('/v1/env/write')).toEqual([])
})
