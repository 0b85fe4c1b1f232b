import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { render } from '../../../../testkit/render.tsx'
import { InlineEditor } from './inline-editor.tsx'
import { CellActionsContext, type EndEditing } from './use-cell-actions.ts'

const entry = { name: 'SIZE', kind: 'secret', value: '20', declaredType: 'int64' } as const

async function edit(text: string) {
  const onDone = vi.fn<EndEditing>()
  await render(
    <CellActionsContext value={{ act: () => {}, edited: onDone }}>
      <InlineEditor label="SIZE in dev" entry={entry} draft={undefined} onFocus={() => {}} />
      <button type="button">Elsewhere</button>
    </CellActionsContext>,
  )
  const input = screen.getByRole<HTMLInputElement>('textbox', { name: 'New value of SIZE in dev' })
  await userEvent.clear(input)
  await userEvent.type(input, text)
  return { input, onDone }
}

test('Enter saves what was typed', async () => {
  const { onDone } = await edit('77{Enter}')
  expect(onDone.mock.calls).toEqual([['77', false]])
})

test('what was typed joins the unsaved changes when the focus leaves, by the Tab key or the mouse', async () => {
  const { onDone } = await edit('77')
  await userEvent.tab()
  expect(onDone.mock.calls).toEqual([['77', true]])
  onDone.mockClear()
  await userEvent.click(screen.getByRole('button', { name: 'Elsewhere' }))
  expect(onDone.mock.calls).toEqual([['77', true]])
})

test('a value that cannot be saved stays in its field, and is marked', async () => {
  const { input, onDone } = await edit('many')
  await userEvent.tab()
  expect(document.activeElement).toBe(input)
  await userEvent.click(screen.getByRole('button', { name: 'Elsewhere' }))
  expect(onDone).not.toHaveBeenCalled()
  expect(input.value).toBe('many')
  expect(input.getAttribute('aria-invalid')).toBe('true')
})

test('leaving a value as it is ends the editing', async () => {
  const { onDone } = await edit('20')
  await userEvent.tab()
  expect(onDone.mock.calls).toEqual([[]])
})
