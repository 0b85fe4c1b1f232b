import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { render } from '../../../testkit/render.tsx'
import { ChanceInput } from './chance-form.tsx'

it('sets one of the usual chances with one click', async () => {
  const onChange = vi.fn<(chance: number) => void>()
  await render(<ChanceInput value={0.5} onChange={onChange} />)
  await userEvent.click(screen.getByRole('button', { name: '25%' }))
  expect(onChange).toHaveBeenCalledExactlyOnceWith(0.25)
})

it('keeps the chance while the typed text is not a number', async () => {
  const onChange = vi.fn<(chance: number) => void>()
  await render(<ChanceInput value={0.5} onChange={onChange} />)
  await userEvent.clear(screen.getByRole('textbox', { name: 'Chance of A in percent' }))
  expect(onChange).not.toHaveBeenCalled()
})
