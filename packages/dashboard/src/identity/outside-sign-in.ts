/** The sign-in at an outside provider: out to its page, and back to /auth/callback. */
import { get, post } from '../service/api.ts'
import { Problem } from '../service/problem.ts'
import { keepOutsideToken } from './outside-token.ts'

/** What the callback needs. It lies in the session storage for the time of the redirect, for nothing else survives it. */
interface PendingSignIn {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  readonly returnTo: string
}

const storageKey = 'rollkey-sign-in'

export async function startOutsideSignIn(returnTo: string): Promise<void> {
  const { url, state, nonce, codeVerifier } = await post('/v1/web/sign-in', {})
  const pending: PendingSignIn = { state, nonce, codeVerifier, returnTo }
  sessionStorage.setItem(storageKey, JSON.stringify(pending))
  location.assign(url)
}

/** Ends the sign-in with the parameters that the provider sent; answers the path to go to. */
export async function finishOutsideSignIn(callback: string): Promise<string> {
  const { returnTo, ...proof } = takePending()
  const { token, expiresAtMs, name } = await post('/v1/web/token', { callback, ...proof })
  const { idpUserId, orgSlug } = await get('/v1/whoami', token)
  keepOutsideToken({ token, expiresAtMs, name, userId: idpUserId, orgSlug })
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
