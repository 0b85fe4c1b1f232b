/** The sign-in at an external provider, which returns to /auth/callback. */
import { labels } from '../service/labels.ts'
import { RollkeyError } from '@rollkey/sdk/core'
import { connect } from '../service/connection.ts'
import { PageError } from '../service/errors.ts'

/** What ties the end of a sign-in to its start. */
interface SignInProof {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

/** State for the callback. It is in the session storage during the redirect, because nothing else survives that. */
interface PendingSignIn extends SignInProof {
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

/** The browser opened no window. */
export class WindowBlocked extends PageError {
  constructor() {
    super('LOGIN_NEEDED', labels.windowBlocked)
  }
}

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
    keepExternalToken(await exchanged(callback, { state, nonce, codeVerifier }))
  } catch (error) {
    throw error instanceof RollkeyError && error.code === 'UNAUTHORIZED' ? new SignInRefused(error, pending) : error
  }
  return returnTo
}

async function exchanged(callback: string, proof: SignInProof): Promise<ExternalToken> {
  const { token, expiresAtMs, name } = await connect().call('webToken', { callback, ...proof })
  const { idpUserId, orgSlug } = await connect(token).call('whoami', {})
  return { token, expiresAtMs, name, userId: idpUserId, orgSlug }
}

/** Between the window of a confirmation and the page that opened it, which the provider's pages cut off from each other. */
const channelName = 'rollkey-confirmation'

/**
 * Lets the person sign in again in another window, so that this page keeps what was typed and what waits. Resolves when they did.
 * Throws WindowBlocked, or why the provider or the service refused. The signal ends the wait.
 */
export async function confirmInWindow(
  viewer: { readonly userId: string | undefined; readonly orgSlug: string },
  signal: AbortSignal,
): Promise<void> {
  // The window gets a copy of the session storage.
  sessionStorage.removeItem(storageKey)
  const opened = globalThis.open('', '_blank', 'popup,width=520,height=720')
  if (!opened) throw new WindowBlocked()
  const { url, state, nonce, codeVerifier } = await connect()
    .call('webSignIn', { confirm: true })
    .catch((error: unknown) => {
      opened.close()
      throw error
    })
  const callback = handedOver(state, signal)
  opened.location.assign(url)
  const token = await exchanged(await callback, { state, nonce, codeVerifier })
  if (token.userId !== viewer.userId || token.orgSlug !== viewer.orgSlug)
    throw new PageError('LOGIN_NEEDED', labels.someoneElse)
  keepExternalToken(token)
}

function post(channel: BroadcastChannel, message: unknown): void {
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- A channel has only the own origin.
  channel.postMessage(message)
}

/** Returns the provider's answer with this state, as soon as the other window has it. */
async function handedOver(state: string, signal: AbortSignal): Promise<string> {
  const channel = new BroadcastChannel(channelName)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  channel.addEventListener('message', ({ data }) => {
    if (typeof data !== 'string' || new URLSearchParams(data).get('state') !== state) return
    post(channel, { taken: state })
    resolve(data)
  })
  signal.addEventListener('abort', () => reject(signal.reason as Error))
  return promise.finally(() => channel.close())
}

/** How long another tab has to say that it awaits the answer of the provider. */
const handOverMs = 1_000

/** Gives the provider's answer to the tab that awaits it. Returns whether there is one. Others cannot use it: they lack the verifier. */
export async function handOver(callback: string): Promise<boolean> {
  if (sessionStorage.getItem(storageKey) !== null) return false
  const channel = new BroadcastChannel(channelName)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const state = new URLSearchParams(callback).get('state')
  channel.addEventListener('message', ({ data }) => {
    if ((data as { taken?: unknown }).taken === state) resolve(true)
  })
  post(channel, callback)
  setTimeout(() => resolve(false), handOverMs)
  return promise.finally(() => channel.close())
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
