import type { Change } from '@rollkey/sdk/core'
import { screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { useMay } from '../../session/permissions.ts'
import { labels as projectLabels } from '../../parts/projects/labels.ts'
import { labels } from './labels.ts'
import { ReviewPanel } from './review-panel.tsx'
import { YourReview } from './your-review.tsx'

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

/** Is there once the verbs of the viewer are known. */
function Known() {
  return useMay()('read') && <p>known</p>
}

type Answers = Parameters<typeof answer>[0]

async function show(more: object = {}, answers: Answers = {}) {
  const projects = [
    { projectSlug: 'shop', name: 'shop', stages: [{ stageSlug: 'prod', name: 'prod', isProduction: true }] },
  ]
  const requests = answer({
    '/v1/whoami': {},
    '/v1/projects/list': { projects },
    '/v1/changes/review': {},
    '/v1/changes/apply': {},
    ...answers,
  })
  const proposal = { ...change, ...more } as unknown as Change
  await render(
    <>
      <YourReview proposal={proposal} />
      <ReviewPanel proposal={proposal} />
      <Known />
    </>,
  )
  await screen.findAllByText('known')
  return () => requests.filter(({ path }) => /review|apply/.test(path)).map(({ body }) => body)
}

const comment = () => screen.getByLabelText(labels.comment)
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }))
const review = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'prod', id: 'chg_1', digest: 'of-it' }

test('the verdicts are together below the comment, which goes with them', async () => {
  const reviews = await show()
  const buttons = screen.getAllByRole('button').map(({ textContent }) => textContent)
  expect(buttons).toEqual([labels.requestChanges, labels.approve, labels.approveAndApplyOpen])
  await press(labels.approve)
  await userEvent.type(comment(), 'Good')
  await press(labels.approve)
  expect(reviews()).toEqual([
    { ...review, verdict: 'approve' },
    { ...review, verdict: 'approve', comment: 'Good' },
  ])
})

test('the last approval also applies the change, after one question', async () => {
  const requests = await show()
  await userEvent.type(comment(), 'Good')
  await press(labels.approveAndApplyOpen)
  expect(requests()).toEqual([])
  expect(await screen.findByText(projectLabels.productionNotice('prod'))).not.toBeNull()
  await press(labels.approveAndApply)
  await waitFor(() => expect(requests()).toEqual([{ ...review, verdict: 'approve', comment: 'Good' }, review]))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test('what is approved but could not be applied says so, and why', async () => {
  const refusal = { error: { code: 'STAGE_FROZEN', message: 'Frozen', requestId: 'request-1' } }
  await show({}, { '/v1/changes/apply': () => Response.json(refusal, { status: 409 }) })
  await press(labels.approveAndApplyOpen)
  await press(labels.approveAndApply)
  const alert = await screen.findByRole('alert')
  expect(alert.textContent).toContain(labels.notAppliedTitle)
  expect(alert.textContent).toContain('Frozen')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test.each<[string, object, object?]>([
  ['another approval is missing', { approvals: { ...change.approvals, required: 2 } }],
  ['another person requested changes', { approvals: { ...change.approvals, rejectors: ['eve'] } }],
  ['the stage is frozen', { frozenUntilMs: 9e12 }],
  ['the service applies it at a time', { applyAtMs: 9e12, dueAtMs: 9e12 }],
  ['it is a ramp', { steps: [] }],
  ['it is out of date', { conflictAt: 7 }],
  ['the viewer may not write there', {}, { verbs: [{ verbs: ['read', 'approve'] }] }],
])('an approval does not apply the change if %s', async (_, more, whoami: object = {}) => {
  await show(more, { '/v1/whoami': whoami })
  expect(screen.queryByRole('button', { name: labels.approve })).not.toBeNull()
  expect(screen.queryByRole('button', { name: labels.approveAndApplyOpen })).toBeNull()
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

test('who approved a change takes that back by requesting changes, and cannot approve it again', async () => {
  const reviews = await show({ needsYou: false, approvals: { ...change.approvals, approvers: ['ada'] } })
  expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual([labels.requestChanges])
  expect(screen.queryByText(labels.takeBack)).not.toBeNull()
  await userEvent.type(comment(), 'Not today')
  await press(labels.requestChanges)
  expect(reviews()).toEqual([{ ...review, verdict: 'reject', comment: 'Not today' }])
})

test('how many approvals are missing is said once', async () => {
  await show({ needsYou: false, proposedBy: 'grace' })
  // The head of the page says it.
  expect(screen.queryByText(labels.reviews)).toBeNull()
  const required = { needsYou: true, approvals: { ...change.approvals, required: 2, approvers: ['eve'] } }
  await show(required)
  expect(screen.queryByText('1 of 2 approvals')).not.toBeNull()
})
