/** Access and refresh tokens: 32 random bytes, stored as hashes. */
import { hash } from 'node:crypto'
import { limits } from '@rollkey/contract'
import { newId, newToken } from '../base/random.ts'
import { insertSession, insertTokenPair, type NewSession } from '../storage/sessions.ts'
import type { Tx } from '../storage/sql.ts'

export interface TokenPair {
  readonly accessToken: string
  readonly refreshToken: string
  readonly accessTokenExpiresAtMs: number
  readonly refreshTokenExpiresAtMs: number
}

/**
 * Returns the hash of the text as presented, not of the bytes that it encodes: lax base64url decoders accept several texts
 * for the same bytes. A plain hash is enough for 256 random bits.
 */
export function hashOfToken(token: string): string {
  return hash('sha256', token, 'base64url')
}

/** Issues a new token pair for the session. Only the hashes are stored, so the tokens cannot be shown again. */
export async function issueTokenPair(tx: Tx, sessionId: string, nowMs: number): Promise<TokenPair> {
  const pair: TokenPair = {
    accessToken: newToken('svc_at_'),
    refreshToken: newToken('svc_rt_'),
    accessTokenExpiresAtMs: nowMs + limits.accessTokenLifetimeMs,
    refreshTokenExpiresAtMs: nowMs + limits.refreshTokenLifetimeMs,
  }
  await insertTokenPair(
    tx,
    sessionId,
    { hash: hashOfToken(pair.accessToken), expiresAtMs: pair.accessTokenExpiresAtMs },
    { hash: hashOfToken(pair.refreshToken), expiresAtMs: pair.refreshTokenExpiresAtMs },
  )
  return pair
}

/** Opens a new session with its first token pair. */
export async function openSession(
  tx: Tx,
  session: Omit<NewSession, 'id'>,
): Promise<{ sessionId: string; pair: TokenPair }> {
  const sessionId = newId('ses')
  await insertSession(tx, { id: sessionId, ...session })
  return { sessionId, pair: await issueTokenPair(tx, sessionId, session.nowMs) }
}
