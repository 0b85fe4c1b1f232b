/** The sign-in at an outside provider: out to its page, and back to /auth/callback. */
import { get, post } from '../service/api.ts'
import { Problem } from '../service/problem.ts'
import { keepExternalToken } from './external-token.ts'

/** What the callback needs. It lies in the session storage for the time of the redirect, for nothing else survives it. */
interface PendingSignIn {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  readonly returnTo: string
  /** Where the provider's own pages are. */
  readonly providerUrl: string
}

/** The provider or the service refused the sign-in; the message says why, and what to do. */
export class SignInRefused extends Problem {
  readonly providerUrl: string
  readonly returnTo: string

  constructor({ message, status, requestId }: Problem, { providerUrl, returnTo }: PendingSignIn) {
    super({ code: 'SIGN_IN_REFUSED', message, status, requestId })
    this.providerUrl = providerUrl
    this.returnTo = returnTo
  }
}

const storageKey = 'rollkey-sign-in'

export async function startExternalSignIn(returnTo: string): Promise<void> {
  const { url, state, nonce, codeVerifier } = await post('/v1/web/sign-in', {})
  const pending: PendingSignIn = { state, nonce, codeVerifier, returnTo, providerUrl: new URL(url).origin }
  sessionStorage.setItem(storageKey, JSON.stringify(pending))
  location.assign(url)
}

/** Ends the sign-in with the parameters that the provider sent; answers the path to go to. */
export async function finishExternalSignIn(callback: string): Promise<string> {
  const pending = takePending()
  const { state, nonce, codeVerifier, returnTo } = pending
  try {
    const { token, expiresAtMs, name } = await post('/v1/web/token', { callback, state, nonce, codeVerifier })
    const { idpUserId, orgSlug } = await get('/v1/whoami', token)
    keepExternalToken({ token, expiresAtMs, name, userId: idpUserId, orgSlug })
  } catch (error) {
    throw error instanceof Problem && error.code === 'UNAUTHORIZED' ? new SignInRefused(error, pending) : error
  }
  return returnTo
}

function takePending(): PendingSignIn {
  const stored = sessionStorage.getItem(storageKey)
  sessionStorage.removeItem(storageKey)
  if (stored === null) {
    throw new Problem({
      code: 'SIGN_IN_NOT_STARTED',
      message: 'This sign-in was not started in this tab, or it is finished already.',
      status: 0,
    })
  }
  return JSON.parse(stored) as PendingSignIn
}
