import { expect, test } from 'vitest'
import { approversOf, shortageOf } from './approvers.ts'

const place = { projectSlug: 'shop', stageSlug: 'prod' }
const roles = [
  { name: 'releaser', verbs: ['approve' as const], isBuiltIn: true },
  { name: 'developer', verbs: ['write' as const], isBuiltIn: true },
]
const group = { id: 'g1', name: 'On call', createdAtMs: 0 }
const onCall = {
  ...group,
  members: [
    { kind: 'user' as const, id: 'bob' },
    { kind: 'email' as const, id: 'new@example.com' },
  ],
}
const user = (id: string, more: object = {}) => ({
  principal: { kind: 'user' as const, id },
  role: 'releaser',
  ...place,
  ...more,
})
const ofGroup = { principal: { kind: 'group' as const, id: 'g1' }, role: 'releaser', ...place }

test.each([
  { grants: [], people: [] },
  { grants: [user('ada'), user('eve', { role: 'developer' })], people: ['ada'] },
  { grants: [user('ada', { stageSlug: 'dev' }), user('eve', { stageSlug: undefined })], people: [] },
  { grants: [user('ada', { expiresAtMs: 5 }), user('eve', { expiresAtMs: 6 })], people: ['eve'] },
  { grants: [user('bob'), ofGroup, { ...ofGroup, principal: { kind: 'token' as const, id: 't1' } }], people: ['bob'] },
])('people with a role on the very stage approve: $people', ({ grants, people }) => {
  const found = approversOf(place, { grants, roles, groups: [onCall] }, 5)
  expect([...found.people]).toEqual(people)
  expect(found.mayBeMore).toBe(false)
})

const required = { approvals: 1, selfApproval: false }
const of = (...people: string[]) => ({ principals: [], people: new Set(people), mayBeMore: false })

test.each([
  ['the only approver proposes', of('ada'), required, 'ada', 0],
  ['another one approves', of('ada', 'bob'), required, 'ada', undefined],
  ['who proposes approves nothing, and needs not', of('bob'), required, 'ada', undefined],
  ['one of two is missing', of('ada', 'bob'), { ...required, approvals: 2 }, 'ada', 1],
  ['people approve their own changes', of('ada'), { approvals: 1, selfApproval: true }, 'ada', undefined],
  ['someone among the approvers will propose', of('ada'), required, undefined, 0],
  ['no one is there', of(), required, 'ada', 0],
  ['no approval is required', of(), { ...required, approvals: 0 }, 'ada', undefined],
  ['the provider knows who is in a group', { ...of(), mayBeMore: true }, required, 'ada', undefined],
] as const)('%s', (_, approvers, rules, proposedBy, able) => {
  expect(shortageOf(approvers, rules, proposedBy)).toBe(able)
})

test('a group of the provider may have any number of people', () => {
  const groups = [{ ...group, members: [], idpGroup: 'on-call' }]
  expect(approversOf(place, { grants: [ofGroup], roles, groups }, 0).mayBeMore).toBe(true)
})
