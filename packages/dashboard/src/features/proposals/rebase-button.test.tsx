import type { Change, Stage } from '@rollkey/sdk/core'
import { screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { Toasts } from '../../ui/toasts.tsx'
import { RebaseButton } from './rebase-button.tsx'

const place = { projectSlug: 'shop', stageSlug: 'prod' }
const stage = { ...place, name: 'Live', isProduction: true } as unknown as Stage
const roll = { name: 'CHECKOUT', action: 'chance', before: { kind: 'ab_roll', chance: 0.25 } }
const change = { ...place, id: 'chg_1', digest: 'd', names: ['CHECKOUT'], nameCount: 1, items: [roll], zone: 'UTC' }
const path = '/v1/changes/edit'
const edit = { path, body: { orgSlug: 'acme', ...place, id: 'chg_1', digest: 'd', rebase: true } }
const laterMs = Date.parse('2050-01-14T09:00Z')

async function show(more: object, required = 0) {
  const requests = answer({ '/v1/whoami': {}, [path]: {} })
  const proposal = { ...change, approvals: { required }, ...more } as unknown as Change
  await render(
    <>
      <RebaseButton proposal={proposal} stage={stage} />
      <Toasts />
    </>,
  )
  await userEvent.click(screen.getByRole('button', { name: 'Base on the present state' }))
  return requests
}

async function question() {
  return within(await screen.findByRole('dialog', { name: 'Base this change on the present state of Live?' }))
}

test('a plan goes on after a question that lists the steps to come and says that one falls', async () => {
  const steps = [
    { atMs: 1, chance: 0.001 },
    { atMs: 2, chance: 0.01 },
    { atMs: laterMs, chance: 1 },
  ]
  const requests = await show({ applyAtMs: 1, steps })
  const dialog = await question()
  const items = dialog.getAllByRole('listitem').map(({ textContent }) => textContent.replaceAll('\u00A0', ' '))
  expect(items).toHaveLength(2)
  expect(items[0]).toMatch(/^25% → 1%.*now$/)
  expect(items[1]).toMatch(/^1% → 100%.*2050/)
  dialog.getByText('The chance falls from 25% to 1%: some users who get A would get B again.')
  dialog.getByText(/^Live is a production stage/)
  expect(dialog.queryByText('The change needs approval again.')).toBeNull()
  expect(requests.map((each) => each.path)).not.toContain(path)
  await userEvent.click(dialog.getByRole('button', { name: 'Base on the present state of Live' }))
  await screen.findByText('Based on the present state of Live')
  expect(requests).toContainEqual(edit)
})

test('a chance at a time says what it replaces, and that it needs approval again', async () => {
  const requests = await show({ applyAtMs: laterMs, items: [{ ...roll, chance: 0.5 }] }, 1)
  const dialog = await question()
  dialog.getByText('25% → 50%')
  dialog.getByText('The change needs approval again.')
  await userEvent.click(dialog.getByRole('button', { name: 'Base on the present state of Live' }))
  await screen.findByText('Based on the present state of Live; it needs approval again')
  expect(requests).toContainEqual(edit)
})

test('other variables at a time are named', async () => {
  const names = ['KEY', 'LIMIT']
  await show({ applyAtMs: laterMs, names, nameCount: 2, items: names.map((name) => ({ name, action: 'delete' })) })
  const dialog = await question()
  dialog.getByText(/^The service then changes KEY and LIMIT in .*2050/)
  expect(dialog.queryByRole('list')).toBeNull()
})

test('a change without a time asks nothing', async () => {
  const requests = await show({ items: [{ ...roll, chance: 0.5 }] })
  await screen.findByText('Based on the present state of Live')
  expect(requests).toContainEqual(edit)
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('a change that would also move a chance says so', async () => {
  const [before, after] = [0, 0.5].map((chance) => ({ kind: 'ab_roll', chance }))
  const requests = await show({ items: [{ name: 'CHECKOUT', action: 'update', before, after }] })
  const dialog = await question()
  dialog.getByText(/^This also sets the chance of CHECKOUT from 0% back to 50%/)
  await userEvent.click(dialog.getByRole('button', { name: 'Base on the present state of Live' }))
  await screen.findByText('Based on the present state of Live')
  expect(requests).toContainEqual(edit)
})
