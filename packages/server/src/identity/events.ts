/** Maps changes of the provider's tables to audit events. Other changes are not audited. */
import type { AuditEvent } from '../storage/audit.ts'
import { isNewPassword } from './marked-passwords.ts'
import { companyCallback } from './paths.ts'
import { parseReset } from './resets.ts'
import type { Change, Row } from './watched-adapter.ts'

export interface PersonEvent {
  readonly event: AuditEvent
  /** The only affected organization. If absent, the event affects all organizations of `userId`. */
  readonly organizationId?: string
  /** The affected user. If no one is signed in, this user is also the actor. */
  readonly userId?: string
  /** The member who is added or removed, or whose address changes. */
  readonly memberId?: string
  /** The new address of the member, if it changes. */
  readonly memberEmail?: string
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

/** Endpoints that create a session for a person who was not signed in, with the method for the audit log. */
const signIns: Readonly<Record<string, string>> = {
  '/sign-in/email': 'password',
  '/passkey/verify-authentication': 'passkey',
  '/sign-up/email': 'new account',
  '/links/sign-up': 'invitation link',
  '/links/setup': 'set-up link',
}
const signOuts = ['/sign-out', '/revoke-session', '/revoke-other-sessions']
const invitationActions: Readonly<Record<string, InvitationAction>> = {
  accepted: 'invitation.accept',
  rejected: 'invitation.reject',
  canceled: 'invitation.cancel',
}
type InvitationAction = `invitation.${'create' | 'accept' | 'reject' | 'cancel'}`

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

const mappers: Readonly<Record<string, EventMapper>> = {
  'organization create': ({ id }) => ({ event: { action: 'organization.create' }, organizationId: text(id) }),
  'organization update': ({ id }, { name }) => ({
    event: { action: 'organization.update', facts: name === undefined ? {} : { after: { name: text(name) } } },
    organizationId: text(id),
  }),
  'member create': (row) =>
    ofMember(row, (userId) => ({ action: 'member.add', facts: { userId, role: text(row['role']) } })),
  'member update': (row, { role }) =>
    role === undefined
      ? undefined
      : ofMember(row, (userId) => ({ action: 'member.role', facts: { userId, role: text(role) } })),
  'member delete': (row) => ofMember(row, (userId) => ({ action: 'member.remove', facts: { userId } })),
  'invitation create': (row) => invitationEvent('invitation.create', row),
  'invitation update': (row, { status }) => {
    const action = invitationActions[text(status)]
    return action && invitationEvent(action, row)
  },
  'session create': ({ userId }, _, path = '', factor) => {
    const first = signIns[path] ?? companyOf(path)
    if (first === undefined) return undefined
    const method = factor === undefined ? first : `${first} and ${factor}`
    return { event: { action: 'sign-in', facts: { method } }, userId: text(userId) }
  },
  'session delete': ({ userId }, _, path = '') =>
    signOuts.includes(path) ? { event: { action: 'sign-out' }, userId: text(userId) } : undefined,
  'account create': ({ userId, password }, _, path = '') => {
    const method = companyOf(path)
    if (method !== undefined)
      return { event: { action: 'sign-in-method.add', facts: { method } }, userId: text(userId) }
    const isReset = password !== undefined && path === '/reset-password'
    return isReset ? { event: { action: 'password.reset' }, userId: text(userId) } : undefined
  },
  'account delete': ({ userId, providerId }) => ({
    event: { action: 'sign-in-method.remove', facts: { method: text(providerId) } },
    userId: text(userId),
  }),
  'account update': (row, data, path) => {
    const action = path === '/reset-password' ? 'password.reset' : 'password.change'
    return isNewPassword(row, data) ? { event: { action }, userId: text(row['userId']) } : undefined
  },
  'secondFactor update': ({ userId, isOn }, data) => {
    if (data['isOn'] !== true) return undefined
    return { event: { action: isOn === true ? 'second-factor.codes' : 'second-factor.add' }, userId: text(userId) }
  },
  'secondFactor delete': ({ userId, isOn }) =>
    isOn === true ? { event: { action: 'second-factor.remove' }, userId: text(userId) } : undefined,
  'passkey create': ({ id, userId }) => ({
    event: { action: 'passkey.add', facts: { passkeyId: text(id) } },
    userId: text(userId),
  }),
  'passkey delete': ({ id, userId }) => ({
    event: { action: 'passkey.remove', facts: { passkeyId: text(id) } },
    userId: text(userId),
  }),
  'verification create': ({ value }, _, path) => {
    const userId = path === '/links/reset' ? parseReset(text(value))?.userId : undefined
    return userId === undefined ? undefined : { event: { action: 'password.link', facts: { userId } }, userId }
  },
}

/** Returns the name of the company's provider that sent the browser to this path. */
function companyOf(path: string): string | undefined {
  return path.startsWith(companyCallback) ? path.slice(companyCallback.length) : undefined
}

function ofMember({ organizationId, userId }: Row, eventOf: (userId: string) => AuditEvent): PersonEvent {
  const memberId = text(userId)
  return { event: eventOf(memberId), organizationId: text(organizationId), memberId }
}

function invitationEvent(action: InvitationAction, { organizationId, email, role }: Row): PersonEvent {
  const facts = { email: text(email), role: text(role) || 'member' }
  return { event: { action, facts }, organizationId: text(organizationId) }
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
