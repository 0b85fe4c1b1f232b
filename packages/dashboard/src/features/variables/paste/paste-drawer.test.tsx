import { fireEvent, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'
import { answer } from '../../../../testkit/answers.ts'
import { render } from '../../../../testkit/render.tsx'
import { type Changes, ChangesContext } from '../../../data/unsaved-changes/changes-context.ts'
import { labels } from './labels.ts'
import { PasteDrawer } from './paste-drawer.tsx'

const onClose = vi.fn<() => void>()
const add = vi.fn<Changes['add']>()
const changes: Changes = { pending: [], add, remove: () => {}, accept: () => {}, review: () => {} }
const dev = { stageSlug: 'dev', name: 'dev', createdAtMs: 0, revision: 3, variables: 0, updatedAtMs: 0 }

/** Opens the form and pastes a text. */
async function paste(text: string): Promise<void> {
  answer({ '/v1/whoami': {}, '/v1/env/digests': { variables: [], revision: 3 } })
  await render(
    <ChangesContext value={changes}>
      <PasteDrawer
        project={{
          projectSlug: 'shop',
          name: 'Shop',
          createdAtMs: 0,
          variables: 0,
          stages: [{ ...dev, isProduction: false }],
        }}
        opened
        onClose={onClose}
      />
    </ChangesContext>,
  )
  fireEvent.change(await screen.findByLabelText(labels.contents), { target: { value: text } })
}

beforeEach(() => vi.resetAllMocks())

test('all new variables get a visibility at once, and each can have another', async () => {
  await paste('A=1\nB=2')
  await userEvent.selectOptions(screen.getByLabelText(labels.visibilityOfNew), 'Plain')
  await userEvent.selectOptions(screen.getByLabelText(labels.visibilityOf('B')), 'Secret')
  expect(screen.getByLabelText<HTMLSelectElement>(labels.visibilityOfNew).selectedOptions[0]?.text).toBe(labels.mixed)
  await userEvent.click(screen.getByRole('button', { name: labels.review(2) }))
  const entries = add.mock.calls[0]?.[0].map(({ entry }) => entry)
  expect(entries).toMatchObject([{ name: 'A', exposure: 'plain' }, { name: 'B' }])
  expect(entries?.[1]).not.toHaveProperty('exposure')
  expect(onClose).toHaveBeenCalledOnce()
})

test('what was left out of a value is said, and does not prevent saving', async () => {
  await paste('A=hush \nB=2')
  await screen.findByText(labels.notices(1))
  screen.getByText(/^Line 1: The white space around the value of A was left out/)
  await userEvent.click(screen.getByRole('button', { name: labels.review(2) }))
  expect(add).toHaveBeenCalledOnce()
})

test('a text without variables says so', async () => {
  await paste('# nothing')
  expect(await screen.findByText(labels.noVariables)).toBeTruthy()
  expect(screen.getByRole<HTMLButtonElement>('button', { name: labels.review(0) }).disabled).toBe(true)
})

test('a file that is not UTF-8 is refused with its line, and one that is UTF-8 is read', async () => {
  await paste('')
  const input = document.querySelector<HTMLInputElement>('input[type=file]')!
  await userEvent.upload(input, new File([new Uint8Array([65, 61, 49, 10, 66, 61, 0xe4])], 'latin1.env'))
  await screen.findByText(labels.notUtf8(2))
  await userEvent.upload(input, new File(['A=ä'], '.env'))
  await screen.findByRole('button', { name: labels.review(1) })
  expect(screen.queryByText(labels.notUtf8(2))).toBeNull()
})

test('a long text stays open if its last line, which is not shown yet, is wrong', async () => {
  const long = Array.from({ length: 5 }, (_, at) => `NAME_${at}=${'x'.repeat(5_000)}`).join('\n')
  await paste(long)
  const review = await screen.findByRole('button', { name: labels.review(5) })
  const field = screen.getByLabelText(labels.contents)
  fireEvent.change(field, { target: { value: `${long}\nwrong` } })
  fireEvent.submit(review.closest('form')!)
  await screen.findByText(labels.lines(1))
  expect(add).not.toHaveBeenCalled()
  expect(onClose).not.toHaveBeenCalled()
})
