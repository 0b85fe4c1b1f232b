import type { Digested, WriteEntry } from '@rollkey/contract'
import { fireEvent, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { answer } from '../../../../testkit/answers.ts'
import { render } from '../../../../testkit/render.tsx'
import type { Stage } from '../../projects/queries.ts'
import { rowsOf } from '../comparison.ts'
import { CellHints, hintOf, useCellHint } from './cell-hints.tsx'

const stage = { stageSlug: 'dev', name: 'dev' } as Stage
const variable: Digested = {
  name: 'FLOW',
  kind: 'ab_roll',
  exposure: 'plain',
  chance: 0.5,
  digests: { a: 'x', b: 'y' },
}

function Cells({ entry, named }: { readonly entry: WriteEntry; readonly named: Digested }) {
  const factsOf = useCellHint([stage], rowsOf([[named]]), () => ({ entry, untilMs: Date.now() + 30_000 }), 'shop')
  return (
    <CellHints factsOf={factsOf}>
      <div role="gridcell" tabIndex={-1}>
        <button type="button" data-hint={hintOf('dev', 'FLOW')}>
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
  await render(<Cells entry={entry} named={named} />)
  fireEvent.pointerOver(await screen.findByRole('gridcell'), { pointerType: 'mouse' })
  const hint = await screen.findByRole('tooltip')
  const values = [...hint.querySelectorAll('code')]
  expect(values.map((code) => `${code.previousSibling?.textContent} ${code.textContent}`)).toEqual(expected)
})

test('the hint of a cell under the mouse goes when the person types elsewhere', async () => {
  answer({ '/v1/whoami': {}, '/v1/env/plain': { entries: [] } })
  const entry = { name: 'FLOW', kind: 'ab_roll', valueA: '1', valueB: '2', chance: 0.5 } as const
  await render(<Cells entry={entry} named={variable} />)
  fireEvent.pointerOver(await screen.findByRole('gridcell'), { pointerType: 'mouse' })
  await screen.findByRole('tooltip')
  fireEvent.keyDown(document.body, { key: '2' })
  expect(screen.queryByRole('tooltip')).toBeNull()
})
