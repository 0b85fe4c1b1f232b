import { expect, it } from 'vitest'
import type { AuditEntry } from './audit-filter.ts'
import { actorName, phraseOf } from './labels.ts'

const entry: AuditEntry = { seq: 1, atMs: 0, actor: 'u1', how: 'provider', client: 'dashboard', action: 'logout' }
const place = { projectSlug: 'shop', stageSlug: 'prod' }

function sentence(more: Partial<AuditEntry>): string {
  return phraseOf({ ...entry, ...more })
    .filter((part) => part !== '')
    .join(' ')
}

it.each([
  [{ action: 'write', ...place, names: ['A'], nameCount: 1 }, 'Changed A in shop/prod'],
  [{ action: 'write', ...place, names: ['A', 'B'], nameCount: 2 }, 'Changed 2 variables in shop/prod'],
  [{ action: 'variable.create', ...place, names: ['A'], nameCount: 1 }, 'Created A in shop/prod'],
  [{ action: 'variable.update', ...place, names: ['A'], nameCount: 1 }, 'Updated A in shop/prod'],
  [{ action: 'variable.delete', ...place, names: ['A', 'B'], nameCount: 2 }, 'Deleted 2 variables in shop/prod'],
  [{ action: 'stage.create', ...place }, 'Created the stage shop/prod'],
  [{ action: 'reveal', ...place, nameCount: 1_000 }, 'Revealed 1,000 variables in shop/prod'],
  [{ action: 'copy', ...place, names: ['A'], nameCount: 1 }, 'Copied A to shop/prod'],
  [{ action: 'token.create' }, 'Made a service token for the whole organization'],
  [{ action: 'token.create', projectSlug: 'shop' }, 'Made a service token for shop'],
  [{ action: 'project.update', projectSlug: 'shop' }, 'Changed the project shop'],
  [{ action: 'session.revoke' }, 'Ended the session of a command-line client'],
  [{ action: 'session.revoke', how: 'system' }, 'The session of a command-line client was ended by the service'],
  [{ action: 'invitation.create', subject: 'grace@example.com admin' }, 'Invited grace@example.com as admin'],
  [{ action: 'member.role', subject: 'u2 owner' }, 'Made a member owner'],
  [{ action: 'sign-in', subject: 'passkey' }, 'Signed in by passkey'],
  [
    { action: 'refusal', subject: 'audit FORBIDDEN', nameCount: 12 },
    'Tried to read the audit log and was refused: not allowed, 12 times',
  ],
  [
    { action: 'refusal', subject: 'tokenList FORBIDDEN', nameCount: 1 },
    'Tried to list service tokens and was refused: not allowed',
  ],
  [{ action: 'backup.restore', subject: '2026-11-21' }, 'Restored everything from the backup of 2026-11-21'],
  [{ action: 'organization.update' }, 'Changed the settings of the organization'],
] as const)('tells %j', (more, text) => {
  expect(sentence(more as Partial<AuditEntry>)).toBe(text)
})

it('names people, service tokens and the operator', () => {
  const personName = (id: string): string => `the person ${id}`
  expect(actorName(entry, personName)).toBe('the person u1')
  expect(actorName({ ...entry, how: 'service', client: 'service token ci' }, personName)).toBe('service token ci')
  expect(actorName({ ...entry, how: 'operator', actor: 'operator' }, personName)).toBe('The operator')
})

it('tells what is left when the details were deleted', () => {
  const left: AuditEntry = { seq: 1, atMs: 0, action: 'write' }
  expect(phraseOf(left)).toEqual(['Changed variables (older entries)', '', ''])
  expect(actorName(left, (id) => id)).toBe('Not kept any longer')
})
