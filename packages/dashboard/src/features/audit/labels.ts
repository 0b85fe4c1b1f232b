/** The audit log in the words of a person. */
import type { AuditAction } from '@rollkey/contract'
import type { AuditEntry } from './audit-filter.ts'
import { countText } from '../../lib/numbers.ts'
import { placeName } from '../projects/stage-name.ts'

/** What was done, to what, and where: "Changed", "DATABASE_URL", "in shop/prod". */
type Phrase = readonly [did: string, what: string, where: string]

const phrases: Readonly<Record<AuditAction, (entry: AuditEntry) => Phrase>> = {
  'variable.create': (entry) => ['Created', variablesOf(entry), within(entry)],
  'variable.update': (entry) => ['Updated', variablesOf(entry), within(entry)],
  'variable.delete': (entry) => ['Deleted', variablesOf(entry), within(entry)],
  'variable.expose': (entry) => ['Raised the exposure of', variablesOf(entry), exposureOf(entry)],
  write: (entry) => ['Changed', variablesOf(entry), within(entry)],
  chance: (entry) => ['Set the chance of', variablesOf(entry), within(entry)],
  copy: (entry) => ['Copied', variablesOf(entry), `to ${placeName(entry)}`],
  restore: (entry) => ['Restored', variablesOf(entry), within(entry)],
  reveal: (entry) => ['Revealed', variablesOf(entry), within(entry)],
  'token.create': (entry) => ['Made a service token', '', `for ${placeName(entry)}`],
  'token.revoke': () => ['Revoked a service token', '', ''],
  'device.approve': () => ['Approved the login of a command-line client', '', ''],
  'device.deny': () => ['Denied the login of a command-line client', '', ''],
  'device.exchange': () => ['Logged a command-line client in', '', ''],
  'session.refresh': () => ['Renewed the session of a command-line client', '', ''],
  'session.revoke': ({ how }) =>
    how === 'system'
      ? ['The session of a command-line client was ended by the service', '', '']
      : ['Ended the session of a command-line client', '', ''],
  logout: () => ['Logged a command-line client out', '', ''],
  setup: () => ['Made an owner of the organization, with a session', '', ''],
  'project.create': (entry) => ['Created the project', placeName(entry), ''],
  'project.update': (entry) => ['Changed the project', placeName(entry), ''],
  'stage.create': (entry) => ['Created the stage', placeName(entry), ''],
  'stage.update': (entry) => ['Changed the stage', placeName(entry), ''],
  'stage.delete': (entry) => ['Deleted the stage', placeName(entry), ''],
  'project.delete': (entry) => ['Deleted the project', placeName(entry), ''],
  'stage.order': (entry) => ['Changed the order of the stages of', placeName(entry), ''],
  'organization.create': () => ['Brought the organization here', '', ''],
  'organization.update': () => ['Changed the settings of the organization', '', ''],
  'organization.delete': () => ['Deleted the organization', '', ''],
  export: () => ['Exported all values of the organization', '', ''],
  'member.add': (entry) => ['Added a member', '', asRole(entry)],
  'member.role': (entry) => ['Made a member', '', roleOf(entry)],
  'member.remove': () => ['Removed a member', '', ''],
  'invitation.create': (entry) => ['Invited', firstOf(entry), asRole(entry)],
  'invitation.accept': () => ['Accepted an invitation', '', ''],
  'invitation.reject': () => ['Declined an invitation', '', ''],
  'invitation.cancel': (entry) => ['Withdrew the invitation of', firstOf(entry), ''],
  'sign-in': ({ subject = '' }) => ['Signed in', '', `by ${subject}`],
  'sign-in.failed': ({ nameCount = 0 }) => ['Gave a wrong password', '', `(${countText(nameCount)} times)`],
  'sign-out': () => ['Signed out', '', ''],
  'password.change': () => ['Changed their password', '', ''],
  'password.reset': () => ['Set a new password by a link', '', ''],
  'password.link': () => ['Made a link for a new password', '', ''],
  'passkey.add': () => ['Added a passkey', '', ''],
  'passkey.remove': () => ['Removed a passkey', '', ''],
  'signing-keys.revoke': () => ['Revoked the keys that sign tokens', '', ''],
  refusal: refusalPhrase,
  'key.rotate': (entry) => ['Changed the data keys', '', `of ${placeName(entry)}`],
  'key.rewrap': () => ['Wrapped the data keys with another master key', '', ''],
  'backup.restore': ({ subject = '' }) => ['Restored everything from the backup of', subject, ''],
}

/** What an endpoint does, after "Tried to". */
const attempts: Readonly<Partial<Record<string, string>>> = {
  evaluate: 'evaluate a variable',
  evaluateBatch: 'evaluate variables',
  pull: 'evaluate a whole stage',
  list: 'list variables',
  write: 'change variables',
  chance: 'set the chance of a roll',
  attributes: 'change the exposure or description of variables',
  copy: 'copy variables',
  reveal: 'reveal values',
  plain: 'read plain values',
  manifest: 'read the variables of a stage',
  digests: 'compare stages',
  history: 'read the history',
  restore: 'restore variables',
  rollCounts: 'read the counts of a roll',
  audit: 'read the audit log',
  search: 'search for variables',
  events: 'follow a project',
  projects: 'list projects',
  projectCreate: 'create a project',
  projectUpdate: 'change a project',
  stageCreate: 'create a stage',
  stageOrder: 'change the order of stages',
  stageDelete: 'delete a stage',
  projectDelete: 'delete a project',
  stageUpdate: 'change a stage',
  organization: 'read the settings of the organization',
  organizationUpdate: 'change the settings of the organization',
  organizationDelete: 'delete the organization',
  usage: 'read the usage',
  usageCallers: 'read who evaluated',
  tokenCreate: 'create a service token',
  tokenList: 'list service tokens',
  tokenRevoke: 'revoke a service token',
  sessionList: 'list sessions',
  sessionRevoke: 'end a session',
  session: 'read a session',
  whoami: 'read whom the credential belongs to',
  logout: 'log out',
  deviceShow: 'look at a login',
  deviceComplete: 'approve a login',
  deviceDeny: 'deny a login',
}

const reasons: Readonly<Partial<Record<string, string>>> = {
  FORBIDDEN: 'not allowed',
  INVALID_ORG_SCOPE: 'another organization',
  ORG_SCOPE_INVALID: 'not a member',
  USAGE_LIMIT_EXCEEDED: 'beyond the plan',
  RATE_LIMITED: 'too many requests',
  DEVICE_CODE_NOT_FOUND: 'unknown code',
  USER_CODE_INVALID: 'not a code',
  VARIABLE_NOT_FOUND: 'no such variable',
}

/** Of a subject such as "secret plain". */
function exposureOf(entry: AuditEntry): string {
  const [from = '', to = ''] = (entry.subject ?? '').split(' ')
  return `from ${from} to ${to} ${within(entry)}`
}

/** Of a subject such as "tokenList FORBIDDEN". */
function refusalPhrase({ subject = '', nameCount = 1 }: AuditEntry): Phrase {
  const [endpoint = '', code = ''] = subject.split(' ')
  const times = nameCount === 1 ? '' : `, ${countText(nameCount)} times`
  return ['Tried to', attempts[endpoint] ?? endpoint, `and was refused: ${reasons[code] ?? code}${times}`]
}

/** Of the choice of actions. */
export const actionNames: Readonly<Record<AuditAction, string>> = {
  'variable.create': 'Created variables',
  'variable.update': 'Updated variables',
  'variable.delete': 'Deleted variables',
  'variable.expose': 'Raised an exposure',
  write: 'Changed variables (older entries)',
  chance: 'Set a chance',
  copy: 'Copied variables',
  restore: 'Restored variables',
  reveal: 'Revealed values',
  'token.create': 'Made a service token',
  'token.revoke': 'Revoked a service token',
  'device.approve': 'Approved a login',
  'device.deny': 'Denied a login',
  'device.exchange': 'Logged a client in',
  'session.refresh': 'Renewed a session',
  'session.revoke': 'Ended a session',
  logout: 'Logged a client out',
  setup: 'Made an owner (operator)',
  'project.create': 'Created a project',
  'project.update': 'Changed a project (its name, the archive)',
  'stage.create': 'Created a stage',
  'stage.update': 'Changed a stage (its name, its production mark, the archive)',
  'stage.order': 'Changed the order of stages',
  'stage.delete': 'Deleted a stage',
  'project.delete': 'Deleted a project',
  'organization.create': 'Brought the organization here',
  'organization.update': 'Changed settings',
  'organization.delete': 'Deleted the organization',
  export: 'Exported all values',
  'member.add': 'Added a member',
  'member.role': 'Changed a role',
  'member.remove': 'Removed a member',
  'invitation.create': 'Invited',
  'invitation.accept': 'Accepted an invitation',
  'invitation.reject': 'Declined an invitation',
  'invitation.cancel': 'Withdrew an invitation',
  'sign-in': 'Signed in',
  'sign-in.failed': 'Gave a wrong password',
  'sign-out': 'Signed out',
  'password.change': 'Changed a password',
  'password.reset': 'Set a new password by a link',
  'password.link': 'Made a link for a new password',
  'passkey.add': 'Added a passkey',
  'passkey.remove': 'Removed a passkey',
  'signing-keys.revoke': 'Revoked signing keys',
  refusal: 'Was refused',
  'key.rotate': 'Changed data keys',
  'key.rewrap': 'Wrapped data keys anew',
  'backup.restore': 'Restored a backup',
}

export function phraseOf(entry: AuditEntry): Phrase {
  return entry.actor === undefined ? [actionNames[entry.action], '', ''] : phrases[entry.action](entry)
}

/** Who did it. */
export function actorName({ actor, how, client }: AuditEntry, personName: (id: string) => string): string {
  if (actor === undefined) return 'Not kept any longer'
  if (how === 'service') return client ?? actor
  return how === 'operator' ? operatorName : personName(actor)
}

export const operatorName = 'The operator'

function variablesOf({ names, nameCount = 0 }: AuditEntry): string {
  return names?.length === 1 ? (names[0] ?? '') : `${countText(nameCount)} variables`
}

/** Of a subject such as "grace@example.com admin". */
function firstOf({ subject = '' }: AuditEntry): string {
  return subject.split(' ')[0] ?? ''
}

function roleOf({ subject = '' }: AuditEntry): string {
  return subject.split(' ')[1] ?? ''
}

function asRole(entry: AuditEntry): string {
  return `as ${roleOf(entry)}`
}

function within(entry: AuditEntry): string {
  return `in ${placeName(entry)}`
}
