import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { render } from '../../../testkit/render.tsx'
import { useNoteEnd, useSeenEnds } from './seen-ends.ts'

const states = [{ id: 'chg_1' }, { id: 'chg_1', settledAtMs: 1 }, { id: 'chg_2', settledAtMs: 1 }] as const

function Page() {
  const [at, setAt] = useState(0)
  useNoteEnd(states[at])
  return <button onClick={() => setAt(at + 1)}>{useSeenEnds()[0].join(', ') || 'none'}</button>
}

it('notes that a person sees the end of a change, once it has ended', async () => {
  await render(<Page />)
  await userEvent.click(screen.getByRole('button', { name: 'none' }))
  await userEvent.click(await screen.findByRole('button', { name: 'chg_1' }))
  await screen.findByRole('button', { name: 'chg_2, chg_1' })
  expect(localStorage.getItem('rollkey-seen-ends:acme:ada')).toBe('["chg_2","chg_1"]')
})
