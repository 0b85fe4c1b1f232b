import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { render } from '../../testkit/render.tsx'
import { Modal } from './dialog.tsx'

const mounted = vi.fn<() => void>()

/** Shows that it is mounted, also while it is closed. */
function Title() {
  mounted()
  return 'Rename shop'
}

function Asking() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Rename
      </button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={<Title />} keepMounted>
        <input aria-label="Name" />
      </Modal>
    </>
  )
}

test('a dialog is mounted when it is first opened, and returns the focus each time that it closes', async () => {
  await render(<Asking />)
  expect(mounted).not.toHaveBeenCalled()
  const button = screen.getByRole('button', { name: 'Rename' })
  for (let time = 0; time < 2; time++) {
    await userEvent.click(button)
    const dialog = await screen.findByRole('dialog', { name: 'Rename shop' })
    await waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true))
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(document.activeElement).toBe(button))
  }
})
