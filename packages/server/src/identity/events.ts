/** Maps changes of the provider's tables to audit events. Other changes are not audited. */
import type { AuditAction } from '@rollkey/contract'
import { isNewPassword } from './marked-passwords.ts'
import { companyCallback } from './paths.ts'
import { parseReset } from './resets.ts'
import type { Change, Row } from './watched-adapter.ts'

export interface PersonEvent {
  readonly action: AuditAction
  /** The only affected organization. If absent, the event affects all organizations of `userId`. */
  readonly organizationId?: string
  /** The affected user. If no one is signed in, this user is also the actor. */
  readonly userId?: string
  readonly subject?: string
  /** The member who is added or removed. */
  readonly memberId?: string
}

/**
 * Returns the event of a change. `path`: the endpoint that makes the change; undefined: a command of the operator. `factor`: what a
 * sign-in was confirmed with besides the password.
 */
type EventMapper = (
  row: Row,
  data: Row,
  path: string | undefined,
  factor: string | undefined,
) => PersonEvent | undefined

/** Endpoints that create a session for a person who was not signed in, with the audit subject. */
const signIns: Readonly<Record<string, string>> = {
  '/sign-in/email': 'password',
  '/passkey/verify-authentication': 'passkey',
  '/sign-up/email': 'new account',
  '/links/sign-up': 'invitation link',
  '/links/setup': 'set-up link',
}
const signOuts = ['/sign-out', '/revoke-session', '/revoke-other-sessions']
const invitationActions: Readonly<Record<string, AuditAction>> = {
  accepted: 'invitation.accept',
  rejected: 'invitation.reject',
  canceled: 'invitation.cancel',
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

const mappers: Readonly<Record<string, EventMapper>> = {
  'organization create': ({ id }) => ({ action: 'organization.create', organizationId: text(id) }),
  'organization update': ({ id }, { name }) => ({
    action: 'organization.update',
    organizationId: text(id),
    ...(name !== undefined && { subject: `name ${text(name)}` }),
  }),
  'member create': (row) => memberEvent('member.add', row, text(row['role'])),
  'member update': (row, { role }) => (role === undefined ? undefined : memberEvent('member.role', row, text(role))),
  'member delete': (row) => memberEvent('member.remove', row),
  'invitation create': (row) => invitationEvent('invitation.create', row),
  'invitation update': (row, { status }) => {
    const action = invitationActions[text(status)]
    return action && invitationEvent(action, row)
  },
  'session create': ({ userId }, _, path = '', factor) => {
    const method = signIns[path] ?? companyOf(path)
    const subject = factor === undefined ? method : `${method} and ${factor}`
    return subject === undefined ? undefined : { action: 'sign-in', userId: text(userId), subject }
  },
  'session delete': ({ userId }, _, path = '') =>
    signOuts.includes(path) ? { action: 'sign-out', userId: text(userId) } : undefined,
  'account create': ({ userId, password }, _, path = '') => {
    const company = companyOf(path)
    if (company !== undefined) return { action: 'sign-in-method.add', userId: text(userId), subject: company }
    const isReset = password !== undefined && path === '/reset-password'
    return isReset ? { action: 'password.reset', userId: text(userId) } : undefined
  },
  'account delete': ({ userId, providerId }) => ({
    action: 'sign-in-method.remove',
    userId: text(userId),
    subject: text(providerId),
  }),
  'account update': (row, data, path) =>
    isNewPassword(row, data)
      ? { action: path === '/reset-password' ? 'password.reset' : 'password.change', userId: text(row['userId']) }
      : undefined,
  'secondFactor update': ({ userId, isOn }, data) => {
    if (data['isOn'] !== true) return undefined
    return { action: isOn === true ? 'second-factor.codes' : 'second-factor.add', userId: text(userId) }
  },
  'secondFactor delete': ({ userId, isOn }) =>
    isOn === true ? { action: 'second-factor.remove', userId: text(userId) } : undefined,
  'passkey create': ({ id, userId }) => ({ action: 'passkey.add', userId: text(userId), subject: text(id) }),
  'passkey delete': ({ id, userId }) => ({ action: 'passkey.remove', userId: text(userId), subject: text(id) }),
  'verification create': ({ value }, _, path) => {
    const userId = path === '/links/reset' ? parseReset(text(value))?.userId : undefined
    return userId === undefined ? undefined : { action: 'password.link', userId, subject: userId }
  },
}

/** Returns the name of the company's provider that sent the browser to this path. */
function companyOf(path: string): string | undefined {
  return path.startsWith(companyCallback) ? path.slice(companyCallback.length) : undefined
}

function memberEvent(action: AuditAction, { organizationId, userId }: Row, role?: string): PersonEvent {
  const subject = role === undefined ? text(userId) : `${text(userId)} ${role}`
  return { action, organizationId: text(organizationId), subject, memberId: text(userId) }
}

function invitationEvent(action: AuditAction, { organizationId, email, role }: Row): PersonEvent {
  return { action, organizationId: text(organizationId), subject: `${text(email)} ${text(role) || 'member'}` }
}

export async function eventsOf(
  { operation, data, rows }: Change,
  path: string | undefined,
  factor: string | undefined,
): Promise<PersonEvent[]> {
  const mapper = mappers[operation]
  if (!mapper) return []
  return (await rows()).flatMap((row) => mapper(row, data, path, factor) ?? [])
}
