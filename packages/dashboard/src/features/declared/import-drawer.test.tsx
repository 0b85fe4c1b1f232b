import { fireEvent, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { ImportDrawer } from './import-drawer.tsx'
import { labels } from './labels.ts'

const words = labels.import
const stage = { revision: 1, createdAtMs: 0, updatedAtMs: 0, variables: 1, isProduction: false }
const stages = ['dev', 'prod'].map((slug) => ({ ...stage, stageSlug: slug, name: slug }))
const declarations = [{ name: 'GONE' }, { name: 'PORT', declaredType: 'int64' as const }]
const document = { properties: { PORT: { type: 'integer', maximum: 9 }, NEW: {} }, required: ['NEW'] }

function enter(text: string): void {
  fireEvent.change(screen.getByRole('textbox'), { target: { value: text } })
}

test('a document is reviewed with what contradicts it, and stored only then', async () => {
  const missing = { name: 'NEW', problem: 'missing', expected: 'is required' }
  const check = { problems: [missing, { name: 'OTHER', problem: 'undeclared', expected: '' }], valuesChecked: true }
  const requests = answer({
    '/v1/declarations/check': (body: unknown) =>
      (body as { stageSlug: string }).stageSlug === 'dev' ? check : { ...check, valuesChecked: false },
    '/v1/declarations/replace': { created: [], updated: [], deleted: [] },
  })
  await render(
    <ImportDrawer projectSlug="shop" stages={stages} declarations={declarations} opened onClose={() => {}} />,
  )
  enter('{')
  await userEvent.click(screen.getByRole('button', { name: words.review }))
  screen.getByText(words.notJson)
  enter(JSON.stringify({ properties: { PORT: { const: 1 } } }))
  await userEvent.click(screen.getByRole('button', { name: words.review }))
  screen.getByText(words.wrong('the property "PORT" has "const", which is not supported'))
  expect(requests).toEqual([])
  enter(JSON.stringify(document))
  await userEvent.click(screen.getByRole('button', { name: words.review }))
  await screen.findByText(words.changes)
  for (const text of [words.added(['NEW']), words.changed(['PORT']), words.removed(['GONE'])]) screen.getByText(text)
  screen.getByText(`: ${labels.problem('missing', ['dev', 'prod'], '')}`)
  screen.getByText(labels.notCompared(['prod']))
  expect(screen.queryByText('OTHER')).toBeNull()
  expect(requests.map(({ path }) => path)).not.toContain('/v1/declarations/replace')
  await userEvent.click(screen.getByRole('button', { name: words.store }))
  await waitFor(() =>
    expect(requests.at(-1)).toEqual({
      path: '/v1/declarations/replace',
      body: { orgSlug: 'acme', projectSlug: 'shop', document },
    }),
  )
})
