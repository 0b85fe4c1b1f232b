import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { render } from '../../../testkit/render.tsx'
import { ServedShare } from './share-bar.tsx'
import { FitBadge } from '../../parts/rolls/fit-badge.tsx'

test('a share says what is expected, and whether it fits', async () => {
  await render(<ServedShare roll={{ share: 0.245, expected: { low: 0.22, high: 0.28 }, verdict: 'fits' }} />)
  expect(screen.getByText(/^24.5/).title).toBe('Share of A since the chance last changed: 24.5%, expected 22% to 28%')
  const badge = screen.getByText('Fits')
  // A hint is for the mouse; screen readers read the text itself.
  expect(badge.title).toMatch(/^The share of A is close to the chance/)
  expect(badge.textContent).toContain(badge.title)
})

test.each([
  ['fits', 'Fits the chance'],
  ['unusual', 'Unusual for the chance'],
  ['differs', 'Doesn’t fit the chance'],
  ['unknown', 'Too few to compare'],
] as const)('the verdict %s reads %s', async (verdict, words) => {
  await render(<FitBadge verdict={verdict} />)
  expect(screen.getByText(words).getAttribute('data-verdict')).toBe(verdict)
})
