import type { Change } from '@rollkey/sdk/core'
import { expect, test } from 'vitest'
import { nextText } from '../../../src/frame/proposal.ts'

const waiting = {
  id: 'chg_1',
  state: 'open',
  approvals: { required: 1, approvers: [], rejectors: [], isApproved: false },
}

test.each([
  [{}, 'It needs an approval, from someone else. Send them the page: rollkey open chg_1 --print'],
  [
    { lacksApprovers: true },
    'It needs an approval, but too few people can approve it: ask those who manage the stage to give more people a role that approves.',
  ],
])('a change with %j says what it waits for', (more, text) => {
  expect(nextText({ ...waiting, ...more } as unknown as Change)).toBe(text)
})
