import type { Change } from '@rollkey/sdk/core'
import { screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { ItemActions } from './item-actions.tsx'
import { labels } from './labels.ts'

const { edit: words } = labels
const size = { name: 'SIZE', action: 'update', after: { kind: 'secret', declaredType: 'number', exposure: 'plain' } }
const gone = { name: 'GONE', action: 'delete' }
const change = {
  id: 'chg_1',
  projectSlug: 'shop',
  stageSlug: 'prod',
  digest: 'of-it',
  state: 'open',
  proposedBy: 'ada',
  items: [gone, size],
}
const edit = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'prod', id: 'chg_1', digest: 'of-it' }

async function show(more: object = {}, item: object = size) {
  const requests = answer({ '/v1/whoami': {}, '/v1/changes/edit': {} })
  const proposal = { ...change, ...more } as unknown as Change
  await render(<ItemActions proposal={proposal} item={item as Change['items'][number]} />)
  return () => requests.filter(({ path }) => path === '/v1/changes/edit').map(({ body }) => body)
}

const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }))

test('a variable gets another value, and keeps the rest of what is proposed for it', async () => {
  const edits = await show()
  await press(words.valueOf('SIZE'))
  await userEvent.type(await screen.findByLabelText(words.newValue), '20')
  await press(words.save)
  const entry = { name: 'SIZE', kind: 'secret', declaredType: 'number', exposure: 'plain', value: '20' }
  await expect.poll(edits).toEqual([{ ...edit, without: ['SIZE'], entries: [entry] }])
})

test('a variable is left out after a question', async () => {
  const edits = await show({}, gone)
  expect(screen.queryByRole('button', { name: words.valueOf('GONE') })).toBeNull()
  await press(words.leaveOutOf('GONE'))
  await press(words.leaveOut)
  await expect.poll(edits).toEqual([{ ...edit, without: ['GONE'] }])
})

test.each([
  ['of someone else', { proposedBy: 'grace' }],
  ['that is applied', { state: 'applied' }],
  ['that is a ramp', { steps: [] }],
])('a change %s is not edited', async (_, more) => {
  await show(more)
  expect(screen.queryByRole('button')).toBeNull()
})
