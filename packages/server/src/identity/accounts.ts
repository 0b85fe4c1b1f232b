/** Accounts that are made without open sign-up: by the set-up link, an invitation or the operator. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { AuthContext } from 'better-auth'
import { APIError } from 'better-auth/api'

type Context = Pick<AuthContext, 'internalAdapter' | 'password' | 'secret'>

const minuteMs = 60_000
const setupLinkLifetimeMs = 60 * minuteMs

/**
 * One name for the only set-up link: whoever takes the record away has spent it. The record alone, without the secret of
 * the installation, makes no link.
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
  /** Undefined: none yet; a reset link gives one. */
  readonly password: string | undefined
}

export async function accountOf({ internalAdapter }: Context, email: string): Promise<Account | undefined> {
  return (await internalAdapter.findUserByEmail(email.toLowerCase()))?.user
}

/** Throws an APIError if the address has an account. */
export async function createAccount(context: Context, { email, name, password }: NewAccount) {
  const { internalAdapter } = context
  const taken = (): APIError =>
    new APIError('CONFLICT', { code: 'USER_ALREADY_EXISTS', message: `${email} has an account already: sign in.` })
  if (await accountOf(context, email)) throw taken()
  const digest = password === undefined ? undefined : await context.password.hash(password)
  try {
    // Whoever handed the link over vouches for the address: no mail is sent that could prove it.
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
    // Two at once: the store lets one in.
    if (await accountOf(context, email)) throw taken()
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
 * The token of the set-up link, good for an hour from now. Every node that starts gives the same; with `renew` it is a new
 * one, and the older is void. The caller is the only one to ask.
 */
export async function setupToken({ internalAdapter, secret }: Context, renew: boolean): Promise<string> {
  const record = await internalAdapter.findVerificationValue(setupIdentifier)
  const nonce = record && !renew && record.expiresAt > new Date() ? record.value : newLinkToken()
  await internalAdapter.deleteVerificationByIdentifier(setupIdentifier)
  const expiresAt = new Date(Date.now() + setupLinkLifetimeMs)
  await internalAdapter.createVerificationValue({ identifier: setupIdentifier, value: nonce, expiresAt })
  return setupTokenOf(secret, nonce)
}

/** True for exactly one caller with the right token. */
export async function spendSetupToken({ internalAdapter, secret }: Context, token: string): Promise<boolean> {
  const record = await internalAdapter.findVerificationValue(setupIdentifier)
  if (!record || record.expiresAt <= new Date()) return false
  const right = Buffer.from(setupTokenOf(secret, record.value))
  const given = Buffer.from(token)
  if (right.length !== given.length || !timingSafeEqual(right, given)) return false
  return (await internalAdapter.consumeVerificationValue(setupIdentifier)) !== null
}

export async function voidSetupToken({ internalAdapter }: Context): Promise<void> {
  await internalAdapter.deleteVerificationByIdentifier(setupIdentifier)
}
