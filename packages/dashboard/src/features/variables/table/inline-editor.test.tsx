import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useQuery } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { answer } from '../../../../testkit/answers.ts'
import { render } from '../../../../testkit/render.tsx'
import { digestsQuery } from '../../../data/variables/queries.ts'
import { useScope } from '../../../session/scope.ts'
import { labels as editorLabels } from '../editor/labels.ts'
import { InlineEditor } from './inline-editor.tsx'
import { CellActionsContext, type EndEditing } from './use-cell-actions.ts'

const entry = { name: 'SIZE', kind: 'secret', value: '20', declaredType: 'int64' } as const

/** The table, which reads the stages. */
function Table() {
  useQuery(digestsQuery(useScope(), { projectSlug: 'shop', stageSlug: 'dev' }))
  return null
}

const stage = { stageSlug: 'dev', name: 'dev' }

async function edit(text: string) {
  const onDone = vi.fn<EndEditing>()
  await render(
    <CellActionsContext value={{ projectSlug: 'shop', act: () => {}, edited: onDone }}>
      <InlineEditor label="SIZE in dev" stage={stage} entry={entry} draft={undefined} onFocus={() => {}} />
      <button type="button">Elsewhere</button>
      <Table />
    </CellActionsContext>,
  )
  const input = screen.getByLabelText<HTMLInputElement>('New value of SIZE in dev')
  await userEvent.clear(input)
  await userEvent.type(input, text)
  return { input, onDone }
}

test('Enter saves what was typed', async () => {
  const { onDone } = await edit('77{Enter}')
  expect(onDone.mock.calls).toEqual([['77', false]])
})

test('what was typed joins the draft when the focus leaves, by the Tab key or the mouse', async () => {
  const { onDone } = await edit('77')
  await userEvent.tab()
  expect(onDone.mock.calls).toEqual([['77', true]])
  onDone.mockClear()
  await userEvent.click(screen.getByRole('button', { name: 'Elsewhere' }))
  expect(onDone.mock.calls).toEqual([['77', true]])
})

test('a value that cannot be saved stays in its field, and is marked', async () => {
  const { input, onDone } = await edit('many')
  await userEvent.tab()
  expect(document.activeElement).toBe(input)
  await userEvent.click(screen.getByRole('button', { name: 'Elsewhere' }))
  expect(onDone).not.toHaveBeenCalled()
  expect(input.value).toBe('many')
  expect(input.getAttribute('aria-invalid')).toBe('true')
})

test('a value that the project does not expect is refused at once, also where changes are proposed, and those it expects are offered', async () => {
  const declaration = { name: 'SIZE', declaredType: 'int64', constraint: { enum: ['20', '77'] } }
  answer({ '/v1/declarations/list': { declarations: [declaration] } })
  const { input, onDone } = await edit('5')
  await expect
    .poll(() => document.querySelectorAll(`datalist[id="${input.getAttribute('list')}"] option`).length)
    .toBe(2)
  await userEvent.keyboard('{Enter}')
  expect(onDone).not.toHaveBeenCalled()
  expect(input.getAttribute('aria-invalid')).toBe('true')
  await userEvent.clear(input)
  await userEvent.type(input, '77{Enter}')
  expect(onDone.mock.calls).toEqual([['77', false]])
})

test('the templates that another value changes are named', async () => {
  const variable = { name: 'SIZE', kind: 'secret', digests: {} }
  const template = { ...variable, name: 'LABEL', template: true, sources: ['SIZE'] }
  answer({ '/v1/env/digests': { variables: [variable, template], revision: 1 } })
  await edit('77')
  const named = editorLabels.writesTemplates(['LABEL'], ['dev'])
  await expect.poll(() => screen.getByRole('status').textContent).toContain(named)
})

test('leaving a value as it is ends the editing', async () => {
  const { onDone } = await edit('20')
  await userEvent.tab()
  expect(onDone.mock.calls).toEqual([[]])
})
