import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { ApproverShortage } from './approver-shortage.tsx'
import { labels } from './labels.ts'

const stage = {
  name: 'Live',
  protection: { approvals: 1, selfApproval: false, bypassRole: null, stopVerb: 'write', freezes: [] },
} as const
const user = { name: 'Grace', email: 'grace@example.com' }

test.each([
  [['list', 'write'], /Live requires 1 approval by others than the proposer\. Ask Grace to give more people a role/],
  [['list', 'manage'], /Give more people a role that approves, such as releaser, on Live/],
])('with the verbs %j, one learns how too few approvers become enough', async (verbs, text) => {
  answer({
    '/v1/whoami': { role: 'member', verbs: [{ verbs }] },
    '/identity/organization/list-members': { members: [{ id: 'm', userId: 'grace', role: 'admin', user }] },
  })
  await render(<ApproverShortage place={{ projectSlug: 'shop', stageSlug: 'prod' }} stage={stage} />)
  screen.getByText(labels.shortage.title('Live'))
  await screen.findByText(text)
  const href = screen.queryByRole('link', { name: labels.shortage.open })?.getAttribute('href')
  expect(href?.includes('/p/shop/access') === true).toBe(verbs.includes('manage'))
})
