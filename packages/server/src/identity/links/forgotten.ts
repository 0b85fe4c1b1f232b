import { APIError, createAuthEndpoint } from 'better-auth/api'
import { z } from 'zod'
import type { AccountMails } from '../account-mails.ts'

/** Longest address of a mailbox (RFC 5321, section 4.5.3.1.3). */
const maxEmailCharacters = 254

/**
 * Returns the endpoint that has a link mailed that sets a new password. The answer is the same for every address and needs the same time:
 * whether there is an account is looked up when the mail is sent.
 */
export function forgotten(mails: AccountMails | undefined) {
  const body = z.object({ email: z.email().max(maxEmailCharacters) })
  return createAuthEndpoint('/links/forgotten', { method: 'POST', body }, async (ctx) => {
    if (mails?.resetRequested === undefined) {
      throw new APIError('NOT_FOUND', {
        code: 'NO_MAIL',
        message: 'This service sends no links: ask an owner or admin of your organization, or the operator, for one.',
      })
    }
    await mails.resetRequested(ctx.body.email)
    return ctx.json({ status: true })
  })
}
