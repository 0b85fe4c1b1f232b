import { screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { render } from '../../../../testkit/render.tsx'
import type { Stage } from '../../projects/queries.ts'
import { StageCell } from './stage-cell.tsx'
import { Legend } from './toolbar.tsx'

test('the signs in the cells are explained until the person closes the legend', async () => {
  await render(<Legend stageName="dev" />)
  expect(await screen.findByText('Differs from dev')).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Got it' }))
  expect(screen.queryByText('Differs from dev')).toBeNull()
  await render(<Legend stageName="dev" />)
  expect(screen.queryByText('Differs from dev')).toBeNull()
})

test('a cell shows its unsaved change in place of its state', async () => {
  const stage = { stageSlug: 'prod', name: 'prod', isProduction: true } as Stage
  const entry = { name: 'A', kind: 'secret', value: 'v1' } as const
  await render(
    <StageCell
      name="A"
      mayRead
      mayWrite
      isLocked={false}
      stage={stage}
      cell={{ state: 'missing', variable: undefined }}
      change={{ stageSlug: 'prod', name: 'A', before: undefined, entry, seen: 1 }}
      plain={undefined}
      revealed={undefined}
      isHot={false}
      isEditing={false}
      focus={{ tabIndex: 0, onFocus: () => {} }}
      onAction={() => {}}
      onEdited={() => {}}
    />,
  )
  const cell = await screen.findByRole('button', { name: 'A in prod, Missing in production, New, not saved' })
  expect(cell.textContent).toBe('New')
})
