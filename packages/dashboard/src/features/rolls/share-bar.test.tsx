import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { render } from '../../../testkit/render.tsx'
import { FitBadge, ShareBar } from './share-bar.tsx'

test('the bar of a share says where the share is and where it is expected', async () => {
  await render(<ShareBar share={0.245} expected={{ low: 0.22, high: 0.28 }} />)
  expect(screen.getByRole('img').getAttribute('aria-label')).toBe(
    'Share of A: 24.5\u00a0%, expected 22\u00a0% to 28\u00a0%',
  )
})

test.each([
  ['fits', 'Fits'],
  ['differs', 'Doesn’t fit'],
  ['unknown', 'Not enough data'],
] as const)('the verdict %s reads %s', async (verdict, words) => {
  await render(<FitBadge verdict={verdict} />)
  expect(screen.getByText(words).getAttribute('data-verdict')).toBe(verdict)
})
