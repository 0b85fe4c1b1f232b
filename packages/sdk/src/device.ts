/** Sessions of command-line clients: the login that a person approves in a browser, and the refresh of its tokens. */
import { Connection, type ConnectionOptions } from './connection.ts'
import { RollkeyError } from './errors.ts'
import { system, type Host } from './host.ts'

export interface TokenPair {
  readonly accessToken: string
  readonly refreshToken: string
  /** Unix time in milliseconds. */
  readonly accessTokenExpiresAtMs: number
  /** Unix time in milliseconds. */
  readonly refreshTokenExpiresAtMs: number
}

/** What a person needs to approve a login. */
export interface DeviceCode {
  /** To type at `verificationUri`. */
  readonly userCode: string
  readonly verificationUri: string
  /** With the user code in it. */
  readonly verificationUriComplete: string
  /** Unix time in milliseconds. */
  readonly expiresAtMs: number
}

export interface LoginOptions extends Pick<ConnectionOptions, 'url' | 'allowHttp' | 'fetch'> {
  /** Shown in the browser during approval. */
  readonly clientName?: string | undefined
  /** Ends the login; it throws CLOSED. */
  readonly signal?: AbortSignal | undefined
  /** Shows the code to the person. */
  readonly onCode: (code: DeviceCode) => void | Promise<void>
}

/**
 * Logs in: shows a code, then waits until the person has approved it. Throws DEVICE_CODE_EXPIRED when it was denied or nobody
 * decided in time.
 */
export function loginByDevice(options: LoginOptions): Promise<TokenPair> {
  return loginOn(options, system)
}

/** With a host of its own, for tests. */
export async function loginOn(
  { signal, clientName, onCode, ...options }: LoginOptions,
  host: Host,
): Promise<TokenPair> {
  const connection = new Connection(options, host)
  const close = (): void => connection.close()
  signal?.addEventListener('abort', close)
  if (signal?.aborted) close()
  try {
    const started = await connection.call('deviceStart', clientName === undefined ? {} : { clientName })
    const { deviceCode, intervalSec, expiresInSec, userCode, verificationUri, verificationUriComplete } = started
    const expiresAtMs = host.now() + expiresInSec * 1_000
    await onCode({ userCode, verificationUri, verificationUriComplete, expiresAtMs })
    for (;;) {
      const pair = await poll(connection, deviceCode, expiresAtMs)
      if (pair) return pair
      await host.wait(intervalSec * 1_000, { signal: connection.closing })
    }
  } finally {
    signal?.removeEventListener('abort', close)
  }
}

/** Undefined: nobody has decided yet, or the service could not be asked, which says nothing of the code. */
async function poll(connection: Connection, deviceCode: string, expiresAtMs: number): Promise<TokenPair | undefined> {
  try {
    const answer = await connection.call('devicePoll', { deviceCode })
    return answer.status === 'approved' ? pairOf(answer) : undefined
  } catch (error) {
    const mayAskAgain = error instanceof RollkeyError && error.retry === 'backoff'
    if (!mayAskAgain || connection.host.now() >= expiresAtMs) throw error
    return undefined
  }
}

/** A new pair for a refresh token, which is used up by it. Never sent twice after a lost answer. Throws RollkeyError. */
export async function refreshTokens({
  refreshToken,
  ...options
}: Pick<ConnectionOptions, 'url' | 'allowHttp' | 'fetch'> & { readonly refreshToken: string }): Promise<TokenPair> {
  return pairOf(await new Connection(options).call('tokenRefresh', { refreshToken }))
}

function pairOf({ accessToken, refreshToken, accessTokenExpiresAtMs, refreshTokenExpiresAtMs }: TokenPair): TokenPair {
  return { accessToken, refreshToken, accessTokenExpiresAtMs, refreshTokenExpiresAtMs }
}
