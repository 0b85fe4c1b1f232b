import type { Change } from '@rollkey/sdk/core'
import { screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { labels } from './labels.ts'
import { ApproveButton, ReviewPanel } from './review-panel.tsx'

const change = {
  id: 'chg_1',
  projectSlug: 'shop',
  stageSlug: 'prod',
  digest: 'of-it',
  state: 'open',
  names: ['SIZE'],
  nameCount: 1,
  needsYou: true,
  proposedBy: 'grace',
  reviews: [],
  approvals: { required: 1, approvers: [], rejectors: [], isApproved: false },
}

async function show(more: object = {}) {
  const requests = answer({ '/v1/whoami': {}, '/v1/changes/review': {} })
  const proposal = { ...change, ...more } as unknown as Change
  await render(
    <>
      <ApproveButton proposal={proposal} />
      <ReviewPanel proposal={proposal} />
    </>,
  )
  return () => requests.filter(({ path }) => path === '/v1/changes/review').map(({ body }) => body)
}

const comment = () => screen.getByLabelText(labels.comment)
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }))
const review = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'prod', id: 'chg_1', digest: 'of-it' }

test('the head approves at once, with the comment if there is one', async () => {
  const reviews = await show()
  await press(labels.approve)
  await userEvent.type(comment(), 'Good')
  await press(labels.approve)
  expect(reviews()).toEqual([
    { ...review, verdict: 'approve' },
    { ...review, verdict: 'approve', comment: 'Good' },
  ])
})

test('one button requests changes; without a comment it leads to the field that is missing', async () => {
  const reviews = await show()
  await press(labels.requestChanges)
  expect(screen.queryByText(labels.commentMissing)).not.toBeNull()
  expect(document.activeElement).toBe(comment())
  await userEvent.type(comment(), 'Why 40?')
  expect(screen.queryByText(labels.commentMissing)).toBeNull()
  await press(labels.requestChanges)
  expect(reviews()).toEqual([{ ...review, verdict: 'reject', comment: 'Why 40?' }])
})

test('who has nothing to review sees no buttons for it', async () => {
  await show({ needsYou: false, proposedBy: 'ada' })
  expect(screen.queryByRole('button')).toBeNull()
  expect(screen.queryByText(labels.ownChange)).not.toBeNull()
})

test('who requested changes can still approve, and who proposed it reads what to do about them', async () => {
  const rejected = { needsYou: false, approvals: { ...change.approvals, rejectors: ['ada'] } }
  const reviews = await show(rejected)
  await press(labels.approve)
  expect(reviews()).toEqual([{ ...review, verdict: 'approve' }])
  await show({ ...rejected, approvals: { ...change.approvals, rejectors: ['grace'] }, proposedBy: 'ada' })
  expect(screen.queryByText(labels.ownRejected)).not.toBeNull()
})
