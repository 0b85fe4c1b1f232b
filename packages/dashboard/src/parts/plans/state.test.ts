import { describe, expect, it } from 'vitest'
import { stateOf, waitsText } from './state.ts'

const approvals = { required: 2, approvers: ['ada'], rejectors: [], isApproved: false }
const open = { state: 'open', needsYou: false, approvals } as const

describe('the state of a change', () => {
  it.each([
    [{ ...open, needsYou: true }, 'Needs your review', 'you'],
    [open, '1 of 2 approvals', 'calm'],
    [{ ...open, approvals: { ...approvals, required: 1, approvers: [] } }, 'Needs 1 approval', 'calm'],
    [{ ...open, approvals: { ...approvals, rejectors: ['bob'] } }, 'Changes requested', 'attention'],
    [{ ...open, approvals: { ...approvals, isApproved: true } }, 'Ready to apply', 'good'],
    [{ ...open, approvals: { ...approvals, isApproved: true }, dueAtMs: 7_200_000 }, 'Applies in 2 hours', 'good'],
    [
      { ...open, approvals: { ...approvals, isApproved: true }, dueAtMs: 7_200_000, conflictAt: 7 },
      'Out of date',
      'attention',
    ],
    [{ ...open, needsYou: true, conflictAt: 7 }, 'Out of date', 'attention'],
    [{ ...open, state: 'running', steps: [{ atMs: 1, chance: 0.1 }], stepsDone: 1 }, 'Step 1 of 1', 'good'],
    [{ ...open, state: 'paused', steps: [{ atMs: 1, chance: 0.1 }], stepsDone: 0 }, 'Paused after step 0 of 1', 'calm'],
    [
      { ...open, state: 'paused', steps: [{ atMs: 1, chance: 0.1 }], stepsDone: 0, problem: 'Another split' },
      'Paused after step 0 of 1',
      'attention',
    ],
    [{ ...open, state: 'failed' }, 'Failed', 'attention'],
    [{ ...open, state: 'withdrawn' }, 'Withdrawn', 'calm'],
  ] as const)('of %j says what comes next', (change, text, tone) => {
    expect(stateOf(change, 0)).toEqual({ text, tone })
  })

  it('is not ready while the stage is frozen', () => {
    const approved = { ...open, approvals: { ...approvals, isApproved: true } }
    expect(stateOf(approved, 0, true).text).toBe('Approved, after the freeze')
  })
})

it.each([
  [open, false, 'A proposed change waits for approval'],
  [{ ...open, approvals: { ...approvals, isApproved: true } }, false, 'An approved change waits'],
  [{ ...open, approvals: { ...approvals, isApproved: true }, dueAtMs: 1 }, false, 'A change is planned'],
  [{ ...open, state: 'running' }, false, 'A rollout runs'],
  [{ ...open, state: 'running' }, true, 'A rotation runs'],
  [{ ...open, state: 'paused' }, false, 'A rollout is paused'],
] as const)('the title of %j says what it does', (change, rotates, title) => {
  expect(waitsText(change, rotates)).toBe(title)
})
