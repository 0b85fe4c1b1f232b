import { act, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { render } from '../../testkit/render.tsx'
import { toast, ToastRegion, undoLatest } from './toast.tsx'

test('a toast confirms an action and takes it back', async () => {
  await render(<ToastRegion />)
  const undo = vi.fn<() => void>()
  toast.success('Saved to dev', { undo })
  await screen.findByText('Saved to dev')
  await userEvent.click(screen.getByRole('button', { name: 'Undo' }))
  expect(undo).toHaveBeenCalledOnce()
  await screen.findByText('Undone')
})

test('a toast tells that an action could not be taken back', async () => {
  await render(<ToastRegion />)
  toast.success('Deleted API_KEY', { undo: () => Promise.reject(new Error('lost')) })
  await screen.findByText('Deleted API_KEY')
  await userEvent.click(screen.getAllByRole('button', { name: 'Undo' }).at(-1)!)
  expect((await screen.findByRole('alert')).textContent).not.toBe('')
})

test.each([
  ['a plain toast', 5_000, {}],
  ['a toast with an undo', 10_000, { undo: () => {} }],
])('%s goes after %i ms', async (_, ms, options) => {
  await render(<ToastRegion />)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  toast.success('Saved to dev', options)
  await expect.poll(() => screen.queryByText('Saved to dev')).not.toBeNull()
  act(() => void vi.advanceTimersByTime(ms - 1))
  expect(screen.queryByText('Saved to dev')).not.toBeNull()
  act(() => void vi.advanceTimersByTime(1))
  await expect.poll(() => screen.queryByText('Saved to dev')).toBeNull()
})

test('the same message twice is one toast', async () => {
  await render(<ToastRegion />)
  for (let i = 0; i < 3; i++) toast.success('Connected again')
  await screen.findByText('Connected again')
  expect(screen.getAllByText('Connected again')).toHaveLength(1)
})

test('the key for undo shows a toast that is gone once more, then undoes, and then says that nothing is left', async () => {
  await render(<ToastRegion />)
  const undo = vi.fn<() => void>()
  toast.success('Saved to prod', { undo })
  const shown = (await screen.findByText('Saved to prod')).closest<HTMLElement>('[role=status]')
  await userEvent.click(within(shown!).getByRole('button', { name: 'Dismiss' }))
  await expect.poll(() => screen.queryByText('Saved to prod')).toBeNull()
  undoLatest()
  await screen.findByText('Saved to prod')
  expect(undo).not.toHaveBeenCalled()
  undoLatest()
  await expect.poll(() => undo).toHaveBeenCalledOnce()
  undoLatest()
  await screen.findByText(/^Nothing to undo/)
  expect(undo).toHaveBeenCalledOnce()
})

test('the key for undo is never about an action before the last one', async () => {
  await render(<ToastRegion />)
  const undo = vi.fn<() => void>()
  toast.success('Proposed for prod', { undo })
  await screen.findByText('Proposed for prod')
  toast.success('Stopped CHECKOUT')
  await expect.poll(() => screen.queryByText('Proposed for prod')).toBeNull()
  undoLatest()
  await screen.findByText(/^Nothing to undo/)
  expect(screen.queryByText('Proposed for prod')).toBeNull()
  expect(undo).not.toHaveBeenCalled()
})

test('news leave the undo of the last action in sight, and to the key', async () => {
  await render(<ToastRegion />)
  const undo = vi.fn<() => void>()
  toast.success('Stopped CHECKOUT', { undo })
  await screen.findByText('Stopped CHECKOUT')
  toast.info('Connected again')
  await screen.findByText('Connected again')
  expect(screen.queryByText('Stopped CHECKOUT')).not.toBeNull()
  undoLatest()
  await expect.poll(() => undo).toHaveBeenCalledOnce()
})

test('several results of one action are one toast, whose undo takes back the last one first', async () => {
  await render(<ToastRegion />)
  const undone: string[] = []
  const undoOf = (name: string) => () => Promise.resolve(`${name} is back, ${undone.push(name)}`)
  toast.together(() => {
    toast.success('Saved to dev', { undo: undoOf('dev') })
    toast.success('Proposed for prod', { undo: undoOf('prod') })
  })
  const text = await screen.findByText('Saved to dev. Proposed for prod')
  const shown = within(text.closest<HTMLElement>('[role=status]')!)
  await userEvent.click(shown.getByRole('button', { name: 'Undo' }))
  await screen.findByText('prod is back, 1. dev is back, 2')
  expect(undone).toEqual(['prod', 'dev'])
})

test('what cannot be taken back as a whole offers no undo', async () => {
  await render(<ToastRegion />)
  toast.together(() => {
    toast.success('Deleted A')
    toast.success('Deleted B', { undo: () => {} })
  })
  const text = await screen.findByText('Deleted A. Deleted B')
  expect(within(text.closest<HTMLElement>('[role=status]')!).queryByRole('button', { name: 'Undo' })).toBeNull()
})
