/** Fields and functions that several links share. */
import { displayName } from '@rollkey/contract'
import { APIError } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import { z } from 'zod'
import type { createAccount } from '../accounts.ts'
import { passwordLength } from '../rules.ts'

export const trimmedName = z.string().trim().pipe(displayName)
export const password = z.string().min(passwordLength.min).max(passwordLength.max)

/** Creates a session and sets its cookie. */
export async function signIn(
  ctx: Parameters<typeof setSessionCookie>[0],
  user: Awaited<ReturnType<typeof createAccount>>,
): Promise<void> {
  const session = await ctx.context.internalAdapter.createSession(user.id)
  await setSessionCookie(ctx, { session, user })
}

export function linkGone(message: string): APIError {
  return new APIError('GONE', { code: 'LINK_NOT_VALID', message })
}
