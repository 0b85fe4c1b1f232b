import { QueryClient } from '@tanstack/react-query'
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { render } from '../../testkit/render.tsx'
import { viewerKey } from '../session/viewer.ts'
import { runLatest, toast, ToastRegion } from '../ui/toast.tsx'
import { clearToastsWithViewer } from './viewer-toasts.ts'

const ada = { provider: 'external', userId: 'ada', name: 'Ada' }

test.each([
  ['signs out', null],
  ['is another person', { ...ada, userId: 'grace' }],
])('no toast is left when the viewer %s, also for the key', async (_, next) => {
  const queryClient = new QueryClient()
  clearToastsWithViewer(queryClient)
  queryClient.setQueryData(viewerKey, ada)
  await render(<ToastRegion />)
  toast.success('Renamed', { undo: () => {}, redo: undefined })
  await screen.findByText('Renamed')
  // Their name is another one, and they are asked for again.
  queryClient.setQueryData(viewerKey, { ...ada, name: 'Ada L.' })
  queryClient.removeQueries({ queryKey: viewerKey })
  toast.info('Connected again')
  await screen.findByText('Connected again')
  expect(screen.queryByText('Renamed')).not.toBeNull()
  queryClient.setQueryData(viewerKey, next)
  await expect.poll(() => screen.queryByText('Renamed')).toBeNull()
  runLatest('undo')
  await screen.findByText(/^Nothing to undo/)
  expect(screen.queryByText('Renamed')).toBeNull()
})
