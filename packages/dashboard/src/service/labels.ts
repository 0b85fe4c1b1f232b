/** Explanations of errors. */
import { countText } from '../lib/numbers.ts'

const askAdmin = 'Ask an owner or admin of the organization.'
const passwordLength = 'Passwords have 10 to 128 characters. Choose another one.'
const accountExists = 'An account with this email already exists. Sign in with it instead.'
const slugTaken = 'An organization with this slug already exists. Choose another slug.'
const signInAgain = 'Sign out and in again, then repeat what you did.'
const passkeyNotAdded = 'No passkey was added: the dialog was closed or took too long. Try again.'
const askNewInvitation = 'Ask the person who invited you for a new link.'

/** What happened and what to do next, by the codes of the service, the client and the identity provider. */
export const sentences: Readonly<Record<string, string>> = {
  UNREACHABLE: 'The service can’t be reached. Check your connection, then try again.',
  INVALID_ANSWER: 'The service sent an unexpected answer. Try again in a moment.',
  INTERNAL: 'Something failed inside the service. Try again in a moment.',
  SERVICE_UNAVAILABLE: 'The service cannot answer at the moment. Try again in a moment.',

  AUDIT_UNAVAILABLE: 'The audit log cannot be written at the moment, so nothing was done. Try again in a minute.',
  AUDIT_NOT_DELIVERED:
    'The audit log cannot be delivered at the moment, so nothing was done. Try again in a minute, or ask the operator.',
  UNAUTHORIZED: 'You are signed out. Sign in, then try again.',
  ORG_SCOPE_INVALID: 'You are no longer a member of this organization. Choose another one, or ask to be invited again.',
  WRONG_CODE:
    'This code is wrong, was used already, or has expired. Enter the one that your app shows now, or an unused recovery code.',
  SECOND_FACTOR_IS_ON: 'A second factor is on already. Load the page again.',
  SECOND_FACTOR_NOT_STARTED: 'The set-up was started again elsewhere. Close it and start again.',
  FORBIDDEN: `You don’t have permission to do this. ${askAdmin}`,
  USER_CODE_INVALID: 'A code has 8 letters and digits. Compare it with the code on your device.',
  DEVICE_CODE_NOT_FOUND:
    'Code not found: it may be mistyped, used or denied. ' +
    'Compare it with the code on your device, or start a new login there.',
  DEVICE_CODE_EXPIRED: 'This code has expired. Start a new login on your device, then enter its code.',

  INVALID_EMAIL_OR_PASSWORD: 'Incorrect email or password. Check both, or ask an owner or admin for a reset link.',
  INVALID_PASSWORD: 'The current password is wrong. Type it again.',
  PASSWORD_TOO_SHORT: passwordLength,
  PASSWORD_TOO_LONG: passwordLength,
  PASSWORD_TOO_COMMON: 'Attackers try this password first. Choose another one, such as several words.',
  INVALID_EMAIL: 'This isn’t an email address. Check it.',
  USER_ALREADY_EXISTS: accountExists,
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: accountExists,
  EMAIL_PASSWORD_SIGN_UP_DISABLED: 'Accounts are created by invitation. Ask an owner or admin for an invitation link.',
  SESSION_EXPIRED: signInAgain,
  CONFIRMATION_REQUIRED: 'Confirm your identity: this action needs a sign-in within the last 15 minutes.',
  COMPANY_SIGN_IN_REQUIRED:
    'Your organization requires that you sign in at your company. Use the button of the company.',
  SECOND_FACTOR_MISSING:
    'This organization requires a second factor. Open it to set one up, or to sign in with a passkey.',
  LAST_BREAK_GLASS_OWNER:
    'This is the only owner who may sign in without the company. Add another owner to the exceptions first (Settings, Sign-in).',
  INVALID_ORIGIN: 'This page was opened at an unexpected address. Open it at the public address of the service.',

  LINK_NOT_VALID: 'This link was used or withdrawn, or has expired. Ask for a new one.',
  NOT_ALLOWED:
    'You must be an owner or admin in all organizations of this person, with at least their role. ' +
    'Or ask the operator of the service for the link.',

  APPROVAL_REQUIRED:
    'Changes of this stage need approval. Use “Add to draft”, then review and propose it; others approve.',
  CHANGE_CONFLICT: 'This change was edited or settled in the meantime. Look at it again.',
  VARIABLE_NOT_FOUND: 'This variable no longer exists. Close it to see the current table.',
  REVISION_CONFLICT: 'Others changed this stage at the same moment. Save again.',
  EVALUATION_FAILED:
    'The stored value can’t be opened. Set it again, or ask the operator, who finds the reason in the log.',
  PAYLOAD_TOO_LARGE: 'This is too much to save at once. Save a part of it first.',
  USAGE_LIMIT_EXCEEDED: 'The storage of your plan is used up. Delete something, or ask the operator for more.',

  SLUG_NOT_VALID: 'A slug is 1 to 63 lower-case letters, digits and dashes. Change it.',
  ORGANIZATION_ALREADY_EXISTS: slugTaken,
  ORGANIZATION_SLUG_ALREADY_TAKEN: slugTaken,
  YOU_ARE_NOT_ALLOWED_TO_CREATE_A_NEW_ORGANIZATION:
    'You don’t have permission to create organizations. Ask the operator.',
  YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS:
    'You own the maximum number of organizations. Ask the operator for more.',
  USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION: 'You are not a member of this organization. Choose another one.',
  USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: 'This person is already a member. There is nothing to do.',
  USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION:
    'This person is already invited. Copy the link of the pending invitation, or cancel that first.',
  MEMBER_NOT_FOUND: 'This person is no longer a member. Load the page again.',
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER: 'You are the only owner. Make someone else an owner first.',
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_WITHOUT_AN_OWNER:
    'An organization needs an owner. Make someone else an owner first.',
  YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER: `You don’t have permission to remove this member. ${askAdmin}`,
  YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER: `You don’t have permission to change this member. ${askAdmin}`,
  YOU_ARE_NOT_ALLOWED_TO_INVITE_USERS_TO_THIS_ORGANIZATION: `You don’t have permission to invite people. ${askAdmin}`,
  YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE:
    'You don’t have permission to invite people with this role. Choose another role.',
  YOU_ARE_NOT_ALLOWED_TO_CANCEL_THIS_INVITATION: `You don’t have permission to cancel this invitation. ${askAdmin}`,
  INVITATION_NOT_FOUND: `This invitation was used or canceled, or has expired. ${askNewInvitation}`,
  YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION:
    'This invitation is for another email address. Sign in with the invited address.',
  INVITER_IS_NO_LONGER_A_MEMBER_OF_THE_ORGANIZATION:
    'The person who invited you has left the organization. Ask one of its admins for a new link.',

  PASSKEY_NOT_FOUND: 'Unknown passkey. Sign in with your password instead.',
  AUTHENTICATION_FAILED: 'The passkey was not accepted. Try again, or sign in with your password.',
  AUTH_CANCELLED: 'The passkey sign-in was canceled. Try again, or sign in with your password.',
  CHALLENGE_NOT_FOUND: 'That took too long. Try again.',
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: 'This device already has a passkey for your account. Use that one.',
  ERROR_CEREMONY_ABORTED: passkeyNotAdded,
  ERROR_PASSTHROUGH_SEE_CAUSE_PROPERTY: passkeyNotAdded,
}

export const labels = {
  canceled: 'You canceled the confirmation. Nothing was changed.',
  failedPage: 'Something failed on this page. Load it again.',
  notAllowed: 'The browser did not allow it. Allow it for this page in the settings of the browser, and try again.',
  requestFailed: 'The request failed.',
  windowBlocked:
    'The browser opened no window for the sign-in. Allow windows for this page and try again, or sign in here.',
  someoneElse: 'You signed in as someone else. Sign in as the person who opened this page.',
  noPendingSignIn: 'This sign-in was not started in this tab, or is already finished. Sign in again.',
  tooManyAttempts: (seconds: number | undefined) => `Too many attempts. Try again in ${waitText(seconds)}.`,
  unknown: (message: string, requestId: string | undefined) =>
    `${message}${requestId === undefined ? '' : ` (Request ${requestId})`} Try again. If it fails again, ask the operator.`,
} as const

function waitText(seconds: number | undefined): string {
  if (seconds === undefined) return 'a few minutes'
  if (seconds < 90) return seconds === 1 ? '1 second' : `${countText(seconds)} seconds`
  return `${countText(Math.ceil(seconds / 60))} minutes`
}
