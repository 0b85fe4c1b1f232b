import { screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { beforeEach, expect, it, vi } from 'vitest'
import { render } from '../../testkit/render.tsx'
import { useCommandKeys } from './commands.ts'
import { Timeline, TimelineDetails, TimelineLink, TimelineText } from './timeline.tsx'

const close = vi.fn<() => void>()
beforeEach(() => close.mockClear())

const now = Date.now()
const items = [
  { key: '3', atMs: now },
  { key: '2', atMs: now - 1 },
  { key: '1', atMs: now - 24 * 3_600_000 },
]

function Keys() {
  useCommandKeys()
  return null
}

async function renderTimeline(chosen?: string): Promise<void> {
  await render(
    <>
      <Keys />
      <Timeline
        label="Changes"
        items={items}
        keyOf={({ key }) => key}
        msOf={({ atMs }) => atMs}
        row={({ key, atMs }) => (
          <TimelineLink to="." aria-current={key === chosen ? 'page' : undefined}>
            <TimelineText who="Ada" ms={atMs}>
              changed {key}
            </TimelineText>
          </TimelineLink>
        )}
        chosen={chosen}
        details={
          <TimelineDetails title={`Details of ${chosen}`} onClose={close}>
            All about it
          </TimelineDetails>
        }
      />
    </>,
  )
}

function row(key: string) {
  return screen.findByRole('link', { name: new RegExp(`Ada changed ${key}`) })
}

it('groups by day', async () => {
  await renderTimeline()
  await screen.findByRole('list', { name: 'Changes: Today' })
  expect(screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent)).toEqual([
    'Today',
    'Yesterday',
  ])
})

it('leads from row to row with the arrow keys, j and k, across days', async () => {
  await renderTimeline()
  ;(await row('3')).focus()
  await userEvent.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}')
  expect(document.activeElement).toBe(await row('1'))
  await userEvent.keyboard('{ArrowUp}')
  expect(document.activeElement).toBe(await row('2'))
  await userEvent.keyboard('j')
  expect(document.activeElement).toBe(await row('1'))
  await userEvent.keyboard('kk')
  expect(document.activeElement).toBe(await row('3'))
})

it('opens details with the focus, and closes them by Escape', async () => {
  await renderTimeline('2')
  const details = await screen.findByRole('region', { name: 'Details' })
  expect(document.activeElement?.contains(details)).toBe(true)
  await userEvent.keyboard('{Escape}')
  expect(close).toHaveBeenCalledOnce()
})
