import { RollkeyError, type RollkeyErrorCode, type RollkeyErrorDetails } from '@rollkey/sdk/core'

/** Codes by the statuses of the identity provider. */
const codes: Readonly<Record<number, RollkeyErrorCode>> = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  413: 'PAYLOAD_TOO_LARGE',
  429: 'RATE_LIMITED',
}

interface IdentityErrorDetails extends RollkeyErrorDetails {
  readonly status: number
  readonly message: string
  readonly reason: string
}

/** An error of the identity provider, which has its own codes. */
export class IdentityError extends RollkeyError {
  /** The provider's code, such as `INVALID_EMAIL_OR_PASSWORD`. */
  readonly reason: string

  constructor({ message, reason, ...details }: IdentityErrorDetails) {
    const { status } = details
    super(codes[status] ?? (status >= 500 ? 'SERVICE_UNAVAILABLE' : 'INVALID_REQUEST'), message, details)
    this.reason = reason
  }
}

/** An error that the page itself finds. Its message says what to do. */
export class PageError extends RollkeyError {}

/** Returns the code of an error: the identity provider's for its errors, otherwise that of the service or the client. */
export function codeOf(error: unknown): string {
  if (error instanceof IdentityError) return error.reason
  return error instanceof RollkeyError ? error.code : ''
}

export function hasCode(error: unknown, code: string): boolean {
  return codeOf(error) === code
}

/** Returns whether the service requires that people first confirm their identity. */
export function needsConfirmation(error: unknown): boolean {
  return hasCode(error, 'CONFIRMATION_REQUIRED')
}

/** Returns the error of a request without an answer. */
export function unreachable(cause: unknown): RollkeyError {
  return new RollkeyError('UNREACHABLE', 'The service did not answer.', { cause })
}

const askAdmin = 'Ask an owner or admin of the organization.'
const passwordLength = 'Passwords have 10 to 128 characters. Choose another one.'
const accountExists = 'There is an account with this email already. Sign in with it instead.'
const slugTaken = 'There is an organization with this slug already. Choose another slug.'
const signInAgain = 'Sign out and in again, then repeat what you did.'
const passkeyNotAdded = 'No passkey was added: the dialog was closed, or took too long. Try again when you like.'
const askNewInvitation = 'Ask the person who invited you for a new link.'

const sentences: Readonly<Record<string, string>> = {
  UNREACHABLE: 'The service cannot be reached. Check your connection, then try again.',
  INVALID_ANSWER: 'The service gave no proper answer. Try again in a moment.',
  INTERNAL: 'Something failed inside the service. Try again in a moment.',
  SERVICE_UNAVAILABLE: 'The service cannot answer at the moment. Try again in a moment.',

  AUDIT_UNAVAILABLE: 'The audit log cannot be written at the moment, so nothing was done. Try again in a minute.',
  UNAUTHORIZED: 'You are signed out. Sign in, then try again.',
  ORG_SCOPE_INVALID: 'You are no longer a member of this organization. Choose another one, or ask to be invited again.',
  FORBIDDEN: `You don’t have permission to do this. ${askAdmin}`,
  USER_CODE_INVALID: 'A code has 8 letters and digits. Compare it with what your device shows.',
  DEVICE_CODE_NOT_FOUND:
    'No login is waiting under this code: it may be mistyped, used or denied already. ' +
    'Compare it with what your device shows, or start a new login there.',
  DEVICE_CODE_EXPIRED: 'This code has expired. Start a new login on your device, then enter its code.',

  INVALID_EMAIL_OR_PASSWORD:
    'Email or password is wrong. Check both; an admin can give you a link to set a new password.',
  INVALID_PASSWORD: 'The current password is wrong. Type it again.',
  PASSWORD_TOO_SHORT: passwordLength,
  PASSWORD_TOO_LONG: passwordLength,
  INVALID_EMAIL: 'This isn’t an email address. Check it.',
  USER_ALREADY_EXISTS: accountExists,
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: accountExists,
  EMAIL_PASSWORD_SIGN_UP_DISABLED: 'Accounts are made by invitation here. Ask an admin for an invitation link.',
  SESSION_EXPIRED: signInAgain,
  CONFIRMATION_REQUIRED: 'Confirm that it is you: this takes a sign-in of the last 15 minutes.',
  INVALID_ORIGIN: 'This page was opened at another address than the service expects. Open it at its public address.',

  LINK_NOT_VALID: 'This link was used already, was withdrawn, or has expired. Ask for a new one.',
  NOT_ALLOWED:
    'This takes an owner or admin of every organization that the person is in, of at least their role. ' +
    'The operator of the service can make such a link, too.',

  VARIABLE_NOT_FOUND: 'This variable is no longer there. Close it; the table shows what is.',
  REVISION_CONFLICT: 'Others are changing this stage at this moment. Save again.',
  EVALUATION_FAILED:
    'The stored value cannot be opened. Set it again, or ask the operator, who finds the reason in the log.',
  PAYLOAD_TOO_LARGE: 'This is more than is saved at once. Save a part of it first.',
  USAGE_LIMIT_EXCEEDED: 'The storage of your plan is used up. Delete something, or ask the operator for more.',

  SLUG_NOT_VALID: 'A slug is 1 to 63 lower-case letters, digits and dashes. Change it.',
  ORGANIZATION_ALREADY_EXISTS: slugTaken,
  ORGANIZATION_SLUG_ALREADY_TAKEN: slugTaken,
  YOU_ARE_NOT_ALLOWED_TO_CREATE_A_NEW_ORGANIZATION: 'You may not create organizations here. Ask the operator.',
  YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS:
    'You own as many organizations as one person may own here, so none was created. Ask the operator for more.',
  USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION: 'You are not a member of this organization. Choose another one.',
  USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: 'This person is a member already. There is nothing to do.',
  USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION:
    'This person is invited already. Copy the link of the pending invitation, or cancel that first.',
  MEMBER_NOT_FOUND: 'This person is no longer a member. Load the page again.',
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER: 'You are the only owner. Make someone else an owner first.',
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_WITHOUT_AN_OWNER:
    'An organization needs an owner. Make someone else an owner first.',
  YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER: `You may not remove this member. ${askAdmin}`,
  YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER: `You may not change this member. ${askAdmin}`,
  YOU_ARE_NOT_ALLOWED_TO_INVITE_USERS_TO_THIS_ORGANIZATION: `You may not invite people. ${askAdmin}`,
  YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE: 'You may not invite people with this role. Choose another role.',
  YOU_ARE_NOT_ALLOWED_TO_CANCEL_THIS_INVITATION: `You may not cancel this invitation. ${askAdmin}`,
  INVITATION_NOT_FOUND: `This invitation was used, cancelled or has expired. ${askNewInvitation}`,
  YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION:
    'This invitation is for another email address. Sign in with the invited address.',
  INVITER_IS_NO_LONGER_A_MEMBER_OF_THE_ORGANIZATION:
    'The person who invited you has left the organization. Ask one of its admins for a new link.',

  PASSKEY_NOT_FOUND: 'This passkey is not known here. Sign in with your password instead.',
  AUTHENTICATION_FAILED: 'The passkey was not accepted. Try again, or sign in with your password.',
  AUTH_CANCELLED: 'The passkey sign-in was cancelled. Try again, or sign in with your password.',
  CHALLENGE_NOT_FOUND: 'That took too long. Try again.',
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: 'This device has a passkey for your account already: you can use it.',
  ERROR_CEREMONY_ABORTED: passkeyNotAdded,
  ERROR_PASSTHROUGH_SEE_CAUSE_PROPERTY: passkeyNotAdded,
}

export function explain(error: unknown): string {
  if (!(error instanceof RollkeyError)) return 'Something failed on this page. Load it again.'
  if (error.status === 429) return `There were too many attempts. Try again in ${waitOf(error.retryAfterMs)}.`
  const code = codeOf(error)
  // The message names the field and what is wrong with it.
  if (code === 'INVALID_REQUEST' || error instanceof PageError) return sentenceOf(error)
  return sentences[code] ?? `${unknownProblem(error)} Try again; if it stays, ask the operator.`
}

function sentenceOf({ message }: RollkeyError): string {
  return message.endsWith('.') ? message : `${message}.`
}

function unknownProblem(problem: RollkeyError): string {
  const { requestId } = problem
  const text = sentenceOf(problem)
  return requestId === undefined ? text : `${text} (Request ${requestId})`
}

function waitOf(ms: number | undefined): string {
  if (ms === undefined) return 'a few minutes'
  const seconds = Math.ceil(ms / 1_000)
  if (seconds < 90) return seconds === 1 ? '1 second' : `${seconds} seconds`
  return `${Math.ceil(seconds / 60)} minutes`
}
