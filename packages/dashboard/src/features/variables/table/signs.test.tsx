import type { ListedChange, Stage } from '@rollkey/sdk/core'
import { cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import { answer } from '../../../../testkit/answers.ts'
import { plan } from '../../../../testkit/plan.ts'
import { render } from '../../../../testkit/render.tsx'
import { type CellFacts, cellView } from './cell-view.ts'
import { GridHead } from './grid-head.tsx'
import { labels } from './labels.ts'
import { labels as planLabels } from '../../../parts/plans/labels.ts'
import { StageCell } from './stage-cell.tsx'
import { Legend } from './toolbar.tsx'
import { CellActionsContext } from './use-cell-actions.ts'

test('the legend opens and closes by its button, and names the stage that the others are compared with', async () => {
  await render(<Legend stageName="dev" />)
  const button = await screen.findByRole('button', { name: 'Legend' })
  expect(screen.queryByText('Different from dev')).toBeNull()
  await userEvent.click(button)
  expect(await screen.findByText('Different from dev')).toBeDefined()
  // All signs of cells and heads are in it.
  expect(screen.getByText(/in red once half of all are set\.$/)).toBeDefined()
  for (const name of ['Production', labels.signs.protected, planLabels.waits.proposed, planLabels.waits.planned])
    expect(screen.getByText(name)).toBeDefined()
  await userEvent.click(button)
  await waitFor(() => expect(screen.queryByText('Different from dev')).toBeNull())
})

const prod = { stageSlug: 'prod', name: 'prod', isProduction: true, variables: 1 } as Stage
const missing = { state: 'missing', variable: undefined } as const

async function renderCell(facts: Partial<CellFacts>, isHot = false): Promise<void> {
  const view = cellView({
    name: 'A',
    stage: prod,
    cell: missing,
    reference: 'dev',
    isNeeded: true,
    mayRead: true,
    mayWrite: true,
    ...facts,
  })
  await render(
    <CellActionsContext value={{ projectSlug: 'shop', act: () => {}, edited: () => {} }}>
      <StageCell view={view} isHot={isHot} focus={{ tabIndex: 0, onFocus: () => {} }} />
    </CellActionsContext>,
  )
}

test('a cell shows its draft in place of its state', async () => {
  const entry = { name: 'A', kind: 'secret', value: 'v1' } as const
  await renderCell({ change: { stageSlug: 'prod', name: 'A', before: undefined, entry, seen: 1 } })
  const cell = await screen.findByRole('button', { name: 'A in prod, Missing in production, New in your draft' })
  expect(cell.textContent).toBe('New')
})

test('a cell shows the new value of a draft where it is plain', async () => {
  const entry = { name: 'A', kind: 'secret', value: '25' } as const
  const before = { name: 'A', kind: 'secret', exposure: 'plain', digests: { value: 'd' } } as const
  await renderCell({
    cell: { state: 'set', variable: before },
    plain: { ...entry, value: '20' },
    change: { stageSlug: 'prod', name: 'A', before, entry, seen: 1 },
  })
  expect((await screen.findByRole('button', { name: 'A in prod, Set, Changed in your draft, 25' })).textContent).toBe(
    '25',
  )
})

test('a new production stage is still to be filled, and not an alarm', async () => {
  await renderCell({ isNeeded: false })
  expect((await screen.findByRole('button', { name: 'A in prod, Missing' })).dataset['loud']).toBeUndefined()
})

test('the head of a new stage says how many of the names it has, and how many are proposed', async () => {
  answer({ '/v1/whoami': {} })
  const project = { projectSlug: 'shop', name: 'Shop', createdAtMs: 0, variables: 31, stages: [prod] }
  const shown = { stage: prod, at: 0, mayRead: true, mayWrite: true }
  await render(
    <GridHead
      project={project}
      stages={[{ ...shown, filling: { set: 2, all: 31, proposed: 1 } }]}
      hasLastChange={false}
      sort="name"
      onSort={() => {}}
      selection={{ areAllSelected: false, selected: new Set(), selectAll: () => {} }}
    />,
  )
  expect(await screen.findByText('2 of 31 set, 1 proposed')).toBeDefined()
})

describe('the name of a cell has the text that it shows', () => {
  const entry = { name: 'A', kind: 'ab_roll', valueA: 'true', valueB: 'false', chance: 0 } as const
  const roll = { name: 'A', kind: 'ab_roll', chance: 0, digests: { a: 'd1', b: 'd2' } } as const

  test('of a plain roll', async () => {
    await renderCell({ cell: { state: 'set', variable: { ...roll, exposure: 'plain' } }, plain: entry })
    const cell = await screen.findByRole('button', { name: 'A in prod, Set, All B false, plain' })
    expect(cell.textContent).toBe('All B false')
  })

  test('of a plain roll whose chance decides', async () => {
    const half = { ...roll, chance: 0.5, exposure: 'plain' } as const
    await renderCell({ cell: { state: 'set', variable: half }, plain: { ...entry, chance: 0.5 } })
    const cell = await screen.findByRole('button', { name: 'A in prod, Set, A 50% true · B false, plain' })
    expect(cell.textContent).toBe('A 50% true · B false')
  })

  test('of a revealed roll and a revealed secret', async () => {
    await renderCell({
      cell: { state: 'set', variable: roll },
      revealed: { entry, untilMs: Infinity, variable: roll },
    })
    const cell = await screen.findByRole('button', { name: 'A in prod, Set, All B A true · B false' })
    expect(cell.textContent).toBe('All B A true · B false')
    cleanup()
    const variable = { name: 'A', kind: 'secret', digests: { value: 'd' } } as const
    const revealed = { entry: { name: 'A', kind: 'secret', value: 'v1' }, untilMs: Infinity, variable } as const
    await renderCell({ cell: { state: 'set', variable }, revealed })
    expect((await screen.findByRole('button', { name: 'A in prod, Set, v1' })).textContent).toBe('v1')
  })
})

test('a revealed value has the width of the buttons, except the one that hides it', async () => {
  const variable = { name: 'A', kind: 'secret', digests: { value: 'd' } } as const
  const buttons = () => screen.getAllByRole('button').flatMap(({ title }) => (title === '' ? [] : [title]))
  await renderCell({ cell: { state: 'set', variable } }, true)
  expect(buttons()).toEqual([labels.reveal, labels.copy])
  cleanup()
  const revealed = { entry: { name: 'A', kind: 'secret', value: 'v1' }, untilMs: Infinity, variable } as const
  await renderCell({ cell: { state: 'set', variable }, revealed }, true)
  expect(buttons()).toEqual([labels.hide])
})

test('a missing variable of production that a change adds is proposed, and not an alarm', async () => {
  await renderCell({
    waiting: {
      ...plan,
      dueAtMs: undefined,
      approvals: { ...plan.approvals, isApproved: false },
    } as unknown as ListedChange,
  })
  const cell = await screen.findByRole('button', {
    name: 'A in prod, Missing, A proposed change waits for approval',
  })
  expect(cell.textContent).toBe('Proposed')
  expect(cell.dataset['loud']).toBeUndefined()
})

test('a cell whose variable has a plan keeps its value, and has a mark', async () => {
  const variable = { name: 'A', kind: 'ab_roll', chance: 0.25, digests: {} } as const
  const waiting = { ...plan, reason: 'Half of them' } as unknown as ListedChange
  await renderCell({ cell: { state: 'set', variable }, waiting })
  const cell = await screen.findByRole('button', { name: 'A in prod, Set, A 25%, A change is planned' })
  expect(cell.textContent?.trim()).toBe('A 25%')
  expect(cell.querySelectorAll('svg')).toHaveLength(1)
})
