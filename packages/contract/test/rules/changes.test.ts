import {
  canMove,
  changeStates,
  changeTransitions,
  countApprovals,
  isStop,
  settledChangeStates,
  type ReviewOf,
} from '@rollkey/contract'
import { describe, expect, test } from 'vitest'

describe('the states of a change', () => {
  test('are all reached, and a settled one is left by nothing', () => {
    const moves = Object.values(changeTransitions)
    const reached = new Set(['open', ...moves.map(({ to }) => to)])
    expect([...reached].toSorted()).toEqual([...changeStates].toSorted())
    for (const { from } of moves)
      expect((from as readonly string[]).filter((state) => settledChangeStates.some((each) => each === state))).toEqual(
        [],
      )
  })

  test('decide what can move it', () => {
    expect([canMove('open', 'apply'), canMove('failed', 'apply'), canMove('applied', 'withdraw')]).toEqual([
      true,
      false,
      false,
    ])
    expect([canMove('running', 'pause'), canMove('paused', 'abort'), canMove('running', 'edit')]).toEqual([
      true,
      true,
      false,
    ])
  })
})

describe('approvals', () => {
  const by = (reviewer: string, verdict: ReviewOf['verdict'] = 'approve', digest = 'now'): ReviewOf => ({
    reviewer,
    digest,
    verdict,
  })
  const change = { digest: 'now', authors: ['ada', 'owner of the token'] }
  const rules = { approvals: 2, selfApproval: false }
  const count = (
    reviews: ReviewOf[],
    more: Partial<typeof rules> = {},
    may: (person: string) => boolean = () => true,
  ) => countApprovals(change, reviews, { ...rules, ...more }, may)

  test('are of distinct people who are not its authors', () => {
    expect(count([by('bob'), by('bob')])).toEqual({ approvers: ['bob'], rejectors: [], isApproved: false })
    expect(count([by('bob'), by('ada'), by('owner of the token')]).isApproved).toBe(false)
    expect(count([by('bob'), by('ada')], { selfApproval: true }).isApproved).toBe(true)
    expect(count([by('bob'), by('carl')]).isApproved).toBe(true)
    expect(count([], { approvals: 0 }).isApproved).toBe(true)
  })

  test('count for the content that was reviewed, and while the person may approve', () => {
    expect(count([by('bob'), by('carl', 'approve', 'before')]).isApproved).toBe(false)
    expect(count([by('bob'), by('carl')], {}, (person) => person !== 'carl').approvers).toEqual(['bob'])
  })

  test('do not outweigh a rejection', () => {
    const reviews = [by('bob'), by('carl'), by('dora', 'reject')]
    expect(count(reviews)).toMatchObject({ rejectors: ['dora'], isApproved: false })
    expect(count(reviews, {}, (person) => person !== 'dora').isApproved).toBe(true)
    expect(count([...reviews.slice(0, 2), by('dora', 'reject', 'before')]).isApproved).toBe(true)
  })
})

test.each([
  [{ chance: 0 }, true],
  [{ name: 'FLOW', chance: 0 }, true],
  [{ chance: 0, rules: null }, true],
  [{ chance: 0, rules: [], pins: {} }, true],
  [{ chance: 0, rules: null, pins: null }, true],
  [{ chance: 0, rules: null, pins: { b: ['user-1'] } }, false],
  [{ chance: 0, pins: null }, false],
  [{ chance: 0, labels: null }, false],
  [{ chance: 0, unpin: ['user-1'] }, false],
  [{ chance: 0, rules: [{ when: {}, then: 'b' }] }, false],
  [{ chance: 0, exposure: 'client' }, false],
  [{ chance: 0, description: 'Off' }, false],
  [{ chance: 0, somethingNew: 1 }, false],
  [{ chance: 0.001 }, false],
  [{ rules: null, pins: null }, false],
])('%j stops a roll: %s', (write, expected) => {
  expect(isStop(write)).toBe(expected)
})
