import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { render } from '../../../testkit/render.tsx'
import { FitPanel } from './fit-panel.tsx'
import type { PlacedRoll } from './roll-list.ts'

function roll(chance: number, a: number, b: number): PlacedRoll {
  return { chance, chanceSinceMs: Date.now(), sinceChance: { a, b } } as PlacedRoll
}

test('after a change of the chance or its undo, the comparison starts over and says so', async () => {
  await render(<FitPanel roll={roll(0.5, 0, 0)} sides={undefined} />)
  const sentences = 'No evaluations by chance since then. Changing the chance restarts this comparison.'
  expect(screen.getByText(sentences)).toBeDefined()
})

test('a split says whether it fits, and where everyone gets one side there is none', async () => {
  await render(
    <>
      <FitPanel roll={roll(0.5, 500, 500)} sides={undefined} />
      <FitPanel roll={roll(1, 1_000, 0)} sides={undefined} />
    </>,
  )
  expect(screen.getAllByRole('heading')).toHaveLength(1)
  screen.getByText('Fits the chance')
})
