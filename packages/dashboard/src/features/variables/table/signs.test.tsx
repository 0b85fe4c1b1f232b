import { screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { render } from '../../../../testkit/render.tsx'
import type { Stage } from '../../projects/queries.ts'
import { StageCell } from './stage-cell.tsx'
import { Legend } from './toolbar.tsx'

test('the legend opens and closes by its button, and names the stage that the others are compared with', async () => {
  await render(<Legend stageName="dev" />)
  const button = await screen.findByRole('button', { name: 'Legend' })
  expect(screen.queryByText('Different from dev')).toBeNull()
  await userEvent.click(button)
  expect(await screen.findByText('Different from dev')).toBeDefined()
  await userEvent.click(button)
  await waitFor(() => expect(screen.queryByText('Different from dev')).toBeNull())
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
      reference="dev"
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
