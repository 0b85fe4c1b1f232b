import type { ListedChange, Stage } from '@rollkey/sdk/core'
import type { Digested, RevealedEntry } from '@rollkey/contract'
import { act, fireEvent, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { answer } from '../../../../testkit/answers.ts'
import { plan } from '../../../../testkit/plan.ts'
import { render } from '../../../../testkit/render.tsx'
import type { WaitingProposals } from '../../../data/proposals/queries.ts'
import { type Cell, rowsOf, withDeclaredRows } from '../../../data/variables/comparison.ts'
import { CellHints, hintOf, useCellHint } from './cell-hints.tsx'
import { GridRow } from './grid-row.tsx'
import { CellActionsContext } from './use-cell-actions.ts'

const stage = { stageSlug: 'dev', name: 'dev' } as Stage
const variable: Digested = {
  name: 'FLOW',
  kind: 'ab_roll',
  exposure: 'plain',
  chance: 0.5,
  digests: { a: 'x', b: 'y' },
}

interface CellsProps {
  readonly named: NonNullable<Cell['variable']>
  readonly entry: RevealedEntry | undefined
  readonly untilMs?: number | undefined
  readonly waiting?: WaitingProposals
  readonly state?: string
}

function Cells({ named, entry, untilMs, waiting = new Map(), state }: CellsProps) {
  const factsOf = useCellHint([stage], rowsOf([[named]]), () => ({ entry, untilMs }), 'shop', waiting)
  return (
    <CellHints factsOf={factsOf}>
      <div role="gridcell" tabIndex={-1}>
        <button type="button" data-hint={hintOf('dev', 'FLOW')} data-state={state}>
          <span data-sign>Sign</span>
          FLOW
        </button>
      </div>
    </CellHints>
  )
}

const sides = [
  { of: 'by its letters', named: variable, expected: ['A 1', 'B 2'] },
  { of: 'by its labels', named: { ...variable, labels: { a: 'Green', b: 'Gray' } }, expected: ['Green 1', 'Gray 2'] },
]

test.each(sides)('the hint of a roll names its values $of', async ({ named, expected }) => {
  answer({ '/v1/whoami': {}, '/v1/env/plain': { entries: [] } })
  const entry = { name: 'FLOW', kind: 'ab_roll', valueA: '1', valueB: '2', chance: 0.5 } as const
  await render(<Cells entry={entry} untilMs={Date.now() + 30_000} named={named} />)
  fireEvent.pointerOver(await screen.findByRole('gridcell'), { pointerType: 'mouse' })
  const hint = await screen.findByRole('tooltip')
  const values = [...hint.querySelectorAll('code')]
  expect(values.map((code) => `${code.previousSibling?.textContent} ${code.textContent}`)).toEqual(expected)
})

test('the hint of a cell that shows everything appears only on its sign, and describes the cell elsewhere', async () => {
  answer({ '/v1/whoami': {}, '/v1/env/plain': { entries: [] } })
  await render(<Cells entry={undefined} named={{ ...variable, updatedAtMs: Date.now() }} />)
  const cell = await screen.findByRole('gridcell')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const restOn = (target: Element): void => {
    fireEvent.pointerOver(target, { pointerType: 'mouse' })
    act(() => void vi.advanceTimersByTime(500))
  }
  restOn(screen.getByText('Sign'))
  expect(screen.getByRole('tooltip').textContent).toBe('Changed, now.')
  restOn(cell)
  expect(screen.queryByRole('tooltip')).toBeNull()
  const described = screen.getByRole('button').getAttribute('aria-describedby') ?? ''
  expect(document.querySelector(`[id="${described}"]`)?.textContent).toBe('Changed, now.')
})

test.each([
  ['different', 'Changed, now.'],
  ['set', undefined],
])('the keyboard gets the hint of the sign of a cell that is %s: %s', async (state, text) => {
  answer({ '/v1/whoami': {}, '/v1/env/plain': { entries: [] } })
  await render(<Cells entry={undefined} named={{ ...variable, updatedAtMs: Date.now() }} state={state} />)
  const cell = await screen.findByRole('button')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  // Whether a focus is visible depends on the last key or press in the window, which another test may have made.
  fireEvent.keyDown(document.body, { key: 'Tab' })
  act(() => cell.focus())
  act(() => void vi.advanceTimersByTime(500))
  expect(screen.queryByRole('tooltip')?.textContent).toBe(text)
})

test('the hint of a name has the last change where the table has no column for it', async () => {
  answer({ '/v1/whoami': {}, '/v1/env/plain': { entries: [] } })
  const rows = rowsOf([[{ ...variable, updatedAtMs: Date.now() }]])
  function Names() {
    const factsOf = useCellHint([stage], rows, () => ({ entry: undefined, untilMs: undefined }), 'shop', new Map())
    const actions = { focus: () => {}, select: () => {} }
    const row = (lastChange: boolean) => (
      <GridRow
        {...{ index: 0, top: 0, stages: [], stageNames: [], plain: [], actions, waiting: new Map(), isSelected: false }}
        row={rows[0]!}
        hasColumn={{ type: true, description: true, lastChange }}
        lastChange="now"
        {...{
          changes: undefined,
          revealed: undefined,
          hotStage: undefined,
          editing: undefined,
          activeColumn: undefined,
        }}
      />
    )
    return (
      <CellActionsContext value={{ projectSlug: 'shop', act: () => {}, edited: () => {} }}>
        <CellHints factsOf={factsOf}>
          {row(true)}
          {row(false)}
        </CellHints>
      </CellActionsContext>
    )
  }
  await render(<Names />)
  const [withColumn, without] = await screen.findAllByRole('button', { name: 'FLOW' })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const restOn = (target: Element): void => {
    fireEvent.pointerOver(target, { pointerType: 'mouse' })
    act(() => void vi.advanceTimersByTime(500))
  }
  restOn(withColumn!)
  expect(screen.queryByRole('tooltip')).toBeNull()
  restOn(without!)
  expect(screen.getByRole('tooltip').textContent).toBe('Changed, now.')
})

test('the hint of a cell under the mouse goes when the person types elsewhere', async () => {
  answer({ '/v1/whoami': {}, '/v1/env/plain': { entries: [] } })
  const entry = { name: 'FLOW', kind: 'ab_roll', valueA: '1', valueB: '2', chance: 0.5 } as const
  await render(<Cells entry={entry} untilMs={Date.now() + 30_000} named={variable} />)
  fireEvent.pointerOver(await screen.findByRole('gridcell'), { pointerType: 'mouse' })
  await screen.findByRole('tooltip')
  fireEvent.keyDown(document.body, { key: '2' })
  expect(screen.queryByRole('tooltip')).toBeNull()
})

test('the hint of a cell says which change waits, and when it is applied', async () => {
  answer({ '/v1/whoami': {}, '/v1/env/plain': { entries: [] } })
  const proposal = { ...plan, reason: 'Larger pages', dueAtMs: Date.now() + 2 * 3_600_000 } as unknown as ListedChange
  await render(<Cells entry={undefined} named={variable} waiting={new Map([['dev', new Map([['FLOW', proposal]])]])} />)
  fireEvent.pointerOver(await screen.findByRole('gridcell'), { pointerType: 'mouse' })
  expect(await screen.findByText(/A change is planned: “Larger pages”, next in 2 hours\./)).toBeDefined()
})

test('the hint of a missing cell says the plain value of the stage that has it', async () => {
  answer({ '/v1/whoami': {} })
  const size: Digested = { name: 'SIZE', kind: 'secret', exposure: 'plain', digests: { value: 'x' } }
  const prod = { stageSlug: 'prod', name: 'prod' } as Stage
  function Missing() {
    const entry = { name: 'SIZE', kind: 'secret', value: '20' } as const
    const visible = (): { entry: RevealedEntry; untilMs: undefined } => ({ entry, untilMs: undefined })
    const factsOf = useCellHint([stage, prod], rowsOf([[size], []]), visible, 'shop', new Map())
    return <output>{factsOf({ stageSlug: 'prod', name: 'SIZE' })?.text}</output>
  }
  await render(<Missing />)
  expect((await screen.findByRole('status')).textContent).toBe('Missing here, set to 20 in dev.')
})

test.each([
  [undefined, 'Missing in all stages. It is declared, but not required here.'],
  ['all', 'Missing here.'],
] as const)('the hint of a declared variable that no stage has says if it is required: %s', async (required, text) => {
  answer({ '/v1/whoami': {} })
  const prod = { stageSlug: 'prod', name: 'prod', isProduction: true } as Stage
  function Declared() {
    const rows = withDeclaredRows([], [{ name: 'SENTRY_DSN', ...(required && { required }) }], 1)
    const factsOf = useCellHint([prod], rows, () => ({ entry: undefined, untilMs: undefined }), 'shop', new Map())
    return <output>{factsOf({ stageSlug: 'prod', name: 'SENTRY_DSN' })?.text}</output>
  }
  await render(<Declared />)
  expect((await screen.findByRole('status')).textContent).toBe(text)
})
