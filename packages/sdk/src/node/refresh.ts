/** Refreshes a stored session, and records the attempt so that a lost answer or a crash can be recognized later. */
import { Connection } from '../connection.ts'
import type { TokenPair } from '../device.ts'
import { RollkeyError } from '../errors.ts'
import type { Fetch } from '../transport.ts'
import { errorCodes } from '../wire-tables.ts'
import type { Credentials } from './credentials.ts'
import type { Session } from './session.ts'

/** What a refresh needs. */
export interface RefreshOptions {
  /** The stored sessions. */
  readonly credentials: Credentials
  /** Allows plain http to other machines, which anyone on the network path can read. @default false */
  readonly allowHttp?: boolean | undefined
  /** Sends the requests. @default the global `fetch` */
  readonly fetch?: Fetch | undefined
  /** The clock, for tests. @default Date */
  readonly clock?: Pick<DateConstructor, 'now'> | undefined
}

/**
 * Refreshes once and returns the session that is stored afterwards, or undefined if the user has logged out in the
 * meantime. The caller holds the lock of the session. Throws LOGIN_NEEDED if the session has ended, or the errors of the
 * request and of the store.
 */
export async function refreshSession(
  session: Session,
  { credentials, allowHttp, fetch, clock = Date }: RefreshOptions,
): Promise<Session | undefined> {
  // Recorded before the refresh token is sent: after a crash, the next process must know that it may be used up.
  const recorded = await credentials.replace(session, { ...session, refreshStartedAtMs: clock.now() })
  if (recorded?.refreshToken !== session.refreshToken) return recorded
  let pair: TokenPair
  try {
    // No retry under the lock, since other processes wait for it. The client retries when it asks for a token again.
    const service = new Connection({ url: session.url, allowHttp, fetch, retry: false })
    pair = await service.call('tokenRefresh', { refreshToken: session.refreshToken })
  } catch (error) {
    if (isSessionEnded(error)) return endSession(session, error, credentials, clock.now())
    // The service has answered, and a refused refresh leaves the refresh token unused.
    if (error instanceof RollkeyError && Object.hasOwn(errorCodes, error.code)) {
      await credentials.replace(session, session)
    }
    throw error
  }
  return credentials.replace(session, { ...session, ...pair, refreshStartedAtMs: undefined })
}

function isSessionEnded(error: unknown): error is RollkeyError {
  return error instanceof RollkeyError && ['INVALID_REFRESH_TOKEN', 'ORG_SCOPE_INVALID'].includes(error.code)
}

async function endSession(
  session: Session,
  error: RollkeyError,
  credentials: Credentials,
  nowMs: number,
): Promise<Session> {
  const other = await credentials.replace(session, undefined)
  if (other) return other
  const { status, requestId } = error
  const message = `The login to ${session.orgSlug} at ${session.url} has ended: ${reasonOf(session, error, nowMs)}.`
  throw new RollkeyError('LOGIN_NEEDED', `${message} Run rollkey login.`, { status, requestId })
}

function reasonOf({ refreshStartedAtMs, refreshTokenExpiresAtMs }: Session, { code }: RollkeyError, nowMs: number) {
  if (code === 'ORG_SCOPE_INVALID') return 'you are no longer a member of this organization'
  if (refreshStartedAtMs !== undefined) {
    return `the answer to its last refresh at ${isoTime(refreshStartedAtMs)} was lost`
  }
  if (refreshTokenExpiresAtMs <= nowMs) return `it was unused and expired at ${isoTime(refreshTokenExpiresAtMs)}`
  return 'it was revoked, its organization requires another sign-in, or it was used elsewhere'
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
