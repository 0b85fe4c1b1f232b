import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { ApproverShortage } from './approver-shortage.tsx'
import { labels } from './labels.ts'

const place = { projectSlug: 'shop', stageSlug: 'prod' }
const stage = {
  name: 'Live',
  protection: { approvals: 1, selfApproval: false, bypassRole: null, stopVerb: 'write', freezes: [] },
} as const
const grant = (id: string) => ({ principal: { kind: 'user', id }, role: 'releaser', ...place })

test.each([
  [['ada'], true],
  [['ada', 'bob'], false],
])(
  'with the approvers %j, what ada proposes waits forever, and the page says what to do: %s',
  async (people, isShort) => {
    const requests = answer({
      '/v1/access/list': { defaultRole: 'developer', grants: people.map(grant), protectedStages: [] },
      '/v1/roles/list': { roles: [{ name: 'releaser', verbs: ['approve'] }] },
      '/v1/groups/list': { groups: [] },
      '/v1/whoami': {},
    })
    await render(<ApproverShortage place={place} stage={stage} proposedBy="ada" />)
    await expect.poll(() => requests.map(({ path }) => path)).toContain('/v1/groups/list')
    await expect.poll(() => screen.queryByText(labels.shortage.title(0, 'Live')) !== null).toBe(isShort)
    const link = screen.queryByRole('link', { name: labels.shortage.open })
    expect(link?.getAttribute('href')?.includes('/p/shop/access') === true).toBe(isShort)
  },
)
