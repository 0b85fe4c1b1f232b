/** Endpoints by which people choose which mails they get. Mails about their account and invitations they get in any case. */
import type { BetterAuthPlugin } from 'better-auth'
import { APIError, createAuthEndpoint, sessionMiddleware } from 'better-auth/api'
import { z } from 'zod'
import type { AccountMails } from './account-mails.ts'

/** Maximum kinds that a request may name. */
const maxKinds = 50

export function mailChoices(mails: AccountMails | undefined) {
  const use = [sessionMiddleware]
  const body = z.object({ off: z.array(z.string().max(100)).max(maxKinds) })
  return {
    id: 'mail-choices',
    endpoints: {
      mails: createAuthEndpoint('/mails', { method: 'GET', use }, async (ctx) =>
        ctx.json({ mails: (await mails?.choicesOf(ctx.context.session.user.id)) ?? [] }),
      ),
      chooseMails: createAuthEndpoint('/mails/choose', { method: 'POST', use, body }, async (ctx) => {
        const { id } = ctx.context.session.user
        const known = (await mails?.choicesOf(id))?.map(({ kind }) => kind) ?? []
        const unknown = ctx.body.off.find((kind) => !known.includes(kind))
        if (unknown !== undefined) {
          throw new APIError('BAD_REQUEST', {
            code: 'UNKNOWN_MAIL',
            message: `off: ${JSON.stringify(unknown)} is not a kind of mail (expected ${known.join(', ') || 'none'}): correct it.`,
          })
        }
        await mails?.choose(id, ctx.body.off)
        return ctx.json({ status: true })
      }),
    },
  } satisfies BetterAuthPlugin
}
