import { expect, test } from 'vitest'
import { accessFacts } from '../../src/access/access-facts.ts'

const empty = { principal: '', groupId: '', role: '', trustId: '', before: undefined }
const user = { kind: 'user', id: 'u2' }
const temporary = { role: 'viewer', expiresAtMs: 1_795_910_400_000 }

test.each([
  ['access.grant', 'user:u2 - reader', { principal: user, after: { role: 'reader' } }, { principal: 'user:u2' }],
  [
    'access.revoke',
    'user:u2 viewer@1795910400000 -',
    { principal: user, before: temporary },
    { principal: 'user:u2', before: temporary },
  ],
  ['group.join', 'grp_1 user:u2', { groupId: 'grp_1', principal: user }, { groupId: 'grp_1', principal: 'user:u2' }],
  ['role.set', 'auditor - list', { role: 'auditor', after: { verbs: ['list'] } }, { role: 'auditor' }],
  [
    'role.delete',
    'auditor list,read -',
    { role: 'auditor', before: { verbs: ['list', 'read'] } },
    { role: 'auditor', before: { verbs: ['list', 'read'] } },
  ],
  [
    'stage.protect',
    'isProtected true false',
    { before: { isProtected: true }, after: { isProtected: false } },
    { before: { isProtected: true } },
  ],
  [
    'organization.update',
    'defaultRole viewer none',
    { before: { defaultRole: 'viewer' }, after: { defaultRole: 'none' } },
    { before: { defaultRole: 'viewer' } },
  ],
  ['organization.update', 'name Acme none', { after: { name: 'Acme none' } }, {}],
  [
    'trust.update',
    'trust:tru_1 role reader viewer name=ci',
    { trustId: 'tru_1', before: { role: 'reader' }, after: { role: 'viewer' } },
    { trustId: 'tru_1', before: { role: 'reader' } },
  ],
] as const)('%s is read from an older text "%s" and from its facts', (action, text, facts, expected) => {
  expect(accessFacts(action, text)).toEqual({ ...empty, ...expected })
  expect(accessFacts(action, JSON.stringify(facts))).toMatchObject({ ...empty, ...expected })
})
