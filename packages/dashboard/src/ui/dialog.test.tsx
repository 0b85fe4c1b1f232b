import { act, screen, waitFor } from '@testing-library/react'
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

interface AskingProps {
  readonly keepMounted?: boolean
}

function Asking({ keepMounted = false }: AskingProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Rename
      </button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={<Title />} keepMounted={keepMounted}>
        <input aria-label="Name" />
      </Modal>
    </>
  )
}

test('a dialog is mounted when it is first opened, and returns the focus each time that it closes', async () => {
  await render(<Asking keepMounted />)
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

test('a dialog that no control opened leaves the focus on the heading', async () => {
  await render(
    <>
      <h1 tabIndex={-1}>Members</h1>
      <Asking />
    </>,
  )
  const button = screen.getByRole('button', { name: 'Rename' })
  // A click that does not focus, as a key on the page does not.
  act(() => button.click())
  const dialog = await screen.findByRole('dialog', { name: 'Rename shop' })
  await waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true))
  await userEvent.keyboard('{Escape}')
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Members' })))
})
