import { act, render } from '@testing-library/react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { focusOn, useFocusWatcher } from './focus.ts'

function List({ names }: { readonly names: readonly string[] }) {
  useFocusWatcher()
  return (
    <ul>
      {names.map((name) => (
        <li key={name}>
          <button type="button" data-focus={name}>
            {name}
          </button>
        </li>
      ))}
    </ul>
  )
}

function pass(ms: number): Promise<void> {
  return act(async () => void (await vi.advanceTimersByTimeAsync(ms)))
}

test('what an action made gets the focus however late it comes, and until then a neighbor has it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { getByText, rerender } = render(<List names={['removed', 'neighbor']} />)
  getByText('removed').focus()
  rerender(<List names={['neighbor']} />)
  focusOn('made')
  await pass(1_500)
  expect(document.activeElement).toBe(document.body)
  await pass(1_000)
  expect(document.activeElement).toBe(getByText('neighbor'))
  await pass(30_000)
  rerender(<List names={['neighbor', 'made']} />)
  await pass(200)
  expect(document.activeElement).toBe(getByText('made'))
})
