import { act, fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useRef } from 'react'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { type Command, offeredCommands, requestCommand, useCommandKeys, useCommands } from './commands.ts'

const run = vi.fn<(label: string) => void>()

beforeEach(() => {
  run.mockClear()
  localStorage.clear()
})

function command(label: string, keys: string, more: Partial<Command> = {}): Command {
  return { label, keys, run: () => run(label), ...more }
}

function Frame({ commands }: { readonly commands: readonly Command[] }) {
  useCommandKeys()
  useCommands(commands, { isGlobal: true })
  return null
}

function Offering({ commands }: { readonly commands: readonly Command[] }) {
  useCommands(commands)
  return null
}

describe('keys', () => {
  test('run a command, alone, one after the other, and with a sign that takes Shift or Alt', async () => {
    const signs = [command('help', '?'), command('previous', '[')]
    render(<Frame commands={[command('new', 'n'), command('overview', 'g o'), ...signs]} />)
    await userEvent.keyboard('n')
    await userEvent.keyboard('go')
    fireEvent.keyDown(document.body, { key: '?', shiftKey: true })
    fireEvent.keyDown(document.body, { key: '[', altKey: true })
    expect(run.mock.calls).toEqual([['new'], ['overview'], ['help'], ['previous']])
  })

  test('leave what the focused element handles itself, and undo and redo in a field, alone', async () => {
    render(<input aria-label="Text" />)
    const steps = [command('undo', 'mod+z'), command('redo', 'mod+y')]
    render(<Frame commands={[command('enter', 'enter', { isNative: true }), ...steps]} />)
    await userEvent.keyboard('{Enter}')
    for (const key of ['z', 'y']) fireEvent.keyDown(screen.getByLabelText('Text'), { key, ctrlKey: true })
    expect(run).not.toHaveBeenCalled()
    for (const key of ['z', 'y']) fireEvent.keyDown(document.body, { key, ctrlKey: true })
    expect(run.mock.calls).toEqual([['undo'], ['redo']])
  })

  test('do nothing behind a question, and behind a drawer only what is in sight', async () => {
    const { rerender } = render(<div role="dialog" />)
    render(<Frame commands={[command('new', 'n'), command('undo', 'u', { isOverDrawers: true })]} />)
    await userEvent.keyboard('nu')
    expect(run).not.toHaveBeenCalled()
    rerender(<div role="dialog" className="mantine-Drawer-content" />)
    await userEvent.keyboard('nu')
    expect(run.mock.calls).toEqual([['undo']])
    rerender(<div />)
    await userEvent.keyboard('nu')
    expect(run.mock.calls).toEqual([['undo'], ['new'], ['undo']])
  })

  test('run the command of the page before that of the frame', async () => {
    render(
      <>
        <Offering commands={[command('of the page', 'n')]} />
        <Frame commands={[command('of the frame', 'n')]} />
      </>,
    )
    await userEvent.keyboard('n')
    expect(run.mock.calls).toEqual([['of the page']])
  })

  test('mean nothing while someone types, with another modifier, or behind a dialog', async () => {
    const { rerender } = render(<div />)
    rerender(<input aria-label="Name" />)
    render(<Frame commands={[command('new', 'n'), command('palette', 'mod+k')]} />)
    await userEvent.type(screen.getByLabelText('Name'), 'n')
    fireEvent.keyDown(document.body, { key: 'n', ctrlKey: true })
    fireEvent.keyDown(document.body, { key: 'n', altKey: true })
    expect(run).not.toHaveBeenCalled()
    fireEvent.keyDown(screen.getByLabelText('Name'), { key: 'k', ctrlKey: true })
    expect(run.mock.calls).toEqual([['palette']])
    rerender(<div role="dialog" />)
    await userEvent.keyboard('n')
    expect(run).toHaveBeenCalledOnce()
  })

  test('of a part count only while the focus is in it', async () => {
    function Part() {
      const part = useRef<HTMLDivElement>(null)
      useCommands([{ label: 'edit', keys: 'e', within: part, run: () => run('edit') }])
      return (
        <div role="dialog" ref={part}>
          <button type="button">Inside</button>
        </div>
      )
    }
    render(
      <>
        <Frame commands={[]} />
        <Part />
      </>,
    )
    await userEvent.keyboard('e')
    expect(run).not.toHaveBeenCalled()
    screen.getByText('Inside').focus()
    await userEvent.keyboard('e')
    expect(run).toHaveBeenCalledOnce()
  })

  test('that are single characters can be turned off', async () => {
    localStorage.setItem('rollkey-character-keys', 'false')
    render(<Frame commands={[command('new', 'n'), command('palette', 'mod+k')]} />)
    await userEvent.keyboard('n')
    expect(run).not.toHaveBeenCalled()
    fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
    expect(run.mock.calls).toEqual([['palette']])
  })
})

describe('a requested command', () => {
  test('runs once, as soon as a page offers it', () => {
    act(() => requestCommand('new-project'))
    const { unmount } = render(<Offering commands={[command('new', 'n', { id: 'new-project' })]} />)
    expect(run).toHaveBeenCalledOnce()
    unmount()
    render(<Offering commands={[command('new', 'n', { id: 'new-project' })]} />)
    expect(run).toHaveBeenCalledOnce()
  })
})

test('a page that is gone offers nothing', () => {
  const { unmount } = render(<Offering commands={[command('new', 'n')]} />)
  expect(offeredCommands()).toHaveLength(1)
  unmount()
  expect(offeredCommands()).toEqual([])
})
