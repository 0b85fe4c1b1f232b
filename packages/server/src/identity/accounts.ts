/** Creates accounts without open sign-up: through the setup link, an invitation or the operator. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { AuthContext } from 'better-auth'
import { APIError } from 'better-auth/api'

type Context = Pick<AuthContext, 'internalAdapter' | 'password' | 'secret'>

const minuteMs = 60_000
const setupLinkLifetimeMs = 60 * minuteMs

/**
 * The name of the record of the only setup link. The request that deletes the record has used the link. The record without the
 * secret of the installation is not enough to make a link.
 */
const setupIdentifier = 'setup'

export interface Account {
  readonly id: string
  readonly email: string
  readonly name: string
}

export interface NewAccount {
  readonly email: string
  readonly name: string
  /** Undefined: the account has no password until a reset link sets one. */
  readonly password: string | undefined
}

export async function accountOf({ internalAdapter }: Context, email: string): Promise<Account | undefined> {
  return (await internalAdapter.findUserByEmail(email.toLowerCase()))?.user
}

/** Creates an account. Throws an APIError if the address already has one. */
export async function createAccount(context: Context, { email, name, password }: NewAccount) {
  const { internalAdapter } = context
  const taken = (): APIError =>
    new APIError('CONFLICT', { code: 'USER_ALREADY_EXISTS', message: `${email} already has an account: sign in.` })
  if (await accountOf(context, email)) throw taken()
  const digest = password === undefined ? undefined : await context.password.hash(password)
  try {
    // The person who handed over the link vouches for the address, since the service sends no mail that could verify it.
    const user = await internalAdapter.createUser(
      { email: email.toLowerCase(), name, emailVerified: true },
      { method: 'email-password' },
    )
    if (digest !== undefined) {
      const { id } = user
      await internalAdapter.linkAccount({ userId: id, providerId: 'credential', accountId: id, password: digest })
    }
    return user
  } catch (error) {
    // Two requests created it at once: the store's unique index admitted one.
    if (await accountOf(context, email)) throw taken()
    throw error
  }
}

/** Changes the address of an account. Returns false if the new one has an account. */
export async function changeEmail(context: Context, { id }: Account, email: string): Promise<boolean> {
  if (await accountOf(context, email)) return false
  try {
    await context.internalAdapter.updateUser(id, { email: email.toLowerCase() })
    return true
  } catch (error) {
    // Another request took it at once: the store's unique index admitted one.
    if (await accountOf(context, email)) return false
    throw error
  }
}

export function newLinkToken(): string {
  return randomBytes(32).toString('base64url')
}

function setupTokenOf(secret: string, nonce: string): string {
  return createHmac('sha256', secret).update(`setup ${nonce}`).digest('base64url')
}

/**
 * Returns the token of the setup link, valid for an hour from now. Every node that starts returns the same token. With `renew`
 * the token is new and the older one is void. Callers must not run this concurrently.
 */
export async function setupToken({ internalAdapter, secret }: Context, renew: boolean): Promise<string> {
  const record = await internalAdapter.findVerificationValue(setupIdentifier)
  const nonce = record && !renew && record.expiresAt > new Date() ? record.value : newLinkToken()
  await internalAdapter.deleteVerificationByIdentifier(setupIdentifier)
  const expiresAt = new Date(Date.now() + setupLinkLifetimeMs)
  await internalAdapter.createVerificationValue({ identifier: setupIdentifier, value: nonce, expiresAt })
  return setupTokenOf(secret, nonce)
}

/** Uses up the setup token. Returns true for exactly one caller with the right token. */
export async function consumeSetupToken({ internalAdapter, secret }: Context, token: string): Promise<boolean> {
  const record = await internalAdapter.findVerificationValue(setupIdentifier)
  if (!record || record.expiresAt <= new Date()) return false
  const expected = Buffer.from(setupTokenOf(secret, record.value))
  const actual = Buffer.from(token)
  if (expected.length !== actual.length || !timingSafeEqual(expected, actual)) return false
  return (await internalAdapter.consumeVerificationValue(setupIdentifier)) !== null
}

export async function deleteSetupToken({ internalAdapter }: Context): Promise<void> {
  await internalAdapter.deleteVerificationByIdentifier(setupIdentifier)
}
