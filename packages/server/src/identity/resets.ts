/**
 * Links that set a new password. The store keeps a hash of the link's token, the user whose password it sets, and the person who
 * requested it, who must still have the right to when the link is used. A user has at most one such link.
 */
import type { AuthContext } from 'better-auth'
import { newLinkToken } from './accounts.ts'
import { rankOf, type Directory } from './directory.ts'

type Context = Pick<AuthContext, 'internalAdapter'>

const lifetimeMs = 60 * 60_000
const prefix = 'reset-password'

export interface Reset {
  /** The user whose password the link sets. */
  readonly userId: string
  /** The user who requested the link. Undefined: the operator. */
  readonly requesterId: string | undefined
}

/** Returns the stored text of a link. Ids consist of letters and digits, so no other record has the same prefix or suffix. */
function resetText({ userId, requesterId }: Reset): string {
  return `${prefix} ${userId} ${requesterId ?? 'operator'}`
}

export function parseReset(text: string): Reset | undefined {
  const [kind, userId, requesterId] = text.split(' ')
  if (kind !== prefix || userId === undefined || requesterId === undefined) return undefined
  return { userId, requesterId: requesterId === 'operator' ? undefined : requesterId }
}

function identifierOf(token: string): string {
  return `${prefix}:${token}`
}

/**
 * Returns whether the requester may set the user's password. A new password gives access to the whole account, so in every
 * organization of the user the requester must be an owner or admin with at least the user's role.
 */
export async function mayReset(directory: Directory, { userId, requesterId }: Reset): Promise<boolean> {
  if (requesterId === undefined) return true
  if (requesterId === userId) return false
  const requesterRanks = new Map((await directory.rolesOf(requesterId)).map(({ orgId, role }) => [orgId, rankOf(role)]))
  const userRoles = await directory.rolesOf(userId)
  // A user without organizations shares none with the requester anymore.
  return (
    userRoles.length > 0 &&
    userRoles.every(({ orgId, role }) => (requesterRanks.get(orgId) ?? -1) >= Math.max(rankOf('admin'), rankOf(role)))
  )
}

/** Revokes all links that set a new password of the user. */
export async function revokeResetsOf(directory: Directory, userId: string): Promise<void> {
  await directory.deleteVerifications('starts_with', `${prefix} ${userId} `)
}

/** Revokes all links that the user requested. */
export async function revokeResetsBy(directory: Directory, askerId: string): Promise<void> {
  await directory.deleteVerifications('ends_with', ` ${askerId}`)
}

/** Creates a link and returns its token. Revokes older links of the same user. */
export async function newReset(
  { internalAdapter }: Context,
  directory: Directory,
  reset: Reset,
): Promise<{ token: string; expiresAt: Date }> {
  const token = newLinkToken()
  const expiresAt = new Date(Date.now() + lifetimeMs)
  await directory.withLock([reset.userId], async () => {
    await revokeResetsOf(directory, reset.userId)
    const identifier = identifierOf(token)
    await internalAdapter.createVerificationValue({ identifier, value: resetText(reset), expiresAt })
  })
  return { token, expiresAt }
}

/** Returns the reset that a link currently allows; undefined if the link is not valid. */
export async function validReset(
  { internalAdapter }: Context,
  directory: Directory,
  token: string,
): Promise<Reset | undefined> {
  const record = await internalAdapter.findVerificationValue(identifierOf(token))
  const reset = record && record.expiresAt > new Date() ? parseReset(record.value) : undefined
  return reset && (await mayReset(directory, reset)) ? reset : undefined
}
