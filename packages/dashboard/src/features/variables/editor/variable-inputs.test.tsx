import { act, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { render } from '../../../../testkit/render.tsx'
import { ValueInput } from './variable-inputs.tsx'

it('continues a value at its end, unless the person clicked into it', async () => {
  await render(<ValueInput label="Value" type="" mayKeep={false} value="abc" onChange={() => {}} />)
  const input = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Value' })
  input.setSelectionRange(0, 0)
  act(() => input.focus())
  expect([input.selectionStart, input.selectionEnd]).toEqual([3, 3])
  act(() => input.blur())
  await userEvent.pointer({ target: input, offset: 1, keys: '[MouseLeft]' })
  expect(input.selectionStart).toBe(1)
})
