/** The sign-in at an external provider, which returns to /auth/callback. */
import { labels } from '../service/labels.ts'
import { RollkeyError } from '@rollkey/sdk/core'
import { connect } from '../service/connection.ts'
import { PageError } from '../service/errors.ts'

/** State for the callback. It is in the session storage during the redirect, because nothing else survives that. */
interface PendingSignIn {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  readonly returnTo: string
  /** Address of the provider's pages. */
  readonly providerUrl: string
}

/** A sign-in that the provider or the service refused. The message says why, and what to do. */
export class SignInRefused extends PageError {
  readonly providerUrl: string
  readonly returnTo: string

  constructor(cause: RollkeyError, { providerUrl, returnTo }: PendingSignIn) {
    const { message, status, requestId } = cause
    super('LOGIN_NEEDED', message, { status, requestId, cause })
    this.providerUrl = providerUrl
    this.returnTo = returnTo
  }
}

const storageKey = 'rollkey-sign-in'

/** Opens the sign-in of the provider. `confirm`: also for a person who is signed in there, unless they signed in recently. */
export async function startExternalSignIn(returnTo: string, confirm = false): Promise<void> {
  const { url, state, nonce, codeVerifier } = await connect().call('webSignIn', { confirm })
  const pending: PendingSignIn = { state, nonce, codeVerifier, returnTo, providerUrl: new URL(url).origin }
  sessionStorage.setItem(storageKey, JSON.stringify(pending))
  location.assign(url)
}

/** Finishes the sign-in with the parameters of the provider. Returns the path to open. */
export async function finishExternalSignIn(callback: string): Promise<string> {
  const pending = takePending()
  const { state, nonce, codeVerifier, returnTo } = pending
  try {
    const { token, expiresAtMs, name } = await connect().call('webToken', { callback, state, nonce, codeVerifier })
    const { idpUserId, orgSlug } = await connect(token).call('whoami', {})
    keepExternalToken({ token, expiresAtMs, name, userId: idpUserId, orgSlug })
  } catch (error) {
    throw error instanceof RollkeyError && error.code === 'UNAUTHORIZED' ? new SignInRefused(error, pending) : error
  }
  return returnTo
}

function takePending(): PendingSignIn {
  const stored = sessionStorage.getItem(storageKey)
  sessionStorage.removeItem(storageKey)
  if (stored === null) {
    throw new PageError('LOGIN_NEEDED', labels.noPendingSignIn)
  }
  return JSON.parse(stored) as PendingSignIn
}

/** The external provider's token and the service's reading of it. It is only in memory, so a reload forgets it. */

interface ExternalToken {
  readonly token: string
  readonly expiresAtMs: number
  readonly name?: string | undefined
  readonly userId: string | undefined
  readonly orgSlug: string
}

let current: ExternalToken | undefined

function keepExternalToken(token: ExternalToken): void {
  current = token
}

export function forgetExternalToken(): void {
  current = undefined
}

/** Returns the token, if it is still valid. */
export function externalToken(): ExternalToken | undefined {
  return current && current.expiresAtMs > Date.now() ? current : undefined
}
