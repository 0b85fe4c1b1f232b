import { expect, test } from 'vitest'
import { approversOf, areTooFew } from '../../src/rules/approvers.ts'

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
  expect(found.reported).toEqual([])
})

const required = { approvals: 1, selfApproval: false }
const of = (...people: string[]) => ({ people: new Set(people), reported: [] })

test.each([
  ['another one approves', of('ada', 'bob'), required, false],
  ['the only one proposes', of('ada'), required, true],
  ['one of two is missing', of('ada', 'bob'), { ...required, approvals: 2 }, true],
  ['people approve their own changes', of('ada'), { approvals: 1, selfApproval: true }, false],
  ['no one is there', of(), required, true],
  ['no approval is required', of(), { ...required, approvals: 0 }, false],
  [
    'the provider knows who is in a group',
    { ...of(), reported: [{ name: 'On call', idpGroup: 'on-call' }] },
    required,
    false,
  ],
] as const)('%s', (_, approvers, rules, expected) => {
  expect(areTooFew(approvers, rules)).toBe(expected)
})

test('a group of the provider may have any number of people', () => {
  const groups = [{ ...group, members: [], idpGroup: 'on-call' }]
  const found = approversOf(place, { grants: [ofGroup], roles, groups }, 0)
  expect(found.reported).toEqual([{ name: group.name, idpGroup: 'on-call' }])
})
