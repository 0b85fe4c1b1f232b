import { MantineProvider } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { act, cleanup, render as renderBare, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { render } from '../../testkit/render.tsx'
import { Drawer, Modal } from './dialog.tsx'

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

function Deleting({ name }: { readonly name: string | undefined }) {
  return (
    <MantineProvider>
      <Modal opened={name !== undefined} onClose={() => {}} title={`Delete ${name}?`}>
        {`Everyone loses ${name}.`}
      </Modal>
    </MantineProvider>
  )
}

test('a dialog keeps its words while it leaves', async () => {
  const { rerender } = renderBare(<Deleting name="shop" />)
  const dialog = await screen.findByRole('dialog', { name: 'Delete shop?' })
  rerender(<Deleting name={undefined} />)
  expect(dialog.isConnected).toBe(true)
  expect(dialog.textContent).toBe('Delete shop?Everyone loses shop.')
})

interface PromotingProps {
  readonly names?: readonly string[]
}

/** Shows a form whose content arrives after the drawer has opened. */
function Promoting({ names = [] }: PromotingProps) {
  const [isLoaded, setLoaded] = useState(false)
  useWindowEvent('online', () => setLoaded(true))
  return (
    <Drawer opened onClose={() => {}} title="Promote" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form>
        {isLoaded && names.map((name) => <input key={name} type="checkbox" aria-label={name} />)}
        <button type="button">Cancel</button>
        <button type="submit" disabled={!isLoaded}>
          Save
        </button>
      </form>
    </Drawer>
  )
}

/** Shows the form when the drawer has the focus and the keys are pressed, and returns what has the focus when the drawer has settled. */
async function focusAfterLoading(press = ''): Promise<string | null | undefined> {
  await waitFor(() => expect(document.activeElement?.ariaLabel).toBe('Close'))
  if (press !== '') await userEvent.keyboard(press)
  act(() => void globalThis.dispatchEvent(new Event('online')))
  // The drawer sees the form in a microtask, and places the focus in a timer that precedes this one.
  await act(() => new Promise((resolve) => setTimeout(resolve)))
  await act(() => new Promise((resolve) => setTimeout(resolve)))
  return document.activeElement?.ariaLabel ?? document.activeElement?.textContent
}

test('a drawer begins in the first field of its form, or at the button that submits it, when they arrive', async () => {
  await render(<Promoting names={['API_KEY', 'SIZE']} />)
  expect(await focusAfterLoading()).toBe('API_KEY')
  cleanup()
  await render(<Promoting />)
  expect(await focusAfterLoading()).toBe('Save')
})

test('a drawer is named by its title alone, beside which a button may be', async () => {
  const copy = <button type="button">Copy name</button>
  await render(<Drawer opened onClose={() => {}} title="API_KEY" titleAction={copy} />)
  await screen.findByRole('dialog', { name: 'API_KEY' })
  expect(screen.getByRole('heading').textContent).toBe('API_KEY')
  expect(screen.queryByRole('button', { name: 'Copy name' })).not.toBeNull()
})

test('the page does not scroll behind drawers, until the last one closes', async () => {
  function Drawers({ isOpen }: { readonly isOpen: boolean }) {
    const [isDeeper, setDeeper] = useState(isOpen)
    return (
      <>
        <Drawer opened onClose={() => {}} title="First" />
        <Drawer opened={isDeeper} onClose={() => setDeeper(false)} title="Second" />
      </>
    )
  }
  await render(<Drawers isOpen />)
  const { style } = document.documentElement
  await waitFor(() => expect(document.querySelectorAll('[role=dialog]')).toHaveLength(2))
  await userEvent.keyboard('{Escape}')
  await waitFor(() => expect(document.querySelectorAll('[role=dialog]')).toHaveLength(1))
  expect(style.overflow).toBe('hidden')
  cleanup()
  expect([style.overflow, style.paddingInlineEnd]).toEqual(['', ''])
})

test('a drawer leaves the focus where a key has moved it', async () => {
  await render(<Promoting names={['API_KEY']} />)
  expect(await focusAfterLoading('{Tab}')).toBe('Cancel')
})
