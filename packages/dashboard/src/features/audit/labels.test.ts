import { expect, it } from 'vitest'
import type { AuditEntry } from './audit-search.ts'
import { actorName, phraseOf, subjectFacts } from './labels.ts'

const entry: AuditEntry = { seq: 1, atMs: 0, actor: 'u1', how: 'provider', client: 'dashboard', action: 'logout' }
const place = { projectSlug: 'shop', stageSlug: 'prod' }

function sentence(more: Partial<AuditEntry>): string {
  const known: Record<string, string> = { u2: 'Bob', 'token:tok_1': 'ci' }
  return phraseOf({ ...entry, ...more }, (id) => known[id] ?? id)
    .filter((part) => part !== undefined && part !== '')
    .join(' ')
}

it.each([
  [{ action: 'write', ...place, names: ['A'], nameCount: 1 }, 'changed A in shop/prod'],
  [{ action: 'write', ...place, names: ['A', 'B'], nameCount: 2 }, 'changed 2 variables in shop/prod'],
  [{ action: 'variable.create', ...place, names: ['A'], nameCount: 1 }, 'added A in shop/prod'],
  [{ action: 'variable.update', ...place, names: ['A'], nameCount: 1 }, 'changed A in shop/prod'],
  [{ action: 'variable.delete', ...place, names: ['A', 'B'], nameCount: 2 }, 'deleted 2 variables in shop/prod'],
  [{ action: 'stage.create', ...place }, 'created the stage shop/prod'],
  [
    { action: 'change.apply', ...place, names: ['A'], nameCount: 1, subject: 'chg_1 u1 u2' },
    'applied a change of A in shop/prod',
  ],
  [
    { action: 'change.apply', ...place, names: ['A'], nameCount: 1, subject: 'chg_1 u1 - Shop is down' },
    'bypassed approval or a freeze to apply a change of A in shop/prod',
  ],
  [
    { action: 'change.propose', ...place, names: ['A'], nameCount: 1, subject: 'chg_1' },
    'proposed a change of A in shop/prod',
  ],
  [
    { action: 'change.propose', ...place, names: ['A'], nameCount: 1, subject: 'chg_1 planned' },
    'planned a change of A in shop/prod',
  ],
  [
    { action: 'change.edit', ...place, names: ['A'], nameCount: 1, subject: 'chg_1 rebased' },
    'based a change of A on the present state of shop/prod',
  ],
  [
    { action: 'change.fail', ...place, names: ['A'], nameCount: 1, subject: 'chg_1' },
    'could not apply the planned change of A in shop/prod',
  ],
  [{ action: 'reveal', ...place, nameCount: 1_000 }, 'revealed 1,000 variables in shop/prod'],
  [{ action: 'reveal', ...place, names: ['A'], nameCount: 1, subject: 'pins' }, 'revealed the pins of A in shop/prod'],
  [{ action: 'copy', ...place, names: ['A'], nameCount: 1 }, 'copied A to shop/prod'],
  [
    { action: 'variable.expose', ...place, names: ['A'], nameCount: 1, subject: 'secret plain' },
    'made A plain instead of secret in shop/prod',
  ],
  [
    { action: 'variable.expose', ...place, names: ['A'], nameCount: 1, subject: '- client' },
    'added A as visible to client programs in shop/prod',
  ],
  [
    { action: 'variable.update', ...place, names: ['A'], nameCount: 1, subject: 'rules,pins' },
    'changed the rules and pins of A in shop/prod',
  ],
  [
    { action: 'variable.update', ...place, names: ['A'], nameCount: 1, subject: 'exposure' },
    'changed the visibility of A in shop/prod',
  ],
  [{ action: 'token.create' }, 'created a service token for the whole organization'],
  [{ action: 'token.create', projectSlug: 'shop', subject: 'tok_1' }, 'created the service token ci for shop'],
  [{ action: 'token.revoke', subject: 'tok_2' }, 'revoked a service token'],
  [
    { action: 'token.create', ...place, subject: 'tok_2 CI of the shop' },
    'created the service token CI of the shop for shop/prod',
  ],
  [{ action: 'token.rotate', subject: 'tok_1 former' }, 'replaced the secret of the service token former'],
  [{ action: 'token.revoke', subject: 'tok_2 c\u200bi' }, 'revoked the service token c\ufffdi'],
  [{ action: 'client-key.create', ...place, subject: 'key_1 https://a.com' }, 'created a client key for shop/prod'],
  [
    { action: 'client-key.create', ...place, subject: 'key_1 https://a.com * name=Web shop name=x' },
    'created the client key Web shop name=x for shop/prod',
  ],
  [{ action: 'client-key.create', ...place, subject: 'key_1 name=App' }, 'created the client key App for shop/prod'],
  [{ action: 'client-key.revoke', subject: 'key_1' }, 'revoked a client key'],
  [{ action: 'client-key.revoke', subject: 'key_1 Web shop' }, 'revoked the client key Web shop'],
  [
    {
      action: 'trust.create',
      projectSlug: 'shop',
      subject: 'trust:tru_1 created - reader +name=deploy +iss=https://a',
    },
    'created the trust deploy for shop',
  ],
  [{ action: 'trust.update', subject: 'trust:tru_1 role reader viewer name=deploy' }, 'changed the trust deploy'],
  [
    {
      action: 'trust.update',
      subject: 'trust:tru_1 name,claims reader reader -name=ci -"claim.a=b name=x" +"name=CI of \\"the\\" shop"',
    },
    'changed the trust CI of "the" shop (before: ci)',
  ],
  [{ action: 'trust.update', subject: 'trust:tru_1 role reader viewer' }, 'changed a trust'],
  [
    { action: 'trust.delete', subject: 'trust:tru_1 deleted reader - -name=deploy -iss=https://a' },
    'deleted the trust deploy',
  ],
  [{ action: 'trust.delete', subject: 'trust:tru_1 deleted reader -' }, 'deleted a trust'],
  [{ action: 'project.update', projectSlug: 'shop' }, 'changed the project shop'],
  [{ action: 'project.update', projectSlug: 'shop', subject: 'archived' }, 'archived the project shop'],
  [{ action: 'project.update', projectSlug: 'shop', subject: 'name The shop' }, 'renamed the project shop to The shop'],
  [
    { action: 'stage.update', ...place, subject: 'isProduction false true' },
    'marked as production the stage shop/prod',
  ],
  [{ action: 'chance', ...place, names: ['A'], nameCount: 1 }, 'set the chance of A in shop/prod'],
  [
    { action: 'chance', ...place, names: ['A'], nameCount: 1, subject: '0.05 0.25' },
    'set the chance of A from 5\u00a0% to 25\u00a0% in shop/prod',
  ],
  [{ action: 'restore', ...place, nameCount: 3 }, 'restored 3 variables in shop/prod'],
  [{ action: 'restore', ...place, nameCount: 3, subject: '41' }, 'restored 3 variables in shop/prod to revision 41'],
  [{ action: 'stage.update', ...place, subject: 'restored' }, 'restored from the archive the stage shop/prod'],
  [{ action: 'session.revoke' }, 'ended a CLI session'],
  [{ action: 'session.revoke', how: 'system' }, 'had a CLI session ended by the service'],
  [{ action: 'invitation.create', subject: 'grace@example.com admin' }, 'invited grace@example.com as admin'],
  [{ action: 'member.role', subject: 'u2 owner' }, 'made Bob an owner'],
  [{ action: 'member.role', subject: 'u1 admin' }, 'made themselves an admin'],
  [{ action: 'access.grant', ...place, subject: 'user:u1 - maintainer' }, 'made themselves maintainer of shop/prod'],
  [{ action: 'member.add', subject: 'u2 admin' }, 'added Bob as admin'],
  [{ action: 'member.add', subject: 'u1 member' }, 'joined as member'],
  [{ action: 'member.remove', subject: 'u2' }, 'removed Bob from the organization'],
  [{ action: 'sign-in.failed', subject: 'password', nameCount: 1 }, 'entered a wrong password once'],
  [{ action: 'sign-in', subject: 'passkey' }, 'signed in with a passkey'],
  [
    { action: 'refusal', subject: 'audit FORBIDDEN', nameCount: 12 },
    'was denied 12 times: read the audit log (not allowed)',
  ],
  [
    { action: 'refusal', subject: 'tokenList FORBIDDEN', nameCount: 1 },
    'was denied: list service tokens (not allowed)',
  ],
  [{ action: 'refusal', subject: 'deviceShow DEVICE_CODE_NOT_FOUND', nameCount: 1 }, 'entered an unknown device code'],
  [{ action: 'backup.restore', subject: '2026-11-21' }, 'restored everything from the backup of 2026-11-21'],
  [{ action: 'organization.update' }, 'changed the settings of the organization'],
  [{ action: 'organization.update', subject: 'name Acme & Co' }, 'renamed the organization to Acme & Co'],
  [{ action: 'organization.update', subject: 'createsOnWrite true' }, 'let writes create projects and stages'],
  [
    { action: 'organization.update', subject: 'defaultRole developer viewer' },
    'changed the default role from developer to viewer',
  ],
  [{ action: 'access.grant', ...place, subject: 'user:u2 - developer' }, 'made Bob developer of shop/prod'],
  [
    { action: 'access.grant', projectSlug: 'shop', subject: 'email:new@example.com viewer reader' },
    'made new@example.com reader of shop (before: viewer)',
  ],
  [
    { action: 'access.revoke', subject: 'group:g1 reader -' },
    'revoked the access of a group of the organization (before: reader)',
  ],
  [{ action: 'group.join', subject: 'g1 user:u2' }, 'added Bob to a group'],
  [{ action: 'role.set', subject: 'auditor - list,read' }, 'set what the role auditor allows: list, read'],
  [
    { action: 'role.set', subject: 'auditor list list,read' },
    'set what the role auditor allows: list, read (before: list)',
  ],
  [{ action: 'stage.protect', ...place, subject: 'isProtected false true' }, 'protected the stage shop/prod'],
] as const)('tells %j', (more, text) => {
  expect(sentence(more as Partial<AuditEntry>)).toBe(text)
})

it('tells the change of a chance and of a visibility in words', () => {
  expect(subjectFacts({ ...entry, action: 'chance', subject: '0.5 0.53' })).toEqual([['Chance', '50 % → 53 %']])
  expect(subjectFacts({ ...entry, action: 'variable.expose', subject: '- client' })).toEqual([['Visibility', 'client']])
  expect(subjectFacts({ ...entry, action: 'sign-out', subject: 'ses_1' })).toEqual([['Subject', 'ses_1']])
  expect(subjectFacts(entry)).toEqual([])
})

it('tells the reason of a bypass by itself', () => {
  const applied = { ...entry, action: 'change.apply' } as const
  expect(subjectFacts({ ...applied, subject: 'chg_1 u1 u2,u3 Shop is down\nand no one\u200b answers' })).toEqual([
    ['Reason of the bypass', 'Shop is down\nand no one\ufffd answers'],
    ['Subject', 'chg_1 u1 u2,u3'],
  ])
  expect(subjectFacts({ ...applied, subject: 'chg_1 u1 u2,u3' })).toEqual([['Subject', 'chg_1 u1 u2,u3']])
})

it('names people, service tokens and the operator', () => {
  const personName = (id: string): string => `the person ${id}`
  expect(actorName(entry, personName)).toBe('the person u1')
  expect(actorName({ ...entry, how: 'service', client: 'service token ci' }, personName)).toBe('service token ci')
  expect(actorName({ ...entry, how: 'operator', actor: 'operator' }, personName)).toBe('The operator')
  expect(actorName({ ...entry, how: 'system', client: 'schedule' }, personName)).toBe('The service')
  expect(actorName({ ...entry, how: 'system', client: 'signed out' }, personName)).toBe('the person u1')
})

it('tells what is left when the details were deleted', () => {
  const left: AuditEntry = { seq: 1, atMs: 0, action: 'write' }
  expect(phraseOf(left, (id) => id)).toEqual(['changed variables (older entries)'])
  expect(actorName(left, (id) => id)).toBe('Details removed:')
})
