import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { render } from '../../../testkit/render.tsx'
import { useCommands } from '../../ui/commands.ts'
import { ShortcutSheet } from './shortcut-sheet.tsx'

const run = (): void => undefined

function Page() {
  useCommands([
    { label: 'Redo', keys: 'shift+u', run },
    { label: 'Redo', keys: 'mod+y', run },
    { label: 'Page 1', keys: 'g t', run },
  ])
  return <ShortcutSheet opened onClose={run} />
}

it('has one line for the keys that do the same, with letters as on the keyboard where they are pressed with others', async () => {
  await render(<Page />)
  const lines = screen.getAllByRole('listitem').map(({ textContent }) => textContent)
  expect(lines).toEqual(['RedoShiftUorCtrlY', 'Page 1gt'])
})
