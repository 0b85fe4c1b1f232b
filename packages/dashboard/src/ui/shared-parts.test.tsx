import { act, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { describe, expect, test, vi } from 'vitest'
import { render } from '../../testkit/render.tsx'
import { BusyButton } from './buttons.tsx'
import { useCommandKeys, useCommands } from './commands.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { DataTable } from './data-table.tsx'
import { FieldsFilter, Filter, SearchInput } from './filter-bar.tsx'
import { labels } from './labels.ts'
import { MaskedValue } from './masked-value.tsx'
import { Page, PageTabsContext } from './page.tsx'
import { SplitBar } from './split-bar.tsx'

test('the second click of a double click does not run an action again', async () => {
  const onClick = vi.fn<() => void>()
  await render(
    <BusyButton isBusy={false} onClick={onClick}>
      Approve
    </BusyButton>,
  )
  const button = screen.getByRole('button', { name: 'Approve' })
  await userEvent.dblClick(button)
  expect(onClick).toHaveBeenCalledOnce()
  await userEvent.keyboard('{Enter}')
  expect(onClick).toHaveBeenCalledTimes(2)
})

describe('a masked value', () => {
  const handlers = { onReveal: vi.fn<() => void>(), onHide: vi.fn<() => void>() }

  test('that is revealed and has no characters says that it is empty', async () => {
    await render(<MaskedValue what="TOKEN in dev" value="" {...handlers} />)
    expect(screen.queryByText(labels.empty)).not.toBeNull()
  })

  test('is in no text before it is revealed', async () => {
    await render(<MaskedValue what="API_KEY in prod" value={undefined} {...handlers} />)
    await userEvent.click(await screen.findByRole('button', { name: 'Reveal API_KEY in prod' }))
    expect(handlers.onReveal).toHaveBeenCalledOnce()
  })

  test('is hidden 30 seconds after it was revealed', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
    await render(<MaskedValue what="API_KEY in prod" value="v1" {...handlers} />)
    screen.getByText('30 sec')
    act(() => void vi.advanceTimersByTime(28_000))
    expect(handlers.onHide).not.toHaveBeenCalled()
    act(() => void vi.advanceTimersByTime(2000))
    expect(handlers.onHide).toHaveBeenCalledOnce()
  })
})

describe('a search box', () => {
  test('leads to what was found with the down arrow', async () => {
    const run = vi.fn<() => void>()
    const change = vi.fn<() => void>()
    function Searched() {
      useCommands([{ id: 'first-found', label: 'Next', run }])
      return <SearchInput label="Filter by name" value="ada" onChange={change} next="first-found" />
    }
    await render(<Searched />)
    await userEvent.type(await screen.findByRole('searchbox', { name: 'Filter by name' }), '{ArrowDown}')
    expect(run).toHaveBeenCalledOnce()
  })

  test('is cleared by Escape, and then left to the keys of the page', async () => {
    function Searched() {
      const [text, setText] = useState('')
      return <SearchInput label="Filter" value={text} onChange={setText} />
    }
    await render(<Searched />)
    const box = await screen.findByRole<HTMLInputElement>('searchbox', { name: 'Filter' })
    await userEvent.type(box, 'ada{Escape}')
    expect([box.value, document.activeElement]).toEqual(['', box])
    await userEvent.keyboard('{Escape}')
    expect(document.activeElement).toBe(document.body)
  })
})

describe('a table', () => {
  const opened = vi.fn<(name: string) => void>()
  const columns = [
    {
      key: 'name',
      header: 'Name',
      isSortable: true,
      cell: (name: string) => (
        <button type="button" onClick={() => opened(name)}>
          {name}
        </button>
      ),
    },
    { key: 'size', header: 'Size', align: 'end', cell: (name: string) => name.length },
  ] as const
  const list = { label: 'Names', columns, rows: ['ada', 'grace', 'alan'], keyOf: (name: string) => name }

  test('leads from row to row with the arrow keys', async () => {
    await render(<DataTable {...list} />)
    const first = await screen.findByRole('button', { name: 'ada' })
    first.focus()
    await userEvent.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}{ArrowUp}')
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'grace' }))
  })

  test('leads to its first row and on with j and k', async () => {
    function WithKeys() {
      useCommandKeys()
      return <DataTable {...list} />
    }
    await render(<WithKeys />)
    await screen.findByRole('button', { name: 'ada' })
    await userEvent.keyboard('j')
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'ada' }))
    for (const key of ['j', 'j', 'j', 'k']) await userEvent.keyboard(key)
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'grace' }))
  })

  test('opens a row by a click anywhere in it', async () => {
    await render(<DataTable {...list} />)
    await userEvent.click(await screen.findByText('5'))
    expect(opened).toHaveBeenLastCalledWith('grace')
  })

  test('tells the order, and asks for the other one', async () => {
    const onSort = vi.fn<(sort: object) => void>()
    await render(<DataTable {...list} sort={{ key: 'name', direction: 'ascending' }} onSort={onSort} />)
    const head = await screen.findByRole('columnheader', { name: 'Name' })
    expect(head.getAttribute('aria-sort')).toBe('ascending')
    await userEvent.click(within(head).getByRole('button'))
    expect(onSort).toHaveBeenCalledWith({ key: 'name', direction: 'descending' })
  })
})

test('a question does nothing until the slug is typed', async () => {
  const mutate = vi.fn<() => void>()
  const mutation = { mutate, error: null, isPending: false }
  await render(
    <ConfirmDialog
      title="Delete web-shop?"
      label="Delete web-shop"
      typed="web-shop"
      mutation={mutation}
      opened
      onClose={() => undefined}
    >
      It has 3 stages.
    </ConfirmDialog>,
  )
  const input = await screen.findByLabelText('Type web-shop to confirm')
  await userEvent.type(input, 'web-sho{Enter}')
  expect(mutate).not.toHaveBeenCalled()
  await userEvent.type(input, 'p{Enter}')
  expect(mutate).toHaveBeenCalledOnce()
})

test('the share of A is a text, too', async () => {
  await render(<SplitBar share={0.25} label="Chance of A" />)
  expect(await screen.findByRole('img', { name: /^Chance of A: 25/ })).toBeDefined()
})

test('a text beside a bar stands for all of it', async () => {
  await render(
    <button type="button">
      <SplitBar share={0} text="All B" />
    </button>,
  )
  expect(await screen.findByRole('button', { name: 'All B' })).toBeDefined()
})

test('a bar is neutral where everyone gets one side, and a step of a plan keeps its color', async () => {
  await render(
    <>
      <SplitBar share={1} label="Roll" />
      <SplitBar share={1} label="Step" isStep />
    </>,
  )
  const isSettled = (name: RegExp) => screen.getByRole('img', { name }).closest('[data-settled]') !== null
  expect([isSettled(/^Roll/), isSettled(/^Step/)]).toEqual([true, false])
})

test('a filter says what is chosen, and can be cleared', async () => {
  const onChange = vi.fn<(chosen: readonly string[]) => void>()
  await render(<Filter label="Kind" options={[{ value: 's', label: 'Secret' }]} chosen={['s']} onChange={onChange} />)
  expect(await screen.findByRole('button', { name: 'Kind: Secret' })).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Clear Kind' }))
  expect(onChange).toHaveBeenCalledWith([])
})

test('a filter with fields opens them, says what is chosen, and can be cleared', async () => {
  const clear = vi.fn<() => void>()
  await render(
    <FieldsFilter label="Dates" chosen="since Nov 15" onClear={clear}>
      <input aria-label="From" />
    </FieldsFilter>,
  )
  await userEvent.click(screen.getByRole('button', { name: 'Dates: since Nov 15' }))
  await screen.findByRole('textbox', { name: 'From' })
  await userEvent.click(screen.getByRole('button', { name: /Clear/ }))
  expect(clear).toHaveBeenCalledOnce()
})

test('a page shows the tabs of its section below its title', async () => {
  await render(
    <PageTabsContext value={<nav>Tabs</nav>}>
      <Page title="Settings">Body</Page>
    </PageTabsContext>,
  )
  expect(document.body.textContent).toContain('SettingsTabsBody')
})
