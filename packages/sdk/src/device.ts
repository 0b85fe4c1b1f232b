/** Sessions of command-line clients: a login that a person approves in a browser, and the refresh of its tokens. */
import { Connection, type ConnectionOptions } from './connection.ts'
import { RollkeyError } from './errors.ts'
import { system, type Host } from './host.ts'

/** The tokens of a session. */
export interface TokenPair {
  /** Token for requests. Pass it to `createClient`. */
  readonly accessToken: string
  /** Token for `refreshTokens`. It can be used once. */
  readonly refreshToken: string
  /** Unix time in milliseconds. */
  readonly accessTokenExpiresAtMs: number
  /** Unix time in milliseconds. */
  readonly refreshTokenExpiresAtMs: number
}

/** What a person needs to approve a login. */
export interface DeviceCode {
  /** The code that the person types at `verificationUri`: 8 characters. */
  readonly userCode: string
  /** Address of the approval page. */
  readonly verificationUri: string
  /** Address of the approval page that contains the user code. */
  readonly verificationUriComplete: string
  /** When the code expires. Unix time in milliseconds. */
  readonly expiresAtMs: number
}

/** Options of `loginByDevice`. */
export interface LoginOptions extends Pick<ConnectionOptions, 'url' | 'allowHttp' | 'fetch'> {
  /** The name that the approval page shows for this client, at most 256 characters. @default none */
  readonly clientName?: string | undefined
  /** Cancels the login, which then throws `CLOSED`. @default none */
  readonly signal?: AbortSignal | undefined
  /** Shows the code to the person. The login waits for the returned promise, and fails with its error. */
  readonly onCode: (code: DeviceCode) => void | Promise<void>
}

/**
 * Logs in: passes a code to `onCode`, then waits until a person approves it in a browser (RFC 8628). That may take 10
 * minutes.
 *
 * @throws {RollkeyError} `DEVICE_CODE_EXPIRED` if the login was denied or not approved in time, `CLOSED` if the signal
 * was aborted, `UNREACHABLE` if the service cannot be reached.
 * @example
 * const { accessToken, refreshToken } = await loginByDevice({
 *   url: 'https://rollkey.example.com',
 *   clientName: 'my tool',
 *   onCode: ({ verificationUri, userCode }) => console.log(`Open ${verificationUri} and enter ${userCode}`),
 * })
 */
export function loginByDevice(options: LoginOptions): Promise<TokenPair> {
  return loginOn(options, system)
}

/** Logs in on a given host, for tests. */
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

/** Returns undefined while the login is undecided, or if the service cannot be reached, which says nothing about the code. */
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

/** Options of `refreshTokens`. */
interface RefreshTokensOptions extends Pick<ConnectionOptions, 'url' | 'allowHttp' | 'fetch'> {
  /** The refresh token of the pair that expires. It can be used once. */
  readonly refreshToken: string
}

/**
 * Exchanges a refresh token for a new pair. The refresh token becomes invalid. The request is not retried after a lost
 * answer, since the token may be used up.
 *
 * @throws {RollkeyError} `INVALID_REFRESH_TOKEN` if the token is unknown, expired or already used, `ORG_SCOPE_INVALID` if
 * the user is no longer a member of the organization, `UNREACHABLE` if the answer was lost, `INVALID_SETTING` if the URL is
 * malformed.
 * @example
 * const pair = await refreshTokens({ url: 'https://rollkey.example.com', refreshToken })
 */
export async function refreshTokens({ refreshToken, ...options }: RefreshTokensOptions): Promise<TokenPair> {
  return pairOf(await new Connection(options).call('tokenRefresh', { refreshToken }))
}

function pairOf({ accessToken, refreshToken, accessTokenExpiresAtMs, refreshTokenExpiresAtMs }: TokenPair): TokenPair {
  return { accessToken, refreshToken, accessTokenExpiresAtMs, refreshTokenExpiresAtMs }
}
