import { expect, test } from 'vitest'
import type { ListedChange } from '@rollkey/sdk'
import { stateOf } from '../../../src/frame/found-change.ts'

test.each([
  [0, 1, 'needs 1 approval'],
  [0, 2, 'needs 2 approvals'],
  [1, 2, '1 of 2 approvals'],
])('an open change that %i of %i approved says %s', (given, required, text) => {
  const approvals = {
    approvers: Array.from({ length: given }, () => 'usr_a'),
    rejectors: [],
    required,
    isApproved: false,
  }
  const change = { state: 'open', needsYou: false, approvals } as unknown as ListedChange
  expect(stateOf(change)).toMatchObject({ text })
})
