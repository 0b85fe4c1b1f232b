import { useQuery } from '@tanstack/react-query'
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { render } from '../../testkit/render.tsx'
import { LoadError } from './loading.tsx'

const load = vi.fn<() => Promise<string>>()
const loadOther = vi.fn<() => Promise<string>>(async () => 'other')

function Part() {
  const { data, error } = useQuery({ queryKey: ['part'], queryFn: load })
  useQuery({ queryKey: ['other'], queryFn: loadOther })
  return (
    <>
      <LoadError error={error} />
      {data}
    </>
  )
}

test('what did not load is loaded again, and nothing else', async () => {
  load.mockRejectedValueOnce(new Error('lost')).mockResolvedValueOnce('loaded')
  await render(<Part />)
  await userEvent.click(await screen.findByRole('button', { name: 'Try again' }))
  await screen.findByText('loaded')
  expect(screen.queryByRole('alert')).toBeNull()
  expect(loadOther).toHaveBeenCalledOnce()
})
