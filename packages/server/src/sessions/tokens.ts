/** Access and refresh tokens: 32 random bytes, kept as hashes (RULINGS, "Tokens"). */
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
 * Of the text as it was presented, not of the bytes it stands for: lax base64url decoders take several texts for the
 * same bytes. A plain hash is enough for 256 random bits.
 */
export function hashOfToken(token: string): string {
  return hash('sha256', token, 'base64url')
}

/** A new pair of the session, stored as hashes; the only time that the tokens themselves are seen. */
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

/** A new session with its first pair. */
export async function openSession(
  tx: Tx,
  session: Omit<NewSession, 'id'>,
): Promise<{ sessionId: string; pair: TokenPair }> {
  const sessionId = newId('ses')
  await insertSession(tx, { id: sessionId, ...session })
  return { sessionId, pair: await issueTokenPair(tx, sessionId, session.nowMs) }
}
