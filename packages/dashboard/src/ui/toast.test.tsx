import { act, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { render } from '../../testkit/render.tsx'
import { runLatest, toast, ToastRegion } from './toast.tsx'

test('a toast confirms an action and takes it back', async () => {
  await render(<ToastRegion />)
  const undo = vi.fn<() => void>()
  toast.success('Saved to dev', { undo, redo: undefined })
  await screen.findByText('Saved to dev')
  await userEvent.click(screen.getByRole('button', { name: 'Undo' }))
  expect(undo).toHaveBeenCalledOnce()
  await screen.findByText('Undone')
})

test.each([
  ['u', 'true'],
  ['Control+z', 'false'],
])('a toast shows the key %s where single keys are %s', async (key, hasCharacterKeys) => {
  localStorage.setItem('rollkey-character-keys', hasCharacterKeys)
  await render(<ToastRegion />)
  toast.success('Saved to dev', { undo: () => {}, redo: undefined })
  await screen.findByText('Saved to dev')
  const button = screen.getAllByRole('button', { name: 'Undo' }).at(-1)!
  expect(button.getAttribute('aria-keyshortcuts')).toBe(key)
  localStorage.clear()
})

test('a toast tells that an action could not be taken back', async () => {
  await render(<ToastRegion />)
  toast.success('Deleted API_KEY', { undo: () => Promise.reject(new Error('lost')), redo: undefined })
  await screen.findByText('Deleted API_KEY')
  await userEvent.click(screen.getAllByRole('button', { name: 'Undo' }).at(-1)!)
  expect((await screen.findByRole('alert')).textContent).not.toBe('')
})

test.each([
  ['a plain toast', 5_000, {}],
  ['a toast with an undo', 10_000, { undo: () => {}, redo: undefined }],
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

test('news take the place of those before them, and stay beside what the person did', async () => {
  await render(<ToastRegion />)
  toast.news('Grace changed A in dev (now).')
  await screen.findByText('Grace changed A in dev (now).')
  toast.news('Grace changed B in dev (now).')
  await screen.findByText('Grace changed B in dev (now).')
  toast.success('Saved to dev')
  await screen.findByText('Saved to dev')
  expect(screen.queryByText('Grace changed A in dev (now).')).toBeNull()
  expect(screen.queryByText('Grace changed B in dev (now).')).not.toBeNull()
})

test('the key for undo shows a toast that is gone once more, then undoes, and then says that nothing is left', async () => {
  await render(<ToastRegion />)
  const undo = vi.fn<() => void>()
  toast.success('Saved to prod', { undo, redo: undefined })
  const shown = (await screen.findByText('Saved to prod')).closest<HTMLElement>('[role=status]')
  await userEvent.click(within(shown!).getByRole('button', { name: 'Dismiss' }))
  await expect.poll(() => screen.queryByText('Saved to prod')).toBeNull()
  runLatest('undo')
  await screen.findByText('Saved to prod')
  expect(undo).not.toHaveBeenCalled()
  runLatest('undo')
  await expect.poll(() => undo).toHaveBeenCalledOnce()
  runLatest('undo')
  await screen.findByText(/^Nothing to undo/)
  expect(undo).toHaveBeenCalledOnce()
})

test('no key takes back who has access, neither the change nor its undo, but the button does', async () => {
  await render(<ToastRegion />)
  const steps: string[] = []
  const press = async (name: string) => userEvent.click((await screen.findAllByRole('button', { name })).at(-1)!)
  const undo = () => `Not protected ${steps.push('undo')}`
  toast.success('Protected prod', { undo, redo: () => void steps.push('redo'), isButtonOnly: true })
  await screen.findByText('Protected prod')
  expect(screen.getAllByRole('button', { name: 'Undo' }).at(-1)!.hasAttribute('aria-keyshortcuts')).toBe(false)
  runLatest('undo')
  await screen.findByText(/Press the button Undo/)
  expect(steps).toEqual([])
  await press('Undo')
  await screen.findByText('Not protected 1')
  runLatest('redo')
  await screen.findByText(/Press the button Redo/)
  expect(steps).toEqual(['undo'])
})

test('what was undone is done again, and undone again, by buttons and by keys', async () => {
  await render(<ToastRegion />)
  const steps: string[] = []
  const press = async (name: string) => userEvent.click((await screen.findAllByRole('button', { name })).at(-1)!)
  toast.success('Renamed', { undo: () => `Back ${steps.push('undo')}`, redo: () => void steps.push('redo') })
  await press('Undo')
  await screen.findByText('Back 1')
  await press('Redo')
  await screen.findByText('Renamed')
  runLatest('redo')
  await screen.findByText(/^Nothing to redo/)
  runLatest('undo')
  await screen.findByText('Back 3')
  runLatest('undo')
  await screen.findByText(/^Nothing to undo/)
  runLatest('redo')
  await expect.poll(() => steps).toEqual(['undo', 'redo', 'undo', 'redo'])
})

test('the key for undo is never about an action before the last one', async () => {
  await render(<ToastRegion />)
  const undo = vi.fn<() => void>()
  toast.success('Proposed for prod', { undo, redo: undefined })
  await screen.findByText('Proposed for prod')
  toast.success('Stopped CHECKOUT')
  await expect.poll(() => screen.queryByText('Proposed for prod')).toBeNull()
  runLatest('undo')
  await screen.findByText(/^Nothing to undo/)
  expect(screen.queryByText('Proposed for prod')).toBeNull()
  expect(undo).not.toHaveBeenCalled()
})

test('news leave the undo of the last action in sight, and to the key', async () => {
  await render(<ToastRegion />)
  const undo = vi.fn<() => void>()
  toast.success('Stopped CHECKOUT', { undo, redo: undefined })
  await screen.findByText('Stopped CHECKOUT')
  toast.info('Connected again')
  await screen.findByText('Connected again')
  expect(screen.queryByText('Stopped CHECKOUT')).not.toBeNull()
  runLatest('undo')
  await expect.poll(() => undo).toHaveBeenCalledOnce()
})

test('several results of one action are one toast, whose undo takes back the last one first', async () => {
  await render(<ToastRegion />)
  const undone: string[] = []
  const undoOf = (name: string) => () => Promise.resolve(`${name} is back, ${undone.push(name)}`)
  const redoOf = (name: string) => () => Promise.resolve(undone.push(`${name} again`))
  toast.together(() => {
    toast.success('Saved to dev', { undo: undoOf('dev'), redo: redoOf('dev') })
    toast.success('Proposed for prod', { undo: undoOf('prod'), redo: redoOf('prod') })
  })
  const text = await screen.findByText('Saved to dev. Proposed for prod')
  const shown = within(text.closest<HTMLElement>('[role=status]')!)
  await userEvent.click(shown.getByRole('button', { name: 'Undo' }))
  await screen.findByText('prod is back, 1. dev is back, 2')
  expect(undone).toEqual(['prod', 'dev'])
  // Done again, the first one is first.
  runLatest('redo')
  await screen.findByText('Saved to dev. Proposed for prod')
  expect(undone).toEqual(['prod', 'dev', 'dev again', 'prod again'])
})

test('what cannot be taken back as a whole offers no undo', async () => {
  await render(<ToastRegion />)
  toast.together(() => {
    toast.success('Deleted A')
    toast.success('Deleted B', { undo: () => {}, redo: undefined })
  })
  const text = await screen.findByText('Deleted A. Deleted B')
  expect(within(text.closest<HTMLElement>('[role=status]')!).queryByRole('button', { name: 'Undo' })).toBeNull()
})
