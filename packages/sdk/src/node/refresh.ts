/** The refresh of a stored session, so that a lost answer or a crash is known for what it was. */
import { Connection } from '../connection.ts'
import type { TokenPair } from '../device.ts'
import { RollkeyError } from '../errors.ts'
import type { Fetch } from '../transport.ts'
import { errorCodes } from '../wire.ts'
import type { Credentials, Session } from './credentials.ts'

export interface RefreshOptions {
  readonly credentials: Credentials
  readonly allowHttp?: boolean | undefined
  readonly fetch?: Fetch | undefined
  readonly clock?: { now(): number } | undefined
}

/**
 * Refreshes once and gives the session that is stored then; undefined if somebody has logged out meanwhile. The caller holds
 * the lock of the session. Throws LOGIN_NEEDED if the session has ended, else the errors of the request and of the store.
 */
export async function refreshSession(
  session: Session,
  { credentials, allowHttp, fetch, clock = Date }: RefreshOptions,
): Promise<Session | undefined> {
  // Noted before the refresh token goes out: whoever comes after a crash has to know that it may be used up.
  const noted = await credentials.replace(session, { ...session, refreshStartedAtMs: clock.now() })
  if (noted?.refreshToken !== session.refreshToken) return noted
  let pair: TokenPair
  try {
    // No second attempt under the lock, for which others wait: the client makes it, when it asks for a token again.
    const service = new Connection({ url: session.url, allowHttp, fetch, retry: false })
    pair = await service.call('tokenRefresh', { refreshToken: session.refreshToken })
  } catch (error) {
    if (isEnd(error)) return endSession(session, error, credentials, clock.now())
    // The service has answered, and a refresh that it refuses leaves the refresh token as it was.
    if (error instanceof RollkeyError && Object.hasOwn(errorCodes, error.code)) {
      await credentials.replace(session, session)
    }
    throw error
  }
  return credentials.replace(session, { ...session, ...pair, refreshStartedAtMs: undefined })
}

function isEnd(error: unknown): error is RollkeyError {
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
    return `the answer to its last refresh, of ${isoTime(refreshStartedAtMs)}, was lost`
  }
  if (refreshTokenExpiresAtMs <= nowMs) return `it was not used until ${isoTime(refreshTokenExpiresAtMs)}`
  return 'it was revoked, or somebody else has used its refresh token'
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
