/**
 * Links that set a new password. The store keeps a hash of the link's token, whose password it sets, and who asked for it: that
 * person must still be allowed to when the link is used. A person has one such link at most.
 */
import type { AuthContext } from 'better-auth'
import { newLinkToken } from './accounts.ts'
import { rankOf, type Directory } from './directory.ts'

type Context = Pick<AuthContext, 'internalAdapter'>

const lifetimeMs = 60 * 60_000
const prefix = 'reset-password'

export interface Reset {
  /** Whose password the link sets. */
  readonly userId: string
  /** Undefined: the operator. */
  readonly askerId: string | undefined
}

/** What the store keeps of a link. Ids are letters and digits, so no other record begins or ends alike. */
function textOf({ userId, askerId }: Reset): string {
  return `${prefix} ${userId} ${askerId ?? 'operator'}`
}

export function resetOf(text: string): Reset | undefined {
  const [kind, userId, askerId] = text.split(' ')
  if (kind !== prefix || userId === undefined || askerId === undefined) return undefined
  return { userId, askerId: askerId === 'operator' ? undefined : askerId }
}

function identifierOf(token: string): string {
  return `${prefix}:${token}`
}

/** A new password is the whole account: every organization of the member's must trust the asker at least as much. */
export async function mayReset(directory: Directory, { userId, askerId }: Reset): Promise<boolean> {
  if (askerId === undefined) return true
  if (askerId === userId) return false
  const asker = new Map((await directory.rolesOf(askerId)).map(({ orgId, role }) => [orgId, rankOf(role)]))
  const theirs = await directory.rolesOf(userId)
  // Who was removed from the last organization that they shared has nothing in common with the person any more.
  return (
    theirs.length > 0 &&
    theirs.every(({ orgId, role }) => (asker.get(orgId) ?? -1) >= Math.max(rankOf('admin'), rankOf(role)))
  )
}

/** Ends all links that set a new password of the user. */
export async function endResetsOf(directory: Directory, userId: string): Promise<void> {
  await directory.deleteVerifications('starts_with', `${prefix} ${userId} `)
}

/** Ends all links that the user asked for. */
export async function endResetsBy(directory: Directory, askerId: string): Promise<void> {
  await directory.deleteVerifications('ends_with', ` ${askerId}`)
}

/** The token of a new link; older ones of the person end. */
export async function newReset(
  { internalAdapter }: Context,
  directory: Directory,
  reset: Reset,
): Promise<{ token: string; expiresAt: Date }> {
  const token = newLinkToken()
  const expiresAt = new Date(Date.now() + lifetimeMs)
  await directory.holding([reset.userId], async () => {
    await endResetsOf(directory, reset.userId)
    const identifier = identifierOf(token)
    await internalAdapter.createVerificationValue({ identifier, value: textOf(reset), expiresAt })
  })
  return { token, expiresAt }
}

/** What a link may do now; undefined: nothing. */
export async function validReset(
  { internalAdapter }: Context,
  directory: Directory,
  token: string,
): Promise<Reset | undefined> {
  const record = await internalAdapter.findVerificationValue(identifierOf(token))
  const reset = record && record.expiresAt > new Date() ? resetOf(record.value) : undefined
  return reset && (await mayReset(directory, reset)) ? reset : undefined
}
