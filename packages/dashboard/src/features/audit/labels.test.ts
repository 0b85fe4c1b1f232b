import type { AuditEntry } from '@rollkey/sdk/core'
import { expect, it } from 'vitest'
import { absoluteTime } from '../../lib/time.ts'
import { actorName, factTexts, phraseOf } from './labels.ts'

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
    {
      action: 'change.apply',
      ...place,
      names: ['A'],
      nameCount: 1,
      facts: { changeId: 'chg_1', proposedBy: 'u1', approvedBy: ['u2'] },
    },
    'applied a change of A in shop/prod',
  ],
  [
    {
      action: 'change.apply',
      ...place,
      names: ['A'],
      nameCount: 1,
      facts: { changeId: 'chg_1', proposedBy: 'u1', approvedBy: [], bypassReason: 'Shop is down' },
    },
    'bypassed approval or a freeze to apply a change of A in shop/prod',
  ],
  [
    { action: 'change.propose', ...place, names: ['A'], nameCount: 1, facts: { changeId: 'chg_1' } },
    'proposed a change of A in shop/prod',
  ],
  [
    { action: 'change.propose', ...place, names: ['A'], nameCount: 1, facts: { changeId: 'chg_1', isPlanned: true } },
    'planned a change of A in shop/prod',
  ],
  [
    { action: 'change.edit', ...place, names: ['A'], nameCount: 1, facts: { changeId: 'chg_1', isRebase: true } },
    'based a change of A on the present state of shop/prod',
  ],
  [
    { action: 'change.fail', ...place, names: ['A'], nameCount: 1, facts: { changeId: 'chg_1' } },
    'could not apply the planned change of A in shop/prod',
  ],
  [{ action: 'reveal', ...place, nameCount: 1_000 }, 'revealed 1,000 variables in shop/prod'],
  [
    { action: 'reveal', ...place, names: ['A'], nameCount: 1, facts: { parts: ['pins'] } },
    'revealed the pins of A in shop/prod',
  ],
  [{ action: 'copy', ...place, names: ['A'], nameCount: 1 }, 'copied A to shop/prod'],
  [
    {
      action: 'variable.expose',
      ...place,
      names: ['A'],
      nameCount: 1,
      facts: { before: { exposure: 'secret' }, after: { exposure: 'plain' } },
    },
    'made A plain instead of secret in shop/prod',
  ],
  [
    { action: 'variable.expose', ...place, names: ['A'], nameCount: 1, facts: { after: { exposure: 'client' } } },
    'added A as visible to client programs in shop/prod',
  ],
  [
    { action: 'variable.update', ...place, names: ['A'], nameCount: 1, facts: { parts: ['rules', 'pins'] } },
    'changed the rules and pins of A in shop/prod',
  ],
  [
    { action: 'variable.update', ...place, names: ['A'], nameCount: 1, facts: { parts: ['exposure'] } },
    'changed the visibility of A in shop/prod',
  ],
  [
    { action: 'token.create', ...place, facts: { tokenId: 'tok_2', name: 'CI of the shop' } },
    'created the service token CI of the shop for shop/prod',
  ],
  [
    { action: 'token.rotate', facts: { tokenId: 'tok_1', name: 'former' } },
    'replaced the secret of the service token former',
  ],
  [
    { action: 'token.expiring', facts: { tokenId: 'tok_2', name: 'ci', expiresAtMs: 1 } },
    'announced the end of the service token ci',
  ],
  [
    { action: 'secret.due', ...place, names: ['A'], nameCount: 1, facts: { dueAtMs: 1 } },
    'announced a due rotation of A in shop/prod',
  ],
  [
    {
      action: 'roll.misfit',
      ...place,
      names: ['R'],
      nameCount: 1,
      facts: { chance: 0.5, chanceSinceMs: 1, servedA: 9, servedB: 1 },
    },
    'announced another split than the chance of R in shop/prod',
  ],
  [{ action: 'token.revoke', facts: { tokenId: 'tok_2', name: 'c\u200bi' } }, 'revoked the service token c\ufffdi'],
  [
    { action: 'client-key.create', ...place, facts: { keyId: 'key_1', origins: ['*'], name: 'Web shop' } },
    'created the client key Web shop for shop/prod',
  ],
  [{ action: 'client-key.revoke', facts: { keyId: 'key_1', name: 'Web shop' } }, 'revoked the client key Web shop'],
  [
    { action: 'hook.create', facts: { hookId: 'hok_1', name: 'Deploys', target: 'https://ci.example.com' } },
    'created the webhook Deploys to https://ci.example.com',
  ],
  [{ action: 'hook.off', facts: { hookId: 'hok_1', name: 'Deploys' } }, 'switched off the webhook Deploys'],
  [
    {
      action: 'trust.create',
      projectSlug: 'shop',
      facts: { trustId: 'tru_1', name: 'deploy', after: { role: 'reader', name: 'deploy' } },
    },
    'created the trust deploy for shop',
  ],
  [{ action: 'trust.update', facts: { trustId: 'tru_1', name: 'deploy' } }, 'changed the trust deploy'],
  [
    {
      action: 'trust.update',
      facts: { trustId: 'tru_1', name: 'CI of "the" shop', before: { name: 'ci' } },
    },
    'changed the trust CI of "the" shop (before: ci)',
  ],
  [{ action: 'trust.delete', facts: { trustId: 'tru_1', name: 'deploy' } }, 'deleted the trust deploy'],
  [{ action: 'project.update', projectSlug: 'shop' }, 'changed the project shop'],
  [
    { action: 'project.update', projectSlug: 'shop', facts: { after: { isArchived: true } } },
    'archived the project shop',
  ],
  [
    { action: 'project.update', projectSlug: 'shop', facts: { after: { name: 'The shop' } } },
    'renamed the project shop to The shop',
  ],
  [
    { action: 'stage.update', ...place, facts: { before: { isProduction: false }, after: { isProduction: true } } },
    'marked as production the stage shop/prod',
  ],
  [{ action: 'chance', ...place, names: ['A'], nameCount: 1 }, 'set the chance of A in shop/prod'],
  [
    {
      action: 'chance',
      ...place,
      names: ['A'],
      nameCount: 1,
      facts: { before: { chance: 0.05 }, after: { chance: 0.25 } },
    },
    'set the chance of A from 5% to 25% in shop/prod',
  ],
  [{ action: 'restore', ...place, nameCount: 3 }, 'restored 3 variables in shop/prod'],
  [
    { action: 'restore', ...place, nameCount: 3, facts: { restoredRevision: 41 } },
    'restored 3 variables in shop/prod to revision 41',
  ],
  [
    { action: 'stage.update', ...place, facts: { after: { isArchived: false } } },
    'restored from the archive the stage shop/prod',
  ],
  [{ action: 'session.revoke', facts: { sessionId: 'ses_1' } }, 'ended a CLI session'],
  [
    { action: 'session.revoke', how: 'system', facts: { sessionId: 'ses_1' } },
    'had a CLI session ended by the service',
  ],
  [
    { action: 'invitation.create', facts: { email: 'grace@example.com', role: 'admin' } },
    'invited grace@example.com as admin',
  ],
  [{ action: 'member.role', facts: { userId: 'u2', role: 'owner' } }, 'made Bob an owner'],
  [{ action: 'member.role', facts: { userId: 'u1', role: 'admin' } }, 'made themselves an admin'],
  [
    {
      action: 'access.grant',
      ...place,
      facts: { principal: { kind: 'user', id: 'u1' }, after: { role: 'maintainer' } },
    },
    'made themselves maintainer of shop/prod',
  ],
  [{ action: 'member.add', facts: { userId: 'u2', role: 'admin' } }, 'added Bob as admin'],
  [{ action: 'member.add', facts: { userId: 'u1', role: 'member' } }, 'joined as member'],
  [{ action: 'member.remove', facts: { userId: 'u2' } }, 'removed Bob from the organization'],
  [{ action: 'sign-in.failed', facts: { method: 'password' }, nameCount: 1 }, 'entered a wrong password once'],
  [{ action: 'sign-in', facts: { method: 'passkey' } }, 'signed in with a passkey'],
  [
    { action: 'refusal', facts: { endpoint: 'audit', code: 'FORBIDDEN' }, nameCount: 12 },
    'was denied 12 times: list the audit log of the organization, newest first (not allowed)',
  ],
  [
    { action: 'refusal', facts: { endpoint: 'tokenList', code: 'FORBIDDEN' }, nameCount: 1 },
    'was denied: list the service tokens of the organization that are neither revoked nor expired (not allowed)',
  ],
  [
    { action: 'refusal', facts: { endpoint: 'ofNewerVersion', code: 'FORBIDDEN' }, nameCount: 1 },
    'was denied: ofNewerVersion (not allowed)',
  ],
  [
    { action: 'refusal', facts: { endpoint: 'deviceShow', code: 'DEVICE_CODE_NOT_FOUND' }, nameCount: 1 },
    'entered an unknown device code',
  ],
  [{ action: 'backup.restore', facts: { madeAtMs: 0 } }, `restored everything from the backup of ${absoluteTime(0)}`],
  [{ action: 'organization.update' }, 'changed the settings of the organization'],
  [{ action: 'organization.update', facts: { after: { name: 'Acme & Co' } } }, 'renamed the organization to Acme & Co'],
  [
    { action: 'organization.update', facts: { after: { createsOnWrite: true } } },
    'let writes create projects and stages',
  ],
  [
    {
      action: 'organization.update',
      facts: { before: { defaultRole: 'developer' }, after: { defaultRole: 'viewer' } },
    },
    'changed the default role from developer to viewer',
  ],
  [
    {
      action: 'access.grant',
      ...place,
      facts: { principal: { kind: 'user', id: 'u2' }, after: { role: 'developer' } },
    },
    'made Bob developer of shop/prod',
  ],
  [
    {
      action: 'access.grant',
      projectSlug: 'shop',
      facts: {
        principal: { kind: 'email', id: 'new@example.com' },
        before: { role: 'viewer' },
        after: { role: 'reader' },
      },
    },
    'made new@example.com reader of shop (before: viewer)',
  ],
  [
    { action: 'access.revoke', facts: { principal: { kind: 'group', id: 'g1' }, before: { role: 'reader' } } },
    'revoked the access of a group of the organization (before: reader)',
  ],
  [{ action: 'group.join', facts: { groupId: 'g1', principal: { kind: 'user', id: 'u2' } } }, 'added Bob to a group'],
  [
    { action: 'role.set', facts: { role: 'auditor', after: { verbs: ['list', 'read'] } } },
    'set what the role auditor allows: list, read',
  ],
  [
    { action: 'role.set', facts: { role: 'auditor', before: { verbs: ['list'] }, after: { verbs: ['list', 'read'] } } },
    'set what the role auditor allows: list, read (before: list)',
  ],
  [
    { action: 'stage.protect', ...place, facts: { before: { isProtected: false }, after: { isProtected: true } } },
    'protected the stage shop/prod',
  ],
  [
    { action: 'organization.update', facts: { after: { isCompanyOnly: true, breakGlass: ['u1', 'u2'] } } },
    'required sign-in at the company, except for u1, Bob',
  ],
  [{ action: 'organization.update', facts: { after: { needsSecondFactor: true } } }, 'required a second factor'],
  [
    { action: 'organization.update', facts: { after: { needsSecondFactor: false } } },
    'stopped requiring a second factor',
  ],
  // Entries of older versions.
  [
    { action: 'token.create', subject: 'tok_1 c\u200bi' },
    'created a service token tok_1 c\ufffdi in the whole organization',
  ],
  [{ action: 'chance', ...place, names: ['A'], nameCount: 1, subject: '0.05 0.25' }, 'set a chance A in shop/prod'],
] as const)('tells %j', (more, text) => {
  expect(sentence(more as Partial<AuditEntry>)).toBe(text)
})

it('tells the facts of an entry in words', () => {
  const texts = (more: Partial<AuditEntry>) => factTexts({ ...entry, ...more })
  expect(texts({ facts: { before: { chance: 0.5 }, after: { chance: 0.53 } } })).toEqual([['Chance', '50% → 53%']])
  expect(texts({ facts: { after: { exposure: 'client' } } })).toEqual([['Visibility', 'client']])
  expect(texts({ facts: { sessionId: 'ses_1', method: 'pass\u200bkey' } })).toEqual([
    ['Session ID', 'ses_1'],
    ['Method', 'pass\ufffdkey'],
  ])
  const grant = { principal: { kind: 'user', id: 'u2' }, after: { role: 'reader', expiresAtMs: 0 } } as const
  expect(texts({ facts: grant })).toEqual([
    ['Principal', 'kind user, id u2'],
    ['Role', 'reader'],
    ['Expires at', absoluteTime(0)],
  ])
  const applied = {
    changeId: 'chg_1',
    approvedBy: ['u2', 'u3'],
    bypassReason: 'Shop is down\nand no one\u200b answers',
  }
  expect(texts({ facts: applied })).toEqual([
    ['Change ID', 'chg_1'],
    ['Approved by', 'u2, u3'],
    ['Reason of the bypass', 'Shop is down\nand no one\ufffd answers'],
  ])
  expect(texts({ facts: { before: { isProtected: true }, after: { isProtected: false } } })).toEqual([
    ['Protected', 'yes → no'],
  ])
  expect(texts({ subject: 'tok_1 ci' })).toEqual([['Subject', 'tok_1 ci']])
  expect(texts({})).toEqual([])
})

it('names people, service tokens and the operator', () => {
  const personName = (id: string): string => `the person ${id}`
  expect(actorName(entry, personName)).toBe('the person u1')
  expect(actorName({ ...entry, how: 'service', client: 'service token ci' }, personName)).toBe('service token ci')
  expect(actorName({ ...entry, how: 'operator', actor: 'operator' }, personName)).toBe('The operator')
  expect(actorName({ ...entry, how: 'system', client: 'schedule' }, personName)).toBe('the person u1’s plan')
  const ending = { ...entry, how: 'system', action: 'token.expiring', client: 'service token ends soon' } as const
  expect(actorName(ending, personName)).toBe('The service')
  expect(actorName({ ...entry, how: 'system', client: 'signed out' }, personName)).toBe('the person u1')
})

it('tells what is left when the details were deleted', () => {
  const left: AuditEntry = { seq: 1, atMs: 0, action: 'write' }
  expect(phraseOf(left, (id) => id)).toEqual(['changed variables (older entries)'])
  expect(actorName(left, (id) => id)).toBe('Details removed:')
})
